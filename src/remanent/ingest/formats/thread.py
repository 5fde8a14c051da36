"""People as letters name them.

Chat threads as Slack exports them: messages with user ids, marks and edits.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import getaddresses
from typing import Any

from remanent.core.dataclasses import dataclass
from remanent.core.word_lists import word_lists
from remanent.errors import InvalidInput
from remanent.ingest.formats.shape import (
    Line,
    Parsed,
    Piece,
    distinct,
    lines_of,
    moment,
    piece_of,
    storable,
    unescaped,
    within,
)
from remanent.ingest.formats.turns import name_of, text_of, time_in

_MOST_HEADER_CHARACTERS = 20_000
_LEGAL = re.compile(r"(?:inc|ltd|llc|gmbh|ag|as|jr|sr|ph\.?d|md)\.?$", re.IGNORECASE)
_ENCODINGS = re.compile(
    r"utf[-_]?(?:8|16|16le|16be)|us-ascii|ascii|latin[-_]?1|iso[-_]?8859[-_]\d{1,2}|windows-?\d{3,4}"
    r"|cp\d{3,5}|koi8[-_][ru]|gb(?:2312|k|18030)|big5(?:-?hkscs)?|euc[-_](?:jp|kr)|shift[-_]?jis"
    r"|iso-2022-(?:jp|kr)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Who wrote or got a letter."""

    name: str | None
    shown: str  # name and address, as far as known


def person_in(value: Any) -> Correspondent:
    """The first person that a header, a text or a record names."""
    return next(iter(people_in(value)), Correspondent(None, ""))


def people_in(value: Any) -> list[Correspondent]:
    """Everybody named in a header such as `Maria Chen <maria@example.org>, tom@example.org`."""
    if isinstance(value, Mapping):
        name = next((value[key] for key in ("name", "display_name") if value.get(key)), "")
        keys = ("address", "email", "emailAddress")
        address = next((value[key] for key in keys if value.get(key)), "")
        if isinstance(address, Mapping):  # as Microsoft's interface nests it
            return people_in(address)
        return [_correspondent(str(name), str(address))] if name or address else []
    if isinstance(value, (list, tuple)):
        return [one for inner in value for one in people_in(inner)]
    return _addressed(value) if isinstance(value, str) else []


def decoded(header: object) -> str:
    """A header's text, with encoded words as the characters they stand for."""
    text = str(header or "")[:_MOST_HEADER_CHARACTERS]
    if "=?" in text:
        with contextlib.suppress(HeaderParseError, ValueError):
            text = "".join(_word(part, charset) for part, charset in decode_header(text[:2000]))
    return " ".join(storable(text).split())


def characters(data: bytes, charset: str | None) -> str:
    """Bytes as text, in the charset that was named if it is one; never an error."""
    known = charset is not None and _ENCODINGS.fullmatch(charset.strip()) is not None
    name = charset.strip() if known and charset is not None else "utf-8"
    try:
        return storable(data.decode(name, errors="replace"))
    except (LookupError, UnicodeError):
        return storable(data.decode("utf-8", errors="replace"))


def _word(part: bytes | str, charset: str | None) -> str:
    return part if isinstance(part, str) else characters(part, charset)


def _addressed(text: str) -> list[Correspondent]:
    text = text[:_MOST_HEADER_CHARACTERS]
    if "@" not in text:
        return [_correspondent(one, "") for one in re.split("[;\n]", text) if one.strip()]
    try:
        pairs = getaddresses([text.replace(";", ",")])
    except (RecursionError, IndexError, ValueError):
        pairs = []
    people = [_correspondent(name, address) for name, address in pairs if name or address]
    return people or [_correspondent(text[:200], "")]


def _correspondent(name: str, address: str) -> Correspondent:
    clear = _in_order(decoded(name).strip("'\" "))
    reached = storable(address).strip().removeprefix("mailto:")
    if not clear or clear == reached:
        return Correspondent(reached or None, reached)
    return Correspondent(clear, f"{clear} <{reached}>" if reached else clear)


def _in_order(name: str) -> str:
    """`Chen, Maria` as Maria Chen; Acme, Inc. stays."""
    family, comma, given = name.partition(",")
    given = given.strip()
    if not comma or not family.strip() or not given or "," in given or _LEGAL.match(given):
        return name
    return f"{given} {family.strip()}"


_MARK = re.compile(r"<(?P<kind>[@#!]?)(?P<what>[^<>|\n]{1,2000})(?:\|(?P<label>[^<>\n]{0,500}))?>")
_ADDRESS = re.compile(r"(?:https?|ftp|mailto|tel|slack):", re.IGNORECASE)
# What the house says of itself, and what programs post by themselves.
_LISTS = word_lists(__package__)
_NOISE = _LISTS["slack_noise"]
_CHANGED = "message_changed"

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Posted:
    """A message and where its text lies in the texts laid end to end."""

    message: Message
    text: str
    start: int
    at: datetime | None
    ref: str | None


def looks_like(messages: Sequence[Message]) -> bool:
    """Whether records that nobody called a chat are one."""
    return any("ts" in one and "text" in one for one in messages)


def read(
    record: Mapping[str, Any], messages: Sequence[Message], started_at: datetime | None
) -> Parsed:
    """Messages in the order they were written, each in its last version, under its writer's name."""
    if messages and not any("text" in one or _body(one) for one in messages):
        raise InvalidInput("content", "has no message with a text to read")
    names = _names(record, messages)
    posted = _in_order_of_thread(_latest(_posts(messages, started_at)))
    mentions: list[str] = []
    pieces = tuple(
        _piece(one, names, mentions)
        for one in posted
        if one.message.get("subtype") not in _NOISE and one.message.get("hidden") is not True
    )
    title = record.get("title") or record.get("topic") or record.get("subject")
    return Parsed(
        pieces=pieces,
        title=storable(title).strip() if isinstance(title, str) else "",
        participants=distinct(one.speaker or "" for one in pieces),
        mentions=distinct(mentions),
        started_at=min((one.at for one in pieces if one.at is not None), default=None),
    )


def _posts(messages: Sequence[Message], started_at: datetime | None) -> Iterator[_Posted]:
    position = 0
    for envelope in messages:
        inner = envelope.get("message")
        changed = envelope.get("subtype") == _CHANGED and isinstance(inner, Mapping)
        message: Message = inner if changed and isinstance(inner, Mapping) else envelope
        text = _body(message)
        ref = message.get("id") if message.get("id") is not None else message.get("ts")
        yield _Posted(
            message=message,
            text=text,
            start=position,
            at=within(time_in(message), started_at),
            ref=name_of(str(ref) if isinstance(ref, float) else ref),
        )
        position += len(text)


def _body(message: Message) -> str:
    """The text, else what is attached to it."""
    text = text_of(message)
    attached = message.get("attachments")
    if text.strip() or not isinstance(attached, list):
        return text
    shown = (one.get("text") or one.get("fallback") for one in attached if isinstance(one, Mapping))
    return storable("\n".join(one for one in shown if isinstance(one, str)))


def _latest(posted: Iterable[_Posted]) -> list[_Posted]:
    """One of each: of a message that was edited the last version, of a deleted one none."""
    kept: dict[str, _Posted] = {}
    deleted: set[str] = set()
    for number, post in enumerate(posted):
        if post.message.get("subtype") == "message_deleted":
            deleted.add(str(post.message.get("deleted_ts")))
            continue
        key = post.ref or f"#{number}"
        if key not in kept or _edited(post.message) >= _edited(kept[key].message):
            kept[key] = post
    return [one for key, one in kept.items() if key not in deleted]


def _edited(message: Message) -> float:
    edited = message.get("edited")
    at = moment(edited.get("ts")) if isinstance(edited, Mapping) else None
    return 0.0 if at is None else at.timestamp()


def _in_order_of_thread(posted: Sequence[_Posted]) -> list[_Posted]:
    """By time; a message without one stays after the one it followed."""
    before = float("-inf")
    keyed: list[tuple[float, int]] = []
    for number, post in enumerate(posted):
        before = before if post.at is None else post.at.timestamp()
        keyed.append((before, number))
    return [posted[number] for _, number in sorted(keyed)]


def _piece(posted: _Posted, names: Mapping[str, str], mentions: list[str]) -> Piece:
    lines = list(_lines(posted, names, mentions))
    end = posted.start + len(posted.text)
    lines.extend(Line(f"[file: {name}]", end, end) for name in _files(posted.message))
    return piece_of(lines, speaker=_writer(posted.message, names), at=posted.at, ref=posted.ref)


def _lines(posted: _Posted, names: Mapping[str, str], mentions: list[str]) -> Iterator[Line]:
    for line in lines_of(posted.text, posted.start):
        text = _MARK.sub(lambda mark: _read_mark(mark, names, mentions), line.text)
        yield line._replace(text=unescaped(text)) if text != line.text or "&" in text else line


def _read_mark(mark: re.Match[str], names: Mapping[str, str], mentions: list[str]) -> str:
    """A mark as people see it: @Maria Chen, #ops, @here, a link with its address."""
    kind, what, label = mark["kind"], mark["what"], mark["label"] or ""
    if kind == "@":
        name = names.get(what) or label.removeprefix("@") or what
        mentions.append(name)
        return f"@{name}"
    if kind == "#":
        return f"#{label or names.get(what, what)}"
    if kind == "!":
        return label or f"@{what.partition('^')[0]}"
    if not _ADDRESS.match(what):
        return mark[0]
    address = what.removeprefix("mailto:").removeprefix("tel:")
    return f"{label} ({address})" if label and label not in address else label or address


def _files(message: Message) -> Iterator[str]:
    files = message.get("files")
    for file in files if isinstance(files, list) else ():
        name = name_of(file.get("title") or file.get("name")) if isinstance(file, Mapping) else None
        if name is not None:
            yield name


def _writer(message: Message, names: Mapping[str, str]) -> str | None:
    user = name_of(message.get("user") or message.get("speaker") or message.get("from"))
    if user is not None and user in names:
        return names[user]
    profile = message.get("user_profile") or message.get("bot_profile")
    shown = (
        _name_in(profile),
        name_of(message.get("username")),
        user,
        name_of(message.get("bot_id")),
    )
    return next((one for one in shown if one), None)


def _names(record: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, str]:
    """What each id stands for: from the list of users and from what messages say of their writers."""
    names: dict[str, str] = {}
    for message in messages:
        user, name = message.get("user"), _name_in(message.get("user_profile"))
        if isinstance(user, str) and name:
            names[user] = name
    users = record.get("users") or record.get("members")
    listed = users.items() if isinstance(users, Mapping) else _by_id(users)
    for user, about in listed:
        name = _name_in(about)
        if name:
            names[str(user)] = name
    return names


def _by_id(users: Any) -> Iterator[tuple[str, Any]]:
    for user in users if isinstance(users, list) else ():
        if isinstance(user, Mapping) and user.get("id"):
            yield str(user["id"]), user


def _name_in(about: Any) -> str | None:
    """The name that people would use: the full one before the short one."""
    if not isinstance(about, Mapping):
        return name_of(about)
    profile = about.get("profile")
    places = [about, profile] if isinstance(profile, Mapping) else [about]
    for key in ("real_name", "display_name", "name", "username"):
        for place in places:
            name = name_of(place.get(key))
            if name is not None:
                return name
    return None
