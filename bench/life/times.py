"""Point in time: is the answer exact now, as of a day, and as known on a day; what was superseded rightly?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bench.frame import Row
from bench.life.reading import EDGE_KINDS, Reader
from bench.life.talk import question
from bench.life.world import DAY, START, Slot, Telling

MOMENTS = 12
SEARCHED = 25
TakenIn = dict[tuple[str, str], list[tuple[datetime, datetime]]]
NOW, AS_OF, AS_KNOWN, BOTH = (
    "now",
    "as of a day",
    "as known on a day",
    "as of a day, as known later",
)


@dataclass(slots=True)
class Tally:
    """Answers by how good they were. `unread`: of all that had told the value, or one of several values,
    for that point in time, nothing was taken in by a belief or relationship."""

    asked: int = 0
    exact: int = 0
    beside: int = 0  # all that is right, and another value with it
    other: int = 0  # another value, and not all that is right
    silent: int = 0  # what was taken in is not given, or not all of it
    unread: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def taken_in(self) -> int:
        return self.asked - self.unread


def measure_times(reader: Reader) -> Iterator[Row]:
    """Exactness by way of asking, for all slots and for those that are relationships; then the leaks."""
    taken_in = _taken_in(reader)
    tallies: dict[str, Tally] = {way: Tally() for way in (NOW, AS_OF, AS_KNOWN, BOTH)}
    narrow: dict[str, Tally] = {way: Tally() for way in tallies}
    leaks: list[str] = []
    for way, as_of, known_at in _points(reader):
        given = reader.answers(as_of=as_of, known_at=known_at)
        if known_at is not None:
            leaks += _leaks(reader, given, known_at)
            leaks += _found_leaks(reader, known_at)
        for slot in reader.slots.values():
            _count(reader, slot, (as_of, known_at), given, taken_in, tallies[way])
            if slot.kind in EDGE_KINDS:
                _count(reader, slot, (as_of, known_at), given, taken_in, narrow[way])
    yield from _exactness(tallies, "all kinds of facts")
    yield from _exactness(narrow, "home, employer, partner")
    yield Row(
        what="values and sources learned after t given for 'as known at t'",
        value=len(leaks),
        unit="leaks",
        aim="none",
        met=not leaks,
    )


def _exactness(tallies: Mapping[str, Tally], which: str) -> Iterator[Row]:
    for way, tally in tallies.items():
        aim = "" if way == NOW else ">= 95 %"
        share = 100 * tally.exact / max(1, tally.taken_in)
        yield Row(
            what=f"exact, {way}, {which}: of {tally.taken_in} taken in",
            value=share,
            unit="%",
            aim=aim,
            met=share >= 95 if aim else None,
        )
        yield Row(
            what=f"exact, {way}, {which}: of all {tally.asked} asked",
            value=100 * tally.exact / max(1, tally.asked),
            unit="%",
        )
        yield Row(
            what=f"{way}, {which}: never taken in / silent / another value / another beside it",
            value=tally.unread,
            unit=f"/ {tally.silent} / {tally.other} / {tally.beside}",
        )


def _points(reader: Reader) -> Iterator[tuple[str, datetime | None, datetime | None]]:
    """Days drawn from the year, the first month aside; nights are over and the day has not begun."""
    world = reader.year.world
    dice = random.Random(f"points {world.seed}")
    days = [START + dice.randrange(30, world.days) * DAY for _ in range(MOMENTS)]
    yield NOW, None, None
    for day in days:
        yield AS_OF, day, None
        yield AS_KNOWN, day, day
    for first, second in zip(days[::2], days[1::2], strict=False):
        yield BOTH, min(first, second), max(first, second)


def _count(
    reader: Reader,
    slot: Slot,
    point: tuple[datetime | None, datetime | None],
    given: Mapping[str, set[str]],
    taken_in: TakenIn,
    tally: Tally,
) -> None:
    end = reader.year.end
    as_of, known_at = point[0] or end, point[1] or end
    values, vague = reader.year.world.knowable(slot, as_of, known_at)
    if not values or vague:
        return
    tally.asked += 1
    answer = given.get(slot.id, set())
    for value in values:
        times = taken_in.get((slot.id, value), ())
        if not any(since <= as_of and at <= known_at for since, at in times):
            tally.unread += 1
            return
    if answer == values:
        tally.exact += 1
        return
    if answer > values:
        tally.beside += 1
    elif answer - values:
        tally.other += 1
    else:
        tally.silent += 1
    tally.examples.append(f"{slot.id}: {sorted(values)} expected {point}, given {sorted(answer)}")


def _taken_in(reader: Reader) -> TakenIn:
    """For each slot and value, from when on and since when known by the tellings that were taken in:
    some belief of any status rests on them. A relationship of any time counts for all its tellings."""
    taken_in: TakenIn = {}
    for held in reader.all_held():
        for one in held.tellings:
            taken_in.setdefault((one.slot.id, one.value), []).append(_when(one))
    for slot_value in reader.edges(history=True):
        tellings = reader.year.world.of(reader.slots[slot_value[0]])
        taken_in[slot_value] = [_when(one) for one in tellings if one.value == slot_value[1]]
    return taken_in


def _when(telling: Telling) -> tuple[datetime, datetime]:
    return telling.since or telling.at, telling.recorded_at


def _leaks(reader: Reader, given: Mapping[str, set[str]], known_at: datetime) -> list[str]:
    return [
        f"{slot} = {value} as known at {known_at:%d %b}"
        for slot, values in given.items()
        for value in values
        if reader.first_known[slot, value] > known_at
    ]


def _found_leaks(reader: Reader, known_at: datetime) -> list[str]:
    """Sources that came after `known_at` among the hits of a search as known then."""
    world = reader.year.world
    dice = random.Random(f"leaks {world.seed} {known_at}")
    late = {
        reader.year.keys[one.id]
        for one in reader.year.pieces
        if one.id in reader.year.keys and one.added_at > known_at
    }
    leaks = []
    for slot in dice.sample(world.slots, min(SEARCHED, len(world.slots))):
        words = question(world, slot)
        hits = reader.user.search(words, known_at=known_at, touch=False)
        leaks += [f"{words} {one.key}" for one in hits if one.source_key in late]
    return leaks


def measure_supersession(reader: Reader) -> Iterator[Row]:
    """Of values that no longer hold, how many are given up; of those that do, how many wrongly so."""
    world = reader.year.world
    held = reader.all_held()
    standing = {(slot, value) for slot, values in reader.answers().items() for value in values}
    everything = {slot_value for one in held for slot_value in one.says} | reader.edges(
        history=True
    )
    ends = Counter((one.status, slot_value) for one in held for slot_value in one.says)
    over = [
        slot_value
        for slot_value in everything
        if slot_value[1] not in world.current(reader.slots[slot_value[0]])
    ]
    valid = [
        slot_value
        for slot_value in everything
        if slot_value[1] in world.current(reader.slots[slot_value[0]])
    ]
    gone = [slot_value for slot_value in valid if slot_value not in standing]
    # What is active and yet not given is marked as superseded.
    wrongly = [
        slot_value
        for slot_value in gone
        if ends["invalidated", slot_value] or ends["active", slot_value]
    ]
    right = sum(slot_value not in standing for slot_value in over)
    yield Row(
        what=f"of {len(over)} superseded values that were taken in, no longer standing",
        value=100 * right / max(1, len(over)),
        unit="%",
    )
    yield Row(what=f"of {len(valid)} still valid values taken in, superseded", value=len(wrongly))
    yield Row(what="still valid values faded, pruned or forgotten", value=len(gone) - len(wrongly))
