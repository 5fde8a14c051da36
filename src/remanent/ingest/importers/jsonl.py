"""Lines of JSON, each a source with the fields that `UserMemory.add` has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from remanent.ingest.importers.box import Box, Member, Unreadable, decoded
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

_SUFFIXES: Final = (".jsonl", ".ndjson")
_MOST_LINE_BYTES: Final = 100_000_000
_CONTENT: Final = ("content", "turns", "text")
_LISTED: Final = ("turns", "participants")
_TIMES: Final = ("started_at", "ended_at")
_KNOWN: Final = frozenset(one.name for one in fields(AddRequest)) | set(_CONTENT)


def members(box: Box) -> list[Member]:
    return [one for one in box.members if one.path.suffix.lower() in _SUFFIXES]


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One line a source; a line that cannot be read costs that line."""
    for member in box.pick(members(box) or box.members):
        number = 0
        try:
            for number, line in enumerate(_lines(box, member), start=1):
                if line is None or line.strip():
                    yield _item(line, f"{member.name}, line {number}", dates)
        except Unreadable as problem:
            yield Skipped(where=f"{member.name}, after line {number}", why=str(problem))


def _lines(box: Box, member: Member) -> Iterator[bytes | None]:
    """Each line; None for one that is longer than any source could be."""
    with box.open(member) as file:
        while line := file.readline(_MOST_LINE_BYTES):
            if len(line) < _MOST_LINE_BYTES or line.endswith(b"\n"):
                yield line
            else:
                while (more := file.readline(_MOST_LINE_BYTES)) and not more.endswith(b"\n"):
                    pass  # read on to its end
                yield None


def _item(line: bytes | None, where: str, dates: Dates) -> Item:
    if line is None:
        return Skipped(where=where, why=f"has more than {_MOST_LINE_BYTES:,} bytes")
    try:
        record = json.loads(decoded(line))
    except Unreadable as problem:
        return Skipped(where=where, why=str(problem))
    except json.JSONDecodeError as problem:
        return Skipped(where=where, why=f"is not JSON (column {problem.colno}: {problem.msg})")
    except RecursionError:
        return Skipped(where=where, why="is not JSON we can read: nested too deeply")
    if not isinstance(record, dict):
        return Skipped(where=where, why="is not an object with content")
    made = _request(record, dates)
    return (
        Skipped(where=where, why=made)
        if isinstance(made, str)
        else ImportedSource(request=made, where=where)
    )


def _request(record: Mapping[str, Any], dates: Dates) -> AddRequest | str:
    """The request, or why there is none."""
    unknown = sorted(set(record) - _KNOWN)
    if unknown:
        return f"has fields that `add` does not know: {', '.join(unknown)}"
    given = [name for name in _CONTENT if record.get(name)]
    if len(given) != 1:
        return "has no content" if not given else f"has more than one of {', '.join(given)}"
    options = {name: one for name, one in record.items() if name not in ("content", "text") and one}
    wrong = next((name for name, one in options.items() if not _fits(name, one)), None)
    if wrong:
        return f"{wrong}: must be {'a list' if wrong in _LISTED else 'text'}"
    for name in _TIMES:
        if name in options:
            options[name] = dates.iso(options[name])
            if options[name] is None:
                return f"{name}: {record[name]!r} is not an ISO date and time"
    options.pop("turns", None)
    return AddRequest(content=_zoned(record[given[0]], dates), **options)


def _fits(name: str, value: object) -> bool:
    return isinstance(value, list if name in _LISTED else str)


def _zoned(content: Any, dates: Dates) -> Any:
    """Turns whose times have no offset were said in the user's zone."""
    if not isinstance(content, list):
        return content
    return [_zoned_turn(one, dates) for one in content]


def _zoned_turn(turn: Any, dates: Dates) -> Any:
    if not isinstance(turn, dict) or not isinstance(turn.get("at"), str):
        return turn
    at = dates.iso(turn["at"])
    return turn if at is None else {**turn, "at": at.isoformat()}
