"""The block of writes over several servers: PostgreSQL's transaction is around it, with its locks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.ports.ledger import Positions
from remanent.errors import StoreError
from remanent.stores.combined.notes import APPLIED
from remanent.stores.combined.part import Member, Ticket
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.wall import wall
from remanent.stores.sql.ledger import SqlPositions

Mend = Callable[[str, int, int], object]
"""Applies a user's events beyond the first number, up to the second."""
_NUMBER: Final = "SELECT CAST(pg_current_xact_id() AS TEXT)"
# After a restore the server may never have heard of the number, or have forgotten what became of it.
_IS_COMMITTED: Final = """
SELECT CASE WHEN CAST(:number AS xid8) < pg_snapshot_xmax(pg_current_snapshot())
    THEN pg_xact_status(CAST(:number AS xid8)) = 'committed' END
"""

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


class _LeftOver(Exception):
    """There is something to be applied first."""


class Block:
    """Begins blocks (the `Atomic` port) in which all members write.

    The locks are PostgreSQL's: writers of one user take turns on every server. The graph notes in its
    `positions` what it was told, in the transaction that derives, and PostgreSQL in its own what it knows
    of that; `mend` applies what a crash left over. Where PostgreSQL itself keeps the ledger and not the
    graph (`is_ledger_first`), its transaction ends before anything is derived, and its locks after.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._base: Positions = wall(database.seen_by, "graph", SqlPositions(database))
        self._local = threading.local()
        self.members: Sequence[Member] = ()
        self.positions: Positions | None = None
        self.is_ledger_first = False
        self.mend: Mend = _nothing

    @property
    def is_open(self) -> bool:
        """Whether this thread is in a block."""
        return getattr(self._local, "is_open", False)

    @contextmanager
    def atomic(
        self,
        whose: Scope | None = None,
        *,
        durable: bool = False,
        patient: bool = True,
        alone: bool = True,
        moving: bool = False,
    ) -> Iterator[None]:
        """A block whose writes all happen or none; see `Database.transaction`."""
        # What is settled elsewhere is never told again, so PostgreSQL may not forget it: it waits for the disk.
        begun = self._database.transaction(
            whose,
            durable=durable or bool(self.members),
            patient=patient,
            alone=alone,
            moving=moving,
        )
        if self.is_open:
            with begun, self._inner():
                yield
            return
        with self._open(), self._locked(whose, patient=patient, alone=alone):
            with begun:
                if alone and not moving:
                    self._mend(self._database.user_locked(whose))
                yield
                # What was not appended cannot be applied by another: it is not lost with the graph's server.
                is_later = self.is_ledger_first and bool(self._appended())
                self._promise()
                if not is_later:
                    self._derive()
            if is_later:
                self._derive()
            self._settle()

    @contextmanager
    def _open(self) -> Iterator[None]:
        self._local.is_open = True
        try:
            for one in self.members:
                one.begin()
            yield
        finally:
            self._local.is_open = False
            for one in self.members:
                one.end()

    def _locked(
        self, whose: Scope | None, *, patient: bool, alone: bool
    ) -> AbstractContextManager[None]:
        """What is derived after PostgreSQL's transaction is derived under its locks."""
        if self.is_ledger_first and alone:
            return self._database.locked(whose, patient=patient)
        return nullcontext()

    @contextmanager
    def _inner(self) -> Iterator[None]:
        marks = [(one, one.mark()) for one in self.members]
        try:
            yield
        except BaseException:
            for one, mark in marks:
                one.take_back(mark)
            raise

    def _mend(self, user_id: str | None) -> None:
        """First of all what was promised is derived. Who is not alone decides nothing by what they read, and
        who moves house brings both."""
        for one in self.members:
            waiting = one.unapplied(user_id)
            one.finish(self._is_written)
            for user, seq in waiting.items():
                self._catch_up(one, user, seq)

    def _catch_up(self, member: Member, user_id: str, seq: int) -> None:
        """Apply what the graph has not been told yet; and of what only PostgreSQL was not told, its part."""
        graph, records = self._reached(user_id)
        if records < graph and not self.is_ledger_first:  # which comes with the records
            marks = [(one, one.mark()) for one in self.members]
            self.mend(user_id, records, graph)
            for one, mark in marks:
                one.take_back(mark)
        if graph < seq:
            self.mend(user_id, graph, seq)
        if max(seq, graph) > min(graph, records):  # of who is erased there is no position
            self._note(user_id, max(seq, graph))
        member.mended(user_id, max(seq, graph))

    def _reached(self, user_id: str) -> tuple[int, int]:
        scope = Scope(user_id=user_id)
        known = self._base.position(scope, APPLIED)
        if self.positions is None:
            return known, known
        return self.positions.position(scope, APPLIED), known

    def reach(self, user_id: str, seq: int) -> None:
        """Note that all up to that event is applied, by what comes with this block."""
        for one in (self.positions, self._base):
            if one is not None:
                one.position(Scope(user_id=user_id), APPLIED, to=seq)

    def _note(self, user_id: str, seq: int) -> None:
        """The same with what is derived: PostgreSQL's own note comes with its transaction, unless that is
        over before."""
        if self.is_ledger_first and self.positions is not None:
            self.positions.position(Scope(user_id=user_id), APPLIED, to=seq)
        else:
            self.reach(user_id, seq)

    def catch_up(self) -> None:
        """Apply what a crash left over for anybody."""
        if self._is_waiting():
            with self.atomic():
                pass

    @contextmanager
    def still(self) -> Iterator[None]:
        """A block in which nobody else writes, and nothing waits to be applied; one that moves house, too."""
        while True:
            self.catch_up()
            with suppress(_LeftOver), self.atomic(moving=True):
                if self._is_waiting():  # somebody has died since
                    raise _LeftOver
                yield
                return

    def _is_waiting(self) -> bool:
        return any(one.unapplied() for one in self.members)

    def ticket(self) -> Ticket:
        """By what this block is known when it is over."""
        ((number,),) = self._database.execute(_NUMBER)
        return [number, *next(iter(self._appended()), ("", 0))]

    def _is_written(self, ticket: Ticket) -> bool:
        """Whether that block was written. Where the graph is elsewhere, it is if the graph has heard of it."""
        number, user_id, seq = ticket
        ((is_committed,),) = self._database.execute(_IS_COMMITTED, {"number": number})
        if is_committed or self.positions is None or not user_id:
            return bool(is_committed)
        return self.positions.position(Scope(user_id=str(user_id)), APPLIED) >= int(seq)

    def _appended(self) -> list[tuple[str, int]]:
        return [told for one in self.members for told in one.appended().items()]

    def _promise(self) -> None:
        for user_id, seq in self._appended():
            self._note(user_id, seq)
        for one in self.members:
            one.promise()

    def _derive(self) -> None:
        for one in self.members:
            one.derive()

    def _settle(self) -> None:
        """All is written down: what fails now is done again by whoever comes next, and is no failure."""
        for one in self.members:
            try:
                one.settle()
            except StoreError:
                log.warning("a block was written, and is not settled yet", exc_info=True)


def _nothing(*_: object) -> None:
    """Where nobody has to know."""
