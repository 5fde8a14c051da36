"""Beliefs as lines of a file: written down whole, and checked to the last field before they come in."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.dataclasses import dataclass, replace
from remanent.core.decode import (
    LIFE_BOUNDS,
    SHARE,
    Bounds,
    insist_bounds,
    on_line,
    parsed_object,
    revived,
)
from remanent.core.model.belief import Belief, Change, ChangeKind
from remanent.core.model.codec import to_record
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.errors import InvalidInput

FORMAT: Final = "remanent.belief/1"
_LONGEST_SUBJECT: Final = 500
_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_BOUNDS: Final[Bounds] = {
    **LIFE_BOUNDS,
    Belief: {"confidence": SHARE, "stability": (0, 1000), "importance": (1, 10)},
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
    record = parsed_object(f"line {number}", text)
    with on_line(number):
        if record.pop("format", FORMAT) != FORMAT:
            raise InvalidInput("format", f"is not {FORMAT!r}")
        ties = record.pop("neighbours", [])
        if not isinstance(ties, list):
            raise InvalidInput("neighbours", "must be a list")
        belief: Belief = revived(Belief, record)
        _check(belief, now=now, rules=rules)
        if _NUL.search(text):
            raise InvalidInput("belief", "has a NUL character")
        neighbours = tuple(checks.plain("neighbours", one) for one in ties)
        return BeliefLine(number=number, belief=belief, neighbours=neighbours)


def _check(belief: Belief, *, now: datetime, rules: IntakeRules) -> None:
    """What the types do not say."""
    insist_bounds(belief, _BOUNDS)
    checks.identifier("user_id", belief.user_id)
    checks.statement("statement", belief.statement, rules.max_statement_characters)
    if not belief.subject.strip() or len(belief.subject) > _LONGEST_SUBJECT:
        raise InvalidInput(
            "subject", f"must have 1 to {_LONGEST_SUBJECT} characters, not only blanks"
        )
    try:
        sound = str(uuid.UUID(belief.key)) == belief.key
    except ValueError:
        sound = False
    if not sound:
        raise InvalidInput("key", f"{belief.key!r} is not a key: a UUID in lower case")
    for name in ("since", "created_at", "updated_at"):
        checks.moment(name, getattr(belief, name), now, rules)
    if belief.until is not None and belief.until < belief.since:
        raise InvalidInput("until", "lies before since")
