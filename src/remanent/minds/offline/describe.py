"""Describing: who or what something is, in the words of the notes on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from remanent.core.model.mind_types import Judgement

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
class _Said:
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
    left = _standing(judge, [*told, *before])
    own = {word.casefold() for word in _WORD.findall(name)}
    ranked = sorted(left, key=lambda one: _rank(one, own))  # stable: newest first within a rank
    return " ".join(_cut(one.text) for one in ranked[:_MOST])


def _sentences(texts: Iterable[str]) -> list[_Said]:
    """The sentences of these texts, each once, with a full stop."""
    found: dict[tuple[str, ...], _Said] = {}
    for text in texts:
        for part in _SENTENCE.split(" ".join(text.split())):
            words = tuple(word.casefold() for word in _WORD.findall(part))
            if words and words not in found:
                found[words] = _Said(part if part[-1] in ".!?…\"'”’)" else f"{part}.", words)
    return list(found.values())


def _standing(judge: Judge, said: Sequence[_Said]) -> list[_Said]:
    """Those that no newer one of those that stand contradicts or repeats; newest first."""
    left, rest = list[_Said](), list(said)
    while rest:
        newest, *older = rest
        left.append(newest)
        verdicts = judge(newest.text, [one.text for one in older]) if older else []
        rest = [
            one
            for one, verdict in zip(older, verdicts, strict=True)
            if verdict is Judgement.DIFFERENT
        ]
    return left


def _rank(said: _Said, own: set[str]) -> int:
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
