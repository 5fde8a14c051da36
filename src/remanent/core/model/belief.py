"""Beliefs: statements held true, with the episodes behind them and what became of them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.lifecycle import TtlPolicy
from remanent.core.model.node import Kind, Node

OWNER = "owner"


class BeliefType(StrEnum):
    FACTUAL = "factual"
    PREFERENCE = "preference"
    PROCEDURAL = "procedural"
    ARCHITECTURAL = "architectural"
    META = "meta"
    INSIGHT = "insight"  # written by older systems; recalled at half weight


class BeliefStatus(StrEnum):
    """All but `active` are final."""

    ACTIVE = "active"
    INVALIDATED = "invalidated"
    FORGOTTEN = "forgotten"
    PRUNED = "pruned"


class ChangeKind(StrEnum):
    CREATED = "created"
    REINFORCED = "reinforced"
    WEAKENED = "weakened"
    INVALIDATED = "invalidated"
    FORGOTTEN = "forgotten"
    PRUNED = "pruned"
    MERGED = "merged"  # the winner of a merge took in another belief
    RESCORED = "rescored"  # some of what an inference was drawn from has fallen
    DISPUTED = "disputed"  # an inference, or what others contributed, speaks against it in vain
    REASSIGNED = "reassigned"  # the subject was filled in or corrected
    RESTATED = "restated"  # the user put it in other words
    PINNED = "pinned"  # the user keeps it for ever, or lets it fade again
    IMPORTED = "imported"


class Authority(StrEnum):
    """Who says so. An inference of ours never overrules what was asserted, and what somebody else
    contributed never what the user's own memory says."""

    USER = "user"
    SOURCE = "source"
    OTHER = "other"
    INFERENCE = "inference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One episode that speaks for a belief, in the words it used.

    `speaker` is whoever said it in a source; `by_owner` says that this was the user in person. It was
    said at `at`; `since` is when it began to hold, where the words tell. `contributed_by` is the id of
    whoever contributed the source, where that was not the user.
    """

    event_id: str
    statement: str
    at: datetime
    source_key: str | None = None
    passage_key: str | None = None
    speaker: str | None = None
    by_owner: bool = False
    since: datetime | None = None
    contributed_by: str | None = field(default=None, metadata={"sparse": True})

    @property
    def began(self) -> datetime:
        """From when on it speaks for the belief."""
        return self.since or self.at

    @property
    def authority(self) -> Authority:
        """What was remembered on request comes from the user, like the user's own words."""
        if self.contributed_by is not None:
            return Authority.OTHER
        return Authority.USER if self.by_owner or self.source_key is None else Authority.SOURCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happened to a belief, when, and why; `by` is the key of what brought it about.

    `confidence` is what it left the belief with, where it had a say in that; `before` is what the
    belief said until then, where it was restated.
    """

    kind: ChangeKind
    recorded_at: datetime
    reason: str
    by: str | None = None
    confidence: float | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief(Node):
    """One statement held true from `since` until `until`.

    An inference of ours has no episodes of its own: it was `derived_from` other beliefs, and stands
    and falls with them. `disputes` is the asserted belief that an inference speaks against, or
    what somebody else contributed. `instructs` is whom a standing instruction is for: the id of an agent or
    a project, or "" for whoever asks; None: it is none. What it is called is its subject.
    """

    kind: ClassVar[Kind] = Kind.BELIEF

    statement: str
    type: BeliefType = BeliefType.FACTUAL
    subject: str = OWNER
    confidence: float = 0.6
    stability: float = 1.0
    importance: int = 5
    status: BeliefStatus = BeliefStatus.ACTIVE
    since: datetime
    until: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    supports: tuple[Support, ...] = ()
    changes: tuple[Change, ...] = ()
    derived_from: tuple[str, ...] = ()
    disputes: str | None = None
    instructs: str | None = field(default=None, metadata={"sparse": True})

    @property
    def authority(self) -> Authority:
        """The strongest voice behind it; a pin is the user's word for it."""
        voices = {one.authority for one in self.supports}
        if Authority.USER in voices or self.is_pinned:
            return Authority.USER
        if voices == {Authority.OTHER} and not self._came_without_a_voice:
            return Authority.OTHER
        return Authority.INFERENCE if self.derived_from and not voices else Authority.SOURCE

    @property
    def _came_without_a_voice(self) -> bool:
        """Whether the user imported it as it is: what others say for it later does not make it theirs."""
        return any(one.kind is ChangeKind.IMPORTED for one in self.changes[:1])

    @property
    def is_pinned(self) -> bool:
        """Whether the user keeps it for ever: then it does not fade."""
        return self.life.ttl_policy is TtlPolicy.KEEP_FOREVER

    @property
    def contributed_by(self) -> str | None:
        """Who gave all that speaks for it, and that first, where none of it is the user's own."""
        theirs = self.authority is Authority.OTHER and not self.derived_from
        return self.supports[0].contributed_by if theirs else None

    def held_at(self, moment: datetime) -> bool:
        """True from `since` up to, not including, `until`."""
        return self.since <= moment and (self.until is None or moment < self.until)
