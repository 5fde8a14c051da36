"""Why not: what kept a given memory out of an answer.

Asks as `search` does, writes nothing, and looks as deep as it must.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.hit import Explanation
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.search_request import Asked, Sought
from remanent.core.model.source import Passage
from remanent.core.ports.index import Match
from remanent.core.read import resolve
from remanent.retrieval import search
from remanent.retrieval.filter import Thing, fault_of, filter_hits, things
from remanent.retrieval.rules import explain
from remanent.retrieval.rules.filters import Fault
from remanent.retrieval.search import Placed, state_of

_STATUS: Final = {
    BeliefStatus.INVALIDATED: "it is no longer held true",
    BeliefStatus.FORGOTTEN: "it was forgotten on request",
    BeliefStatus.PRUNED: "it was let go, for nothing kept it up",
}
_FAULTS: Final = {
    Fault.UNREADABLE: "it is no longer there",
    Fault.KNOWN_AT: "it was not recorded yet at known_at",
    Fault.AS_OF: "it is later than as_of, or was not true then",
    Fault.HELD: "it is no longer held true",
    Fault.ARCHIVED: "it is archived; include_archived finds it",
}


def why_not(env: Env, scope: Scope, key: str, asked: Asked, *, limit: int) -> Explanation:
    """Why the memory of that key is not among the `limit` best hits, or where it is."""
    sought = search.checked(env, scope, asked)
    match = _match(env, scope, key)
    refused = _refused(env, scope, sought, match)
    if refused is not None:
        return refused
    sifted = filter_hits(env, scope, sought, need=limit, until=match.key)
    placed = search.place(env, scope, sought, sifted)
    for rank, one in enumerate(placed, start=1):
        if one.passed.key == match.key:
            return _ranked(env, scope, sought, placed, rank, limit)
    return _nowhere(match, placed)


def _match(env: Env, scope: Scope, key: str) -> Match:
    """What the key stands for; `UnknownKey` for what is not there or not the caller's to see."""
    wanted = key.strip()
    passage = env.graph.passages_by_key(scope, [wanted]).get(wanted)
    if isinstance(passage, Passage):
        return Match(wanted, Kind.PASSAGE, passage.source_key, 0.0)
    edge = env.graph.relationship(scope, wanted)
    if edge is not None:
        return Match(edge.key, Kind.RELATIONSHIP, edge.src, 0.0)
    found = resolve(env, scope, wanted)
    node = env.graph.get(scope, found)
    return Match(found, _kind(node), found, 0.0)


def _refused(env: Env, scope: Scope, sought: Sought, match: Match) -> Explanation | None:
    """What the filters have against it, if anything."""
    kind = Kind.BELIEF if match.kind is Kind.PAST_BELIEF else match.kind
    if kind not in sought.kinds:
        kinds = ", ".join(one.value for one in sought.kinds)
        return _not_returned(match, f"it is a {kind.value}, and asked for were: {kinds}")
    (thing,) = things(env, scope, sought, [match])
    if not isinstance(thing, Thing):
        return _not_returned(match, _FAULTS[thing])
    fault = fault_of(thing, sought)
    if fault is None:
        return None
    told = _FAULTS.get(fault, f"it is filtered out {fault.value}")
    if isinstance(thing.node, Belief) and fault is Fault.HELD:
        told = _STATUS.get(thing.node.status, told)
        if thing.node.superseded_by is not None:
            told = f"{told}: replaced by {thing.node.superseded_by}"
    return replace(_not_returned(match, told), state=state_of(thing))


def _ranked(
    env: Env, scope: Scope, sought: Sought, placed: list[Placed], rank: int, limit: int
) -> Explanation:
    page = placed[rank - 1 : rank]
    (hit,) = search.present(env, scope, sought, page, start=rank - 1, digest="", explain=True)
    told = hit.explanation
    if told is None or rank <= limit:
        return told or Explanation(key=hit.key, reason="", returned=True, rank=rank)
    last = placed[limit - 1].passed
    against = explain.parts(last.thing.match.key, last.ranked.signals)
    shares = any(part.name == "lexical" and part.value for part in told.parts)
    why = "" if shares else "it shares no word with the question; "
    reason = (
        f"it ranks {explain.ordinal(rank)}, and {limit} were asked for; {why}"
        f"{told.reason}; the {explain.ordinal(limit)} hit has "
        f"{placed[limit - 1].score:.3f}: {explain.told(against)}"
    )
    return replace(told, reason=reason, returned=False, against=against)


def _nowhere(match: Match, placed: list[Placed]) -> Explanation:
    """It passes the filters, and neither words nor meaning brought it up."""
    inside = [
        (rank, one.passed.key)
        for rank, one in enumerate(placed, start=1)
        if one.passed.thing.match.owner_key == match.key
    ]
    told = "it is not indexed: not read yet, or without a text of its own"
    if inside:
        rank, key = inside[0]
        told = f"{told}; the best of it is {key}, at rank {rank}"
    return _not_returned(match, told)


def _kind(node: Node | None) -> Kind:
    if isinstance(node, Belief) and node.status is not BeliefStatus.ACTIVE:
        return Kind.PAST_BELIEF
    return Kind.SOURCE if node is None else node.kind


def _not_returned(match: Match, reason: str) -> Explanation:
    return Explanation(key=match.key, reason=reason, returned=False)
