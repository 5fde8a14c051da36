"""Abbreviations: read out of texts that explain them, and written out in questions (SPEC 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from remanent.anchors.rules.query import keywords
from remanent.core.checks import identifier
from remanent.core.model.keys import canonical_name
from remanent.core.regex import regex
from remanent.core.word_lists import lines_of
from remanent.errors import InvalidInput

LONGEST_SHORT = 20
LONGEST_LONG = 200
_LONGEST_TEXT = 20_000

COMMON = dict(line.split(" ", 1) for line in lines_of(__package__, "abbreviations.txt"))
"""Short forms that mean the same to most people; what a user sets or a source explains comes first."""

_SHORT = r"[A-Z][A-Za-z0-9&.-]{0,8}[A-Z0-9]"
_LONG_FIRST = regex(rf"([^\n()]{{3,160}}?)\s*\(\s*[\"“']?({_SHORT})s?[\"”']?\s*\)")
_SHORT_FIRST = regex(rf"(?<![\w.-])({_SHORT})s?\s*\(\s*[\"“']?([^()\n\"”]{{4,120}})[\"”']?\s*\)")
_STANDS_FOR = regex(
    rf"(?<![\w.-])[\"“']?({_SHORT})s?[\"”']?,?\s+(?:stands for|is short for|short for|is an abbreviation (?:of|for)|means)\s+"
    r"(?:the |a |an )?[\"“']?([^\n()\"”.,;:!?]{4,120})"
)
_FOR_SHORT = regex(
    rf"([^\n()]{{3,160}}?),?\s+(?:or\s+)?(?:(?:also )?(?:abbreviated|known|called|shortened)\s+(?:as|to)?\s*)?"
    rf"[\"“']?({_SHORT})s?[\"”']?\s+for short\b"
)
_EXPLAINING = (
    (_LONG_FIRST, regex(r"\(\s*[\"“']?[A-Z]"), False),
    (_SHORT_FIRST, regex(r"[A-Z0-9]s?\s*\("), True),
    (_STANDS_FOR, regex(r"(?:stands|short|abbreviation (?:of|for)) |means "), True),
    (_FOR_SHORT, regex(r"\bfor short\b"), False),
)
_CANDIDATE = regex(r"(?<![\w.-])[A-Za-z][A-Za-z0-9&]{1,7}(?![\w])")
_COMMON = {canonical_name(short): long for short, long in COMMON.items()}
_VOWEL = regex(r"[aeiou]", re.IGNORECASE)
_SMALL = frozenset({"of", "and", "the", "for", "a", "an", "in", "on", "to", "&"})


def explained_in(text: str) -> dict[str, str]:
    """Short forms that a text explains, each with what it stands for, in order.

    `Customer Relationship Management (CRM)`, `CRM (Customer ...)`, `CRM stands for ...`, `..., or CRM
    for short`. The letters of the short form must be found in the long one, in order, the first of
    them at the beginning of a word (after Schwartz and Hearst).
    """
    long_forms: dict[str, str] = {}
    read = text[:_LONGEST_TEXT]
    for pattern, sign, short_first in _EXPLAINING:
        if not sign.search(read):  # quick: most texts explain nothing
            continue
        for match in pattern.finditer(read):
            one, other = match.groups()
            short, near = (one, other) if short_first else (other, one)
            long = _beginning(short, near) if short_first else _ending(short, near)
            if long:
                long_forms.setdefault(short.strip("."), long)
    return long_forms


def expand(text: str, known: Mapping[str, str]) -> str:
    """The text with each known short form followed by its long one, and each long one by its short."""
    words = f"-{canonical_name(text)}-"
    for short, long in known.items():
        brief, full = f"-{canonical_name(short)}-", f"-{canonical_name(long)}-"
        if brief in words and full not in words:
            spelled = re.compile(rf"(?<!\w){re.escape(short)}(?!\w)", re.IGNORECASE)
            text = spelled.sub(lambda found, long=long: f"{found.group()} ({long})", text, count=1)  # type: ignore[misc]
        elif full in words and brief not in words:
            text = f"{text} ({short})"
    return text


def candidates(text: str) -> list[str]:
    """What may be an abbreviation in a question: capitals, a common one, a short word without a vowel."""
    worth = {one.casefold() for one in keywords(text)}
    spelt = [
        one
        for one in _CANDIDATE.findall(text)
        if one.casefold() in worth
        and (sum(map(str.isupper, one)) > 1 or one in COMMON or not _VOWEL.search(one))
    ]
    return list(dict.fromkeys(spelt))


def common(short: str) -> str:
    """What most people mean by a short form; "" for all others."""
    return _COMMON.get(canonical_name(short), "")


def checked(short: object, long: object) -> tuple[str, str]:
    """A pair that a user sets, or `InvalidInput`."""
    brief, full = identifier("short", short), identifier("long", long)
    if len(brief) > LONGEST_SHORT or not canonical_name(brief):
        raise InvalidInput(
            "short", f"must be 1 to {LONGEST_SHORT} characters with a letter or digit"
        )
    if len(full) > LONGEST_LONG or not canonical_name(full):
        raise InvalidInput("long", f"must be 1 to {LONGEST_LONG} characters with a letter or digit")
    if canonical_name(brief) == canonical_name(full):
        raise InvalidInput("long", f"{full!r} is the short form itself")
    return brief, full


def _ending(short: str, text: str) -> str:
    """The shortest end of `text` that the short form abbreviates, or nothing."""
    letters = [one.casefold() for one in short if one.isalnum()]
    most = min(len(letters) + 5, 2 * len(letters))
    near = " ".join(text.split()[-most:])
    place = len(near)
    for index in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= 0 and not _fits(near, place, letters[index], first=index == 0):
            place -= 1
        if place < 0:
            return ""
    return _long_form(short, near[near.rfind(" ", 0, place + 1) + 1 :])


def _beginning(short: str, text: str) -> str:
    """The beginning of `text` that the short form abbreviates, or nothing."""
    letters = [one.casefold() for one in short if one.isalnum()]
    words = text.split()
    for count in range(2, min(len(words), len(letters) + 5) + 1):
        if _initials(words[:count]) == letters:
            return _long_form(short, " ".join(words[:count]))
    for count in range(1, min(len(words), len(letters) + 5) + 1):
        head = " ".join(words[:count]).strip(" ,;:")
        if _ending(short, head) == head and _is_spelled(letters, head):
            return head
    return ""


def _initials(words: list[str]) -> list[str]:
    """The first letters of the words that count."""
    heads = [part for word in words for part in re.split(r"[-/]", word) if part]
    return [part[0].casefold() for part in heads if part.casefold() not in _SMALL]


def _is_spelled(letters: list[str], text: str) -> bool:
    """The last letter too stands at the beginning of a word, or the text is one word."""
    heads = [word[0].casefold() for word in re.split(r"[\s-]+", text) if word]
    return len(heads) == 1 or heads[-1] in letters


def _fits(text: str, place: int, letter: str, *, first: bool) -> bool:
    if text[place].casefold() != letter:
        return False
    return not first or place == 0 or not text[place - 1].isalnum()


def _long_form(short: str, long: str) -> str:
    """A long form is longer than the short one, and does not hold it."""
    is_longer = len(canonical_name(long)) > len(canonical_name(short)) + 1
    holds = canonical_name(short) in canonical_name(long).split("-")
    return long.strip(" ,;:\"“”'") if is_longer and not holds else ""
