"""What a source is about, in keywords to search by and tags to sort by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Topics
from remanent.minds.offline.domains import DOMAINS
from remanent.minds.offline.lexicon import GENERIC, NEVER_NAMES
from remanent.minds.offline.names import Names
from remanent.minds.offline.said import Said

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_KEYWORDS = 10
_TAGS = 5
_INNER = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})


@dataclass(slots=True)
class _Phrase:
    text: str
    lemmas: tuple[str, ...]
    first: int
    count: int = 0
    proper: bool = False


def find_topics(told: Sequence[Said], names: Names) -> Topics:
    """Up to ten keywords, best first, and up to five tags."""
    return Topics(keywords=_keywords(told, names), tags=_tags(told))


def chunk_phrase(chunk: Span) -> list[Token]:
    """The words of a noun chunk that carry it: "my lovely old garden shed" -> old garden shed."""
    root = chunk.root
    if root.pos_ not in {"NOUN", "PROPN"} or not root.is_alpha:
        return []
    words = [t for t in chunk if t.pos_ in {"NOUN", "PROPN"} and t.i <= root.i and t.is_alpha]
    adjectives = [t for t in chunk if t.pos_ == "ADJ" and t.i == words[0].i - 1] if words else []
    return [*(t for t in adjectives if not t.is_stop and t.is_alpha), *words]


def _keywords(told: Sequence[Said], names: Names) -> tuple[str, ...]:
    phrases: dict[tuple[str, ...], _Phrase] = {}
    for place, words in enumerate(_phrases(told)):
        lemmas = tuple(word.lemma_.lower() for word in words)
        text = " ".join(w.text if w.pos_ == "PROPN" else w.lower_ for w in words)
        phrase = phrases.setdefault(lemmas, _Phrase(text, lemmas, place))
        phrase.count += 1
        phrase.proper |= words[-1].pos_ == "PROPN"
    named = {spelling for one in names.named for spelling in one.spellings}
    lemma_counts = Counter(
        lemma for p in phrases.values() for lemma in p.lemmas for _ in range(p.count)
    )
    total = max(len(phrases), 1)

    def score(phrase: _Phrase) -> float:
        heads = lemma_counts[phrase.lemmas[-1]]
        value = phrase.count + 0.5 * heads + 0.4 * min(len(phrase.lemmas) - 1, 2)
        value += 1.0 if phrase.text.casefold() in named else 0.3 * phrase.proper
        return value * (1.2 - 0.4 * phrase.first / (2 * total))

    ranked = sorted(phrases.values(), key=lambda p: (-round(score(p), 6), p.first))
    return tuple(p.text for p in _distinct(ranked))[:_KEYWORDS]


def _phrases(told: Iterable[Said]) -> Iterable[list[Token]]:
    for said in told:
        for chunk in said.span.noun_chunks:
            words = chunk_phrase(chunk)
            if words and not _is_empty(words):
                yield words


def _is_empty(words: Sequence[Token]) -> bool:
    head = words[-1]
    if head.lemma_.lower() in GENERIC or head.lower_ in NEVER_NAMES:
        return True
    return len(head.text) < 2 or head.ent_type_ in {"TIME", "CARDINAL", "ORDINAL"}


def _distinct(ranked: Sequence[_Phrase]) -> list[_Phrase]:
    """Without phrases whose words a better one already has."""
    kept: list[_Phrase] = []
    for phrase in ranked:
        if not any(set(phrase.lemmas) <= set(other.lemmas) for other in kept):
            kept.append(phrase)
    return kept


def _tags(told: Sequence[Said]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for said in told:
        for token in said.span:
            if token.pos_ in _INNER or token.pos_ == "VERB":
                counts.update(DOMAINS.get(token.lemma_.lower(), ()))
    ranked = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tuple(ranked[:_TAGS])
