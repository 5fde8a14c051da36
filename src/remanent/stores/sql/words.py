"""Words of a text: which are worth looking up, and as the index has them."""

from __future__ import annotations

import re
import threading
import unicodedata
from typing import Any, Final

import apsw

from remanent.retrieval.rules.question import COMMON_WORDS

_MOST_TERMS: Final = 1000  # of a whole book as a query, its first thousand different words
_TOKENIZER: Final = ["unicode61", "remove_diacritics", "2"]
_PLAIN: Final = re.compile(r"[a-z0-9]+")
_held = threading.local()


def search_terms(text: str) -> list[str]:
    """The different words of `text` without the commonest English ones, unless those are all."""
    words = list(dict.fromkeys(_words(text)))
    telling = [word for word in words if word not in COMMON_WORDS]
    return (telling or words)[:_MOST_TERMS]


def _words(text: str) -> list[str]:
    if text.isascii():  # most are, and then it is soon done
        return _PLAIN.findall(text.lower())
    # A mark belongs to the letter before it: the tokenizer of the index strips or splits it alike.
    spaced = "".join(one if _in_a_word(one) else " " for one in text)
    return spaced.casefold().split()


def _in_a_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Co"


def stems(text: str) -> list[str]:
    """The words of a text as the index has them, in order."""
    tokenizer = getattr(_held, "tokenizer", None)
    if tokenizer is None:  # one for each thread: a connection serves one at a time
        _held.connection = apsw.Connection(":memory:")
        tokenizer = _held.tokenizer = _held.connection.fts5_tokenizer("porter", _TOKENIZER)
    encoded = text.encode("utf-8", "replace")
    tokens: list[Any] = tokenizer(
        encoded, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
    return tokens
