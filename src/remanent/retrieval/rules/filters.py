"""What passes a request's filters, and which one it fails (SPEC 8): pure, one thing at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from remanent.beliefs.rules import as_of as past
from remanent.core import checks
from remanent.core.checks import aware
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import Belief, BeliefStatus, BeliefType
from remanent.core.model.event import EventNode
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import RawSearchRequest, SearchRequest
from remanent.core.model.source import (
    Artifact,
    ContentType,
    Passage,
    Sensitivity,
    Source,
    SourceType,
)
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.errors import InvalidInput

Option = TypeVar("Option", bound=StrEnum)

ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
SEARCHED = (
    Kind.PASSAGE,
    Kind.BELIEF,
    Kind.SOURCE,
    *ANCHORS,
    Kind.RELATIONSHIP,
    Kind.STORYLINE,
    Kind.MACRO,
    Kind.SUMMARY,
    Kind.ARTIFACT,
)
TYPES = tuple(
    dict.fromkeys(one.value for kind in (SourceType, ContentType, BeliefType) for one in kind)
)

_SAID = frozenset({Kind.PASSAGE, Kind.SOURCE})
_BELIEFS = frozenset({Kind.BELIEF, Kind.PAST_BELIEF})
_STORIES = frozenset({Kind.STORYLINE, Kind.MACRO})
_TOLD = _STORIES | {Kind.SUMMARY}
_GONE = (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED)


class Fault(StrEnum):
    """Why something does not pass, in words that follow a number."""

    KIND = "of another kind"
    UNREADABLE = "no longer there"
    KNOWN_AT = "not yet recorded at known_at"
    AS_OF = "later than as_of, or not true then"
    HELD = "no longer held true"
    ARCHIVED = "archived"
    STATES = "by states"
    SINCE = "by since"
    UNTIL = "by until"
    TYPES = "by types"
    TEAM = "by team"
    SPEAKER = "by speaker"
    NOT_SPEAKER = "by not_speaker"
    ANCHOR = "by anchor"
    SENSITIVITY = "by sensitivity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that filters look at in one thing.

    It tells of the time from `begins` to `ends`; `written_at` is when its text was last put down.
    """

    kind: Kind
    begins: datetime
    ends: datetime
    written_at: datetime
    state: State
    about: tuple[str, ...]
    types: tuple[str, ...] = ()
    team: str | None = None
    speakers: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    holds: bool = True


# --- the request -------------------------------------------------------------------------------


def checked(raw: RawSearchRequest, *, max_characters: int) -> SearchRequest:
    """The request, or `InvalidInput` naming the first field that is wrong.

    Whether the team and the anchor exist is left to whoever can look.
    """
    since, until = aware("since", raw.since), aware("until", raw.until)
    if since is not None and until is not None and since > until:
        raise InvalidInput("since", f"{since.isoformat()} lies after until")
    as_of, known_at = aware("as_of", raw.as_of), aware("known_at", raw.known_at)
    kinds = _options("kinds", Kind, raw.kinds) or SEARCHED
    if Kind.BELIEF in kinds and (as_of is not None or known_at is not None):
        kinds = tuple(dict.fromkeys((*kinds, Kind.PAST_BELIEF)))
    return SearchRequest(
        query=checks.statement("query", raw.query, max_characters),
        kinds=kinds,
        since=since,
        until=until,
        types=frozenset(_type(one) for one in _listed("types", raw.types)),
        team=None if raw.team is None else _named("team", raw.team),
        speaker=_spoken_by("speaker", raw.speaker),
        not_speaker=_spoken_by("not_speaker", raw.not_speaker),
        anchor=None if raw.anchor is None else _named("anchor", raw.anchor),
        states=frozenset(_options("states", State, raw.states)),
        sensitivity=frozenset(_options("sensitivity", Sensitivity, raw.sensitivity)),
        include_archived=bool(raw.include_archived),
        as_of=as_of,
        known_at=known_at,
    )


def _named(field: str, value: object) -> str:
    return checks.identifier(field, value)


def _spoken_by(field: str, value: object) -> str | None:
    if value is None:
        return None
    name = canonical_name(_named(field, value))
    if not name:
        raise InvalidInput(field, f"{value!r} has no letter in it")
    return name


def _type(value: object) -> str:
    if str(value) not in TYPES:
        raise InvalidInput("types", f"{value!r} is not one of: {', '.join(TYPES)}")
    return str(value)


def _options(field: str, options: type[Option], values: object) -> tuple[Option, ...]:
    return tuple(
        dict.fromkeys(checks.choice(field, options, one) for one in _listed(field, values))
    )


def _listed(field: str, values: object) -> Sequence[object]:
    if isinstance(values, str) or not isinstance(values, (Sequence, frozenset, set)):
        raise InvalidInput(field, f"must be a list, not {type(values).__name__}")
    return list(values)


def kinds_that_can_pass(request: SearchRequest) -> tuple[Kind, ...]:
    """Those of the kinds asked for that have what every filter asks about."""
    able = set(request.kinds)
    if request.team is not None:
        able &= _SAID | _STORIES
    if request.sensitivity:
        able &= _SAID | {Kind.ARTIFACT}
    if request.speaker is not None:
        able &= _BELIEFS | {Kind.PASSAGE}
    if request.types:
        able &= _SAID | _BELIEFS
    if request.about is not None:
        able &= _SAID | _BELIEFS | _STORIES | {*ANCHORS, Kind.RELATIONSHIP}
    return tuple(kind for kind in request.kinds if kind in able)


# --- the things --------------------------------------------------------------------------------


def facts_of_passage(passage: Passage, source: Source) -> Facts:
    """A passage has its own time and speaker, and the rest from its source."""
    at = passage.at or source.started_at
    speakers = () if passage.speaker is None else (passage.speaker,)
    return replace(facts_of(source), kind=Kind.PASSAGE, begins=at, ends=at, speakers=speakers)


def facts_of_relationship(one: Relationship) -> Facts:
    """A relationship is of the time at which it began; it concerns both its ends."""
    return Facts(
        kind=Kind.RELATIONSHIP,
        begins=one.valid_from,
        ends=one.valid_from,
        written_at=one.recorded_at,
        state=one.life.state,
        about=(one.src, one.dst),
    )


def facts_of(node: Node) -> Facts:
    """What filters see in a node."""
    facts = Facts(
        kind=node.kind,
        begins=node.created_at,
        ends=node.created_at,
        written_at=node.created_at,
        state=node.life.state,
        about=(node.key,),
    )
    if isinstance(node, Source):
        return replace(
            facts,
            begins=node.started_at,
            ends=max(node.started_at, node.ended_at or node.started_at),
            types=(node.source_type.value, node.content_type.value),
            team=node.team_id,
            sensitivity=node.sensitivity,
        )
    if isinstance(node, Belief):
        return _facts_of_belief(node, facts)
    if isinstance(node, EventNode):
        return replace(facts, begins=node.occurred_at, ends=node.occurred_at)
    if isinstance(node, Anchor):
        first = node.first_mentioned_at or node.created_at
        return replace(facts, begins=first, ends=max(first, node.last_mentioned_at or first))
    if isinstance(node, (Storyline, Macro, Summary)):
        begins, ends = _time_of(node)
        return replace(
            facts,
            begins=begins,
            ends=max(begins, ends),
            written_at=node.updated_at,
            team=None if isinstance(node, Summary) else node.team_id,
        )
    return replace(facts, sensitivity=node.sensitivity) if isinstance(node, Artifact) else facts


def _time_of(story: Storyline | Macro | Summary) -> tuple[datetime, datetime]:
    if isinstance(story, Summary):
        return story.covers_from, story.covers_to
    last = story.last_source_at if isinstance(story, Storyline) else story.last_event_at
    return story.started_at, last


def _facts_of_belief(belief: Belief, facts: Facts) -> Facts:
    said = [one.at for one in belief.supports]
    return replace(
        facts,
        begins=belief.since,
        ends=max(said, default=belief.since),
        types=(belief.type.value,),
        speakers=tuple(one.speaker for one in belief.supports if one.speaker is not None),
        holds=belief.status is BeliefStatus.ACTIVE,
    )


# --- the verdict -------------------------------------------------------------------------------


def fault(facts: Facts, request: SearchRequest) -> Fault | None:
    """The first filter that the thing fails; None when it passes them all."""
    for one in (_fault_of_time, _fault_of_life, _fault_of_filters):
        found = one(facts, request)
        if found is not None:
            return found
    return None


def belief_fault(belief: Belief, request: SearchRequest) -> Fault | None:
    """Whether it is, or at the time asked for was, held true; `belief` is as it was known then."""
    if request.as_of is not None:
        return None if past.was_true(belief, request.as_of) else Fault.AS_OF
    past_asked = Kind.PAST_BELIEF in request.kinds and request.known_at is None
    if belief.status is BeliefStatus.ACTIVE or (past_asked and belief.status not in _GONE):
        return None
    return Fault.HELD


def relationship_fault(one: Relationship, request: SearchRequest) -> Fault | None:
    """A relationship that has ended is still found, and marked; at `as_of` only what held then."""
    return None if request.as_of is None or one.holds_at(request.as_of) else Fault.AS_OF


def _fault_of_time(facts: Facts, request: SearchRequest) -> Fault | None:
    if request.known_at is not None and facts.written_at > request.known_at:
        return Fault.KNOWN_AT
    # A story tells of all its time at once; whatever else began by then was there.
    told = facts.ends if facts.kind in _TOLD else facts.begins
    if request.as_of is not None and told > request.as_of:
        return Fault.AS_OF
    if request.since is not None and facts.ends < request.since:
        return Fault.SINCE
    if request.until is not None and facts.begins > request.until:
        return Fault.UNTIL
    return None


def _fault_of_life(facts: Facts, request: SearchRequest) -> Fault | None:
    if request.states:
        return None if facts.state in request.states else Fault.STATES
    archived = facts.state is State.ARCHIVED and not request.include_archived
    return Fault.ARCHIVED if archived else None


def _fault_of_filters(facts: Facts, request: SearchRequest) -> Fault | None:
    verdicts = (
        (Fault.TYPES, not request.types or not request.types.isdisjoint(facts.types)),
        (Fault.TEAM, request.team in (None, facts.team)),
        (Fault.SPEAKER, request.speaker is None or any_called(facts.speakers, request)),
        (
            Fault.NOT_SPEAKER,
            request.not_speaker is None or not any_shunned(facts.speakers, request),
        ),
        (Fault.ANCHOR, request.about is None or not request.about.isdisjoint(facts.about)),
        (Fault.SENSITIVITY, not request.sensitivity or facts.sensitivity in request.sensitivity),
    )
    return next((name for name, passes in verdicts if not passes), None)


def any_called(speakers: Iterable[str], request: SearchRequest) -> bool:
    """Whether one of these is who was asked for."""
    return _any_named(speakers, request.speaker or "", request.also)


def any_shunned(speakers: Iterable[str], request: SearchRequest) -> bool:
    """Whether one of these is who must not have said it."""
    return _any_named(speakers, request.not_speaker or "", request.not_also)


def _any_named(speakers: Iterable[str], name: str, also: frozenset[str]) -> bool:
    """By a name of theirs, or by all words of the one given."""
    wanted = set(name.split("-"))
    return any(
        one in also or wanted <= set(one.split("-")) for one in map(canonical_name, speakers)
    )


def reason(found: int, faults: Mapping[Fault, int], *, all_of_them: bool = True) -> str:
    """Why nothing of what was found is in the answer: `12 by speaker, 2 archived`."""
    told = sorted(faults.items(), key=lambda item: (-item[1], item[0].value))
    parts = ", ".join(f"{count:,} {name.value}" for name, count in told)
    if found == 1 and all_of_them:
        return f"the only match was filtered out: {parts}"
    which = "all" if all_of_them else "the best"
    return f"{which} {found:,} matches were filtered out: {parts}"
