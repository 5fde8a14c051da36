"""What of a text is worth looking up."""

from __future__ import annotations

import threading
import unicodedata
from typing import Any, Final

import apsw

from remanent.retrieval.rules.question import COMMON_WORDS

_MOST_TERMS: Final = 1000  # of a whole book as a query, its first thousand different words
_TOKENIZER: Final = ["unicode61", "remove_diacritics", "2"]  # as the table's
_held = threading.local()


def search_terms(text: str) -> list[str]:
    """The different words of `text` without the commonest English ones, unless those are all."""
    # A mark belongs to the letter before it: the tokenizer of the index strips or splits it alike.
    spaced = "".join(one if _in_a_word(one) else " " for one in text)
    words = list(dict.fromkeys(spaced.casefold().split()))
    telling = [word for word in words if word not in COMMON_WORDS]
    return (telling or words)[:_MOST_TERMS]


def stems(text: str) -> list[str]:
    """The words of a text as the full-text index has them, in order."""
    tokenizer = getattr(_held, "tokenizer", None)
    if tokenizer is None:  # one for each thread: a connection serves one at a time
        _held.connection = apsw.Connection(":memory:")
        tokenizer = _held.tokenizer = _held.connection.fts5_tokenizer("porter", _TOKENIZER)
    encoded = text.encode("utf-8", "replace")
    found: list[Any] = tokenizer(
        encoded,
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return found


def _in_a_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Co"
