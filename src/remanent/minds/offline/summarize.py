"""The one or two sentences of a source that say most of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import Embedder
from remanent.minds.offline.lexicon import TRANSIENT
from remanent.minds.offline.said import (
    Role,
    Said,
    is_greeting,
    is_question,
    is_statement,
    trimmed,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_CONSIDERED = 300
_EMBEDDED = 24  # the best by their words; embedding is what takes time
_LONGEST = 320  # characters of a whole summary
_SENTENCE = 220  # characters of one sentence; the rest is cut at a word
_ALIKE = 0.9
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})


def summarize(told: Sequence[Said], embedder: Embedder | None) -> str:
    """An extract in the order of the text, each speaker named."""
    pool = _considered(told)
    if not pool:
        return ""
    weights = [_weight(said) for said in pool]
    bags = [_bag(said) for said in pool]
    scores: NDArray[np.float64] = np.array(_frequency_scores(bags)) * np.array(weights)
    likeness = _word_likeness(bags)
    if embedder is not None and len(pool) > 2:
        kept = sorted(_best(scores, _EMBEDDED))
        pool, bags = [pool[i] for i in kept], [bags[i] for i in kept]
        vectors = embedder.embed([said.text for said in pool])
        cosines: NDArray[np.float64] = (vectors @ vectors.T).astype(np.float64)
        likeness = cosines.round(3)
        central = np.asarray(likeness.mean(axis=1), dtype=np.float64)
        kept_weights = np.array([weights[i] for i in kept], dtype=np.float64)
        scores = central * kept_weights + np.float64(0.3) * scores[kept]
    return _told(pool, _chosen(pool, np.round(scores, 6), likeness))


def _considered(told: Sequence[Said]) -> list[Said]:
    people = [said for said in told if said.role is not Role.ASSISTANT] or list(told)
    pool = [said for said in people if not is_greeting(said.span)] or people
    if len(pool) <= _CONSIDERED:
        return pool
    # Evenly over the whole text: the end of a long meeting counts as much as its beginning.
    return [pool[i * len(pool) // _CONSIDERED] for i in range(_CONSIDERED)]


def _weight(said: Said) -> float:
    weight = 1.0 if is_statement(said.span) else 0.6
    if is_question(said.span):
        weight = 0.25
    words = sum(token.is_alpha for token in said.span)
    if words < 5:
        weight *= 0.5
    elif words > 40:
        weight *= 0.7
    subject = next((t for t in said.span.root.children if t.dep_ == "nsubj"), None)
    if subject is not None and subject.lower_ in {"it", "that", "this", "you", "he", "she", "they"}:
        weight *= 0.6
    if any(token.ent_type_ for token in said.span):
        weight *= 1.25
    if any(token.lower_ in TRANSIENT and token.dep_ == "acomp" for token in said.span):
        weight *= 0.7
    return weight


def _counts(token: Token) -> bool:
    return token.pos_ in _CONTENT and not token.is_stop and token.is_alpha


def _bag(said: Said) -> Counter[str]:
    return Counter(token.lemma_.lower() for token in said.span if _counts(token))


def _frequency_scores(bags: Sequence[Counter[str]]) -> list[float]:
    spread = Counter(lemma for bag in bags for lemma in bag)
    top = max(spread.values(), default=1)
    return [sum(spread[lemma] / top for lemma in bag) / (2 + len(bag)) ** 0.5 for bag in bags]


def _word_likeness(bags: Sequence[Counter[str]]) -> NDArray[np.float64]:
    vocabulary = {lemma: i for i, lemma in enumerate(dict.fromkeys(w for b in bags for w in b))}
    matrix = np.zeros((len(bags), len(vocabulary) + 1))
    for row, bag in enumerate(bags):
        for lemma in bag:
            matrix[row, vocabulary[lemma]] = 1.0
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(norms == 0, 1.0, norms)
    return np.round(matrix @ matrix.T, 6)


def _best(scores: NDArray[np.float64], count: int) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]


def _chosen(
    pool: Sequence[Said], scores: NDArray[np.float64], likeness: NDArray[np.float64]
) -> list[int]:
    order = _best(scores, len(pool))
    first = order[0]
    size = len(_cut(pool[first].text))
    for other in order[1:]:
        fits = size + len(_cut(pool[other].text)) <= _LONGEST
        if fits and likeness[first, other] < _ALIKE and scores[other] > 0.4 * scores[first]:
            return sorted((first, other))
    return [first]


def _told(pool: Sequence[Said], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    speaker: str | None = None
    for index in chosen:
        said = pool[index]
        text = _cut(_opened(said))
        parts.append(text if said.speaker in {None, speaker} else f"{said.speaker}: {text}")
        speaker = said.speaker
    return " ".join(parts)


def _opened(said: Said) -> str:
    """The sentence without the greeting or joining word it may begin with."""
    tokens = trimmed(list(said.span))
    text = (
        " ".join(said.span.doc[tokens[0].i : said.span.end].text.split()) if tokens else said.text
    )
    return text[:1].upper() + text[1:]


def _cut(text: str) -> str:
    if len(text) <= _SENTENCE:
        return text
    return text[: _SENTENCE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
