"""What every shadow promises: a second graph beside the one in use, and how it takes its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from remanent.core.model.event import SOURCE_ADDED
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.source import RawSource
from remanent.core.ports.admin import Shadow
from remanent.core.records.admin import DifferenceKind
from remanent_conformance.atomic import Oops, Spanned
from remanent_conformance.builders import (
    MOMENT,
    a_link,
    a_note,
    a_person,
    a_scope,
    a_source,
    an_assertion,
    an_entry,
    an_event,
    an_extraction,
)
from remanent_conformance.index import DIMENSIONS

ANN = a_scope("ann")
LATER = MOMENT + timedelta(days=3)
VECTOR = np.ones(DIMENSIONS, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The stores in use, those beside them, and the shadow between the two."""

    live: Spanned
    beside: Spanned
    shadow: Shadow


def fill(stores: Spanned, *, name: str = "Sarah Chen", **fields: Any) -> tuple[str, str]:
    """A source that mentions a person, with all that hangs on it; their keys."""
    source, person = a_source(), a_person(name, **fields)
    other = a_person("Tom Lie")
    for node in (source, person, other):
        stores.graph.put(ANN, node)
    stores.graph.link(ANN, a_link(source.key, person.key))
    stores.graph.add_note(ANN, a_note(person.key, source_key=source.key))
    stores.graph.put_assertion(ANN, an_assertion(person.key, other.key, source.key))
    stores.graph.put_extraction(ANN, an_extraction(source.key, is_done=True))
    stores.index.put([an_entry(person.key, "tea with Sarah", VECTOR)])
    return source.key, person.key


class ShadowContract:
    """Override `new_sides`; the indexes have 8 dimensions."""

    @pytest.fixture
    def new_sides(self) -> Callable[[], Sides]:
        raise NotImplementedError("a function that makes an empty memory with an empty shadow")

    @pytest.fixture
    def sides(self, new_sides: Callable[[], Sides]) -> Sides:
        return new_sides()

    def test_events_wait_in_the_order_of_the_ledger_whosever_they_are(self, sides: Sides) -> None:
        for number, user in enumerate(("ann", "bob", "ann", "cat")):
            sides.live.ledger.append(an_event(f"event-{number}", user=user))
        shadow = sides.shadow

        assert shadow.count() == (0, 4)
        first, second = shadow.waiting(2)
        assert (first.event_id, second.user_id) == ("event-0", "bob")
        shadow.mark_replayed(first)
        assert [one.event_id for one in shadow.waiting(9)] == ["event-1", "event-2", "event-3"]
        assert shadow.count() == (1, 4)

    def test_an_event_is_taken_with_its_place_and_its_raw_source(self, sides: Sides) -> None:
        raw = RawSource(key="s", user_id="ann", content="hi", is_json=False, recorded_at=MOMENT)
        sides.live.ledger.append(an_event("other", user="bob"))
        added = an_event("added", event_type=SOURCE_ADDED, payload={"source_key": "s"})
        event, _ = sides.live.ledger.append(added, raw)

        for _ in range(2):
            sides.shadow.take(event)

        assert list(sides.beside.ledger.replay(ANN)) == [event]
        assert sides.beside.ledger.raw(ANN, "s") == raw

    def test_what_is_alike_does_not_differ(self, sides: Sides) -> None:
        _, key = fill(sides.live)
        fill(sides.beside)
        person = sides.live.graph.get(ANN, key)
        assert person is not None
        lived = replace(person, life=Lifecycle(access_count=7), created_at=LATER, updated_at=LATER)
        sides.live.graph.put(ANN, lived)

        comparison = sides.shadow.compare(5)

        assert comparison.is_same
        assert comparison.samples == ()
        assert comparison.tallies["person"].same == 2
        assert {"source", "link", "note", "assertion", "extraction"} <= comparison.tallies.keys()

    def test_what_differs_is_counted_and_named(self, sides: Sides) -> None:
        _, key = fill(sides.live)
        fill(sides.beside, aliases=("Sally",))
        sides.live.graph.put(ANN, a_person("Nina Moe"))
        for number in range(9):
            sides.beside.graph.put(ANN, a_person(f"New {number}"))

        comparison = sides.shadow.compare(3)

        people = comparison.tallies["person"]
        assert (people.added, people.removed, people.changed, people.same) == (9, 1, 1, 1)
        assert comparison.differ == 11
        shown = {
            how: [one for one in comparison.samples if one.how is how] for how in DifferenceKind
        }
        assert len(shown[DifferenceKind.ADDED]) == 3
        assert [one.name for one in shown[DifferenceKind.REMOVED]] == ["Nina Moe"]
        assert [(one.key, one.fields) for one in shown[DifferenceKind.CHANGED]] == [
            (key, ("aliases",))
        ]

    def test_a_switch_takes_all_over_and_keeps_lives(self, sides: Sides) -> None:
        live = sides.live
        source, key = fill(live)
        fill(sides.beside, aliases=("Sally",))
        sides.beside.graph.put(ANN, a_person("New One"))
        person = live.graph.get(ANN, key)
        assert person is not None
        life = Lifecycle(access_count=7, state=State.CORE)
        live.graph.put(ANN, replace(person, life=life, created_at=LATER))
        live.ledger.append(an_event("kept"))
        before = live.index.near(ANN, VECTOR, kinds=(), limit=9)

        sides.shadow.switch(lambda: None)

        after = live.graph.get(ANN, key)
        assert after is not None
        assert (after.life, after.created_at) == (life, LATER)
        assert getattr(after, "aliases", None) == ("Sally",)
        assert live.graph.counts(ANN)["person"] == 3
        assert [one.src for one in live.graph.links(ANN, key)] == [source]
        assert len(live.graph.notes(ANN, key, limit=9)) == 1
        assert live.graph.extraction(ANN, source) is not None
        assert live.index.near(ANN, VECTOR, kinds=(), limit=9) == before
        assert [one.key for one in live.index.match(ANN, "tea", kinds=(), limit=9)] == [key]
        assert [one.event_id for one in live.ledger.replay(ANN)] == ["kept"]
        live.graph.put(ANN, a_person("After It"))
        live.index.put([an_entry("after", "coffee", VECTOR)])
        assert len(live.index.near(ANN, VECTOR, kinds=(), limit=9)) == len(before) + 1

    def test_a_switch_that_fails_changes_nothing(self, sides: Sides) -> None:
        _, key = fill(sides.live)
        before = list(sides.live.graph.export(ANN))

        def fail() -> None:
            raise Oops

        with pytest.raises(Oops):
            sides.shadow.switch(fail)

        assert list(sides.live.graph.export(ANN)) == before
        assert sides.live.index.match(ANN, "tea", kinds=(), limit=9)
        sides.live.graph.put(ANN, a_person("Still Works"))
        sides.shadow.switch(lambda: None)
        assert sides.live.graph.get(ANN, key) is None

    def test_what_is_under_way_is_told(self, sides: Sides) -> None:
        source, _ = fill(sides.live)
        assert sides.shadow.under_way() == ([], [])
        half = an_extraction(source, is_done=False)
        sides.live.graph.put_extraction(ANN, half)

        assert sides.shadow.under_way() == ([("ann", half)], [])
