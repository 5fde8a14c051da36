"""Going through the words of a query, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from remanent.cypher.language.tokens import Token, place, tokens
from remanent.cypher.language.tree import Expr, PathPattern, Query
from remanent.errors import BadQuery

Found = TypeVar("Found")

MOST_DEPTH: Final = 40
_WORDS_PER_WORD: Final = 60  # looking twice at a word is normal, looking a hundred times a bomb
# An expression ends where one of these stands, so none of them names a variable unless it is quoted.
RESERVED: Final = frozenset(
    [
        "and",
        "as",
        "call",
        "case",
        "contains",
        "distinct",
        "else",
        "end",
        "ends",
        "false",
        "in",
        "is",
        "limit",
        "match",
        "not",
        "null",
        "optional",
        "or",
        "order",
        "return",
        "skip",
        "starts",
        "then",
        "true",
        "union",
        "unwind",
        "when",
        "where",
        "with",
        "xor",
        "yield",
    ]
)


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

    def insist(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.unexpected(f"{sign!r}")

    def insist_word(self, *words: str) -> None:
        if not self.takes_word(*words):
            raise self.unexpected(" ".join(words).upper())

    def name(self, what: str) -> str:
        """A name that was given to a variable, or a quoted one."""
        token = self.token
        if token.kind == "quoted":
            if not str(token.value):
                raise self.unexpected(what)
            return str(self.advance().value)
        if token.kind != "name" or token.text.lower() in RESERVED:
            raise self.unexpected(what)
        return self.advance().text

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
        found = read()
        self._depth -= 1
        return found

    def unexpected(self, wanted: str) -> BadQuery:
        token = self.token
        where = place(self.text, token.start)
        met = repr(token.text[:40]) if token.text else "the end of the query"
        return BadQuery(f"{where}: {met} stands where {wanted} should")
