"""The lifecycle of a memory: how present it is, how often it was called on, how long it may stay."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from remanent.core.dataclasses import dataclass


class State(StrEnum):
    CANDIDATE = "candidate"
    ACTIVE = "active"
    CORE = "core"
    ARCHIVED = "archived"


class TtlPolicy(StrEnum):
    """How long a memory may stay, strongest first."""

    KEEP_FOREVER = "keep_forever"
    EPHEMERAL = "ephemeral"
    DECAY = "decay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Carried by every node and every semantic relationship (SPEC 3)."""

    salience: float = 0.5
    state: State = State.CANDIDATE
    ttl_policy: TtlPolicy = TtlPolicy.DECAY
    access_count: int = 0
    recall_frequency: int = 0
    last_recall_interval: float = 0.0
    decay_gradient: float = 1.0
    last_accessed_at: datetime | None = None
    decayed_at: datetime | None = None
