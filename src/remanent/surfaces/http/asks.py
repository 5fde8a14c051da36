"""What may be asked: the bodies and parameters of requests, with their limits.

pydantic stands here, at the edge, and nowhere further in; what a value means is checked by the verbs.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    Field,
    StringConstraints,
)

from remanent.core.model.job import JobState
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.query_types import Mode
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import ContextType, Sensitivity
from remanent.core.model.story import Level
from remanent.core.records.api_key import Power
from remanent.core.records.team import Role
from remanent.surfaces.http.bounds import Ask, AtFirst, file_name, in_range, shallow

Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
Long = Annotated[str, StringConstraints(min_length=1, max_length=20_000_000)]
Moment = Annotated[AwareDatetime, AfterValidator(in_range)]
Limit = Annotated[int, Field(ge=1, le=1000, description="At most so many.")]
After = Annotated[
    str | None,
    Field(max_length=2000, description="Where to go on: `next` of the page before."),
]
AsOf = Annotated[Moment | None, Field(description="What was true then.")]
KnownAt = Annotated[Moment | None, Field(description="As this memory would have said it then.")]
Touch = Annotated[bool, Field(description="Whether what is found is strengthened.")]
DryRun = Annotated[bool, Field(description="Only say what would be done.")]
Record = Annotated[dict[str, Any], AfterValidator(shallow)]


class Paging(Ask):
    limit: Limit = 50
    after: After = None


class DryRunning(Ask):
    dry_run: DryRun = False


# -- sources ------------------------------------------------------------------------------------


class Turn(Ask):
    text: Long
    speaker: Name | None = None
    at: Moment | None = None
    id: Name | None = Field(default=None, description="Your own; it comes back as `ref`.")


class AddSource(Ask):
    """One experience: text, turns, or a raw record."""

    content: Long | Annotated[list[Turn], AtFirst()] | Record = Field(
        examples=["Met Sarah at the café. She starts at Acme on Monday."]
    )
    type: Literal[
        "conversation", "voice-memo", "meeting", "email", "slack-thread", "text-note"
    ] | None = None  # fmt: skip
    context: ContextType | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    participants: list[Name] = Field(default=[], max_length=200, description="Ids of users.")
    team: Name | None = None
    origin_id: Name | None = Field(default=None, description="Your own id: twice is once.")
    sensitivity: Sensitivity = Sensitivity.NORMAL
    title: str = Field(default="", max_length=2000)


class ListSources(Paging):
    include_archived: bool = False


class Produce(Ask):
    """Something that was made from a source."""

    name: Name
    output: Long
    content_type: str = Field(default="md_file", min_length=1, max_length=100)
    description: str = Field(default="", max_length=20_000)
    sensitivity: Sensitivity = Sensitivity.NORMAL


class Upload(Ask):
    """A file of an export; its name tells what it is where its content does not."""

    name: Annotated[
        str, StringConstraints(pattern=r"^[\w][\w.\- ]{0,99}$"), AfterValidator(file_name)
    ] = "upload.jsonl"
    format: (
        Literal["chatgpt", "claude", "mail", "slack", "transcripts", "markdown", "jsonl"] | None
    ) = None
    dry_run: DryRun = False


# -- beliefs ------------------------------------------------------------------------------------


class Remember(Ask):
    """A statement to hold true."""

    text: Text = Field(examples=["I moved to Oslo."])
    at: Moment | None = Field(default=None, description="From when on; default: now.")
    event_id: Name | None = None


class Recall(Ask):
    query: Text = Field(examples=["Where do I live?"])
    limit: Limit = 10
    explain: bool = False
    touch: Touch = True
    as_of: AsOf = None
    known_at: KnownAt = None


class ListBeliefs(Paging):
    as_of: AsOf = None
    known_at: KnownAt = None


class Forget(DryRunning):
    reason: str = Field(default="", max_length=2000)


class Restate(DryRunning):
    statement: Text


class Prune(DryRunning):
    threshold: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)


class Resolve(DryRunning):
    resolve: bool = True


class Consolidate(DryRunning):
    """A conversation of four turns or more."""

    turns: list[Turn] = Field(min_length=1, max_length=10_000, fail_fast=True)
    session_id: str = Field(default="", max_length=500)
    at: Moment | None = None


# -- finding ------------------------------------------------------------------------------------


class Filters(Ask):
    kinds: list[Kind] = Field(default=[], max_length=20)
    since: Moment | None = None
    until: Moment | None = None
    types: list[Name] = Field(default=[], max_length=20)
    team: Name | None = None
    speaker: Name | None = None
    anchor: Name | None = None
    states: list[State] = Field(default=[], max_length=10)
    sensitivity: list[Sensitivity] = Field(default=[], max_length=5)
    include_archived: bool = False
    as_of: AsOf = None
    known_at: KnownAt = None


class Search(Filters):
    query: Text = Field(examples=["what Sarah said about Berlin"])
    limit: Limit = 10
    explain: bool = False
    after: After = None
    touch: Touch = True
    mode: Mode = Mode.FAST


class WhyNot(Filters):
    key: Name
    query: Text
    limit: Limit = 10


class WeightedQuery(Ask):
    query: Text
    threshold: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)


class RelationshipFilter(Ask):
    min_attitude: int = Field(default=1, ge=1, le=5)
    max_attitude: int = Field(default=5, ge=1, le=5)
    min_proximity: int = Field(default=1, ge=1, le=5)
    max_proximity: int = Field(default=5, ge=1, le=5)
    relationship_types: list[Name] = Field(default=[], max_length=50)
    exclude_relationship_types: list[Name] = Field(default=[], max_length=50)


class Weights(Ask):
    time: float | None = Field(default=None, ge=0, le=1000, allow_inf_nan=False)
    salience: float | None = Field(default=None, ge=0, le=1000, allow_inf_nan=False)
    semantic: float | None = Field(default=None, ge=0, le=1000, allow_inf_nan=False)


class Explore(Ask):
    queries: list[Text | WeightedQuery] = Field(default=[], max_length=10)
    text_matches: list[Text] = Field(default=[], max_length=20)
    relationship_filters: RelationshipFilter | None = None
    granularity: Literal[1, 2, 3] = 1
    multi_query: bool = False
    mode: Mode = Mode.FAST
    weights: Weights | None = None
    as_of: AsOf = None
    known_at: KnownAt = None
    return_explanations: bool = False
    touch: Touch = True


class Traverse(Ask):
    seeds: list[Name] = Field(min_length=1, max_length=100)
    max_depth: int | None = Field(default=None, ge=1, le=10)
    damping: float | None = Field(default=None, gt=0, lt=1, allow_inf_nan=False)
    top_k: int | None = Field(default=None, ge=1, le=1000)
    as_of: AsOf = None
    known_at: KnownAt = None
    touch: Touch = True
    include_links: bool = True


class Cypher(Ask):
    query: Text = Field(examples=["MATCH (p:Person) RETURN p.name LIMIT 5"])
    parameters: Record = Field(default={}, max_length=100)
    as_of: AsOf = None
    known_at: KnownAt = None
    limit: int | None = Field(default=None, ge=1, le=100_000)
    timeout: float | None = Field(default=None, gt=0, le=3600, allow_inf_nan=False)
    include_archived: bool = False


class Said(Ask):
    text: Text
    speaker: Name | None = None


class Need(Ask):
    message: Text = Field(examples=["What did Sarah say about it?"])
    before: list[Said] = Field(default=[], max_length=200, fail_fast=True)


class Phrasings(Ask):
    query: Text
    before: list[Said] = Field(default=[], max_length=200, fail_fast=True)


class Context(Need):
    budget: int = Field(default=1500, ge=1, le=1_000_000, description="In tokens.")
    as_of: AsOf = None
    known_at: KnownAt = None
    touch: Touch = True


class Define(Ask):
    long: Text


class ListAnchors(Paging):
    kind: Literal["person", "concept", "entity"] | None = None
    include_archived: bool = False


class Into(Ask):
    into: Name = Field(description="The key of the anchor that takes the other in.")


class Related(Ask):
    key: Name
    other: Name | None = None
    as_of: AsOf = None
    known_at: KnownAt = None
    history: bool = False


class Stories(Paging):
    kind: Literal["storyline", "macro"] | None = None
    anchor: Name | None = None
    state: State | None = None


class Summaries(Paging):
    level: Level | None = None
    session_id: Name | None = None


class Ahead(Ask):
    days: int = Field(default=365, ge=1, le=3650)


class Archive(Ask):
    reason: str = Field(default="", max_length=2000)


# -- events and work ----------------------------------------------------------------------------


class RecordEvent(Ask):
    """Something that an agent lived through."""

    event_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        examples=["tool.called"]
    )
    payload: Record = Field(default={})
    agent_id: Name | None = None
    session_id: Name | None = None
    parent_event_id: Name | None = None
    occurred_at: Moment | None = None
    event_id: Name | None = None
    importance_hint: int | None = Field(default=None, ge=1, le=10)
    team_id: Name | None = None

    def fields(self) -> dict[str, Any]:
        """Those that were given."""
        return {name: value for name, value in self.given().items() if value is not None}


class RecordMany(Ask):
    events: list[RecordEvent] = Field(min_length=1, max_length=1000, fail_fast=True)


class Events(Paging):
    query: Text | None = None
    session_id: Name | None = None
    agent_id: Name | None = None
    event_type: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    current_session: Name | None = None
    explain: bool = False
    touch: Touch = True


class EndSession(Ask):
    agent_id: str = Field(default="", max_length=500)


class Work(Ask):
    limit: int | None = Field(
        default=None, ge=1, le=100_000, description="Stop after so many jobs."
    )


class Sleep(DryRunning):
    until: Moment | None = Field(default=None, description="Make up for every night up to then.")
    only: list[SleepJob] = Field(default=[], max_length=20)


class ListJobs(Paging):
    state: list[JobState] = Field(default=[], description="Default: all.", max_length=4)


class Spending(Ask):
    since: date | None = Field(default=None, description="From that day (UTC) on.")


# -- teams, keys, users -------------------------------------------------------------------------


class CreateTeam(Ask):
    name: Name
    team_id: Name | None = None
    settings: Record = Field(default={}, max_length=100)


class ChangeTeam(Ask):
    name: Name | None = None
    settings: Record | None = Field(default=None, max_length=100)


class Invite(Ask):
    user_id: Name
    role: Role = Role.MEMBER


class ChangeRole(Ask):
    role: Role


class ChooseTeam(Ask):
    team: Name | None = Field(description="None: no team in particular.")


class OfTeam(Ask):
    team: Name | None = None


class Audit(Ask):
    team: Name | None = None
    after: int = Field(default=0, ge=0, le=1 << 53)
    limit: Limit = 100


class CreateKey(Ask):
    """With the key of a user, a key for that user; with a service's, for anyone."""

    name: Name
    user_id: Name | None = Field(
        default=None, description="None, with a service's key: a service's."
    )
    powers: list[Power] = Field(default=[Power.READ, Power.WRITE], min_length=1, max_length=3)
    team: Name | None = None
    expires_at: Moment | None = None


class Register(Ask):
    user_id: Name
    name: str | None = Field(default=None, max_length=500)
    timezone: str | None = Field(default=None, max_length=100, examples=["Europe/Oslo"])


class Offline(Ask):
    offline: bool = Field(default=False, description="Do not ask the language model.")


class Reembed(Ask):
    embedder: Name


class StreamJobs(Ask):
    until_idle: bool = Field(default=False, description="End when nothing is ready or running.")


class AuditAll(Ask):
    after: int = Field(default=0, ge=0, le=1 << 53)
    limit: Limit = 100


class Certificate(Ask):
    certificate: Record = Field(description="What an erasure was answered with.")
