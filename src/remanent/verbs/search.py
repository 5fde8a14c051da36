"""Search: one ranked list over everything the caller may see (SPEC 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remanent.model.anchor import Anchor
from remanent.model.belief import Belief, BeliefStatus
from remanent.model.hit import Hit
from remanent.model.lifecycle import State
from remanent.model.node import Kind, Node
from remanent.model.page import title_of
from remanent.model.scope import Scope
from remanent.model.source import Passage, Source
from remanent.ports.graph import Graph
from remanent.ports.index import Match
from remanent.rules import intake
from remanent.rules.intake import IntakeRules
from remanent.verbs.rank import Rank, Ranked

ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
SEARCHED = (Kind.PASSAGE, Kind.BELIEF, Kind.SOURCE, *ANCHORS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    graph: Graph
    rank: Rank
    intake: IntakeRules

    def __call__(
        self,
        scope: Scope,
        query: str,
        *,
        limit: int,
        kinds: Sequence[Kind] = (),
        include_archived: bool = False,
    ) -> list[Hit]:
        """The best `limit` hits, best first; the same memory and query give the same list."""
        words = intake.statement("query", query, self.intake.max_statement_characters)
        ranked = self.rank(scope, words, kinds=tuple(kinds) or SEARCHED)
        return self._hits(scope, ranked, limit=limit, include_archived=include_archived)

    def _hits(
        self,
        scope: Scope,
        ranked: Ranked,
        *,
        limit: int,
        include_archived: bool,
    ) -> list[Hit]:
        """Read the best ones until there are enough that may be shown."""
        hits: list[Hit] = []
        order = ranked.order
        for start in range(0, len(order), 2 * limit):
            batch = [ranked.found[key] for key in order[start : start + 2 * limit]]
            nodes = self.graph.get_many(scope, [one.owner_key for one in batch])
            passages = self.graph.passages_by_key(
                scope, [one.key for one in batch if one.kind is Kind.PASSAGE]
            )
            for match in batch:
                node = nodes.get(match.owner_key)
                if node is None or not _is_shown(node, include_archived=include_archived):
                    continue
                parts = {
                    name: signal[match.key]
                    for name, signal in ranked.signals.items()
                    if match.key in signal
                }
                hit = _hit(match, node, passages.get(match.key), ranked.scores[match.key], parts)
                if hit is not None:
                    hits.append(self._with_notes(scope, hit))
            if len(hits) >= limit:
                break
        return hits[:limit]

    def _with_notes(self, scope: Scope, hit: Hit) -> Hit:
        """An anchor says what its newest notes say."""
        if hit.kind not in ANCHORS:
            return hit
        notes = self.graph.notes(scope, hit.key, limit=3)
        said = " ".join(note.content for note in notes)
        source_key = next((note.source_key for note in notes if note.source_key), None)
        text = f"{hit.text}: {said}" if said else hit.text
        return replace(hit, text=text, source_key=source_key)


def _is_shown(node: Node, *, include_archived: bool) -> bool:
    if isinstance(node, Belief) and node.status is not BeliefStatus.ACTIVE:
        return False
    return include_archived or node.life.state is not State.ARCHIVED


def _hit(
    match: Match, node: Node, passage: Passage | None, score: float, signals: Mapping[str, float]
) -> Hit | None:
    if match.kind is Kind.PASSAGE:
        if passage is None or not isinstance(node, Source):
            return None
        return Hit(
            key=match.key,
            kind=match.kind,
            text=passage.text,
            score=score,
            source_key=node.key,
            ref=passage.ref,
            at=passage.at or node.started_at,
            speaker=passage.speaker,
            title=title_of(node),
            signals=signals,
        )
    return _node_hit(match, node, score, signals)


def _node_hit(match: Match, node: Node, score: float, signals: Mapping[str, float]) -> Hit:
    source_key, text, at = None, title_of(node), node.updated_at
    if isinstance(node, Belief):
        source_key = next((one.source_key for one in node.supports if one.source_key), None)
        at = node.since
    elif isinstance(node, Source):
        source_key, text, at = node.key, node.summary, node.started_at
    elif isinstance(node, Anchor):
        text = f"{node.name}: {node.description}" if node.description else node.name
    return Hit(
        key=match.key,
        kind=match.kind,
        text=text,
        score=score,
        source_key=source_key,
        at=at,
        title=title_of(node),
        signals=signals,
    )
