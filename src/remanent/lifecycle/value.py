"""Appraise: which sources would be missed least, and which have to go where there are too many."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.lifecycle_reports import Forgettable
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.lifecycle.rules import value as worth
from remanent.lifecycle.rules.value import Standing, WorthRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Appraise:
    graph: Graph
    clock: Clock
    rules: LifecycleRules
    worth: WorthRules

    def __call__(self, scope: Scope, *, limit: int = 20) -> list[Forgettable]:
        """The sources worth least, least first: which would go if fewer were kept, and why."""
        now = self.clock.now()
        standing = worth.ordered(self.graph.tellings(scope, now), now, self.worth)
        least = deque((one for one in standing if not one.is_kept), maxlen=limit)
        nodes = self.graph.get_many(scope, [one.key for one in least])
        return [
            Forgettable(
                key=one.key,
                name=title_of(nodes[one.key]) if one.key in nodes else one.key[:8],
                started_at=one.started_at,
                worth=one.worth,
                why=worth.why(one),
            )
            for one in reversed(least)
        ]

    def surplus(self, scope: Scope, at: datetime) -> list[Standing]:
        """The sources over the limit of `lifecycle.keep_sources` and `keep_share`, least worth first."""
        if not self.rules.keep_sources and self.rules.keep_share >= 1.0:
            return []
        count = self.graph.kept(scope)
        most = worth.allowed(
            count.all, keep_sources=self.rules.keep_sources, keep_share=self.rules.keep_share
        )
        if count.kept <= most:
            return []
        over: list[Standing] = []
        for place, one in enumerate(worth.ordered(self.graph.tellings(scope, at), at, self.worth)):
            if place >= most and not one.is_kept:
                over.append(one)
        return over[::-1]
