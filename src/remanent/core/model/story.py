"""Stories: living aggregations over sources, and what remains of forgotten events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.node import Kind, Node, own_and_team


@dataclass(frozen=True, slots=True, kw_only=True)
class Storyline(Node):
    """One arc of sources around one anchor. It stays its user's own, whatever team they leave.

    Its sources are those that mention the anchor from `covers_from` (None: from the first) up to,
    not including, `closed_at` (None: it is open). `teams` counts those that each team reads; what is
    called `team_...` is the story as the members of `team_id` are told it, from their sources alone.
    """

    kind: ClassVar[Kind] = Kind.STORYLINE

    anchor_key: str
    name: str
    started_at: datetime
    last_source_at: datetime
    source_count: int = 0
    description: str = ""
    is_dirty: bool = False
    team_id: str | None = None
    ordinal: int = 1
    covers_from: datetime | None = None
    closed_at: datetime | None = None
    teams: Mapping[str, int] = field(default_factory=dict)
    team_description: str = ""
    team_source_count: int = 0
    team_started_at: datetime | None = None
    team_last_source_at: datetime | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        return own_and_team(self.user_id, self.team_id)

    @property
    def is_open(self) -> bool:
        """Whether further sources may still come."""
        return self.closed_at is None

    def covers(self, moment: datetime) -> bool:
        """Whether a source of that time is its own."""
        if self.covers_from is not None and moment < self.covers_from:
            return False
        return self.closed_at is None or moment < self.closed_at

    def seen_by(self, user_id: str) -> Storyline:
        if user_id == self.user_id:
            return self
        return replace(
            self,
            by_hand=None,
            name=self.inferred("name"),
            description=self.team_description,
            source_count=self.team_source_count,
            started_at=self.team_started_at or self.created_at,
            last_source_at=self.team_last_source_at or self.created_at,
            teams={},
            covers_from=None,
            closed_at=None if self.is_open else self.team_last_source_at or self.created_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro(Node):
    """All arcs of one anchor; what is called `team_...` is as in a storyline."""

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
    teams: Mapping[str, int] = field(default_factory=dict)
    team_description: str = ""
    team_storyline_count: int = 0
    team_source_count: int = 0
    team_started_at: datetime | None = None
    team_last_event_at: datetime | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        return own_and_team(self.user_id, self.team_id)

    def seen_by(self, user_id: str) -> Macro:
        if user_id == self.user_id:
            return self
        return replace(
            self,
            by_hand=None,
            name=self.inferred("name"),
            description=self.team_description,
            storyline_count=self.team_storyline_count,
            total_source_count=self.team_source_count,
            started_at=self.team_started_at or self.created_at,
            last_event_at=self.team_last_event_at or self.created_at,
            teams={},
        )


class Level(StrEnum):
    """What a summary stands for, smallest first."""

    EPISODE = "episode"
    SESSION = "session"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Node):
    """What is left of an episode, a session or an agent's events once they have gone.

    An episode knows its events by their ids in the ledger; those `withheld` were put out of mind and
    are no part of the text. `digest` tells which lower summaries the text was written from.
    """

    kind: ClassVar[Kind] = Kind.SUMMARY

    text: str
    level: Level
    covers_from: datetime
    covers_to: datetime
    event_count: int = 0
    agent_id: str = ""
    session_id: str = ""
    event_ids: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    digest: str = ""
    is_dirty: bool = False


Story = Storyline | Macro
