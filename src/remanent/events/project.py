"""Project: agents' events become nodes, in the order of their sessions (SPEC 2, stage 1)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.clock import Clock
from remanent.core import event_text as telling
from remanent.core.model.event import RESERVED, Event, EventNode, event_key
from remanent.core.model.event_queries import Behind, Lag, Waiting
from remanent.core.model.job import Job, JobKind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.transaction import Atomic
from remanent.events.record import PROJECTION
from remanent.events.rules import ranking
from remanent.events.rules.ranking import EventRules

ENRICHMENT = "enrichment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A consumer of the ledger with a position of its own, which moves with what it writes.

    It takes what agents record. What we append ourselves is either the life of something that is in
    the graph already (a source, a belief, a merge) or an episode that its verb has put there.
    """

    ledger: Ledger
    graph: Graph
    queue: Queue
    atomic: Atomic
    clock: Clock
    rules: EventRules

    def __call__(self, scope: Scope, *, until: int | None = None) -> int:
        """Project all that was recorded (up to the position `until`); how many events."""
        done = 0
        while (batch := self._batch(scope, until)) is not None:
            done += batch
        return done

    def _batch(self, scope: Scope, until: int | None) -> int | None:
        """One transaction; None when nothing is left."""
        with self.atomic():
            after = self.ledger.position(scope, PROJECTION)
            replayed = self.ledger.replay(scope, after=after, limit=self.rules.batch)
            events = [one for one in replayed if until is None or one.seq <= until]
            if not events:
                return None
            recorded = [one for one in events if one.event_type not in RESERVED]
            for event in recorded:
                self.apply(scope, event)
            self.ledger.advance(scope, PROJECTION, events[-1].seq)
            if recorded:
                position = self.ledger.position(scope, ENRICHMENT)
                self.queue.enqueue(enrich_job(scope, position, self.clock.now()))
        return len(recorded)

    def apply(self, scope: Scope, event: Event) -> None:
        """Put one event into the graph with its links; again, and all stays as it is.

        Events are applied in the order of the ledger: each finds its place among those before it.
        """
        key = event_key(scope.user_id, event.event_id)
        known, node = self.graph.get(scope, key), self._node(event)
        if isinstance(known, EventNode):
            node = _merged(node, known)
        if node != known:
            self.graph.put(scope, node)
        if event.session_id:
            self._follow(scope, event)
        self._cause(scope, event)

    def _node(self, event: Event) -> EventNode:
        fits = (
            len(json.dumps(event.payload, ensure_ascii=False)) <= self.rules.node_payload_characters
        )
        return EventNode(
            key=event_key(event.user_id, event.event_id),
            user_id=event.user_id,
            created_at=event.recorded_at,
            updated_at=event.recorded_at,
            event_id=event.event_id,
            event_type=event.event_type,
            text=telling.text_of(event.event_type, event.payload),
            occurred_at=event.occurred_at,
            agent_id=event.agent_id,
            session_id=event.session_id,
            parent_event_id=event.parent_event_id,
            stability=ranking.stability(0, self.rules),
            payload=event.payload if fits else {},  # the ledger has it
            seq=event.seq,
            importance_hint=event.importance_hint,
        )

    def _follow(self, scope: Scope, event: Event) -> None:
        """Between its neighbours in the session, who until now followed one another."""
        before, after = self.ledger.beside(scope, event, but=RESERVED)
        there = self._present(scope, before, after)
        if before in there and before is not None:
            self.graph.link(scope, _link(LinkKind.FOLLOWS, event, before))
        if after in there and after is not None:
            self.graph.link(scope, _link(LinkKind.FOLLOWS, after, event))
            if before is not None:
                self.graph.unlink(scope, _link(LinkKind.FOLLOWS, after, before))

    def _cause(self, scope: Scope, event: Event) -> None:
        """From its parent, and to those of its children that came before it."""
        parent = event.parent_event_id
        cause = None if parent is None else self.ledger.event(scope, parent)
        children = [
            one
            for one in self.ledger.caused(scope, event.event_id)
            if one.seq < event.seq and one.event_type not in RESERVED
        ]
        for one in self._present(scope, cause, *children):
            if one is cause:
                self.graph.link(scope, _link(LinkKind.CAUSED_BY, event, one))
            else:
                self.graph.link(scope, _link(LinkKind.CAUSED_BY, one, event))

    def _present(self, scope: Scope, *events: Event | None) -> list[Event]:
        """Those of these that are in the graph: some are not there yet, some have left it."""
        named = {event_key(one.user_id, one.event_id): one for one in events if one is not None}
        there = self.graph.get_many(scope, list(named)) if named else {}
        return [one for key, one in named.items() if key in there]

    def lag(self, scope: Scope) -> Lag:
        """How far this stage and the next are behind what was recorded."""
        return Lag(
            projection=self._behind(self.ledger.waiting(scope, PROJECTION, but=RESERVED)),
            enrichment=self._behind(self.ledger.waiting(scope, ENRICHMENT, but=RESERVED)),
        )

    def _behind(self, waiting: Waiting) -> Behind:
        if waiting.oldest is None:
            return Behind()
        seconds = (self.clock.now() - waiting.oldest).total_seconds()
        return Behind(events=waiting.events, seconds=max(0.0, seconds))


def enrich_job(scope: Scope, position: int, now: datetime) -> Job:
    """The promise to enrich what lies beyond a position; `project_job` says why it is in the key."""
    return Job(
        key=f"enrich:{scope.user_id}:{position}",
        kind=JobKind.ENRICH,
        user_id=scope.user_id,
        created_at=now,
        run_at=now,
    )


def _merged(fresh: EventNode, known: EventNode) -> EventNode:
    """The event as the ledger tells it, with the life and the meaning that its node has."""
    return replace(
        fresh,
        life=known.life,
        stability=known.stability,
        updated_at=known.updated_at,
        summary=known.summary,
        keywords=known.keywords,
        importance_score=known.importance_score,
        raised=known.raised,
        known_children=known.known_children,
        is_enriched=known.is_enriched,
    )


def _link(kind: LinkKind, src: Event, dst: Event) -> Link:
    """As old as the younger of its ends, whatever the order in which they came."""
    return Link(
        user_id=src.user_id,
        kind=kind,
        src=event_key(src.user_id, src.event_id),
        dst=event_key(dst.user_id, dst.event_id),
        created_at=max(src.recorded_at, dst.recorded_at),
    )
