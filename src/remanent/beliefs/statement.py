"""Claims: statements that ask to be believed, on somebody's word or drawn from what is believed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules.belief import BeliefRules
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.belief import (
    OWNER,
    Authority,
    Belief,
    BeliefType,
    Change,
    ChangeKind,
    Support,
)
from remanent.core.model.event import Event
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.visibility import spoken_for_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement, the episode that made it and the node that stands for the episode."""

    draft: BeliefDraft
    support: Support
    episode_key: str
    is_now: bool = False  # it was said of the moment at which it was said
    instructs: str | None = None  # whom it tells what to do, where it is a standing instruction

    @property
    def at(self) -> datetime:
        """From when on it is said to hold."""
        return self.support.began

    @property
    def authority(self) -> Authority:
        return self.support.authority

    @property
    def words_of(self) -> tuple[str, ...]:
        """Keys of those in whose words it speaks."""
        return spoken_for_by((self.support,))

    def instead_of(self, other: Belief) -> Claim:
        """The same, said to hold from where the belief that it puts right began; what somebody else said
        dates nothing of one's own."""
        is_others = Authority.OTHER is other.authority is not self.authority
        if not self.draft.corrects or is_others:
            return self
        return replace(self, support=replace(self.support, since=min(self.at, other.since)))

    @property
    def detail(self) -> str:
        """Tells two statements of one episode apart."""
        return content_hash(self.draft.statement)[:16]

    def belief(self, scope: Scope, now: datetime, rules: BeliefRules) -> Belief:
        """The belief that it makes when it is news."""
        confidence = rules.initial_confidence if self.instructs is None else 1.0
        return _belief(
            scope,
            self.draft,
            now,
            instructs=self.instructs,
            key=key_for(scope.user_id, Kind.BELIEF, self.episode_key, self.draft.statement),
            confidence=confidence,
            since=self.at,
            supports=(self.support,),
            changes=(_created(now, "first stated", self.episode_key, confidence),),
        )

    def links(self, scope: Scope, belief: Belief, now: datetime) -> list[Link]:
        """What ties it to the belief that speaks for it."""
        return [
            Link(
                scope.user_id,
                LinkKind.SUPPORTS,
                self.episode_key,
                belief.key,
                now,
                detail=self.detail,
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """A statement that nobody made: it was drawn from beliefs, and stands and falls with them."""

    draft: BeliefDraft
    derived_from: tuple[str, ...]
    at: datetime

    authority: ClassVar[Authority] = Authority.INFERENCE

    @property
    def words_of(self) -> tuple[str, ...]:
        """Keys of those in whose words it speaks."""
        return self.derived_from

    def belief(self, scope: Scope, now: datetime, rules: BeliefRules) -> Belief:
        """The belief that it makes when it is news: surer and steadier than one statement."""
        confidence = rules.meta_confidence
        return _belief(
            scope,
            self.draft,
            now,
            key=inference_key(scope, self.derived_from),
            confidence=confidence,
            stability=rules.meta_stability,
            since=self.at,
            derived_from=self.derived_from,
            changes=(
                _created(now, f"drawn from {len(self.derived_from)} beliefs", None, confidence),
            ),
        )

    def links(self, scope: Scope, belief: Belief, now: datetime) -> list[Link]:
        """What ties it to the beliefs it was drawn from."""
        return [
            Link(scope.user_id, LinkKind.DERIVED_FROM, belief.key, key, now)
            for key in self.derived_from
        ]


def inference_key(scope: Scope, derived_from: Sequence[str]) -> str:
    """One inference for one set of beliefs, however it is worded."""
    return key_for(scope.user_id, Kind.BELIEF, "derived from", *sorted(set(derived_from)))


def inferred(
    statement: str, derived_from: Sequence[Belief], *, subject: str, importance: int
) -> Inference:
    """The inference from these beliefs: true since the last of them is."""
    draft = BeliefDraft(statement=statement, importance=importance, subject=subject)
    return Inference(
        draft=replace(rule.sound(draft, statement), type=BeliefType.META),
        derived_from=tuple(sorted({one.key for one in derived_from})),
        at=max(one.since for one in derived_from),
    )


def instruction_in(event: Event) -> tuple[BeliefDraft, str] | None:
    """The standing instruction that a remembered episode gives, and to whom; None: it gives none."""
    if "instructs" not in event.payload:
        return None
    draft = BeliefDraft(
        statement=str(event.payload["text"]),
        type=BeliefType.PROCEDURAL,
        importance=10,
        subject=str(event.payload["name"]) or OWNER,
    )
    return draft, str(event.payload["instructs"])


def _created(now: datetime, reason: str, by: str | None, confidence: float) -> Change:
    return Change(
        kind=ChangeKind.CREATED, recorded_at=now, reason=reason, by=by, confidence=confidence
    )


def _belief(scope: Scope, draft: BeliefDraft, now: datetime, **fields: Any) -> Belief:
    return Belief(
        user_id=scope.user_id,
        created_at=now,
        updated_at=now,
        statement=draft.statement,
        type=draft.type,
        subject=draft.subject,
        importance=draft.importance,
        **fields,
    )
