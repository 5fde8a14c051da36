"""The tokenizer, which tells strings, quoted names and comments apart once and for all, and the cursor over its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from remanent.core.dataclasses import dataclass
from remanent.cypher.language.tree import Expr, PathPattern, Query
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
    result = []
    at = 0
    while at < len(text):
        match = _WORDS.match(text, at)
        if match is None:
            raise BadQuery(f"{place(text, at)}: {_unreadable(text, at)}")
        kind = str(match.lastgroup)
        if kind != "blank":
            result.append(
                Token(kind, match[0], _meaning(kind, match[0], text, at), at, match.end())
            )
        at = match.end()
        if kind in ("int", "float") and text[at : at + 1].isalnum():
            raise BadQuery(f"{place(text, at)}: a number runs into a name")
    result.append(Token("end", "", "", len(text), len(text)))
    return result


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


def _character(match: re.Match[str], text: str, at: int) -> str:
    digits = match[1] or match[2]
    if digits:
        code = int(digits, 16)
        if code > _LAST_CHARACTER or 0xD800 <= code <= 0xDFFF:
            raise BadQuery(f"{place(text, at)}: \\u{digits} is no character")
        return chr(code)
    if match[3] not in _ESCAPES:
        raise BadQuery(f"{place(text, at)}: \\{match[3]} means nothing in a string")
    return _ESCAPES[match[3]]


Found = TypeVar("Found")

MOST_DEPTH: Final = 40
_WORDS_PER_WORD: Final = 60  # looking twice at a word is normal, looking a hundred times a bomb
# An expression ends where one of these stands, so none of them names a variable unless it is quoted.
RESERVED: Final = frozenset({
    "and", "as", "call", "case", "contains", "distinct", "else", "end", "ends", "false", "in", "is",
    "limit", "match", "not", "null", "optional", "or", "order", "return", "skip", "starts", "then",
    "true", "union", "unwind", "when", "where", "with", "xor", "yield",
})  # fmt: skip


class Cursor:
    """Where we are in the query, and what stands there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0
        self._steps = 0
        self._most_steps = 1000 + _WORDS_PER_WORD * len(self._tokens)
        self._unnamed = 0
        self._no_pattern: set[int] = set()

    # -- what the parts know of one another ---------------------------------------------------

    def expression(self) -> Expr:
        raise NotImplementedError

    def path(self) -> PathPattern:
        raise NotImplementedError

    def inner_query(self) -> Query:
        raise NotImplementedError

    # -- looking ------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def ahead(self, steps: int = 1) -> Token:
        return self._tokens[min(self._at + steps, len(self._tokens) - 1)]

    def sees(self, *signs: str) -> bool:
        """Whether one of these signs stands here."""
        return self.token.kind == "sign" and self.token.text in signs

    def sees_word(self, *words: str) -> bool:
        """Whether these words stand here, in whatever case, one after the other."""
        return all(
            self.ahead(n).kind == "name" and self.ahead(n).text.lower() == word
            for n, word in enumerate(words)
        )

    # -- going on -----------------------------------------------------------------------------

    def advance(self) -> Token:
        token = self.token
        self._steps += 1
        if self._steps > self._most_steps:
            raise BadQuery("it is too involved to be read")
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def takes(self, sign: str) -> bool:
        """Whether this sign stands here; if so, it is passed."""
        if self.sees(sign):
            self.advance()
            return True
        return False

    def takes_word(self, *words: str) -> bool:
        """Whether these words stand here; if so, they are passed."""
        if self.sees_word(*words):
            for _ in words:
                self.advance()
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.unexpected(f"{sign!r}")

    def insist_word(self, *words: str) -> None:
        if not self.takes_word(*words):
            raise self.unexpected(" ".join(words).upper())

    def name(self, what: str) -> str:
        """A name that was given to a variable, or a quoted one."""
        if not self.is_name() or not self.token.value:
            raise self.unexpected(what)
        return str(self.advance().value)

    def word(self, what: str) -> str:
        """A name of the schema or of a map's entry, where reserved words are allowed too."""
        if self.token.kind not in ("name", "quoted"):
            raise self.unexpected(what)
        return str(self.advance().value)

    def is_name(self) -> bool:
        """Whether a name of a variable may stand here."""
        token = self.token
        return token.kind == "quoted" or (
            token.kind == "name" and token.text.lower() not in RESERVED
        )

    def unnamed(self) -> str:
        """A name that no query can say, for what has none."""
        self._unnamed += 1
        return f" {self._unnamed}"

    def separated(self, read: Callable[[], Found]) -> tuple[Found, ...]:
        """One or more of them, with commas between."""
        found = [read()]
        while self.takes(","):
            found.append(read())
        return tuple(found)

    def up_to(self, end: str, read: Callable[[], Found]) -> tuple[Found, ...]:
        """Any number of them, with commas between or behind, and the sign that ends them."""
        found = []
        while not self.sees(end):
            found.append(read())
            if not self.takes(","):
                break
        self.expect(end)
        return tuple(found)

    # -- going back and going down ------------------------------------------------------------

    def tried(self, read: Callable[[], Found]) -> Found | None:
        """What `read` makes of it from here; None, and back where we were, if it makes nothing."""
        start, depth = self._at, self._depth
        if start in self._no_pattern:
            return None
        try:
            return read()
        except BadQuery:
            if self._steps > self._most_steps:
                raise
            self._no_pattern.add(start)
            self._at, self._depth = start, depth
            return None

    def deeper(self, read: Callable[[], Found]) -> Found:
        """What `read` makes of something nested, unless it is nested beyond all reason."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise BadQuery(f"it is nested more than {MOST_DEPTH} levels deep")
        result = read()
        self._depth -= 1
        return result

    def unexpected(self, wanted: str) -> BadQuery:
        token = self.token
        where = place(self.text, token.start)
        met = repr(token.text[:40]) if token.text else "the end of the query"
        return BadQuery(f"{where}: {met} stands where {wanted} should")
