"""The words of a query. Strings, quoted names and comments are told apart here, once and for all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remanent.errors import BadQuery

_WORDS: Final = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
    | (?P<int>0[xX][0-9a-fA-F]+|0o[0-7]+|\d+)
    | (?P<parameter>\$(?:[^\W\d]\w*|\d+|`(?:[^`]|``)*`))
    | (?P<name>[^\W\d]\w*)
    | (?P<sign><=|>=|<>|=~|\.\.|\|\||/(?!\*)|[-+*%^=<>()\[\]{},.:;|&!])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES: Final = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f",
    "\\": "\\", "'": "'", '"': '"', "`": "`", "/": "/",
}  # fmt: skip
_LARGEST: Final = 2**63 - 1
_LAST_CHARACTER: Final = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its kind, what it means, and where it stands."""

    kind: str
    text: str
    value: str | int | float
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """All words of the query and an `end`, or `BadQuery` at the first that is none."""
    found = []
    at = 0
    while at < len(text):
        match = _WORDS.match(text, at)
        if match is None:
            raise BadQuery(f"{place(text, at)}: {_unreadable(text, at)}")
        kind = str(match.lastgroup)
        if kind != "blank":
            found.append(Token(kind, match[0], _meaning(kind, match[0], text, at), at, match.end()))
        at = match.end()
        if kind in ("int", "float") and text[at : at + 1].isalnum():
            raise BadQuery(f"{place(text, at)}: a number runs into a name")
    found.append(Token("end", "", "", len(text), len(text)))
    return found


def place(text: str, at: int) -> str:
    """Where in the query that is, as people count."""
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return f"line {line}, column {column}"


def _unreadable(text: str, at: int) -> str:
    opened = {"'": "a string", '"': "a string", "`": "a quoted name"}.get(text[at])
    if opened:
        return f"{opened} is never closed"
    if text.startswith("/*", at):
        return "a comment is never closed"
    return f"{text[at]!r} is no part of Cypher"


def _meaning(kind: str, word: str, text: str, at: int) -> str | int | float:
    match kind:
        case "string":
            return _ESCAPE.sub(lambda found: _character(found, text, at), word[1:-1])
        case "quoted":
            return word[1:-1].replace("``", "`")
        case "parameter":
            return word[2:-1].replace("``", "`") if word[1] == "`" else word[1:]
        case "float":
            return float(word)
        case "int":
            return _whole(word, text, at)
        case _:
            return word


def _whole(word: str, text: str, at: int) -> int:
    if len(word) > 24:
        raise BadQuery(f"{place(text, at)}: the number has more than 64 bits")
    base = {"0x": 16, "0X": 16, "0o": 8}.get(word[:2], 10)
    number = int(word, base)
    if number > _LARGEST + 1:
        raise BadQuery(f"{place(text, at)}: the number has more than 64 bits")
    return number


def _character(found: re.Match[str], text: str, at: int) -> str:
    digits = found[1] or found[2]
    if digits:
        code = int(digits, 16)
        if code > _LAST_CHARACTER or 0xD800 <= code <= 0xDFFF:
            raise BadQuery(f"{place(text, at)}: \\u{digits} is no character")
        return chr(code)
    if found[3] not in _ESCAPES:
        raise BadQuery(f"{place(text, at)}: \\{found[3]} means nothing in a string")
    return _ESCAPES[found[3]]
