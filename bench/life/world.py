"""The ground truth of a made-up year: who there is, what is so from when on, and when it is told.

What a memory can know is what it was told, so truth here is `World.knowable`: the value that follows
from the tellings recorded by some moment, with the dates that they give.

Truth must ask for nothing that was not said. Until 2026-11-15 it did: a hobby, a course, a dog or a car
taken up without a word on the one before counted as the end of that one. Now the words of a change say
that the old value is over, or somebody has both: see SEVERAL, `wordings`, and docs/benchmarks.md for what
that did to the figures. Of two people with one first name, what is told is told under the full name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bench.life import values
from bench.life.wordings import FACTS

START = datetime(2025, 1, 1, tzinfo=UTC)
OWNER = "owner"
OWNER_NAME = "Ada Lindqvist"
DAY = timedelta(days=1)
OWNER_KINDS = [
    "home",
    "employer",
    "role",
    "phone",
    "car",
    "dish",
    "hobby",
    "drink",
    "birthday",
    "allergy",
    "dentist",
    "bank",
    "gym",
    "course",
    "pet",
    "partner",
]
PERSON_KINDS = [
    "home",
    "employer",
    "role",
    "car",
    "pet",
    "partner",
    "dish",
    "hobby",
    "birthday",
    "allergy",
    "course",
    "phone",
]
PROJECT_KINDS = ["lead", "status", "deadline", "tool", "client"]
CHANGES_A_YEAR = {  # how often somebody's changes; the owner's twice as often
    "home": 1.0, "employer": 0.9, "role": 0.6, "phone": 0.4, "car": 0.5, "pet": 0.2, "partner": 0.4,
    "dish": 0.6, "hobby": 0.7, "drink": 0.8, "dentist": 0.6, "bank": 0.8, "gym": 1.0, "course": 0.8,
    "lead": 0.7, "status": 3.0, "deadline": 1.5, "tool": 0.5,
}  # fmt: skip
SEVERAL = frozenset({"pet", "hobby", "course"})
"""Kinds of which one may have more than one: each holds until it is said to be over."""
LATE_SHARE = 0.35
FIX_SHARE = 0.08
LATE_IMPORT_SHARE = 0.03
SMALL = 0.3  # a world less busy than this has fewer questions


@dataclass(slots=True)
class Person:
    """`names` are full names, each from a day on; `nick` is a short form that people use."""

    id: str
    first: str
    names: list[tuple[int, str]]
    male: bool
    circle: str  # work, family or friends
    nick: str = ""

    def name_on(self, day: int) -> str:
        return [name for since, name in self.names if since <= day][-1]


@dataclass(slots=True)
class Project:
    id: str
    name: str
    bursts: list[tuple[int, int]]  # first and last day
    crew: list[str]


@dataclass(slots=True)
class Slot:
    """One question, with one answer at a time but for kinds of which one may have several."""

    id: str
    kind: str
    subject: str
    weight: float
    is_project: bool = False


@dataclass(slots=True)
class Telling:
    """A value told on a day; `since` is the date it gives, good to a month where `to_month`.

    `how` is state, change, late or fix; `at` and `recorded_at` are filled in with the source, and so is
    `names_previous`: whether its words say that the value before is over.
    """

    slot: Slot
    value: str
    previous: str
    day: int
    how: str
    since: datetime | None = None
    to_month: bool = False
    at: datetime = START
    recorded_at: datetime = START
    source: str = ""
    sentence: str = ""
    names_previous: bool = False


@dataclass(slots=True)
class World:
    seed: int
    days: int
    busy: float = 1.0  # less than 1: less is repeated
    people: dict[str, Person] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)
    tellings: list[Telling] = field(default_factory=list)

    def of(self, slot: Slot) -> list[Telling]:
        return [one for one in self.tellings if one.slot is slot]

    def knowable(
        self, slot: Slot, as_of: datetime, known_at: datetime
    ) -> tuple[frozenset[str], bool]:
        """The values told for `as_of` by `known_at`, and whether the tellings are too coarse to say."""
        tellings = [one for one in self.of(slot) if one.recorded_at <= known_at]
        tellings.sort(key=lambda one: (one.at, one.recorded_at))
        begins = [one.since or one.at for one in tellings]
        vague = any(
            one.to_month and begin <= as_of < begin + 31 * DAY
            for one, begin in zip(tellings, begins, strict=True)
        )
        held = (
            _value_set(tellings, as_of) if slot.kind in SEVERAL else _single_value(tellings, as_of)
        )
        return held, vague

    def current(self, slot: Slot) -> frozenset[str]:
        end = START + (self.days + 1) * DAY
        return self.knowable(slot, end, end)[0]


def _single_value(tellings: Sequence[Telling], as_of: datetime) -> frozenset[str]:
    """Each value until the next, and what was put right from where the error began."""
    spans: list[tuple[datetime, str]] = []
    for one in tellings:
        if one.how == "fix" and spans:
            spans[-1] = (spans[-1][0], one.value)
        elif not spans or spans[-1][1] != one.value:
            spans.append((one.since or one.at, one.value))
    return frozenset([value for begins, value in spans if begins <= as_of][-1:])


def _value_set(tellings: Sequence[Telling], as_of: datetime) -> frozenset[str]:
    """Each value until one of the tellings says that it is over."""
    held: set[str] = set()
    for one in tellings:
        if (one.since or one.at) <= as_of:
            held.add(one.value)
            if one.names_previous:
                held.discard(one.previous)
    return frozenset(held)


def make_world(seed: int, days: int, sources: int) -> World:
    """People, projects and all that is told of them; the same for the same arguments."""
    dice = random.Random(f"world {seed} {days} {sources}")
    world = World(seed=seed, days=days, busy=min(1.0, sources / 1000))
    _people(world, dice, max(6, min(44, sources // 50)))
    _projects(world, dice, max(2, min(len(values.PROJECTS), sources // 180)))
    _slots(world, dice)
    for slot in world.slots:
        world.tellings += _slot_tellings(world, slot, dice)
    return world


def _people(world: World, dice: random.Random, count: int) -> None:
    women, men, last = (list(names) for names in (values.WOMEN, values.MEN, values.LAST))
    for names in (women, men, last):
        dice.shuffle(names)
    circles = ("work", "friends", "family")

    def add(first: str, male: bool, circle: str, nick: str = "") -> Person:
        name = f"{first} {last.pop()}"
        person = Person(f"p{len(world.people)}", first, [(0, name)], male, circle, nick)
        world.people[person.id] = person
        return person

    add("Anna", False, "work")
    add("Anna", False, "friends")
    for first, nick, male in values.NICKNAMED[: max(1, count // 8)]:
        add(first, male, dice.choice(circles), nick)
    for place in range(max(1, count // 15)):
        person = add(women.pop(), False, "friends")
        married = f"{person.first} {values.MARRIED_LAST[place]}"
        person.names.append((dice.randrange(world.days // 3, 2 * world.days // 3), married))
    while len(world.people) < count:
        male = dice.random() < 0.5
        add((men if male else women).pop(), male, dice.choice(circles))


def _projects(world: World, dice: random.Random, count: int) -> None:
    able = [one for one in world.people.values() if one.first != "Anna" and len(one.names) == 1]
    work = [one.id for one in able if one.circle == "work"]
    work += [one.id for one in able if one.circle != "work"][: max(0, 4 - len(work))]
    for place, name in enumerate(values.PROJECTS[:count]):
        length = dice.randrange(18, 36)
        begin = dice.randrange(3, max(4, world.days - 160))
        bursts = [(begin, begin + length)]
        if place % 2 == 0:  # after a long pause it goes on
            again = begin + length + dice.randrange(45, 80)
            bursts.append((again, min(world.days - 8, again + dice.randrange(18, 30))))
        crew = dice.sample(work, min(len(work), 4))
        world.projects[f"j{place}"] = Project(f"j{place}", name, bursts, crew)


def _slots(world: World, dice: random.Random) -> None:
    small = world.busy < SMALL
    for kind in OWNER_KINDS[: 8 if small else None]:
        world.slots.append(Slot(f"{OWNER}.{kind}", kind, OWNER, 3.0))
    for person in world.people.values():
        for kind in dice.sample(PERSON_KINDS, 2 if small else dice.randrange(3, 7)):
            weight = 0.4 + dice.random() ** 2 * 1.6
            world.slots.append(Slot(f"{person.id}.{kind}", kind, person.id, weight))
    for project in world.projects.values():
        for kind in PROJECT_KINDS:
            world.slots.append(Slot(f"{project.id}.{kind}", kind, project.id, 1.5, is_project=True))


def _slot_tellings(world: World, slot: Slot, dice: random.Random) -> Iterator[Telling]:
    """What is told of it; of a project, only on days on which somebody works on it."""
    if not slot.is_project:
        yield from _telling_sequence(world, slot, dice, world.days - 1)
        return
    bursts = world.projects[slot.subject].bursts
    days = [day for first, last in bursts for day in range(first, last + 1)]
    for one in _telling_sequence(world, slot, dice, len(days) - 1):
        one.day = days[one.day]
        yield one


def _telling_sequence(world: World, slot: Slot, dice: random.Random, end: int) -> Iterator[Telling]:
    """The first word on it, then changes as they come, told soon or late, and reminders in between."""
    first = dice.randrange(max(2, end // (4 if slot.is_project else 2)))
    value = _value(world, slot, dice, ())
    used = [value]
    words = FACTS[slot.kind]
    yield Telling(slot, value, "", first, "state")
    if words.fix and dice.random() < FIX_SHARE and first + 40 < end:
        right = _value(world, slot, dice, used)
        used.append(right)
        first += dice.randrange(5, 30)
        yield Telling(slot, right, value, first, "fix")
        value = right
    last_day = first
    for change in _change_days(slot, dice, first, end) if words.change else ():
        yield from _reminders(world, slot, value, dice, last_day, change)
        new = _value(world, slot, dice, used)
        used.append(new)
        late = bool(words.late) and not slot.is_project and dice.random() < LATE_SHARE
        last_day = change + dice.randrange(25, 80) if late else change + dice.randrange(2)
        if last_day > end:
            return
        yield _change(slot, new, value, change, last_day)
        value = new
    yield from _reminders(world, slot, value, dice, last_day, end)


def _change(slot: Slot, new: str, old: str, change: int, told_on: int) -> Telling:
    when = START + change * DAY
    if told_on <= change + 1:
        return Telling(slot, new, old, told_on, "change")
    to_month = when.month != (START + told_on * DAY).month and change % 3 != 0
    since = when.replace(day=1) if to_month else when
    return Telling(slot, new, old, told_on, "late", since, to_month)


def _change_days(slot: Slot, dice: random.Random, first: int, end: int) -> list[int]:
    a_year = CHANGES_A_YEAR.get(slot.kind, 0.0) * (2 if slot.subject == OWNER else 1)
    if slot.is_project:
        a_year *= 365 / max(30, end - first)
    expected = a_year * (end - first) / 365
    count = int(expected) + (dice.random() < expected % 1)
    days = sorted(dice.randrange(first + 8, end) for _ in range(count) if first + 8 < end)
    apart = 12 if slot.is_project else 85
    kept: list[int] = []
    for day in days:
        if not kept or day - kept[-1] >= apart:
            kept.append(day)
    return kept


def _reminders(
    world: World, slot: Slot, value: str, dice: random.Random, since: int, until: int
) -> Iterator[Telling]:
    expected = world.busy * slot.weight * 1.6 * (until - since) / (90 if slot.is_project else 365)
    count = int(expected) + (dice.random() < expected % 1)
    for day in sorted(dice.randrange(since + 1, until) for _ in range(count) if since + 1 < until):
        yield Telling(slot, value, "", day, "state")


def _value(world: World, slot: Slot, dice: random.Random, used: Sequence[str]) -> str:
    def draw_value() -> str:
        match slot.kind:
            case "phone":
                return f"{dice.randrange(400, 999)} {dice.randrange(10, 99)} {dice.randrange(100, 999)}"
            case "birthday" | "deadline":
                return f"{dice.randrange(1, 29)} {dice.choice(values.MONTHS)}"
            case "partner":
                return dice.choice(values.PARTNERS)
            case "lead":
                return world.people[dice.choice(world.projects[slot.subject].crew)].names[0][1]
            case kind:
                return dice.choice(values.VALUES[kind])

    for _ in range(200):
        value = draw_value()
        if value not in used:
            return value
    raise ValueError(f"no more values for {slot.id}")
