"""The graph: nodes, edges, passages, and its edges as arrays. Derived, and rebuilt from the ledger when need be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from remanent.core.dataclasses import dataclass, field
from remanent.core.later import later
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.anchor import Bearer, Name, Note
from remanent.core.model.belief import Belief
from remanent.core.model.event import (
    EventFacts,
    SharedReferences,
    UnsummarizedSession,
)
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import Access, Faded, SourceFacts
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
from remanent.core.model.sleep import WornSource, WornSourceQuery
from remanent.core.model.source import Passage, Source
from remanent.core.ports.ledger import Positions
from remanent.core.records.admin import ErasureDates
from remanent.core.visibility import Consents

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
else:
    np = later("numpy")
    Numbers = Floats = Flags = Any

N = TypeVar("N", bound=Node)


class Neighbours(NamedTuple):
    """What stands around every node: from `starts[n]` up to `starts[n + 1]` its neighbours, and by
    which edge each is reached."""

    starts: Numbers
    neighbours: Numbers
    via: Numbers


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Edges:
    """Nodes and edges by number. An edge may be walked both ways; two nodes may have several.

    `strength` is what `rules.pagerank` makes of a relationship, and the weight of a link. Nobody
    writes to these arrays: who asks next may be given the same ones.
    """

    keys: Sequence[str]
    numbers: Mapping[str, int]  # of the nodes, by key
    src: Numbers
    dst: Numbers
    strength: Floats
    is_link: Flags
    edge_keys: Sequence[str]  # of a relationship its key, of a link ""
    words: Sequence[str]  # of a relationship its type, of a link its kind
    around: Neighbours


def around(count: int, src: Numbers, dst: Numbers) -> Neighbours:
    """What stands around each of `count` nodes, in order of the edges' numbers."""
    here, there = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(here, kind="stable")
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(here, minlength=count), out=starts[1:])
    numbers = np.arange(len(src), dtype=np.int64)
    return Neighbours(starts, there[order], np.concatenate([numbers, numbers])[order])


Share = Callable[[float], None]


class KeptSources(NamedTuple):
    """How many sources of the user's own and of no team, or of a team, are in mind, and how many there are."""

    kept: int
    all: int


@dataclass(frozen=True, slots=True)
class Nodes(Generic[N]):
    """Visible nodes of a type, or of all types below it, whose fields have these values; with `own` only the
    caller's own, with `own` False only those of others.

    A name in `where` is a field, with a sign behind it where it need not be equal: `<`, `<=`, `>`, `>=`, `<>`
    (a time within a source or a summary to the millisecond). A list stands for any of its values; what is
    None is not asked for. `natural` is the natural key, `state` and `access_count` are those of its life,
    `weight` of a belief is its importance, and 11 if it instructs. The name of a sort of links with the sign
    `unlinked`, of any value: no link of that sort leads to it.

    They come in this order (`-field`: from the largest down), then in that of their keys, from beyond the one
    with the key `after`; where the caller may not see that one, from the beginning.
    """

    type: type[N]
    where: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    after: str = ""
    limit: int | None = None
    own: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Keys of what is to be read at once: nodes, passages, relationships, anchors and relationships of
    which the `latest` notes are wanted, and sources of which it is asked what was learned from them."""

    nodes: Sequence[str] = ()
    passages: Sequence[str] = ()
    relationships: Sequence[str] = ()
    noted: Sequence[str] = ()
    latest: int = 50
    sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What there is of that, each as the method tells it that reads it alone."""

    nodes: Mapping[str, Node]
    passages: Mapping[str, Passage]
    relationships: Mapping[str, Relationship]
    notes: Sequence[Note]
    beliefs: Sequence[Belief]
    told: Sequence[tuple[Note, Relationship]]


class Graph(Positions, Protocol):
    """A scope may write only its own user's nodes; it reads what `rules.visibility` allows. Its positions tell
    up to where it has taken in the ledger.

    Whoever inherits from it has `get`, `read` and `relationship`, which are made of others.
    """

    def put(self, scope: Scope, *nodes: Node) -> None:
        """Store each node under its key, whole, as `by_hand.imposed` has it; what stood there is replaced."""

    def get(self, scope: Scope, key: str) -> Node | None:
        """The node under this key, archived or not, if the caller may see it."""
        return self.get_many(scope, (key,)).get(key)

    def get_many(self, scope: Scope, keys: Sequence[str]) -> dict[str, Node]:
        """Those of the nodes that exist and that the caller may see."""

    def select(self, scope: Scope, nodes: Nodes[N]) -> list[N]:
        """The nodes that are asked for."""

    def waiting(
        self, scope: Scope, *, but: Consents | None = None, prefix: str = "", limit: int = 100
    ) -> list[Source]:
        """Sources that name the caller, who has not accepted them, newest first, whose keys start with
        `prefix`; `but` leaves out what was declined, and what came from whoever was blocked till then.
        The only way to what the caller may not read, for the verbs that ask them."""

    def keys_beginning(
        self, scope: Scope, *prefixes: str, own: bool = False, limit: int = 10
    ) -> list[str]:
        """Keys of visible nodes that start with one of `prefixes`, in order; with `own` those of the
        caller's own nodes and relationships."""

    def read(self, scope: Scope, wanted: Wanted) -> Found:
        """What `get_many`, `passages_by_key`, `relationships_by_key`, `notes` and `learned_from` tell of
        these, asked at once: where the graph is on a server, a journey costs more than what is read."""
        beliefs, told = self.learned_from(scope, wanted.sources) if wanted.sources else ([], [])
        return Found(
            nodes=self.get_many(scope, wanted.nodes),
            passages=self.passages_by_key(scope, wanted.passages),
            relationships=self.relationships_by_key(scope, wanted.relationships),
            notes=self.notes(scope, *wanted.noted, limit=wanted.latest),
            beliefs=beliefs,
            told=told,
        )

    def names(
        self, scope: Scope, kind: Kind | None = None, words: Collection[str] = ()
    ) -> list[Name]:
        """What every anchor of the caller's own is called, in order of key; with words, or a kind, those (of
        it) whose name or an alias has one of them. Words are compared as `canonical_name` writes them; its
        cost does not grow with the number of anchors that have none of them."""

    def remove(self, scope: Scope, *keys: str) -> int:
        """Take the caller's own nodes away with their edges and passages, and relationships with their notes;
        how many there were."""

    def link(self, scope: Scope, link: Link) -> bool:
        """Draw a link. False, and no change, when the same link is there already."""

    def unlink(self, scope: Scope, link: Link) -> bool:
        """Take the caller's own link away (kind, ends and detail tell which); False if not there."""

    def links(
        self, scope: Scope, *keys: str, kinds: Sequence[LinkKind] = (), outward: bool | None = None
    ) -> list[Link]:
        """Links at these nodes between visible nodes; `outward` True: from them, False: to them."""

    def relate(self, scope: Scope, relationship: Relationship) -> None:
        """Store the relationship under its key, whole, as `by_hand.imposed` has it."""

    def relationship(self, scope: Scope, key: str) -> Relationship | None:
        """The caller's own relationship under this key."""
        return self.relationships_by_key(scope, (key,)).get(key)

    def relationships_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Relationship]:
        """Those of the caller's own relationships that are there, by key."""

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

    def tagged(self, scope: Scope, words: Collection[str], *, limit: int = 1000) -> list[str]:
        """Keys of visible sources that have one of these among their keywords or tags, in order;
        capital letters make no difference."""

    def put_assertion(self, scope: Scope, assertion: Assertion) -> bool:
        """Keep the assertion of a visible source or belief; False, and no change, when just that was
        asserted already (all but `recorded_at` is equal)."""

    def assertions(
        self,
        scope: Scope,
        key: str,
        kind: RelationshipKind | None = None,
        relationship_type: str = "",
        *,
        dst: str | None = None,
        but_own_sources: bool = False,
    ) -> list[Assertion]:
        """The caller's own assertions at either end of which that node stands, in order of `at`, then
        source, then the other end; with a kind, those from that node of that kind and type, and where
        given, only those that end at `dst`, or that are not made by a source of the caller's own which they
        may read."""

    def add_note(self, scope: Scope, note: Note) -> bool:
        """Put the note on the caller's own anchor or relationship, which is dirty then; False, and no
        change, when the same source said the same there already, or the user's hand took it away."""

    def notes(self, scope: Scope, *keys: str, limit: int = 50) -> list[Note]:
        """The newest notes on each of these visible anchors and relationships, in order of the keys, then
        oldest first (by date, source, content). Notes on relationships are their user's alone."""

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

    def learned_from(
        self, scope: Scope, source_keys: Sequence[str]
    ) -> tuple[list[Belief], list[tuple[Note, Relationship]]]:
        """The caller's own beliefs that these visible sources speak for, in order of key; and the caller's
        own relationships that they tell of, each with the note in which one does, in order of source,
        relationship and content."""

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many nodes of each kind, relationships, links, notes and passages the caller owns."""

    def export(self, scope: Scope) -> Iterator[Mapping[str, Any]]:
        """All the caller owns as plain records, in one fixed order: equal memories export equally."""

    # -- what erasure asks

    def readers(self, source_key: str) -> list[str]:
        """Ids of the users whose graphs have something that came from this source, in order."""

    def dates(self, scope: Scope, *, links: bool = True) -> ErasureDates:
        """What nodes and relationships the caller owns, when these and their links came to be, and last
        changed; without `links` nothing of those."""

    def redate(self, scope: Scope, dates: ErasureDates) -> None:
        """Give those of these that are still there these dates."""

    # -- what nights ask: what has new notes, what expired, what wore off; the caller's own

    def dirty(
        self, scope: Scope, *, limit: int = 1000, accessed_since: datetime | None = None
    ) -> tuple[list[str], int]:
        """Keys of the anchors and relationships that are dirty, or have notes and no description, those
        with most notes first, then in order of key; and how many there are. Where given, only those
        called on since then."""

    def expired(self, scope: Scope, at: datetime, *, limit: int = 1000) -> dict[str, int]:
        """How many notes expired at or before `at` on each anchor and relationship that has any and
        that `dirty` does not tell of, in order of key."""

    def worn_sources(
        self, scope: Scope, query: WornSourceQuery, *, limit: int = 1000
    ) -> tuple[list[WornSource], int]:
        """Extracted sources in order of time, then key, that are neither archived nor kept forever nor
        part of an open storyline, as far as `query` asks for them; and how many worn ones there are."""

    # -- events and what remains of them, the caller's own; nothing here needs more memory the more events there are

    def untold_sessions(
        self, scope: Scope, *, at: datetime, limit: int = 1000
    ) -> list[UnsummarizedSession]:
        """Sessions with events that had occurred and were recorded by `at` and that no Summary stands
        for: those with the most important one first, then the most accessed, then by name."""

    def event_facts(
        self, scope: Scope, *, born_by: datetime, limit: int = 1000, after: str = ""
    ) -> list[EventFacts]:
        """What forgetting asks about the events born at or before `born_by`, in order of key, from
        beyond the key `after`."""

    def shared_references(
        self, scope: Scope, keys: Sequence[str], *, most: int, rare: int
    ) -> list[SharedReferences]:
        """For each of these events, the events of other sessions that reference two anchors which it
        references too, or one that no more than `rare` events do; in order of both keys. Anchors that
        more than `most` events reference are left out."""

    def weak_links(
        self, scope: Scope, kind: LinkKind, *, below: float, born_by: datetime, limit: int = 1000
    ) -> list[Link]:
        """Links of that kind that weigh less than `below` between two events born at or before
        `born_by`, in order of their ends."""

    def accessed_together(
        self, scope: Scope, *, least: int, limit: int = 100
    ) -> list[tuple[str, ...]]:
        """Nodes of any kind that were each accessed `least` times or more and last in the very same
        call, newest call first; in each, the most accessed first."""

    # -- decay: the caller's own nodes and relationships

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

    def accesses(self, scope: Scope, key: str) -> list[Access]:
        """When the caller's own node or relationship of that key was called on, oldest first: at least the
        newest thirty times since this was first kept."""

    def source_counts(self, scope: Scope, team_id: str | None = None) -> KeptSources:
        """How many of the caller's own sources are unarchived, and how many there are, but for those of
        teams; or how many a team of the caller's holds, with those they may not read."""

    def source_facts(self, scope: Scope, now: datetime) -> Iterator[SourceFacts]:
        """Those unarchived sources in order of key, each with what it tells: active beliefs it
        supports, open relationships it asserts, notes unexpired at `now`, unarchived anchors it
        mentions, names its sentences bring together. Read page by page; what others write meanwhile may be in it or not."""

    # -- which texts hold words of a source of high sensitivity, and what may become a story

    def private(self, scope: Scope, keys: Collection[str]) -> frozenset[str]:
        """Those of these visible nodes, and of the caller's own relationships, that are of high
        sensitivity or may hold words of what is: an anchor that such a source mentions or has a note
        on, a belief that it speaks for or that was drawn from such a belief, a relationship that it
        asserts or has a note on, a storyline that includes it or is about such an anchor, a macro over
        such a storyline, and what was produced from it."""
