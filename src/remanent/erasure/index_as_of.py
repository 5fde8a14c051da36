"""The index as it was: what came later than the moment a clock shows is not near to anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Entry, Index, Match, Question, Vector, Weighed, Within


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAsOf:
    """An index in whose `near` some entries are not there yet: `born` says since when they are."""

    index: Index
    born: Mapping[str, datetime]
    clock: Clock

    def put(self, entries: Sequence[Entry]) -> None:
        self.index.put(entries)

    def remove(self, keys: Sequence[str]) -> None:
        self.index.remove(keys)

    def near(
        self,
        scope: Scope,
        vector: Vector,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
    ) -> list[Match]:
        now, asked = self.clock.now(), limit
        while True:
            found = self.index.near(scope, vector, kinds=kinds, limit=asked, within=within)
            there = [one for one in found if self.born.get(one.key, now) <= now]
            if len(there) >= limit or len(found) < asked:
                return there[:limit]
            asked *= 2

    def match(
        self,
        scope: Scope,
        text: str,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
    ) -> list[Match]:
        return self.index.match(scope, text, kinds=kinds, limit=limit, within=within)

    def weigh(
        self,
        scope: Scope,
        question: Question,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
    ) -> list[Weighed]:
        return self.index.weigh(scope, question, kinds=kinds, limit=limit, within=within)

    def vectors(self, scope: Scope, keys: Sequence[str]) -> dict[str, Vector]:
        return self.index.vectors(scope, keys)
