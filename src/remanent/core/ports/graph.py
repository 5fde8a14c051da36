"""The graph: nodes, edges, passages. Derived, and rebuilt from the ledger when need be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from remanent.core.model.anchor import Bearer, Name, Note
from remanent.core.model.belief import Belief
from remanent.core.model.event import EventNode, EventQuery
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import (
    Assertion,
    Link,
    LinkKind,
    Relationship,
    RelationshipKind,
)
from remanent.core.model.scope import Scope
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import Passage, Source
from remanent.core.ports.graph_queries import (
    BusyAnchors,
    ConsolidationQueries,
    Decay,
    Edges,
    EventNodes,
    SensitivityQueries,
)
from remanent.core.visibility import Consents


class Graph(Decay, EventNodes, BusyAnchors, ConsolidationQueries, SensitivityQueries, Protocol):
    """A scope may write only its own user's nodes; it reads what `rules.visibility` allows."""

    def put(self, scope: Scope, node: Node) -> None:
        """Store the node under its key, whole, as `by_hand.imposed` has it; what stood there is replaced."""

    def get(self, scope: Scope, key: str) -> Node | None:
        """The node under this key, archived or not, if the caller may see it."""

    def get_many(self, scope: Scope, keys: Sequence[str]) -> dict[str, Node]:
        """Those of the nodes that exist and that the caller may see."""

    def natural(self, scope: Scope, kind: Kind, natural: str) -> Node | None:
        """The caller's own node of that kind with that natural key."""

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

    def waiting(
        self, scope: Scope, *, but: Consents | None = None, prefix: str = "", limit: int = 100
    ) -> list[Source]:
        """Sources that name the caller, who has not accepted them, newest first, whose keys start with
        `prefix`; `but` leaves out what was declined, and what came from whoever was blocked till then.
        The only way to what the caller may not read, for the verbs that ask them."""

    def keys_beginning(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[str]:
        """Keys of visible nodes that start with `prefix`, in order."""

    def named(self, scope: Scope, kind: Kind, words: Collection[str]) -> list[Name]:
        """The caller's own anchors of a kind whose name or an alias has one of these words, in order
        of key. Words are compared as `canonical_name` writes them; its cost does not grow with the
        number of anchors that have none of them."""

    def names(self, scope: Scope) -> list[Name]:
        """What every anchor of the caller's own is called, in order of key."""

    def remove(self, scope: Scope, key: str) -> bool:
        """Take the caller's own node away with its edges and passages; False if it was not there."""

    def link(self, scope: Scope, link: Link) -> bool:
        """Draw a link. False, and no change, when the same link is there already."""

    def unlink(self, scope: Scope, link: Link) -> bool:
        """Take the caller's own link away (kind, ends and detail tell which); False if not there."""

    def links(
        self, scope: Scope, key: str, *, kinds: Sequence[LinkKind] = (), outward: bool | None = None
    ) -> list[Link]:
        """Links at this node between visible nodes; `outward` True: from it, False: to it."""

    def relate(self, scope: Scope, relationship: Relationship) -> None:
        """Store the relationship under its key, whole, as `by_hand.imposed` has it."""

    def unrelate(self, scope: Scope, key: str) -> bool:
        """Take the caller's own relationship away with its notes; False if it was not there."""

    def relationship(self, scope: Scope, key: str) -> Relationship | None:
        """The caller's own relationship under this key."""

    def relationships(
        self,
        scope: Scope,
        key: str,
        *,
        other: str | None = None,
        relationship_type: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
    ) -> list[Relationship]:
        """Relationships at this node in order of `valid_from`, then key: open ones; those that held
        at `as_of`; or with `history` every one there ever was; where given, only those with the
        node `other` and of that type."""

    def edges(
        self, scope: Scope, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> Edges:
        """The edges between visible nodes: links, and relationships that are open or held at `as_of`.
        Beliefs that do not stand then, and what had not happened by then, are no part of it.

        With `known_at` the same of the graph as it was recorded by then: relationships as the
        assertions of the time tell, beliefs by their log; no node and no link that came later."""

    def touch(
        self, scope: Scope, keys: Sequence[str], lived: Callable[[Lifecycle], Lifecycle]
    ) -> int:
        """Give each of the caller's own nodes and relationships of these keys the life that `lived`
        makes of its own, in one go; how many there are. Nothing else of them changes."""

    def find_events(self, scope: Scope, wanted: EventQuery, *, limit: int) -> list[EventNode]:
        """The newest of the caller's own events that fit, newest first, then in order of key; archived
        ones are none of them."""

    def tagged(self, scope: Scope, words: Collection[str], *, limit: int = 1000) -> list[str]:
        """Keys of visible sources that have one of these among their keywords or tags, in order;
        capital letters make no difference."""

    def put_assertion(self, scope: Scope, assertion: Assertion) -> bool:
        """Keep the assertion of a visible source or belief; False, and no change, when just that was
        asserted already (all but `recorded_at` is equal)."""

    def assertions(
        self,
        scope: Scope,
        src: str,
        kind: RelationshipKind,
        relationship_type: str,
        *,
        dst: str | None = None,
    ) -> list[Assertion]:
        """The caller's own assertions from that node of that kind and type, in order of `at`, then
        source, then the other end; where given, only those that end at `dst`."""

    def assertions_at(self, scope: Scope, key: str) -> list[Assertion]:
        """The caller's own assertions at either end of which that node stands, in the same order."""

    def add_note(self, scope: Scope, note: Note) -> bool:
        """Put the note on the caller's own anchor or relationship, which is dirty then; False, and no
        change, when the same source said the same there already, or the user's hand took it away."""

    def notes(self, scope: Scope, key: str, *, limit: int = 50) -> list[Note]:
        """The newest notes on a visible anchor or relationship, oldest of them first (by date, then
        source, then content). Notes on relationships are their user's alone."""

    def notes_of(self, scope: Scope, source_key: str) -> list[Note]:
        """All the caller's own notes that this source gave, in order of where they stand and content."""

    def drop_note(self, scope: Scope, note: Note) -> bool:
        """Take that note of the caller's own away; False if it was not there."""

    def put_extraction(self, scope: Scope, extraction: Extraction) -> None:
        """Keep what the caller's mind found in a visible source, in the place of any before."""

    def extraction(self, scope: Scope, source_key: str) -> Extraction | None:
        """What the caller's own mind found in a visible source."""

    def bearers(self, scope: Scope, words: Collection[str]) -> list[Bearer]:
        """People that the caller's extractions passed over, or gave two full names, who are called by
        one of these words; each once, in order of their names."""

    def retract(self, scope: Scope, source_key: str) -> list[Assertion]:
        """Take away the caller's own notes on anchors, assertions and `mentions` links that came from
        this source; the assertions that are gone. Its extraction, passages and beliefs stay, and so
        do anchors, relationships, and notes that somebody else than the caller added."""

    def put_passages(
        self, scope: Scope, source_key: str, passages: Sequence[Passage], *, first: int = 0
    ) -> None:
        """Make these the passages of the caller's own source from the one numbered `first` on, in the
        place of any that were there."""

    def passages(self, scope: Scope, source_key: str) -> list[Passage]:
        """The passages of a visible source in order."""

    def passages_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Passage]:
        """Those of these passages that exist and whose source the caller may see."""

    def sources_like(self, scope: Scope, sought: SearchRequest) -> list[str]:
        """Keys, in order, of the visible sources that may answer: none is missing that passes the
        filters, or of which a passage does."""

    def newest_sources(
        self, scope: Scope, *, limit: int = 100, after: str = "", include_archived: bool = False
    ) -> list[Source]:
        """Visible sources, newest first by `started_at`, then in order of key, from beyond the source
        `after`; a source of that key that the caller may not see begins at the beginning."""

    def beliefs_of(self, scope: Scope, source_keys: Sequence[str]) -> list[Belief]:
        """The caller's own beliefs that these visible sources speak for, in order of key."""

    def relationships_of(
        self, scope: Scope, source_keys: Sequence[str]
    ) -> list[tuple[Note, Relationship]]:
        """The caller's own relationships that these visible sources tell of, each with the note in
        which one does; in order of source, relationship and content."""

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many nodes of each kind, relationships, links, notes and passages the caller owns."""

    def count_team_sources(self, scope: Scope, team_id: str) -> int:
        """How many sources a team of the caller's holds, those they may not read included."""

    def export(self, scope: Scope) -> Iterator[Mapping[str, Any]]:
        """All the caller owns as plain records, in one fixed order: equal memories export equally."""
