"""The part of the graph that is about events and what remains of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remanent.core.model.event import EventNode
from remanent.core.model.event_tiers import (
    EventFacts,
    ForgottenEvent,
    SharedReferences,
    UnsummarizedSession,
)
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import AgentActivity, Summary, SummaryQuery


class EventNodes(Protocol):
    """All of it is the caller's own; nothing here needs more memory the more events there are."""

    def untold_sessions(
        self, scope: Scope, *, at: datetime, limit: int = 1000
    ) -> list[UnsummarizedSession]:
        """Sessions with events that had occurred and were recorded by `at` and that no Summary stands
        for: those with the most important one first, then the most accessed, then by name."""
        ...

    def untold_events(
        self, scope: Scope, session: UnsummarizedSession, *, at: datetime, limit: int = 1000
    ) -> list[EventNode]:
        """The first of those events of one session, in order of time, then id."""
        ...

    def event_facts(
        self, scope: Scope, *, born_by: datetime, limit: int = 1000, after: str = ""
    ) -> list[EventFacts]:
        """What forgetting asks about the events born at or before `born_by`, in order of key, from
        beyond the key `after`."""
        ...

    def shared_references(
        self, scope: Scope, keys: Sequence[str], *, most: int, rare: int
    ) -> list[SharedReferences]:
        """For each of these events, the events of other sessions that reference two anchors which it
        references too, or one that no more than `rare` events do; in order of both keys. Anchors that
        more than `most` events reference are left out."""
        ...

    def weak_links(
        self, scope: Scope, kind: LinkKind, *, below: float, born_by: datetime, limit: int = 1000
    ) -> list[Link]:
        """Links of that kind that weigh less than `below` between two events born at or before
        `born_by`, in order of their ends."""
        ...

    def accessed_together(
        self, scope: Scope, *, least: int, limit: int = 100
    ) -> list[tuple[str, ...]]:
        """Nodes of any kind that were each accessed `least` times or more and last in the very same
        call, newest call first; in each, the most accessed first."""
        ...

    def importance_since(self, scope: Scope, moment: datetime | None) -> float:
        """The sum of the importance of all events recorded after `moment` (None: of all)."""
        ...

    def let_go(self, scope: Scope, keys: Sequence[str]) -> int:
        """Take these events' nodes away and remember where they went: how many there were. What no
        Summary stands for stays."""
        ...

    def bygones(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[ForgottenEvent]:
        """Events that were let go whose keys begin so, in order of key."""
        ...

    def summaries(self, scope: Scope, asked: SummaryQuery, *, limit: int = 1000) -> list[Summary]:
        """The summaries that are asked for, those that reach furthest first, then in order of key."""
        ...

    def agents_told(self, scope: Scope) -> list[AgentActivity]:
        """Every agent of whose sessions there is a summary, in order of id."""
        ...
