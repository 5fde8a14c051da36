"""The graph: nodes, edges, passages. Derived, and rebuilt from the ledger when need be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from remanent.model.lifecycle import State
from remanent.model.name import Name
from remanent.model.node import Kind, Node
from remanent.model.relationship import Link, LinkKind, Relationship
from remanent.model.scope import Scope
from remanent.model.source import Passage


class Graph(Protocol):
    """A scope may write only its own user's nodes; it reads what `rules.visibility` allows."""

    def put(self, scope: Scope, node: Node) -> None:
        """Store the node under its key, whole; what stood there is replaced."""
        ...

    def get(self, scope: Scope, key: str) -> Node | None:
        """The node under this key, archived or not, if the caller may see it."""
        ...

    def get_many(self, scope: Scope, keys: Sequence[str]) -> dict[str, Node]:
        """Those of the nodes that exist and that the caller may see."""
        ...

    def natural(self, scope: Scope, kind: Kind, natural: str) -> Node | None:
        """The caller's own node of that kind with that natural key."""
        ...

    def find(
        self,
        scope: Scope,
        kind: Kind,
        *,
        states: Sequence[State] = (),
        limit: int = 1000,
        after: str = "",
    ) -> list[Node]:
        """Visible nodes of a kind in order of key, from beyond the key `after`; no states means all."""
        ...

    def keys_beginning(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[str]:
        """Keys of visible nodes that start with `prefix`, in order."""
        ...

    def names(self, scope: Scope) -> list[Name]:
        """What every anchor of the caller's own is called, in order of key."""
        ...

    def remove(self, scope: Scope, key: str) -> bool:
        """Take the caller's own node away with its edges and passages; False if it was not there."""
        ...

    def link(self, scope: Scope, link: Link) -> bool:
        """Draw a link. False, and no change, when the same link is there already."""
        ...

    def links(
        self, scope: Scope, key: str, *, kinds: Sequence[LinkKind] = (), outward: bool | None = None
    ) -> list[Link]:
        """Links at this node between visible nodes; `outward` True: from it, False: to it."""
        ...

    def relate(self, scope: Scope, relationship: Relationship) -> None:
        """Store the relationship under its key, whole."""
        ...

    def relationships(
        self, scope: Scope, key: str, *, as_of: datetime | None = None, history: bool = False
    ) -> list[Relationship]:
        """Relationships at this node in order of `valid_from`: open ones; those that held at `as_of`;
        or with `history` every one there ever was."""
        ...

    def put_passages(self, scope: Scope, source_key: str, passages: Sequence[Passage]) -> None:
        """Make these the passages of the caller's own source, in the place of any before."""
        ...

    def passages(self, scope: Scope, source_key: str) -> list[Passage]:
        """The passages of a visible source in order."""
        ...

    def passages_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Passage]:
        """Those of these passages that exist and whose source the caller may see."""
        ...

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many nodes of each kind, relationships, links and passages the caller owns."""
        ...

    def export(self, scope: Scope) -> Iterator[Mapping[str, Any]]:
        """All the caller owns as plain records, in one fixed order: equal memories export equally."""
        ...
