"""Two sentences word by word, whatever the parser makes of them."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from remanent.minds.offline.exclusion import is_taste
from remanent.minds.offline.frames import State, words_of
from remanent.minds.offline.moments import figure
from remanent.minds.offline.opposites import (
    are_opposite,
    are_opposite_prepositions,
    plain,
    plain_word,
)
from remanent.minds.offline.roles import Told
from remanent.minds.offline.wordings import base_form

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SLIGHT = frozenset({"do", "does", "a", "an", "any", "the", "ever", "again"})
_DENIALS = frozenset({"not", "never", "no"})


def words(doc: Doc) -> list[str]:
    """The words as written, in lower case."""
    return [t.lower_ for t in doc if not t.is_punct and not t.is_space]


def figure_differs(new: Doc, old: Doc, told: list[Told]) -> bool:
    """One sentence twice, with another number or time in it, of something that is so now."""
    mine, other = _changed(words(new), words(old))
    if mine == other or not all((*mine, *other)):
        return False
    if not told or any(one.state is State.PAST or not one.positive for one in told):
        return False
    indefinite = any(not one.definite and one.verb in {"have", "get"} for one in told)
    return not indefinite or any(word.isdigit() for word in mine)


def _changed(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """The figures by which two sentences differ in one place; nothing if they differ otherwise."""
    parts = SequenceMatcher(a=left, b=right, autojunk=False).get_opcodes()
    changed = [part for part in parts if part[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace" or len(left) < 4 or changed[0][1] == 0:
        return [], []
    _, a, b, c, d = changed[0]
    return [figure(word) for word in left[a:b]], [figure(word) for word in right[c:d]]


def only_not_differs(new: Doc, old: Doc) -> bool:
    """One sentence with "not" and without."""
    left, right = (
        [plain_word(base_form(word)) for word in words(doc) if word not in _SLIGHT]
        for doc in (new, old)
    )
    denied = [any(word in _DENIALS for word in said) for said in (left, right)]
    same = [[word for word in said if word not in _DENIALS] for said in (left, right)]
    return denied[0] is not denied[1] and same[0] == same[1] and len(same[0]) > 2


def is_turned_round(new: Doc, old: Doc) -> bool:
    """The same words with two of them the other way round: "closer to Ann than to Ben"."""
    left, right = words(new), words(old)
    if sorted(left) != sorted(right) or left == right:
        return False
    return "than" in left or ("to" in left and "prefer" in {base_form(word) for word in left})


def opposite_differs(new: Doc, old: Doc, told: list[Told]) -> bool:
    """One sentence twice, with the opposite of one word in it: "I am on leave", "off leave"."""
    left, right = words(new), words(old)
    parts = SequenceMatcher(a=left, b=right, autojunk=False).get_opcodes()
    changed = [part for part in parts if part[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "replace" or len(left) != len(right):
        return False
    _, a, b, c, _ = changed[0]
    if b - a != 1 or a < 2 or any(one.state is not State.NOW or not one.positive for one in told):
        return False
    if any(is_taste(one.verb) and not one.definite for one in told):
        return False
    one, other = left[a], right[c]
    return are_opposite_prepositions(one, other) or are_opposite(
        frozenset({one}), frozenset({other})
    )


def same_words(new: Doc, old: Doc) -> bool:
    """The same words in another order, hanging together by the same prepositions."""
    return plain(words_of(new)) == plain(words_of(old)) and _links(new) == _links(old)


def _links(doc: Doc) -> frozenset[str]:
    """The words that say how the others hang together: "up the hill", "down the hill"."""
    return frozenset(t.lower_ for t in doc if t.pos_ in {"ADP", "SCONJ"} or t.dep_ == "prt")
