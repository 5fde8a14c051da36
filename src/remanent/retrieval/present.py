"""Hits of an request: each memory with the people, things and stories it is linked to (SPEC 8).

All that is shown had happened, and was known, by the time asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Story, Storyline
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
from remanent.retrieval.search import contributor, notes_known
from remanent.stories import rules as rule

NODE_TYPES: Mapping[Kind, NodeType] = {
    Kind.PERSON: NodeType.PERSON,
    Kind.CONCEPT: NodeType.CONCEPT,
    Kind.ENTITY: NodeType.ENTITY,
}
SOME_NOTES = 100  # enough to find ten that have not expired
ALL_NOTES = 1_000_000
N = TypeVar("N", bound=Node)
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


@dataclass(frozen=True, slots=True)
class Presenter:
    """Shows memories to whoever asks; `score_of` says how well each fits the request."""

    env: Env
    scope: Scope
    request: ExploreRequest
    now: datetime
    score_of: Callable[[Node | Relationship], HitScore]

    def node(self, node: Anchor, between: Sequence[Relationship]) -> SemanticNodeHit:
        """With its neighbours: who or what is at the other end of those of these relationships that it has."""
        score = self.score_of(node)
        return SemanticNodeHit(
            entity_key=node.key,
            node_type=NODE_TYPES[node.kind],
            name=node.name,
            description="" if self._is_past else node.description,
            notes_snippets=self._snippets(node.key),
            salience=node.life.salience,
            state=node.life.state,
            last_accessed_at=node.life.last_accessed_at,
            relevance_score=score.fit.score,
            type=node.type if isinstance(node, Entity) else "",
            neighbours=self._neighbours(node.key, between),
            explanation=self._explanation(score),
        )

    def relationship(self, one: Relationship) -> RelationshipHit:
        ends = self.env.graph.get_many(self.scope, [one.src, one.dst])
        snippets, score = self._snippets(one.key), self.score_of(one)
        return RelationshipHit(
            key=one.key,
            from_entity_key=one.src,
            to_entity_key=one.dst,
            from_name=_name(ends.get(one.src)),
            to_name=_name(ends.get(one.dst)),
            relationship_kind=one.kind,
            relationship_type=one.relationship_type,
            # What a night made of all its words tells more than was said by then.
            description=snippets[0] if self._is_past and snippets else one.description,
            attitude=one.attitude,
            proximity=one.proximity,
            notes_snippets=snippets,
            salience=one.life.salience,
            state=one.life.state,
            valid_from=one.valid_from,
            valid_to=one.valid_to,
            relevance_score=score.fit.score,
            explanation=self._explanation(score),
        )

    def source(self, source: Source, passages: Mapping[str, float] | None) -> SourceHit:
        """In full with those of its passages that fit best, or a preview when none are given."""
        full, score = passages is not None, self.score_of(source)
        storylines = self._linked(source.key, LinkKind.INCLUDES, Storyline) if full else []
        macros = {
            one.key: one
            for story in storylines
            for one in self._linked(story.key, LinkKind.GROUPS, Macro)
        }
        most = self.env.config.exploring.mentioned
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
            contributed_by=contributor(self.scope, source),
            passages=self._passages(passages or {}),
            mentioned_nodes=self._mentioned([source.key], most) if full else (),
            storyline_refs=tuple(
                StorylineRef(storyline_id=one.key, name=one.name) for one in storylines
            ),
            macro_refs=tuple(MacroRef(macro_id=one.key, name=one.name) for one in macros.values()),
            explanation=self._explanation(score),
        )

    def storyline(self, story: Storyline) -> StorylineHit:
        """In full."""
        sources, score = self.sources_of(story.key), self.score_of(story)
        source_keys = [one.key for one in sources[:MOST_TOLD]]
        nodes = self._mentioned(source_keys, None, without=story.anchor_key)
        rules = self.env.config.exploring
        return StorylineHit(
            storyline_id=story.key,
            name=story.name,
            relevance_score=score.fit.score,
            is_full=True,
            description=self._text_of(story),
            source_count=story.source_count,
            started_at=story.started_at,
            last_source_at=story.last_source_at,
            anchor=self._anchor(story.anchor_key),
            top_people=_refs_of_type(nodes, NodeType.PERSON, rules.top),
            top_entities=_refs_of_type(nodes, NodeType.ENTITY, rules.top),
            top_concepts=_refs_of_type(nodes, NodeType.CONCEPT, rules.top),
            preview_sources=tuple(self._preview(one) for one in sources[: rules.previews]),
            explanation=self._explanation(score),
        )

    def macro(self, macro: Macro) -> MacroHit:
        """In full."""
        grouped = self._linked(macro.key, LinkKind.GROUPS, Storyline, outward=True)
        score = self.score_of(macro)
        return MacroHit(
            macro_id=macro.key,
            name=macro.name,
            relevance_score=score.fit.score,
            is_full=True,
            description=self._text_of(macro),
            storyline_count=macro.storyline_count,
            total_source_count=macro.total_source_count,
            started_at=macro.started_at,
            last_event_at=macro.last_event_at,
            anchor=self._anchor(macro.anchor_key),
            storylines=tuple(
                StorylinePreview(
                    storyline_id=one.key,
                    name=one.name,
                    one_liner=explore.one_liner(self._text_of(one)),
                    source_count=one.source_count,
                    started_at=one.started_at,
                    last_source_at=one.last_source_at,
                )
                for one in sorted(grouped, key=lambda one: (one.started_at, one.key))
            ),
            explanation=self._explanation(score),
        )

    def artifact(self, artifact: Artifact) -> ArtifactHit:
        produced, score = (LinkKind.PRODUCED,), self.score_of(artifact)
        links = self.env.graph.links(self.scope, artifact.key, kinds=produced, outward=False)
        sources = [link.src for link in links]
        return ArtifactHit(
            entity_key=artifact.key,
            name=artifact.name,
            description=artifact.description,
            content_type=artifact.content_type,
            created_at=artifact.created_at,
            related_nodes=self._mentioned(sources, self.env.config.exploring.top),
            relevance_score=score.fit.score,
            explanation=self._explanation(score),
        )

    def sources_of(self, story_key: str) -> list[Source]:
        """The sources a storyline includes, newest first."""
        sources = self._linked(story_key, LinkKind.INCLUDES, Source, outward=True)
        return sorted(sources, key=lambda one: (one.started_at, one.key), reverse=True)

    # -- parts of these -------------------------------------------------------------------

    @property
    def _is_past(self) -> bool:
        return self.request.as_of is not None or self.request.known_at is not None

    def _explanation(self, score: HitScore) -> Mapping[str, float]:
        return score.explanation if self.request.return_explanations else {}

    def _text_of(self, story: Story) -> str:
        return rule.text_as_of(story, self.request.as_of, self.request.known_at)

    def _neighbours(self, key: str, between: Sequence[Relationship]) -> tuple[NodeRef, ...]:
        joined = (one for one in between if key in (one.src, one.dst))
        ends = dict.fromkeys(one.dst if one.src == key else one.src for one in joined)
        keys = list(ends)[: self.env.config.exploring.top]
        nodes = self.env.graph.get_many(self.scope, keys)
        found = (nodes.get(one) for one in keys)
        return tuple(self._ref(one) for one in found if isinstance(one, Anchor))

    def _snippets(self, key: str) -> tuple[str, ...]:
        limit = ALL_NOTES if self._is_past else SOME_NOTES
        notes, as_of = self.env.graph.notes(self.scope, key, limit=limit), self.request.as_of
        if as_of is not None:
            notes = [one for one in notes if one.date_added <= as_of]
        notes = notes_known(self.env, self.scope, notes, self.request.known_at)
        return explore.snippets(notes, self.now, self.env.config.exploring)

    def _passages(self, scores: Mapping[str, float]) -> tuple[PassageHit, ...]:
        as_of = self.request.as_of
        passages = {
            key: one
            for key, one in self.env.graph.passages_by_key(self.scope, list(scores)).items()
            if as_of is None or one.at is None or one.at <= as_of
        }
        best = ranking.ordered({key: scores[key] for key in passages})
        return tuple(
            PassageHit(
                key=key,
                text=passages[key].text,
                score=scores[key],
                speaker=passages[key].speaker,
                at=passages[key].at,
                ref=passages[key].ref,
            )
            for key in best[: self.env.config.exploring.passages]
        )

    def _linked(
        self, key: str, kind: LinkKind, type_: type[N], *, outward: bool = False
    ) -> list[N]:
        """What it leads to, the faded parts of a story as well: no way down to a source ends early."""
        links = self.env.graph.links(self.scope, key, kinds=(kind,), outward=outward)
        ends = [one.dst if outward else one.src for one in links]
        nodes = sorted(self.env.graph.get_many(self.scope, ends).items())
        there = explore.had_begun if outward else explore.was_there
        as_of, known_at = self.request.as_of, self.request.known_at
        return [one for _, one in nodes if isinstance(one, type_) and there(one, as_of, known_at)]

    def _mentioned(
        self, sources: Iterable[str], most: int | None, without: str = ""
    ) -> tuple[NodeRef, ...]:
        """Whom and what these sources mention, oftenest first, then most salient."""
        counts, mentions = Counter[str](), (LinkKind.MENTIONS,)
        for key in sources:
            links = self.env.graph.links(self.scope, key, kinds=mentions, outward=True)
            counts.update({link.dst for link in links} - {without})
        nodes = [
            one
            for one in self.env.graph.get_many(self.scope, list(counts)).values()
            if isinstance(one, Anchor)
            and explore.was_there(one, self.request.as_of, self.request.known_at)
        ]
        nodes.sort(key=lambda one: (-counts[one.key], -round(one.life.salience, 9), one.key))
        return tuple(self._ref(one) for one in nodes[:most])

    def _anchor(self, key: str) -> NodeRef | None:
        node = self.env.graph.get(self.scope, key)
        return self._ref(node) if isinstance(node, Anchor) else None

    def _ref(self, node: Anchor) -> NodeRef:
        """A semantic node named in passing; how it is described now is no answer about the past."""
        return NodeRef(
            entity_key=node.key,
            node_type=NODE_TYPES[node.kind],
            name=node.name,
            description="" if self._is_past else explore.one_liner(node.description),
            type=node.type if isinstance(node, Entity) else "",
        )

    def _preview(self, source: Source) -> SourcePreview:
        return SourcePreview(
            entity_key=source.key,
            summary=source.summary,
            started_at=source.started_at,
            context_type=source.context_type.value,
            participants=source.participants,
            contributed_by=contributor(self.scope, source),
        )


def _refs_of_type(nodes: Sequence[NodeRef], type_: NodeType, most: int) -> tuple[NodeRef, ...]:
    return tuple(one for one in nodes if one.node_type is type_)[:most]


def _name(node: Node | None) -> str:
    return node.name if isinstance(node, Anchor) else ""
