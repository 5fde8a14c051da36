"""What every graph promises of events in time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from remanent.core.model.event import EventNode, EventQuery
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.ports.graph import Graph
from remanent.testing.builders import MOMENT, a_person, a_scope
from remanent_conformance.part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
SECOND = timedelta(seconds=1)


def an_event_node(key: str, after: float = 0.0, *, user: str = "ann", **fields: Any) -> EventNode:
    given = {
        "user_id": user,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "event_id": key,
        "event_type": "message",
        "text": key,
        "occurred_at": MOMENT + after * SECOND,
        **fields,
    }
    return EventNode(key=key, **given)


def keys(graph: Graph, limit: int = 99, **wanted: Any) -> list[str]:
    return [one.key for one in graph.happened(ANN, EventQuery(**wanted), limit=limit)]


class HappenedContract(GraphPart):
    """Part of `GraphContract`."""

    def test_the_newest_come_first(self, graph: Graph) -> None:
        times = {"a": 0.0, "d": 0.5, "c": 0.5, "e": 2.0, "b": 0.000001}
        for key, after in times.items():
            graph.put(ANN, an_event_node(key, after))

        assert keys(graph) == ["e", "c", "d", "b", "a"]
        assert keys(graph, limit=2) == ["e", "c"]
        assert keys(graph, limit=0) == []

    def test_an_event_comes_back_whole(self, graph: Graph) -> None:
        event = an_event_node(
            "a", payload={"n": [1, None]}, keywords=("x",), seq=7, importance_hint=3
        )
        graph.put(ANN, event)

        assert graph.happened(ANN, EventQuery(), limit=1) == [event]

    def test_only_ones_own_events_and_nothing_else(self, graph: Graph) -> None:
        graph.put(ANN, a_person())
        graph.put(ANN, an_event_node("a"))
        graph.put(BOB, an_event_node("b", user="bob"))

        assert keys(graph) == ["a"]

    def test_archived_events_are_left_out(self, graph: Graph) -> None:
        graph.put(ANN, an_event_node("a", life=Lifecycle(state=State.ARCHIVED)))

        assert keys(graph) == []

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({"session_id": "s1"}, ["b", "a"]),
            ({"agent_id": "x"}, ["c", "a"]),
            ({"agent_id": ""}, ["d"]),
            ({"event_type": "tool"}, ["d"]),
            ({"session_id": "s1", "agent_id": "y"}, ["b"]),
            ({"since": MOMENT + SECOND}, ["d", "c", "b"]),
            ({"until": MOMENT + SECOND}, ["b", "a"]),
            ({"since": MOMENT + SECOND, "until": MOMENT + 2 * SECOND}, ["c", "b"]),
            ({"session_id": "nobody's"}, []),
        ],
    )
    def test_it_can_be_narrowed(
        self, graph: Graph, wanted: dict[str, Any], expected: list[str]
    ) -> None:
        graph.put(ANN, an_event_node("a", 0, session_id="s1", agent_id="x"))
        graph.put(ANN, an_event_node("b", 1, session_id="s1", agent_id="y"))
        graph.put(ANN, an_event_node("c", 2, session_id="s2", agent_id="x"))
        graph.put(ANN, an_event_node("d", 3, event_type="tool"))

        assert keys(graph, **wanted) == expected
