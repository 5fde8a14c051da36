"""Importers: a file becomes requests to add. No store, no network, nothing extracted to the disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import Path

from remanent.core.dataclasses import replace
from remanent.errors import InvalidInput
from remanent.ingest.importers import chatgpt, claude, jsonl, mail, markdown, slack, transcripts
from remanent.ingest.importers.box import Box, Member, Unreadable, opened
from remanent.ingest.importers.fields import Dates, first_object
from remanent.ingest.rules.dedupe import Item, Skipped

Reader = Callable[[Box, Dates], Iterator[Item]]

FORMATS: Mapping[str, Reader] = {
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "mail": mail.read,
    "slack": slack.read,
    "transcripts": transcripts.read,
    "markdown": markdown.read,
    "jsonl": jsonl.read,
}
# What people also call them.
ALIASES: Mapping[str, str] = {
    "mbox": "mail",
    "eml": "mail",
    "vtt": "transcripts",
    "srt": "transcripts",
    "obsidian": "markdown",
    "md": "markdown",
    "ndjson": "jsonl",
}
_HEAD_BYTES = 4096
# Formats whose files stand for themselves, and which of a box are such files.
_ONE_BY_ONE: Mapping[str, Callable[[Box], list[Member]]] = {
    "markdown": markdown.members,
    "mail": mail.members,
    "transcripts": transcripts.members,
    "jsonl": jsonl.members,
}


def read(
    path: Path,
    as_: str | None = None,
    *,
    zone: tzinfo,
    now: datetime,
    only: Collection[str] | None = None,
) -> Iterator[Item]:
    """All that `path` holds, one thing after the other; what cannot be taken is told, not raised.

    Times without an offset are in `zone`; a date after `now` is taken for a plan, not for a date. Where
    each file stands for itself, `only` says which are read.
    """
    with opened(path) as box:
        format_ = detected(box) if as_ is None else _named(as_)
        for name, why in box.refused.items():
            yield Skipped(where=name, why=why)
        if only is not None and format_ in _ONE_BY_ONE:
            found = _ONE_BY_ONE[format_](box)
            box.members = tuple(one for one in found if one.name in only)
            if not box.members:
                return
        for item in FORMATS[format_](box, Dates(zone=zone, now=now)):
            yield replace(item, share=box.share)


def _named(format_: str) -> str:
    name = ALIASES.get(format_.lower(), format_.lower())
    if name not in FORMATS:
        raise InvalidInput("as", f"{format_!r} is not one of: {', '.join(FORMATS)}")
    return name


def detected(box: Box) -> str:
    """The format of the file, archive or folder in the box; `InvalidInput` when it is none we know."""
    format_ = _by_names(box) or _by_head(box)
    if format_ is None:
        raise InvalidInput(
            "path", f"{box.name} is in no format we know; name one of: {', '.join(FORMATS)}"
        )
    return format_


def _by_names(box: Box) -> str | None:
    if slack.fits(box):
        return "slack"
    conversations = chatgpt.members(box)
    if conversations:
        return _assistant(first_object(box, conversations[0]))
    counted = {name: len(found(box)) for name, found in _ONE_BY_ONE.items()}
    most = max(counted, key=lambda name: counted[name])
    return most if counted[most] else None


def _by_head(box: Box) -> str | None:
    """A single file whose name says nothing."""
    if len(box.members) != 1:
        return None
    member = box.members[0]
    try:
        with box.open(member) as file:
            head = file.read(_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    except Unreadable:
        return None
    if head.startswith(b"WEBVTT") or transcripts.SRT_HEAD.match(head):
        return "transcripts"
    if head.startswith(b"["):
        return _assistant(first_object(box, member))
    if head.startswith(b"{"):
        return "jsonl"
    return "mail" if mail.HEAD.match(head) else None


def _assistant(conversation: Mapping[str, object]) -> str | None:
    if "mapping" in conversation:
        return "chatgpt"
    return "claude" if "chat_messages" in conversation else None
