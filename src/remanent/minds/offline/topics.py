"""Topics: what a source is about, in keywords to search by and tags to sort by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remanent.core.model.mind_types import Topics
from remanent.minds.offline.lexicon import GENERIC, STOP, fields_of
from remanent.minds.offline.names import Names
from remanent.minds.offline.sentences import Sentence, singular, words

_KEYWORDS: Final = 10
_TAGS: Final = 5
_LONGEST: Final = 3  # words of a phrase


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
            if ends or len(run) == _LONGEST or not word[-1:].isalnum():
                if run and singular(run[-1]) not in GENERIC:
                    yield run if run[0][:1].isupper() else [run[0].lower(), *run[1:]]
                run = []
        if run and singular(run[-1]) not in GENERIC:
            yield run


def _tags(spoken: Sequence[Sentence]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for one in spoken:
        for word in words(one.text):
            counts.update(fields_of(word))
    ranked = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tuple(ranked[:_TAGS])
