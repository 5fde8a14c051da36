"""Hits of an request: each memory with the people, things and stories it is linked to (SPEC 8).

All that is shown had happened, and was known, by the time asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Entity, Note
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline
from remanent.retrieval.model import (
    ArtifactHit,
    ExploreRequest,
    MacroHit,
    MacroRef,
    NodeRef,
    NodeType,
    PassageHit,
    RelationshipHit,
    SemanticNodeHit,
    SourceHit,
    SourcePreview,
    StorylineHit,
    StorylinePreview,
    StorylineRef,
)
from remanent.retrieval.rules import explore, ranking
from remanent.retrieval.rules.explore import Fit
from remanent.stories import rules as rule

NODE_TYPES: Mapping[Kind, NodeType] = {
    Kind.PERSON: NodeType.PERSON,
    Kind.CONCEPT: NodeType.CONCEPT,
    Kind.ENTITY: NodeType.ENTITY,
}
SOME_NOTES = 100  # enough to find ten that have not expired
ALL_NOTES = 1_000_000
MOST_TOLD = 50  # of a storyline's sources, the newest: whom they mention is who it is about


@dataclass(frozen=True, slots=True, kw_only=True)
class HitScore:
    """A memory, how well it fits, and how it was found."""

    fit: Fit
    how: Mapping[str, float]

    @property
    def explanation(self) -> dict[str, float]:
        """The parts of the score, and of what they were made."""
        parts = {name: getattr(self.fit, name) for name in ("time", "salience", "semantic")}
        return {**parts, **self.how}


def node(
    env: Env,
    scope: Scope,
    request: ExploreRequest,
    now: datetime,
    node: Anchor,
    score: HitScore,
    between: Sequence[Relationship],
) -> SemanticNodeHit:
    """With its neighbours: who or what is at the other end of those of these relationships that it has."""
    return SemanticNodeHit(
        entity_key=node.key,
        node_type=NODE_TYPES[node.kind],
        name=node.name,
        description="" if _is_past(request) else node.description,
        notes_snippets=_snippets(env, scope, request, now, node.key),
        salience=node.life.salience,
        state=node.life.state,
        last_accessed_at=node.life.last_accessed_at,
        relevance_score=score.fit.score,
        type=node.type if isinstance(node, Entity) else "",
        neighbours=_neighbours(env, scope, request, node.key, between),
        explanation=_explanation(request, score),
    )


def _neighbours(
    env: Env, scope: Scope, request: ExploreRequest, key: str, between: Sequence[Relationship]
) -> tuple[NodeRef, ...]:
    ends = (one.dst if one.src == key else one.src for one in between if key in (one.src, one.dst))
    keys = list(dict.fromkeys(ends))[: env.config.exploring.top]
    nodes = env.graph.get_many(scope, keys)
    found = (nodes.get(one) for one in keys)
    return tuple(ref(one, request) for one in found if isinstance(one, Anchor))


def relationship(
    env: Env,
    scope: Scope,
    request: ExploreRequest,
    now: datetime,
    one: Relationship,
    score: HitScore,
) -> RelationshipHit:
    ends = env.graph.get_many(scope, [one.src, one.dst])
    snippets = _snippets(env, scope, request, now, one.key)
    return RelationshipHit(
        key=one.key,
        from_entity_key=one.src,
        to_entity_key=one.dst,
        from_name=_name(ends.get(one.src)),
        to_name=_name(ends.get(one.dst)),
        relationship_kind=one.kind,
        relationship_type=one.relationship_type,
        # What a night made of all its words tells more than was said by then.
        description=snippets[0] if _is_past(request) and snippets else one.description,
        attitude=one.attitude,
        proximity=one.proximity,
        notes_snippets=snippets,
        salience=one.life.salience,
        state=one.life.state,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        relevance_score=score.fit.score,
        explanation=_explanation(request, score),
    )


def _snippets(
    env: Env, scope: Scope, request: ExploreRequest, now: datetime, key: str
) -> tuple[str, ...]:
    limit = ALL_NOTES if _is_past(request) else SOME_NOTES
    notes = env.graph.notes(scope, key, limit=limit)
    if request.as_of is not None:
        notes = [one for one in notes if one.date_added <= request.as_of]
    if request.known_at is not None:
        notes = _notes_known_at(env, scope, notes, request.known_at)
    return explore.snippets(notes, now, env.config.exploring)


def _notes_known_at(
    env: Env, scope: Scope, notes: Sequence[Note], known_at: datetime
) -> list[Note]:
    """Those of a source that was in our books by then; a note has no such date of its own."""
    sources = env.graph.get_many(scope, [one.source_key for one in notes if one.source_key])
    known = {key for key, source in sources.items() if source.created_at <= known_at}
    return [
        one
        for one in notes
        if (one.source_key in known if one.source_key else one.date_added <= known_at)
    ]


# -- episodic -----------------------------------------------------------------------------


def source(
    env: Env,
    scope: Scope,
    request: ExploreRequest,
    source: Source,
    score: HitScore,
    passages: Mapping[str, float] | None,
) -> SourceHit:
    """In full with those of its passages that fit best, or a preview when none are given."""
    full = passages is not None
    storylines = _storylines_of(env, scope, request, source.key) if full else []
    macros = {
        one.key: one for story in storylines for one in _macros_of(env, scope, request, story.key)
    }
    return SourceHit(
        entity_key=source.key,
        summary=source.summary,
        context_type=source.context_type.value,
        source_type=source.source_type.value,
        started_at=source.started_at,
        ended_at=source.ended_at,
        relevance_score=score.fit.score,
        title=source.title,
        is_full=full,
        contributed_by=None if source.user_id == scope.user_id else source.user_id,
        passages=_passages(env, scope, request, passages or {}),
        mentioned_nodes=_mentioned(
            env, scope, request, [source.key], env.config.exploring.mentioned
        )
        if full
        else (),
        storyline_refs=tuple(
            StorylineRef(storyline_id=one.key, name=one.name) for one in storylines
        ),
        macro_refs=tuple(MacroRef(macro_id=one.key, name=one.name) for one in macros.values()),
        explanation=_explanation(request, score),
    )


def _passages(
    env: Env, scope: Scope, request: ExploreRequest, scores: Mapping[str, float]
) -> tuple[PassageHit, ...]:
    passages = {
        key: one
        for key, one in env.graph.passages_by_key(scope, list(scores)).items()
        if request.as_of is None or one.at is None or one.at <= request.as_of
    }
    best = ranking.ordered({key: scores[key] for key in passages})[: env.config.exploring.passages]
    return tuple(
        PassageHit(
            key=key,
            text=passages[key].text,
            score=scores[key],
            speaker=passages[key].speaker,
            at=passages[key].at,
            ref=passages[key].ref,
        )
        for key in best
    )


def storyline(
    env: Env, scope: Scope, request: ExploreRequest, story: Storyline, score: HitScore
) -> StorylineHit:
    """In full."""
    sources = sources_of(env, scope, request, story.key)
    source_keys = [one.key for one in sources[:MOST_TOLD]]
    nodes = _mentioned(env, scope, request, source_keys, None, without=story.anchor_key)
    top = env.config.exploring.top
    return StorylineHit(
        storyline_id=story.key,
        name=story.name,
        relevance_score=score.fit.score,
        is_full=True,
        description=rule.text_as_of(story, request.as_of, request.known_at),
        source_count=story.source_count,
        started_at=story.started_at,
        last_source_at=story.last_source_at,
        anchor=_anchor(env, scope, request, story.anchor_key),
        top_people=_refs_of_type(nodes, NodeType.PERSON, top),
        top_entities=_refs_of_type(nodes, NodeType.ENTITY, top),
        top_concepts=_refs_of_type(nodes, NodeType.CONCEPT, top),
        preview_sources=tuple(
            _preview(scope, one) for one in sources[: env.config.exploring.previews]
        ),
        explanation=_explanation(request, score),
    )


def macro(
    env: Env, scope: Scope, request: ExploreRequest, macro: Macro, score: HitScore
) -> MacroHit:
    """In full."""
    return MacroHit(
        macro_id=macro.key,
        name=macro.name,
        relevance_score=score.fit.score,
        is_full=True,
        description=rule.text_as_of(macro, request.as_of, request.known_at),
        storyline_count=macro.storyline_count,
        total_source_count=macro.total_source_count,
        started_at=macro.started_at,
        last_event_at=macro.last_event_at,
        anchor=_anchor(env, scope, request, macro.anchor_key),
        storylines=tuple(
            StorylinePreview(
                storyline_id=one.key,
                name=one.name,
                one_liner=explore.one_liner(rule.text_as_of(one, request.as_of, request.known_at)),
                source_count=one.source_count,
                started_at=one.started_at,
                last_source_at=one.last_source_at,
            )
            for one in _grouped(env, scope, request, macro.key)
        ),
        explanation=_explanation(request, score),
    )


def artifact(
    env: Env, scope: Scope, request: ExploreRequest, artifact: Artifact, score: HitScore
) -> ArtifactHit:
    links = env.graph.links(scope, artifact.key, kinds=(LinkKind.PRODUCED,), outward=False)
    sources = [link.src for link in links]
    return ArtifactHit(
        entity_key=artifact.key,
        name=artifact.name,
        description=artifact.description,
        content_type=artifact.content_type,
        created_at=artifact.created_at,
        related_nodes=_mentioned(env, scope, request, sources, env.config.exploring.top),
        relevance_score=score.fit.score,
        explanation=_explanation(request, score),
    )


# -- what hangs together ------------------------------------------------------------------


def sources_of(env: Env, scope: Scope, request: ExploreRequest, story_key: str) -> list[Source]:
    """The sources a storyline includes, newest first."""
    nodes = _linked_nodes(env, scope, request, story_key, LinkKind.INCLUDES, outward=True)
    sources = [one for one in nodes if isinstance(one, Source)]
    return sorted(sources, key=lambda one: (one.started_at, one.key), reverse=True)


def _storylines_of(
    env: Env, scope: Scope, request: ExploreRequest, source_key: str
) -> list[Storyline]:
    nodes = _linked_nodes(env, scope, request, source_key, LinkKind.INCLUDES, outward=False)
    return [one for one in nodes if isinstance(one, Storyline)]


def _macros_of(env: Env, scope: Scope, request: ExploreRequest, story_key: str) -> list[Macro]:
    nodes = _linked_nodes(env, scope, request, story_key, LinkKind.GROUPS, outward=False)
    return [one for one in nodes if isinstance(one, Macro)]


def _grouped(env: Env, scope: Scope, request: ExploreRequest, macro_key: str) -> list[Storyline]:
    nodes = _linked_nodes(env, scope, request, macro_key, LinkKind.GROUPS, outward=True)
    stories = [one for one in nodes if isinstance(one, Storyline)]
    return sorted(stories, key=lambda one: (one.started_at, one.key))


def _linked_nodes(
    env: Env, scope: Scope, request: ExploreRequest, key: str, kind: LinkKind, *, outward: bool
) -> list[Node]:
    """What it leads to, the faded parts of a story as well: no way down to a source ends early."""
    links = env.graph.links(scope, key, kinds=(kind,), outward=outward)
    nodes = env.graph.get_many(scope, [one.dst if outward else one.src for one in links])
    there = explore.had_begun if outward else explore.was_there
    return [
        nodes[key] for key in sorted(nodes) if there(nodes[key], request.as_of, request.known_at)
    ]


def _mentioned(
    env: Env,
    scope: Scope,
    request: ExploreRequest,
    sources: Iterable[str],
    most: int | None,
    without: str = "",
) -> tuple[NodeRef, ...]:
    """Whom and what these sources mention, oftenest first, then most salient."""
    counts: Counter[str] = Counter()
    for key in sources:
        links = env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=True)
        counts.update({link.dst for link in links} - {without})
    nodes = [
        one
        for one in env.graph.get_many(scope, list(counts)).values()
        if isinstance(one, Anchor) and explore.was_there(one, request.as_of, request.known_at)
    ]
    nodes.sort(key=lambda one: (-counts[one.key], -round(one.life.salience, 9), one.key))
    return tuple(ref(one, request) for one in nodes[:most])


def _anchor(env: Env, scope: Scope, request: ExploreRequest, key: str) -> NodeRef | None:
    node = env.graph.get(scope, key)
    return ref(node, request) if isinstance(node, Anchor) else None


def ref(node: Anchor, request: ExploreRequest) -> NodeRef:
    """A semantic node named in passing; how it is described now is no answer about the past."""
    return NodeRef(
        entity_key=node.key,
        node_type=NODE_TYPES[node.kind],
        name=node.name,
        description="" if _is_past(request) else explore.one_liner(node.description),
        type=node.type if isinstance(node, Entity) else "",
    )


def _refs_of_type(nodes: Sequence[NodeRef], type_: NodeType, most: int) -> tuple[NodeRef, ...]:
    return tuple(one for one in nodes if one.node_type is type_)[:most]


def _preview(scope: Scope, source: Source) -> SourcePreview:
    return SourcePreview(
        entity_key=source.key,
        summary=source.summary,
        started_at=source.started_at,
        context_type=source.context_type.value,
        participants=source.participants,
        contributed_by=None if source.user_id == scope.user_id else source.user_id,
    )


def _is_past(request: ExploreRequest) -> bool:
    return request.as_of is not None or request.known_at is not None


def _name(node: Node | None) -> str:
    return node.name if isinstance(node, Anchor) else ""


def _explanation(request: ExploreRequest, score: HitScore) -> Mapping[str, float]:
    return score.explanation if request.return_explanations else {}
