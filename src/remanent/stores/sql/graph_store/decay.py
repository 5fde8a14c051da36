"""Fading in SQLite: all of a user's lives in one pass, in steps short enough that nobody waits.

The statements say what `rules.lifecycle.faded` says, in the same order of operations, so that both come
to the same figures; a contract test holds them together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from remanent.core.lifecycle import EPISODIC, LARGEST_EXPONENT, LifecycleRules
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import Access, Faded
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Share
from remanent.stores.sql.database import INDEX, OnDatabase, Row
from remanent.stores.sql.graph_store.nodes import LIVES
from remanent.stores.sql.plain_rows import from_micros, to_micros
from remanent.stores.sql.scope import LIFE

_STEP: Final = 2_000  # rows in one transaction: a few hundredths of a second
_MICROSECOND: Final = timedelta(microseconds=1)

_SIZE = "SELECT count(*) FROM TABLE INDEXED BY TABLE_in_order WHERE user_id = ?"
_NEXT = """
SELECT max(id), count(*) FROM (
    SELECT id FROM TABLE INDEXED BY TABLE_in_order
    WHERE user_id = :user AND id > :after ORDER BY id LIMIT :step
) AS step
"""
# MATERIALIZED: each figure is worked out once for a row, however often the next ones use it.
_FRESH = """
WITH own AS MATERIALIZED (
    SELECT id, key, KIND AS kind, salience, state, ttl_policy, decayed_at, confidence, created_at,
           max(created_at, coalesce(last_accessed_at, created_at), coalesce(decayed_at, created_at))
               AS start,
           CASE WHEN recall_frequency <= 0 THEN :base_rate ELSE
               :base_rate / (1.0 + exp(min(max(0.0, decay_gradient) * ln(recall_frequency), :largest)))
           END AS plain,
           CASE KIND WHEN 'belief' THEN 0.0 ELSE :archive_below END AS below,
           CASE WHEN KIND IN (EPISODIC) THEN :episodic ELSE :semantic END AS span
    FROM TABLE INDEXED BY TABLE_in_order
    WHERE user_id = :user AND id > :after AND id <= :upto
),
rated AS MATERIALIZED (
    SELECT own.*,
           CAST(:now - start AS DOUBLE PRECISION) / 86400000000.0 AS days,
           CASE WHEN ttl_policy = 'keep_forever' THEN 0.0
                WHEN state <> 'candidate' OR confidence IS NULL THEN plain
                WHEN confidence >= :certain_from THEN 0.0
                ELSE plain * (1.0 + :doubt_factor * (1.0 - confidence)) END AS rate,
           CASE WHEN state = 'archived' THEN 0.0
                WHEN ttl_policy <> 'ephemeral' THEN :never
                ELSE max(0.0, CAST(created_at + span - start AS DOUBLE PRECISION) / 86400000000.0) END AS deadline
    FROM own WHERE start <= :now
),
spent AS MATERIALIZED (
    SELECT rated.*,
           min(days, deadline, CASE WHEN salience <= below THEN 0.0
                                    WHEN rate <= 0.0 OR below <= 0.0 THEN :never
                                    ELSE ln(salience / below) / rate END) AS lived
    FROM rated
),
left_over AS MATERIALIZED (
    SELECT spent.*,
           CASE WHEN ttl_policy = 'keep_forever' THEN 1.0
                ELSE salience * exp(-rate * lived - plain * (days - lived)) END AS remains
    FROM spent
),
fresh AS MATERIALIZED (
    SELECT id, key, kind, salience, remains, state,
           CASE WHEN ttl_policy <> 'keep_forever' AND (days >= deadline OR remains < below)
                THEN 'archived' ELSE state END AS next_state
    FROM left_over
    WHERE decayed_at IS DISTINCT FROM :now OR remains <> salience OR (days >= deadline AND state <> 'archived')
)
"""
_COUNTS = """FRESH
SELECT kind, count(*), count(*) FILTER (WHERE remains <> salience AND state <> 'archived'),
       count(*) FILTER (WHERE next_state <> state), count(*) FILTER (WHERE remains <> salience)
FROM fresh GROUP BY kind
"""
_ARCHIVED = """FRESH
SELECT key FROM fresh WHERE next_state <> state ORDER BY id LIMIT :most
"""
_FADE = """FRESH
UPDATE TABLE SET salience = fresh.remains, state = fresh.next_state, decayed_at = :now CHANGE
FROM fresh WHERE fresh.id = TABLE.id
"""
# The weights of a whole step change in one version: see the migration `m0005_fading`.
_CHANGE = """,
    change = CASE WHEN fresh.remains <> fresh.salience THEN :version ELSE change END
"""
_VERSION = """
INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (?, 1, 0)
ON CONFLICT (user_id) DO UPDATE SET version = edge_versions.version + 1
RETURNING version
"""
RELIVE = f"UPDATE {{table}} SET {', '.join(f'{name} = ?' for name in LIFE)}"  # noqa: S608 - ours
_RELIVE = f"{RELIVE} WHERE key = ? AND user_id = ? RETURNING 1"
_ACCESSES = """
SELECT accesses FROM nodes WHERE key = :key AND user_id = :user
UNION ALL SELECT accesses FROM relationships WHERE key = :key AND user_id = :user
"""


class _Table(NamedTuple):
    """One of the tables that have lives, and the statements for it."""

    size: str
    next: str
    counts: str
    archived: str
    fade: str
    is_weighed: bool


def _table(name: str, kind: str, *, is_weighed: bool) -> _Table:
    def written(statement: str) -> str:
        parts = {
            "FRESH": _FRESH,
            "CHANGE": _CHANGE if is_weighed else "",
            "EPISODIC": ", ".join(f"'{one.value}'" for one in sorted(EPISODIC)),
            "KIND": kind,
            "TABLE": name,
        }
        for part, text in parts.items():
            statement = statement.replace(part, text)
        return statement

    return _Table(
        size=written(_SIZE),
        next=written(_NEXT),
        counts=written(_COUNTS),
        archived=written(_ARCHIVED),
        fade=written(_FADE),
        is_weighed=is_weighed,
    )


_TABLES: Final = (
    _table("nodes", "kind", is_weighed=False),
    _table("relationships", "'relationship'", is_weighed=True),
)


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
        values = _figures(scope, now, rules)
        total = sum(self._number(one.size, scope) for one in _TABLES)
        faded, done, first = 0, 0, list[str]()
        archived: Counter[Kind] = Counter()
        for table in _TABLES:
            after = 0
            while (upto := self._upto(table, scope, after))[1]:
                values |= {"after": after, "upto": upto[0], "most": max(most - len(first), 0)}
                with self._database.transaction():
                    counts, keys = self._step(table, values)
                faded += sum(row[2] for row in counts)
                archived.update({Kind(row[0]): row[3] for row in counts if row[3]})
                first += keys
                after, done = upto[0], done + upto[1]
                if share is not None:
                    share(min(1.0, done / max(total, 1)))
        return Faded(faded=faded, archived=dict(archived), first=tuple(first))

    def _step(self, table: _Table, values: dict[str, Any]) -> tuple[list[Row], list[str]]:
        """Fade a range of rows; what there was to do by kind, and keys of what was archived."""
        counts = self._database.execute(table.counts, values)
        if not counts:
            return [], []
        keys: list[str] = []
        if values["most"] and any(row[3] for row in counts):
            keys = [key for (key,) in self._database.execute(table.archived, values)]
        if table.is_weighed:
            version = 0
            if any(row[4] for row in counts):
                ((version,),) = self._database.execute(_VERSION, (values["user"],))
            values = {**values, "version": version}
        self._database.touch(INDEX)
        self._database.execute(table.fade, values)
        return counts, keys

    def _upto(self, table: _Table, scope: Scope, after: int) -> tuple[int, int]:
        """The last row of the next step, and how many it has."""
        values = {"user": scope.user_id, "after": after, "step": _STEP}
        ((last, count),) = self._database.execute(table.next, values)
        return last or 0, count

    def _number(self, statement: str, scope: Scope) -> int:
        ((number,),) = self._database.execute(statement, (scope.user_id,))
        return int(number)

    def relive(self, scope: Scope, lives: Mapping[str, Lifecycle]) -> int:
        rows = [(*LIVES.row(life), key, scope.user_id) for key, life in sorted(lives.items())]
        with self._database.transaction():
            self._database.touch(INDEX)
            return sum(
                len(self._database.execute_many(_RELIVE.format(table=table), rows))
                for table in ("nodes", "relationships")
            )

    def accesses(self, scope: Scope, key: str) -> list[Access]:
        rows = self._database.execute(_ACCESSES, {"key": key, "user": scope.user_id})
        told = [one.split() for (text,) in rows for one in text.split(";") if one]
        kept = [Access(from_micros(int(at)), float(a), float(b)) for at, a, b in told]
        return kept[::-1]


def _figures(scope: Scope, now: datetime, rules: LifecycleRules) -> dict[str, Any]:
    return {
        "user": scope.user_id,
        "now": to_micros(now),
        "base_rate": float(rules.base_rate),
        "archive_below": float(rules.archive_below),
        "certain_from": float(rules.certain_from),
        "doubt_factor": float(rules.doubt_factor),
        "largest": LARGEST_EXPONENT,
        "never": math.inf,
        "episodic": _micros(rules.ephemeral_days_episodic),
        "semantic": _micros(rules.ephemeral_days_semantic),
    }


def _micros(days: float) -> int:
    return timedelta(days=days) // _MICROSECOND
