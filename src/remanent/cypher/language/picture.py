"""A picture of all that one caller may see: nodes and edges, as a query walks over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from remanent.core.dataclasses import dataclass

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# What stands in columns beside the body, in the order of a row.
LIFE: Final = (
    "salience", "state", "ttl_policy", "access_count", "recall_frequency", "last_recall_interval",
    "decay_gradient", "last_accessed_at", "decayed_at", "confidence", "created_at", "updated_at",
)  # fmt: skip
NOTE: Final = ("content", "added_by", "date_added", "source_key", "expires_at")
_MICROS: Final = frozenset({"last_accessed_at", "decayed_at", "created_at", "updated_at"})
_MOMENTS: Final = frozenset({
    "first_mentioned_at", "last_mentioned_at", "since", "until", "started_at", "ended_at",
    "last_source_at", "last_event_at", "closed_at", "team_started_at", "team_last_source_at",
    "team_last_event_at", "occurred_at", "covers_from", "covers_to", "valid_from", "valid_to",
    "recorded_at", "at", "processing_started_at", "processing_completed_at",
    "extraction_started_at", "extraction_completed_at",
})  # fmt: skip
# How we keep it is no affair of a query.
_HIDDEN: Final = frozenset({
    "created_by", "recorded_by", "event_id", "content_hash", "line_digest",
    "distinct_days", "src", "dst", "kind", "supports", "changes", "teams", "by_hand",
})  # fmt: skip

NodeRow = Sequence[Any]  # id, key, label, then LIFE, then notes
EdgeRow = Sequence[Any]  # key, type, source id, target id, then LIFE, then notes


class Thing:
    """A node or an edge; its properties are read when first asked for."""

    __slots__ = ("_body", "_properties", "_rest", "id", "key")

    def __init__(self, number: int, key: str, body: str, rest: Sequence[Any]) -> None:
        self.id = number
        self.key = key
        self._body = body
        self._rest = rest
        self._properties: dict[str, Any] | None = None

    @property
    def properties(self) -> dict[str, Any]:
        if self._properties is None:
            self._properties = _read(self._body, self._rest)
        return self._properties


class Node(Thing):
    __slots__ = ("incoming", "label", "outgoing")

    def __init__(self, number: int, row: NodeRow, body: str) -> None:
        super().__init__(number, row[1], body, row[3:])
        self.label = row[2]
        self.outgoing: list[Edge] = []
        self.incoming: list[Edge] = []


class Edge(Thing):
    __slots__ = ("end", "start", "type")

    def __init__(self, number: int, row: EdgeRow, body: str, ends: tuple[Node, Node]) -> None:
        super().__init__(number, row[0], body, row[4:])
        self.start, self.end = ends
        self.type = row[1]


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes with one edge between each two."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


class Picture:
    """Everything there is, for this caller. Each row comes with its body, the JSON of the rest."""

    def __init__(
        self, nodes: Iterable[tuple[NodeRow, str]], edges: Iterable[tuple[EdgeRow, str]]
    ) -> None:
        self.nodes: list[Node] = []
        self.labelled: dict[str, list[Node]] = {}
        self._found: dict[tuple[str, str], dict[Any, list[Node]] | None] = {}
        by_id: dict[int, Node] = {}
        for row, body in nodes:
            node = by_id[row[0]] = Node(len(self.nodes), row, body)
            self.nodes.append(node)
            self.labelled.setdefault(node.label, []).append(node)
        for number, (row, body) in enumerate(edges):
            start, end = by_id.get(row[2]), by_id.get(row[3])
            if start is None or end is None:
                continue  # an edge is seen with both its ends or not at all
            edge = Edge(number, row, body, (start, end))
            start.outgoing.append(edge)
            end.incoming.append(edge)

    def with_label(self, label: str | None) -> list[Node]:
        """All nodes of that label, or all there are."""
        return self.nodes if label is None else self.labelled.get(label, [])

    def having(self, label: str | None, name: str, value: Any) -> list[Node]:
        """Nodes among which are all those whose property `name` equals `value`."""
        if not isinstance(value, (str, int, float)):
            return self.with_label(label)
        place = (label or "", name)
        if place not in self._found:
            self._found[place] = _indexed(self.with_label(label), name)
        index = self._found[place]
        return self.with_label(label) if index is None else index.get(value, [])


def _indexed(nodes: Iterable[Node], name: str) -> dict[Any, list[Node]] | None:
    """Nodes by the value of a property; None where equality is more than the same text or number."""
    index: dict[Any, list[Node]] = {}
    for node in nodes:
        value = node.properties.get(name)
        if isinstance(value, (str, int, float)):
            index.setdefault(value, []).append(node)
        elif value is not None:
            return None
    return index


def _read(body: str, rest: Sequence[Any]) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(body)
    days = record.get("distinct_days")
    if days is not None:
        record["distinct_source_days"] = len(days)
    for name, value in zip(LIFE, rest, strict=False):
        record[name] = _moment(value) if name in _MICROS else value
    if len(rest) > len(LIFE) and rest[len(LIFE)]:
        record["notes"] = [_note(one) for one in rest[len(LIFE)]]
    return {
        name: _revived(name, value)
        for name, value in record.items()
        if value is not None and name not in _HIDDEN
    }


def _note(row: Sequence[Any]) -> dict[str, Any]:
    """A note as a map; what it has not is not in it."""
    note = dict(zip(NOTE, row, strict=True))
    dated = {name: _moment(note[name]) for name in ("date_added", "expires_at")}
    return {name: one for name, one in (note | dated).items() if one is not None}


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def _revived(name: str, value: Any) -> Any:
    if name in _MOMENTS and isinstance(value, str):
        return datetime.fromisoformat(value).astimezone(UTC)
    return value


def plain(value: Any, tick: Callable[[], None]) -> Any:
    """The value as JSON has it: nodes, edges and paths as records, times as ISO text."""
    tick()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one, tick) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, tick) for one in value]
    return _record(value, tick)


def key_of(thing: Thing) -> str:
    """Its key; a link has none of its own, so its ends and type make one."""
    if isinstance(thing, Edge) and not thing.key:
        return f"{thing.start.key}-{thing.type}-{thing.end.key}"
    return thing.key


def _record(value: Any, tick: Callable[[], None]) -> Any:
    match value:
        case Node():
            return {
                "key": value.key,
                "labels": [value.label],
                "properties": plain(value.properties, tick),
            }
        case Edge():
            return {
                "key": key_of(value),
                "type": value.type,
                "start": value.start.key,
                "end": value.end.key,
                "properties": plain(value.properties, tick),
            }
        case Path():
            return {
                "nodes": [plain(one, tick) for one in value.nodes],
                "relationships": [plain(one, tick) for one in value.edges],
            }
        case datetime() | date() | time():
            return iso(value)
        case _:
            return str(value)


def iso(value: date | time) -> str:
    """A date, a time or a time of day as ISO 8601 has it, with T, and Z for UTC."""
    return value.isoformat().replace("+00:00", "Z")
