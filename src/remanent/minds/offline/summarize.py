"""The one or two sentences of a source that say most of it, and what a conversation leaves behind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import Embedder
from remanent.minds.offline.extract import is_idle
from remanent.minds.offline.names import Names
from remanent.minds.offline.sentences import Role, Sentence, singular, words
from remanent.minds.offline.topics import content_words

_CONSIDERED: Final = 300
_EMBEDDED: Final = 24  # the best by their words; embedding is what takes time
_LONGEST: Final = 320  # characters of a whole summary
_SENTENCE: Final = 220  # characters of one sentence; the rest is cut at a word
_ALIKE: Final = 0.9
_KEPT_FROM: Final = 0.5
_LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|wow|thanks|thank you|yeah|yep|yes|ok|okay|oh|aw+|haha|well|so|and|but|also|plus"
    r"|honestly|actually|anyway|btw|by the way)\b(?: [A-Z]\w+)?[,!. ]+)+",
    re.IGNORECASE,
)
_AWAY: Final = re.compile(r"^(?:it|that|this|you|he|she|they)\b", re.IGNORECASE)


def summarize(spoken: Sequence[Sentence], names: Names, embedder: Embedder | None) -> str:
    """An extract in the order of the text, each speaker named."""
    pool = _considered(spoken)
    if not pool:
        return ""
    weights = [_weight(one, names) for one in pool]
    bags = [Counter(singular(word) for word in content_words(one.text)) for one in pool]
    scores: NDArray[np.float64] = np.array(_frequency_scores(bags)) * np.array(weights)
    likeness = _word_likeness(bags)
    if embedder is not None and len(pool) > 2:
        kept = sorted(_best(scores, _EMBEDDED))
        pool = [pool[i] for i in kept]
        vectors = embedder.embed([one.text for one in pool])
        cosines: NDArray[np.float64] = (vectors @ vectors.T).astype(np.float64)
        likeness = cosines.round(3)
        central = np.asarray(likeness.mean(axis=1), dtype=np.float64)
        kept_weights = np.array([weights[i] for i in kept], dtype=np.float64)
        scores = central * kept_weights + np.float64(0.3) * scores[kept]
    return _joined(pool, _chosen(pool, np.round(scores, 6), likeness))


def gist(spoken: Sequence[Sentence], names: Names, embedder: Embedder | None) -> str:
    """An extract of the sentences worth keeping, each speaker named; empty if there is none."""
    people = [
        one
        for one in spoken
        if one.role is not Role.ASSISTANT and not one.is_question and one.keep >= _KEPT_FROM
    ]
    return summarize(people, names, embedder) if people else ""


def _considered(spoken: Sequence[Sentence]) -> list[Sentence]:
    people = [one for one in spoken if one.role is not Role.ASSISTANT] or list(spoken)
    pool = [one for one in people if not is_idle(one)] or people
    if len(pool) <= _CONSIDERED:
        return pool
    # Evenly over the whole text: the end of a long meeting counts as much as its beginning.
    return [pool[i * len(pool) // _CONSIDERED] for i in range(_CONSIDERED)]


def _weight(one: Sentence, names: Names) -> float:
    """How much a sentence tells: what the reader would keep, and what stands by itself."""
    weight = 0.4 + 0.8 * one.keep - 0.2 * one.drop
    if one.is_question:
        weight *= 0.3
    count = len(words(one.text))
    if count < 5:
        weight *= 0.5
    elif count > 40:
        weight *= 0.7
    if _AWAY.match(one.text):
        weight *= 0.6
    return weight * (1.25 if names.within(one.place) else 1.0)


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
    size = len(_cut(pool[first].text))
    for other in order[1:]:
        fits = size + len(_cut(pool[other].text)) <= _LONGEST
        if fits and likeness[first, other] < _ALIKE and scores[other] > 0.4 * scores[first]:
            return sorted((first, other))
    return [first]


def _joined(pool: Sequence[Sentence], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    speaker: str | None = None
    for index in chosen:
        one = pool[index]
        text = _cut(_opened(one.text))
        parts.append(text if one.speaker in {None, speaker} else f"{one.speaker}: {text}")
        speaker = one.speaker
    return " ".join(parts)


def _opened(text: str) -> str:
    """The sentence without the greeting or joining word it may begin with."""
    bare = _LEAD.sub("", text)
    plain = bare if len(words(bare)) > 2 else text
    return plain[:1].upper() + plain[1:]


def _cut(text: str) -> str:
    if len(text) <= _SENTENCE:
        return text
    return text[: _SENTENCE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
