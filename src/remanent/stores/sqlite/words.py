"""What of a text is worth looking up."""

from __future__ import annotations

import unicodedata
from typing import Final

_MOST_TERMS: Final = 1000  # of a whole book as a query, its first thousand different words
_COMMON: Final = (
    "a about after again all am an and any are as at be because been before being between both "
    "but by can could did do does doing down during each few for from further had has have having "
    "he her here hers him his how i if in into is it its itself just me more most my no nor not "
    "now of off on once only or other our out over own same she should so some such than that the "
    "their them then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with would you your yours "
)
_STOP_WORDS: Final = frozenset(_COMMON.split())


def search_terms(text: str) -> list[str]:
    """The different words of `text` without the commonest English ones, unless those are all."""
    # A mark belongs to the letter before it: the tokenizer of the index strips or splits it alike.
    spaced = "".join(one if _in_a_word(one) else " " for one in text)
    words = list(dict.fromkeys(spaced.casefold().split()))
    telling = [word for word in words if word not in _STOP_WORDS]
    return (telling or words)[:_MOST_TERMS]


def _in_a_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Co"
