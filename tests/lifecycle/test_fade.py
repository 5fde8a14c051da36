"""The night's fading, what a limit puts away, and what is done about a life by hand."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kept import events, state

from remanent import Config, Memory, SteppedClock, UserMemory
from remanent.core.lifecycle import LifecycleRules, faded
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Authority, ChangeKind
from remanent.core.model.event import MEMORY_ARCHIVED, MEMORY_PINNED, MEMORY_RESTORED
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.core.model.source import ProcessingStatus
from remanent.core.ports.graph import Nodes
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent.lifecycle import archive, pin
from remanent.lifecycle.archive import apply
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import (
    a_belief,
    a_link,
    a_person,
    a_relationship,
    a_source,
    digest,
)

DAY = timedelta(days=1)
START = datetime(2026, 5, 4, 9, tzinfo=UTC)


def fade(user: UserMemory, at: datetime) -> JobOutcome:
    return user.env.do_night_job(SleepJob.FADE, user.scope, at)


def put(user: UserMemory, *nodes: Node) -> None:
    for node in nodes:
        user.env.graph.put(user.scope, node)


def life(user: UserMemory, key: str) -> Lifecycle:
    env, scope = user.env, user.scope
    found = env.graph.get(scope, key) or env.graph.relationship(scope, key)
    assert found is not None
    return found.life


def _found(user: UserMemory, **filters: Any) -> set[str | None]:
    return {hit.source_key for hit in user.search("tea", **filters)}


def a_read_source(text: str, **fields: Any) -> Node:
    given = {"processing_status": ProcessingStatus.EXTRACTED, "created_at": START, **fields}
    return a_source(text, user="ada", started_at=START, **given)


# --- the night ---------------------------------------------------------------------------------


class TestNight:
    def test_what_nobody_asks_for_leaves_search_and_comes_back(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        key = ada.add("The tea in Bergen was green.", title="Tea")
        ada.work()
        assert key in _found(ada, touch=False)
        clock.advance(197 * DAY)
        rest = fade(ada, clock.now())
        assert rest.counts["archived"] == 1
        (change,) = [one for one in rest.changes if one.key == key]
        assert (change.what, change.name) == ("archived", "Tea")
        assert change.why == "a source never asked for since it came on 4 May 2026; salience 0.010"
        awake = ["candidate", "active", "core"]
        assert key not in _found(ada, states=awake)
        assert key in _found(ada)
        assert key in _found(ada, states=awake)

    def test_a_night_run_twice_finds_nothing_to_do(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        ada.add("The tea in Bergen was green.")
        ada.work()
        at = clock.now() + 30 * DAY
        assert not fade(ada, at).is_idle
        before = state(ada)
        again = fade(ada, at)
        assert (again.is_idle, again.changes, again.counts) == (True, (), {})
        assert state(ada) == before

    def test_fading_is_no_event(self, ada: UserMemory, clock: SteppedClock) -> None:
        put(ada, a_read_source("old"))
        before = state(ada)[1]
        fade(ada, clock.now() + 300 * DAY)
        assert state(ada)[1] == before

    def test_one_night_or_many_end_the_same(self, ada: UserMemory, memory: Memory) -> None:
        eve = memory.user("eve")
        for user in (ada, eve):
            sarah, tom = (a_person(name, user=user.user_id, confidence=0.5) for name in ("Sarah", "Tom"))  # fmt: skip
            put(user, sarah, tom)
            user.env.graph.relate(
                user.scope, a_relationship(sarah.key, tom.key, user=user.user_id, confidence=0.6)
            )
        for night in range(0, 300, 7):
            fade(ada, START + night * DAY)
        fade(eve, START + 294 * DAY)

        def lives(user: UserMemory) -> list[Lifecycle]:
            found = user.env.graph.select(user.scope, Nodes(Person))
            related = user.env.graph.relationships(user.scope, found[0].key)
            every = [one.life for one in found] + [one.life for one in related]
            return sorted(every, key=lambda one: one.salience)

        for one, other in zip(lives(ada), lives(eve), strict=True):
            assert one == replace(other, salience=one.salience)
            assert one.salience == pytest.approx(other.salience, rel=1e-9)

    def test_it_says_how_far_it_is(self, ada: UserMemory, clock: SteppedClock) -> None:
        put(ada, a_read_source("old"))
        parts: list[float] = []
        ada.env.do_night_job(SleepJob.FADE, ada.scope, clock.now(), share=parts.append)
        assert parts == sorted(parts)
        assert parts[-1] == 1.0


# --- a limit -----------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path, clock: SteppedClock) -> Iterator[UserMemory]:
    """Of whose sources two may stay."""
    config = Config(memory=str(tmp_path / "small.db"), lifecycle=LifecycleRules(keep_sources=2))
    with Memory.open(config, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        yield memory.user("ada")


def told(user: UserMemory, source: Node, statement: str) -> None:
    belief = a_belief(statement, user="ada")
    put(user, source, belief)
    user.env.graph.link(
        user.scope, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS, user="ada")
    )


class TestLimit:
    def test_what_is_worth_least_goes(self, small: UserMemory, clock: SteppedClock) -> None:
        first, second = a_read_source("first"), a_read_source("second")
        chatter = a_read_source("chatter", title="Chatter")
        told(small, first, "She lives in Oslo")
        told(small, second, "He lives in Rome")
        put(small, chatter)
        rest = fade(small, clock.now())
        assert rest.counts["archived"] == 1
        (change,) = rest.changes
        assert (change.key, change.name, change.what) == (chatter.key, "Chatter", "archived")
        assert change.why == "over the limit of sources: nothing was learned from it"
        assert life(small, chatter.key).state is State.ARCHIVED
        (event,) = events(small, MEMORY_ARCHIVED)
        assert event["keys"] == [chatter.key]
        assert event["reason"] == "worth least: at most 2 sources may stay"
        before = state(small)
        assert fade(small, clock.now()).is_idle
        assert state(small) == before

    def test_pinned_and_unread_sources_stay(self, small: UserMemory, clock: SteppedClock) -> None:
        unread = [a_source(f"unread {number}", user="ada") for number in range(2)]
        pinned = a_read_source("pinned", life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))
        put(small, pinned, *unread)
        assert "archived" not in fade(small, clock.now()).counts

    def test_a_teams_sources_do_not_count(self, small: UserMemory, clock: SteppedClock) -> None:
        for number in range(3):
            put(small, a_read_source(f"number {number}", team_id="acme"))
        assert "archived" not in fade(small, clock.now()).counts

    def test_forgettable_tells_beforehand(self, small: UserMemory, clock: SteppedClock) -> None:
        for number in range(3):
            told(small, a_read_source(f"number {number}"), f"Fact {number}")
        put(small, a_read_source("chatter", title="Chatter"))
        first, second = small.forgettable(2)
        assert (first.name, first.why) == ("Chatter", "nothing was learned from it")
        assert second.why == "it alone tells 1 thing that still holds"
        assert len(small.forgettable()) == 4
        rest = fade(small, clock.now())
        assert [one.key for one in rest.changes] == [first.key, second.key]
        with pytest.raises(InvalidInput, match="limit"):
            small.forgettable(0)

    def test_what_was_put_away_is_put_away_again_by_its_event(
        self, small: UserMemory, clock: SteppedClock
    ) -> None:
        keys = [a_read_source(f"number {number}").key for number in range(4)]
        put(small, *(a_read_source(f"number {number}") for number in range(4)))
        fade(small, clock.now())
        before = {key: life(small, key) for key in keys}
        put(small, *(a_read_source(f"number {number}") for number in range(4)))
        for event in small.env.ledger.replay(small.scope):
            if event.event_type == MEMORY_ARCHIVED:
                apply(small.env, small.scope, event)
                apply(small.env, small.scope, event)
        small.env.graph.fade(small.scope, clock.now(), small.env.config.lifecycle)
        assert {key: life(small, key) for key in keys} == before


def test_a_night_fades_once_and_the_next_makes_up_for_it(
    ada: UserMemory, clock: SteppedClock
) -> None:
    source = a_read_source("number 1")
    put(ada, source)
    clock.advance(DAY)
    assert fade(ada, clock.now()).counts["faded"]
    noon = clock.now() + timedelta(hours=3)
    assert fade(ada, noon).is_idle
    assert fade(ada, noon + DAY).counts["faded"]
    gone = faded(
        source.life, confidence=None, created_at=source.created_at, now=noon + DAY, episodic=True
    )
    assert life(ada, source.key).salience == pytest.approx(gone.salience, abs=1e-9)


# --- killed ------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from datetime import datetime
from remanent import Config, Memory, SteppedClock
from remanent.core.lifecycle import LifecycleRules, faded
from remanent.core.model.sleep import SleepJob
from remanent.testing import HashEmbedder, ScriptedMind

path, at, calls = sys.argv[1], datetime.fromisoformat(sys.argv[2]), int(sys.argv[3])
config = Config(memory=path, lifecycle=LifecycleRules(keep_share=0.1))
memory = Memory.open(config, clock=SteppedClock(at), mind=ScriptedMind(), embedder=HashEmbedder())
user = memory.user("ada")

def share(part):
    global calls
    calls -= 1
    if calls == 0:
        os.kill(os.getpid(), signal.SIGKILL)

user.env.do_night_job(SleepJob.FADE, user.scope, at, share=share)
"""


def test_killed_in_the_middle_and_run_again_it_ends_the_same(tmp_path: Path) -> None:
    at = START + 100 * DAY
    _make(tmp_path / "made.db")
    ends = set()
    for calls in range(4):
        path = shutil.copy(tmp_path / "made.db", tmp_path / f"{calls}.db")
        if calls:
            run = [sys.executable, "-c", KILLED, str(path), at.isoformat(), str(calls)]
            assert subprocess.run(run, check=False).returncode == -signal.SIGKILL
        with _open(path, at) as memory:
            user = memory.user("ada")
            assert not fade(user, at).is_idle
            assert fade(user, at).is_idle
            ends.add(digest(user.env.graph.export(user.scope)))
            assert sum(len(one["keys"]) for one in events(user, MEMORY_ARCHIVED)) == 630
    assert len(ends) == 1


def _make(path: Path) -> None:
    """700 sources, of which a tenth may stay, and people who know each other."""
    with _open(path, START) as memory:
        user = memory.user("ada")
        people = [a_person(f"Person {n}", user="ada", confidence=0.5) for n in range(3)]
        with user.env.atomic():
            put(user, *people, *(a_read_source(f"number {number}") for number in range(700)))
            for one in people[1:]:
                user.env.graph.relate(
                    user.scope, a_relationship(people[0].key, one.key, user="ada", confidence=0.5)
                )


def _open(path: Path | str, at: datetime) -> Memory:
    config = Config(memory=str(path), lifecycle=LifecycleRules(keep_share=0.1))
    return Memory.open(config, clock=SteppedClock(at), mind=ScriptedMind(), embedder=HashEmbedder())


# --- by hand -----------------------------------------------------------------------------------


class TestByHand:
    @pytest.fixture
    def key(self, ada: UserMemory) -> str:
        source = a_read_source("old", title="Old")
        put(ada, source)
        return source.key

    def test_touch_is_one_access(self, ada: UserMemory, key: str, clock: SteppedClock) -> None:
        touched = ada.touch(key[:8])
        assert (touched.key, touched.name, touched.kind) == (key, "Old", Kind.SOURCE)
        assert touched.life == life(ada, key)
        assert (touched.life.access_count, touched.life.state) == (1, State.ACTIVE)
        assert touched.life.last_accessed_at == clock.now()
        assert ada.touch(key).life.access_count == 2

    def test_pinned_stays_through_years(self, ada: UserMemory, key: str) -> None:
        assert ada.pin(key).changed
        fade(ada, START + 2000 * DAY)
        assert (life(ada, key).salience, life(ada, key).state) == (1.0, State.CANDIDATE)

    def test_pinning_twice_is_pinning_once(self, ada: UserMemory, key: str) -> None:
        ada.pin(key)
        before = state(ada)
        assert not ada.pin(key).changed
        assert state(ada) == before
        (event,) = events(ada, MEMORY_PINNED)
        assert (event["key"], event["forever"]) == (key, True)

    def test_unpinned_fades_from_then_on(
        self, ada: UserMemory, key: str, clock: SteppedClock
    ) -> None:
        ada.pin(key)
        clock.advance(500 * DAY)
        assert ada.unpin(key).life.ttl_policy is TtlPolicy.DECAY
        assert not ada.unpin(key).changed
        fade(ada, clock.now() + 1 * DAY)
        assert life(ada, key).salience == pytest.approx(0.9802, abs=1e-4)

    def test_archive_and_restore(self, ada: UserMemory, key: str, clock: SteppedClock) -> None:
        clock.advance(35 * DAY)
        gone = ada.archive(key, "old news")
        assert (gone.life.state, gone.changed) == (State.ARCHIVED, True)
        assert gone.life.salience == pytest.approx(0.5 * 0.4966, abs=1e-4)
        assert not ada.archive(key).changed
        (event,) = events(ada, MEMORY_ARCHIVED)
        assert (event["keys"], event["reason"]) == ([key], "old news")
        back = ada.restore(key)
        assert (back.life.state, back.life.salience) == (State.ACTIVE, 0.5)
        assert not ada.restore(key).changed
        assert len(events(ada, MEMORY_RESTORED)) == 1
        fade(ada, clock.now() + 1 * DAY)
        assert life(ada, key).state is State.ACTIVE

    def test_events_do_it_again(self, ada: UserMemory, key: str, clock: SteppedClock) -> None:
        for verb in (ada.pin, ada.unpin, ada.archive, ada.restore):
            clock.advance(10 * DAY)
            verb(key)
            told_ = list(ada.env.ledger.replay(ada.scope))[-1]
            after = life(ada, key)
            apply = pin.apply if told_.event_type == MEMORY_PINNED else archive.apply
            apply(ada.env, ada.scope, told_)
            assert life(ada, key) == after

    def test_relationships_have_lives_as_well(self, ada: UserMemory) -> None:
        sarah, tom = a_person("Sarah", user="ada"), a_person("Tom", user="ada")
        put(ada, sarah, tom)
        friend = a_relationship(sarah.key, tom.key, user="ada")
        ada.env.graph.relate(ada.scope, friend)
        assert ada.touch(friend.key[:10]).name == "Sarah - friend - Tom"
        assert ada.pin(friend.key).life.salience == 1.0
        ada.unpin(friend.key)
        assert ada.archive(friend.key).kind is Kind.RELATIONSHIP
        assert life(ada, friend.key).state is State.ARCHIVED

    def test_an_archived_relationship_is_not_explored(self, ada: UserMemory) -> None:
        sarah, tom = a_person("Sarah", user="ada"), a_person("Tom", user="ada")
        put(ada, sarah, tom)
        friend = a_relationship(sarah.key, tom.key, user="ada")
        ada.env.graph.relate(ada.scope, friend)
        query = "MATCH (a)-[r]->(b) RETURN count(r) AS n"
        assert ada.cypher(query).rows[0][0] == 1
        ada.archive(friend.key)
        assert ada.cypher(query).rows[0][0] == 0

    def test_a_belief_is_not_archived(self, ada: UserMemory) -> None:
        belief = a_belief(user="ada")
        put(ada, belief)
        before = state(ada)
        with pytest.raises(InvalidInput, match="forget puts a belief out of mind"):
            ada.archive(belief.key)
        assert state(ada) == before
        assert ada.touch(belief.key).life.access_count == 1

    def test_a_pinned_belief_is_held_on_the_users_word_and_does_not_fade(
        self, ada: UserMemory, clock: SteppedClock
    ) -> None:
        key = ada.remember("I like the sea").belief.key
        clock.advance(90 * DAY)
        assert ada.pin(key).changed
        assert not ada.pin(key).changed
        clock.advance(2000 * DAY)
        (held,) = ada.outlook()
        assert held.effective_confidence == held.belief.confidence
        assert set(held.course) == {held.belief.confidence}
        assert held.belief.authority is Authority.USER
        assert ada.prune(threshold=1.0).pruned == ()
        assert [one.kind for one in held.belief.changes][-1] is ChangeKind.PINNED
        ada.unpin(key)
        clock.advance(30 * DAY)
        (held,) = ada.outlook()
        assert held.effective_confidence == pytest.approx(held.belief.confidence / 2)

    def test_what_is_no_longer_believed_cannot_be_pinned(self, ada: UserMemory) -> None:
        key = ada.remember("I like the sea").belief.key
        ada.forget(key)
        with pytest.raises(InvalidInput, match="forgotten"):
            ada.pin(key)

    def test_an_inference_that_is_pinned_is_not_overruled_by_one(self) -> None:
        drawn = a_belief(user="ada", derived_from=("k1", "k2"))
        assert drawn.authority is Authority.INFERENCE
        kept = replace(drawn, life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))
        assert kept.authority is Authority.USER

    def test_the_owner_stays(self, ada: UserMemory) -> None:
        owner = next(one.key for one in ada.anchors() if one.kind is Kind.PERSON)
        with pytest.raises(InvalidInput, match="owner"):
            ada.archive(owner)
        with pytest.raises(InvalidInput, match="owner"):
            ada.unpin(owner)

    def test_the_pinned_is_not_archived(self, ada: UserMemory, key: str) -> None:
        ada.pin(key)
        with pytest.raises(InvalidInput, match="unpin"):
            ada.archive(key)

    def test_what_was_merged_is_split_not_restored(self, ada: UserMemory) -> None:
        sarah, other = a_person("Sarah", user="ada"), a_person("Sara", user="ada")
        put(ada, sarah, other)
        ada.merge(other.key, sarah.key)
        with pytest.raises(InvalidInput, match="split"):
            ada.restore(other.key)

    def test_keys(self, ada: UserMemory, key: str) -> None:
        put(ada, *(replace(a_source(f"s {n}", user="ada"), key=f"aaaa{n}") for n in range(2)))
        for verb in (ada.touch, ada.pin, ada.archive, ada.restore, ada.curve):
            with pytest.raises(UnknownKey):
                verb("nothing")
            with pytest.raises(InvalidInput, match="aaaa0, aaaa1"):
                verb("aaaa")

    def test_only_ones_own(self, ada: UserMemory, memory: Memory) -> None:
        eve = memory.user("eve")
        theirs = a_source("theirs", user="eve", participants=("eve", "ada"))
        secret = a_source("secret", user="eve", participants=("eve",))
        put(eve, theirs, secret)
        for verb in (ada.touch, ada.pin, ada.archive, ada.restore, ada.curve):
            with pytest.raises(Forbidden):
                verb(theirs.key)
            with pytest.raises(UnknownKey):
                verb(secret.key)
        assert life(eve, theirs.key) == theirs.life

    def test_a_reason_has_an_end(self, ada: UserMemory, key: str) -> None:
        with pytest.raises(InvalidInput, match="reason"):
            ada.archive(key, "x" * 1001)


class TestCurve:
    def test_it_is_what_fading_makes_of_it(self, ada: UserMemory, clock: SteppedClock) -> None:
        source = a_read_source("old")
        put(ada, source)
        clock.advance(20 * DAY)
        told_ = ada.curve(source.key, days=200)
        before = state(ada)
        assert len(told_.points) == 201
        assert told_.half_life == pytest.approx(34.66, abs=0.01)
        assert told_.archived_at is not None
        assert (told_.archived_at - START) / DAY == pytest.approx(195.6, abs=0.01)
        assert told_.if_accessed[0].salience == 0.55
        assert told_.half_life_if_accessed == pytest.approx(69.31, abs=0.01)
        assert state(ada) == before
        for point in told_.points[::50]:
            fade(ada, point.at)
            assert life(ada, source.key).salience == pytest.approx(point.salience, rel=1e-9)

    def test_what_does_not_fade(self, ada: UserMemory) -> None:
        sarah = a_person("Sarah", user="ada", confidence=0.9)
        put(ada, sarah)
        told_ = ada.curve(sarah.key)
        assert (told_.half_life, told_.archived_at) == (None, None)
        assert {one.salience for one in told_.points} == {0.5}
        assert told_.archived_if_accessed is not None

    @pytest.mark.parametrize("days", [0, -1, 36_501, True, 1.5])
    def test_days(self, ada: UserMemory, days: Any) -> None:
        source = a_read_source("old")
        put(ada, source)
        with pytest.raises(InvalidInput, match="days"):
            ada.curve(source.key, days=days)

    def test_centuries_have_no_more_points_than_a_year(self, ada: UserMemory) -> None:
        source = a_read_source("old")
        put(ada, source)
        assert len(ada.curve(source.key, days=36_500).points) == 366
