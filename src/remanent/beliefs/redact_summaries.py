"""Withhold: what was put out of mind is told by no summary either."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode, event_key
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Summary
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Withhold:
    graph: Graph
    index: Index

    def __call__(self, scope: Scope, belief: Belief) -> None:
        """Take the words of a forgotten belief's episodes out of the summaries that stand for them.

        Those say nothing, and are not found, until they are told again without these words.
        """
        for support in belief.supports:
            key = event_key(scope.user_id, support.event_id)
            if support.source_key is None and self._is_forgotten(scope, key):
                for summary in self._standing_for(scope, key):
                    self._silence(scope, summary, support.event_id)

    def among(self, scope: Scope, events: Iterable[EventNode]) -> list[str]:
        """The ids of those of these events that speak for nothing but what was forgotten."""
        return [
            one.event_id
            for one in events
            if not one.is_recorded
            and self.graph.links(scope, one.key, kinds=(LinkKind.SUPPORTS,), outward=True)
            and self._is_forgotten(scope, one.key)
        ]

    def _is_forgotten(self, scope: Scope, key: str) -> bool:
        links = self.graph.links(scope, key, kinds=(LinkKind.SUPPORTS,), outward=True)
        beliefs = self.graph.get_many(scope, [link.dst for link in links]).values()
        return all(
            isinstance(one, Belief) and one.status is BeliefStatus.FORGOTTEN for one in beliefs
        )

    def _standing_for(self, scope: Scope, key: str) -> list[Summary]:
        gone = self.graph.bygones(scope, key, limit=1)
        above = [one.summary_key for one in gone] or self._above(scope, key)
        found = self.graph.get_many(scope, above).values()
        return [one for one in found if isinstance(one, Summary)]

    def _above(self, scope: Scope, key: str) -> list[str]:
        links = self.graph.links(scope, key, kinds=(LinkKind.SUMMARIZES,), outward=False)
        return [link.src for link in links]

    def _silence(self, scope: Scope, summary: Summary, event_id: str | None) -> None:
        withheld = dict.fromkeys((*summary.withheld, *(() if event_id is None else (event_id,))))
        silent = replace(summary, text="", digest="", withheld=tuple(withheld), is_dirty=True)
        self.graph.put(scope, silent)
        self.index.remove([summary.key])
        for key in self._above(scope, summary.key):
            higher = self.graph.get(scope, key)
            if isinstance(higher, Summary):
                self._silence(scope, higher, None)
