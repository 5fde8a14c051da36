"""How much is in a memory, and how its rows are looked at one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.records.admin import Census
from remanent.core.records.spending import Spent
from remanent.errors import DamagedMemory
from remanent.stores.sql.database import OnDatabase, Row
from remanent.stores.sql.graph_store.edges import relationship_of
from remanent.stores.sql.graph_store.nodes import node_of
from remanent.stores.sql.graph_store.notes import passage_of
from remanent.stores.sql.ledger import DIGESTED, EVENTS
from remanent.stores.sql.plain_rows import (
    UNDECODABLE,
    RowCodec,
    body_of,
    from_json,
    moment_or_none,
    to_micros,
)
from remanent.stores.sql.scope import THING

_Decode = Callable[..., object]
_THING: Final = ", ".join(THING)
_NODES = "SELECT kind, count(*) FROM nodes GROUP BY kind ORDER BY kind"
# Times in a body are ISO texts in UTC, which sort as the times do.
_BORN_BY = """
SELECT count(*) FROM nodes
WHERE kind = 'event' AND created_at <= ? AND body ->> 'occurred_at' <= ?
"""
_PRUNED = "SELECT count(*) FROM bygones"
# The type stands here word for word as in the partial index, or the index is not used.
_REFLECTIONS = """
SELECT count(*) FROM events
WHERE event_type = 'events.reconsolidated' AND payload ->> 'what' = 'reflection'
"""
# A clock that was set back has written on since: what is newest need not stand last.
_NEWEST_EVENT = """
SELECT max(recorded_at) FROM (SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 10000) AS late
"""
_SPENDING = RowCodec(Spent, "spending")
_SUMS: Final = ", ".join(
    f"sum({name})" for name in _SPENDING.names[5:]
)  # behind whose, when, of what
_SPENT = f"""
SELECT '', min(day), '', task, model, {_SUMS} FROM spending GROUP BY task, model ORDER BY task, model
"""  # noqa: S608 - ours


class SqlHealth(OnDatabase):
    """Counts rows; writes nothing."""

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        with self._database.read():
            return Census(
                nodes={str(kind): int(count) for kind, count in self._database.execute(_NODES)},
                born_by=tuple(self._count(_BORN_BY, _by(one)) for one in moments),
                pruned=self._count(_PRUNED),
                reflections=self._count(_REFLECTIONS),
                newest_event=self._newest_event(),
                spent=tuple(map(_SPENDING.of, self._database.execute(_SPENT))),
            )

    def _embedder(self) -> tuple[str, int]:
        noted = self._database.meta("embedder")
        if noted is None:
            return "", 0
        record = json.loads(noted)
        return str(record["name"]), int(record["dimensions"])

    def _newest_event(self) -> datetime | None:
        row = self._database.fetch_one(_NEWEST_EVENT)
        return None if row is None else moment_or_none(row[0])

    def _count(self, sql: str, values: tuple[object, ...] = ()) -> int:
        ((count,),) = self._database.execute(sql, values)
        return int(count)


def _by(moment: datetime) -> tuple[int, str]:
    return to_micros(moment), moment.astimezone(UTC).isoformat()


def problem_with(decode: _Decode) -> Callable[..., str | None]:
    """What says of a row why it cannot be decoded; None: it can."""

    def problem(*row: Any) -> str | None:
        try:
            decode(row)
        except DamagedMemory as damaged:
            return damaged.problem
        except UNDECODABLE as error:
            return f"cannot be read ({type(error).__name__}: {error})"
        return None

    return problem


def _whole_event(row: Row) -> object:
    """The event in a row of its columns, after the digest that is due and the one that is there."""
    due, there, *columns = row
    if there not in (None, due):
        raise DamagedMemory("memory", "it does not fit its digest: it is not what was written")
    return EVENTS.of(tuple(columns))


DECODERS: Final[Mapping[str, tuple[str, _Decode]]] = {
    "events": (f"event_digest({DIGESTED}), digest, {EVENTS.columns}", _whole_event),
    "nodes": (f"kind, {_THING}", node_of),
    "relationships": (_THING, relationship_of),
    "passages": ("body", lambda row: passage_of(row[0])),
    "extractions": ("body", lambda row: body_of(Extraction, row[0], "extractions")),
    "entries": ("kind", lambda row: Kind(row[0])),
    "links": ("kind", lambda row: LinkKind(row[0])),
    "items": ("value", lambda row: from_json(row[0], "items")),
    "jobs": ("payload", lambda row: from_json(row[0], "jobs")),
}
