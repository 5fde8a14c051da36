"""Parts of the graph port: its edges as arrays, for a walk over all of them, and what nights ask of it:
consolidation, events and what remains of them, decay, privacy, and promotion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import (
    EventFacts,
    EventNode,
    ForgottenEvent,
    SharedReferences,
    UnsummarizedSession,
)
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import Access, Faded, SourceFacts
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import WornSource, WornSourceQuery
from remanent.core.model.story import AgentActivity, Summary, SummaryQuery

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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


class ConsolidationQueries(Protocol):
    """What has new notes, what expired, what wore off; only ever the caller's own."""

    def dirty(
        self, scope: Scope, *, limit: int = 1000, accessed_since: datetime | None = None
    ) -> tuple[list[str], int]:
        """Keys of the anchors and relationships that are dirty, or have notes and no description, those
        with most notes first, then in order of key; and how many there are. Where given, only those
        called on since then."""

    def expired(self, scope: Scope, at: datetime, *, limit: int = 1000) -> dict[str, int]:
        """How many notes expired at or before `at` on each anchor and relationship that has any and
        that `dirty` does not tell of, in order of key."""

    def expire(self, scope: Scope, keys: Sequence[str], at: datetime) -> int:
        """Take away the notes on these that expired at or before `at`; how many."""

    def worn_sources(
        self, scope: Scope, query: WornSourceQuery, *, limit: int = 1000
    ) -> tuple[list[WornSource], int]:
        """Extracted sources in order of time, then key, that are neither archived nor kept forever nor
        part of an open storyline, as far as `query` asks for them; and how many worn ones there are."""

    def changed(
        self, scope: Scope, kind: Kind, after: datetime, *, limit: int = 1000
    ) -> list[Node]:
        """Nodes of a kind with an `updated_at` later than `after`, in its order, then by key; as many
        more than `limit` as share the last one's."""


class EventNodes(Protocol):
    """Events and what remains of them, the caller's own; nothing here needs more memory the more events there are."""

    def untold_sessions(
        self, scope: Scope, *, at: datetime, limit: int = 1000
    ) -> list[UnsummarizedSession]:
        """Sessions with events that had occurred and were recorded by `at` and that no Summary stands
        for: those with the most important one first, then the most accessed, then by name."""

    def untold_events(
        self, scope: Scope, session: UnsummarizedSession, *, at: datetime, limit: int = 1000
    ) -> list[EventNode]:
        """The first of those events of one session, in order of time, then id."""

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

    def importance_since(self, scope: Scope, moment: datetime | None) -> float:
        """The sum of the importance of all events recorded after `moment` (None: of all)."""

    def let_go(self, scope: Scope, keys: Sequence[str]) -> int:
        """Take these events' nodes away and remember where they went: how many there were. What no
        Summary stands for stays."""

    def forgotten_events(
        self, scope: Scope, prefix: str, *, limit: int = 10
    ) -> list[ForgottenEvent]:
        """Events that were let go whose keys begin so, in order of key."""

    def summaries(self, scope: Scope, asked: SummaryQuery, *, limit: int = 1000) -> list[Summary]:
        """The summaries that are asked for, those that reach furthest first, then in order of key."""

    def agents_told(self, scope: Scope) -> list[AgentActivity]:
        """Every agent of whose sessions there is a summary, in order of id."""


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

    def accesses(self, scope: Scope, key: str) -> list[Access]:
        """When the caller's own node or relationship of that key was called on, oldest first: at least the
        newest thirty times since this was first kept."""

    def relive(self, scope: Scope, lives: Mapping[str, Lifecycle]) -> int:
        """Give the caller's own nodes and relationships of these keys these lives, in one go; how
        many there are. Nothing else of them changes."""

    def own_keys_beginning(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[str]:
        """Keys of the caller's own nodes and relationships that start with `prefix`, in order."""

    def source_counts(self, scope: Scope) -> KeptSources:
        """How many of the caller's own sources are unarchived, and how many there are; a team's
        sources are no part of either."""

    def source_facts(self, scope: Scope, now: datetime) -> Iterator[SourceFacts]:
        """Those unarchived sources in order of key, each with what it tells: active beliefs it
        supports, open relationships it asserts, notes unexpired at `now`, unarchived anchors it
        mentions, names its sentences bring together. Read page by page; what others write meanwhile may be in it or not."""


class SensitivityQueries(Protocol):
    """Part of the graph: which of its texts hold words of a source of high sensitivity."""

    def private(self, scope: Scope, keys: Collection[str]) -> frozenset[str]:
        """Those of these visible nodes, and of the caller's own relationships, that are of high
        sensitivity or may hold words of what is: an anchor that such a source mentions or has a note
        on, a belief that it speaks for or that was drawn from such a belief, a relationship that it
        asserts or has a note on, a storyline that includes it or is about such an anchor, a macro over
        such a storyline, and what was produced from it."""


class BusyAnchors(Protocol):
    """Part of the graph: only ever the caller's own nodes."""

    def busy_anchors(
        self, scope: Scope, *, sources: float, days: int, limit: int = 1000, after: str = ""
    ) -> list[Anchor]:
        """The caller's own anchors, not archived and not the owner, that so many sources mention on so
        many days, of which none has an open storyline and each was mentioned since its last one
        closed; in order of key, from beyond the key `after`."""
