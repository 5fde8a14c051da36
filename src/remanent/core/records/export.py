"""Exporting: a memory as records that any store can write and take in again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.anchor import Note
from remanent.core.model.event import Event, ForgottenEvent
from remanent.core.model.job import Job
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Assertion, Link, Relationship
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import Passage, RawSource
from remanent.core.records.access import ApiKey, AuditEntry, Invitation, Membership, Team, User
from remanent.core.records.admin import Progress
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.item import Item
from remanent.core.records.spending import Answer, Spent


class RecordKind(StrEnum):
    """What a record can be, in the order in which a file has them: what hangs on another comes later."""

    USER = "user"
    TEAM = "team"
    MEMBERSHIP = "membership"
    STAY = "stay"
    INVITATION = "invitation"
    EVENT = "event"
    RAW = "raw"
    POSITION = "position"
    NODE = "node"
    RELATIONSHIP = "relationship"
    LINK = "link"
    ASSERTION = "assertion"
    NOTE = "note"
    EXTRACTION = "extraction"
    PASSAGE = "passage"
    BYGONE = "bygone"
    ENTRY = "entry"
    JOB = "job"
    ROUND = "round"
    ANSWER = "answer"
    SPENT = "spent"
    ITEM = "item"
    ITEM_VECTOR = "item_vector"
    # What goes with a whole house only, and never into a file.
    KEY = "key"
    DEED = "deed"
    REPLY = "reply"
    MARK = "mark"


HOUSEHOLD: Final = frozenset({RecordKind.KEY, RecordKind.DEED, RecordKind.REPLY, RecordKind.MARK})


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRecord(Team):
    """A team as the registry keeps it: one that was deleted still says whose leavers lost what."""

    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord(Job):
    """A job as the queue keeps it; one that was running is promised anew."""

    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Up to which place a consumer has handled a user's events."""

    consumer: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPosition:
    """Up to which time a job of the night was done for a user."""

    job: SleepJob
    done_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRecord:
    """What the index has of one text: its stems in order, and its meaning as it was stored.

    `vector` is base64 of little-endian 32-bit floats; `parts` are the vectors of the parts of a long
    text, one after the other.
    """

    key: str
    kind: Kind
    owner_key: str
    readers: tuple[str, ...]
    team: str | None = None
    words: str = ""
    marks: str = ""
    day: date | None = None
    vector: str | None = None
    parts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVectorRecord:
    """The vector of one text of an item, as `EntryRecord` has them; empty where there is no text."""

    event_id: str
    lens: str
    path: str
    vector: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord(ApiKey):
    """An API key as the keyring has it: with the hash of its secret."""

    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a memory notes of itself under a name."""

    name: str
    value: str


SIGNED_WITH: Final = "erasure.secret"  # what the papers of a memory are signed with
OWED: Final = "erasure.owed"  # that its files are still to be written anew
EMBEDDER: Final = "embedder"  # whose its vectors are, and how long
MOVE: Final = "move"  # what is noted of a migration from here or to here
ERASURES: Final = "erasure.count"  # how many there have been: a shadow from before one is not used


# A node's own type follows from its kind.
TYPES: Final[Mapping[RecordKind, type]] = {
    RecordKind.USER: User,
    RecordKind.TEAM: TeamRecord,
    RecordKind.MEMBERSHIP: Membership,
    RecordKind.STAY: Membership,
    RecordKind.INVITATION: Invitation,
    RecordKind.EVENT: Event,
    RecordKind.RAW: RawSource,
    RecordKind.POSITION: Position,
    RecordKind.NODE: Node,
    RecordKind.RELATIONSHIP: Relationship,
    RecordKind.LINK: Link,
    RecordKind.ASSERTION: Assertion,
    RecordKind.NOTE: Note,
    RecordKind.EXTRACTION: Extraction,
    RecordKind.PASSAGE: Passage,
    RecordKind.BYGONE: ForgottenEvent,
    RecordKind.ENTRY: EntryRecord,
    RecordKind.JOB: JobRecord,
    RecordKind.ROUND: NightPosition,
    RecordKind.ANSWER: Answer,
    RecordKind.SPENT: Spent,
    RecordKind.ITEM: Item,
    RecordKind.ITEM_VECTOR: ItemVectorRecord,
    RecordKind.KEY: KeyRecord,
    RecordKind.DEED: AuditEntry,
    RecordKind.REPLY: IdempotentRequest,
    RecordKind.MARK: Mark,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    """One record: whose it is (nobody's: None, as a team is), and what it holds.

    `elsewhere` when it hangs on a source of somebody whose memory is not in the file. `plain` is the
    value as it was written, of what is kept word for word: an older version may have written less.
    """

    sort: RecordKind
    user_id: str | None
    value: Any
    elsewhere: bool = False
    plain: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a file: what it is, whose memories it holds, and whose vectors."""

    made_at: datetime
    by: str
    users: tuple[str, ...]
    whole: bool  # the whole memory; else what one user owns
    answers: bool = True
    embedder: str | None = None
    dimensions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The last line: how many records of each sort there are, the SHA-256 of all lines before it, and
    that of the records alone which hang on nobody else's sources."""

    counts: Mapping[str, int]
    sha256: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProgress(Progress):
    """How far an export or import has come."""

    done: int
    total: int


class Counted:
    """What a move brought, by sort."""

    __slots__ = ()

    counts: Mapping[str, int]

    @property
    def records(self) -> int:
        """All of them."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported(Counted):
    """What an export wrote. `elsewhere` counts the records among them that hang on others' sources."""

    users: tuple[str, ...]
    counts: Mapping[str, int]
    sha256: str
    elsewhere: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a store took in. `left_out` counts, by sort, what hangs on sources that are not there;
    `shifted` is by how much the places of events in the ledger moved."""

    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    shifted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported(Counted):
    """What an import did.

    `already` when just that was here, and nothing was done. `renumbered` when others' events stood in
    the ledger before: places in it then differ from those in the file. `reembedding` when the file's
    vectors are another embedder's, so that this memory's own has yet to make them.
    """

    users: tuple[str, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    already: bool = False
    renumbered: bool = False
    reembedding: bool = False
    dry_run: bool = False


class MoveState(StrEnum):
    """How far a memory is that moves house: the old one is left, the new one arrived in."""

    LEAVING = "leaving"
    LEFT = "left"
    ARRIVING = "arriving"
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What either end of a migration notes of it. `place` is the other end, without passwords.

    `records` counts those that have come, and `sums` are their sums by sort (`migrate.add`).
    """

    move_id: str
    state: MoveState
    place: str
    records: int = 0
    sums: Mapping[str, str] = field(default_factory=dict)

    @property
    def refusal(self) -> str:
        """Why nothing can be written at this end; empty where it can."""
        return {
            MoveState.LEAVING: f"is being moved to {self.place}, and cannot be written to meanwhile; "
            "`remanent migrate` goes on with it, and with --cancel gives it up",
            MoveState.LEFT: f"has moved to {self.place}: write there, or take this one back "
            "with `remanent migrate --cancel`",
            MoveState.ARRIVING: f"is not all here yet: run `remanent migrate` from {self.place} again",
            MoveState.ARRIVED: "",
        }[self.state]


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated(Counted):
    """What a migration did. `digest` is that of either end; `resumed` counts the records that an
    earlier run had brought over, and `already` says that it had brought all."""

    place: str
    counts: Mapping[str, int]
    digest: str
    resumed: int = 0
    already: bool = False
