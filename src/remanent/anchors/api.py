"""Anchors and sources as part of `UserMemory`: lists of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.core import read
from remanent.core.checks import choice, limited, whole
from remanent.core.later import later
from remanent.core.model.anchor import Anchor
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.page import AnchorGraph
from remanent.core.model.source import Source
from remanent.core.ports.graph import Nodes
from remanent.core.user_handle import UserHandle, verb

if TYPE_CHECKING:
    from remanent.anchors import relationships, resolve
else:
    relationships = later("remanent.anchors.relationships")
    resolve = later("remanent.anchors.resolve")

MOST_DRAWN = 5000


class AnchorsApi(UserHandle):
    """People, concepts and entities, how they stand to one another, and the sources."""

    def anchors(
        self,
        kind: str | Kind | None = None,
        *,
        include_archived: bool = False,
        limit: int | None = None,
    ) -> list[Anchor]:
        """The people, concepts and entities this user's memory knows, most mentioned first."""
        most = None if limit is None else limited(limit)
        type_ = Anchor if kind is None else NODE_TYPES[choice("kind", Kind, kind)]
        matching = [
            node
            for node in read.every(self.env.graph, self.scope, type_)
            if isinstance(node, Anchor)
            and (include_archived or node.life.state is not State.ARCHIVED)
        ]
        return sorted(matching, key=lambda one: (-one.source_count, one.name, one.key))[:most]

    def sources(
        self, limit: int = 100, *, after: str | None = None, include_archived: bool = False
    ) -> list[Source]:
        """The sources this user may see, newest first; `after` goes on behind the one of that key."""
        scope, env = self.scope, self.env
        start = "" if after is None else read.resolve(env, scope, after)
        where = {} if include_archived else {"state <>": State.ARCHIVED}
        newest = Nodes(Source, where, ("-started_at",), after=start, limit=limited(limit))
        return env.graph.select(scope, newest)

    relationships = verb(lambda: relationships.relationships_of)

    def graph(self, around: Sequence[str] = (), *, limit: int = 300) -> AnchorGraph:
        """People, concepts and entities with every relationship there ever was between them: around
        those of these names or keys, else the most mentioned. To draw it is no access."""
        most = whole("limit", limit, 1, MOST_DRAWN)
        keys = [resolve.anchor_key(self.env, self.scope, one, "around") for one in around]
        known = keys or [one.key for one in self.anchors()]
        return relationships.graph_around(self.env, self.scope, known, limit=most)
