"""A source in short: its text cleaned, what it is about, the one or two sentences that say most of it, and what a
conversation leaves behind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import dataclass
from remanent.core.model.mind_types import Topics
from remanent.core.model.source import ContentType
from remanent.core.regex import regex
from remanent.minds.offline.lexicon import GENERIC, STOP, fields_of
from remanent.minds.offline.named import Names
from remanent.minds.offline.sentences import Role, Sentence, cut, singular, words

_CONSIDERED: Final = 300
_LONGEST: Final = 320  # characters of a whole summary
_SENTENCE: Final = 220  # characters of one sentence; the rest is cut at a word
_ALIKE: Final = 0.9
_KEPT_FROM: Final = 0.5
_IDLE_FROM, _IDLE_BELOW = 0.9, 0.3  # how likely to be dropped, and worth keeping, idle words are
_LEAD: Final = regex(
    r"^(?:(?:hey|hi|hello|wow|thanks|thank you|yeah|yep|yes|ok|okay|oh|aw+|haha|well|so|and|but|also|plus"
    r"|honestly|actually|anyway|btw|by the way)\b(?: [A-Z]\w+)?[,!. ]+)+",
    re.IGNORECASE,
)
_AWAY: Final = regex(r"^(?:it|that|this|you|he|she|they)\b", re.IGNORECASE)


def summarize(spoken: Sequence[Sentence]) -> str:
    """An extract in the order of the text, each speaker named."""
    pool = _considered(spoken)
    if not pool:
        return ""
    bags = [Counter(singular(word) for word in content_words(one.text)) for one in pool]
    likeness = _word_likeness(bags)
    shared = likeness.mean(axis=1) + 0.3 * np.array(_frequency_scores(bags))
    # What a sentence tells counts for more than its words: they come back in asides as well.
    scores = np.array([_weight(one) for one in pool]) * (0.8 + shared)
    return _joined(pool, _chosen(pool, np.round(scores, 6), likeness))


def gist(spoken: Sequence[Sentence]) -> str:
    """An extract of the sentences worth keeping, each speaker named; empty if there is none."""
    people = [
        one
        for one in spoken
        if one.role is not Role.ASSISTANT and not one.is_question and one.keep >= _KEPT_FROM
    ]
    return summarize(people) if people else ""


def _considered(spoken: Sequence[Sentence]) -> list[Sentence]:
    people = [one for one in spoken if one.role is not Role.ASSISTANT] or list(spoken)
    pool = [one for one in people if not _is_idle(one)] or people
    if len(pool) <= _CONSIDERED:
        return pool
    # Evenly over the whole text: the end of a long meeting counts as much as its beginning.
    return [pool[i * len(pool) // _CONSIDERED] for i in range(_CONSIDERED)]


def _is_idle(one: Sentence) -> bool:
    """Small talk, a question or a what-if: nothing that it says of anybody counts."""
    return one.drop >= _IDLE_FROM and one.keep < _IDLE_BELOW


def _weight(one: Sentence) -> float:
    """How much a sentence tells: what the reader would keep, and what stands by itself."""
    weight = 0.4 + 0.8 * one.keep - 0.2 * one.drop
    if one.is_question:
        weight *= 0.3
    count = len(words(one.text))
    if count < 5:
        weight *= 0.5
    elif count > 40:
        weight *= 0.7
    return weight * (0.6 if _AWAY.match(one.text) else 1.0)


def _frequency_scores(bags: Sequence[Counter[str]]) -> list[float]:
    spread = Counter(stem for bag in bags for stem in bag)
    top = max(spread.values(), default=1)
    return [sum(spread[stem] / top for stem in bag) / (2 + len(bag)) ** 0.5 for bag in bags]


def _word_likeness(bags: Sequence[Counter[str]]) -> NDArray[np.float64]:
    vocabulary = {stem: i for i, stem in enumerate(dict.fromkeys(w for b in bags for w in b))}
    matrix = np.zeros((len(bags), len(vocabulary) + 1))
    for row, bag in enumerate(bags):
        for stem in bag:
            matrix[row, vocabulary[stem]] = 1.0
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(norms == 0, 1.0, norms)
    return np.round(matrix @ matrix.T, 6)


def _best(scores: NDArray[np.float64], count: int) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]


def _chosen(
    pool: Sequence[Sentence], scores: NDArray[np.float64], likeness: NDArray[np.float64]
) -> list[int]:
    order = _best(scores, len(pool))
    first = order[0]
    size = len(cut(pool[first].text, _SENTENCE))
    for other in order[1:]:
        fits = size + len(cut(pool[other].text, _SENTENCE)) <= _LONGEST
        if fits and likeness[first, other] < _ALIKE and scores[other] > 0.4 * scores[first]:
            return sorted((first, other))
    return [first]


def _joined(pool: Sequence[Sentence], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    speaker: str | None = None
    for index in chosen:
        one = pool[index]
        text = cut(_opened(one.text), _SENTENCE)
        parts.append(text if one.speaker in {None, speaker} else f"{one.speaker}: {text}")
        speaker = one.speaker
    return " ".join(parts)


def _opened(text: str) -> str:
    """The sentence without the greeting or joining word it may begin with."""
    bare = _LEAD.sub("", text)
    plain = bare if len(words(bare)) > 2 else text
    return plain[:1].upper() + plain[1:]


_SPOKEN = frozenset({ContentType.CONVERSATION, ContentType.MEETING})

_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = regex(r"[\u200b\u200e\u200f\u2060\ufeff]")
_BULLET = regex(r"^([ \t]*)[•‣◦·∙▪●○–—*+-][ \t]+", re.MULTILINE)
_INLINE_SPACE = regex(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")

# "ER" in capitals is a place, "uh-huh" is an answer and "mm" a unit.
_FILLER = r"(?:[Uu]m+|[Uu]h+m*|[Ee]rm+|[Ee]r|[Hh]m+|[Mm]m{2,})(?![-'’\w])"
_FILLER_ASIDE = regex(rf",\s*{_FILLER}\s*(?:,|\.{{2,}}|…)")
_FILLER_PAUSED = regex(rf"(?<![\w'’-]){_FILLER}\s*(?:,|\.{{2,}}|…)\s*")
_FILLER_BARE = regex(rf"(?<![\w'’-]){_FILLER}\s*")
# Phrases that say nothing only when commas set them apart: "I mean it" and "you know him" stay.
_ASIDE = regex(r",\s*(?:you know|I mean|like|sort of|kind of)\s*,", re.IGNORECASE)
_OPENING_ASIDE = regex(r"(^|[.!?…]\s+)(?:you know|I mean)\s*,\s*", re.IGNORECASE)

_STUTTERED = (
    "i|i'm|i've|i'd|i'll|we|we're|you|you're|he|he's|she|she's|it|it's|they|they're|the|a|an|and|but"
    "|or|to|of|in|on|at|for|with|my|your|our|his|its|is|was|were|are|be|this|if|when|because|what"
)
_STUTTER = regex(rf"\b({_STUTTERED})(?:\s*(?:,|-|—|–|\.{{2,}}|…)?\s+\1\b)+", re.IGNORECASE)
_CUT_WORD = regex(r"\b([A-Za-z]{1,4})(?:-|—|–)\s+(?=\1[a-z']+)", re.IGNORECASE)
_FALSE_START = regex(
    r"\b((?:[A-Za-z'’]+\s+){1,4}[A-Za-z'’]+)\s*(?:,|-|—|–|\.{2,}|…)?\s+\1\b", re.IGNORECASE
)
_LOOSE_COMMA = regex(r"\s+([,.!?;:])")
_DOUBLE_COMMA = regex(r",(?:\s*,)+")
_OPENING_COMMA = regex(r"(^|[.!?…]\s+)[,;]\s*")
_DOUBLE_STOP = regex(r"([.!?])\s+\.(?!\.)")


def clean_pieces(pieces: Sequence[str], content_type: ContentType) -> list[str]:
    """Each piece without what transcription or typing left in it; empty if nothing is said."""
    if content_type in _SPOKEN:
        return [_fluent(piece) for piece in pieces]
    if content_type is ContentType.TEXT_NOTE:
        return [_BULLET.sub(r"\1- ", _without_stray_marks(piece)) for piece in pieces]
    return [_without_stray_marks(piece) for piece in pieces]


def _printable(text: str) -> str:
    return _INVISIBLE.sub("", _CONTROL.sub(" ", text))


def _without_stray_marks(text: str) -> str:
    text = _printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [_tidy_line(line) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _tidy_line(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    body = _INLINE_SPACE.sub(" ", line).strip()
    return indent + body if body else ""


def _fluent(text: str) -> str:
    tidied = " ".join(_printable(text).split())
    fluent = _FILLER_ASIDE.sub(",", tidied)
    fluent = _FILLER_PAUSED.sub("", fluent)
    fluent = _FILLER_BARE.sub("", fluent)
    fluent = _ASIDE.sub(",", fluent)
    fluent = _OPENING_ASIDE.sub(r"\1", fluent)
    fluent = _CUT_WORD.sub("", fluent)
    fluent = _STUTTER.sub(r"\1", fluent)
    fluent = _FALSE_START.sub(r"\1", fluent)
    if fluent == tidied:
        return tidied
    fluent = _DOUBLE_COMMA.sub(",", _LOOSE_COMMA.sub(r"\1", fluent))
    fluent = _DOUBLE_STOP.sub(r"\1", _OPENING_COMMA.sub(r"\1", fluent)).strip()
    if not any(character.isalnum() for character in fluent):
        return ""
    return _capitalise(fluent) if tidied[:1].isupper() else fluent


def _capitalise(text: str) -> str:
    """The text with the first letter of each sentence in upper case."""
    first = text[:1].upper()
    text = first + text[1:] if len(first) == 1 else text  # "ß" has no capital of its own
    return re.sub(r"([.!?]\s+)([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)


_KEYWORDS: Final = 10
_TAGS: Final = 5
_PHRASE: Final = 3  # words of a phrase


@dataclass(slots=True)
class _Phrase:
    text: str
    stems: tuple[str, ...]
    first: int
    count: int = 0


def find_topics(spoken: Sequence[Sentence], names: Names) -> Topics:
    """Up to ten keywords, best first, and up to five tags."""
    return Topics(keywords=_keywords(spoken, names), tags=_tags(spoken))


def content_words(text: str) -> list[str]:
    """The words that carry a topic, as written."""
    return [one for one in words(text) if _carries(one)]


def _carries(word: str) -> bool:
    low = word.casefold().replace("’", "'")
    bare = low.split("'")[0]
    return len(bare) > 2 and bare not in STOP and low not in STOP and not bare.isdigit()


def _keywords(spoken: Sequence[Sentence], names: Names) -> tuple[str, ...]:
    phrases: dict[tuple[str, ...], _Phrase] = {}
    for place, run in enumerate(_phrases(spoken)):
        stems = tuple(singular(word) for word in run)
        text = " ".join(run)
        phrases.setdefault(stems, _Phrase(text, stems, place)).count += 1
    named = {spelling: one.name for one in names.named for spelling in one.spellings}
    for name in {one.name: None for one in names.named if one.places}:
        stems = tuple(singular(word) for word in words(name))
        if stems:
            phrases.setdefault(stems, _Phrase(name, stems, len(phrases), 1)).text = name
    heads = Counter(
        stem for one in phrases.values() for stem in one.stems for _ in range(one.count)
    )
    total = max(len(phrases), 1)

    def score(one: _Phrase) -> float:
        value = one.count + 0.5 * heads[one.stems[-1]] + 0.4 * min(len(one.stems) - 1, 2)
        value += 1.0 if one.text.casefold() in named else 0.0
        return value * (1.2 - 0.4 * one.first / (2 * total))

    ranked = sorted(phrases.values(), key=lambda one: (-round(score(one), 6), one.first, one.text))
    kept: list[_Phrase] = []
    for one in ranked:  # without phrases whose words a better one already has
        if not any(set(one.stems) <= set(other.stems) for other in kept):
            kept.append(one)
    return tuple(one.text for one in kept)[:_KEYWORDS]


def _phrases(spoken: Sequence[Sentence]) -> Iterator[list[str]]:
    """Runs of words that carry a topic, none across a mark or a word between; verbs are among them."""
    for one in spoken:
        run: list[str] = []
        for word in one.text.replace(",", " , ").replace(";", " ; ").split():
            found = words(word)
            ends = not found or not _carries(found[0])
            if not ends:
                run.append(found[0].removesuffix("'s").removesuffix("’s"))
            if ends or len(run) == _PHRASE or not word[-1:].isalnum():
                if run and singular(run[-1]) not in GENERIC:
                    yield run if run[0][:1].isupper() else [run[0].lower(), *run[1:]]
                run = []
        if run and singular(run[-1]) not in GENERIC:
            yield run


def _tags(spoken: Sequence[Sentence]) -> tuple[str, ...]:
    counts = Counter(tag for one in spoken for word in words(one.text) for tag in fields_of(word))
    ranked = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tuple(ranked[:_TAGS])
