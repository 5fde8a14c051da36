"""Episodes: whole experiences, raw and processed, their passages, and what was made from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.node import Kind, Node

JSON: Final = "json"  # the type of what was produced as a value and not as a text
WAITING: Final = "named"  # the token of who was named and has not accepted: it opens nothing


class SourceType(StrEnum):
    """Where the data came from; never changes."""

    VOICE_MEMO = "voice-memo"
    MEETING = "meeting"
    EMAIL = "email"
    SLACK_THREAD = "slack-thread"
    TEXT_IMPORT = "text-import"


class ContentType(StrEnum):
    """What it is once processed."""

    CONVERSATION = "conversation"
    EMAIL = "email"
    SLACK_THREAD = "slack-thread"
    MEETING = "meeting"
    TEXT_NOTE = "text-note"


class ContextType(StrEnum):
    """What it was for."""

    WORK_SESSION = "work-session"
    TEAM_MEETING = "team-meeting"
    PHONE_CALL = "phone-call"
    PERSONAL_REFLECTION = "personal-reflection"
    PLANNING = "planning"
    BRAINSTORMING = "brainstorming"
    EMAIL_THREAD = "email-thread"
    SLACK_DISCUSSION = "slack-discussion"


class ProcessingStatus(StrEnum):
    RAW = "raw"
    PROCESSED = "processed"
    EXTRACTED = "extracted"


class Sensitivity(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said, as the caller gave it."""

    text: str
    speaker: str | None = None
    at: datetime | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The smallest quotable piece of a source.

    `start` and `end` count characters of the raw text; `ref` is the caller's own id of the turn.
    """

    key: str
    source_key: str
    ordinal: int
    text: str
    speaker: str | None = None
    at: datetime | None = None
    start: int = 0
    end: int = 0
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSource:
    """What came in, byte for byte: truth, kept with the ledger and never changed.

    `content` is the text itself, or the JSON text of turns or of a raw record.
    """

    key: str
    user_id: str
    content: str
    is_json: bool
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Node):
    """One whole experience.

    What was said stands once: processed in its passages, unchanged in the `RawSource` of its key.
    """

    kind: ClassVar[Kind] = Kind.SOURCE

    source_type: SourceType
    content_type: ContentType
    context_type: ContextType
    event_id: str
    content_hash: str
    participants: tuple[str, ...]
    # Those of the participants who may read it; None, of what is older than consent: all of them.
    accepted: tuple[str, ...] | None = field(default=None, metadata={"sparse": True})
    started_at: datetime
    ended_at: datetime | None = None
    team_id: str | None = None
    origin_id: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    processing_status: ProcessingStatus = ProcessingStatus.RAW
    processing_started_at: datetime | None = None
    processing_completed_at: datetime | None = None
    extraction_started_at: datetime | None = None
    extraction_completed_at: datetime | None = None
    sensitivity: Sensitivity = Sensitivity.NORMAL
    # Of a long one that is under way: how much of it has been processed, and how long it is.
    read_to: int | None = field(default=None, metadata={"sparse": True})
    characters: int | None = field(default=None, metadata={"sparse": True})

    @property
    def natural(self) -> str | None:
        return self.content_hash

    @property
    def readers(self) -> tuple[str, ...]:
        read = {*(self.participants if self.accepted is None else self.accepted), self.user_id}
        named = dict.fromkeys((self.user_id, *self.participants))
        people = tuple(f"{'user' if one in read else WAITING}:{one}" for one in named)
        if self.team_id is not None and self.sensitivity is not Sensitivity.HIGH:
            return (*people, f"team:{self.team_id}")
        return people

    @property
    def team(self) -> str | None:
        return self.team_id

    def seen_by(self, user_id: str) -> Source:
        """Who else accepted it, and what was put right by hand, is for its contributor to know."""
        if user_id == self.user_id or (self.accepted is None and self.by_hand is None):
            return self
        known = None if self.accepted is None else tuple(o for o in self.accepted if o == user_id)
        return replace(self, accepted=known, by_hand=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact(Node):
    """Something a user's agent produced from a source. Always personal."""

    kind: ClassVar[Kind] = Kind.ARTIFACT

    name: str
    description: str = ""
    content_type: str = ""
    output: str = ""
    sensitivity: Sensitivity = Sensitivity.NORMAL

    @property
    def content(self) -> dict[str, Any]:
        """Type and output (SPEC 3): what was given as JSON is a value again."""
        made = json.loads(self.output) if self.content_type == JSON else self.output
        return {"type": self.content_type, "output": made}
