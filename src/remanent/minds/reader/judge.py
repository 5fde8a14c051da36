"""Judge: how a later statement stands to one that is believed, when sure; in doubt it says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final

from remanent.core.blas import one_thread
from remanent.core.model.mind_types import Judgement
from remanent.core.passage_features import MONTHS, WEEKDAYS
from remanent.minds.reader import heads
from remanent.minds.reader.labels import JUDGE
from remanent.minds.reader.reading import THRESHOLDS, Thresholds, load
from remanent.minds.reader.tokens import pair
from remanent.weights.encoder import Floats, tokenizer
from remanent.weights.recent import RecentTexts

DOUBT: Final = 0.4
"""Chance of an update from which on, short of the threshold, two statements are in dispute."""
_MOST_OF: Final = 0.7
"""Share of its words with which a belief is taken up."""
_NUMBER: Final = re.compile(r"\d{1,18}", re.ASCII)
_DAYS_AND_MONTHS: Final = {*WEEKDAYS, *MONTHS} - {"may"}
_AGAINST: Final = {Judgement.CONTRADICTS, Judgement.DOUBTFUL}
_WORD: Final = re.compile(r"\w+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_UNREAD: Final = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
"""A letter of no Latin alphabet: of words written in others the reader knows next to nothing."""
_BREAK: Final = re.compile(
    r"\s*[,;:.!?–—]+\s+|\s+(?:and|but|yet|so|or|then|though|although|while|because)\s+",
    re.IGNORECASE,
)
"""Where a clause may begin."""
_MOST_BREAKS: Final = 16
_RECENT: Final[RecentTexts[Floats]] = RecentTexts()
_UPDATE, _SAME, _REFINE = (JUDGE.index(label) for label in ("update", "same", "refine"))


def judge(
    statement: str, believed: Sequence[str], thresholds: Thresholds = THRESHOLDS
) -> list[Judgement]:
    """How `statement`, said later, stands to each of `believed`.

    Whatever takes up a belief and denies it in the same breath ends nothing: "I live in Oslo, but
    nothing of that holds" speaks of words, and "I live in Oslo, but next year in Bergen" of a plan.
    What is said again word for word is the same; with another number or day it is not. In other words it is
    the same if that is certain whichever of the two comes first, and it names no number or day that the
    belief lacks: a statement taken for a repetition is lost.
    Of two of which one is mostly in an alphabet that the reader cannot read it says nothing.
    """
    said = _words(statement)
    others = [old for old in believed if _words(old) != said]
    readable = [old for old in others if _is_readable(statement) and _is_readable(old)]
    chances = dict(zip(readable, chances_of(statement, readable, thresholds), strict=True))
    verdicts = dict.fromkeys(others, Judgement.DIFFERENT)
    verdicts |= {old: _judged(statement, old, chances[old], thresholds) for old in readable}
    return [verdicts.get(old, Judgement.SAME) for old in believed]


def _is_readable(text: str) -> bool:
    """Whether most of its letters are of a Latin alphabet; "I moved to 서울." is readable."""
    return 2 * len(_UNREAD.findall(text)) <= len(_LETTER.findall(text))


def _judged(statement: str, old: str, chances: Floats, thresholds: Thresholds) -> Judgement:
    found = decided(chances, thresholds)
    if found in {Judgement.SAME, Judgement.REFINES}:
        return _alike_or_not(found, statement, old, chances, thresholds)
    if found is Judgement.CONTRADICTS and _takes_up(statement, old, thresholds):
        return Judgement.DIFFERENT
    return found


def _alike_or_not(
    found: Judgement, statement: str, old: str, chances: Floats, thresholds: Thresholds
) -> Judgement:
    """What seems alike one way round, seen both ways. It is the same, and lost, only where that is
    certain; else both stand."""
    said, known = _values(statement), _values(old)
    if found is Judgement.SAME and said - known and known - said:
        return Judgement.DIFFERENT
    (turned,) = chances_of(old, [statement], thresholds)
    ways = _alike(chances), _alike(turned)
    if sum(ways) / 2 < thresholds.same_both_ways:
        return Judgement.DIFFERENT
    certain = min(ways) >= thresholds.same_certain and said <= known
    return found if certain else Judgement.REFINES


def _alike(chances: Floats) -> float:
    return float(chances[_SAME] + chances[_REFINE])


def _takes_up(statement: str, old: str, thresholds: Thresholds) -> bool:
    """Whether clauses of the statement say what is believed, in no other words."""
    words = set(_words(old))
    near = [
        part
        for part in _parts(statement)
        if len(words) * _MOST_OF <= len(found := set(_words(part))) and found <= words
    ]
    chances = (chances_of(part, [old], thresholds)[0] for part in near)
    return any(decided(one, thresholds) not in _AGAINST for one in chances)


def _values(text: str) -> set[str]:
    """The numbers, months and days of the week that a statement names."""
    numbers = {str(int(one)) for one in _NUMBER.findall(text)}
    return numbers | {word for word in _words(text) if word in _DAYS_AND_MONTHS}


def _parts(statement: str) -> list[str]:
    """Every run of its clauses but the whole."""
    breaks = list(islice(_BREAK.finditer(statement), _MOST_BREAKS))
    starts = [0, *(one.end() for one in breaks)]
    ends = [*(one.start() for one in breaks), len(statement)]
    runs = ((a, b) for a in starts for b in ends if 0 < b - a < len(statement))
    return [statement[a:b] for a, b in runs]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def chances_of(
    statement: str, believed: Sequence[str], thresholds: Thresholds = THRESHOLDS
) -> list[Floats]:
    """The chances of each of the judge's labels, for each of `believed`."""
    known = (f"{thresholds.temperature}\n{old}\n{statement}" for old in believed)
    ask = (partial(_chances_of_pair, old, statement, thresholds.temperature) for old in believed)
    return [_RECENT.of(pair, make) for pair, make in zip(known, ask, strict=True)]


def _chances_of_pair(old: str, statement: str, temperature: float) -> Floats:
    model = load()
    (states,) = model.states([pair(tokenizer(), old, statement)])
    with one_thread():
        return heads.judged(model.heads, states, temperature)


def decided(chances: Floats, thresholds: Thresholds = THRESHOLDS) -> Judgement:
    """What follows from the chances: an update or a repetition only when sure, else both stand."""
    if chances[_UPDATE] >= thresholds.update:
        return Judgement.CONTRADICTS
    if _alike(chances) >= thresholds.same:
        return Judgement.SAME if chances[_SAME] >= chances[_REFINE] else Judgement.REFINES
    return Judgement.DOUBTFUL if chances[_UPDATE] >= DOUBT else Judgement.DIFFERENT
