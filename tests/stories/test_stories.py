"""Storylines and macros over weeks: promotion, attachment, arcs, refresh, merges, rebuilding."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from storied import DAY, NIGHT, START, Life, a_mind

from remanent.clock import SteppedClock
from remanent.config import Config
from remanent.core.model.event import (
    MACRO_OPENED,
    STORYLINE_CLOSED,
    STORYLINE_OPENED,
    STORYLINE_RETOLD,
)
from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.mind_types import StoryText
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.sleep import SleepJob
from remanent.core.model.story import Storyline
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.memory import Memory
from remanent.stories import stories
from remanent.stories.rules import StoryRules
from remanent.stories.sources import attach_source
from remanent.stories.stories import apply
from remanent.testing import HashEmbedder

PROMOTE, REFRESH = SleepJob.PROMOTE, SleepJob.REFRESH
MACROS, REFRESH_MACROS = SleepJob.PROMOTE_MACROS, SleepJob.REFRESH_MACROS


def open_life(path: Path | str, rules: StoryRules | None = None, **mind: object) -> Life:
    clock = SteppedClock(START)
    config = Config(memory=str(path), story=rules or StoryRules())
    memory = Memory.open(config, clock=clock, mind=a_mind(**mind), embedder=HashEmbedder())
    return Life(memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo"), clock)


@pytest.fixture
def life() -> Iterator[Life]:
    lived = open_life(":memory:")
    yield lived
    lived.me.env.stores.close()


def kinds_of_events(life: Life) -> list[str]:
    told = life.me.env.ledger.replay(life.me.scope)
    return [one.event_type for one in told if one.event_type.startswith(("storyline", "macro"))]


# --- promotion -------------------------------------------------------------------------------


def test_a_project_of_five_days_gets_a_storyline(life: Life) -> None:
    keys = life.burst(range(4), "Kestrel")
    assert life.night(3)[PROMOTE].is_idle
    keys += life.burst([4], "Kestrel")

    rest = life.night(4)[PROMOTE]

    assert rest.counts == {"opened": 1}
    assert rest.changes[0].why == "mentioned in 5 sources on 5 days"
    (story,) = life.storylines("kestrel")
    assert story.name == "Kestrel – storyline"
    assert life.sources(story) == keys
    assert (story.source_count, story.started_at) == (5, START)
    assert story.last_source_at == START + 4 * DAY
    assert story.description == "@Kestrel on day 0. @Kestrel on day 4."
    assert (story.is_dirty, story.is_open, story.life.state) == (False, True, State.ACTIVE)
    anchor = life.anchor("Kestrel")
    assert anchor.has_meso
    assert story.life.salience == anchor.life.salience
    about = life.me.read(story.key).links
    assert {(one.kind, one.dst) for one in about if one.kind is LinkKind.ABOUT} == {
        (LinkKind.ABOUT, anchor.key)
    }


def test_chatter_is_never_promoted(life: Life) -> None:
    life.day(0, *[f"@Soup was {word}." for word in ("good", "bad", "hot", "cold", "late", "red")])
    life.day(1, "@Soup again.")
    for number in range(2, 32):
        life.day(number, f"@Thing{number} was seen.")
        assert life.night(number)[PROMOTE].is_idle
    assert life.storylines() == []


def test_an_archived_anchor_is_not_promoted(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    anchor = life.anchor("Kestrel")
    asleep = replace(anchor.life, state=State.ARCHIVED)
    life.me.env.graph.put(life.me.scope, replace(anchor, life=asleep))
    assert life.night(5)[PROMOTE].is_idle


def test_without_the_setting_what_is_said_makes_active() -> None:
    life = open_life(":memory:", StoryRules(active_from_days=0))
    life.burst(range(5), "Kestrel")  # each says more than two things of it (SPEC 12.12)
    assert life.anchor("Kestrel").life.state is State.ACTIVE
    assert life.night(5)[PROMOTE].counts == {"opened": 1}


def test_the_busiest_come_first_and_the_rest_another_night() -> None:
    life = open_life(":memory:", StoryRules(promote_most=2))
    for number, name in enumerate(("Ant", "Bee", "Cat", "Dog", "Elk")):
        for day in range(5 + number):
            life.day(day, f"@{name} on day {day}.")
    first = life.night(10, PROMOTE)[PROMOTE]
    assert [one.name for one in first.changes] == ["Elk – storyline", "Dog – storyline"]
    assert first.left == 3
    second = life.night(11, PROMOTE)[PROMOTE]
    assert [one.name for one in second.changes] == ["Cat – storyline", "Bee – storyline"]
    assert second.left == 1
    assert life.night(12, PROMOTE)[PROMOTE].left == 0
    assert life.night(13, PROMOTE)[PROMOTE].is_idle
    assert len(life.storylines()) == 5


def test_a_night_twice_finds_nothing_to_do(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.burst([7, 50, 51, 52, 53, 54], "Kestrel")
    for number in (6, 37, 56, 63):
        life.night(number)
        before = life.digest, kinds_of_events(life)
        assert all(rest.is_idle for rest in life.night(number).values())
        assert (life.digest, kinds_of_events(life)) == before


# --- attachment ------------------------------------------------------------------------------


def test_a_further_source_is_attached_when_it_is_read(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    (key,) = life.day(8, "@Kestrel goes on.")

    (story,) = life.storylines()
    assert key in life.sources(story)
    assert (story.source_count, story.is_dirty) == (6, True)
    assert story.last_source_at == START + 8 * DAY

    rest = life.night(8)[REFRESH]
    assert rest.counts == {"retold": 1}
    (story,) = life.storylines()
    assert not story.is_dirty
    assert story.description.endswith("@Kestrel goes on.")
    hit = life.me.search("Kestrel goes on", kinds=["storyline"])[0]
    assert hit.key == story.key


def test_reading_a_source_again_changes_nothing(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    (key,) = life.day(8, "@Kestrel goes on.")
    before = life.digest
    process_source(life.me.env, life.me.scope, key, again=True)
    extract_source(life.me.env, life.me.scope, key, again=True)
    with life.me.env.atomic():
        attach_source(life.me.env, life.me.scope, [key, key])
    assert life.digest == before


def test_a_source_that_no_longer_mentions_it_leaves_the_storyline(life: Life) -> None:
    keys = life.burst(range(6), "Kestrel")
    life.night(6)
    env, scope = life.me.env, life.me.scope
    silent = replace(env, mind=a_mind())
    silent.mind.candidates = {}  # type: ignore[attr-defined]
    extract_source(silent, scope, keys[-1], again=True)
    (story,) = life.storylines()
    assert life.sources(story) == keys[:-1]
    assert (story.source_count, story.last_source_at) == (5, START + 4 * DAY)
    for key in keys[:-1]:
        extract_source(silent, scope, key, again=True)
    assert life.storylines() == []
    assert life.me.search("Kestrel", kinds=["storyline"]) == []


def test_a_late_source_goes_where_its_time_is(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.burst(range(50, 55), "Kestrel")
    life.night(56)
    first, second = life.storylines()
    (early,) = life.day(60, "@Kestrel of old.", at=2.5)
    (late,) = life.day(60, "@Kestrel in the pause.", at=45)
    assert early in life.sources(life.storylines()[0])
    assert late in life.sources(life.storylines()[1])
    assert [one.key for one in life.storylines()] == [first.key, second.key]


# --- arcs ------------------------------------------------------------------------------------


def test_a_burst_a_pause_and_a_burst_make_two_arcs_and_a_macro(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    closed = opened = 0
    macros = 0
    for number in range(4, 70):
        if 44 <= number < 50:
            life.burst([number], "Kestrel")
        rests = life.night(number)
        closed += rests[PROMOTE].counts.get("closed", 0)
        opened += rests[PROMOTE].counts.get("opened", 0)
        macros += rests[MACROS].counts.get("opened", 0)
        if number == 43:
            (story,) = life.storylines()
            assert story.closed_at == START + 34 * DAY

    assert (opened, closed, macros) == (2, 1, 1)
    first, second = life.storylines()
    assert (first.source_count, second.source_count) == (5, 6)
    assert second.name == "Kestrel – storyline (from February 2026)"
    assert second.covers_from == first.closed_at
    assert second.is_open
    (macro,) = life.macros()
    assert macro.name == "Kestrel – macro"
    assert (macro.storyline_count, macro.total_source_count) == (2, 11)
    assert (macro.life.state, macro.life.ttl_policy) == (State.CORE, TtlPolicy.KEEP_FOREVER)
    assert (macro.started_at, macro.last_event_at) == (START, START + 49 * DAY)
    assert "@Kestrel on day 0." in macro.description
    assert "@Kestrel on day 49." in macro.description
    assert life.anchor("Kestrel").has_macro
    assert kinds_of_events(life).count(MACRO_OPENED) == 1


def test_arcs_come_out_the_same_whenever_the_nights_are() -> None:
    """Lived night by night, slept through for months, or all imported at the end."""
    days = [*range(5), 20, *range(60, 66), 90, *range(150, 156), 157]

    def spans(life: Life) -> list[tuple[int, object, object]]:
        return [(one.source_count, one.started_at, one.closed_at) for one in life.storylines()]

    nightly = open_life(":memory:")
    for number in range(160):
        nightly.burst([day for day in days if day == number], "Kestrel")
        nightly.night(number, PROMOTE, REFRESH)
    seldom = open_life(":memory:")
    for number in range(160):
        seldom.burst([day for day in days if day == number], "Kestrel")
        if number % 47 == 46 or number == 159:
            seldom.night(number, PROMOTE, REFRESH)
    imported = open_life(":memory:")
    for number, day in enumerate(reversed(days)):
        imported.day(158, f"@Kestrel on day {day}, told {number}.", at=day)
    imported.night(159, PROMOTE, REFRESH)

    assert len(spans(nightly)) == 3
    assert spans(seldom) == spans(nightly)
    assert spans(imported) == spans(nightly)


def test_an_archived_storyline_closes_and_the_next_one_counts_from_there(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    (story,) = life.storylines()
    asleep = replace(story, life=replace(story.life, state=State.ARCHIVED))
    life.me.env.graph.put(life.me.scope, asleep)
    rest = life.night(6)[PROMOTE]
    assert rest.counts == {"closed": 1}
    assert rest.changes[0].why == "it was archived"
    life.burst(range(7, 11), "Kestrel")
    assert life.night(10)[PROMOTE].is_idle
    life.burst([11], "Kestrel")
    assert life.night(11)[PROMOTE].counts == {"opened": 1}


def test_a_third_arc_joins_the_macro(life: Life) -> None:
    for start in (0, 50, 100):
        life.burst(range(start, start + 5), "Kestrel")
        life.night(start + 5)
    life.night(106)
    (macro,) = life.macros()
    assert (macro.storyline_count, macro.total_source_count) == (3, 15)
    assert not macro.is_dirty
    assert "@Kestrel on day 104." in macro.description
    life.day(107, "@Kestrel has news.")
    (macro,) = life.macros()
    assert (macro.total_source_count, macro.is_dirty) == (16, True)
    assert macro.last_event_at == START + 107 * DAY
    # The Sunday after the storyline itself was told anew, the macro tells of it.
    life.night(107)
    assert life.night(108)[REFRESH_MACROS].counts == {"retold": 1}
    assert "@Kestrel has news." in life.macros()[0].description


def test_macros_have_a_limit_too() -> None:
    life = open_life(":memory:", StoryRules(macros_most=1))
    for start in (0, 50):
        for day in range(start, start + 5):
            life.day(day, f"@Ant and @Bee on day {day}.")
        life.night(start + 5, PROMOTE)
    rest = life.night(56, MACROS)[MACROS]
    assert (rest.counts, rest.left) == ({"opened": 1}, 1)
    rest = life.night(57, MACROS)[MACROS]
    assert (rest.counts, rest.left) == ({"opened": 1}, 0)


# --- refresh ---------------------------------------------------------------------------------


def test_refresh_takes_the_largest_first_and_leaves_the_rest() -> None:
    life = open_life(":memory:", StoryRules(refresh_most=1))
    life.burst(range(5), "Ant")
    life.burst(range(6), "Bee")
    life.night(6, PROMOTE)
    life.day(7, "@Ant and @Bee.")
    rest = life.night(7, REFRESH)[REFRESH]
    assert [one.name for one in rest.changes] == ["Bee – storyline"]
    assert rest.left == 1
    assert life.night(8, REFRESH)[REFRESH].counts == {"retold": 1}
    assert life.night(9, REFRESH)[REFRESH].is_idle


def test_the_mind_gets_the_text_so_far_and_the_newest_sources() -> None:
    heard: list[StoryText] = []

    def tell(tale: StoryText) -> str:
        heard.append(tale)
        return f"Told {len(heard)}."

    life = open_life(":memory:", tales=tell)
    life.burst(range(15), "Kestrel")
    life.night(15, PROMOTE)
    life.day(16, "@Kestrel goes on.")
    life.night(16, REFRESH)
    first, second = heard
    assert (first.told, second.told) == ("", "Told 1.")
    assert (second.name, second.kind, second.fewest, second.most) == ("Kestrel", Kind.ENTITY, 2, 3)
    assert len(second.chapters) == 11
    days = [(one.at - START).days for one in second.chapters]
    assert days == [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16]
    assert str(second.chapters[0].at.tzinfo) == "Europe/Oslo"


def test_old_storylines_are_left_as_they_are(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    life.day(100, "@Kestrel of old.", at=3)
    (story,) = life.storylines()
    assert story.is_dirty
    assert life.night(100)[REFRESH].is_idle


# --- merging by hand -------------------------------------------------------------------------


def test_a_merge_hands_the_storyline_over(life: Life) -> None:
    keys = life.burst(range(5), "Kestrel")
    life.night(5)
    keys += life.day(6, "@Falcon is its new name.")
    (story,) = life.storylines()
    life.me.merge(life.anchor("Kestrel").key, life.anchor("Falcon").key)
    (moved,) = life.storylines("Falcon")
    assert moved.key == story.key
    assert life.sources(moved) == keys
    assert life.anchor("Falcon").has_meso
    assert not life.anchor("Kestrel").has_meso
    life.night(6)
    assert life.storylines()[0].name == "Falcon – storyline"


def test_two_storylines_become_one(life: Life) -> None:
    keys = life.burst(range(5), "Kestrel")
    others = life.burst([day + 0.1 for day in range(5, 10)], "Falcon")
    life.night(10)
    assert len(life.storylines()) == 2
    life.me.merge(life.anchor("Kestrel").key, life.anchor("Falcon").key)
    (story,) = life.storylines()
    assert story.anchor_key == life.anchor("Falcon").key
    assert life.sources(story) == keys + others
    assert story.source_count == 10

    life.me.split(life.anchor("Kestrel").key)
    (story,) = life.storylines()
    assert life.sources(story) == others
    life.night(11)
    assert [one.source_count for one in life.storylines("Kestrel")] == [5]


# --- killed, and lived through again -----------------------------------------------------------


@pytest.mark.parametrize("nth", [1, 2, 4, 7])
def test_killed_half_way_and_run_again_it_ends_where_it_would_have(
    tmp_path: Path, nth: int
) -> None:
    def lived(path: Path) -> Life:
        life = open_life(path)
        for name in ("Ant", "Bee", "Cat"):
            for day in (*range(5), *range(50, 55)):
                life.day(55, f"@{name} on day {day}.", at=day)
        return life

    whole, cut = lived(tmp_path / "whole.db"), lived(tmp_path / "cut.db")
    whole.night(56)
    whole.night(57)
    pid = os.fork()
    if pid == 0:  # the child: goes down while the n-th story is told
        told = [0]

        def tell(tale: StoryText) -> str:
            told[0] += 1
            if told[0] == nth:
                os.kill(os.getpid(), signal.SIGKILL)
            return whole.me.env.mind.tell(replace(tale))

        try:
            child = open_life(tmp_path / "cut.db", tales=tell)
            child.night(56)
            child.night(57)
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    cut.night(56, PROMOTE, REFRESH)  # the macros of that night had been done
    cut.night(57)
    assert len(cut.storylines()) == 6
    assert len(cut.macros()) == 3
    assert cut.digest == whole.digest
    assert all(rest.is_idle for rest in cut.night(57).values())


def test_the_ledger_and_the_sources_give_the_same_stories_again() -> None:
    """Replayed in order, whatever was accessed since: nothing looks at lives but the event."""
    life = open_life(":memory:")
    for number in range(70):
        if number < 5 or 10 < number < 14 or 50 <= number < 56:
            life.burst([number], "Kestrel")
        if number % 3 == 0:
            life.day(number, f"@Thing{number} was seen.")
        life.night(number)
    again = open_life(":memory:")
    env, scope = again.me.env, again.me.scope
    for event in life.me.env.ledger.replay(life.me.scope):
        again.clock.move_to(max(again.clock.now(), event.recorded_at))
        if event.event_type == "source.added":
            raw = life.me.env.ledger.raw(life.me.scope, event.payload["source_key"])
            assert raw is not None
            again.me.add(raw.content, started_at=event.occurred_at)
            again.me.work()
        stories.apply(env, scope, event)
        stories.apply(env, scope, event)

    assert kinds_of_events(life)[0] == STORYLINE_OPENED
    assert {STORYLINE_CLOSED, STORYLINE_RETOLD, MACRO_OPENED} <= set(kinds_of_events(life))
    told = [(one.key, one.name, one.description, one.closed_at, one.source_count, one.is_dirty) for one in life.storylines()]  # fmt: skip
    assert told == [(one.key, one.name, one.description, one.closed_at, one.source_count, one.is_dirty) for one in again.storylines()]  # fmt: skip
    assert [one.description for one in again.macros()] == [one.description for one in life.macros()]
    assert again.digest == life.digest


# --- the surface -----------------------------------------------------------------------------


def test_stories_are_listed_newest_first(life: Life) -> None:
    life.burst(range(5), "Ant")
    life.burst(range(6), "Bee")
    life.night(6)
    assert [one.name for one in life.me.stories()] == ["Bee – storyline", "Ant – storyline"]
    assert [one.name for one in life.me.stories(limit=1)] == ["Bee – storyline"]
    assert [one.name for one in life.me.stories(anchor="ant")] == ["Ant – storyline"]
    key = life.anchor("Ant").key
    assert [one.name for one in life.me.stories(anchor=key[:12])] == ["Ant – storyline"]
    assert life.me.stories(kind="macro") == []
    assert life.me.stories(state="archived") == []
    assert len(life.me.stories(state="active")) == 2
    for wrong in ({"kind": "person"}, {"kind": "x"}, {"state": "x"}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            life.me.stories(**wrong)
    with pytest.raises(UnknownKey):
        life.me.stories(anchor="nobody")
    with pytest.raises(InvalidInput):
        life.me.stories(anchor=life.storylines()[0].key)


def test_a_story_is_found_everywhere(life: Life) -> None:
    for start in (0, 50):
        life.burst(range(start, start + 5), "Kestrel")
        life.night(start + 5)
    life.night(56)
    first, second = life.storylines()
    (macro,) = life.macros()
    meso = life.me.explore("Kestrel on day", granularity=2)
    assert {one.storyline_id for one in meso.episodic.storylines} == {first.key, second.key}
    told = meso.episodic.storylines[0]
    assert told.anchor is not None
    assert told.anchor.name == "Kestrel"
    assert 2 <= len(told.preview_sources) <= 5
    for one in told.preview_sources:  # the way down to a source does not end where it has faded
        life.me.archive(one.entity_key)
    again = life.me.explore("Kestrel on day", granularity=2).episodic
    assert told.preview_sources in [one.preview_sources for one in again.storylines]
    faded = {one.entity_key for one in told.preview_sources}
    assert faded.isdisjoint(one.entity_key for one in again.sources)
    great = life.me.explore("Kestrel on day", granularity=3).episodic
    assert [one.macro_id for one in great.macros] == [macro.key]
    assert [one.storyline_id for one in great.macros[0].storylines] == [first.key, second.key]
    found = {hit.key for hit in life.me.search("Kestrel", kinds=["storyline", "macro"])}
    assert found == {first.key, second.key, macro.key}
    text = life.me.context("Thanks, that was all!", budget=2000).text
    opened = text.split("## Open storylines")[1].split("##")[0]
    assert f"- {second.name} (2026-02-24 to 2026-02-28): {second.description}" in opened
    assert "2026-01-05" not in opened  # the first one is over
    page = life.me.read(first.key)
    assert {one.kind for one in page.links} >= {LinkKind.INCLUDES, LinkKind.ABOUT}


def test_of_the_past_no_text_tells_of_later(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    then = life.clock.now() + timedelta(minutes=1)
    life.clock.move_to(then + timedelta(minutes=1))
    life.day(8, "@Kestrel was cancelled.")
    life.night(8)
    assert "cancelled" in life.storylines()[0].description
    for given in ({"as_of": then}, {"known_at": then}):
        shown = life.me.explore("Kestrel on day", granularity=2, **given)  # type: ignore[arg-type]
        assert "cancelled" not in "".join(one.description for one in shown.episodic.storylines)
        assert "cancelled" not in life.me.context("Kestrel", budget=2000, **given).text  # type: ignore[arg-type]
        hits = life.me.search("Kestrel cancelled", kinds=["storyline"], **given)  # type: ignore[arg-type]
        assert hits == []


def test_sleep_runs_the_jobs_of_stories(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.clock.move_to(START + 5 * DAY + NIGHT)
    tried = life.me.sleep(dry_run=True, only=["promote"])
    assert life.storylines() == []
    assert kinds_of_events(life) == []
    done = life.me.sleep(only=["promote"])
    assert len(life.storylines()) == 1
    assert [one.counts for one in tried.outcomes] == [one.counts for one in done.outcomes]


def test_a_storyline_is_a_node_of_its_users_alone(life: Life) -> None:
    life.burst(range(5), "Kestrel")
    life.night(5)
    other = Memory(life.me.env).user("eve")
    assert other.stories() == []
    assert isinstance(life.storylines()[0], Storyline)


def test_a_source_read_late_ends_up_where_an_early_reading_puts_it() -> None:
    """What the queue had not done by the night is done before it when the ledger is replayed."""
    life, again = open_life(":memory:"), open_life(":memory:")
    texts = [f"@Kestrel on day {day}." for day in (*range(5), 6)]
    for day, text in zip((*range(5), 6), texts, strict=True):
        life.clock.move_to(START + day * DAY)
        life.me.add(text, started_at=START + day * DAY)
        if day < 6:
            life.me.work()
    life.night(6)
    assert life.storylines()[0].source_count == 5
    life.me.work()
    assert life.storylines()[0].source_count == 6
    for event in life.me.env.ledger.replay(life.me.scope):
        again.clock.move_to(max(again.clock.now(), event.recorded_at))
        if event.event_type == "source.added":
            again.me.add(texts.pop(0), started_at=event.occurred_at)
            again.me.work()
        apply(again.me.env, again.me.scope, event)
    assert again.storylines()[0].is_dirty
    assert again.digest == life.digest


def test_chat_threads_count_for_less_where_weights_are_on() -> None:
    life = open_life(":memory:", StoryRules(use_weights=1))
    for day in range(5):
        life.day(day, f"Ada: @Kestrel on day {day}.", type="slack-thread")
        life.day(day, f"@Falcon on day {day}.")
    rest = life.night(5)[PROMOTE]
    assert [one.name for one in rest.changes] == ["Falcon – storyline"]
