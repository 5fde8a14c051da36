"""Whether two statements say the same, exclude each other, or have nothing to do with each other.

In doubt they are different: a fact kept twice is a small harm, a fact retired by mistake a great one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from remanent.minds.offline.frames import Frame, State, words_of
from remanent.minds.offline.lexicon import words
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.places import COUNTRIES
from remanent.minds.offline.slots import are_opposite, frames_of, holds_one
from remanent.model.reading import Judgement

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SAME, _AGAINST, _APART = Judgement.SAME, Judgement.CONTRADICTS, Judgement.DIFFERENT
_SYNONYMS = {
    word: group[0]
    for group in (
        ["buy", "purchase", "acquire"],
        ["movie", "film"],
        ["car", "automobile"],
        ["kid", "child"],
        ["mother", "mom", "mum"],
        ["father", "dad"],
        ["big", "large"],
        ["start", "begin"],
        ["job", "work", "occupation", "profession"],
        ["company", "firm", "business"],
        ["apartment", "flat"],
        ["vacation", "holiday"],
        ["favourite", "favorite"],
        ["colour", "color"],
        ["doctor", "physician"],
        ["photo", "picture", "photograph"],
        ["like", "enjoy", "love", "adore"],
        ["hate", "dislike", "detest", "loathe"],
        ["home", "house"],
        ["phone", "mobile", "telephone"],
        ["run", "jog"],
        ["talk", "speak", "chat"],
        ["fast", "quick", "rapid"],
        ["street", "road"],
        ["scared", "afraid", "frightened"],
        ["reside", "live"],
    )
    for word in group
}

_EASIER = {
    "dislike": "hate",
    "dislikes": "hates",
    "got divorced": "is divorced",
    "got married": "is married",
    "got engaged": "is engaged",
    "no longer like": "don't like",
    "no longer likes": "doesn't like",
}
_HARD_WORDS = re.compile(rf"\b(?:{'|'.join(_EASIER)})\b", re.IGNORECASE)


def judge(parser: Parser, statement: str, believed: Sequence[str]) -> list[Judgement]:
    """How `statement` stands to each of `believed`."""
    new, *held = parser.docs([_easier(text) for text in (statement, *believed)])
    return [_judge(new, old) for old in held]


def _easier(text: str) -> str:
    """The text with words that the small parser takes for nouns put in others."""
    return _HARD_WORDS.sub(lambda found: _EASIER[found.group().lower()], text)


def _judge(new: Doc, old: Doc) -> Judgement:
    if _plain(new) == _plain(old):
        return _SAME
    ours, theirs = frames_of(new), frames_of(old)
    verdicts = [[_compare(one, other) for other in theirs] for one in ours]
    if any(verdict is _AGAINST for row in verdicts for verdict in row):
        return _AGAINST
    if verdicts and all(_SAME in row for row in verdicts):
        return _SAME
    return _by_words(new, old, ours[0], theirs[0]) if ours and theirs else _APART


def _plain(doc: Doc) -> str:
    return " ".join(t.lower_ for t in doc if not t.is_punct and not t.is_space)


def _compare(new: Frame, old: Frame) -> Judgement:
    if not same_subject(new.subject, old.subject) or _slot(new) != _slot(old):
        return _APART
    if new.state is not old.state:
        return _ended(new, old)
    if new.slot.startswith(("do:", "is", "place")):
        return _compare_open(new, old)
    if new.slot.startswith("count:") and new.positive is not old.positive:
        return _AGAINST if "some" in (old.value if new.positive else new.value) else _APART
    if _same_value(new, old):
        return _agreed(new, old)
    return _AGAINST if _exclude(new, old) else _APART


def _exclude(new: Frame, old: Frame) -> bool:
    """True if two values of one slot cannot both be so."""
    if not (new.positive and old.positive and new.state is State.NOW):
        return False
    if holds_one(new) and holds_one(old):
        return _comparable(new, old)
    return new.slot.startswith("attr:") and are_opposite(new.value, old.value)


def _slot(frame: Frame) -> str:
    kind, _, name = frame.slot.partition(":")
    return f"{kind}:{_SYNONYMS.get(name, name)}"


def _ended(new: Frame, old: Frame) -> Judgement:
    """ "I used to live in Oslo" retires "I live in Oslo" and says nothing of Bergen."""
    over = new.state is State.PAST and old.state is State.NOW
    told = over and "use" in new.extra
    return _AGAINST if told and new.positive and old.positive and _same_value(new, old) else _APART


def _agreed(new: Frame, old: Frame) -> Judgement:
    if new.positive is not old.positive:
        return _AGAINST if new.state is State.NOW else _APART
    return _SAME if len(new.extra - old.extra) <= _room(new) else _APART


def _room(frame: Frame) -> int:
    # A slot we know is filled whatever is said around it; a liking is told by its object alone.
    return 1 if frame.slot.startswith(("like", "count", "attr")) else 2


def _compare_open(new: Frame, old: Frame) -> Judgement:
    """Slots that may hold many values: only a plain denial or an opposite contradicts."""
    apart = _reduced(new.extra) ^ _reduced(old.extra)
    if not apart and _same_value(new, old):
        return _SAME if new.positive is old.positive else _AGAINST
    if new.positive and old.positive and not apart and are_opposite(new.value, old.value):
        return _AGAINST
    return _APART


def same_subject(one: str, other: str) -> bool:
    """True for equal keys, and for a first name beside the full one."""
    one, other = (" ".join(_SYNONYMS.get(w, w) for w in key.split()) for key in (one, other))
    if one == other:
        return True
    short, long = sorted((one.split(), other.split()), key=len)
    return (
        len(short) == 1
        and long[:1] == short
        and short[0] not in {"owner", "the"}
        and len(long) == 2
    )


def _same_value(new: Frame, old: Frame) -> bool:
    left, right = _reduced(new.value), _reduced(old.value)
    if left == right:
        return True
    return (
        new.proper and old.proper and bool(left) and bool(right) and (left < right or right < left)
    )


def _comparable(new: Frame, old: Frame) -> bool:
    """False where both may be true: a city and its country, a named firm and "a bank"."""
    if new.proper is not old.proper and new.slot in {"home", "employer", "origin", "school"}:
        return False
    if new.slot in {"home", "origin", "born:place"}:
        return bool(new.value & COUNTRIES) is bool(old.value & COUNTRIES)
    return True


def _reduced(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_SYNONYMS.get(word, word) for word in words)


def _by_words(new: Doc, old: Doc, mine: Frame, other: Frame) -> Judgement:
    """The same words but for one value; numbers and times exclude each other."""
    if not same_subject(mine.subject, other.subject) or mine.state is not other.state:
        return _APART
    if _slot(mine) != _slot(other):
        return _APART
    agreeing = mine.positive is other.positive
    if _reduced(words_of(new)) == _reduced(words_of(old)) and _links(new) == _links(old):
        return _SAME if agreeing else _AGAINST
    if agreeing and mine.state is State.NOW and _differ_in_number(new, old):
        return _AGAINST
    return _APART


def _links(doc: Doc) -> frozenset[str]:
    """The words that say how the others hang together: "up the hill", "down the hill"."""
    return frozenset(t.lower_ for t in doc if t.pos_ in {"ADP", "SCONJ"} or t.dep_ == "prt")


def _differ_in_number(new: Doc, old: Doc) -> bool:
    """True if the two are one template in which one number or clock time was changed."""
    left, right = ([t.lemma_.lower() for t in d if not t.is_punct] for d in (new, old))
    parts = SequenceMatcher(a=left, b=right, autojunk=False).get_opcodes()
    changed = [part for part in parts if part[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace" or len(left) < 4:
        return False
    _, a, b, c, d = changed[0]
    return b - a == d - c == 1 and all(_is_number(word) for word in (left[a], right[c]))


def _is_number(word: str) -> bool:
    return any(c.isdigit() for c in word) or word in _NUMBER_WORDS


_NUMBER_WORDS = words(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty"
)
