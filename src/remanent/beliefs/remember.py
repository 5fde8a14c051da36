"""Remember: an episode enters the ledger, and what it says is settled (SPEC 5)."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from remanent.anchors.rules import dates
from remanent.beliefs.believe import Believe, Claim
from remanent.clock import Clock
from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.model.belief import Belief, Support
from remanent.core.model.event import REMEMBERED, Event, EventNode, event_key
from remanent.core.model.job import Job, JobKind
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.page import Outcome, Settled
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.on_behalf import embedding, sent
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index, Vector
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.queue import Queue
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.read import every
from remanent.errors import EmbedderError, InvalidInput, MindError, UnknownKey
from remanent.jobs.rules.retries import JobRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """The episode and the promise to settle it are one durable write; then we settle it at once.

    Whoever is killed in between leaves a job that any worker finishes.
    """

    ledger: Ledger
    graph: Graph
    index: Index
    queue: Queue
    registry: Registry
    mind: Mind
    embedder: Embedder
    believe: Believe
    atomic: Atomic
    clock: Clock
    intake: IntakeRules
    jobs: JobRules

    def __call__(
        self, scope: Scope, text: str, *, at: datetime | None = None, event_id: str | None = None
    ) -> Settled:
        """The belief that now speaks for `text`. An `event_id` that was used before changes nothing."""
        now = self.clock.now()
        words = checks.statement("text", text, self.intake.max_statement_characters)
        held_from = now if at is None else checks.moment("at", at, now, self.intake)
        worker = f"remember-{uuid.uuid4()}"
        event = _event(scope, words, held_from, now, event_id)
        job = believe_job(event, now)
        with self.atomic(durable=True):
            event, is_new = self.ledger.append(event)
            if event.event_type != REMEMBERED:
                raise InvalidInput("event_id", f"{event.event_id!r} is another kind of event")
            if is_new:
                self.graph.put(scope, _node(event))
            self.queue.enqueue(job)
            self.queue.claim_key(job.key, worker, now=now, lease=self._lease)
        try:
            settled = self.settle(scope, event.event_id)
        except Exception as problem:
            self.queue.retry_later(
                job.key,
                worker,
                run_at=self.clock.now(),
                error=f"{type(problem).__name__}: {problem}",
            )
            raise
        self.queue.finish(job.key, worker, now=self.clock.now())
        return settled

    def apply(self, scope: Scope, event: Event) -> None:
        """Keep and settle once more the episode that the event tells of."""
        node = _node(event)
        if self.graph.get(scope, node.key) is None:
            self.graph.put(scope, node)
        self.settle(scope, event.event_id)

    @property
    def _lease(self) -> timedelta:
        return timedelta(seconds=self.jobs.lease_seconds)

    def settle(self, scope: Scope, event_id: str) -> Settled:
        """Settle a remembered episode; the job's work, and harmless to do twice."""
        event = self.ledger.event(scope, event_id)
        if event is None:
            raise UnknownKey(event_id)
        if (known := self._settled_long_ago(scope, event)) is not None:
            return known
        text = str(event.payload["text"])
        with ThreadPoolExecutor(1, thread_name_prefix="embed") as aside:  # SPEC 5: in parallel
            embedded = aside.submit(self._vector, scope, text)
            draft = dates.dated(self.draft(scope, text), event.occurred_at, told_in=text)
            vector = embedded.result()
        node = _node(event)
        self._make_findable(scope, node, vector)
        claim = Claim(
            draft=draft,
            support=Support(
                event_id=event_id, statement=text, at=event.occurred_at, since=draft.since
            ),
            episode_key=node.key,
        )
        return self.believe(scope, claim, vector=vector if draft.statement == text else None)

    def _settled_long_ago(self, scope: Scope, event: Event) -> Settled | None:
        """What an episode that has left the graph was settled as; one that never was comes back."""
        node = _node(event)
        if self.graph.get(scope, node.key) is not None:
            return None
        for belief in every(self.graph, scope, Kind.BELIEF):
            said = belief.supports if isinstance(belief, Belief) else ()
            if isinstance(belief, Belief) and event.event_id in {one.event_id for one in said}:
                return Settled(outcome=Outcome.REPEATED, belief=belief)
        self.graph.put(scope, node)
        return None

    def _vector(self, scope: Scope, text: str) -> Vector | None:
        try:
            vector: Vector = embedding(self.embedder, scope, "remember").embed([text])[0]
        except EmbedderError:
            return None
        return vector

    def _make_findable(self, scope: Scope, node: EventNode, vector: Vector | None) -> None:
        """The episode itself, by its own words: `context` looks for what was said, too.

        Only until it is settled: what was forgotten since does not come back.
        """
        entry = Entry(
            key=node.key,
            kind=Kind.EVENT,
            owner_key=node.key,
            text=node.text,
            vector=vector,
            readers=node.readers,
        )
        with self.atomic():
            is_there = self.graph.get(scope, node.key) is not None  # events leave after a while
            if is_there and not self.graph.links(scope, node.key, kinds=(LinkKind.SUPPORTS,)):
                self.index.put([entry])

    def draft(self, scope: Scope, text: str) -> BeliefDraft:
        """The belief in what was asked to be remembered; its own words where the mind has none."""
        owner = self.registry.user(scope.user_id)
        names = () if owner is None else (owner.name, owner.user_id)
        mind = sent(self.mind, scope, "remember")  # said to us, not taken from a source
        try:
            return mind.believe(text, owner_names=names)
        except MindError:  # SPEC 5: an answer that cannot be read leaves the raw text
            return BeliefDraft(statement=text)


def believe_job(event: Event, now: datetime) -> Job:
    """The promise to settle one remembered episode."""
    return Job(
        key=f"believe:{event.user_id}:{event.event_id}",
        kind=JobKind.BELIEVE,
        user_id=event.user_id,
        payload={"event_id": event.event_id},
        created_at=now,
        run_at=now,
    )


def _event(scope: Scope, text: str, at: datetime, now: datetime, event_id: str | None) -> Event:
    named = None if event_id is None else checks.identifier("event_id", event_id)
    return happening(
        scope.user_id, REMEMBERED, {"text": text}, now=now, occurred_at=at, event_id=named
    )


def _node(event: Event) -> EventNode:
    return EventNode(
        key=event_key(event.user_id, event.event_id),
        event_id=event.event_id,
        user_id=event.user_id,
        created_at=event.recorded_at,
        updated_at=event.recorded_at,
        event_type=event.event_type,
        text=str(event.payload["text"]),
        occurred_at=event.occurred_at,
    )
