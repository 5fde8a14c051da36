"""Markdown files: one, a folder of them, or an Obsidian vault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from remanent.ingest.importers.box import Box, Member, Unreadable
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

_SUFFIXES: Final = (".md", ".markdown")
_FRONT: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r"^(\w[\w -]*):[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_HEADING: Final = re.compile(r"^# +(.+?)[ \t#]*$", re.MULTILINE)
_DATED: Final = ("date", "created", "created_at", "date created")


def members(box: Box) -> list[Member]:
    return [one for one in box.members if one.path.suffix.lower() in _SUFFIXES]


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One file a note, as it stands, under its path; what was rewritten comes in once more."""
    for member in box.pick(members(box) or box.members):
        try:
            text = box.text(member)
        except Unreadable as problem:
            yield Skipped(where=member.name, why=str(problem))
            continue
        if not text.strip():
            yield Skipped(where=member.name, why="is empty")
            continue
        fields = front_matter(text)
        request = AddRequest(
            content=text,
            type="text-note",
            title=fields.get("title") or _heading(text) or member.path.stem,
            started_at=_date(fields, member, dates),
            origin_id=f"markdown:{member.name}",
        )
        yield ImportedSource(request=request, where=member.name, versioned=True)


def front_matter(text: str) -> Mapping[str, str]:
    """The single-line fields between two `---` at the top; lists and what is nested are left out."""
    match = _FRONT.match(text)
    if match is None:
        return {}
    return {name.lower(): value.strip("\"'") for name, value in _FIELD.findall(match[1])}


def _heading(text: str) -> str:
    front = _FRONT.match(text)
    match = _HEADING.search(text, front.end() if front else 0)
    return match[1] if match else ""


def _date(fields: Mapping[str, str], member: Member, dates: Dates) -> datetime | None:
    """What the note says of itself, else its name (a daily note), else when it was written."""
    written = (dates.iso(fields[name]) for name in _DATED if name in fields)
    return dates.first(*written, dates.in_name(member.path.stem), member.modified)
