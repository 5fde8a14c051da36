"""Lives: what a night does to all of a user's memories at once, and what it has to know for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import Faded, SourceFacts
from remanent.core.model.scope import Scope

Share = Callable[[float], None]


class KeptSources(NamedTuple):
    """How many sources of the user's own, and of no team, are in mind, and how many there are."""

    kept: int
    all: int


class Decay(Protocol):
    """Part of the graph: only ever the caller's own nodes and relationships."""

    def fade(
        self,
        scope: Scope,
        now: datetime,
        rules: LifecycleRules,
        *,
        most: int = 100,
        share: Share | None = None,
    ) -> Faded:
        """Give every node and relationship the life that `rules.lifecycle.faded` makes of it at `now`;
        how many lost salience (those archived before do so unnoticed), how many were archived, and
        the keys of the first `most` of these. Done in short transactions, so that nobody waits long;
        broken off and begun again it ends the same, and a second time it does nothing.
        """
        ...

    def relive(self, scope: Scope, lives: Mapping[str, Lifecycle]) -> int:
        """Give the caller's own nodes and relationships of these keys these lives, in one go; how
        many there are. Nothing else of them changes."""
        ...

    def own_keys_beginning(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[str]:
        """Keys of the caller's own nodes and relationships that start with `prefix`, in order."""
        ...

    def kept(self, scope: Scope) -> KeptSources:
        """How many of the caller's own sources are unarchived, and how many there are; a team's
        sources are no part of either."""
        ...

    def tellings(self, scope: Scope, now: datetime) -> Iterator[SourceFacts]:
        """Those unarchived sources in order of key, each with what it tells: active beliefs it
        supports, open relationships it asserts, notes unexpired at `now`, unarchived anchors it
        mentions, names its sentences bring together. Read page by page; what others write meanwhile may be in it or not."""
        ...
