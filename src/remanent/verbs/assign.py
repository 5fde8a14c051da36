"""Assign: beliefs filed under the owner by default come to whom they are about (SPEC 5, backfill)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.errors import MindError
from remanent.model.anchor import Anchor
from remanent.model.belief import OWNER, Belief, BeliefStatus
from remanent.model.event import SUBJECT_ASSIGNED
from remanent.model.keys import canonical_name
from remanent.model.node import Kind
from remanent.model.relationship import Link, LinkKind
from remanent.model.scope import Scope
from remanent.model.upkeep import Assigned, Assignment
from remanent.ports.atomic import Atomic
from remanent.ports.graph import Graph
from remanent.ports.ledger import Ledger
from remanent.ports.mind import Mind
from remanent.ports.registry import Registry
from remanent.rules import upkeep
from remanent.verbs.alike import Alike, Progress
from remanent.verbs.happening import happening
from remanent.verbs.trial import trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign:
    alike: Alike
    graph: Graph
    ledger: Ledger
    registry: Registry
    mind: Mind
    atomic: Atomic
    clock: Clock

    def __call__(
        self, scope: Scope, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Assignment:
        """Ask the mind whom each belief is about that names nobody else; follow what it says."""
        loose = [one for one in self.alike.active(scope) if one.subject.strip() in ("", OWNER)]
        subjects: dict[str, str] = {}
        for number, belief in enumerate(loose, start=1):
            subject = self._subject(scope, belief)
            if subject != belief.subject:
                subjects[belief.key] = subject
            if progress is not None:
                progress(number / len(loose))
        with trial(self.atomic, dry_run=dry_run):
            assigned = self._assign(scope, loose, subjects)
        return Assignment(assigned=tuple(assigned), looked_at=len(loose), dry_run=dry_run)

    def _subject(self, scope: Scope, belief: Belief) -> str:
        owner = self.registry.user(scope.user_id)
        names = () if owner is None else (owner.name, owner.user_id)
        try:
            draft = self.mind.believe(belief.statement, owner_names=names)
        except MindError:  # it says nothing that we can read: it stays where it is
            return belief.subject or OWNER
        return draft.subject.strip().casefold() or OWNER

    def _assign(
        self, scope: Scope, loose: Sequence[Belief], subjects: dict[str, str]
    ) -> list[Assigned]:
        now = self.clock.now()
        said = {one.key: one.statement for one in loose}
        nodes = self.graph.get_many(scope, list(subjects))
        assigned: list[Assigned] = []
        for key, subject in subjects.items():
            before = nodes.get(key)
            if not isinstance(before, Belief) or before.status is not BeliefStatus.ACTIVE:
                continue
            if before.statement != said[key] or before.subject.strip() not in ("", OWNER):
                continue
            told = {"key": key, "subject": subject, "before": before.subject}
            self.ledger.append(happening(scope.user_id, SUBJECT_ASSIGNED, told, now=now))
            belief = upkeep.reassigned(before, subject, now)
            self.graph.put(scope, belief)
            self._about(scope, belief, now)
            assigned.append(Assigned(belief=belief, before=before.subject))
        return assigned

    def _about(self, scope: Scope, belief: Belief, now: datetime) -> None:
        """The link to whom it is about follows, where that person is known."""
        for link in self.graph.links(scope, belief.key, kinds=(LinkKind.ABOUT,), outward=True):
            self.graph.unlink(scope, link)
        link_subject(self.graph, scope, belief, now)


def link_subject(graph: Graph, scope: Scope, belief: Belief, now: datetime) -> None:
    """Tie a belief to the person it is about, where that person is known."""
    person = graph.natural(scope, Kind.PERSON, canonical_name(belief.subject))
    if isinstance(person, Anchor):
        graph.link(
            scope,
            Link(
                user_id=scope.user_id,
                kind=LinkKind.ABOUT,
                src=belief.key,
                dst=person.key,
                created_at=now,
            ),
        )
