"""Whether two statements say the same, exclude each other, or have nothing to do with each other.

Both are put in plain words first. Then they are compared by the slots of life that we know (a home,
an employer), and where no slot decides, by who does what, where and when. In doubt they are
different: a fact kept twice is a small harm, a fact retired by mistake a great one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import exclusion, side_by_side
from remanent.minds.offline.closing import Closing, closings, is_closed
from remanent.minds.offline.comparison import compare
from remanent.minds.offline.frames import Frame, State, words_of
from remanent.minds.offline.parser import Parser
from remanent.minds.offline.preface import what_remains, without_preface
from remanent.minds.offline.roles import Told, told
from remanent.minds.offline.slots import frames_of
from remanent.minds.offline.wordings import Wording, plain_wording, taken_back

if TYPE_CHECKING:
    from spacy.tokens import Doc

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
    if side_by_side.words(new.doc) == side_by_side.words(old.doc):
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
        side_by_side.figure_differs(new.doc, old.doc, said)
        or side_by_side.opposite_differs(new.doc, old.doc, said)
        or side_by_side.only_not_differs(new.doc, old.doc)
        or side_by_side.is_turned_round(new.doc, old.doc)
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
    return new.told[0].verb == old.told[0].verb and side_by_side.same_words(new.doc, old.doc)
