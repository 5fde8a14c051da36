"""Why not: what kept a given memory out of an answer.

Asks as `search` does, writes nothing, and looks as deep as it must.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.search import Explanation, SearchRequest
from remanent.core.model.source import Passage
from remanent.core.read import resolve
from remanent.retrieval import search
from remanent.retrieval.filter import checked, fault_of, filter_hits, read_candidates
from remanent.retrieval.model import Candidate
from remanent.retrieval.rules import ranking
from remanent.retrieval.rules.filters import Fault
from remanent.retrieval.search import state_of

_STATUS: Final = {
    BeliefStatus.INVALIDATED: "it is no longer held true",
    BeliefStatus.FORGOTTEN: "it was forgotten on request",
    BeliefStatus.PRUNED: "it was let go, for nothing kept it up",
}
_FAULTS: Final[Mapping[str, str]] = {
    Fault.UNREADABLE: "it is no longer there",
    Fault.KNOWN_AT: "it was not recorded yet at known_at",
    Fault.AS_OF: "it is later than as_of, or was not true then",
    Fault.HELD: "it is no longer held true",
    Fault.ARCHIVED: "it is archived, and something at hand answers well; include_archived finds it",
}


def why_not(env: Env, scope: Scope, key: str, request: SearchRequest, *, limit: int) -> Explanation:
    """Why the memory of that key is not among the `limit` best hits, or where it is."""
    request = checked(env, scope, request)
    wanted = _candidate_of_key(env, scope, key)
    filtered = filter_hits(env, scope, request, need=limit, until=wanted.key)
    request = filtered.request
    refused = _refused(env, scope, request, wanted)
    if refused is not None:
        return refused
    placed = search.place(env, scope, request, filtered.passed)
    for rank, one in enumerate(placed, start=1):
        if one.key == wanted.key:
            return _ranked(env, scope, request, placed, rank, limit)
    return _not_ranked(wanted.key, placed)


def _candidate_of_key(env: Env, scope: Scope, key: str) -> Candidate:
    """What the key stands for; `UnknownKey` for what is not there or not the caller's to see."""
    key = key.strip()
    passage = env.graph.passages_by_key(scope, [key]).get(key)
    if isinstance(passage, Passage):
        return Candidate(entry=key, key=key, kind=Kind.PASSAGE, owner=passage.source_key)
    edge = env.graph.relationship(scope, key)
    if edge is not None:
        return Candidate(entry=edge.key, key=edge.key, kind=Kind.RELATIONSHIP, owner=edge.src)
    key = resolve(env, scope, key)
    return Candidate(entry=key, key=key, kind=_kind(env.graph.get(scope, key)), owner=key)


def _refused(
    env: Env, scope: Scope, request: SearchRequest, wanted: Candidate
) -> Explanation | None:
    """What the filters have against it, if anything."""
    kind = Kind.BELIEF if wanted.kind is Kind.PAST_BELIEF else wanted.kind
    if kind not in request.kinds:
        kinds = ", ".join(map(str, request.kinds))
        return _not_returned(wanted.key, f"it is a {kind.value}, and asked for were: {kinds}")
    (candidate,) = read_candidates(env, scope, request, [wanted])
    if not isinstance(candidate, Candidate):
        return _not_returned(wanted.key, _FAULTS[candidate])
    fault = fault_of(candidate, request)
    if fault is None:
        return None
    why = _FAULTS.get(fault, f"it is filtered out {fault}")
    if isinstance(candidate.node, Belief) and fault == Fault.HELD:
        why = _STATUS.get(candidate.node.status, why)
        if candidate.node.superseded_by is not None:
            why = f"{why}: replaced by {candidate.node.superseded_by}"
    return replace(_not_returned(wanted.key, why), state=state_of(candidate))


def _ranked(
    env: Env, scope: Scope, request: SearchRequest, placed: list[Candidate], rank: int, limit: int
) -> Explanation:
    page = placed[rank - 1 : rank]
    (hit,) = search.present(env, scope, request, page, start=rank - 1, digest="", explain=True)
    explanation = hit.explanation
    if explanation is None or rank <= limit:
        return explanation or Explanation(key=hit.key, reason="", returned=True, rank=rank)
    last = placed[limit - 1]
    against = ranking.parts(last.entry, last.pool)
    shares = any(part.name == "lexical" and part.value for part in explanation.parts)
    why = "" if shares else "it shares no word with the question; "
    reason = (
        f"it ranks {ranking.ordinal(rank)}, and {limit} were asked for; {why}"
        f"{explanation.reason}; the {ranking.ordinal(limit)} hit has "
        f"{last.score:.3f}: {ranking.parts_in_words(against)}"
    )
    return replace(explanation, reason=reason, returned=False, against=against)


def _not_ranked(key: str, placed: list[Candidate]) -> Explanation:
    """It passes the filters, and neither words nor meaning brought it up."""
    inside = [(rank, one.key) for rank, one in enumerate(placed, start=1) if one.owner == key]
    why = "it is not indexed: not read yet, or without a text of its own"
    if inside:
        rank, best = inside[0]
        why = f"{why}; the best of it is {best}, at rank {rank}"
    return _not_returned(key, why)


def _kind(node: Node | None) -> Kind:
    if isinstance(node, Belief) and node.status is not BeliefStatus.ACTIVE:
        return Kind.PAST_BELIEF
    return Kind.SOURCE if node is None else node.kind


def _not_returned(key: str, reason: str) -> Explanation:
    return Explanation(key=key, reason=reason, returned=False)
