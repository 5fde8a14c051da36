"""Describing: who or what something is, in the words of the notes on it.

Telling: a story from the words of its chapters.

Every sentence is one that a chapter has; only the dates before them are ours. What was told before
does not matter: the same chapters make the same story, however often it is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from remanent.core.dataclasses import dataclass
from remanent.core.model.mind_types import Chapter, Judgement, StoryText
from remanent.core.passage_features import MONTHS
from remanent.minds.offline.sentences import SHORT, cut, singular, words

Judge = Callable[[str, Sequence[str]], list[Judgement]]

_OF_THE_DAY = re.compile(  # true when it was said, and seldom afterwards
    r"\b(?:today|yesterday|tomorrow|tonight|(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend))\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"(?:i|my|we|our)\b", re.IGNORECASE)
_SAID_BY = re.compile(r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}: (?=\S)")
_OF_SPEAKERS = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours)\b", re.IGNORECASE)
_MOST = 3
_MOST_NOTED, _MOST_BEFORE = 8, 3  # sentences that are held against each other
_LONGEST = 400


def describe(judge: Judge, name: str, description: str, notes: Sequence[str]) -> str:
    """Up to three sentences: those of which it is the subject first, the newest of them first.

    What a newer sentence contradicts or repeats is left out, of the notes as of the description so
    far, which tells on what notes said that are gone.
    """
    told = dict([*_sentences(reversed(notes)).items()][:_MOST_NOTED])
    before = [text for key, text in _sentences([description]).items() if key not in told]
    left = _uncontradicted(judge, [*told.values(), *before[:_MOST_BEFORE]])
    own = _words(name)
    ranked = sorted(left, key=lambda one: _rank(one, own))  # stable: newest first within a rank
    return " ".join(cut(one, _LONGEST) for one in ranked[:_MOST])


def _sentences(texts: Iterable[str]) -> dict[str, str]:
    """The sentences of these texts, each once, by their bare words."""
    found: dict[str, str] = {}
    for part in (_without_speaker(part) for text in texts for part in _parts(text)):
        if said := " ".join(words(part)).casefold():
            found.setdefault(said, part)
    return found


def _without_speaker(sentence: str) -> str:
    """A sentence without who said it, where its words do not turn on that."""
    found = _SAID_BY.match(sentence)
    if found is None or _OF_SPEAKERS.search(sentence, found.end()):
        return sentence
    rest = sentence[found.end() :]
    return rest[:1].upper() + rest[1:]


def _uncontradicted(judge: Judge, said: Sequence[str]) -> list[str]:
    """Those that no newer one of those that stand contradicts or repeats; newest first."""
    left, rest = list[str](), list(said)
    while rest:
        newest, *older = rest
        left.append(newest)
        verdicts = judge(newest, older) if older else []
        rest = [
            one
            for one, verdict in zip(older, verdicts, strict=True)
            if verdict in {Judgement.DIFFERENT, Judgement.DOUBTFUL}
        ]
    return left


def _rank(said: str, own: set[str]) -> int:
    """0: it is the subject; 1: it is spoken of; 2: that held on the day, or is a question."""
    if said.endswith("?") or _OF_THE_DAY.search(said) or len(said) > _LONGEST:
        return 2
    is_subject = singular(words(said)[0]) in own
    return 0 if is_subject or (_OWN.match(said) and not own & _words(said)) else 1


MOST_CHARACTERS = 240  # of one sentence
ALIKE = 0.6  # share of words from which on two sentences say the same
_END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’)]))\s+(?=[^a-z\s])")
# The words before a sentence of a storyline, when it is told as part of a macro.
_DATED = re.compile(r"^(?:It began|On|Most recently, on)(?: on)?(?: \d{1,2} [A-Z]\w+(?: \d{4})?): ")
_ENDED = (*".!?…\"'”’)",)
_LEAST_LETTERS = 3
_MONTHS = tuple(one.title() for one in MONTHS)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """One sentence of the story: of which chapter, and which of its sentences."""

    chapter: int
    place: int
    text: str


def tell(tale: StoryText) -> str:
    """How it began, what happened, and where it stands."""
    chapters = [one for one in tale.chapters if one.text.strip()]
    if not chapters:
        return ""
    said = [
        [cut(_without_speaker(_DATED.sub("", part)), MOST_CHARACTERS) for part in _parts(one.text)]
        for one in chapters
    ]
    if any(one.until is not None for one in chapters):
        chosen = _of_arcs(said, tale.most)
        return " ".join(_in_arcs(chapters, _enough(chosen, said, tale)))
    chosen = _of_days(said, tale)
    return " ".join(_on_days(chapters, _enough(chosen, said, tale)))


# --- which sentences -------------------------------------------------------------------------


def _of_days(said: Sequence[Sequence[str]], tale: StoryText) -> list[_Chosen]:
    """The first chapter that names it, the last, and of those between the ones that add most."""
    names = _names(tale.name)
    heads = [_Chosen(number, *_head(one, names)) for number, one in enumerate(said)]
    heads = [one for one in heads if names & _words(one.text)] or heads
    chosen = [heads[-1]]
    if len(heads) > 1 and tale.most > 1:
        first = heads[0].chapter
        begun = (heads[0], *(_Chosen(first, place, text) for place, text in enumerate(said[first])))
        chosen += [one for one in begun if not _is_repeated(one.text, chosen)][:1]
    between = [one for one in heads[1:-1] if not _is_repeated(one.text, chosen)]
    while between and len(chosen) < tale.most:
        best = max(between, key=lambda one: (_news(one.text, chosen, names), one.chapter))
        chosen.append(best)
        between = [one for one in between if not _is_repeated(one.text, chosen)]
    return chosen


def _names(name: str) -> set[str]:
    return {word for word in _words(name) if len(word) >= _LEAST_LETTERS}


def _of_arcs(said: Sequence[Sequence[str]], most: int) -> list[_Chosen]:
    """How the first began, how the last ended, and where there is room how the others did."""
    last = len(said) - 1
    wanted = [(last, len(said[last]) - 1), (0, 0)]
    wanted += [(number, len(said[number]) - 1) for number in range(last - 1, 0, -1)]
    wanted += [(last, 0), (0, len(said[0]) - 1)]
    chosen: list[_Chosen] = []
    for chapter, place in wanted:
        text = said[chapter][place]
        if len(chosen) < most and not _is_repeated(text, chosen):
            chosen.append(_Chosen(chapter, place, text))
    return chosen


def _enough(chosen: list[_Chosen], said: Sequence[Sequence[str]], tale: StoryText) -> list[_Chosen]:
    """At least as many as asked for, if there are, what names it first; in order of time."""
    names = _names(tale.name)
    rest = [
        _Chosen(chapter, place, text)
        for chapter in (len(said) - 1, *range(len(said) - 1))
        for place, text in enumerate(said[chapter])
    ]
    for one in sorted(rest, key=lambda one: not names & _words(one.text)):
        if len(chosen) < tale.fewest and not _is_repeated(one.text, chosen):
            chosen.append(one)
    return sorted(chosen, key=lambda one: (one.chapter, one.place))


def _head(sentences: Sequence[str], names: set[str]) -> tuple[int, str]:
    """The first sentence that speaks of it by name; the first of all where none does."""
    for place, text in enumerate(sentences):
        if names & _words(text):
            return place, text
    return 0, sentences[0]


def _news(text: str, told: Sequence[_Chosen], names: set[str]) -> float:
    """How much of it nobody has said yet; what names the anchor comes first."""
    words = _words(text)
    known = set().union(*(_words(one.text) for one in told))
    return len(words - known) / len(words) + bool(names & words)


def _is_repeated(text: str, told: Sequence[_Chosen]) -> bool:
    words, others = _words(text), [_words(one.text) for one in told]
    return not words or any(len(words & one) > ALIKE * len(words | one) for one in others)


# --- with their dates ------------------------------------------------------------------------


def _on_days(chapters: Sequence[Chapter], chosen: Sequence[_Chosen]) -> list[str]:
    told: list[str] = []
    before: datetime | None = None
    last = chapters[chosen[-1].chapter].at.date()
    for one in chosen:
        at = chapters[one.chapter].at
        if before is not None and at.date() == before.date():
            told.append(one.text)
        elif before is None:
            told.append(f"It began on {_day(at, None)}: {one.text}")
        elif at.date() == last:
            told.append(f"Most recently, on {_day(at, before)}: {one.text}")
        else:
            told.append(f"On {_day(at, before)}: {one.text}")
        before = at
    return told


def _in_arcs(chapters: Sequence[Chapter], chosen: Sequence[_Chosen]) -> list[str]:
    told: list[str] = []
    before = -1
    for one in chosen:
        fresh = one.chapter != before
        told.append(f"{_span(chapters[one.chapter])}: {one.text}" if fresh else one.text)
        before = one.chapter
    return told


def _day(at: datetime, before: datetime | None) -> str:
    day = f"{at.day} {_MONTHS[at.month - 1]}"
    return day if before is not None and before.year == at.year else f"{day} {at.year}"


def _span(chapter: Chapter) -> str:
    start, end = chapter.at, chapter.until or chapter.at
    first, last = _MONTHS[start.month - 1], _MONTHS[end.month - 1]
    if (start.year, start.month) == (end.year, end.month):
        return f"In {last} {end.year}"
    if start.year == end.year:
        return f"From {first} to {last} {end.year}"
    return f"From {first} {start.year} to {last} {end.year}"


# --- words -----------------------------------------------------------------------------------


def _parts(text: str) -> list[str]:
    """The sentences of a text, each with a full stop; at least one."""
    parts: list[str] = []
    for part in _END.split(" ".join(text.split())):
        if parts and SHORT.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return [one if one.endswith(_ENDED) else f"{one}." for one in parts]


def _words(text: str) -> set[str]:
    return {singular(word) for word in words(text)}
