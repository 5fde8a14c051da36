"""Restating: a belief in other words is the same belief."""

from __future__ import annotations

from datetime import timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import ChangeKind
from remanent.errors import InvalidInput, UnknownKey

HOUR = timedelta(hours=1)


def test_it_says_something_else_and_stays_what_it_is(ada: UserMemory, clock: SteppedClock) -> None:
    before = ada.remember("I like tea").belief
    clock.advance(HOUR)
    done = ada.restate(before.key, "I like green tea")
    (now,) = ada.beliefs()
    assert (done.belief, done.before, done.changed) == (now, "I like tea", True)
    assert (now.key, now.statement) == (before.key, "I like green tea")
    assert (now.created_at, now.updated_at) == (before.created_at, clock.now())
    assert (now.confidence, now.supports) == (before.confidence, before.supports)


def test_it_is_found_by_its_new_words_only(ada: UserMemory) -> None:
    key = ada.remember("The pump hums").belief.key
    ada.restate(key, "Kettles whistle")
    other = ada.remember("Some fans hum loudly at night").belief.key
    assert ada.search("whistle", kinds=["belief"])[0].key == key
    assert ada.search("hum", kinds=["belief"])[0].key == other
    assert [one.statement for one in ada.recall("whistle")][:1] == ["Kettles whistle"]


def test_its_history_tells_the_old_words(ada: UserMemory, clock: SteppedClock) -> None:
    key = ada.remember("I like tea").belief.key
    clock.advance(HOUR)
    ada.restate(key, "I like milk")
    (chapter,) = ada.history(key).chapters
    last = chapter.occurrences[-1].change
    assert (last.kind, last.before) == (ChangeKind.RESTATED, "I like tea")
    earlier = ada.beliefs(known_at=clock.now() - HOUR / 2)
    assert [one.statement for one in earlier] == ["I like tea"]


def test_twice_is_once_and_a_trial_changes_nothing(ada: UserMemory) -> None:
    key = ada.remember("I like tea").belief.key
    assert ada.restate(key, "I like milk", dry_run=True).belief.statement == "I like milk"
    assert ada.beliefs()[0].statement == "I like tea"
    ada.restate(key, "I like milk")
    events = ada.status().events
    assert not ada.restate(key[:12], "I like milk").changed
    assert ada.status().events == events


def test_what_cannot_be_restated_is_refused(memory: Memory, ada: UserMemory) -> None:
    key = ada.remember("I like tea").belief.key
    with pytest.raises(InvalidInput, match="statement"):
        ada.restate(key, "  ")
    with pytest.raises(UnknownKey):
        memory.user("bob").restate(key, "I like milk")
    ada.forget(key)
    with pytest.raises(InvalidInput, match="forgotten"):
        ada.restate(key, "I like milk")


def test_a_rebuild_restates_it_again(memory: Memory, ada: UserMemory, clock: SteppedClock) -> None:
    key = ada.remember("I like tea").belief.key
    clock.advance(HOUR)
    ada.restate(key, "I like milk")
    before = ada.beliefs()
    rebuilt = memory.rebuild()
    assert rebuilt.comparison.is_same, rebuilt.comparison.samples
    rebuilt.switch()
    assert ada.beliefs() == before
