"""People as letters name them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import getaddresses
from typing import Any

from remanent.ingest.formats.shape import storable

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
        pairs = _pairs(text.replace(";", ","))
    except (RecursionError, IndexError, ValueError):
        pairs = []
    found = [_correspondent(name, address) for name, address in pairs if name or address]
    return found or [_correspondent(text[:200], "")]


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    return getaddresses([text])


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
