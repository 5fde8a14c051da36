"""Subtitle files of meetings and calls: WebVTT and SubRip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remanent.core.model.keys import content_hash
from remanent.ingest.importers.box import Box, Member, Unreadable
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

SRT_HEAD: Final = re.compile(rb"\d+\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> ")
_SUFFIXES: Final = (".vtt", ".srt")


def members(box: Box) -> list[Member]:
    return [one for one in box.members if one.path.suffix.lower() in _SUFFIXES]


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One file a meeting, as it stands; told apart by content, for players rename their files."""
    for member in box.pick(members(box) or box.members):
        try:
            text = box.text(member)
        except Unreadable as problem:
            yield Skipped(where=member.name, why=str(problem))
            continue
        request = AddRequest(
            content=text,
            type="meeting",
            title=member.path.stem,
            started_at=dates.first(dates.in_name(member.path.name), member.modified),
            origin_id=f"transcript:{content_hash(text)}",
        )
        yield ImportedSource(request=request, where=member.name)
