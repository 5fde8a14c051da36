"""Validity: whether what was found still holds, by what beliefs and relationships know (SPEC 8).

Reads in a few batches, however many candidates are to be marked, and with the first of them what an
answer tells of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from remanent.anchors.relationships import relationships_of
from remanent.beliefs.rules import as_of
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import Source
from remanent.core.ports.graph import Wanted
from remanent.retrieval.model import UNKNOWN, Candidate, Validity
from remanent.retrieval.rules import validity
from remanent.retrieval.rules.validity import Claim

Told = Sequence[tuple[Note, Relationship]]
NOTES: Final = 3  # of an anchor, in its text
_MOST_STEPS = 20  # of one belief replacing another; more than anyone's mind was changed


def mark_validity(
    env: Env, scope: Scope, request: SearchRequest, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """These candidates with their validity, and with what is told of them."""
    edges = [one.relationship for one in candidates if one.relationship is not None]
    anchors = [one.node.key for one in candidates if isinstance(one.node, Anchor)]
    wanted = Wanted(
        sources=sorted({one.node.key for one in candidates if isinstance(one.node, Source)}),
        nodes=list(dict.fromkeys(key for one in edges for key in (one.src, one.dst))),
        noted=[*(one.key for one in edges), *anchors],
        latest=1000 if request.is_past else NOTES,
    )
    found = env.graph.read(scope, wanted)
    own = [one.node for one in candidates if isinstance(one.node, Belief)]
    evidenced = _as_known(found.beliefs, request)
    known = _successors(env, scope, [*own, *evidenced], request)
    claims = _Claims(scope=scope, request=request, env=env, beliefs=known)
    held, notes = _by_evidence(evidenced), defaultdict[str, list[Note]](list)
    for note in found.notes:
        notes[note.on].append(note)
    return [
        one._replace(
            validity=_validity(one, held, found.told, claims),
            notes=notes.get((one.relationship or one.node or one).key, ()),
            ends=_ends(one.relationship, found.nodes),
        )
        for one in candidates
    ]


def _ends(one: Relationship | None, nodes: Mapping[str, Node]) -> list[Node]:
    """The nodes between which it stands, as far as the caller may see them."""
    return [] if one is None else [nodes[key] for key in (one.src, one.dst) if key in nodes]


def _validity(
    candidate: Candidate,
    beliefs: Mapping[str, Mapping[str, Belief]],
    relationships: Told,
    claims: _Claims,
) -> Validity:
    node, passage = candidate.node, candidate.passage
    if candidate.relationship is not None:
        return validity.of_claims([claims.of_relationship(candidate.relationship)], whole=False)
    if isinstance(node, Belief):
        return validity.of_claims(claims.of_beliefs([node]), whole=False)
    if not isinstance(node, Source):
        return UNKNOWN
    source_key = node.key
    if candidate.kind is Kind.PASSAGE:
        text = "" if passage is None else passage.text.casefold()
        held = beliefs.get(candidate.entry, {})
        edges = [
            edge
            for note, edge in relationships
            if note.source_key == source_key and note.content.casefold() in text
        ]
    else:
        held = beliefs.get(source_key, {})
        edges = [edge for note, edge in relationships if note.source_key == source_key]
    made = [*claims.of_beliefs(held.values()), *(claims.of_relationship(edge) for edge in edges)]
    return validity.of_claims(made, whole=candidate.kind is Kind.SOURCE)


def _by_evidence(beliefs: Sequence[Belief]) -> dict[str, dict[str, Belief]]:
    """By the key of each passage and each source that speaks for them, these beliefs by their own."""
    held: dict[str, dict[str, Belief]] = defaultdict(dict)
    for belief in beliefs:
        for one in belief.supports:
            for key in filter(None, (one.passage_key, one.source_key)):
                held[key][belief.key] = belief
    return held


def _as_known(beliefs: Iterable[Belief], request: SearchRequest) -> list[Belief]:
    if request.known_at is None:
        return list(beliefs)
    then = (as_of.as_known(one, request.known_at) for one in beliefs)
    return [one for one in then if one is not None]


def _successors(
    env: Env, scope: Scope, beliefs: Sequence[Belief], request: SearchRequest
) -> dict[str, Belief]:
    """These and all that came in their place."""
    by_key = {one.key: one for one in beliefs}
    fresh: Sequence[Belief] = beliefs
    for _ in range(_MOST_STEPS):
        missing = {one.superseded_by for one in fresh if one.superseded_by is not None}
        missing -= by_key.keys()
        if not missing:
            break
        nodes = env.graph.get_many(scope, sorted(missing)).values()
        fresh = _as_known((one for one in nodes if isinstance(one, Belief)), request)
        by_key |= {one.key: one for one in fresh}
    return by_key


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claims:
    """What beliefs and relationships claim, at the time asked about."""

    env: Env
    scope: Scope
    request: SearchRequest
    beliefs: Mapping[str, Belief]

    def of_beliefs(self, beliefs: Iterable[Belief]) -> list[Claim]:
        claims = (
            validity.claim_of_belief(one, self.beliefs, self.request.as_of) for one in beliefs
        )
        return [one for one in claims if one is not None]

    def of_relationship(self, one: Relationship) -> Claim:
        siblings: list[Relationship] = []
        if one.valid_to is not None:
            siblings = relationships_of(
                self.env, self.scope, one.src, known_at=self.request.known_at, history=True
            )
        return validity.claim_of_relationship(
            one, siblings, self.request.as_of, self._ended_by(one)
        )

    def _ended_by(self, one: Relationship) -> str | None:
        """The belief on whose word it is over."""
        if one.valid_to is None:
            return None
        said = self.env.graph.assertions(self.scope, one.src, one.kind, one.relationship_type)
        ends = [
            each for each in said if each.ended and (each.dst, each.at) == (one.dst, one.valid_to)
        ]
        nodes = self.env.graph.get_many(self.scope, sorted({each.source_key for each in ends}))
        return next((key for key, node in nodes.items() if isinstance(node, Belief)), None)
