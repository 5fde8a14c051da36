"""What passes a request's filters, and which one it fails (SPEC 8): pure, one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from remanent.beliefs.rules import as_of as past
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import Artifact, Passage, Sensitivity, Source
from remanent.core.model.story import Macro, Storyline, Summary

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
_ALL = frozenset(Kind)
SAID = frozenset({Kind.PASSAGE, Kind.SOURCE})
_BELIEFS = frozenset({Kind.BELIEF, Kind.PAST_BELIEF})
_STORIES = frozenset({Kind.STORYLINE, Kind.MACRO})
_STORIES_AND_SUMMARIES = _STORIES | {Kind.SUMMARY}
_GONE = (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED)


class Fault(StrEnum):
    """Why something does not pass, in words that follow a number; `RULES` have more of them."""

    UNREADABLE = "no longer there"
    KNOWN_AT = "not yet recorded at known_at"
    AS_OF = "later than as_of, or not true then"
    HELD = "no longer held true"
    ARCHIVED = "archived"
    STATES = "by states"
    SINCE = "by since"
    UNTIL = "by until"


class Facts(NamedTuple):
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


def checked(request: SearchRequest, *, max_characters: int) -> SearchRequest:
    """The request checked, and with the kinds that are searched where none are named; what asks
    about the past asks for past beliefs as well."""
    request = request.checked(max_characters)
    kinds = request.kinds or SEARCHED
    if Kind.BELIEF in kinds and request.is_past:
        kinds = tuple(dict.fromkeys((*kinds, Kind.PAST_BELIEF)))
    return replace(request, kinds=kinds)


def kinds_that_can_pass(request: SearchRequest) -> tuple[Kind, ...]:
    """Those of the kinds asked for that have what every filter asks about."""
    able = set(Kind)
    for rule in RULES:
        if rule.is_asked(request):
            able &= rule.kinds
    return tuple(Kind(kind) for kind in request.kinds if kind in able)


# --- the things --------------------------------------------------------------------------------


def facts_of_passage(passage: Passage, source: Source) -> Facts:
    """A passage has its own time and speaker, and the rest from its source."""
    at = passage.at or source.started_at
    speakers = () if passage.speaker is None else (passage.speaker,)
    return facts_of(source)._replace(kind=Kind.PASSAGE, begins=at, ends=at, speakers=speakers)


def facts_of_relationship(relationship: Relationship) -> Facts:
    """A relationship is of the time at which it began; it concerns both its ends."""
    return Facts(
        kind=Kind.RELATIONSHIP,
        begins=relationship.valid_from,
        ends=relationship.valid_from,
        written_at=relationship.recorded_at,
        state=relationship.life.state,
        about=(relationship.src, relationship.dst),
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
        return facts._replace(
            begins=node.started_at,
            ends=max(node.started_at, node.ended_at or node.started_at),
            types=(node.source_type.value, node.content_type.value),
            team=node.team_id,
            sensitivity=node.sensitivity,
        )
    if isinstance(node, Belief):
        return _facts_of_belief(node, facts)
    if isinstance(node, EventNode):
        return facts._replace(begins=node.occurred_at, ends=node.occurred_at)
    if isinstance(node, Anchor):
        first = node.first_mentioned_at or node.created_at
        return facts._replace(begins=first, ends=max(first, node.last_mentioned_at or first))
    if isinstance(node, (Storyline, Macro, Summary)):
        begins, ends = _time_of(node)
        return facts._replace(
            begins=begins,
            ends=max(begins, ends),
            written_at=node.updated_at,
            team=None if isinstance(node, Summary) else node.team_id,
        )
    return facts._replace(sensitivity=node.sensitivity) if isinstance(node, Artifact) else facts


def _time_of(story: Storyline | Macro | Summary) -> tuple[datetime, datetime]:
    if isinstance(story, Summary):
        return story.covers_from, story.covers_to
    last = story.last_source_at if isinstance(story, Storyline) else story.last_event_at
    return story.started_at, last


def _facts_of_belief(belief: Belief, facts: Facts) -> Facts:
    return facts._replace(
        begins=belief.since,
        ends=max((support.at for support in belief.supports), default=belief.since),
        types=(belief.type.value,),
        speakers=tuple(one.speaker for one in belief.supports if one.speaker is not None),
        holds=belief.status is BeliefStatus.ACTIVE,
    )


# --- the rules ---------------------------------------------------------------------------------

Passes = Callable[[Facts, SearchRequest], bool]


@dataclass(frozen=True, slots=True)
class FilterRule:
    """What one filter lets through; it is asked only where the request has a value for it.

    `name` is that of the filter, `field` holds what it compares with, where that was looked up.
    Only these `kinds` have what the filter looks at: no other can pass.
    """

    name: str
    passes: Passes
    kinds: frozenset[Kind] = _ALL
    field: str = ""

    def is_asked(self, request: SearchRequest) -> bool:
        """Whether the request has this filter."""
        return getattr(request, self.field or self.name) not in (None, (), False)

    @property
    def fault(self) -> str:
        """What is said of whatever does not pass, after a number."""
        return f"by {self.name}"


RULES: Final = (
    FilterRule(
        "types",
        lambda facts, request: any(type_ in request.types for type_ in facts.types),
        SAID | _BELIEFS,
    ),
    FilterRule("team", lambda facts, request: facts.team == request.team, SAID | _STORIES),
    FilterRule(
        "speaker",
        lambda facts, request: any_called(facts.speakers, request),
        _BELIEFS | {Kind.PASSAGE},
    ),
    FilterRule("not_speaker", lambda facts, request: not any_excluded(facts.speakers, request)),
    FilterRule(
        "anchor",
        lambda facts, request: not frozenset(facts.about).isdisjoint(request.about or ()),
        SAID | _BELIEFS | _STORIES | {*ANCHORS, Kind.RELATIONSHIP},
        field="about",
    ),
    FilterRule(
        "sensitivity",
        lambda facts, request: facts.sensitivity in request.sensitivity,
        SAID | {Kind.ARTIFACT},
    ),
)


def asks_of_facts(request: SearchRequest) -> bool:
    """Whether a filter looks at anything but the kind of a thing and whether it is archived."""
    times = (request.known_at, request.as_of, request.since, request.until)
    is_timed = any(one is not None for one in times)
    return is_timed or bool(request.states) or any(rule.is_asked(request) for rule in RULES)


def fault(facts: Facts, request: SearchRequest) -> str | None:
    """The first filter that the thing fails; None when it passes them all."""
    return (
        _fault_of_time(facts, request)
        or _fault_of_life(facts, request)
        or next(
            (
                rule.fault
                for rule in RULES
                if rule.is_asked(request) and not rule.passes(facts, request)
            ),
            None,
        )
    )


def belief_fault(belief: Belief, request: SearchRequest) -> Fault | None:
    """Whether it is, or at the time asked for was, held true; `belief` is as it was known then."""
    if request.as_of is not None:
        return None if past.was_true(belief, request.as_of) else Fault.AS_OF
    past_asked = Kind.PAST_BELIEF in request.kinds and request.known_at is None
    if belief.status is BeliefStatus.ACTIVE or (past_asked and belief.status not in _GONE):
        return None
    return Fault.HELD


def relationship_fault(relationship: Relationship, request: SearchRequest) -> Fault | None:
    """A relationship that has ended is still found, and marked; at `as_of` only what held then."""
    held = request.as_of is None or relationship.holds_at(request.as_of)
    return None if held else Fault.AS_OF


def _fault_of_time(facts: Facts, request: SearchRequest) -> Fault | None:
    if request.known_at is not None and facts.written_at > request.known_at:
        return Fault.KNOWN_AT
    # A story tells of all its time at once; whatever else began by then was there.
    there_at = facts.ends if facts.kind in _STORIES_AND_SUMMARIES else facts.begins
    if request.as_of is not None and there_at > request.as_of:
        return Fault.AS_OF
    if request.since is not None and facts.ends < request.since:
        return Fault.SINCE
    if request.until is not None and facts.begins > request.until:
        return Fault.UNTIL
    return None


def _fault_of_life(facts: Facts, request: SearchRequest) -> Fault | None:
    if request.states:
        return None if facts.state in request.states else Fault.STATES
    return fault_of_state(facts.kind, facts.state, request)


def fault_of_state(kind: Kind, state: State, request: SearchRequest) -> Fault | None:
    """Whether what is archived is not asked for."""
    found_cold = request.cold and kind in SAID
    passes = state is not State.ARCHIVED or request.include_archived or found_cold
    return None if passes else Fault.ARCHIVED


def any_called(speakers: Iterable[str], request: SearchRequest) -> bool:
    """Whether one of these is the speaker who was asked for."""
    return _any_named(speakers, request.speaker or "", request.also)


def any_excluded(speakers: Iterable[str], request: SearchRequest) -> bool:
    """Whether one of these is the speaker who must not have said it."""
    return _any_named(speakers, request.not_speaker or "", request.not_also)


def _any_named(speakers: Iterable[str], name: str, also: frozenset[str]) -> bool:
    """By a name of theirs, or by all words of the one given."""
    wanted = set(name.split("-"))
    return any(
        speaker in also or wanted <= set(speaker.split("-"))
        for speaker in map(canonical_name, speakers)
    )


def reason(matches: int, faults: Mapping[str, int], *, all_of_them: bool = True) -> str:
    """Why nothing of what was found is in the answer: `12 by speaker, 2 archived`."""
    most_first = sorted(faults.items(), key=lambda item: (-item[1], item[0]))
    parts = ", ".join(f"{count:,} {fault}" for fault, count in most_first)
    if matches == 1 and all_of_them:
        return f"the only match was filtered out: {parts}"
    which = "all" if all_of_them else "the best"
    return f"{which} {matches:,} matches were filtered out: {parts}"
