"""Which words of a source stand for which of the anchors that are known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.core.model.anchor import Anchor, Concept, Person
from remanent.minds.offline.lexicon import FIRST_PERSON
from remanent.minds.offline.names import Names
from remanent.minds.offline.voice import Role, Said

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(frozen=True, slots=True)
class Anchored:
    """`by_token` goes from (passage, place) to the anchor."""

    by_token: dict[tuple[str, int], Anchor]

    def of(self, said: Said, token: Token) -> Anchor | None:
        return self.by_token.get((said.passage.key, token.i))

    def within(self, said: Said, tokens: Sequence[Token]) -> list[Anchor]:
        found = [self.of(said, token) for token in tokens]
        return list({one.key: one for one in found if one is not None}.values())


def tie(told: Sequence[Said], names: Names, anchors: Sequence[Anchor]) -> Anchored:
    """Every word that names an anchor, points at it, or is its own "I"."""
    spelled = {spelling: anchor for anchor in reversed(anchors) for spelling in _spellings(anchor)}
    owner = next((a for a in anchors if isinstance(a, Person) and a.is_owner), None)
    by_named = {id(one): _anchor_of(one.spellings, spelled) for one in names.named}
    by_token: dict[tuple[str, int], Anchor] = {}
    for (passage, place), one in names.by_token.items():
        if (anchor := by_named[id(one)]) is not None:
            by_token[passage, place] = anchor
    phrases = {
        tuple(spelling.split()): anchor
        for spelling, anchor in spelled.items()
        if not (isinstance(anchor, Person) and len(spelling) < 3)
    }
    for said in told:
        self_anchor = _self(said, names, owner, by_named)
        _tie_sentence(said, phrases, self_anchor, by_token)
    return Anchored({place: a for place, a in by_token.items() if place not in names.addressed})


def _spellings(anchor: Anchor) -> set[str]:
    return {
        " ".join(name.casefold().split()) for name in (anchor.name, *anchor.aliases) if name.strip()
    }


def _anchor_of(spellings: set[str], spelled: dict[str, Anchor]) -> Anchor | None:
    return next(
        (spelled[one] for one in sorted(spellings, key=len, reverse=True) if one in spelled), None
    )


def _self(
    said: Said, names: Names, owner: Anchor | None, by_named: dict[int, Anchor | None]
) -> Anchor | None:
    if said.role is Role.OWNER:
        return owner
    speaker = names.speaker_of(said)
    return by_named[id(speaker)] if speaker is not None else None


def _tie_sentence(
    said: Said,
    phrases: dict[tuple[str, ...], Anchor],
    self_anchor: Anchor | None,
    by_token: dict[tuple[str, int], Anchor],
) -> None:
    tokens = list(said.span)
    for place, token in enumerate(tokens):
        key = (said.passage.key, token.i)
        if self_anchor is not None and token.lower_ in FIRST_PERSON:
            by_token[key] = self_anchor
        for words, anchor in phrases.items():
            run = tokens[place : place + len(words)]
            if key not in by_token and len(run) == len(words) and _reads(run, words, anchor):
                for part in run:
                    by_token.setdefault((said.passage.key, part.i), anchor)


def _reads(run: Sequence[Token], words: Sequence[str], anchor: Anchor) -> bool:
    if not isinstance(anchor, Concept):
        return all(
            t.lower_ == word and t.text[:1].isupper() for t, word in zip(run, words, strict=True)
        )
    return all(word in {t.lower_, t.lemma_.lower()} for t, word in zip(run, words, strict=True))
