"""Words that mean the same, and words that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from remanent.minds.offline import lexicon
from remanent.minds.offline.moments import same_time

_GROUPS = (
    "buy purchase acquire; movie film; car automobile; kid child; mother mom mum; father dad;"
    " big large; start begin; job work occupation profession; company firm business; apartment flat;"
    " vacation holiday; favourite favorite; colour color; doctor physician;"
    " photo picture photograph; like enjoy love adore; hate dislike detest loathe; home house;"
    " phone mobile telephone; somebody someone; woman lady; plane airplane aircraft aeroplane; path trail;"
    " fight battle; gather group assemble; several few; jump leap; run jog; talk speak chat; fast quick rapid; street road;"
    " scared afraid frightened; reside live; boss manager supervisor; spouse wife husband;"
    " leave depart; ill sick unwell; kilo kilogram kg; km kilometre kilometer; minute min;"
    " neighbour neighbor; colleague coworker co-worker workmate; bike bicycle; rubbish trash garbage;"
    " present gift; shop store; end finish; broken defective; happy glad;"
    " sofa couch; autumn fall; lift elevator; euro eur; dollar usd"
)
SYNONYMS = {
    word: group.split()[0]
    for group in _GROUPS.split(";")
    for word in group.split()
    if group.strip()
}
_COLOURS = lexicon.words(
    "red blue green yellow black white brown grey gray orange purple pink silver gold beige"
)
_PAIRS = (
    "old young; tall short; open closed; open close; alive dead; on off; full empty; hot cold; warm cold; big small;"
    " rich poor; old new; cheap expensive; easy difficult; easy hard; healthy sick;"
    " safe dangerous; clean dirty; fast slow; early late; possible impossible; true false;"
    " awake asleep; employed unemployed; employed retired; vegetarian carnivore;"
    " finished unfinished; available unavailable; public private; broken intact; broken functional;"
    " left right; quiet loud; empty occupied; enabled disabled; locked unlocked; lock unlock;"
    " well badly; good bad; left-handed right-handed; full-time part-time; full part; long short;"
    " light dark; morning evening; morning night; pass fail; win lose;"
    " visible hidden; active inactive; valid invalid; legal illegal; paid unpaid; happy unhappy;"
    " high low; strong weak; thick thin; wide narrow; deep shallow; wet dry; soft hard; rough smooth;"
    " sharp blunt; heavy light; first last; online offline; indoors outdoors; inside outside;"
    " present absent; permanent temporary; compulsory optional; mandatory optional; free busy;"
    " signed unsigned; complete incomplete; correct wrong; right wrong; sold unsold; old-fashioned modern;"
    " rare well-done; sweet sour; formal informal; innocent guilty; up down;"
    " ahead behind; above below; before after; allow forbid; allowed forbidden; rise fall;"
    " increase decrease; accept reject; accepted rejected; remember forget; love hate; like hate;"
    " approve reject; approved rejected; buy sell; arrive leave; succeed fail; lock open; often rarely;"
    " always never; delicious disgusting; polite rude; kind cruel; tidy messy; generous stingy; calm nervous;"
    " optimistic pessimistic; introverted extroverted; lazy hard-working; daily weekly; weekly monthly; upstairs downstairs; promote demote; cooked raw; fresh stale; night day; boring exciting; boring interesting; paid free; useful useless; busy quiet; detailed brief; long brief; stable unstable; reliable unreliable"
)
_PREPOSITIONS = (
    "with without; on behind; on off; ahead behind; before after; inside outside; for against;"
    " above below; up down; in outside; under over"
)


@cache
def _opposites() -> frozenset[frozenset[str]]:
    return frozenset(plain(pair.split()) for pair in _PAIRS.split(";"))


@cache
def opposite_words() -> frozenset[str]:
    """Every word that has an opposite."""
    return frozenset(word for pair in _PAIRS.split(";") for word in pair.split())


@cache
def opposite_of(word: str) -> str | None:
    """What excludes this word, the first we know of."""
    found = (pair.split() for pair in _PAIRS.split(";"))
    return next(
        (one if other == word else other for one, other in found if word in (one, other)), None
    )


def are_opposite_prepositions(one: str, other: str) -> bool:
    """True for "with" and "without" and their like."""
    pairs = (pair.split() for pair in _PREPOSITIONS.split(";"))
    return any({one, other} == {*pair} for pair in pairs)


def plain_word(word: str) -> str:
    """One word for all that mean the same; a plural that kept its "s" loses it."""
    known = SYNONYMS.get(word)
    if known is not None:
        return known
    single = word[:-1] if _is_plural(word) else gerund_base(word)
    return SYNONYMS.get(single, single)


def gerund_base(word: str) -> str:
    """ "swim" for "swimming", so that a noun and a verb are the same word."""
    stem = word[:-3]
    if not word.endswith("ing") or len(stem) < 3 or not set(stem) & set("aeiouy"):
        return word
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    short = stem[-2] in "aeiou" and stem[-3] not in "aeiou" and stem[-1] not in "wxy"
    return f"{stem}e" if short else stem


def plain(words: Iterable[str]) -> frozenset[str]:
    return frozenset(plain_word(word) for word in words)


def same_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for the same words, whichever half of the day a clock time was meant in."""
    if one == other:
        return True
    left, right = one - other, other - one
    return len(left) == len(right) == 1 and same_time(*left, *right)


def are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for values that exclude each other by what the words mean."""
    one, other = plain(one), plain(other)
    left, right = one - other, other - one
    if len(left) != 1 or len(right) != 1:
        return False
    if left | right in _opposites() or _denies(*left, *right):
        return True
    return left < _COLOURS and right < _COLOURS


def _denies(one: str, other: str) -> bool:
    """ "unresolved" against "resolved"."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == f"{prefix}{short}" for prefix in _DENYING)


_DENYING = ("un", "in", "im", "ir", "il", "dis", "non", "non-")


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ous"))
