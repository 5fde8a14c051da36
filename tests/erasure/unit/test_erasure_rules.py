"""What is left of events when things are gone, what to look for, and certificates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core import tombstones
from remanent.core.model import event as told
from remanent.core.model.event import Event
from remanent.core.records.admin import Erasable, Erased, Removed
from remanent.erasure import rules

pytestmark = pytest.mark.quick

MOMENT = datetime(2026, 3, 2, tzinfo=UTC)
SECRET = b"s" * 32


def an_event(kind: str, **payload: object) -> Event:
    return Event(
        event_id="e",
        user_id="ann",
        event_type=kind,
        payload=payload,
        occurred_at=MOMENT,
        recorded_at=MOMENT,
    )


@pytest.mark.parametrize(
    ("event", "left"),
    [
        (an_event(told.SOURCE_ADDED, source_key="x", title="t"), None),
        (an_event(told.ARTIFACT_PRODUCED, source_key="x", output="o"), None),
        (an_event(told.SOURCE_ADDED, source_key="y"), {"source_key": "y"}),
        (
            an_event(
                told.STORYLINE_RETOLD, key="s", chapters=["x", "y"], team_chapters=["x"], name="n"
            ),
            {"key": "s", "chapters": ["y"], "team_chapters": [], "name": "n"},
        ),
        (an_event(told.STORYLINE_RETOLD, key="s", chapters=["x"], team_chapters=[]), None),
        (
            an_event(
                told.DESCRIBED,
                things=[{"key": "a", "sources": ["x", "y"]}, {"key": "b", "sources": ["x"]}],
            ),
            {"things": [{"key": "a", "sources": ["y"]}]},
        ),
        (an_event(told.DESCRIBED, things=[{"key": "b", "sources": ["x"]}]), None),
        (
            an_event(told.NOTES_EXPIRED, on={"x": 2, "a": 1}, notes=3),
            {"on": {"a": 1}, "notes": 1},
        ),
        (an_event(told.BELIEF_SYNTHESIZED, statement="s", derived_from=["x", "y"]), None),
        (
            an_event(told.BELIEFS_MERGED, winner="w", losers=["x", "y"]),
            {"winner": "w", "losers": ["y"]},
        ),
        (
            an_event(told.BELIEFS_PRUNED, keys=["x", "y"], left=[0.1, 0.2]),
            {"keys": ["y"], "left": [0.2]},
        ),
        (
            an_event(
                told.EVENTS_RECONSOLIDATED,
                what="told",
                episodes=[{"key": "k", "events": ["x", "y"]}, {"key": "l", "events": ["x"]}],
                links=[["x", "y", 0.9], ["y", "z", 0.8]],
            ),
            {
                "what": "told",
                "episodes": [{"key": "k", "events": ["y"]}],
                "links": [["y", "z", 0.8]],
            },
        ),
        (an_event("message", text="x is here"), {"text": "x is here"}),
    ],
)
def test_no_word_is_left_of_what_is_gone(event: Event, left: dict[str, object] | None) -> None:
    fresh = rules.without(event, {"x"})
    assert (None if fresh is None else fresh.payload) == left


def test_what_names_nothing_of_it_is_the_very_same() -> None:
    event = an_event(told.STORYLINE_CLOSED, key="s")
    assert rules.without(event, {"x"}) is event


@given(st.text())
def test_phrases_stand_in_the_text_word_for_word(text: str) -> None:
    found = rules.phrases(text)
    assert len(found) <= rules.MOST_PHRASES
    assert all(one in text for one in found)


def test_phrases_come_from_all_over_a_text() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    found = rules.phrases(text)
    assert len(found) == rules.MOST_PHRASES
    assert any("word3" in one for one in found[-1:])


PAPER = Erased(
    erasure_id="1",
    kind=Erasable.SOURCE,
    key="k",
    by="ann",
    at=MOMENT,
    removed=(Removed(store="graph", what="source", count=1, keys=("k",)),),
)


def test_a_paper_is_known_again_and_any_change_is_noticed() -> None:
    paper = rules.signed(PAPER, SECRET)
    assert rules.is_genuine(paper, SECRET)
    assert not rules.is_genuine(paper, b"o" * 32)
    assert not rules.is_genuine(replace(paper, by="bob"), SECRET)
    assert not rules.is_genuine(replace(paper, removed=()), SECRET)
    assert not rules.is_genuine(replace(paper, signature=""), SECRET)
    assert not rules.is_genuine(PAPER, SECRET)


def test_marks_differ_by_user_word_and_memory() -> None:
    marks = {
        tombstones.tombstone_digest(secret, user, word)
        for secret in (SECRET, b"o" * 32)
        for user in ("ann", "bob")
        for word in ("k", "l")
    }
    assert len(marks) == 8


def test_a_mark_is_known_in_another_memory_and_tells_no_other_word() -> None:
    marks = {tombstones.tombstone_digest(SECRET, "ann", "k"), "from before salts"}
    for secret in (SECRET, b"o" * 32):
        assert tombstones.marks_of(marks, secret, "ann", ["l", "k"])
        assert not tombstones.marks_of(marks, secret, "ann", ["l"])
        assert not tombstones.marks_of(marks, secret, "bob", ["k"])
    assert not tombstones.marks_of((), SECRET, "ann", ["k"])
    assert SECRET.hex() not in str(marks)


def test_records_that_name_what_is_gone_go() -> None:
    key = "0f8fad5b-d9cb-469f-a165-70867728950e"
    put: dict[str, object] = {
        "room": "items",
        "namespace": ["a"],
        "key": "b",
        "value": {"x": [{"y": f"see {key}"}]},
    }
    event = an_event(told.ITEM_PUT, **put)
    assert rules.without(event, [key]) is None
    assert rules.without(event, ["see", "b", "x"]) is event
    label = an_event(told.ITEM_PUT, **{**put, "room": "mem0", "value": {}})
    assert rules.without(label, ["b"]) is None
    assert rules.without(label, ["c"]) is label


def test_lines_of_one_sort_are_one_line() -> None:
    lines = rules.listed(
        [
            Removed(store="graph", what="note", count=2),
            Removed(store="graph", what="note", count=1, keys=("b",)),
            Removed(store="graph", what="note", count=1, keys=("a", "b")),
            Removed(store="queue", what="job", count=0),
        ]
    )
    assert lines == (Removed(store="graph", what="note", count=4, keys=("a", "b")),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lunch with MARIA BERG.", True),
        ("Maria-Berg came", True),
        ("Maria Bergman came", False),
        ("Annamaria Berg", False),
        ("", False),
    ],
)
def test_a_name_is_found_as_words_of_its_own(text: str, said: bool) -> None:
    assert rules.names_person(text, ["Maria Berg", ""]) is said
