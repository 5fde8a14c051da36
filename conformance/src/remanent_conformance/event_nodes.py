"""What every graph promises of events and of what remains of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from remanent.core.model.event import (
    EventFacts,
    EventNode,
    SharedReferences,
    UnsummarizedSession,
    event_key,
)
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.core.model.relationship import LinkKind
from remanent.core.model.story import Level, Summary
from remanent.core.ports.graph import Graph, Nodes
from remanent_conformance.builders import MOMENT, a_link, a_scope, an_entity
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)
S1 = UnsummarizedSession(agent_id="helper", session_id="s1", count=0)


def an_event_node(event_id: str, *, user: str = "ann", **fields: Any) -> EventNode:
    """The node of an event in the session `s1` of the agent `helper`."""
    given = {
        "key": event_key(user, event_id),
        "user_id": user,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "event_type": "message",
        "text": event_id,
        "occurred_at": MOMENT,
        "agent_id": "helper",
        "session_id": "s1",
        **fields,
    }
    return EventNode(event_id=event_id, **given)


def a_summary(key: str, *, user: str = "ann", **fields: Any) -> Summary:
    """An episode of one event in the session `s1`."""
    given = {
        "user_id": user,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "text": key,
        "level": Level.EPISODE,
        "covers_from": MOMENT,
        "covers_to": MOMENT,
        "event_count": 1,
        "agent_id": "helper",
        "session_id": "s1",
        **fields,
    }
    return Summary(key=key, **given)


def stand_for(graph: Graph, event: EventNode, by: str = "summary") -> None:
    """A summary stands for the event."""
    graph.put(ANN, a_summary(by))
    graph.link(ANN, a_link(by, event.key, kind=LinkKind.SUMMARIZES))


class EventNodesContract(GraphPart):
    """Part of `GraphContract`."""

    # -- not told yet -------------------------------------------------------------------------

    def test_untold_sessions_come_by_importance_then_access_then_name(self, graph: Graph) -> None:
        used = Lifecycle(access_count=2)
        for event in (
            an_event_node("a", session_id="dull", importance_score=2.0),
            an_event_node("b", session_id="keen", importance_score=9.0),
            an_event_node("c", session_id="used", importance_score=2.0, life=used),
            an_event_node("d", session_id="dull", importance_score=1.0),
            an_event_node("e", session_id="also dull", importance_score=2.0),
            an_event_node("f", user="bob"),
        ):
            graph.put(a_scope(event.user_id), event)

        result = graph.untold_sessions(ANN, at=MOMENT)

        assert [(one.session_id, one.count) for one in result] == [
            ("keen", 1),
            ("used", 1),
            ("also dull", 1),
            ("dull", 2),
        ]
        assert graph.untold_sessions(ANN, at=MOMENT, limit=1) == result[:1]

    def test_what_is_told_or_came_later_is_not_untold(self, graph: Graph) -> None:
        done = an_event_node("done")
        later = an_event_node("later", occurred_at=MOMENT + MICROSECOND)
        unknown = an_event_node("unknown", created_at=MOMENT + MICROSECOND)
        for event in (done, later, unknown):
            graph.put(ANN, event)
        stand_for(graph, done)

        assert graph.untold_sessions(ANN, at=MOMENT) == []
        assert graph.select(ANN, unsummarized(MOMENT)) == []
        assert len(graph.select(ANN, unsummarized(MOMENT + MICROSECOND))) == 2

    def test_untold_events_come_in_order_of_time(self, graph: Graph) -> None:
        events = [
            an_event_node("z", occurred_at=MOMENT - HOUR),
            an_event_node("a", occurred_at=MOMENT.replace(microsecond=0)),
            an_event_node("b"),
            an_event_node("c"),
        ]
        others = [
            an_event_node("o", session_id="s2"),
            an_event_node("p", agent_id="another"),
        ]
        for event in (*reversed(events), *others):
            graph.put(ANN, event)

        assert graph.select(ANN, unsummarized(MOMENT)) == events
        assert graph.select(ANN, unsummarized(MOMENT, limit=2)) == events[:2]
        assert graph.select(BOB, unsummarized(MOMENT)) == []

    # -- what forgetting asks -----------------------------------------------------------------

    def test_the_facts_of_an_event(self, graph: Graph) -> None:
        pinned = Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER, access_count=4)
        parent = an_event_node(
            "parent",
            importance_score=7.5,
            raised=0.5,
            known_children=1,
            life=pinned,
            created_at=MOMENT + HOUR,
            is_enriched=True,
            seq=1,
        )
        child = an_event_node("child", seq=2)
        acme = an_entity()
        for node in (parent, child, acme):
            graph.put(ANN, node)
        graph.link(ANN, a_link(child.key, parent.key, kind=LinkKind.CAUSED_BY))
        graph.link(ANN, a_link(child.key, parent.key, kind=LinkKind.SIMILAR_TO))
        graph.link(ANN, a_link(parent.key, child.key, kind=LinkKind.SIMILAR_TO))
        graph.link(ANN, a_link(parent.key, acme.key, kind=LinkKind.REFERENCES))
        stand_for(graph, parent)

        result = {one.event_id: one for one in graph.event_facts(ANN, born_by=MOMENT + HOUR)}

        assert result["parent"] == EventFacts(
            key=parent.key,
            event_id="parent",
            born=MOMENT + HOUR,
            importance=7.5,
            raised=0.5,
            access_count=4,
            is_pinned=True,
            children=1,
            known_children=1,
            references=1,
            similar=2,
            is_told=True,
        )
        assert not result["child"].is_told
        assert not result["child"].is_enriched
        by_now = graph.event_facts(ANN, born_by=MOMENT)
        assert [one.event_id for one in by_now] == ["child"]

    def test_facts_come_in_pages_by_key(self, graph: Graph) -> None:
        keys = sorted(event_key("ann", str(n)) for n in range(5))
        for n in range(5):
            graph.put(ANN, an_event_node(str(n)))

        first = graph.event_facts(ANN, born_by=MOMENT, limit=3)
        rest = graph.event_facts(ANN, born_by=MOMENT, limit=3, after=first[-1].key)

        assert [one.key for one in (*first, *rest)] == keys
        assert graph.event_facts(BOB, born_by=MOMENT) == []

    # -- what belongs together ----------------------------------------------------------------

    def test_events_that_share_references(self, graph: Graph) -> None:
        one, same = an_event_node("one"), an_event_node("same")
        two = an_event_node("two", session_id="s2")
        three = an_event_node("three", session_id="s3")
        acme, zenith = an_entity("Acme"), an_entity("Zenith")
        for node in (one, same, two, three, acme, zenith):
            graph.put(ANN, node)
        for event, anchor in (
            (one, acme), (one, zenith), (same, acme), (two, acme), (two, zenith), (three, acme),
        ):  # fmt: skip
            graph.link(ANN, a_link(event.key, anchor.key, kind=LinkKind.REFERENCES))

        def query(most: int, rare: int) -> list[SharedReferences]:
            return graph.shared_references(ANN, [one.key], most=most, rare=rare)

        both = SharedReferences(key=one.key, other=two.key, count=2, rarest=2)
        assert query(9, 0) == [both]
        assert sorted(each.other for each in query(9, 4)) == sorted([two.key, three.key])
        assert query(3, 2) == [replace(both, count=1)]  # acme is too common to count
        assert query(3, 1) == []
        assert graph.shared_references(BOB, [one.key], most=9, rare=9) == []

    def test_weak_links_between_events_that_are_old_enough(self, graph: Graph) -> None:
        one, two = an_event_node("one"), an_event_node("two")
        late = an_event_node("late", occurred_at=MOMENT + HOUR)
        for node in (one, two, late):
            graph.put(ANN, node)
        weak = a_link(one.key, two.key, kind=LinkKind.SIMILAR_TO, weight=0.69, detail="x")
        for link in (
            weak,
            a_link(two.key, one.key, kind=LinkKind.SIMILAR_TO, weight=0.7),
            a_link(one.key, late.key, kind=LinkKind.SIMILAR_TO, weight=0.1),
            a_link(one.key, two.key, kind=LinkKind.FOLLOWS, weight=0.1),
        ):
            graph.link(ANN, link)

        def query(scope: Any, hours: int) -> list[Any]:
            born_by = MOMENT + hours * HOUR
            return graph.weak_links(scope, LinkKind.SIMILAR_TO, below=0.7, born_by=born_by)

        assert query(ANN, 0) == [weak]
        assert len(query(ANN, 1)) == 2
        assert query(BOB, 1) == []

    def test_what_was_accessed_together(self, graph: Graph) -> None:
        often = Lifecycle(access_count=3, last_accessed_at=MOMENT)
        most = replace(often, access_count=9)
        once = replace(often, access_count=1)
        apart = replace(often, last_accessed_at=MOMENT + HOUR)
        acme = an_entity("Acme", life=often)
        event = an_event_node("a", life=most)
        for node in (
            acme,
            event,
            an_event_node("b", life=once),
            an_event_node("c", life=apart),
            an_event_node("d"),
        ):
            graph.put(ANN, node)

        assert graph.accessed_together(ANN, least=3) == [(event.key, acme.key)]
        assert graph.accessed_together(ANN, least=4) == []
        assert graph.accessed_together(BOB, least=0) == []

    def test_events_since_a_moment(self, graph: Graph) -> None:
        first, second = an_event_node("a"), an_event_node("b", created_at=MOMENT + HOUR)
        for event in (first, second):
            graph.put(ANN, event)

        every = sorted((first, second), key=lambda one: one.key)
        assert graph.select(ANN, Nodes(EventNode, {"created_at >": None})) == every
        assert graph.select(ANN, Nodes(EventNode, {"created_at >": MOMENT})) == [second]
        assert graph.select(BOB, Nodes(EventNode)) == []

    # -- summaries ----------------------------------------------------------------------------

    def test_summaries_are_asked_for_by_what_they_are(self, graph: Graph) -> None:
        early = a_summary("early", covers_from=MOMENT - HOUR, covers_to=MOMENT)
        late = a_summary("late", covers_from=MOMENT + HOUR, covers_to=MOMENT + 2 * HOUR)
        session = a_summary("session", level=Level.SESSION, covers_to=MOMENT + 2 * HOUR)
        loose = a_summary("loose", session_id="", agent_id="", is_dirty=True)
        for one in (early, late, session, loose):
            graph.put(ANN, one)

        def query(**where: Any) -> list[str]:
            since, until = where.pop("since", None), where.pop("until", None)
            where |= {"covers_to >=": since, "covers_from <=": until}
            nodes = Nodes(Summary, where, ("-covers_to",), own=True)
            return [one.key for one in graph.select(ANN, nodes)]

        assert query() == ["late", "session", "early", "loose"]
        assert query(level=Level.EPISODE) == ["late", "early", "loose"]
        assert query(level=Level.EPISODE, session_id="s1") == ["late", "early"]
        assert query(agent_id="") == ["loose"]
        assert query(is_dirty=True) == ["loose"]
        assert query(is_dirty=False) == ["late", "session", "early"]
        assert query(since=MOMENT + HOUR) == ["late", "session"]
        assert query(until=MOMENT - HOUR) == ["early"]
        assert len(graph.select(ANN, Nodes(Summary, limit=2))) == 2
        assert graph.select(BOB, Nodes(Summary)) == []


def unsummarized(at: datetime, limit: int | None = None) -> Nodes[EventNode]:
    where = {
        "session_id": S1.session_id,
        "agent_id": S1.agent_id,
        "created_at <=": at,
        "occurred_at <=": at,
        "summarizes unlinked": True,
    }
    return Nodes(EventNode, where, ("occurred_at", "event_id"), limit=limit, own=True)
