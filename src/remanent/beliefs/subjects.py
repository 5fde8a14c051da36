"""Subjects: beliefs filed under the owner by default come to whom they are about (SPEC 5, backfill)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from remanent.beliefs import compare
from remanent.beliefs.compare import NewBeliefs, Progress
from remanent.beliefs.model import AssignedSubject, Assignment
from remanent.beliefs.query import still_active
from remanent.beliefs.rules import maintenance
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import OWNER, Belief, BeliefStatus
from remanent.core.model.event import SUBJECT_ASSIGNED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at
from remanent.core.on_behalf import mind_for_words_of
from remanent.core.ports.graph import Graph
from remanent.core.read import by_natural
from remanent.errors import MindError


def assign_subjects(
    env: Env,
    scope: Scope,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    night: NewBeliefs | None = None,
) -> Assignment:
    """Ask the mind whom each belief is about that names nobody else; follow what it says.

    A `night` looks only at its fresh beliefs, and assigns as of its moment.
    """
    held = compare.active(env, scope) if night is None else night.fresh
    loose = [one for one in held if one.subject.strip() in ("", OWNER)]
    subjects: dict[str, str] = {}
    for number, belief in enumerate(loose, start=1):
        subject = _subject(env, scope, belief)
        if subject != belief.subject:
            subjects[belief.key] = subject
        if progress is not None:
            progress(number / len(loose))
    with env.transaction(dry_run=dry_run):
        assigned = _assign(env, scope, loose, subjects, None if night is None else night.at)
    return Assignment(assigned=tuple(assigned), looked_at=len(loose), dry_run=dry_run)


def _subject(env: Env, scope: Scope, belief: Belief) -> str:
    owner = env.registry.user(scope.user_id)
    names = () if owner is None else (owner.name, owner.user_id)
    mind = mind_for_words_of(env.mind, scope, "upkeep", env.graph, [belief.key])
    try:
        draft = mind.believe(belief.statement, owner_names=names)[0]
    except MindError:  # it says nothing that we can read: it stays where it is
        return belief.subject or OWNER
    return draft.subject.strip().casefold() or OWNER


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more, if its belief still stands."""
    with env.atomic():
        for belief in still_active(env, scope, [str(event.payload["key"])]):
            if belief.subject == event.payload["before"]:
                _assigned(env, scope, event, belief)


def _assign(
    env: Env, scope: Scope, loose: Sequence[Belief], subjects: dict[str, str], at: datetime | None
) -> list[AssignedSubject]:
    now = env.clock.now()
    statements = {one.key: one.statement for one in loose}
    nodes = env.graph.get_many(scope, list(subjects))
    assigned: list[AssignedSubject] = []
    for key, subject in subjects.items():
        before = nodes.get(key)
        if not isinstance(before, Belief) or before.status is not BeliefStatus.ACTIVE:
            continue
        if before.statement != statements[key] or before.subject.strip() not in ("", OWNER):
            continue
        payload = {
            "key": key,
            "subject": subject,
            "before": before.subject,
            "at": (at or now).isoformat(),
        }
        event = env.append(scope, SUBJECT_ASSIGNED, payload, now=now)
        belief = _assigned(env, scope, event, before)
        assigned.append(AssignedSubject(belief=belief, before=before.subject))
    return assigned


def _assigned(env: Env, scope: Scope, event: Event, before: Belief) -> Belief:
    at = effective_at(event)
    belief = maintenance.reassigned(before, str(event.payload["subject"]), at)
    env.graph.put(scope, belief)
    _about(env, scope, belief, at)
    return belief


def _about(env: Env, scope: Scope, belief: Belief, now: datetime) -> None:
    """The link to whom it is about follows, where that person is known."""
    for link in env.graph.links(scope, belief.key, kinds=(LinkKind.ABOUT,), outward=True):
        env.graph.unlink(scope, link)
    link_subject(env.graph, scope, belief, now)


def link_subject(graph: Graph, scope: Scope, belief: Belief, now: datetime) -> None:
    """Tie a belief to the person it is about, where that person is known."""
    person = by_natural(graph, scope, Kind.PERSON, canonical_name(belief.subject))
    if isinstance(person, Anchor):
        graph.link(scope, Link(scope.user_id, LinkKind.ABOUT, belief.key, person.key, now))
