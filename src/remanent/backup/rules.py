"""Rebuild and export: records compared, however and whenever they came to be written; and the lines of an exported memory, written
and read with suspicion."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.decode import LIFE_BOUNDS, SHARE, Bounds, insist_bounds, parsed_object, revived
from remanent.core.model.anchor import Concept, Entity, Person
from remanent.core.model.belief import Belief
from remanent.core.model.codec import NODE_TYPES, to_record
from remanent.core.model.event import EVENTS_ENRICHED, SESSION_ENDED, Event, EventNode
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion, Relationship
from remanent.core.records.export import (
    HOUSEHOLD,
    TYPES,
    Ending,
    ExportRecord,
    Header,
    Position,
    RecordKind,
)
from remanent.errors import InvalidInput

# When we wrote things down, and the ids we gave to writing them: these differ between two runs.
CIRCUMSTANCES: Final = frozenset({
    "created_at", "event_id", "extraction_completed_at", "extraction_started_at",
    "processing_completed_at", "processing_started_at", "recorded_at", "updated_at",
})  # fmt: skip
# What being called on changes, and what no ledger tells.
LIVED: Final = frozenset({"life", "stability"})


def stripped(value: Any, without: frozenset[str]) -> Any:
    """The value without these fields, however deep they lie."""
    if isinstance(value, Mapping):
        return {
            name: stripped(inner, without) for name, inner in value.items() if name not in without
        }
    if isinstance(value, list):
        return [stripped(inner, without) for inner in value]
    return value


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields in which two records differ beside circumstances and lives, in order of name."""
    without = CIRCUMSTANCES | LIVED
    first, second = stripped(one, without), stripped(other, without)
    return tuple(
        name for name in sorted(first.keys() | second.keys()) if first.get(name) != second.get(name)
    )


FORMAT: Final = "remanent"
VERSION: Final = 1
END: Final = "end"
ORDER: Final[Mapping[str, int]] = {
    sort.value: place for place, sort in enumerate(RecordKind) if sort not in HOUSEHOLD
}

WORD_FOR_WORD: Final = frozenset({RecordKind.EXTRACTION, RecordKind.PASSAGE})
_OF_A_LINE: Final = frozenset({"record", "user", "kind", "elsewhere", "value"})
_COUNT: Final = (0.0, math.inf)
_GRADE: Final = (1.0, 5.0)
BOUNDS: Final[Bounds] = {
    **LIFE_BOUNDS,
    Person: {"confidence": SHARE},
    Concept: {"confidence": SHARE},
    Entity: {"confidence": SHARE},
    Belief: {"confidence": SHARE, "stability": _COUNT},
    Relationship: {"confidence": SHARE, "attitude": _GRADE, "proximity": _GRADE},
    Assertion: {"confidence": SHARE, "attitude": _GRADE, "proximity": _GRADE},
    Event: {"seq": (1.0, math.inf)},
    Position: {"seq": _COUNT},
}
# Where the payload of an event names places in the ledger.
_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    EVENTS_ENRICHED: ("from", "until"),
    SESSION_ENDED: ("up_to_seq",),
}


def header_line(header: Header) -> str:
    """The first line."""
    return _line({"format": FORMAT, "version": VERSION, **to_record(header)})


def ending_line(ending: Ending) -> str:
    """The last line."""
    return _line({"record": END, **to_record(ending)})


def record_line(one: ExportRecord) -> str:
    """A line in between."""
    values: dict[str, Any] = {"record": one.sort.value}
    if one.user_id is not None:
        values["user"] = one.user_id
    if one.sort is RecordKind.NODE:
        values["kind"] = one.value.kind.value
    if one.elsewhere:
        values["elsewhere"] = True
    return _line({**values, "value": to_record(one.value) if one.plain is None else one.plain})


def read_header(text: str) -> Header:
    """What a file says it is, or `InvalidInput` when we cannot read it."""
    values = parsed_object("line", text, parse_constant=_no_number)
    if values.pop("format", None) != FORMAT:
        raise InvalidInput("line 1: format", f"must be {FORMAT!r}: this is no exported memory")
    version = values.pop("version", None)
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        reason = "written by a later version of Remanent" if newer else "no version there is"
        raise InvalidInput("line 1: version", f"{version!r} is {reason}; this one reads {VERSION}")
    header: Header = revived(Header, values)
    for user_id in header.users:
        checks.identifier("users", user_id)
    if not header.users and not header.whole:
        raise InvalidInput("users", "names nobody")
    if len(set(header.users)) < len(header.users):
        raise InvalidInput("users", "names somebody twice")
    return header


def read_ending(text: str) -> Ending:
    """What the last line of a file says of those before."""
    values = parsed_object("line", text, parse_constant=_no_number)
    if values.pop("record", None) != END:
        raise InvalidInput("record", "the last line is not the end: the file was cut off")
    ending: Ending = revived(Ending, values)
    return ending


def read_record(text: str, users: frozenset[str]) -> ExportRecord:
    """One record of a file about these users; whatever is wrong with it is an `InvalidInput` that names
    the field."""
    values = parsed_object("line", text, parse_constant=_no_number)
    unknown = sorted(values.keys() - _OF_A_LINE)
    if unknown:
        raise InvalidInput(unknown[0][:60], "is no field of a record")
    sort = _sort(values)
    value = revived(_type(sort, values), values.get("value"))
    whose, elsewhere = values.get("user"), values.get("elsewhere", False)
    if not isinstance(elsewhere, bool):
        raise InvalidInput("elsewhere", "must be true or false")
    plain = values["value"] if sort in WORD_FOR_WORD else None
    one = ExportRecord(sort=sort, user_id=whose, value=value, elsewhere=elsewhere, plain=plain)
    _insist_owner(one, users)
    insist_bounds(value, BOUNDS)
    return one


def shifted(one: ExportRecord, by: int) -> ExportRecord:
    """The same with every place in the ledger moved, for a ledger that has others' events already."""
    value = one.value
    if isinstance(value, Event):
        return replace(one, value=_moved(value, by))
    if isinstance(value, Position) or (isinstance(value, EventNode) and value.seq > 0):
        return replace(one, value=replace(value, seq=value.seq + by))
    return one


def _moved(event: Event, by: int) -> Event:
    payload = dict(event.payload)
    for name in _PLACES.get(event.event_type, ()):
        if isinstance(payload.get(name), int):
            payload[name] += by
    return replace(event, seq=event.seq + by, payload=payload)


def _sort(values: Mapping[str, Any]) -> RecordKind:
    name = values.get("record")
    if not isinstance(name, str) or name not in ORDER:
        raise InvalidInput("record", f"{str(name)[:60]!r} is not one of: {', '.join(ORDER)}")
    return RecordKind(name)


def _type(sort: RecordKind, values: Mapping[str, Any]) -> type:
    if sort is not RecordKind.NODE:
        if "kind" in values:
            raise InvalidInput("kind", "only a node has one")
        return TYPES[sort]
    kind = values.get("kind")
    kinds = {one.value for one in NODE_TYPES}
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInput("kind", f"{str(kind)[:60]!r} is not one of: {', '.join(sorted(kinds))}")
    return NODE_TYPES[Kind(kind)]


def _insist_owner(one: ExportRecord, users: frozenset[str]) -> None:
    """A record is of a user of the file, through and through; a team is nobody's."""
    if one.sort is RecordKind.TEAM:
        if one.user_id is not None:
            raise InvalidInput("user", "a team is nobody's")
        return
    invited = one.sort is RecordKind.INVITATION  # whoever is invited may not be registered yet
    if one.user_id not in users and not invited:
        raise InvalidInput("user", f"{str(one.user_id)[:60]!r} is not named in the first line")
    own = getattr(one.value, "user_id", one.user_id)
    if own != one.user_id:
        raise InvalidInput("user_id", f"{str(own)[:60]!r} is not the user of the record")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
