"""Explore: what the memory holds on something, at the level of detail that was asked for (SPEC 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from remanent.anchors.relationships import relationships_of
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search import Mode
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline
from remanent.lifecycle.pin import record_access
from remanent.retrieval import candidates
from remanent.retrieval.candidates import Gathered, gather_candidates, passes_filters
from remanent.retrieval.model import (
    EpisodicPart,
    ExplorationMeta,
    Explored,
    ExploreRequest,
    Granularity,
    MacroHit,
    NodeType,
    Query,
    SemanticNodeHit,
    SemanticPart,
    SourceHit,
    StorylineHit,
)
from remanent.retrieval.phrasings import rephrase
from remanent.retrieval.present import HitScore, Presenter
from remanent.retrieval.rules import explore
from remanent.retrieval.rules.explore import Limits

MOST_PHRASINGS = 12  # queries in all, once each was put in other words
NO_STORYLINES = "no storyline fits: the sources are those that fit best by themselves"

N = TypeVar("N", bound=Node)


@dataclass(slots=True, kw_only=True)
class Pool:
    """All that may be returned: nodes by key, and how well each fits."""

    env: Env
    scope: Scope
    request: ExploreRequest
    now: datetime
    limits: Limits
    gathered: Gathered
    semantic: Mapping[str, float]
    nodes: dict[str, Node] = field(default_factory=dict)

    @property
    def show(self) -> Presenter:
        """Makes hits of memories."""
        return Presenter(self.env, self.scope, self.request, self.now, self.hit_score)

    def hit_score(self, thing: Node | Relationship) -> HitScore:
        """How well it fits."""
        likeness, rate = self.semantic.get(thing.key, 0.0), self.env.config.ranking.recency_rate
        return HitScore(
            fit=explore.fit(thing, likeness, self.now, self.request.checked_weights, rate),
            how=self.gathered.explained(thing.key),
        )

    def best(self, type_: type[N], most: int | None = None) -> list[N]:
        """The nodes of that type that fit best, best first; ties in order of key."""
        nodes = [one for one in self.nodes.values() if isinstance(one, type_)]
        return self.ordered(nodes)[:most]

    def ordered(self, nodes: Sequence[N]) -> list[N]:
        """Best first."""
        return sorted(nodes, key=lambda one: (-self.hit_score(one).fit.score, one.key))


def explore_memory(env: Env, scope: Scope, request: ExploreRequest) -> Explored:
    """The best of what fits, in one shape at every granularity; with `touch` it is strengthened."""
    request = explore.checked(
        request, rules=env.config.exploring, ranking=env.config.ranking, intake=env.config.intake
    )
    queries, remarks = _queries(env, scope, request), list[str]()
    gathered = gather_candidates(env, scope, request, queries)
    pool = _pool(env, scope, request, gathered)
    semantic, episodic = _semantic(pool), _episodic(pool)
    if request.granularity == 2 and pool.best(Source) and not episodic.storylines:
        remarks.append(NO_STORYLINES)
    answer = Explored(
        meta=ExplorationMeta(
            granularity=Granularity(request.granularity),
            query_used=tuple(one.query for one in queries),
            text_matches=tuple(request.text_matches),
            mode=Mode(request.mode),
            as_of=request.as_of,
            known_at=request.known_at,
            remarks=(*remarks, *gathered.remarks),
        ),
        semantic=semantic,
        episodic=episodic,
    )
    if not answer.keys:
        return replace(answer, meta=replace(answer.meta, reason=_reason(answer.meta, pool)))
    if request.touch:
        record_access(env, scope, answer.keys)
    return answer


def _queries(env: Env, scope: Scope, request: ExploreRequest) -> list[Query]:
    """The queries, and where asked for each by its aspects, and in other words."""
    given = request.checked_queries
    if not given or not (request.multi_query or request.mode is Mode.DEEP):
        return list(given)
    queries = {one.query: one for one in given}
    for one in given:
        if request.as_of is None and request.known_at is None:  # the words for it are today's
            queries |= {each.query: each for each in candidates.aspects(env, scope, one)}
        for wording in rephrase(env, scope, one.query).phrasings:
            text = wording.text
            queries.setdefault(text, Query(query=text, threshold=one.threshold))
    return list(queries.values())[:MOST_PHRASINGS]


def _pool(env: Env, scope: Scope, request: ExploreRequest, gathered: Gathered) -> Pool:
    semantic = explore.semantic(gathered.lists, env.config.ranking.reciprocal_k)
    nodes = env.graph.get_many(scope, [one for one in semantic if one not in gathered.owners])
    return Pool(
        env=env,
        scope=scope,
        request=request,
        now=request.as_of or request.known_at or env.clock.now(),
        limits=explore.limits(Granularity(request.granularity), env.config.exploring),
        gathered=gathered,
        semantic=semantic,
        nodes={
            key: node
            for key, node in nodes.items()
            if explore.was_there(node, request.as_of, request.known_at)
        },
    )


# -- people, concepts, entities and what is between them -----------------------------------


def _semantic(pool: Pool) -> SemanticPart:
    nodes, show = _anchors(pool), pool.show
    between = sorted(
        _between(pool, nodes), key=lambda one: (-pool.hit_score(one).fit.score, one.key)
    )
    hits = [show.node(one, between) for one in nodes]
    return SemanticPart(
        people=_typed(hits, NodeType.PERSON),
        concepts=_typed(hits, NodeType.CONCEPT),
        entities=_typed(hits, NodeType.ENTITY),
        relationships=tuple(map(show.relationship, between[: pool.limits.relationships])),
    )


def _anchors(pool: Pool) -> list[Anchor]:
    """The best; where macros are asked for, first those that the best macros are rooted in."""
    rooted = [one.anchor_key for one in pool.best(Macro, pool.limits.macros)]
    there = pool.env.graph.get_many(pool.scope, rooted)
    roots = [there[key] for key in dict.fromkeys(rooted) if key in there]
    first = [
        one
        for one in roots
        if isinstance(one, Anchor)
        and explore.was_there(one, pool.request.as_of, pool.request.known_at)
    ]
    once = {one.key: one for one in (*first, *pool.best(Anchor))}
    return list(once.values())[: pool.limits.nodes]


def _between(pool: Pool, nodes: Sequence[Anchor]) -> list[Relationship]:
    """All relationships at these nodes that held then and that the filters let through.

    The owner has one with almost everyone: of those, what fits and what the others bring.
    """
    keys = {one.key for one in nodes}
    others = [one for one in nodes if not (isinstance(one, Person) and one.is_owner)]
    relationships = {
        one.key: one
        for one in pool.gathered.relationships.values()
        if one.src in keys or one.dst in keys
    }
    env, scope, request = pool.env, pool.scope, pool.request
    as_of, known_at = request.as_of, request.known_at
    for node in others or nodes:
        for one in relationships_of(env, scope, node.key, as_of=as_of, known_at=known_at):
            if passes_filters(one, request):
                relationships[one.key] = one
    return list(relationships.values())


# -- what happened ------------------------------------------------------------------------


def _episodic(pool: Pool) -> EpisodicPart:
    limits, show = pool.limits, pool.show
    storylines = pool.best(Storyline, limits.storylines)
    macros = [show.macro(one) for one in pool.best(Macro, limits.macros)]
    return EpisodicPart(
        sources=_sources(pool, show, storylines),
        storylines=(
            *map(show.storyline, storylines),
            *(_storyline_name(pool, one) for one in pool.best(Storyline, limits.storyline_names)),
            *_children(macros),
        ),
        macros=(*macros, *(_macro_name(pool, one) for one in pool.best(Macro, limits.macro_names))),
        artifacts=tuple(map(show.artifact, pool.best(Artifact, limits.artifacts))),
    )


def _sources(pool: Pool, show: Presenter, storylines: Sequence[Storyline]) -> tuple[SourceHit, ...]:
    """In full, or previews of those in the storylines; without any, of those that fit best."""
    included = {
        one.key: one
        for story in storylines
        for one in show.sources_of(story.key)
        if one.life.state is not State.ARCHIVED
    }
    previews = pool.ordered(list(included.values())) if storylines else pool.best(Source)
    return (
        *(show.source(one, _passages(pool, one)) for one in pool.best(Source, pool.limits.sources)),
        *(show.source(one, None) for one in previews[: pool.limits.source_previews]),
    )


def _passages(pool: Pool, source: Source) -> Mapping[str, float]:
    found = pool.gathered.passages.get(source.key)
    queries = pool.request.checked_queries
    return found or candidates.passages_of(pool.env, pool.scope, source.key, queries)


def _typed(hits: Sequence[SemanticNodeHit], type_: NodeType) -> tuple[SemanticNodeHit, ...]:
    return tuple(one for one in hits if one.node_type is type_)


def _storyline_name(pool: Pool, story: Storyline) -> StorylineHit:
    score = pool.hit_score(story).fit.score
    return StorylineHit(storyline_id=story.key, name=story.name, relevance_score=score)


def _macro_name(pool: Pool, macro: Macro) -> MacroHit:
    score = pool.hit_score(macro).fit.score
    return MacroHit(macro_id=macro.key, name=macro.name, relevance_score=score)


def _children(macros: Sequence[MacroHit]) -> list[StorylineHit]:
    """The storylines of these macros, by name; they score as their macro does."""
    return [
        StorylineHit(
            storyline_id=one.storyline_id, name=one.name, relevance_score=macro.relevance_score
        )
        for macro in macros
        for one in macro.storylines
    ]


def _reason(answer: ExplorationMeta, pool: Pool) -> str:
    if not pool.semantic and answer.as_of is answer.known_at is None:
        words = " ".join(answer.query_used)
        for one in pool.env.index.match(pool.scope, words, kinds=(Kind.BELIEF,), limit=1):
            belief = pool.env.graph.get(pool.scope, one.key)
            if not isinstance(belief, Belief) or belief.contributed_by is not None:
                continue
            if belief.status is BeliefStatus.ACTIVE:
                return f"nobody and nothing has that name, but it is believed: “{belief.statement}”"
    if not pool.semantic:
        return "nothing in this memory is like what was asked for, or says it"
    if not pool.nodes:
        return "what fits is archived, or was not there at the time asked about"
    return "what fits is of another level of detail than the one asked for"
