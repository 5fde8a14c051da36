"""Tiers: how near an event still is, and what decides whether its node stays in the graph."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Tier(StrEnum):
    """By age, nearest first (SPEC 7); `rules.tiers` says where each ends."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """What forgetting asks about one event's node.

    `born` is the later of when it occurred and when it was recorded: an old story told today is near.
    `raised` is the part of `importance` that its place in the graph has added; `children` are the most
    events it is known to have caused, `references` and `similar` its links as they are. `is_told`: a
    Summary stands for it; `is_enriched`: its importance is more than the one all begin with.
    """

    key: str
    event_id: str
    born: datetime
    importance: float
    raised: float = 0.0
    access_count: int = 0
    is_pinned: bool = False
    children: int = 0
    known_children: int = 0
    references: int = 0
    similar: int = 0
    is_told: bool = False
    is_enriched: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsummarizedSession:
    """A session with so many events that no Summary stands for yet."""

    agent_id: str
    session_id: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedReferences:
    """Two events of different sessions that reference the same anchors: how many, and by how many
    events the rarest of those is referenced."""

    key: str
    other: str
    count: int
    rarest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenEvent:
    """An event whose node has left the graph; the ledger has it under its id, and the summary of
    that key stands for it."""

    key: str
    event_id: str
    summary_key: str
