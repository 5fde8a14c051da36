"""What is told late holds from when it began, what puts something right holds from where that began; and
neither is known before it is told."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import Support
from remanent.core.model.codec import from_record, to_record
from remanent.core.model.mind_types import BeliefDraft, Extraction, Judgement, RelationDraft
from remanent.core.model.page import Outcome
from remanent.core.records.admin import Level
from remanent.testing import HashEmbedder, ScriptedMind

DAY = timedelta(days=1)
JANUARY = datetime(2026, 1, 10, 9, tzinfo=UTC)
APRIL = datetime(2026, 4, 15, 9, tzinfo=UTC)
JUNE = datetime(2026, 6, 20, 9, tzinfo=UTC)
OSLO = "Ada Lind lives in Oslo."


def opened(clock: SteppedClock) -> Memory:
    """With the offline mind, which reads homes and contradictions."""
    return Memory.open(":memory:", clock=clock)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(JANUARY)


def tell(user: UserMemory, text: str, at: datetime) -> str:
    key = user.add(text, started_at=at)
    user.work()
    return key


def homes(user: UserMemory, **when: Any) -> set[str]:
    """Where the owner lives, by relationships."""
    names = {one.key: one.name for one in user.anchors(include_archived=True)}
    me = next(one.key for one in user.anchors("person") if getattr(one, "is_owner", False))
    related = user.relationships(me, **when)
    return {names[one.dst] for one in related if one.relationship_type == "home"}


def held(user: UserMemory, **when: Any) -> set[str]:
    places = ("Oslo", "Bergen")
    said = [one.statement for one in user.beliefs(**when)]
    return {place for place in places for text in said if place in text}


def test_a_clock_that_is_behind_makes_nothing_older(tmp_path: Path) -> None:
    later = JANUARY + 30 * DAY
    with Memory.open(tmp_path / "memory.db", clock=SteppedClock(later)) as memory:
        memory.user("ada", name="Ada Lind").remember("I live in Oslo.")
    with Memory.open(tmp_path / "memory.db", clock=SteppedClock(JANUARY)) as memory:
        ada = memory.user("ada")
        for place in ("Bergen", "Hamar"):
            settled = ada.remember(f"I live in {place} now.")
            assert settled.outcome is Outcome.INVALIDATED
            assert [one.statement for one in ada.beliefs()] == [f"I live in {place} now."]
            assert settled.belief.since == later
        dated = ada.remember("I live in Moss.", at=JANUARY - 9 * DAY)
        assert dated.outcome is Outcome.PREDATED
        (line,) = [one for one in memory.doctor().findings if one.part == "clock"]
        assert line.level is Level.FAIL
        assert "2026-02-09" in line.told
        assert memory.rebuild().comparison.is_same


def test_what_moved_from_a_day_to_another_begins_at_neither(tmp_path: Path) -> None:
    said = datetime(2024, 6, 3, 9, tzinfo=UTC)
    moved = "The go-live of Heron moved from 15 November to 6 December."
    mind = ScriptedMind(drafts={moved: [BeliefDraft(statement=moved, subject="Heron")]})
    doubles = {"mind": mind, "embedder": HashEmbedder()}
    with Memory.open(tmp_path / "m.db", clock=SteppedClock(JANUARY), **doubles) as memory:
        ada = memory.user("ada", name="Ada Lind")
        tell(ada, moved, said)
        (belief,) = ada.beliefs(as_of=datetime(2024, 7, 1, tzinfo=UTC))
        assert belief.since is None or belief.since == said


def test_a_move_told_in_june_was_in_march(clock: SteppedClock) -> None:
    with opened(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        tell(ada, "I live in Oslo. Oslo is grey. Oslo has a new library.", JANUARY)
        clock.advance(JUNE - JANUARY)
        tell(
            ada,
            "I moved to Bergen in March. We found a flat in Bergen. The rain in Bergen never stops.",
            JUNE,
        )

        assert homes(ada) == {"Bergen"}
        assert homes(ada, as_of=APRIL) == {"Bergen"}
        assert homes(ada, as_of=JANUARY + 20 * DAY) == {"Oslo"}
        assert homes(ada, known_at=APRIL) == {"Oslo"}
        assert homes(ada, as_of=APRIL, known_at=APRIL) == {"Oslo"}
        assert homes(ada, as_of=APRIL, known_at=JUNE + DAY) == {"Bergen"}
        began = [one.since for one in ada.beliefs() if "Bergen" in one.statement]
        assert datetime(2026, 3, 1, tzinfo=UTC) in began
        assert "Bergen" in held(ada, as_of=APRIL)
        assert "Bergen" not in held(ada, as_of=APRIL, known_at=APRIL)
        assert "Bergen" not in held(ada, known_at=APRIL)


TOLD = (
    ("I live in Oslo. Oslo is grey. Oslo has a new library.", JANUARY),
    ("I live in Oslo. Oslo is cold. Oslo has trams.", APRIL),  # had not heard, or did not say
    (
        "I moved to Bergen in March. We found a flat in Bergen. The rain in Bergen never stops.",
        JUNE,
    ),
)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_in_whatever_order_they_come(order: tuple[int, ...], clock: SteppedClock) -> None:
    clock.advance(JUNE - JANUARY)
    with opened(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        for place in order:
            tell(ada, *TOLD[place])
            clock.advance(DAY)
        me = next(one.key for one in ada.anchors("person") if getattr(one, "is_owner", False))
        names = {one.key: one.name for one in ada.anchors(include_archived=True)}
        found = [
            (names[one.dst], one.valid_from, one.valid_to)
            for one in ada.relationships(me, history=True)
            if one.relationship_type == "home"
        ]
        march = datetime(2026, 3, 1, tzinfo=UTC)
        assert sorted(found) == [("Bergen", march, None), ("Oslo", JANUARY, march)]


def judged(one: str, other: str) -> Judgement:
    if one == other:
        return Judgement.SAME
    return Judgement.CONTRADICTS


def remembering(clock: SteppedClock) -> Memory:
    mind = ScriptedMind(judgements=judged)
    return Memory.open(":memory:", clock=clock, embedder=HashEmbedder(), mind=mind)


def test_a_belief_ends_when_the_new_one_began(clock: SteppedClock) -> None:
    with remembering(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        ada.remember(OSLO)
        clock.advance(JUNE - JANUARY)
        ada.remember("Ada Lind lives in Bergen since March.")

        old = next(one for one in ada.beliefs(as_of=JANUARY + DAY))
        assert old.statement == OSLO
        assert old.until == datetime(2026, 3, 1, tzinfo=UTC)
        assert held(ada, as_of=APRIL) == {"Bergen"}
        assert held(ada, as_of=APRIL, known_at=APRIL) == {"Oslo"}
        assert held(ada, known_at=APRIL) == {"Oslo"}


def test_a_correction_holds_from_where_the_corrected_began(clock: SteppedClock) -> None:
    with remembering(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        ada.remember(OSLO)
        clock.advance(JUNE - JANUARY)
        ada.remember("Actually Ada Lind lives in Bergen, not Oslo")

        then = [one.statement for one in ada.beliefs(as_of=APRIL)]
        assert then == ["Actually Ada Lind lives in Bergen, not Oslo"]
        assert [one.statement for one in ada.beliefs(as_of=APRIL, known_at=APRIL)] == [OSLO]
        assert ada.beliefs(as_of=JANUARY - DAY) == []


def test_a_corrected_relationship_never_held(clock: SteppedClock) -> None:
    with opened(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        tell(ada, "I live in Oslo. Oslo is grey. Oslo has a new library.", JANUARY)
        clock.advance(JUNE - JANUARY)
        text = "I got that wrong: I live in Bergen, not in Oslo. We found a flat in Bergen. The rain in Bergen never stops."
        tell(ada, text, JUNE)

        assert homes(ada) == {"Bergen"}
        assert homes(ada, as_of=APRIL) == {"Bergen"}
        assert homes(ada, known_at=APRIL) == {"Oslo"}


def test_reading_it_again_changes_nothing(clock: SteppedClock) -> None:
    with opened(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        clock.advance(JUNE - JANUARY)
        for text, at in TOLD:
            tell(ada, text, at)
        before = homes(ada), homes(ada, as_of=APRIL), held(ada, as_of=APRIL)
        tell(ada, *TOLD[2])
        assert (homes(ada), homes(ada, as_of=APRIL), held(ada, as_of=APRIL)) == before


def test_a_beginning_survives_export(clock: SteppedClock) -> None:
    lines = io.StringIO()
    with remembering(clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        ada.remember("Ada Lind lives in Bergen since March 2025.")
        ada.export_beliefs(lines)
    lines.seek(0)
    with remembering(clock) as memory:
        other = memory.user("ada", name="Ada Lind")
        other.import_beliefs(lines)
        (belief,) = other.beliefs()
        assert belief.since == datetime(2025, 3, 1, tzinfo=UTC)
        assert belief.supports[0].since == belief.since


def test_records_from_before_there_were_dates_load() -> None:
    edge = RelationDraft(src="a", dst="b", relationship_type="home", description="x")
    extraction = Extraction(source_key="s", mind="m", beliefs=(BeliefDraft(statement="x"),))
    for one in (edge, BeliefDraft(statement="x"), Support(event_id="e", statement="s", at=JUNE)):
        old = dict(to_record(one))
        old.pop("since", None)
        old.pop("corrects", None)
        assert from_record(type(one), old) == one
    assert from_record(Extraction, to_record(extraction)) == extraction


def test_a_hit_does_not_name_a_source_that_came_later(clock: SteppedClock) -> None:
    with opened(clock) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        first = tell(
            ada,
            "My friend Laura Murphy helped me with the shelves. Laura says hi. Laura brought cinnamon buns.",
            JANUARY,
        )
        clock.advance(60 * DAY)
        tell(
            ada,
            "My friend Laura Murphy helped me with the new boat. Laura is tired. Laura lent me a book.",
            clock.now(),
        )
        then = JANUARY + 30 * DAY
        hits = ada.search("Who helped me?", known_at=then, touch=False)
        told = [one for one in hits if one.kind.value == "relationship"]
        assert [one.source_key for one in told] == [first]
        assert {one.source_key for one in hits} <= {first, None}
        now = ada.search("Who helped me?", touch=False)
        assert any(one.source_key not in (first, None) for one in now)
