"""What a text names together, whether or not anybody could read what it says of it.

A mind does not read every sentence. One that brings two names together, or a name and a figure, or
either with the speaker, most likely tells something of them: "ask Ann about Atlas". Small talk hardly
ever does, and says the same of the same people again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]+)*[.!?]?")
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.\s")
_NAME = re.compile(r"(?<![\w@])[A-Z][\w'’&-]*\w(?: (?:[A-Z&][\w'’-]*|\d+)(?!\w))*")
_FIGURE = re.compile(r"(?<![\w.])\+?\d[\d ,.:/-]*\d|(?<![\w.])\d\b")
_SELF = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)
_NO_NAMES = frozenset(
    [
        "i",
        "i'm",
        "i've",
        "i'll",
        "i'd",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
)
_OPENERS = frozenset(
    ["ask", "call", "tell", "please", "note", "on", "at", "in", "for", "from", "by", "to", "with", "my", "our",
     "the", "a", "this", "that", "when", "if", "as", "and", "but", "so", "yes", "no", "thanks", "hi", "hey"]
)  # fmt: skip
_MOST = 20
_FEWEST = 2


def hints(text: str) -> set[str]:
    """For each sentence that states something, what it names, as one string; twenty at most."""
    plain = _TITLE.sub(r"\1 ", text)
    found: set[str] = set()
    for sentence in _SENTENCE.findall(plain):
        if len(found) >= _MOST:
            break
        if not sentence.rstrip().endswith("?"):
            named = _named(sentence.strip())
            if len(named) >= _FEWEST:
                found.add(" ".join(sorted(named)))
    return found


def _named(sentence: str) -> set[str]:
    named = {name.casefold() for name in _names(sentence)}
    figures = _FIGURE.findall(_NAME.sub(" ", sentence))
    named |= {re.sub(r"\W", "", one) for one in figures}
    return named | ({"me"} if named and _SELF.search(sentence) else set())


def _names(sentence: str) -> Iterator[str]:
    """Words in capitals; the first of the sentence only with another one behind it."""
    for one in _NAME.finditer(sentence):
        name = re.sub(r"['’]s?$", "", one[0])
        parts = name.split()
        if one.start() == 0 and len(parts) == 1 and not one[0].endswith(("'s", "’s")):
            continue
        if one.start() == 0 and parts[0].lower() in _OPENERS:
            name = " ".join(parts[1:])
        if name.casefold() not in _NO_NAMES:
            yield name
