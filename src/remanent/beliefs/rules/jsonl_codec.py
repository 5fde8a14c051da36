"""Beliefs as lines of a file: written down whole, and checked to the last field before they come in."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.model.belief import Belief, Change, ChangeKind
from remanent.core.model.codec import to_record
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.errors import InvalidInput

FORMAT: Final = "remanent.belief/1"
_ABOUT_THE_LINE: Final = frozenset({"format", "neighbours"})
_LONGEST_SUBJECT: Final = 500
_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "confidence": (0, 1),
    "stability": (0, 1000),
    "importance": (1, 10),
    "salience": (0, 1),
    "access_count": (0, math.inf),
    "recall_frequency": (0, math.inf),
    "last_recall_interval": (0, math.inf),
    "decay_gradient": (0, math.inf),
}
_NAMES: Final[Mapping[type, str]] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    datetime: "a date and time with its offset",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefLine:
    """One belief of a file, where it stands there, and the keys of the neighbours it was linked to."""

    number: int
    belief: Belief
    neighbours: tuple[str, ...] = ()


def written(belief: Belief, neighbours: Iterable[str] = ()) -> str:
    """The belief as one line of JSON."""
    record = {"format": FORMAT, **to_record(belief), "neighbours": sorted(neighbours)}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def read(lines: Iterable[str], *, now: datetime, rules: IntakeRules) -> list[BeliefLine]:
    """All beliefs of a file, or `InvalidInput` naming the first line and field that is wrong."""
    belief_lines: list[BeliefLine] = []
    places: dict[str, int] = {}
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        line = _line(number, text, now=now, rules=rules)
        if line.belief.key in places:
            before = places[line.belief.key]
            raise InvalidInput(f"line {number}: key", f"stands on line {before} already")
        places[line.belief.key] = number
        belief_lines.append(line)
    return belief_lines


def adopted(lines: Iterable[BeliefLine], user_id: str, now: datetime) -> list[BeliefLine]:
    """The same as beliefs of this user: under their own keys if they were theirs, else under new
    ones that come out the same every time."""
    lines = list(lines)
    named = {one.belief.key: _key(one.belief, user_id) for one in lines}
    return [_adopted(one, named, user_id, now) for one in lines]


def _adopted(line: BeliefLine, named: Mapping[str, str], user_id: str, now: datetime) -> BeliefLine:
    before = line.belief

    def renamed(key: str | None) -> str | None:
        if key is None or key in named:
            return None if key is None else named[key]
        return key if before.user_id == user_id else _foreign(user_id, before.user_id, key)

    whose = "" if before.user_id == user_id else f"; it was a belief of {before.user_id}"
    note = Change(kind=ChangeKind.IMPORTED, recorded_at=now, reason=f"imported{whose}")
    belief = replace(
        before,
        key=named[before.key],
        user_id=user_id,
        supersedes=renamed(before.supersedes),
        superseded_by=renamed(before.superseded_by),
        disputes=renamed(before.disputes),
        derived_from=tuple(filter(None, map(renamed, before.derived_from))),
        changes=(*(_renamed(one, named) for one in before.changes), note),
    )
    return replace(
        line, belief=belief, neighbours=tuple(filter(None, map(renamed, line.neighbours)))
    )


def _renamed(change: Change, named: Mapping[str, str]) -> Change:
    by = change.by
    return change if by is None or by not in named else replace(change, by=named[by])


def _key(belief: Belief, user_id: str) -> str:
    return (
        belief.key if belief.user_id == user_id else _foreign(user_id, belief.user_id, belief.key)
    )


def _foreign(user_id: str, theirs: str, key: str) -> str:
    return key_for(user_id, Kind.BELIEF, "imported", theirs, key)


def _line(number: int, text: str, *, now: datetime, rules: IntakeRules) -> BeliefLine:
    where = f"line {number}"
    try:
        record = json.loads(text)
    except ValueError as problem:
        raise InvalidInput(where, f"is not JSON: {problem}") from None
    except RecursionError:
        raise InvalidInput(where, "is nested too deeply") from None
    if not isinstance(record, dict):
        raise InvalidInput(where, "must be an object with the fields of a belief")
    if record.get("format", FORMAT) != FORMAT:
        raise InvalidInput(f"{where}: format", f"{record['format']!r} is not {FORMAT!r}")
    plain = {name: value for name, value in record.items() if name not in _ABOUT_THE_LINE}
    belief = _whole(Belief, plain, where, ())
    _check(belief, where, now=now, rules=rules)
    neighbours = _value(tuple[str, ...], record.get("neighbours", []), f"{where}: neighbours")
    return BeliefLine(number=number, belief=belief, neighbours=neighbours)


def _check(belief: Belief, where: str, *, now: datetime, rules: IntakeRules) -> None:
    """What the types do not say."""
    checks.identifier(f"{where}: user_id", belief.user_id)
    checks.statement(f"{where}: statement", belief.statement, rules.max_statement_characters)
    if not belief.subject.strip() or len(belief.subject) > _LONGEST_SUBJECT:
        raise InvalidInput(
            f"{where}: subject", f"must have 1 to {_LONGEST_SUBJECT} characters, not only blanks"
        )
    try:
        sound = str(uuid.UUID(belief.key)) == belief.key
    except ValueError:
        sound = False
    if not sound:
        raise InvalidInput(f"{where}: key", f"{belief.key!r} is not a key: a UUID in lower case")
    for name in ("since", "created_at", "updated_at"):
        checks.moment(f"{where}: {name}", getattr(belief, name), now, rules)
    if belief.until is not None and belief.until < belief.since:
        raise InvalidInput(f"{where}: until", "lies before since")


def _whole(type_: Any, record: object, where: str, path: Sequence[str]) -> Any:
    """A dataclass from its record: nothing missing, nothing unknown, every value of its type."""
    at = _at(where, path)
    if not isinstance(record, Mapping):
        raise InvalidInput(at, "must be an object")
    hints = typing.get_type_hints(type_)
    fields = {one.name: one for one in dataclasses.fields(type_)}
    for name in record:
        if name not in fields:
            raise InvalidInput(_at(where, (*path, name)), "is no field of a belief")
    values = {}
    for name, field in fields.items():
        if name in record:
            values[name] = _value(hints[name], record[name], where, (*path, name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InvalidInput(_at(where, (*path, name)), "is missing")
    return type_(**values)


def _value(hint: Any, value: object, where: str, path: Sequence[str] = ()) -> Any:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(one for one in typing.get_args(hint) if one is not types.NoneType)
        return None if value is None else _value(inner, value, where, path)
    if origin is tuple:
        if not isinstance(value, list):
            raise InvalidInput(_at(where, path), "must be a list")
        inner = typing.get_args(hint)[0]
        return tuple(_value(inner, one, where, path) for one in value)
    if dataclasses.is_dataclass(hint):
        return _whole(hint, value, where, path)
    if issubclass(hint, Enum):
        return _choice(hint, value, _at(where, path))
    return _plain(hint, value, where, path)


def _plain(hint: type, value: object, where: str, path: Sequence[str]) -> Any:
    at = _at(where, path)
    if hint is str:
        return checks.plain(at, value)
    if hint is datetime:
        return _moment(value, at)
    if hint is bool:
        if not isinstance(value, bool):
            raise InvalidInput(at, f"{value!r} is not {_NAMES[bool]}")
        return value
    wanted = (int,) if hint is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted) or not math.isfinite(value):
        raise InvalidInput(at, f"{value!r} is not {_NAMES[hint]}")
    low, high = _BOUNDS.get(path[-1] if path else "", (-math.inf, math.inf))
    if not low <= value <= high:
        upper = "" if high == math.inf else f" to {high:g}"
        raise InvalidInput(at, f"{value!r} is not a number from {low:g}{upper or ' up'}")
    return hint(value)


def _choice(hint: Any, value: object, at: str) -> Any:
    if isinstance(value, str) and value in {one.value for one in hint}:
        return hint(value)
    known = ", ".join(one.value for one in hint)
    raise InvalidInput(at, f"{value!r} is not one of: {known}")


def _moment(value: object, at: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
        if parsed is not None and parsed.tzinfo is not None:
            return parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(at, f"{value!r} is not {_NAMES[datetime]}")


def _at(where: str, path: Iterable[str]) -> str:
    named = ".".join(path)
    return f"{where}: {named}" if named else where
