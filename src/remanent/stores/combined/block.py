"""The block of writes over several servers: PostgreSQL's transaction is around it, with its locks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.ports.ledger import Positions
from remanent.errors import StoreError
from remanent.stores.combined.part import Member
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.wall import wall
from remanent.stores.sql.ledger import SqlPositions

Mend = Callable[[str, int, int], object]
"""Applies a user's events beyond the first number, up to the second."""
APPLIED: Final = "applied"
"""Under this name a position says up to which event what the ledger tells is applied."""

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


class Block:
    """Begins blocks (the `Atomic` port) in which all members write.

    The locks are PostgreSQL's: writers of one user take turns on every server. The graph notes in its
    `positions` what it was told, in the transaction that derives, and PostgreSQL in its own what it knows
    of that; `mend` applies what a crash left over.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._base: Positions = wall(database.seen_by, "graph", SqlPositions(database))
        self._local = threading.local()
        self.members: Sequence[Member] = ()
        self.positions: Positions | None = None
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
        begun = self._database.transaction(
            whose, durable=durable, patient=patient, alone=alone, moving=moving
        )
        if self.is_open:
            with begun, self._inner():
                yield
            return
        self._local.is_open = True
        try:
            with begun:
                for one in self.members:
                    one.begin()
                if alone and not moving:
                    self._mend(self._database.user_locked(whose))
                yield
                self._write()
            self._settle()
        finally:
            self._local.is_open = False
            for one in self.members:
                one.end()

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
            for user, seq in one.unapplied(user_id).items():
                self._catch_up(one, user, seq)

    def _catch_up(self, member: Member, user_id: str, seq: int) -> None:
        """Apply what the graph has not been told yet; and of what only PostgreSQL was not told, its part."""
        graph, records = self._reached(user_id)
        member.finish(user_id, graph)
        if records < graph:
            marks = [(one, one.mark()) for one in self.members]
            self.mend(user_id, records, graph)
            for one, mark in marks:
                one.take_back(mark)
        if graph < seq:
            self.mend(user_id, graph, seq)
        self.reach(user_id, max(seq, graph))

    def _reached(self, user_id: str) -> tuple[int, int]:
        scope = Scope(user_id=user_id)
        known = self._base.position(scope, APPLIED)
        if self.positions is None:
            return known, known
        return self.positions.position(scope, APPLIED), known

    def reach(self, user_id: str, seq: int) -> None:
        """Note that all up to that event is applied."""
        for one in (self.positions, self._base):
            if one is not None:
                one.position(Scope(user_id=user_id), APPLIED, to=seq)

    def catch_up(self) -> None:
        """Apply what a crash left over for anybody."""
        if any(one.unapplied() for one in self.members):
            with self.atomic():
                pass

    def _write(self) -> None:
        for one in self.members:
            for user_id, seq in one.appended().items():
                self.reach(user_id, seq)
        for one in self.members:
            one.promise()
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
