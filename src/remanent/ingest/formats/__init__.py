"""The formats that sources come in: what a raw text or record says, by its type and by its look.

Whatever is malformed is read as far as it goes. Only what cannot be read at all is refused, with
`InvalidInput`; no other error leaves this package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from remanent.core.dataclasses import replace
from remanent.core.model.source import ContentType
from remanent.errors import InvalidInput
from remanent.ingest.formats import cues, mail, markdown, thread, transcript, turns
from remanent.ingest.formats.shape import Parsed, Piece

__all__ = ["Parsed", "Piece", "read"]

_SPEAKERS = ("speaker", "user", "from", "author")
_CHATS = frozenset({ContentType.CONVERSATION, ContentType.MEETING, ContentType.SLACK_THREAD})


def read(
    raw: str, *, is_json: bool, content_type: ContentType, started_at: datetime | None = None
) -> Parsed:
    """Everything that a raw source says, in order.

    Times that a recording counts from its beginning are counted from `started_at`.
    """
    try:
        if is_json:
            return _read_record(_loaded(raw), content_type, started_at)
        return _read_text(raw, content_type, started_at)
    except RecursionError:
        raise InvalidInput("content", "is nested too deeply to be read") from None


def _loaded(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError as problem:
        raise InvalidInput("content", f"is not the JSON it was said to be: {problem}") from None


def _read_text(raw: str, content_type: ContentType, started_at: datetime | None) -> Parsed:
    if content_type is ContentType.EMAIL:
        return _read_json_text(raw, content_type, started_at) or mail.read(raw)
    if content_type is not ContentType.SLACK_THREAD and cues.looks_like(raw):
        return cues.read(raw, started_at)
    if content_type in _CHATS:
        parsed = _read_json_text(raw, content_type, started_at)
        return parsed or transcript.read(raw, started_at) or markdown.read(raw)
    return markdown.read(raw)


def _read_json_text(
    raw: str, content_type: ContentType, started_at: datetime | None
) -> Parsed | None:
    """Records that came as text: one a line, or one for all, which then is where each piece is."""
    opening = raw[:100].lstrip("\ufeff \t\r\n")[:1]
    if opening not in ("{", "["):
        return None
    try:
        parsed = _read_record(json.loads(raw.lstrip("\ufeff")), content_type, started_at)
    except (ValueError, RecursionError, InvalidInput):
        return turns.read_lines(raw, started_at)
    return replace(parsed, pieces=tuple(_somewhere_in(raw, one) for one in parsed.pieces))


def _somewhere_in(raw: str, piece: Piece) -> Piece:
    stretches = tuple(one._replace(start=0, end=len(raw)) for one in piece.stretches)
    return piece._replace(start=0, end=len(raw), stretches=stretches)


def _read_record(record: Any, content_type: ContentType, started_at: datetime | None) -> Parsed:
    """Turns, a thread's messages, a letter or a record with a text in it (SPEC 4)."""
    if isinstance(record, list):
        about: Mapping[str, Any] = {}
        records = [one for one in record if isinstance(one, Mapping)]
    elif isinstance(record, Mapping):
        about = record
        listed = turns.listed(record)
        if listed is None and not _is_said(record, content_type):
            return _read_inner(record, content_type, started_at)
        records = [record] if listed is None else listed
    else:
        raise InvalidInput("content", "is neither turns nor a record")
    return _read_said(about, records, content_type, started_at)


def _read_said(
    about: Mapping[str, Any],
    records: list[Mapping[str, Any]],
    content_type: ContentType,
    started_at: datetime | None,
) -> Parsed:
    if content_type is ContentType.EMAIL or any(mail.looks_like(one) for one in (about, *records)):
        return mail.read_records(records, about)
    if content_type is ContentType.SLACK_THREAD or (about and thread.looks_like(records)):
        return thread.read(about, records, started_at)
    parsed = turns.read(records, started_at)
    return replace(parsed, title=_title(about) or parsed.title)


def _is_said(record: Mapping[str, Any], content_type: ContentType) -> bool:
    """Whether a record without a list in it is one message of somebody."""
    return content_type is ContentType.EMAIL or any(record.get(name) for name in _SPEAKERS)


def _read_inner(
    record: Mapping[str, Any], content_type: ContentType, started_at: datetime | None
) -> Parsed:
    """A record around a text, which is read like a text that came alone."""
    text = turns.text_of(record)
    if not text.strip():
        return turns.read([record], started_at)
    parsed = _read_text(text, content_type, started_at)
    around = turns.read([record], started_at)
    pieces = tuple(
        one._replace(at=one.at or around.pieces[0].at, ref=one.ref or around.pieces[0].ref)
        for one in parsed.pieces
    )
    return replace(
        parsed,
        pieces=pieces,
        title=_title(record) or parsed.title,
        started_at=parsed.started_at or around.started_at,
    )


def _title(record: Mapping[str, Any]) -> str:
    value = next((record[name] for name in ("subject", "title") if record.get(name)), "")
    return value.strip() if isinstance(value, str) else ""
