"""E-mail: one letter as RFC 5322 text or as a record, or a thread of them."""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from email import message_from_string
from email.errors import MessageError
from email.message import Message
from typing import Any

from remanent.core.dataclasses import dataclass, field
from remanent.errors import InvalidInput
from remanent.ingest.formats import markdown
from remanent.ingest.formats.replies import SUSPECT, voices
from remanent.ingest.formats.shape import (
    Line,
    Parsed,
    Piece,
    distinct,
    lines_of,
    moment,
    piece_of,
    storable,
)
from remanent.ingest.formats.thread import Correspondent, characters, decoded, people_in
from remanent.ingest.formats.turns import name_of

_HEADER = re.compile(r"(?:From [^\n]{1,200}\n)?[!-9;-~]{1,76}:[ \t\r\n]", re.ASCII)
_KNOWN_HEADER = re.compile(
    r"^(?:From|To|Cc|Subject|Date|Message-ID|Received|Return-Path|MIME-Version|Content-Type|Sent)\s?:",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK_LINE = re.compile(r"\r?\n[ \t]*\r?\n")
_EMPTY_LINE = re.compile(r"\n\r?\n")  # blanks alone go on with the header above them
_PART_MARK = re.compile(
    r"--\S{1,100}$|Content-[a-z-]{1,40}:|\s+(?:boundary|charset|name)\s?=", re.IGNORECASE
)
_LONGEST_HEAD = 200_000
# Parts inside parts inside parts: nobody writes so, and reading it takes a time that grows with each.
_MOST_PARTS_NESTED = 32
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_PLAIN, _HTML = "text/plain", "text/html"
_MOST_LINES = 1000
# What a reader of lines would change.
_RAGGED = re.compile(r"\n\n\n|[^\S\n]\n|^[ \t]*Begin forwarded", re.IGNORECASE | re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class _Letter:
    """One letter, its lines as they came."""

    lines: list[Line]
    sender: Correspondent | None = None
    people: list[Correspondent] = field(default_factory=list)
    subject: str = ""
    at: datetime | None = None
    ref: str | None = None
    message_id: str | None = None


def read(raw: str) -> Parsed:
    """A letter as text, with its headers or without."""
    start = len(raw) - len(raw.lstrip("\ufeff \t\r\n"))
    if not _has_headers(raw[start : start + _LONGEST_HEAD]):
        return _parsed([_Letter(lines=_lines(raw, 0))])
    try:
        letters = list(_letters(raw, start))
    except (MessageError, RecursionError, ValueError, LookupError):
        letters = []
    if (
        not letters
    ):  # it cannot be taken apart: what follows the headers, but for marks of its parts
        gap = _BLANK_LINE.search(raw, start)
        start = start if gap is None else gap.end()
        lines = [one for one in _lines(raw[start:], start) if not _PART_MARK.match(one.text)]
        letters = [_Letter(lines=lines)]
    return _parsed(letters)


def read_records(records: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> Parsed:
    """Letters given as records: oldest first, each once. `about` is the thread they stand in."""
    letters: list[_Letter] = []
    position = 0
    for record in records:
        body, is_html = _body(record)
        lines = markdown.lines_in(body, position) if is_html else _lines(body, position)
        letters.append(_letter(record, lines))
        position += len(body)
    bodies = ("body", "text", "content", "plain", "html")
    if all(record.get(name) is None for record in records for name in bodies):
        raise InvalidInput("content", "has no body, text or html to read")
    thread = _letter(about, [])
    parsed = _parsed(_in_order(_once(letters)), thread.people)
    subject = thread.subject or parsed.title
    return Parsed(
        pieces=parsed.pieces,
        title=subject,
        participants=parsed.participants,
        started_at=parsed.started_at,
    )


def looks_like(record: Mapping[str, Any]) -> bool:
    """Whether a record that nobody called a letter is one."""
    return bool(record.get("from")) and bool({"subject", "body", "html", "to"} & record.keys())


def _parsed(letters: Sequence[_Letter], more: Sequence[Correspondent] = ()) -> Parsed:
    pieces = [piece for letter in letters for piece in _pieces(letter)]
    people = [one for letter in letters for one in letter.people]
    dated = [letter.at for letter in letters if letter.at is not None]
    return Parsed(
        pieces=tuple(pieces),
        title=next((letter.subject for letter in letters if letter.subject), ""),
        participants=distinct(one.shown for one in (*people, *more)),
        started_at=min(dated, default=None),
    )


def _pieces(letter: _Letter) -> Iterator[Piece]:
    sender = None if letter.sender is None else letter.sender.name
    for quoted in voices(letter.lines, sender):
        passed_on = quoted.teller is not None
        yield piece_of(
            quoted.lines,
            speaker=quoted.teller if passed_on else sender,
            at=quoted.at if passed_on and quoted.at is not None else letter.at,
            ref=letter.ref,
        )


def _lines(body: str, base: int) -> list[Line]:
    """Lines of plain text, or of HTML that was not called so."""
    return markdown.lines_in(body, base) if markdown.looks_like(body) else lines_of(body, base)


# --- text --------------------------------------------------------------------------------------


def _has_headers(head: str) -> bool:
    if not _HEADER.match(head):
        return False
    gap = _BLANK_LINE.search(head)
    return _KNOWN_HEADER.search(head, 0, len(head) if gap is None else gap.start()) is not None


def _letters(raw: str, start: int) -> Iterator[_Letter]:
    if len(re.findall(r"boundary\s?=|message/rfc822", raw, re.IGNORECASE)) > _MOST_PARTS_NESTED:
        return
    text = raw[start:]
    yield from _told_by(_message(text), _Places(text, start))


def _message(text: str) -> Message:
    """Of a letter in one part only the head is taken apart: line by line, which costs for many lines."""
    gap = _EMPTY_LINE.search(text)
    if gap is not None:
        message = message_from_string(text[: gap.end()])
        is_whole = not message.defects and not message.get_payload()
        if is_whole and message.get_content_maintype() not in ("multipart", "message"):
            message.set_payload(text[gap.end() :])
            return message
    return message_from_string(text)


class _Places:
    """Finds parts in the raw text, one after the other."""

    def __init__(self, text: str, base: int) -> None:
        self._text = text
        self._base = base
        self._position = 0

    def of(self, payload: str) -> tuple[int, int]:
        """From where to where; all of the text, if it cannot be found after the last one."""
        for gap in ("\n\n", "\r\n\r\n"):
            start = self._text.find(gap + payload, self._position)
            if start >= 0:
                self._position = start + len(gap) + len(payload)
                return self._base + start + len(gap), self._base + self._position
        return self._base, self._base + len(self._text)


def _told_by(message: Message, places: _Places) -> Iterator[_Letter]:
    """The letter, then those that are attached to it whole."""
    letter = _headed(message)
    attached: list[Message] = []
    for part in _texts(message, attached):
        letter.lines.extend(_part_lines(part, places))
    yield letter
    for one in attached:
        yield from _told_by(one, places)


def _headed(message: Message) -> _Letter:
    sender = people_in(_header(message, "From"))
    others = [one for name in ("To", "Cc") for one in people_in(_header(message, name))]
    return _Letter(
        lines=[],
        sender=sender[0] if sender else None,
        people=[*sender, *others],
        subject=decoded(message.get("Subject")),
        at=moment(_header(message, "Date") or _header(message, "Sent")),
        ref=_header(message, "Message-ID").strip()[:500] or None,
    )


def _header(message: Message, name: str) -> str:
    return storable(" ".join(str(message.get(name) or "").split()))


def _texts(message: Message, attached: list[Message]) -> Iterator[Message]:
    """The parts to read: of alternatives the plain one, if it says anything."""
    kind = message.get_content_type()
    inner = message.get_payload()
    if kind == "message/rfc822" and isinstance(inner, list):
        attached.extend(one for one in inner if isinstance(one, Message))
    elif isinstance(inner, list):
        parts = [one for one in inner if isinstance(one, Message)]
        if kind == "multipart/alternative":
            parts = _best(parts)
        for part in parts:
            yield from _texts(part, attached)
    elif message.get_content_disposition() != "attachment" and (
        kind in (_PLAIN, _HTML) or kind.startswith("multipart/")  # parts that no boundary parts
    ):
        yield message


def _best(parts: Sequence[Message]) -> list[Message]:
    def says_something(part: Message) -> bool:
        return not isinstance(part.get_payload(), str) or bool(_decoded(part).strip())

    plain = [one for one in parts if one.get_content_type() == _PLAIN and says_something(one)]
    return plain[:1] or [one for one in parts if one.get_content_type() != _PLAIN][-1:]


def _part_lines(part: Message, places: _Places) -> list[Line]:
    payload = part.get_payload()
    if not isinstance(payload, str) or not payload:
        return []
    start, end = places.of(payload)
    text = _decoded(part)
    is_html = part.get_content_type() == _HTML or markdown.looks_like(text)
    lines = markdown.lines_in(text, start) if is_html else _plain_lines(text, start)
    if text == payload and end - start == len(payload):
        return lines
    return [Line(one.text, start, end) for one in lines]  # somewhere in what was encoded


def _plain_lines(text: str, start: int) -> list[Line]:
    """Line by line, but for the middle of a letter of thousands of lines, where nothing looks quoted."""
    rest = text.split("\n", _MOST_LINES)[-1]
    middle, *last = rest.rsplit("\n", _MOST_LINES)
    if len(last) < _MOST_LINES or _RAGGED.search(middle) or SUSPECT.search(middle):
        return lines_of(text, start)
    begin = len(text) - len(rest)
    end = begin + len(middle)
    between = Line(middle, start + begin, start + end)
    return [*lines_of(text[:begin], start), between, *lines_of(text[end + 1 :], start + end + 1)]


def _decoded(part: Message) -> str:
    """The part's text; its encoding undone as far as it goes."""
    payload = str(part.get_payload())
    encoding = str(part.get("Content-Transfer-Encoding") or "").strip().lower()
    charset = part.get_param("charset")
    name = charset if isinstance(charset, str) else None
    if encoding == "quoted-printable":
        return characters(quopri.decodestring(payload.encode("utf-8")), name)
    if encoding == "base64":
        return characters(_from_base64(payload), name)
    return storable(payload)


def _from_base64(payload: str) -> bytes:
    """As many whole groups as there are."""
    digits = _NOT_BASE64.sub("", payload)
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4))
    except (binascii.Error, ValueError):
        return b""


# --- records -----------------------------------------------------------------------------------


def _body(record: Mapping[str, Any]) -> tuple[str, bool]:
    """The words of a letter given as a record, and whether they are HTML."""
    for name in ("body", "text", "content", "plain", "html"):
        value = record.get(name)
        if isinstance(value, Mapping):  # {"contentType": "html", "content": "..."}
            value = next(
                (one for key in ("text", "content", "html") if (one := value.get(key))), ""
            )
        if isinstance(value, str) and value.strip():
            return value, name == "html" or markdown.looks_like(value)
    return "", False


def _letter(record: Mapping[str, Any], lines: list[Line]) -> _Letter:
    headers = record.get("headers")
    named = {str(key).casefold(): value for key, value in record.items() if value is not None}
    if isinstance(headers, Mapping):
        named = {**{str(key).casefold(): value for key, value in headers.items()}, **named}
    sender = [one for name in ("from", "sender", "speaker") for one in people_in(named.get(name))]
    others = [one for name in ("to", "cc", "participants") for one in people_in(named.get(name))]
    subject = named.get("subject") or named.get("title") or ""
    message_id = _first_name(named, ("message-id", "message_id", "messageid"))
    dates = (named.get(key) for key in ("date", "sent", "at", "ts", "timestamp"))
    return _Letter(
        lines=lines,
        sender=sender[0] if sender else None,
        people=[*sender, *others],
        subject=decoded(subject) if isinstance(subject, str) else "",
        at=next((found for one in dates if (found := moment(one)) is not None), None),
        ref=_first_name(named, ("id",)) or message_id,
        message_id=message_id or _first_name(named, ("id",)),
    )


def _first_name(named: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((found for key in keys if (found := name_of(named.get(key))) is not None), None)


def _once(letters: Sequence[_Letter]) -> list[_Letter]:
    known: set[str] = set()
    kept = []
    for letter in letters:
        if letter.message_id is None or letter.message_id not in known:
            kept.append(letter)
        known.update(() if letter.message_id is None else (letter.message_id,))
    return kept


def _in_order(letters: Sequence[_Letter]) -> list[_Letter]:
    """By date; one without stays after the one it followed."""
    before: datetime | None = None
    keyed: list[tuple[bool, datetime | None, _Letter]] = []
    for letter in letters:
        before = letter.at or before
        keyed.append((before is not None, before, letter))
    undated = [letter for known, _, letter in keyed if not known]
    dated = sorted(
        ((at, letter) for _, at, letter in keyed if at is not None), key=lambda pair: pair[0]
    )
    return [*undated, *(letter for _, letter in dated)]
