"""Stories: living aggregations over sources, and what remains of forgotten events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from remanent.model.node import Kind, Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Storyline(Node):
    """One arc of sources around one anchor. It stays its user's own, whatever team they leave."""

    kind: ClassVar[Kind] = Kind.STORYLINE

    anchor_key: str
    name: str
    started_at: datetime
    last_source_at: datetime
    source_count: int = 0
    description: str = ""
    is_dirty: bool = False
    team_id: str | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        return _own_and_team(self.user_id, self.team_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro(Node):
    """All arcs of one anchor."""

    kind: ClassVar[Kind] = Kind.MACRO

    anchor_key: str
    name: str
    started_at: datetime
    last_event_at: datetime
    storyline_count: int = 0
    total_source_count: int = 0
    description: str = ""
    is_dirty: bool = False
    team_id: str | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        return _own_and_team(self.user_id, self.team_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Node):
    """What is left of an episode, a session or an agent's events once they have gone."""

    kind: ClassVar[Kind] = Kind.SUMMARY

    text: str
    level: str
    covers_from: datetime
    covers_to: datetime
    event_count: int = 0


def _own_and_team(user_id: str, team_id: str | None) -> tuple[str, ...]:
    own = f"user:{user_id}"
    return (own,) if team_id is None else (own, f"team:{team_id}")
