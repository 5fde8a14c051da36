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

Judge = Callable[[str, Sequence[str]], list[Judgement]]

_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<!\bMrs\.)\s+(?=[^a-z\s])")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_OF_THE_DAY = re.compile(  # true when it was said, and seldom afterwards
    r"\b(?:today|yesterday|tomorrow|tonight|(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend))\b",
    re.IGNORECASE,
)
_OWN = frozenset(
    {"i", "i'm", "i’m", "i've", "i’ve", "i'd", "i’d", "i'll", "i’ll", "my", "we", "our"}
)
_MOST = 3
_MOST_NOTED, _MOST_BEFORE = 8, 3  # sentences that are held against each other
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class _Noted:
    text: str
    words: tuple[str, ...]


def describe(judge: Judge, name: str, description: str, notes: Sequence[str]) -> str:
    """Up to three sentences: those of which it is the subject first, the newest of them first.

    What a newer sentence contradicts or repeats is left out, of the notes as of the description so
    far, which tells on what notes said that are gone.
    """
    told = _sentences(reversed(notes))[:_MOST_NOTED]
    known = {one.words for one in told}
    before = [one for one in _sentences([description]) if one.words not in known][:_MOST_BEFORE]
    left = _uncontradicted(judge, [*told, *before])
    own = {word.casefold() for word in _WORD.findall(name)}
    ranked = sorted(left, key=lambda one: _rank(one, own))  # stable: newest first within a rank
    return " ".join(_cut(one.text) for one in ranked[:_MOST])


def _sentences(texts: Iterable[str]) -> list[_Noted]:
    """The sentences of these texts, each once, with a full stop."""
    found: dict[tuple[str, ...], _Noted] = {}
    for text in texts:
        for part in _SENTENCE.split(" ".join(text.split())):
            words = tuple(word.casefold() for word in _WORD.findall(part))
            if words and words not in found:
                found[words] = _Noted(part if part[-1] in ".!?…\"'”’)" else f"{part}.", words)
    return list(found.values())


def _uncontradicted(judge: Judge, said: Sequence[_Noted]) -> list[_Noted]:
    """Those that no newer one of those that stand contradicts or repeats; newest first."""
    left, rest = list[_Noted](), list(said)
    while rest:
        newest, *older = rest
        left.append(newest)
        verdicts = judge(newest.text, [one.text for one in older]) if older else []
        rest = [
            one
            for one, verdict in zip(older, verdicts, strict=True)
            if verdict in {Judgement.DIFFERENT, Judgement.DOUBTFUL}
        ]
    return left


def _rank(said: _Noted, own: set[str]) -> int:
    """0: it is the subject; 1: it is spoken of; 2: that held on the day, or is a question."""
    if said.text.endswith("?") or _OF_THE_DAY.search(said.text) or len(said.text) > _LONGEST:
        return 2
    named = own.intersection(_bare(word) for word in said.words)
    first = _bare(said.words[0])
    return 0 if first in own or (said.words[0] in _OWN and not named) else 1


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST].rpartition(' ')[0]}…"


MOST_CHARACTERS = 240  # of one sentence
ALIKE = 0.6  # share of words from which on two sentences say the same
_END = re.compile(r"(?<=[.!?…])[\"”’)]*\s+(?=[\"“‘(]?[A-Z0-9À-ÞĀ-Ž])")
_SHORT = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|approx)|\b[A-Z])\.$")
# The words before a sentence of a storyline, when it is told as part of a macro.
_DATED = re.compile(r"^(?:It began|On|Most recently, on)(?: on)?(?: \d{1,2} [A-Z]\w+(?: \d{4})?): ")
_LETTERS = re.compile(r"[^\W_]+")
_LEAST_LETTERS = 3
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


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
    said = [_story_sentences(one.text) for one in chapters]
    if any(one.until is not None for one in chapters):
        chosen = _of_arcs(said, tale.most)
        return " ".join(_in_arcs(chapters, _enough(chosen, said, tale)))
    chosen = _of_days(said, tale)
    return " ".join(_on_days(chapters, _enough(chosen, said, tale)))


# --- which sentences -------------------------------------------------------------------------


def _of_days(said: Sequence[Sequence[str]], tale: StoryText) -> list[_Chosen]:
    """The first chapter, the last, and of those between the ones that add most."""
    names = {word for word in _words(tale.name) if len(word) >= _LEAST_LETTERS}
    heads = [_Chosen(number, *_head(one, names)) for number, one in enumerate(said)]
    chosen = [heads[-1]]
    if len(heads) > 1 and tale.most > 1:
        begun = (heads[0], *(_Chosen(0, place, text) for place, text in enumerate(said[0])))
        chosen += [one for one in begun if not _is_repeated(one.text, chosen)][:1]
    between = [one for one in heads[1:-1] if not _is_repeated(one.text, chosen)]
    while between and len(chosen) < tale.most:
        best = max(between, key=lambda one: (_news(one.text, chosen, names), one.chapter))
        chosen.append(best)
        between = [one for one in between if not _is_repeated(one.text, chosen)]
    return chosen


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
    """At least as many as asked for, if there are; in order of time."""
    rest = [
        _Chosen(chapter, place, text)
        for chapter in (len(said) - 1, *range(len(said) - 1))
        for place, text in enumerate(said[chapter])
    ]
    for one in rest:
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
    words = _words(text)
    return not words or any(_likeness(words, _words(one.text)) > ALIKE for one in told)


def _likeness(words: set[str], others: set[str]) -> float:
    return len(words & others) / len(words | others) if words | others else 1.0


# --- with their dates ------------------------------------------------------------------------


def _on_days(chapters: Sequence[Chapter], chosen: Sequence[_Chosen]) -> list[str]:
    told: list[str] = []
    before: datetime | None = None
    for one in chosen:
        at = chapters[one.chapter].at
        if before is not None and at.date() == before.date():
            told.append(one.text)
        elif one.chapter == 0:
            told.append(f"It began on {_day(at, None)}: {one.text}")
        elif one.chapter == len(chapters) - 1:
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


def _story_sentences(text: str) -> list[str]:
    """The sentences of a text, each ended and none too long; at least one."""
    pieces: list[str] = []
    for piece in _END.split(" ".join(text.split())):
        if pieces and _SHORT.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        else:
            pieces.append(piece)
    return [_ended(_DATED.sub("", one)) for one in pieces]


def _ended(sentence: str) -> str:
    if len(sentence) > MOST_CHARACTERS:
        return f"{sentence[:MOST_CHARACTERS].rpartition(' ')[0].rstrip(',;:')}…"
    return sentence if sentence.endswith((".", "!", "?", "…", "”", '"', ")")) else f"{sentence}."


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _LETTERS.findall(text)}
