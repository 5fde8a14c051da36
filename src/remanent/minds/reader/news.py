"""News: whether a statement that would end a belief is about the same matter at all.

The judge learned from pairs that speak of one matter. Of two that do not it is as sure that news ends
what was believed: "Maria lives in Bergen now" would end "Maria has two kids". So it is asked once more, of
plain things that might be known of the same person. News that would end most of these, too, ends a belief
only if the two share a word, or are nearer in meaning than the plain things are.
"""

from __future__ import annotations

import re
from statistics import median
from typing import Final

from remanent.weights.encoder import CLS, SEP, Floats, encoder, tokenizer
from remanent.weights.recent import RecentTexts

_PLAIN: Final = (
    "{} has a cousin.", "{} is tall.", "{} likes music.",
    "{} was born in spring.", "{} speaks German.", "{} has a bicycle.",
)  # fmt: skip
"""Of six areas of life: most news is about none or one of them."""
_PLAIN_OF_ME: Final = (
    "I have a cousin.", "I am tall.", "I like music.",
    "I was born in spring.", "I speak German.", "I have a bicycle.",
)  # fmt: skip
_ME: Final = re.compile(r"\b(?:i|we|my|our|me)\b", re.IGNORECASE)
_BEFORE_NAME: Final = frozenset(
    ("my", "our", "his", "her", "their", "your", "the", "mr", "mrs", "ms", "dr", "uncle", "aunt")
)
_WORD: Final = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
_LONG: Final = 4
"""Letters from which on a word that two statements share says that they are about one matter."""
_RECENT: Final[RecentTexts[Floats]] = RecentTexts()


def plain_things(statement: str, old: str) -> list[str]:
    """What might be known of whoever the belief is about."""
    subject = _subject(statement, old)
    return [form.format(subject) for form in _PLAIN] if subject else list(_PLAIN_OF_ME)


def is_on_one_matter(statement: str, old: str, plain: list[str]) -> bool:
    """Whether the two share a word of some length, or are nearer than the plain things are."""
    name = _subject(statement, old)
    first, second = (_words(text) - _words(name) for text in (statement, old))
    if any(len(word) >= _LONG for word in first & second):
        return True
    at = _meaning(statement)
    return float(at @ _meaning(old)) >= median(float(at @ _meaning(one)) for one in plain)


def _subject(statement: str, old: str) -> str:
    """The name or role that the belief begins with, or a name that both have; nothing for the owner."""
    words = [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(old)]
    later = _words(statement)
    start = next((i for i, word in enumerate(words) if word.lower() not in _BEFORE_NAME), 0)
    end = start + 1
    while end < len(words) and words[end][0].isupper():
        end += 1
    opening = " ".join(words[:end])
    core = words[start].lower() if words else ""
    if core in later and not _ME.fullmatch(core):
        return opening
    if not words or _ME.search(old):
        return ""
    return next((word for word in words if word[0].isupper() and word.lower() in later), opening)


def _words(text: str) -> set[str]:
    found = (word.lower() for word in _WORD.findall(text))
    return {word.removesuffix("'s").removesuffix("’s") for word in found}


def _meaning(text: str) -> Floats:
    return _RECENT.of(text, lambda: _read(text))


def _read(text: str) -> Floats:
    model = encoder("embedder")
    found = tokenizer().encode(text.encode("utf-8", "replace").decode("utf-8")).ids
    return model.meaning([CLS, *found[: model.longest - 2], SEP])
