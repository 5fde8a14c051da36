"""Whoever and whatever a source speaks of, with what it says of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent.minds.offline.concepts import Clause, clauses, find_concepts
from remanent.minds.offline.lexicon import OPINION_VERBS, TRANSIENT
from remanent.minds.offline.mentions import PERSON, introduced_by
from remanent.minds.offline.names import Named, Names
from remanent.minds.offline.voice import (
    Role,
    Said,
    is_first_person,
    is_question,
    is_statement,
    joined,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_POINTS = 24
_SHORTEST = 3  # words of a subpoint


def extract(told: Sequence[Said], names: Names) -> list[Candidate]:
    """People, then entities, then concepts, each in the order of the text."""
    points = _points(told, names)
    others = [one for one in names.named if not _is_owner(one, names)]
    found = [_candidate(one, points.get(one, [])) for one in others]
    # A full name tells that somebody bears it, even where nothing is said of them.
    found = [one for one in found if one.subpoints or (" " in one.name and one.kind is Kind.PERSON)]
    order = {Kind.PERSON: 0, Kind.ENTITY: 1}
    found.sort(key=lambda one: order[one.kind])
    taken = {spelling for one in names.named for spelling in one.spellings}
    return [*found, *find_concepts(told, taken)]


def _is_owner(one: Named, names: Names) -> bool:
    """Whether this speaker goes by a name of the owner's, as in what somebody else contributed."""
    return one.speaks and one.name.casefold() in names.owner_spellings


def _candidate(one: Named, points: Sequence[str]) -> Candidate:
    aliases = tuple(sorted(one.aliases))
    confidence = _confidence(one, len(points))
    kind = Kind.PERSON if one.kind == PERSON else Kind.ENTITY
    return Candidate(
        kind=kind,
        name=one.name,
        confidence=confidence,
        subpoints=tuple(points[:_POINTS]),
        type="" if kind is Kind.PERSON else one.kind,
        aliases=aliases,
    )


def _confidence(one: Named, points: int) -> float:
    """How sure we are that this is one, and of this kind; much said of it speaks for it."""
    if one.speaks:
        return 9.5
    base = 7.2 if one.certain else 5.6
    if one.kind == PERSON and one.certain:
        base += 0.6
    told = [mention for mention in one.mentions if not mention.called]
    labels = {mention.label for mention in told if mention.label}
    base += min(0.4 * (len(told) - 1), 1.2) + min(0.2 * points, 0.8)
    base -= 0.6 * (len(labels) > 1)
    return round(max(0.0, min(base, 10.0)), 1)


def _points(told: Sequence[Said], names: Names) -> dict[Named, list[str]]:
    points: dict[Named, list[str]] = {}
    for said in told:
        if said.role is Role.ASSISTANT or is_question(said.span):
            continue
        for one, text in _points_of(said, names):
            known = points.setdefault(one, [])
            if len(text.split()) >= _SHORTEST and text.casefold() not in {
                k.casefold() for k in known
            }:
                known.append(text)
    return points


def _points_of(said: Said, names: Names) -> Iterable[tuple[Named, str]]:
    speaker = names.speaker_of(said)
    telling = is_statement(said.span)
    for clause in clauses(said.span):
        about = _about(clause, said, names)
        for one in about:
            for text in clause.points():
                yield one, text
        speaks_of_self = any(is_first_person(token) for token in clause.tokens)
        speaks_of_self &= _tells(clause)
        if telling and speaker is not None and speaker not in about and speaks_of_self:
            for text in clause.points():
                yield speaker, f"{speaker.name}: {text}"
    yield from _attributes(said, names)


def _tells(clause: Clause) -> bool:
    """False for "I'm sure", "I bet" and their like, which say nothing of the speaker."""
    if clause.root.lemma_ in OPINION_VERBS or sum(token.is_alpha for token in clause.tokens) < 3:
        return False
    return not any(t.dep_ == "acomp" and t.lower_ in TRANSIENT for t in clause.root.children)


def _about(clause: Clause, said: Said, names: Names) -> list[Named]:
    tokens: list[Token] = [*clause.tokens]
    if clause.subject is not None:
        tokens.append(clause.subject)
    found = [names.of(said, token) for token in tokens]
    return list(dict.fromkeys(one for one in found if one is not None))


def _attributes(said: Said, names: Names) -> Iterable[tuple[Named, str]]:
    """What a name is called beside itself: "my sister Maria", "Maria, a nurse from Bergen"."""
    for one in names.named:
        for mention in one.mentions:
            if mention.said is not said or mention.called:
                continue
            role = introduced_by(mention.span)
            if role is not None and (owner := _possessor(role)):
                yield one, f"{mention.text} is {owner} {role.lower_}"
            for child in mention.span.root.children:
                plain = child.pos_ == "NOUN" and all(t.pos_ != "AUX" for t in child.subtree)
                if child.dep_ == "appos" and plain and child != role:
                    yield one, f"{mention.text} is {joined(child.subtree)}"


def _possessor(role: Token) -> str:
    return next((joined(child.subtree) for child in role.children if child.dep_ == "poss"), "")
