"""What everybody promises who says how a store is doing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

import pytest

from remanent.core.ports.admin import HealthStore
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent_conformance.builders import MOMENT, a_belief, a_scope, an_event
from remanent_conformance.graph_queries import an_event_node


class Stores(Protocol):
    """A graph and a ledger, and who looks at them."""

    @property
    def graph(self) -> Graph: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def health(self) -> HealthStore: ...


class HealthContract:
    """Override `new_stores`."""

    @pytest.fixture
    def new_stores(self) -> Callable[[], Stores]:
        raise NotImplementedError("a function that makes empty stores")

    @pytest.fixture
    def vital_stores(self, new_stores: Callable[[], Stores]) -> Stores:
        return new_stores()

    def test_an_empty_store_is_sound(self, vital_stores: Stores) -> None:
        health = vital_stores.health.health()
        assert health.problems == ()
        assert health.schema == health.newest_schema
        assert vital_stores.health.schema() == (health.schema, health.newest_schema)
        census = vital_stores.health.census()
        assert (dict(census.nodes), census.pruned, census.reflections) == ({}, 0, 0)
        assert census.newest_event is None

    def test_a_deep_look_finds_nothing_in_what_was_just_written(self, vital_stores: Stores) -> None:
        vital_stores.graph.put(a_scope("ann"), a_belief(user="ann"))
        vital_stores.ledger.append(an_event(recorded_at=MOMENT))
        look = vital_stores.health.examine(lambda _told, _raw: "")
        assert look.damages == ()
        assert look.rows >= 2

    def test_nodes_of_all_users_are_counted(self, vital_stores: Stores) -> None:
        for user in ("ann", "bob"):
            vital_stores.graph.put(a_scope(user), a_belief(user=user))
        assert dict(vital_stores.health.census().nodes) == {"belief": 2}

    def test_the_newest_entry_is_the_one_made_last(self, vital_stores: Stores) -> None:
        vital_stores.ledger.append(an_event(recorded_at=MOMENT))
        assert vital_stores.health.census().newest_event == MOMENT

    def test_events_are_counted_by_when_they_were_born(self, vital_stores: Stores) -> None:
        hour = timedelta(hours=1)
        told_late = an_event_node("a", -7200.0)  # of two hours ago, and known since MOMENT
        vital_stores.graph.put(a_scope(), told_late)
        vital_stores.graph.put(a_scope(), an_event_node("b", 1800.0))
        vital_stores.graph.put(a_scope(), a_belief())
        census = vital_stores.health.census([MOMENT - hour, MOMENT, MOMENT + hour])
        assert census.born_by == (0, 1, 2)
