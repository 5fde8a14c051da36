"""Sift: what a ranking leads to, read and let through where it passes the filters (SPEC 8).

Filters are hard, and must not starve: first those owners are looked up that can pass at all,
then more and more candidates are ranked until enough pass or there are no more.

Candidates of a wider ranking follow those of the narrower one, so that the list for one request
has one order however much of it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remanent.anchors.relationships import relationships_of
from remanent.beliefs.rules import as_of
from remanent.core.env import Env
from remanent.core.index_entries import NOTES_SUFFIX, TEAM_SUFFIX
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import OWNER, Belief
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search_request import Asked, Sought
from remanent.core.model.source import Passage, Source
from remanent.core.ports.index import Match, Within
from remanent.core.read import resolve
from remanent.errors import InvalidInput, UnknownKey
from remanent.retrieval.rank import Ranked, rank_entries
from remanent.retrieval.rules import filters
from remanent.retrieval.rules.filters import ANCHORS, Fault

WIDER: Final = 4  # times as many candidates when too few pass
LEAST, MOST = 20, 200  # matches read at once: as few as needed, more and more when few pass
_ABOUT = (LinkKind.MENTIONS, LinkKind.ABOUT, LinkKind.ROOTED_IN)
_ME = frozenset({OWNER, "user", "me", "i"})  # what the owner is called in a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One match and what it leads to, as it was known at the time asked for."""

    match: Match
    node: Node | None = None
    passage: Passage | None = None
    relationship: Relationship | None = None

    @property
    def key(self) -> str:
        """What it is called in an answer: a relationship's notes are the relationship, and a story is
        one whoever it is told to."""
        return self.match.key.removesuffix(NOTES_SUFFIX).removesuffix(TEAM_SUFFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Something that passed: its score, and where the parts of it are to be found."""

    thing: Thing
    score: float
    ranked: Ranked

    @property
    def key(self) -> str:
        return self.thing.key

    @property
    def signals(self) -> dict[str, float]:
        """The parts of the score, by name."""
        key = self.thing.match.key
        return {name: one[key] for name, one in self.ranked.signals.items() if key in one}


@dataclass(slots=True, kw_only=True)
class Sifted:
    """What has passed so far, best first, and how many did not, by what they failed.

    `is_all` says that there was no more to be found.
    """

    passed: list[Passed] = field(default_factory=list)
    faults: Counter[Fault] = field(default_factory=Counter)
    found: int = 0
    is_all: bool = False


def checked(env: Env, scope: Scope, asked: Asked) -> Sought:
    """The request with its names looked up, or `InvalidInput` naming the field."""
    sought = filters.checked(asked, max_characters=env.config.intake.max_statement_characters)
    if sought.team is not None and sought.team not in scope.teams:
        raise InvalidInput("team", f"{sought.team!r} is not a team of {scope.user_id!r}")
    if sought.speaker is not None:
        sought = replace(sought, also=_called(env, scope, sought.speaker))
    if sought.not_speaker is not None:
        sought = replace(sought, not_also=_called(env, scope, sought.not_speaker))
    if sought.anchor is not None:
        anchor = _anchor(env, scope, sought.anchor)
        links = env.graph.links(scope, anchor, kinds=_ABOUT, outward=False)
        about = frozenset({anchor, *(link.src for link in links)})
        sought = replace(sought, anchor=anchor, about=about)
    return sought


def _anchor(env: Env, scope: Scope, key: str) -> str:
    try:
        found = resolve(env, scope, key)
    except (UnknownKey, InvalidInput) as problem:
        told = problem.problem if isinstance(problem, InvalidInput) else "has no anchor"
        raise InvalidInput("anchor", f"{key!r}: {told}") from None
    node = env.graph.get(scope, found)
    if not isinstance(node, Anchor):
        kind = "nothing" if node is None else f"a {node.kind.value}"
        raise InvalidInput("anchor", f"{key!r} is {kind}, not a person, concept or entity")
    merged = env.graph.links(scope, found, kinds=(LinkKind.SAME_AS,), outward=True)
    return merged[0].dst if merged else found


def _called(env: Env, scope: Scope, speaker: str) -> frozenset[str]:
    """All names of the person who is called so; the owner is "me" and "user" as well."""
    names = env.graph.named(scope, Kind.PERSON, speaker.split("-"))
    if speaker in _ME:
        names = [one for one in env.graph.names(scope) if one.is_owner]
    found = {speaker}
    for one in names:
        called = {canonical_name(name) for name in (one.name, *one.aliases)}
        if speaker in called or (one.is_owner and speaker in _ME):
            found |= called
            found |= (
                {scope.user_id, one.name.split()[0].casefold(), *_ME} if one.is_owner else set()
            )
    return frozenset(canonical_name(one) for one in found)


# -- the search ---------------------------------------------------------------------------


def filter_hits(
    env: Env, scope: Scope, sought: Sought, *, need: int, until: str | None = None
) -> Sifted:
    """The best `need` that pass, or all that there are; more where `until` is not among them."""
    sifted, seen, told = Sifted(), set[str](), set[str]()
    kinds = filters.kinds_that_can_pass(sought)
    if not kinds:
        return sifted
    within = _within(env, scope, sought)
    pool = env.config.ranking.pool
    while True:
        ranked = rank_entries(env, scope, sought.query, kinds=kinds, within=within, pool=pool)
        fresh = [key for key in ranked.order if key not in seen]
        seen.update(fresh)
        matches = [ranked.found[key] for key in fresh]
        for thing in _things(env, scope, sought, matches, told, need):
            _take(thing, sought, ranked, sifted)
            if len(sifted.passed) >= need and (until is None or until in told):
                return sifted
        if len(ranked.found) < pool:  # neither words nor meaning bring up any more
            return sifted
        pool *= WIDER


def refused(env: Env, scope: Scope, sought: Sought) -> Sifted:
    """What a request of which nothing passes would have found without its filters: the best of
    it, and by what each was refused."""
    sifted = Sifted()
    ranked = rank_entries(env, scope, sought.query, kinds=sought.kinds)
    sifted.is_all = len(ranked.found) < env.config.ranking.pool
    matches = [ranked.found[key] for key in ranked.order]
    for thing in _things(env, scope, sought, matches, set(), len(matches)):
        _take(thing, sought, ranked, sifted)
    return sifted


def _within(env: Env, scope: Scope, sought: Sought) -> Within | None:
    """Who can pass, where that is cheaper to say than to find out by reading everything."""
    if not sought.narrows_sources:
        return None
    sources = frozenset(env.graph.sources_like(scope, sought))
    if sought.about is None:
        return {Kind.SOURCE: sources, Kind.PASSAGE: sources}
    anchor = sought.anchor or ""
    ends = env.graph.relationships(scope, anchor, history=True)
    others = (Kind.BELIEF, Kind.PAST_BELIEF, Kind.STORYLINE, Kind.MACRO, *ANCHORS)
    said = sources & sought.about
    return {
        **dict.fromkeys((Kind.SOURCE, Kind.PASSAGE), said),
        **dict.fromkeys(others, sought.about),
        Kind.RELATIONSHIP: frozenset(one.src for one in ends),
    }


def _take(thing: Thing | Fault, sought: Sought, ranked: Ranked, sifted: Sifted) -> None:
    sifted.found += 1
    fault = thing if isinstance(thing, Fault) else fault_of(thing, sought)
    if fault is None and isinstance(thing, Thing):
        score = ranked.scores[thing.match.key]
        sifted.passed.append(Passed(thing=thing, score=score, ranked=ranked))
    elif fault is not None:
        sifted.faults[fault] += 1


def fault_of(thing: Thing, sought: Sought) -> Fault | None:
    """The first filter that this thing fails."""
    if thing.relationship is not None:
        one = thing.relationship
        return filters.relationship_fault(one, sought) or filters.fault(
            filters.facts_of_relationship(one), sought
        )
    if thing.passage is not None and isinstance(thing.node, Source):
        return filters.fault(filters.facts_of_passage(thing.passage, thing.node), sought)
    if thing.node is None:
        return Fault.UNREADABLE
    if isinstance(thing.node, Belief):
        held = filters.belief_fault(thing.node, sought)
        if held is not None:
            return held
    return filters.fault(filters.facts_of(thing.node), sought)


# -- reading ------------------------------------------------------------------------------


def _things(
    env: Env, scope: Scope, sought: Sought, matches: Sequence[Match], told: set[str], need: int
) -> Iterator[Thing | Fault]:
    """What the matches lead to in their order, each thing once: not those that were `told`."""
    start, size = 0, min(max(need, LEAST), MOST)
    while start < len(matches):
        for thing in things(env, scope, sought, matches[start : start + size]):
            key = thing.key if isinstance(thing, Thing) else None
            if key is not None and key in told:
                continue
            told.add(key or "")
            yield thing
        start, size = start + size, min(2 * size, MOST)


def things(
    env: Env, scope: Scope, sought: Sought, matches: Sequence[Match]
) -> Iterator[Thing | Fault]:
    """The same, read in one go; a fault where there was nothing at that time."""
    said = [one for one in matches if one.kind is Kind.PASSAGE]
    owners = [one.owner_key for one in matches if one.kind is not Kind.RELATIONSHIP]
    nodes = env.graph.get_many(scope, owners) if owners else {}
    passages = env.graph.passages_by_key(scope, [one.key for one in said]) if said else {}
    for match in matches:
        if match.kind is Kind.RELATIONSHIP:
            yield _relationship(env, scope, sought, match)
        else:
            yield _thing(match, nodes, passages, sought)


def _relationship(env: Env, scope: Scope, sought: Sought, match: Match) -> Thing | Fault:
    key = match.key.removesuffix(NOTES_SUFFIX)
    one = env.graph.relationship(scope, key)
    if one is None:
        return Fault.UNREADABLE
    if sought.known_at is not None:
        then = relationships_of(env, scope, one.src, known_at=sought.known_at, history=True)
        known = next((other for other in then if other.key == key), None)
        if known is None:
            return Fault.KNOWN_AT
        one = replace(known, life=one.life, created_at=one.created_at)
    return Thing(match=match, relationship=one)


def _thing(
    match: Match, nodes: Mapping[str, Node], passages: Mapping[str, Passage], sought: Sought
) -> Thing | Fault:
    node = nodes.get(match.owner_key)
    if node is None:
        return Fault.UNREADABLE
    if match.kind is Kind.PASSAGE:
        passage = passages.get(match.key)
        if passage is None or not isinstance(node, Source):
            return Fault.UNREADABLE
        return Thing(match=match, node=node, passage=passage)
    if isinstance(node, Belief) and sought.known_at is not None:
        then = as_of.as_known(node, sought.known_at)
        return Fault.KNOWN_AT if then is None else Thing(match=match, node=then)
    return Thing(match=match, node=node)
