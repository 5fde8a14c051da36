"""Timelines: the spans in which a relationship held, from assertions of different times (SPEC 3).

The spans follow from the set of assertions alone: read in any order, they give the same history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from remanent.core.by_hand import moment
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.keys import key_for
from remanent.core.model.node import Correction
from remanent.core.model.relationship import Assertion, Relationship, RelationshipKind

_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """What the user's hand says of one relationship: that it held at the time of `assertion`, that it was
    `denied`, and which of its fields are what. `said_at` is when the hand began it, if it did."""

    key: str
    assertion: Assertion
    words: tuple[Correction, ...]
    said_at: datetime | None = None

    @property
    def fixed(self) -> dict[str, Any]:
        """The fields that it has spoken of."""
        return {one.field: one.value for one in self.words}

    @property
    def type(self) -> str:
        """Of which type it is by hand."""
        return str(self.fixed.get("type", self.assertion.relationship_type))

    def assertions(self) -> list[Assertion]:
        """What it takes part with in the history that sources tell. The hand has no source."""
        if self.fixed.get("denied"):
            return []
        later = self.said_at is not None and self.said_at > self.assertion.at
        echo = [replace(self.assertion, at=self.said_at)] if later and self.said_at else []
        return [self.assertion, *echo]


def hands_of(
    user_id: str,
    src: str,
    words: Iterable[Correction],
    final: Callable[[str], str],
    known_at: datetime | None = None,
) -> list[Hand]:
    """What the words of an anchor say of each relationship that starts there, or said by then; oldest first.
    `final` is where merges by hand lead from an anchor."""
    by_key: dict[str, list[Correction]] = {}
    for one in words:
        if one.relation is not None and (known_at is None or one.at <= known_at):
            by_key.setdefault(one.relation["key"], []).append(one)
    hands = list[Hand]()
    for key, some in by_key.items():
        place = some[0].relation or {}
        assertion = Assertion(
            user_id=user_id,
            source_key="",
            kind=RelationshipKind(place["kind"]),
            src=src,
            dst=final(place["dst"]),
            relationship_type=place["type"],
            description="",
            at=datetime.fromisoformat(place["at"]),
            recorded_at=some[0].at,
        )
        begun = next((one.at for one in some if one.field == "relationship"), None)
        hands.append(Hand(key=key, assertion=assertion, words=tuple(some), said_at=begun))
    return hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One stretch of time in which a relationship held, with the assertions that say so, and what the
    user's hand says of it."""

    dst: str
    valid_from: datetime
    valid_to: datetime | None
    assertions: tuple[Assertion, ...]
    key: str = ""
    words: tuple[Correction, ...] = field(default=())

    def holds_at(self, moment: datetime) -> bool:
        """True from `valid_from` up to, not including, `valid_to`."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    @property
    def last(self) -> Assertion:
        """The newest word of a source on it; of the hand, where there is no other."""
        heard = [one for one in self.assertions if one.source_key]
        return (heard or self.assertions)[-1]


def spans(assertions: Iterable[Assertion], hands: Sequence[Hand] = ()) -> list[Span]:
    """The history that these assertions of one node, kind and type tell, oldest first, as the user's hand
    has put it right.

    Where one of them says that there can be but one at a time, each new other end closes the last.
    A stretch that would end where it begins is left out: two sources of one moment disagreed, and
    the later in order of key is taken to know better.
    """
    ordered = [*assertions, *(said for one in hands for said in one.assertions())]
    if not hands:
        return _heard_spans(ordered)
    single = any(one.single for one in ordered)
    result = _heard_spans(ordered)
    for one in hands:
        result = _put_right(result, one, single=single)
    return sorted(result, key=lambda span: (span.valid_from, span.dst))


def _put_right(spans_: list[Span], hand: Hand, *, single: bool) -> list[Span]:
    """The history with the stretch that the hand speaks of as it has it. Of what it says nothing of, what
    sources tell holds: it ends where another begins of which there can be but one."""
    dst, at, fixed = hand.assertion.dst, hand.assertion.at, hand.fixed
    target = next((one for one in spans_ if one.dst == dst and one.holds_at(at)), None)
    others = [one for one in spans_ if one is not target]
    if fixed.get("denied"):
        return others
    if target is None:
        target = Span(dst=dst, valid_from=at, valid_to=None, assertions=tuple(hand.assertions()))
    since = moment(fixed.get("since")) or target.valid_from
    until = moment(fixed["until"]) if "until" in fixed else target.valid_to
    if until is not None and until <= since:
        until = None
    kept = list[Span]()
    for one in others:
        apart = one.valid_from >= (until or _NEVER) or since >= (one.valid_to or _NEVER)
        if apart or (one.dst != dst and not single):
            kept.append(one)
        elif one.valid_from < since:
            kept.append(replace(one, valid_to=since))
        elif one.dst != dst and "until" not in fixed:
            until = one.valid_from
            kept.append(one)
    right = replace(target, valid_from=since, valid_to=until, key=hand.key, words=hand.words)
    return [*kept, right]


def _heard_spans(ordered: list[Assertion]) -> list[Span]:
    """The history that sources tell."""
    said_at = utterance_times(ordered)
    ordered.sort(key=lambda one: _order(one, said_at[voice(one)]))
    if any(one.single for one in ordered):
        return _history(ordered, said_at)
    by_end: dict[str, list[Assertion]] = {}
    for one in ordered:
        by_end.setdefault(one.dst, []).append(one)
    result = [span for group in by_end.values() for span in _history(group, said_at)]
    return sorted(result, key=lambda span: (span.valid_from, span.dst))


Voice = tuple[str, str, str, bool]


def voice(one: Assertion) -> Voice:
    """What the assertions that one sentence makes have in common: when it began, and that it was said."""
    return (one.source_key, one.dst, one.description, one.ended)


def utterance_times(assertions: Iterable[Assertion]) -> dict[Voice, datetime]:
    """When each was said. "I moved in March", said in June, is asserted of both: the last is the saying."""
    times: dict[Voice, datetime] = {}
    for one in assertions:
        times[voice(one)] = max(one.at, times.get(voice(one), one.at))
    return times


def recorded_by(assertions: Iterable[Assertion], known_at: datetime) -> list[Assertion]:
    """Those that had been recorded by then."""
    return [one for one in assertions if one.recorded_at <= known_at]


def spans_of_type(
    type_: str, hands: Iterable[Hand], asserted: Callable[[str, str | None], Iterable[Assertion]]
) -> list[Span]:
    """The history of one node, kind and type: a hand may have taken relationships of it to another type, or
    from there. `asserted` gives what sources assert of a type, of all other ends or of one."""
    hands = list(hands)
    own = [one for one in hands if one.assertion.relationship_type == type_]
    moved = [one.key for one in own if one.type != type_]
    told = [one for one in spans(asserted(type_, None), own) if one.key not in moved or not one.key]
    for hand in hands:
        was = hand.assertion.relationship_type
        if hand.type == type_ != was:
            here = spans(asserted(was, hand.assertion.dst), [hand])
            told += [one for one in here if one.key == hand.key]
    return told


def histories(
    assertions: Iterable[Assertion], hands: Sequence[Hand] = ()
) -> Iterator[tuple[Assertion, Span]]:
    """The spans of all these, whatever nodes, kinds and types they are of, as the user's hand has put them
    right; each with an assertion of its node, kind and type."""
    groups: dict[tuple[str, str, str], list[Assertion]] = {}
    for one in assertions:
        groups.setdefault((one.src, one.kind, one.relationship_type), []).append(one)
    examples = {place: group[0] for place, group in groups.items()}
    about: dict[tuple[str, str], list[Hand]] = {}
    for hand in hands:
        one = hand.assertion
        about.setdefault((one.src, one.kind), []).append(hand)
        for type_ in (one.relationship_type, hand.type):
            examples.setdefault((one.src, one.kind, type_), replace(one, relationship_type=type_))
    for (src, kind, type_), example in examples.items():

        def asserted(
            name: str, dst: str | None, src: str = src, kind: str = kind
        ) -> list[Assertion]:
            told = groups.get((src, kind, name), [])
            return [one for one in told if dst in (None, one.dst)]

        for span in spans_of_type(type_, about.get((src, kind), ()), asserted):
            yield example, span


def relationship(
    user_id: str, group: Assertion, span: Span, *, created_at: datetime, updated_at: datetime
) -> Relationship:
    """The relationship that held for this span; `group` is any assertion of the same node, kind and
    type. Equal spans have equal keys, whenever they are drawn; what a hand put right keeps its key."""
    natural = (
        group.kind,
        group.src,
        span.dst,
        group.relationship_type,
        span.valid_from.isoformat(),
    )
    return Relationship(
        key=span.key or key_for(user_id, "relationship", *natural),
        user_id=user_id,
        kind=group.kind,
        src=group.src,
        dst=span.dst,
        relationship_type=group.relationship_type,
        description=span.last.description,
        attitude=span.last.attitude,
        proximity=span.last.proximity,
        confidence=max((one.confidence for one in span.assertions if one.source_key), default=1.0),
        is_dirty=True,
        recorded_by=user_id,
        recorded_at=min(one.recorded_at for one in span.assertions),
        valid_from=span.valid_from,
        valid_to=span.valid_to,
        by_hand=span.words or None,
        created_at=created_at,
        updated_at=updated_at,
    )


def _order(
    assertion: Assertion, spoken: datetime
) -> tuple[datetime, bool, datetime, str, str, str]:
    """By time; an end before a beginning of the same moment (left one job, took the next), and what
    was said later after what it puts right."""
    begins = not assertion.ended
    return (
        assertion.at,
        begins,
        spoken,
        assertion.source_key,
        assertion.dst,
        assertion.description,
    )


def _history(assertions: Sequence[Assertion], said_at: Mapping[Voice, datetime]) -> list[Span]:
    closed: list[Span] = []
    current: Span | None = None
    begun: set[Voice] = set()
    over: dict[str, datetime] = {}  # by other end, when it was said that it had ended
    for assertion in assertions:
        is_echo = voice(assertion) in begun  # it began before: this is only where it was said
        begun.add(voice(assertion))
        if current is not None and assertion.dst == current.dst and not assertion.ended:
            current = replace(current, assertions=(*current.assertions, assertion))
            continue
        if is_echo or _is_overruled(assertion, current, over, said_at):
            continue
        if current is not None and (not assertion.ended or assertion.dst == current.dst):
            closed.append(replace(current, valid_to=assertion.at))
            over[current.dst] = said_at[voice(assertion)]
            current = None
        if not assertion.ended:
            current = Span(
                dst=assertion.dst, valid_from=assertion.at, valid_to=None, assertions=(assertion,)
            )
    if current is not None:
        closed.append(current)
    return [span for span in closed if span.valid_from != span.valid_to]


def _is_overruled(
    one: Assertion,
    current: Span | None,
    over: Mapping[str, datetime],
    spoken: Mapping[Voice, datetime],
) -> bool:
    """Whether somebody said later that it had ended before, or that it held all the while."""
    at = spoken[voice(one)]
    if not one.ended:
        return at < over.get(one.dst, at)
    if current is None or current.dst != one.dst:
        return False
    return at < max(spoken[voice(each)] for each in current.assertions)
