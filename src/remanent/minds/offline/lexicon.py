"""Word lists of the offline mind, all in lower case: grammar, roles of people, and fields of life."""

from __future__ import annotations

from remanent.anchors.rules import roles
from remanent.core.word_lists import word_lists


def words(text: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(text.split())


LISTS = word_lists(__package__)
POSSESSOR = r"[\w-]+['’]s(?!\s+(?:a|an|the|my|our|not|now|also|still)\b)"
"""Pattern of whoever possesses what follows: "Tom's boss", but not "Tom's a nurse"."""
CLOSE = roles.PARTNERS | roles.RELATIVES | words("bestie roommate flatmate housemate")
TITLES = words("mr mrs ms miss dr prof professor sir madam mr. mrs. ms. dr. prof.")

STOP = LISTS["stop"]
"""Words that carry no topic."""
GENERIC = LISTS["generic"]

HEALTH = LISTS["health"]
IDENTITY = LISTS["identity"]
TECHNICAL = LISTS["technical"]


DOMAINS: dict[str, tuple[str, ...]] = {}
for _tag, _lemmas in word_lists(__package__, "fields.txt").items():
    for _lemma in _lemmas:
        DOMAINS[_lemma] = (*DOMAINS.get(_lemma, ()), _tag)


def fields_of(word: str) -> tuple[str, ...]:
    """The fields of life that a word belongs to, whatever its ending."""
    low = word.casefold().removesuffix("'s").removesuffix("’s")
    tries = [low]
    for ending in ("s", "es", "ed", "d", "ing"):
        if low.endswith(ending) and len(low) - len(ending) > 2:
            stem = low.removesuffix(ending)
            tries += [stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem]
    if low.endswith("ies"):
        tries.append(f"{low[:-3]}y")
    return next((DOMAINS[one] for one in tries if one in DOMAINS), ())
