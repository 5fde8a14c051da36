"""Tidying raw pieces of text without adding a word.

What a source is about, in keywords to search by and tags to sort by.

The one or two sentences of a source that say most of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.mind_types import Topics
from remanent.core.model.source import ContentType
from remanent.core.ports.embedder import Embedder
from remanent.minds.offline.lexicon import DOMAINS, GENERIC, NEVER_NAMES, TRANSIENT
from remanent.minds.offline.names import Names
from remanent.minds.offline.voice import Role, Said, is_greeting, is_question, is_statement, trimmed

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


_SPOKEN = frozenset({ContentType.CONVERSATION, ContentType.MEETING})

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u2060\ufeff]")
_BULLET = re.compile(r"^([ \t]*)[•‣◦·∙▪●○–—*+-][ \t]+", re.MULTILINE)
_INLINE_SPACE = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")

# "ER" in capitals is a place, "uh-huh" is an answer and "mm" a unit.
_FILLER = r"(?:[Uu]m+|[Uu]h+m*|[Ee]rm+|[Ee]r|[Hh]m+|[Mm]m{2,})(?![-'’\w])"
_FILLER_ASIDE = re.compile(rf",\s*{_FILLER}\s*(?:,|\.{{2,}}|…)")
_FILLER_PAUSED = re.compile(rf"(?<![\w'’-]){_FILLER}\s*(?:,|\.{{2,}}|…)\s*")
_FILLER_BARE = re.compile(rf"(?<![\w'’-]){_FILLER}\s*")
# Phrases that say nothing only when commas set them apart: "I mean it" and "you know him" stay.
_ASIDE = re.compile(r",\s*(?:you know|I mean|like|sort of|kind of)\s*,", re.IGNORECASE)
_OPENING_ASIDE = re.compile(r"(^|[.!?…]\s+)(?:you know|I mean)\s*,\s*", re.IGNORECASE)

_STUTTERED = (
    "i|i'm|i've|i'd|i'll|we|we're|you|you're|he|he's|she|she's|it|it's|they|they're|the|a|an|and|but"
    "|or|to|of|in|on|at|for|with|my|your|our|his|its|is|was|were|are|be|this|if|when|because|what"
)
_STUTTER = re.compile(rf"\b({_STUTTERED})(?:\s*(?:,|-|—|–|\.{{2,}}|…)?\s+\1\b)+", re.IGNORECASE)
_CUT_WORD = re.compile(r"\b([A-Za-z]{1,4})(?:-|—|–)\s+(?=\1[a-z']+)", re.IGNORECASE)
_FALSE_START = re.compile(
    r"\b((?:[A-Za-z'’]+\s+){1,4}[A-Za-z'’]+)\s*(?:,|-|—|–|\.{2,}|…)?\s+\1\b", re.IGNORECASE
)
_LOOSE_COMMA = re.compile(r"\s+([,.!?;:])")
_DOUBLE_COMMA = re.compile(r",(?:\s*,)+")
_OPENING_COMMA = re.compile(r"(^|[.!?…]\s+)[,;]\s*")
_DOUBLE_STOP = re.compile(r"([.!?])\s+\.(?!\.)")


def clean_pieces(pieces: Sequence[str], content_type: ContentType) -> list[str]:
    """Each piece without what transcription or typing left in it; empty if nothing is said."""
    if content_type in _SPOKEN:
        return [_spoken(piece) for piece in pieces]
    if content_type is ContentType.TEXT_NOTE:
        return [_BULLET.sub(r"\1- ", _tidy(piece)) for piece in pieces]
    return [_tidy(piece) for piece in pieces]


def _printable(text: str) -> str:
    return _INVISIBLE.sub("", _CONTROL.sub(" ", text))


def _tidy(text: str) -> str:
    text = _printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [_tidy_line(line) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _tidy_line(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    body = _INLINE_SPACE.sub(" ", line).strip()
    return indent + body if body else ""


def _spoken(text: str) -> str:
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
