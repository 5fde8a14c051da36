"""The index in SQL: words and vectors lie in memory and are kept in step with the rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from remanent.core.later import later
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import (
    Entry,
    Few,
    Match,
    PassageFilter,
    Question,
    Vector,
    Weighed,
    Within,
)
from remanent.errors import (
    DamagedMemory,
    EmbedderError,
    EmbedderMismatch,
    RebuiltMemory,
    StoreError,
)
from remanent.stores.engine.shelves import Shelves
from remanent.stores.sql.database import INDEX, Database, Row
from remanent.stores.sql.plain_rows import replaced
from remanent.stores.sql.scope import scope_values
from remanent.stores.sql.words import search_terms, stems

if TYPE_CHECKING:
    import numpy as np

    from remanent.stores.engine import blocks, matching, weighing
    from remanent.stores.engine import vectors as engine
    from remanent.stores.engine.blocks import Block
    from remanent.stores.engine.vectors import VectorMatrix
    from remanent.stores.engine.weighing import Asking, Weighing
else:
    np = later("numpy")
    blocks = later("remanent.stores.engine.blocks")
    matching = later("remanent.stores.engine.matching")
    weighing = later("remanent.stores.engine.weighing")
    engine = later("remanent.stores.engine.vectors")

_BIND = "INSERT INTO meta (name, value) VALUES ('embedder', ?) ON CONFLICT (name) DO NOTHING"
_KNOWN = """
SELECT e.id, e.key, r.token FROM json_each(?) AS wanted
CROSS JOIN entries AS e ON e.key = wanted.value
LEFT JOIN vector_readers AS r ON r.entry_id = e.id
"""
_COLUMNS: Final = ("key", "kind", "owner_key", "team", "vector", "words", "marks", "day", "parts")
_PUT = f"""INSERT INTO entries ({", ".join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET {replaced(_COLUMNS, but=("key",))} RETURNING id
"""  # noqa: S608 - ours
_BUMP = """
INSERT INTO token_versions (token, version, removed_at)
SELECT :token, start + 1, CASE WHEN start > 0 THEN start + 1 ELSE 0 END FROM (
    -- A user who was erased may come back under their name: shelves of old are behind them.
    SELECT coalesce(max(CAST(value AS BIGINT)), 0) AS start FROM meta WHERE name = 'tokens.from'
) AS first WHERE true
ON CONFLICT (token) DO UPDATE SET
    version = token_versions.version + 1,
    removed_at = CASE WHEN :removes = 1 THEN token_versions.version + 1
                      ELSE token_versions.removed_at END
RETURNING version
"""
_READABLE = "INSERT INTO vector_readers (token, entry_id, change) VALUES (?, ?, ?)"
_UNREADABLE = "DELETE FROM vector_readers WHERE entry_id = ?"
_REMOVE = "DELETE FROM entries WHERE id = ?"
_VERSION = "SELECT version, removed_at FROM token_versions WHERE token = ?"
_VERSIONS = """
SELECT '', 0, value FROM meta WHERE name = 'embedder'
UNION ALL
SELECT t.token, t.version, '' FROM json_each(?) AS mine
CROSS JOIN token_versions AS t ON t.token = mine.value
"""
_IS_COLD = """
CASE WHEN e.kind IN ('source', 'passage') AND n.state = 'archived' THEN 1 ELSE 0 END
"""
_CHANGED = """
SELECT entry_id, change FROM vector_readers WHERE token = ? AND change > ? ORDER BY entry_id
"""
_STORED = f"""
SELECT e.id, e.key, e.kind, e.owner_key, e.team, e.vector, e.parts, e.words, e.marks, e.day,
       CASE WHEN e.kind = 'source' THEN n.body ->> 'ended_at' END, p.body ->> 'speaker'
FROM json_each(?) AS wanted CROSS JOIN entries AS e ON e.id = CAST(wanted.value AS BIGINT)
LEFT JOIN nodes AS n ON n.key = e.owner_key LEFT JOIN passages AS p ON p.key = e.key
WHERE {_IS_COLD} = ? ORDER BY e.id
"""  # noqa: S608 - ours
_AT_ONCE: Final = 1024  # entries that are read together: all of a large memory would be held twice
# Of what a shelf of that version had; what changed shelves is read with what changed.
_STILL_THERE = "SELECT entry_id FROM vector_readers WHERE token = ? AND change <= ?"
_BLOCKS = "SELECT first, cold, version, ids FROM shelf_blocks WHERE token = ? ORDER BY first"
_BLOCK = "SELECT data FROM shelf_blocks WHERE token = ? AND first = ?"
_KEEP = f"""
INSERT INTO shelf_blocks (token, first, last, cold, version, ids, data)
SELECT :token, :first, :last, :cold, :version, :ids, :data WHERE :count = (
    SELECT count(*) FROM json_each(:named) AS mine
    CROSS JOIN vector_readers AS r ON r.token = :token AND r.entry_id = CAST(mine.value AS BIGINT)
    WHERE r.change <= :version
) ON CONFLICT (token, first) DO UPDATE SET {replaced(("last", "cold", "version", "ids", "data"), but=())}
"""  # noqa: S608 - ours
_VECTORS = """
SELECT e.key, e.vector FROM json_each(:keys) AS wanted
CROSS JOIN entries AS e ON e.key = wanted.value
WHERE e.vector IS NOT NULL AND e.owner_key NOT IN (SELECT value FROM json_each(:hidden))
  AND (e.team IS NULL OR (
      e.team NOT IN (SELECT value FROM json_each(:left))
      AND (:narrowed IS NULL OR e.team = :narrowed)
  ))
  AND EXISTS (
      SELECT 1 FROM vector_readers AS r
      WHERE r.entry_id = e.id AND r.token IN (SELECT value FROM json_each(:tokens))
  )
"""


class SqlIndex:
    """Findable at once, in every thread and process, when the transaction that put it ends."""

    def __init__(self, database: Database, *, dimensions: int, embedder_name: str) -> None:
        self._database = database
        self._dimensions = dimensions
        self._mark = json.dumps({"name": embedder_name, "dimensions": dimensions})
        self._shelves = Shelves()
        # What was read row by row, from this row on.
        self._unkept: dict[tuple[str, bool], tuple[VectorMatrix, int]] = {}
        self._was_ours = False
        self._last_unit: tuple[Vector, Vector] | None = None
        self._insist_unchanged()

    def _insist_unchanged(self) -> bool:
        """Whether this memory has an embedder; an error when it is not ours, or another process has
        rebuilt it meanwhile."""
        return self._insist_noted(self._database.meta("embedder"))

    def _insist_noted(self, noted: str | None) -> bool:
        if noted is not None and noted != self._mark:
            theirs, ours = (
                (mark["name"], mark["dimensions"]) for mark in map(json.loads, (noted, self._mark))
            )
            if self._was_ours:
                raise RebuiltMemory(self._database.path, theirs[0])
            raise EmbedderMismatch(self._database.path, theirs, ours)
        self._was_ours = self._was_ours or noted is not None
        return noted is not None

    # -- writing ------------------------------------------------------------------------------

    def put(self, entries: Sequence[Entry]) -> None:
        latest = {entry.key: entry for entry in entries}
        blobs = {key: self._blob(entry) for key, entry in latest.items()}
        if not latest:
            return
        with self._database.transaction():
            self._database.touch(INDEX)
            if any(blob is not None for blob in blobs.values()) and not self._insist_unchanged():
                self._database.execute(_BIND, (self._mark,))
            before, _ = self._clear(list(latest))
            rows = [
                (
                    key,
                    entry.kind.value,
                    entry.owner_key,
                    entry.team,
                    blobs[key],
                    " ".join(stems(entry.text)),
                    " ".join(sorted(entry.marks)),
                    None if entry.day is None else entry.day.toordinal(),
                    self._parts(entry),
                )
                for key, entry in latest.items()
            ]
            ids = [row[0] for row in self._database.execute_many(_PUT, rows)]
            now = {(token, key) for key, entry in latest.items() for token in entry.readers}
            versions = self._bump(before, now)
            at = dict(zip(latest, ids, strict=True))
            self._database.execute_many(
                _READABLE, [(token, at[key], versions[token]) for token, key in sorted(now)]
            )

    def remove(self, keys: Sequence[str]) -> None:
        if not keys:
            return
        with self._database.transaction():
            self._database.touch(INDEX)
            before, ids = self._clear(keys)
            self._bump(before, set())
            self._database.execute_many(_REMOVE, ids)

    def _blob(self, entry: Entry) -> bytes | None:
        if entry.vector is None:
            return None
        return self._checked(entry.vector, f"entry {entry.key}").tobytes()

    def _parts(self, entry: Entry) -> bytes | None:
        if not len(entry.parts):
            return None
        what = f"a part of entry {entry.key}"
        return b"".join(self._checked(one, what).tobytes() for one in entry.parts)

    def _checked(self, vector: Vector, what: str) -> Vector:
        if vector.shape != (self._dimensions,):
            shape = "x".join(str(size) for size in vector.shape)
            raise EmbedderError(
                f"{what}: its vector has {shape} dimensions, this memory's have {self._dimensions}"
            )
        if not np.isfinite(vector).all():
            raise EmbedderError(f"{what}: its vector holds something that is not a number")
        return np.ascontiguousarray(vector, dtype="<f4")

    def _clear(self, keys: Sequence[str]) -> tuple[set[tuple[str, str]], list[tuple[int]]]:
        """Forget who can find these by meaning; gives those readers as (token, key), and the rows."""
        known = self._database.execute(_KNOWN, (json.dumps(list(keys)),))
        ids = [(one,) for one in dict.fromkeys(row[0] for row in known)]
        if ids:
            self._database.execute_many(_UNREADABLE, ids)
        return {(token, key) for _, key, token in known if token is not None}, ids

    def _bump(self, before: set[tuple[str, str]], now: set[tuple[str, str]]) -> dict[str, int]:
        """A new version of every token concerned, so that shelves elsewhere know they are behind."""
        lost = {token for token, _ in before - now}
        tokens = sorted({token for token, _ in before | now})
        bumps = [{"token": token, "removes": token in lost} for token in tokens]
        versions = self._database.execute_many(_BUMP, bumps)
        return {token: one[0] for token, one in zip(tokens, versions, strict=True)}

    # -- asking -------------------------------------------------------------------------------

    def near(
        self,
        scope: Scope,
        vector: Vector,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
        least: float = -math.inf,
    ) -> list[Match]:
        unit = self._unit(vector)
        shelves = self._matrices(scope, False)
        shut = engine.shut_to(scope)
        matches = {
            match.key: match
            for shelf in shelves
            for match in shelf.nearest(unit, limit, kinds, shut, within, least)
        }
        best = sorted(matches.values(), key=lambda match: (-match.score, match.key))
        return best[: max(limit, 0)]

    def match(
        self,
        scope: Scope,
        text: str,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
        unmeant: bool = False,
    ) -> list[Match]:
        terms = search_terms(text)
        if not terms or limit <= 0:
            return []
        shelves = self._matrices(scope, False, True)
        meant, shut = False if unmeant else None, engine.shut_to(scope)
        rows = [one.matching_rows(kinds, shut, meant=meant) for one in shelves]
        found = zip(shelves, rows, strict=True) if any(map(len, rows)) else ()
        words = [matching.Words(*one) for one in found]
        return matching.matching(words, map(stems, terms), limit, within)

    def weigh(
        self,
        scope: Scope,
        question: Question,
        *,
        kinds: Sequence[Kind],
        limit: int | Few,
        within: Within | None = None,
        passages: PassageFilter | None = None,
        cold: bool = False,
    ) -> list[Weighed]:
        colds = (False, True) if cold else (False,)
        shelves = self._matrices(scope, *colds, question=question)
        shut, hot = engine.shut_to(scope), len(scope.tokens)
        parts = [engine.arranged(one, kinds, shut) for one in shelves]
        made: tuple[Any, Weighing] | None = question.made.get("weighing")
        if made is None or made[0] != parts:
            asking = self._parsed_query
            made = parts, weighing.Weighing(parts[:hot], parts[hot:], question, asking)
            question.made["weighing"] = made
        return made[1].best(limit=limit, within=within, passages=passages)

    def cold_days(self, scope: Scope, question: Question | None = None) -> tuple[date, date] | None:
        shelves = self._matrices(scope, True, question=question)
        parts = [engine.arranged(shelf, (), engine.shut_to(scope)) for shelf in shelves]
        days = np.concatenate([part.days for part in parts])
        known = days[~np.isnan(days)]
        if not len(known):
            return (date.min, date.max) if len(days) else None
        return date.fromordinal(int(known.min())), date.fromordinal(int(known.max()))

    def _parsed_query(self, text: str, vector: Vector | None) -> Asking:
        unit = None if vector is None else self._unit(vector)
        return weighing.Asking(list(dict.fromkeys(stems(" ".join(search_terms(text))))), unit)

    def _unit(self, vector: Vector) -> Vector:
        """The same at length one; a search asks several times for the same."""
        last = self._last_unit
        if last is None or last[0] is not vector:
            unit: Vector = engine.unit_rows(self._checked(vector, "query")[np.newaxis])[0]
            last = self._last_unit = vector, unit
        return last[1]

    def vectors(self, scope: Scope, keys: Sequence[str]) -> dict[str, Vector]:
        wanted = scope_values(scope, keys=json.dumps(list(dict.fromkeys(keys))))
        wanted.pop("user")
        with self._database.read():
            self._insist_unchanged()
            found: dict[str, bytes] = dict(self._database.execute(_VECTORS, wanted))
        return {k: np.frombuffer(found[k], dtype="<f4").copy() for k in keys if k in found}

    def expect(self, scope: Scope) -> None:
        self._database.expect(*_versions_of(scope))

    def _matrices(
        self, scope: Scope, *colds: bool, question: Question | None = None
    ) -> list[VectorMatrix]:
        """What the caller's tokens read, first those of one kind, then of the other; one statement for each
        question tells whether what is in memory is up to date."""
        seen = {} if question is None else question.seen
        versions = seen.get(scope)
        if versions is None:
            versions = seen[scope] = self._versions(scope)
        wanted = [(token, cold) for cold in colds for token in scope.tokens]
        known = [
            self._shelves.get(_shelf_name(*one))
            if one[0] in versions
            else engine.VectorMatrix.empty(self._dimensions)  # nothing was put, or it was erased
            for one in wanted
        ]
        current = [
            shelf
            for (token, _), shelf in zip(wanted, known, strict=True)
            if shelf is not None and shelf.version >= versions.get(token, 0)
        ]
        if len(current) == len(wanted):
            return current
        with self._database.read():
            self._insist_unchanged()
            shelves = [self._matrix(token, cold=cold) for token, cold in wanted]
        for token, cold in () if self._database.writing else wanted:
            self._write_blocks(token, cold=cold)
        return shelves

    def _versions(self, scope: Scope) -> dict[str, int]:
        rows = self._database.execute(*_versions_of(scope))
        self._insist_noted(next((noted for token, _, noted in rows if not token), None))
        return {token: version for token, version, _ in rows if token}

    def _matrix(self, token: str, *, cold: bool = False) -> VectorMatrix:
        """What this token reads, archived sources aside or of those alone, as this thread sees the
        file now."""
        known = self._database.fetch_one(_VERSION, (token,))
        if known is None:  # nothing was ever put there, or its reader was erased
            return engine.VectorMatrix.empty(self._dimensions)
        version, removed_at = known
        name = _shelf_name(token, cold)
        with self._shelves.lock(name):
            # What this thread has not committed is for its own eyes, and may yet be taken back.
            private = self._database.touched(INDEX)
            own: VectorMatrix | None = None if private is None else private.get(name)
            shelf = own or self._shelves.get(name)
            if shelf is not None and shelf.version >= version:
                return shelf
            alone = private is not None and own is None
            if shelf is None:
                kept, ids = self._read_blocks(token, cold=cold)
                shelf = self._loaded(kept, version, ids, cold=cold, private=alone)
                if not self._database.writing and shelf.count >= kept.count + blocks.LEAST:
                    self._unkept[token, cold] = shelf, kept.count
            else:
                if shelf.version < removed_at:
                    there = self._database.execute(_STILL_THERE, (token, shelf.version))
                    # A copy without the rest: what was erased is not to stay at hand.
                    shelf = shelf.select(one for (one,) in there)
                ids = [one for one, _ in self._database.execute(_CHANGED, (token, shelf.version))]
                shelf = self._loaded(shelf, version, ids, cold=cold, private=alone)
            if private is None:
                self._shelves.put(name, shelf, weight=shelf.size_bytes)
            else:
                private[name] = shelf
            return shelf

    def _read_blocks(self, token: str, *, cold: bool) -> tuple[VectorMatrix, list[int]]:
        """What lies ready of a shelf, and the entries that lie ready on none."""
        changed = chain.from_iterable(self._database.execute(_CHANGED, (token, 0)))
        ids, changes = np.fromiter(changed, np.int64).reshape(-1, 2).T
        lacking = np.ones(len(ids), dtype=np.bool_)
        ready_rows = self._block_rows(_BLOCKS, token) if len(ids) else []

        def ready() -> Iterator[Block]:
            for first, is_cold, version, named in ready_rows:
                mine = np.frombuffer(named, dtype="<i8")
                at = np.minimum(np.searchsorted(ids, mine), len(ids) - 1)
                if not (lacking[at] & (ids[at] == mine) & (changes[at] <= version)).all():
                    continue
                lacking[at] = False
                if is_cold == cold:
                    data = next(chain(*self._block_rows(_BLOCK, token, first)), b"")
                    block = blocks.opened(data, f"{token} {cold} {version} {self._mark}", mine)
                    lacking[at] = block is None
                    yield from [block] if block else ()
                    del data, block  # before the next is read: two at once would leave a hole

        # All of these may be on this shelf, unless all that lies ready is on the other.
        rows = 0 if ready_rows and all(one[1] != cold for one in ready_rows) else len(ids)
        room = engine.VectorMatrix.empty(self._dimensions).resized(0, rows)
        return blocks.unpacked(ready(), room), ids[lacking].tolist()

    def _block_rows(self, sql: str, *values: Any) -> list[Row]:
        """Of blocks: where they cannot be read there are none."""
        with suppress(DamagedMemory):
            return self._database.execute(sql, values)
        return []

    def _write_blocks(self, token: str, *, cold: bool) -> None:
        """Leave what had to be read row by row to whoever comes next, if it can be written at once."""
        shelf, start = self._unkept.pop((token, cold), (None, 0))
        if shelf is None or self._database.read_only:
            return
        whose = {"token": token, "cold": int(cold), "version": shelf.version}
        with suppress(StoreError):  # it is no more than a help
            mark = f"{token} {cold} {shelf.version} {self._mark}"
            for ids, data in blocks.packed(shelf, start, mark):
                named = {"ids": np.array(ids, dtype="<i8").tobytes(), "named": json.dumps(ids)}
                block = {"first": ids[0], "last": ids[-1], "count": len(ids), "data": data}
                # Nobody at all writes meanwhile: others may be changing what this token reads.
                with self._database.for_everybody(), self._database.transaction(patient=False):
                    self._database.execute(_KEEP, whose | named | block)

    def _loaded(
        self, shelf: VectorMatrix, version: int, ids: Sequence[int], *, cold: bool, private: bool
    ) -> VectorMatrix:
        """The shelf with what these entries are now; a private one has memory of its own."""
        batches = [ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)] or [()]
        try:
            for batch in batches:
                rows = self._database.execute(_STORED, (json.dumps(batch), cold))
                shelf = self._renewed(shelf, version, rows, private=private)
                private = False
        except ValueError as error:  # a kind that is none, or bytes that are no vector
            message = f"is damaged: a row of table entries cannot be read ({error})"
            raise DamagedMemory(self._database.path, message) from error
        return shelf

    def _renewed(
        self, shelf: VectorMatrix, version: int, rows: Sequence[Row], *, private: bool
    ) -> VectorMatrix:
        kinds = {name: Kind(name) for name in {row[2] for row in rows}}
        of, read = engine.Label, np.frombuffer  # of every row: they are looked up once
        labels = [of(row[0], row[1], kinds[row[2]], row[3], row[4]) for row in rows]
        written = [label.written(*row[7:12]) for label, row in zip(labels, rows, strict=True)]
        wide = self._dimensions
        vectors = np.zeros((len(rows), wide), dtype=np.float32)
        parts = [vectors[:0]] * len(rows)
        for place, row in enumerate(rows):
            if row[5] is not None:
                vectors[place] = read(row[5], dtype="<f4").reshape(wide)
            if row[6]:
                stored = read(row[6], dtype="<f4").reshape(-1, wide)
                parts[place] = engine.unit_rows(stored)
        return shelf.renewed(
            version, labels, engine.unit_rows(vectors), written, private=private, parts=parts
        )


def _versions_of(scope: Scope) -> tuple[str, tuple[str]]:
    return _VERSIONS, (json.dumps(list(scope.tokens)),)


def _shelf_name(token: str, cold: bool) -> str:  # noqa: FBT001 - one of two shelves
    return f"{token} cold" if cold else token


def known_dimensions(database: Database, embedder_name: str) -> int | None:
    """How long the vectors of this memory are, if that embedder made them."""
    noted = database.meta("embedder")
    mark = {} if noted is None else json.loads(noted)
    return int(mark["dimensions"]) if mark.get("name") == embedder_name else None
