"""Mail: mbox files and single messages (eml), kept as the letters they are (RFC 822)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from remanent.core.model.keys import content_hash
from remanent.ingest.importers.box import Box, Member, Stream, Unreadable
from remanent.ingest.importers.chats import text_of
from remanent.ingest.importers.fields import Dates
from remanent.ingest.rules.dedupe import ImportedSource, Item, Skipped
from remanent.ingest.rules.request import AddRequest

# "From ada@example.org Mon Mar  2 10:00:00 2026", or a bare "From " as Thunderbird writes it.
_FROM: Final = re.compile(rb"From (?:\s*$|\S.*\d\d:\d\d)")
_QUOTED_FROM: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
HEAD: Final = re.compile(rb"From |(?:[A-Za-z][\w-]*:.*\r?\n(?:[ \t].*\r?\n)*){2}")
_IDS: Final = re.compile(r"<\s*([^<>\s]+)\s*>")
_MOST_BYTES: Final = 100_000_000  # of one message
_LARGE: Final = 2_000_000  # characters, from which on a message is kept without what hangs on it
_CHUNK: Final = 1 << 20
# What the standard library raises when headers are not as they should be.
_ODD: Final = (MessageError, LookupError, ValueError, TypeError, AttributeError, RecursionError)


def members(box: Box) -> list[Member]:
    return [one for one in box.members if _is_letter(one) or _is_mailbox(one)]


def _is_letter(member: Member) -> bool:
    return member.path.suffix.lower() == ".eml"


def _is_mailbox(member: Member) -> bool:
    return member.path.suffix.lower() == ".mbox" or member.path.name == "mbox"


def read(box: Box, dates: Dates) -> Iterator[Item]:
    """One message a source, by its Message-ID; a mailbox is read message by message."""
    for member in box.pick(members(box) or box.members):
        number = 0
        try:
            for number, data in enumerate(_messages(box, member), start=1):
                where = member.name if _is_letter(member) else f"{member.name}, message {number}"
                yield _item(data, where, dates)
        except Unreadable as problem:
            yield Skipped(where=f"{member.name}, after message {number}", why=str(problem))


def _messages(box: Box, member: Member) -> Iterator[bytes | None]:
    """The bytes of each message; None for one that is too large to look at."""
    with box.open(member) as file:
        first = file.readline(_CHUNK)
        while first and not first.strip():
            first = file.readline(_CHUNK)
        if not _is_letter(member) and _FROM.match(first):
            yield from _split(file)
            return
        rest = file.read(_MOST_BYTES)
        yield None if len(rest) == _MOST_BYTES else first + rest


def _split(file: Stream) -> Iterator[bytes | None]:
    lines: list[bytes] = []
    size, blank = 0, False
    while line := file.readline(_CHUNK):
        if blank and _FROM.match(line):
            yield _letter(lines, size)
            lines, size = [], 0
        elif size <= _MOST_BYTES:
            lines.append(line)
        size += len(line)
        blank = not line.strip()
    yield _letter(lines, size)


def _letter(lines: list[bytes], size: int) -> bytes | None:
    return None if size > _MOST_BYTES else _QUOTED_FROM.sub(rb"\1", b"".join(lines))


def _item(data: bytes | None, where: str, dates: Dates) -> Item:
    if data is None:
        return Skipped(where=where, why=f"has more than {_MOST_BYTES:,} bytes")
    if not data.strip():
        return Skipped(where=where, why="is empty")
    try:
        message = message_from_bytes(data, policy=policy.compat32)
        if not message.keys():
            return Skipped(where=where, why="is not a message: it has no header")
        request = _request(data, message, dates)
    except _ODD as problem:
        return Skipped(where=where, why=f"cannot be understood: {type(problem).__name__}")
    return ImportedSource(
        request=request, where=f"{where} “{request.title[:60]}”" if request.title else where
    )


def _request(data: bytes, message: Message, dates: Dates) -> AddRequest:
    text = _text(data, message)
    return AddRequest(
        content=text,
        type="email",
        title=_header(message, "Subject"),
        started_at=dates.first(_date(message, dates)),
        origin_id=f"email:{_own_id(message) or content_hash(text)}",
    )


def _text(data: bytes, message: Message) -> str:
    """The message as text; large ones without their attachments.

    One in an older character set becomes the seven-bit form of the same message.
    """
    if len(data) > _LARGE:
        _detach(message)
        return text_of(_seven_bit(message))
    try:
        return text_of(data.decode("utf-8"))
    except UnicodeDecodeError:
        return text_of(_seven_bit(message))


def _detach(message: Message) -> None:
    for part in message.walk():
        is_text = part.get_content_maintype() == "text" and part.get_filename() is None
        if part.is_multipart() or is_text:
            continue
        name, size = part.get_filename() or part.get_content_type(), len(str(part.get_payload()))
        for header in list(part.keys()):
            if header.lower().startswith("content-"):
                del part[header]
        part.set_payload(f"[attachment left out: {name}, {size:,} characters]")


def _seven_bit(message: Message) -> str:
    try:
        return message.as_string()
    except _ODD:
        return message.as_bytes(policy=policy.compat32).decode("latin-1")


def _header(message: Message, name: str) -> str:
    """A header in letters that people read."""
    value = str(message.get(name, ""))
    with suppress(*_ODD):  # else as it stands
        value = str(make_header(decode_header(value)))
    return " ".join(text_of(value).split())


def _date(message: Message, dates: Dates) -> datetime | None:
    try:
        return dates.aware(parsedate_to_datetime(str(message["Date"])))
    except (TypeError, ValueError, OverflowError):
        return None


def _own_id(message: Message) -> str:
    match = _IDS.search(str(message.get("Message-ID", "")))
    own = text_of(match[1]) if match else ""
    return own if len(own) <= 400 and own.isprintable() else ""
