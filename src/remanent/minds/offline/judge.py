"""Two sentences word by word, whatever the parser makes of them.

Whether two statements say the same, exclude each other, or have nothing to do with each other.

Both are put in plain words first. Then they are compared by the slots of life that we know (a home,
an employer), and where no slot decides, by who does what, where and when. In doubt they are
different: a fact kept twice is a small harm, a fact retired by mistake a great one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import exclusion
from remanent.minds.offline.exclusion import compare, is_taste
from remanent.minds.offline.frames import Frame, State, words_of
from remanent.minds.offline.moments import (
    Closing,
    are_opposite,
    are_opposite_prepositions,
    closings,
    figure,
    is_closed,
    plain,
    plain_word,
)
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.roles import Told, told
from remanent.minds.offline.slots import frames_of
from remanent.minds.offline.voice import what_remains, without_preface
from remanent.minds.offline.wordings import Wording, base_form, plain_wording, taken_back

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


_SAME, _AGAINST, _APART = Judgement.SAME, Judgement.CONTRADICTS, Judgement.DIFFERENT


@dataclass(frozen=True, slots=True, eq=False)
class _Statement:
    """A statement as it is compared."""

    doc: Doc
    wording: Wording
    frames: list[Frame]
    told: list[Told]


@dataclass(frozen=True, slots=True, eq=False)
class _News:
    """What was said: `gone` is what it takes back, `rest` what it says beside of what is over."""

    said: _Statement
    gone: _Statement | None
    rest: _Statement | None
    over: Sequence[Closing]


def judge(parser: Parser, statement: str, believed: Sequence[str]) -> list[Judgement]:
    """How `statement` stands to each of `believed`."""
    heard = without_preface(statement)
    said, denied = taken_back(heard)
    held = [without_preface(text) for text in believed]
    whole = _statements(parser, [said, *held])
    parts = _statements(parser, [denied, what_remains(heard), *map(_remaining, held)])
    gone, rest, *left = (one if one.told or one.frames else None for one in parts)
    over = list(dict.fromkeys([*closings(statement), *closings(heard)]))
    news = _News(whole[0], gone, rest, over)
    return [
        _verdict(news, [old] if remains is None else [old, remains])
        for old, remains in zip(whole[1:], left, strict=True)
    ]


def _remaining(text: str) -> str:
    """What an older statement says beside what it said was over, or was not so."""
    said, denied = taken_back(text)
    return what_remains(text) or (said if denied else "")


def _verdict(news: _News, parts: Sequence[_Statement]) -> Judgement:
    """How the news stands to an older statement: to the whole of it, then to what remained of it."""
    for old in parts:
        if news.gone is not None and _judge(news.gone, old) is _SAME:
            return _AGAINST
        judged = _judge(news.said, old)
        if judged is not _APART:
            return judged
        if news.rest is not None and _judge(news.rest, old) is _AGAINST:
            return _AGAINST
        if any(_closes(one, old) for one in news.over):
            return _AGAINST
    return _APART


def _closes(closing: Closing, old: _Statement) -> bool:
    """Whether the older one holds now, and tells of what is over."""
    if not all(one.positive and one.state is State.NOW for one in old.frames):
        return False
    return is_closed(closing, words_of(old.doc), old.wording.text)


def _statements(parser: Parser, texts: Sequence[str]) -> list[_Statement]:
    wordings = [plain_wording(text) for text in texts]
    docs = parser.docs([one.text for one in wordings])
    return [_statement(doc, wording) for doc, wording in zip(docs, wordings, strict=True)]


def _statement(doc: Doc, wording: Wording) -> _Statement:
    frames = [
        replace(one, extra=one.extra | wording.aside, several=one.several or wording.several)
        for one in frames_of(doc)
    ]
    return _Statement(doc, wording, frames, told(doc, wording.aside))


def _judge(new: _Statement, old: _Statement) -> Judgement:
    if words(new.doc) == words(old.doc):
        return _SAME if len(new.wording.aside - old.wording.aside) < 2 else _APART
    verdicts = [
        [compare(one, other, marked=new.wording.marked) for other in old.frames]
        for one in new.frames
    ]
    if any(_AGAINST in row for row in verdicts) or _is_against(new, old):
        return _AGAINST
    slots = [row for row, one in zip(verdicts, new.frames, strict=True) if not one.also]
    if slots and all(_SAME in row for row in slots):
        return _SAME
    return _SAME if _is_repeated(new, old) else _APART


def _is_against(new: _Statement, old: _Statement) -> bool:
    """True if the two exclude each other by their roles or word by word."""
    marked = new.wording.marked
    for one in new.told:
        for other in old.told:
            if exclusion.denies(one, other) or exclusion.excludes(one, other, marked=marked):
                return True
    said = [*new.told, *old.told]
    return (
        figure_differs(new.doc, old.doc, said)
        or opposite_differs(new.doc, old.doc, said)
        or only_not_differs(new.doc, old.doc)
        or is_turned_round(new.doc, old.doc)
    )


def _is_repeated(new: _Statement, old: _Statement) -> bool:
    """True if the old one says all that the new one says, by its roles or in the same words."""
    if not new.told or not old.told:
        return False
    if all(any(exclusion.repeats(one, other) for other in old.told) for one in new.told):
        return True
    mine, other = new.frames[0], old.frames[0]
    if mine.state is not other.state or mine.positive is not other.positive:
        return False
    if mine.subject.split()[-1:] != other.subject.split()[-1:]:
        return False
    return new.told[0].verb == old.told[0].verb and same_words(new.doc, old.doc)
