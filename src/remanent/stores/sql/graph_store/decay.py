"""Fading in SQL: all of a user's lives in one pass, in steps short enough that nobody waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from remanent.core import lifecycle
from remanent.core.lifecycle import EPISODIC, LifecycleRules
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.lifecycle_reports import Access, Faded
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Share
from remanent.stores.sql.database import INDEX, OnDatabase, Row
from remanent.stores.sql.graph_store.nodes import LIVES
from remanent.stores.sql.plain_rows import from_micros, to_micros
from remanent.stores.sql.scope import LIFE, scoped

_STEP: Final = 2_000  # rows in one transaction: a few hundredths of a second
_TABLES: Final = {"nodes": "t.kind", "relationships": "'relationship'"}  # and the kind of a row
_SIZE = "SELECT count(*) FROM {table} INDEXED BY {table}_in_order WHERE user_id = ?"
_ROWS = scoped("""
SELECT LIFE(t), t.id, t.key, {kind}, t.confidence, t.created_at
FROM {table} AS t INDEXED BY {table}_in_order
WHERE t.user_id = ? AND t.id > ? ORDER BY t.id LIMIT ?
""")
# The weights of a whole step change in one version: see the migration `m0005_fading`.
_FADE = "UPDATE {table} SET salience = :salience, state = :state, decayed_at = :now{change} WHERE id = :id"
_CHANGE = ", change = coalesce(:version, change)"
_VERSION = """
INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (?, 1, 0)
ON CONFLICT (user_id) DO UPDATE SET version = edge_versions.version + 1
RETURNING version
"""
_ACCESSES = """
SELECT accesses FROM nodes WHERE key = :key AND user_id = :user
UNION ALL SELECT accesses FROM relationships WHERE key = :key AND user_id = :user
"""


class _Change(NamedTuple):
    """A life before and after."""

    id: int
    key: str
    kind: Kind
    before: Lifecycle
    life: Lifecycle

    @property
    def fades(self) -> bool:
        return self.life.salience != self.before.salience

    @property
    def is_archived(self) -> bool:
        return self.life.state is not self.before.state


def _faded(row: Row, now: datetime, rules: LifecycleRules) -> _Change:
    number, key, name, confidence, created_at = row[len(LIFE) :]
    before, kind = LIVES.of(row), Kind(name)
    life = lifecycle.faded(
        before,
        confidence=confidence,
        created_at=from_micros(created_at),
        now=now,
        episodic=kind in EPISODIC,
        rules=rules,
    )
    return _Change(number, key, kind, before, life)


class SqlDecay(OnDatabase):
    """The part of the graph that fades."""

    def fade(
        self,
        scope: Scope,
        now: datetime,
        rules: LifecycleRules,
        *,
        most: int = 100,
        share: Share | None = None,
    ) -> Faded:
        sizes = [
            self._database.execute(_SIZE.format(table=one), (scope.user_id,)) for one in _TABLES
        ]
        total, done = max(1, sum(rows[0][0] for rows in sizes)), 0
        faded, archived, first = 0, Counter[Kind](), list[str]()
        for table in _TABLES:
            after, count = 0, _STEP
            while count == _STEP:
                with self._database.transaction():
                    after, count, changes = self._step(table, scope, now, rules, after)
                faded += sum(
                    one.fades and one.before.state is not State.ARCHIVED for one in changes
                )
                gone = [one for one in changes if one.is_archived]
                archived.update(one.kind for one in gone)
                first += [one.key for one in gone[: max(most - len(first), 0)]]
                done += count
                if share is not None and count:
                    share(min(1.0, done / total))
        return Faded(faded=faded, archived=dict(archived), first=tuple(first))

    def _step(
        self, table: str, scope: Scope, now: datetime, rules: LifecycleRules, after: int
    ) -> tuple[int, int, Sequence[_Change]]:
        """Fade the next rows; the last of them, how many there are, and what changed."""
        sql = _ROWS.format(table=table, kind=_TABLES[table])
        rows = self._database.execute(sql, (scope.user_id, after, _STEP))
        ruled = {kind.value: lifecycle.rules_for(kind, rules) for kind in Kind}
        lives = (_faded(one, now, ruled[one[-3]]) for one in rows)
        changes = [one for one in lives if one.life != one.before]
        if changes:
            self._write(table, scope, now, changes)
        return rows[-1][len(LIFE)] if rows else after, len(rows), changes

    def _write(self, table: str, scope: Scope, now: datetime, changes: Sequence[_Change]) -> None:
        is_weighed, version = table == "relationships", None
        if is_weighed and any(one.fades for one in changes):
            ((version,),) = self._database.execute(_VERSION, (scope.user_id,))
        sql = _FADE.format(table=table, change=_CHANGE if is_weighed else "")
        rows: list[dict[str, Any]] = [
            {
                "salience": one.life.salience,
                "state": one.life.state.value,
                "now": to_micros(now),
                "version": version if one.fades else None,
                "id": one.id,
            }
            for one in changes
        ]
        self._database.touch(INDEX)
        self._database.execute_many(sql, rows)

    def accesses(self, scope: Scope, key: str) -> list[Access]:
        rows = self._database.execute(_ACCESSES, {"key": key, "user": scope.user_id})
        told = [one.split() for (text,) in rows for one in text.split(";") if one]
        kept = [Access(from_micros(int(at)), float(a), float(b)) for at, a, b in told]
        return kept[::-1]
