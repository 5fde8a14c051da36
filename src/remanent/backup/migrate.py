"""Migration: a whole memory moves into other stores, record by record, and is compared at the end.

The old house is closed to writers first, then its records are brought over in steps, each in a
transaction that also notes how far it came. Killed anywhere and run again, it goes on from there.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Final
from uuid import uuid4

from remanent.backup.export import Progress, about_how_many, embedder_of
from remanent.backup.rules import record_line
from remanent.core.dataclasses import replace
from remanent.core.env import Env, Stores
from remanent.core.model.codec import from_record
from remanent.core.ports.admin import ExportStore
from remanent.core.records.export import (
    MOVE,
    ExportRecord,
    Mark,
    Migrated,
    Move,
    MoveProgress,
    MoveState,
)
from remanent.errors import Conflict, StoreError, without_password

STEP: Final = 2000  # records a transaction
_WHOLE: Final = 1 << 256


class _Sums:
    """The sum of the digests of all records, by sort: the same in whatever order they come."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self.counts: Counter[str] = Counter()

    def add(self, record: ExportRecord) -> None:
        line = hashlib.sha256(record_line(record).encode("utf-8", "surrogatepass")).digest()
        sort = record.sort.value
        self._sums[sort] = (self._sums.get(sort, 0) + int.from_bytes(line, "big")) % _WHOLE
        self.counts[sort] += 1

    def by_sort(self) -> dict[str, str]:
        return {sort: f"{one:x}" for sort, one in sorted(self._sums.items())}

    def digest(self) -> str:
        told = [f"{sort} {one} {self.counts[sort]}\n" for sort, one in self.by_sort().items()]
        return hashlib.sha256("".join(told).encode()).hexdigest()


def migrate(
    env: Env, to: str | Path, *, progress: Progress | None = None, step: int = STEP
) -> Migrated:
    """Bring all that the memory holds to another place, where nothing else may be."""
    there = env.adapters.stores_at(env, str(to))
    try:
        return _Migration(env, there, without_password(str(to)), progress, step).run()
    finally:
        there.close()


def noted_move(stores: Stores) -> Move | None:
    """What is noted of a migration from there or to there."""
    mark = stores.records.get(None, Mark, MOVE)
    return None if mark is None else from_record(Move, json.loads(mark.value))


def cancel_migration(env: Env) -> Move | None:
    """Let this memory be written to again after `migrate`; what it had noted, if it had."""
    move = noted_move(env.stores)
    if move is not None and move.state is MoveState.ARRIVING:
        raise Conflict("memory", move.refusal)
    if move is not None and move.refusal:
        env.stores.export.note_move(None)
        return move
    return None


class _Migration:
    """One run of it."""

    def __init__(
        self, env: Env, there: Stores, place: str, progress: Progress | None, step: int
    ) -> None:
        self._env, self._there, self._place, self._step = env, there, place, step
        self._old, self._new = env.stores.export, there.export
        self._progress = progress
        users = (one.user_id for one in env.registry.users())
        self._total = max(1, about_how_many(env, users))

    def run(self) -> Migrated:
        left = self._leave()
        arrived = noted_move(self._there)
        already = arrived is not None and arrived.state is MoveState.ARRIVED
        if already:
            sums, resumed = self._sums_of(self._old), 0
        else:
            resumed = 0 if arrived is None else arrived.records
            sums = self._bring(arrived or self._arriving(left.move_id))
            self._compare(sums)
            self._new.note_move(
                Move(move_id=left.move_id, state=MoveState.ARRIVED, place=self._here)
            )
        self._old.note_move(replace(left, state=MoveState.LEFT))
        return Migrated(
            place=self._place,
            counts=dict(sums.counts),
            digest=sums.digest(),
            resumed=resumed,
            already=already,
        )

    @property
    def _here(self) -> str:
        return without_password(self._env.config.memory)

    def _leave(self) -> Move:
        """Close the old house, unless it is closed for this very move."""
        here, there = noted_move(self._env.stores), noted_move(self._there)
        if here is not None and here.state in (MoveState.LEAVING, MoveState.LEFT):
            is_begun = here.state is MoveState.LEAVING and here.place == self._place
            if there is None and is_begun:
                self._insist_empty()
            elif there is None or there.move_id != here.move_id:
                raise Conflict("memory", here.refusal)
            return here
        if here is not None and here.refusal:
            raise Conflict("memory", here.refusal)
        if there is not None:
            raise Conflict("to", f"{self._place} holds what came from {there.place}")
        self._insist_empty()
        left = Move(move_id=uuid4().hex, state=MoveState.LEAVING, place=self._place)
        self._old.note_move(left)
        return left

    def _insist_empty(self) -> None:
        if next(self._new.dump(None, household=True), None) is not None:
            raise Conflict("to", f"{self._place} holds another memory already")

    def _arriving(self, move_id: str) -> Move:
        move = Move(move_id=move_id, state=MoveState.ARRIVING, place=self._here)
        self._new.note_move(move)
        return move

    def _bring(self, arriving: Move) -> _Sums:
        """The records that are not there yet; and the sums of all."""
        vectors = {"embedder": None, **embedder_of(self._env)}
        sums, done = _Sums(), 0
        with closing(_numbered(self._old, sums)) as records:
            for done, _ in islice(records, arriving.records):  # noqa: B007 - how many there were
                pass
            if done != arriving.records or sums.by_sort() != dict(arriving.sums):
                raise Conflict("to", f"{self._place} holds a beginning that is not of this memory")
            while first := next(records, None):
                self._new.restore(
                    chain([first], islice(records, self._step - 1)),
                    **vectors,
                    move=lambda: replace(
                        arriving, records=sums.counts.total(), sums=sums.by_sort()
                    ),
                )
                self._tell(sums.counts.total())
        self._total = sums.counts.total()
        return sums

    def _compare(self, sums: _Sums) -> None:
        others = self._sums_of(self._new)
        if others.digest() != sums.digest():
            ours, theirs = sums.by_sort(), others.by_sort()
            sorts = [one for one in sorted(ours | theirs) if ours.get(one) != theirs.get(one)]
            raise StoreError(self._place, f"did not keep all as it was: {', '.join(sorts)} differ")

    def _sums_of(self, store: ExportStore) -> _Sums:
        sums = _Sums()
        for number, record in enumerate(store.dump(None, household=True)):
            sums.add(record)
            if number % self._step == 0:
                self._tell(self._total + number)
        return sums

    def _tell(self, done: int) -> None:
        if self._progress is not None:  # they are read once more to be compared
            self._progress(MoveProgress(done=done, total=max(done, 2 * self._total)))


def _numbered(store: ExportStore, sums: _Sums) -> Generator[tuple[int, ExportRecord], None, None]:
    for number, record in enumerate(store.dump(None, household=True), start=1):
        sums.add(record)
        yield number, record
