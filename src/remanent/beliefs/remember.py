"""Remember: an episode enters the ledger, and what it says is settled (SPEC 5).

The episode and the promise to settle it are one durable write; then we settle it at once.

Whoever is killed in between leaves a job that any worker finishes.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from remanent.anchors.rules import dates
from remanent.beliefs.believe import Claim, believe
from remanent.beliefs.statement import instruction_in
from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import node_for
from remanent.core.index_entries import entry_of
from remanent.core.model.belief import Belief, Support
from remanent.core.model.event import REMEMBERED, Event, EventNode
from remanent.core.model.job import Job, JobKind, JobState, new_job
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.page import Outcome, Settled
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import new_event
from remanent.core.on_behalf import mind_for, vector_of
from remanent.core.ports.index import Vector
from remanent.core.read import every
from remanent.errors import InvalidInput, MindError, UnknownKey


def remember(
    env: Env,
    scope: Scope,
    text: str,
    *,
    at: datetime | None = None,
    event_id: str | None = None,
    standing: Mapping[str, str] | None = None,
) -> Settled:
    """The beliefs that now speak for `text`, one a statement: the first, and what `also` came of it.
    An `event_id` that was used before changes nothing.

    `standing` says for whom it is a standing instruction (`instructs`), and what that is called (`name`):
    that is one belief, however long.
    """
    now = env.clock.now()
    words = checks.statement("text", text, env.config.intake.max_statement_characters)
    held_from = now if at is None else checks.moment("at", at, now, env.config.intake)
    worker, lease = f"remember-{uuid.uuid4()}", timedelta(seconds=env.config.jobs.lease_seconds)
    payload = {"text": words, **(standing or {})}
    event = _event(scope, payload, held_from, now, event_id)
    job = believe_job(event, now)
    with env.atomic(scope, durable=True):
        event, is_new = env.ledger.append(event)
        if event.event_type != REMEMBERED:
            raise InvalidInput("event_id", f"{event.event_id!r} is another kind of event")
        if is_new:
            env.graph.put(scope, _node(event))
        env.queue.enqueue(job)
        env.queue.claim(worker, key=job.key, now=now, lease=lease)
    try:
        settled = settle(env, scope, event.event_id)
    except Exception as problem:
        env.queue.settle(
            job.key,
            worker,
            JobState.READY,
            at=env.clock.now(),
            error=f"{type(problem).__name__}: {problem}",
        )
        raise
    env.queue.settle(job.key, worker, JobState.DONE, at=env.clock.now())
    return settled


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Keep and settle once more the episode that the event tells of."""
    node = _node(event)
    if env.graph.get(scope, node.key) is None:
        env.graph.put(scope, node)
    settle(env, scope, event.event_id)


def settle(env: Env, scope: Scope, event_id: str) -> Settled:
    """Settle a remembered episode; the job's work, and harmless to do twice."""
    event = env.ledger.event(scope, event_id)
    if event is None:
        raise UnknownKey(event_id)
    if (known := _settled_long_ago(env, scope, event)) is not None:
        return known
    node, text = _node(event), str(event.payload["text"])
    if (told := instruction_in(event)) is not None:
        support = Support(event_id=event_id, statement=text, at=event.occurred_at)
        claim = Claim(draft=told[0], instructs=told[1], support=support, episode_key=node.key)
        return believe(env, scope, claim)
    with ThreadPoolExecutor(1, thread_name_prefix="embed") as aside:  # SPEC 5: in parallel
        embedded = aside.submit(vector_of, env.embedder, scope, "remember", text, kind="statement")
        claims = claims_of(env, scope, event)
        vector = embedded.result()
    _make_findable(env, scope, node, vector)
    return _together(
        believe(env, scope, one, vector=vector if one.draft.statement == text else None)
        for one in claims
    )


def claims_of(env: Env, scope: Scope, event: Event) -> list[Claim]:
    """What a remembered episode asks to be believed, in order. Where that is one thing, the whole text
    supports it; of several, each has words of its own."""
    text, at = str(event.payload["text"]), event.occurred_at
    drafts = [dates.dated(one, at, told_in=text) for one in _drafts(env, scope, text)]
    return [
        Claim(
            draft=one,
            support=Support(
                event_id=event.event_id,
                statement=text if len(drafts) == 1 else one.statement,
                at=at,
                since=one.since,
            ),
            episode_key=_node(event).key,
            is_now=at == event.recorded_at and one.since in (None, at),
        )
        for one in drafts
    ]


def _together(settled: Iterable[Settled]) -> Settled:
    first, *others = settled
    return replace(first, also=tuple(others))


def _settled_long_ago(env: Env, scope: Scope, event: Event) -> Settled | None:
    """What an episode that has left the graph was settled as; one that never was comes back."""
    node = _node(event)
    if env.graph.get(scope, node.key) is not None:
        return None
    known = [
        Settled(outcome=Outcome.REPEATED, belief=one)
        for one in every(env.graph, scope, Belief)
        if event.event_id in {each.event_id for each in one.supports}
    ]
    if known:
        return _together(sorted(known, key=lambda one: one.belief.created_at))
    env.graph.put(scope, node)
    return None


def _make_findable(env: Env, scope: Scope, node: EventNode, vector: Vector | None) -> None:
    """The episode itself, by its own words: `context` looks for what was said, too.

    Only until it is settled: what was forgotten since does not come back.
    """
    with env.atomic():
        is_there = env.graph.get(scope, node.key) is not None  # events leave after a while
        if is_there and not env.graph.links(scope, node.key, kinds=(LinkKind.SUPPORTS,)):
            env.index.put([entry_of(node, node.text, vector)])


def _drafts(env: Env, scope: Scope, text: str) -> list[BeliefDraft]:
    """The beliefs in what was asked to be remembered; its own words where the mind has none."""
    owner = env.registry.user(scope.user_id)
    names = () if owner is None else (owner.name, owner.user_id)
    mind = mind_for(env.mind, scope, "remember")  # said to us, not taken from a source
    try:
        drafts = mind.believe(text, owner_names=names)
    except MindError:  # SPEC 5: an answer that cannot be read leaves the raw text
        drafts = []
    told = {one.statement.strip(): one for one in drafts or [BeliefDraft(statement=text)]}
    return [one for words, one in told.items() if words or len(told) == 1]


def believe_job(event: Event, now: datetime) -> Job:
    """The promise to settle one remembered episode."""
    names = (event.user_id, event.event_id)
    return new_job(JobKind.BELIEVE, event.user_id, now, *names, event_id=event.event_id)


def _event(
    scope: Scope, payload: Mapping[str, str], at: datetime, now: datetime, event_id: str | None
) -> Event:
    named = None if event_id is None else checks.identifier("event_id", event_id)
    return new_event(scope.user_id, REMEMBERED, payload, now=now, occurred_at=at, event_id=named)


def _node(event: Event) -> EventNode:
    return node_for(event, str(event.payload["text"]))
