"""Filter: candidates of a ranking, read and let through where they pass the filters (SPEC 8).

Filters are hard, and must not starve: first those owners are looked up that can pass at all,
then more and more candidates are ranked until enough pass or there are no more.

Candidates of a wider ranking follow those of the narrower one, so that the list for one request
has one order however much of it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import cache, partial
from typing import Final

from remanent.anchors.relationships import relationships_of
from remanent.beliefs.rules import as_of
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import OWNER, Belief
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import Passage, Source
from remanent.core.ports.graph import Wanted
from remanent.core.ports.index import PassageFilter, Question, Within
from remanent.core.read import resolve
from remanent.errors import InvalidInput, UnknownKey
from remanent.retrieval.model import Candidate
from remanent.retrieval.rank import (
    NOTHING,
    also_by_first_names,
    asked_of_the_past,
    is_by_passage,
    lifted_by_beliefs,
    question_of,
    rank_entries,
    strength_of,
)
from remanent.retrieval.rules import filters, ranking
from remanent.retrieval.rules.filters import ANCHORS, Fault

WIDER: Final = 4  # times as many candidates when too few pass
LEAST, MOST = 5, 200  # matches read at once: as few as needed, more and more when few pass
_ABOUT = (LinkKind.MENTIONS, LinkKind.ABOUT, LinkKind.ROOTED_IN)
_ME = frozenset({OWNER, "user", "me", "i"})  # what the owner is called in a conversation


@dataclass(slots=True, kw_only=True)
class Filtered:
    """The candidates that passed so far, best first, and how many did not, by what they failed.

    `is_all` says that there was no more to be found; `request` is the one they passed.
    """

    request: SearchRequest
    sources: set[str] = field(default_factory=set)
    passed: list[Candidate] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    found: int = 0
    is_all: bool = False
    closely: bool = field(init=False)

    def __post_init__(self) -> None:
        self.closely = filters.asks_of_facts(self.request)

    def take(self, one: Candidate | Fault, *, once: bool = False) -> None:
        """Among those that passed, or count what it failed; of a source only the first if `once`."""
        if once and isinstance(one, Candidate) and one.kind in filters.SAID:
            if one.owner in self.sources:
                return
            self.sources.add(one.owner)
        self.found += 1
        closely = self.closely
        fault = one if isinstance(one, Fault) else fault_of(one, self.request, closely=closely)
        if isinstance(one, Candidate) and fault is None:
            self.passed.append(one)
        elif fault is not None:
            self.faults[fault] += 1


def checked(env: Env, scope: Scope, request: SearchRequest) -> SearchRequest:
    """The request checked and its names looked up, or `InvalidInput` naming the field."""
    request = filters.checked(request, max_characters=env.config.intake.max_statement_characters)
    if request.team is not None and request.team not in scope.teams:
        raise InvalidInput("team", f"{request.team!r} is not a team of {scope.user_id!r}")
    if request.speaker is not None:
        request = replace(request, also=_called(env, scope, request.speaker))
    if request.not_speaker is not None:
        request = replace(request, not_also=_called(env, scope, request.not_speaker))
    if request.anchor is not None:
        anchor = _anchor(env, scope, request.anchor)
        links = env.graph.links(scope, anchor, kinds=_ABOUT, outward=False)
        about = frozenset({anchor, *(link.src for link in links)})
        request = replace(request, anchor=anchor, about=about)
    return request


def _anchor(env: Env, scope: Scope, key: str) -> str:
    try:
        anchor_key = resolve(env, scope, key)
    except (UnknownKey, InvalidInput) as problem:
        why = problem.problem if isinstance(problem, InvalidInput) else "has no anchor"
        raise InvalidInput("anchor", f"{key!r}: {why}") from None
    node = env.graph.get(scope, anchor_key)
    if not isinstance(node, Anchor):
        kind = "nothing" if node is None else f"a {node.kind.value}"
        raise InvalidInput("anchor", f"{key!r} is {kind}, not a person, concept or entity")
    merged = env.graph.links(scope, anchor_key, kinds=(LinkKind.SAME_AS,), outward=True)
    return merged[0].dst if merged else anchor_key


def _called(env: Env, scope: Scope, speaker: str) -> frozenset[str]:
    """All names of the person who is called so; the owner is "me" and "user" as well."""
    names = env.graph.names(scope, Kind.PERSON, speaker.split("-"))
    if speaker in _ME:
        names = [one for one in env.graph.names(scope) if one.is_owner]
    all_names = {speaker}
    for one in names:
        called = {canonical_name(name) for name in (one.name, *one.aliases)}
        if speaker in called or (one.is_owner and speaker in _ME):
            all_names |= called
            all_names |= (
                {scope.user_id, one.name.split()[0].casefold(), *_ME} if one.is_owner else set()
            )
    return frozenset(canonical_name(one) for one in all_names)


# -- the search ---------------------------------------------------------------------------


def filter_hits(
    env: Env,
    scope: Scope,
    request: SearchRequest,
    *,
    need: int,
    until: str | None = None,
    few: bool = False,
) -> Filtered:
    """The best `need` that pass, or all that there are; more where `until` is not among them. With `few`
    no more are ranked than are likely to be needed, for nobody asks what each was ranked among.

    Archived sources pass as well where the question names a time, or the best hit is weak (SPEC 12.13).
    Each source then comes once, by the best of it, and how long ago it was counts for less.
    """
    kinds = filters.kinds_that_can_pass(request)
    if not kinds:
        return Filtered(request=request)
    asked = question_of(env, scope, request.query, kinds=kinds)
    head = 2 * need if few else None
    cold, find = replace(request, cold=True), partial(_filter, env, scope, kinds, need, until, head)
    is_said = not filters.SAID.isdisjoint(kinds)
    knows = is_said and not request.is_past  # what is believed today tells nothing of what was
    env.index.expect(scope)
    asked = also_by_first_names(env, scope, request.query, asked) if is_said else asked
    believed = lifted_by_beliefs(env, scope, request.query, asked) if knows else NOTHING
    pool = min(head, env.config.ranking.pool) if head and not believed else None
    days = env.index.cold_days(scope, asked) if is_said else None
    if days is not None and request.looks_cold:
        return find(cold, asked, believed, pool)
    if days is None or request.states:
        return find(request, asked, believed, pool)
    if ranking.any_within(asked.periods, days):
        return find(cold, asked, believed)
    filtered = find(request, asked, believed, pool)
    if filtered.passed and strength_of(env, filtered.passed[0]) >= env.config.ranking.cold_below:
        return filtered
    return find(cold, asked_of_the_past(env, asked), believed)


def _filter(  # noqa: PLR0913 - what is asked, of whom, and how much of it
    env: Env,
    scope: Scope,
    kinds: Sequence[Kind],
    need: int,
    until: str | None,
    head: int | None,
    request: SearchRequest,
    asked: Question,
    believed: Mapping[str, float] = NOTHING,
    pool: int | None = None,
) -> Filtered:
    once = request.cold and not request.looks_cold
    by_need = request.cold and not (request.include_archived or request.states)
    by_passage = is_by_passage(kinds)
    passages = None if by_passage else _passage_filter(request)
    able = cache(partial(_within, env, scope, request, by_passage=by_passage))
    # Where all may pass it is cheaper to rank a few and see than to ask beforehand who can.
    tries = pool is not None and request.about is None
    within = None if tries else able()
    first = LEAST if tries and _narrows(request, by_passage=by_passage) else 0
    filtered, ranked, keys = Filtered(request=request), set[str](), set[str]()
    pool = pool or env.config.ranking.pool
    head = head if head and head < pool and not once else None  # one of each source takes many
    while True:
        candidates = rank_entries(
            env,
            scope,
            request.query,
            kinds=kinds,
            within=within,
            passages=passages,
            pool=pool,
            cold=request.cold,
            asked=asked,
            believed=believed,
            first=head,
        )
        fresh = [one for one in candidates if one.entry not in ranked]
        ranked.update(one.entry for one in fresh)
        for some in _in_turn(fresh, first, filtered, able):
            size = need - len(filtered.passed)
            for one in _read_in_batches(env, scope, request, some, keys, size):
                undone = by_need and _was_taken_back(env, scope, one)
                filtered.take(Fault.ARCHIVED if undone else one, once=once)
                if len(filtered.passed) >= need and (until is None or until in keys):
                    return filtered
        if head is not None and len(candidates) >= head:
            head = None  # the few that are likely to be needed did not do
            continue
        if len(candidates) < pool:  # neither words nor meaning bring up any more
            return filtered
        within = able()
        if within is None or not tries:
            pool = max(WIDER * pool, env.config.ranking.pool)
        tries, first = False, 0


def _was_taken_back(env: Env, scope: Scope, one: Candidate | Fault) -> bool:
    """Whether somebody undid a source and put it away: no need calls it back."""
    if not isinstance(one, Candidate) or one.node is None or one.kind not in filters.SAID:
        return False
    if one.node.life.state is not State.ARCHIVED:
        return False
    extraction = env.graph.extraction(scope, one.node.key)
    return extraction is not None and extraction.is_undone


def refused(env: Env, scope: Scope, request: SearchRequest) -> Filtered:
    """What a request of which nothing passes would have found without its filters: the best of
    it, and by what each was refused."""
    filtered, kinds = Filtered(request=request), tuple(map(Kind, request.kinds))
    candidates = rank_entries(env, scope, request.query, kinds=kinds, cold=True)
    filtered.is_all = len(candidates) < env.config.ranking.pool
    for one in _read_in_batches(env, scope, request, candidates, set(), len(candidates)):
        filtered.take(one)
    return filtered


def _within(env: Env, scope: Scope, request: SearchRequest, *, by_passage: bool) -> Within | None:
    """Who can pass, where that is cheaper to say than to find out by reading everything."""
    if not _narrows(request, by_passage=by_passage):
        return None
    sources = frozenset(env.graph.sources_like(scope, request))
    if request.about is None:
        return {Kind.SOURCE: sources, Kind.PASSAGE: sources}
    anchor = request.anchor or ""
    ends = env.graph.relationships(scope, anchor, history=True)
    others = (Kind.BELIEF, Kind.PAST_BELIEF, Kind.STORYLINE, Kind.MACRO, *ANCHORS)
    about_sources = sources & request.about
    return {
        **dict.fromkeys((Kind.SOURCE, Kind.PASSAGE), about_sources),
        **dict.fromkeys(others, request.about),
        Kind.RELATIONSHIP: frozenset(one.src for one in ends),
    }


def _narrows(request: SearchRequest, *, by_passage: bool) -> bool:
    """Whether the filters ask what the index does not know: that is when a passage was said, and by whom, but
    not how long its source went on."""
    asked = replace(request, as_of=None, since=None, until=None, speaker=None)
    return (request if by_passage else asked).narrows_sources


def _in_turn(
    candidates: Sequence[Candidate],
    first: int,
    filtered: Filtered,
    able: Callable[[], Within | None],
) -> Iterator[Sequence[Candidate]]:
    """The first few, then the others: once a filter has refused one, only those that are able to pass."""
    yield candidates[:first]
    within = (able() if first and filtered.faults else None) or {}
    others = candidates[first:]
    yield [one for one in others if one.kind not in within or one.owner in within[one.kind]]


def _passage_filter(request: SearchRequest) -> PassageFilter | None:
    """What the index can tell of the request beforehand, by days: rather one too many than one too few."""
    ends = [one for one in (request.until, request.as_of) if one is not None]
    if not ends and request.since is None and not (request.speaker or request.not_speaker):
        return None
    return PassageFilter(
        first=None if request.since is None else request.since.astimezone(UTC).date(),
        last=min(ends).astimezone(UTC).date() if ends else None,
        by=partial(_any_passes, request) if request.speaker or request.not_speaker else None,
    )


def _any_passes(request: SearchRequest, speakers: Sequence[str]) -> bool:
    if request.speaker is not None and not filters.any_called(speakers, request):
        return False
    return request.not_speaker is None or not filters.any_excluded(speakers, request)


def fault_of(candidate: Candidate, request: SearchRequest, *, closely: bool = True) -> str | None:
    """The first filter that this candidate fails; where none looks `closely`, it is soon said."""
    thing = candidate.relationship or candidate.node
    if thing is None:
        return Fault.UNREADABLE
    held = _fault_of_truth(thing, request)
    if held is not None or not closely:
        return held or filters.fault_of_state(candidate.kind, thing.life.state, request)
    if isinstance(thing, Relationship):
        return filters.fault(filters.facts_of_relationship(thing), request)
    if candidate.passage is not None and isinstance(thing, Source):
        return filters.fault(filters.facts_of_passage(candidate.passage, thing), request)
    return filters.fault(filters.facts_of(thing), request)


def _fault_of_truth(thing: Node | Relationship, request: SearchRequest) -> Fault | None:
    if isinstance(thing, Relationship):
        return filters.relationship_fault(thing, request)
    return filters.belief_fault(thing, request) if isinstance(thing, Belief) else None


# -- reading ------------------------------------------------------------------------------


def _read_in_batches(
    env: Env,
    scope: Scope,
    request: SearchRequest,
    candidates: Sequence[Candidate],
    keys: set[str],
    need: int,
) -> Iterator[Candidate | Fault]:
    """The candidates read, in their order, each key once: not those that are among `keys` already."""
    start, size = 0, min(max(need, LEAST), MOST)
    while start < len(candidates):
        for one in read_candidates(env, scope, request, candidates[start : start + size]):
            if isinstance(one, Candidate):
                if one.key in keys:
                    continue
                keys.add(one.key)
            yield one
        start, size = start + size, min(2 * size, MOST)


def read_candidates(
    env: Env, scope: Scope, request: SearchRequest, candidates: Sequence[Candidate]
) -> Iterator[Candidate | Fault]:
    """The candidates with what they lead to, read in one go; a fault where there was nothing at that time."""
    wanted = Wanted(
        nodes=[one.owner for one in candidates if one.kind is not Kind.RELATIONSHIP],
        passages=[one.entry for one in candidates if one.kind is Kind.PASSAGE],
        relationships=[one.key for one in candidates if one.kind is Kind.RELATIONSHIP],
    )
    found = env.graph.read(scope, wanted)
    for one in candidates:
        if one.kind is Kind.RELATIONSHIP:
            edge = found.relationships.get(one.key)
            yield _with_relationship(env, scope, request, one, edge)
        else:
            yield _with_node(one, found.nodes, found.passages, request)


def _with_relationship(
    env: Env,
    scope: Scope,
    request: SearchRequest,
    candidate: Candidate,
    relationship: Relationship | None,
) -> Candidate | Fault:
    if relationship is None:
        return Fault.UNREADABLE
    if request.known_at is not None:
        then = relationships_of(
            env, scope, relationship.src, known_at=request.known_at, history=True
        )
        known = next((one for one in then if one.key == candidate.key), None)
        if known is None:
            return Fault.KNOWN_AT
        relationship = replace(known, life=relationship.life, created_at=relationship.created_at)
    return candidate._replace(relationship=relationship)


def _with_node(
    candidate: Candidate,
    nodes: Mapping[str, Node],
    passages: Mapping[str, Passage],
    request: SearchRequest,
) -> Candidate | Fault:
    node = nodes.get(candidate.owner)
    if node is None:
        return Fault.UNREADABLE
    if candidate.kind is Kind.PASSAGE:
        passage = passages.get(candidate.entry)
        if passage is None or not isinstance(node, Source):
            return Fault.UNREADABLE
        return candidate._replace(node=node, passage=passage)
    if isinstance(node, Belief) and request.known_at is not None:
        then = as_of.as_known(node, request.known_at)
        return Fault.KNOWN_AT if then is None else candidate._replace(node=then)
    return candidate._replace(node=node)
