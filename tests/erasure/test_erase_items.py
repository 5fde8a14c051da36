"""Erasing takes the records of programs along that tell of it, and words that were put otherwise."""

from __future__ import annotations

from datetime import timedelta

import pytest
from test_erase_all import World, bytes_of, world
from test_undo import OSLO

from remanent.core.model.event import BELIEF_RESTATED, ITEM_DELETED, ITEM_PUT, Event
from remanent.core.records.item import Put
from remanent_mem0 import shapes

__all__ = ["world"]

CANARY = "zebracanary"
HOUR = timedelta(hours=1)


def events(world: World, *types: str) -> list[Event]:
    every = world.memory.env.ledger.replay(world.ada.scope)
    return [one for one in every if one.event_type in types]


def put(world: World, key: str, value: dict[str, object] | None, room: str = "items") -> None:
    world.ada.shelf(room).put([Put(namespace=("notes", "mine"), key=key, value=value)])


def is_in_file(world: World, word: str) -> bool:
    return word.encode() in bytes_of(world.path).lower()


def test_labels_go_with_their_source_and_what_was_learned_from_it(world: World) -> None:
    source = world.ada.add(f"{OSLO}\nMaria Berg: sings", title="told")
    other = world.ada.add("Tom Vance: rows", title="other")
    world.memory.work()
    (belief,) = world.ada.beliefs()
    shapes.label_episode(world.ada, source, {"mood": f"{CANARY}told"})
    shapes.label_episode(world.ada, other, {"mood": "calm"})
    shapes.label_memory(world.ada, belief.key, {"mood": f"{CANARY}said"})
    shapes.label_memory(world.ada, belief.key, {"mood": f"{CANARY}anew"})
    assert is_in_file(world, CANARY)
    done = world.ada.erase(source)
    assert {(one.store, one.what): one.count for one in done.removed}["items", "item"] == 2
    assert not is_in_file(world, CANARY)
    found = shapes.labels_of(world.ada)
    assert (dict(found.by_episode), dict(found.by_memory)) == ({other: {"mood": "calm"}}, {})
    assert [one.payload["key"] for one in events(world, ITEM_PUT)] == [other]


def test_labels_go_with_what_was_remembered(world: World) -> None:
    world.ada.remember(OSLO, event_id="1")
    world.memory.work()
    (belief,) = world.ada.beliefs()
    shapes.label_episode(world.ada, "1", {"mood": f"{CANARY}told"})
    shapes.label_memory(world.ada, belief.key, {"mood": f"{CANARY}said"})
    put(world, "1", {"colour": "1"})  # a made-up id that somebody else made up as well
    world.ada.erase(belief.key)
    assert not is_in_file(world, CANARY)
    assert [one.payload["key"] for one in events(world, ITEM_PUT)] == ["1"]
    assert world.ada.shelf("items").get(("notes", "mine"), "1") is not None


def test_records_that_name_it_by_its_key_go(world: World) -> None:
    source = world.ada.add("Maria Berg: sings")
    world.memory.work()
    put(world, "a", {"of": [{"source": f"see {source}"}], "text": f"{CANARY}a"})
    put(world, source, {"text": f"{CANARY}b"}, room="another")
    put(world, "c", {"text": "mine"})
    done = world.ada.erase(source)
    assert done.probe.found == 0
    assert not is_in_file(world, CANARY)
    assert [one.payload["key"] for one in events(world, ITEM_PUT)] == ["c"]


def test_a_record_that_says_the_same_is_somebody_elses_word(world: World) -> None:
    text = "the quick brown fox jumps over lazy dogs"
    put(world, "a", {"text": text})
    put(world, "a", {"text": "something else"})  # the words are in the ledger alone
    source = world.ada.add(f"Maria Berg: {text}")
    world.memory.work()
    world.ada.erase(source)
    assert len(events(world, ITEM_PUT)) == 2


def test_a_person_goes_from_the_records_of_every_room(world: World) -> None:
    world.ada.add("Maria Berg: sings")
    world.memory.work()
    put(world, "a", {"text": f"MARIA berg {CANARY}a"})
    put(world, "a", {"text": f"Maria Berg: {CANARY}b"})
    put(world, "maria berg", {"text": f"{CANARY}c"}, room="another")
    put(world, "was", {"text": f"Maria Berg {CANARY}d"})
    put(world, "was", None)
    put(world, "now", {"text": f"Maria Berg {CANARY}e"})
    put(world, "now", {"text": "Tom Vance"})
    world.bob.shelf().put([Put(namespace=("his",), key="his", value={"text": "Maria Berg"})])
    (maria,) = (one for one in world.ada.anchors("person") if one.name == "Maria Berg")
    planned = world.ada.erase(maria.key, dry_run=True)
    assert {"item: a", "item: maria berg", "item: was", "item: now"} <= set(planned.titles)
    assert world.ada.shelf().get(("notes", "mine"), "a") is not None
    world.ada.erase(maria.key)
    assert not is_in_file(world, CANARY)
    left = events(world, ITEM_PUT, ITEM_DELETED)
    assert [(one.event_type, one.payload["key"]) for one in left] == [(ITEM_PUT, "now")]
    assert world.ada.shelf().get(("notes", "mine"), "a") is None
    assert world.ada.shelf("another").get(("notes", "mine"), "maria berg") is None
    assert world.ada.shelf().get(("notes", "mine"), "now") is not None
    assert world.bob.shelf().get(("his",), "his") is not None
    with world.memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        derived.discard()


@pytest.mark.parametrize("by", ["belief", "source"])
def test_other_words_go_with_their_belief(world: World, by: str) -> None:
    key = ""
    if by == "source":
        key = world.ada.add(OSLO)
        world.memory.work()
    else:
        world.ada.remember(OSLO)
    (belief,) = world.ada.beliefs()
    world.ada.restate(belief.key, f"Maria has a home by {CANARY}")
    world.ada.restate(belief.key, "Maria has a home")
    assert is_in_file(world, CANARY)
    world.ada.erase(key or belief.key)
    assert not is_in_file(world, CANARY)
    assert events(world, BELIEF_RESTATED) == []


@pytest.mark.parametrize(
    ("gone", "says"), [(1, "Maria has a home"), (0, f"{OSLO} anew")], ids=["second", "first"]
)
def test_other_words_stay_with_the_belief_they_were_for(world: World, gone: int, says: str) -> None:
    """Without the first source another belief is held, in its own words."""
    keys = []
    for text in (OSLO, f"{OSLO} anew"):
        keys.append(world.ada.add(text))
        world.memory.work()
        world.clock.advance(HOUR)
    (belief,) = world.ada.beliefs()
    world.ada.restate(belief.key, "Maria has a home")
    world.ada.erase(keys[gone])
    (belief,) = world.ada.beliefs()
    assert belief.statement == says
    assert [one.source_key for one in belief.supports] == [keys[1 - gone]]
    before = [one.payload["before"] for one in events(world, BELIEF_RESTATED)]
    assert before == ([OSLO] if gone else [])
    with world.memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        derived.discard()
