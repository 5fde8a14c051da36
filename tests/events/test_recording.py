"""Agents' events: recorded, projected, enriched, asked for, and ended (SPEC 2, 7)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent import Memory, UserMemory
from remanent.clock import SteppedClock
from remanent.config import Config
from remanent.core.model.event import (
    SESSION_ENDED,
    Behind,
    EventNode,
    Lag,
    SessionOutcome,
    event_key,
)
from remanent.core.model.job import JobKind, JobState
from remanent.core.model.lifecycle import State
from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.source import Source
from remanent.core.ports.graph import Nodes
from remanent.errors import EmbedderError, Forbidden, InvalidInput
from remanent.events.enrich import enrich_events
from remanent.events.project import apply, project_events
from remanent.events.rules.ranking import EventRules
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import a_person, digest

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def said(ada: UserMemory, text: str, **fields: Any) -> str:
    """The key of a message that the user said in a session."""
    beside = {"session_id": "s1", "agent_id": "bot", **fields}
    return ada.record("message", {"role": "user", "text": text}, **beside).key


def node(ada: UserMemory, key: str) -> EventNode:
    found = ada.env.graph.get(ada.scope, key)
    assert isinstance(found, EventNode)
    return found


def links(ada: UserMemory, kind: LinkKind) -> set[tuple[str, str]]:
    """Texts at both ends of every link of a kind."""
    nodes = ada.env.graph.select(ada.scope, Nodes(EventNode))
    found = [one for node_ in nodes for one in _outward(ada, node_.key, kind)]
    return {(node(ada, one.src).text, node(ada, one.dst).text) for one in found}


def _outward(ada: UserMemory, key: str, kind: LinkKind) -> list[Link]:
    return ada.env.graph.links(ada.scope, key, kinds=(kind,), outward=True)


def graph_of(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope))


def opened(*, batch: int = 1000, enrich_batch: int = 100) -> Memory:
    config = Config(
        memory=":memory:",
        events=EventRules(batch=batch, enrich_batch=enrich_batch),
    )
    return Memory.open(
        config, clock=SteppedClock(NOW), mind=ScriptedMind(), embedder=HashEmbedder()
    )


# --- recording ---------------------------------------------------------------------------------


def test_an_event_is_in_the_ledger_when_it_comes_back(ada: UserMemory) -> None:
    done = ada.record(
        "tool.called",
        {"tool": "calendar"},
        agent_id="bot",
        session_id="s1",
        parent_event_id="p",
        occurred_at=NOW - MINUTE,
        importance_hint=8,
    )

    stored = ada.env.ledger.event(ada.scope, done.event_id)
    assert stored == done.event
    assert done.is_new
    assert done.seq > 0
    assert (stored.payload, stored.agent_id, stored.importance_hint) == ({"tool": "calendar"}, "bot", 8)  # fmt: skip
    assert ada.env.graph.get(ada.scope, done.key) is None


def test_a_record_does_as_well(ada: UserMemory) -> None:
    done = ada.record(
        {"event_type": "tool.called", "payload": {"n": 1}, "event_id": "e1"}, session_id="s1"
    )

    assert (done.event_id, done.event.session_id, done.event.payload) == ("e1", "s1", {"n": 1})
    with pytest.raises(InvalidInput, match="said twice") as problem:
        ada.record({"event_type": "x", "agent_id": "a"}, agent_id="b")
    assert problem.value.field == "agent_id"
    with pytest.raises(InvalidInput, match="a type or a record"):
        ada.record(5)  # type: ignore[arg-type]


def test_the_same_id_again_changes_nothing_and_says_so(ada: UserMemory) -> None:
    first = ada.record("tool.called", {"n": 1}, event_id="e1")
    ada.work()
    before = graph_of(ada), ada.env.ledger.last_seq(ada.scope)

    again = ada.record("tool.called", {"n": 2}, event_id="e1")

    assert not again.is_new
    assert again.event == first.event
    assert ada.work().done == 0
    assert (graph_of(ada), ada.env.ledger.last_seq(ada.scope)) == before


def test_an_id_of_another_event_is_refused(ada: UserMemory) -> None:
    ada.remember("I live in Oslo", event_id="e1")
    with pytest.raises(InvalidInput, match=r"belief\.remembered") as problem:
        ada.record("tool.called", event_id="e1")
    assert problem.value.field == "event_id"


def test_many_are_recorded_all_or_none(ada: UserMemory) -> None:
    before = ada.env.ledger.last_seq(ada.scope)
    good = {"event_type": "note", "event_id": "a"}

    with pytest.raises(InvalidInput) as problem:
        ada.record_many([good, {"event_type": "belief.remembered"}])
    assert problem.value.field == "events[1].event_type"
    with pytest.raises(InvalidInput, match="another event"):
        ada.record_many([good, {"event_type": "other", "event_id": "a"}])
    with pytest.raises(InvalidInput, match="list of events"):
        ada.record_many(good)  # type: ignore[arg-type]

    assert ada.env.ledger.last_seq(ada.scope) == before
    assert ada.jobs() == []
    done = ada.record_many([good, good, {"event_type": "note"}])
    assert [one.is_new for one in done] == [True, False, True]
    assert ada.record_many([]) == []


def test_a_teams_event_needs_membership(ada: UserMemory) -> None:
    with pytest.raises(Forbidden):
        ada.record("note", team="red")


def test_recording_waits_for_nobody(ada: UserMemory) -> None:
    keys = [said(ada, f"Number {n}") for n in range(3)]

    (job,) = ada.jobs()
    assert (job.kind, job.state) == (JobKind.PROJECT, JobState.READY)
    assert ada.work().done == 2
    assert all(node(ada, key).is_enriched for key in keys)
    assert {one.kind for one in ada.jobs()} == {JobKind.PROJECT, JobKind.ENRICH}


# --- projection --------------------------------------------------------------------------------


def test_events_follow_one_another_in_their_session(ada: UserMemory) -> None:
    for text, at, fields in (
        ("one", 1, {}),
        ("three", 3, {}),
        ("elsewhere", 2, {"session_id": "s2"}),
        ("another agent", 2, {"agent_id": "other"}),
        ("nowhere", 2, {"session_id": ""}),
        ("two", 2, {}),  # late
        ("also two", 2, {}),
        ("zero", 0, {}),
    ):
        said(ada, text, occurred_at=NOW + (at - 9) * MINUTE, **fields)
        ada.work()

    assert links(ada, LinkKind.FOLLOWS) == {
        ("one", "zero"),
        ("two", "one"),
        ("also two", "two"),
        ("three", "also two"),
    }


def test_causes_are_linked_whoever_comes_first(ada: UserMemory) -> None:
    said(ada, "child", parent_event_id="p")
    ada.work()
    said(ada, "parent", event_id="p")
    said(ada, "second child", parent_event_id="p")
    said(ada, "orphan", parent_event_id="nobody")
    ada.work()

    assert links(ada, LinkKind.CAUSED_BY) == {("child", "parent"), ("second child", "parent")}


def test_what_we_append_ourselves_becomes_no_node_twice(ada: UserMemory) -> None:
    ada.add("Maria moved to Bergen.")
    ada.remember("I live in Oslo")
    key = said(ada, "Hello there")
    ada.work()

    nodes = ada.env.graph.select(ada.scope, Nodes(EventNode))
    assert sorted(one.event_type for one in nodes if isinstance(one, EventNode)) == [
        "belief.remembered",
        "message",
    ]
    assert node(ada, key).is_recorded


def test_a_large_payload_stays_in_the_ledger(ada: UserMemory) -> None:
    done = ada.record("message", {"text": "word " * 3000})
    ada.work()

    assert node(ada, done.key).payload == {}
    assert node(ada, done.key).text.startswith("word word")
    assert done.event.payload == {"text": "word " * 3000}


events_of_a_life = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.sampled_from(
                ["the deploy of atlas failed", "the deploy of atlas failed again", "tea or coffee"]
            ),
            "minute": st.integers(0, 6),
            "session": st.sampled_from(["s1", "s2", ""]),
            "parent": st.none() | st.integers(0, 8),
        }
    ),
    max_size=9,
)


def placeless(ada: UserMemory) -> str:
    """The graph but for places in the ledger, which has our own events between those of agents."""
    return digest(ada.env.graph.export(ada.scope), without=("seq",))


def lived(events: list[dict[str, Any]], *, works: set[int], **sizes: int) -> Iterator[str]:
    """The graph after these events, worked on after some of them; then again from the beginning."""
    with opened(**sizes) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        for number, one in enumerate(events):
            ada.record(
                "message",
                {"role": "user", "text": one["text"]},
                event_id=f"e{number}",
                session_id=one["session"],
                parent_event_id=None if one["parent"] in (None, number) else f"e{one['parent']}",
                occurred_at=NOW - timedelta(hours=1) + one["minute"] * MINUTE,
            )
            if number in works:
                ada.work()
        ada.work()
        yield placeless(ada)
        for event in ada.env.ledger.replay(ada.scope):
            if event.event_type == "message":
                apply(ada.env, ada.scope, event)
        yield placeless(ada)


@settings(max_examples=times(15, 200))
@given(events_of_a_life, st.sets(st.integers(0, 8)))
def test_the_graph_is_the_same_however_it_came_about(
    events: list[dict[str, Any]], works: set[int]
) -> None:
    at_once = list(lived(events, works=set()))
    bit_by_bit = list(lived(events, works=works, batch=2, enrich_batch=1))

    assert len({*at_once, *bit_by_bit}) == 1


def test_a_failure_half_way_leaves_nothing_half_done(tmp_path: Path) -> None:
    class Failing(ScriptedMind):
        fails = True

        def topics(self, reading: Any) -> Any:
            if self.fails and "third" in reading.passages[0].text:
                raise EmbedderError("gone")
            return super().topics(reading)

    def life(mind: ScriptedMind, path: Path) -> Iterator[UserMemory]:
        config = Config(memory=str(path), events=EventRules(enrich_batch=2))
        with Memory.open(config, clock=SteppedClock(NOW), mind=mind, embedder=HashEmbedder()) as m:
            yield m.user("ada", name="Ada Lindqvist")

    graphs = []
    for name, mind in (("whole", ScriptedMind()), ("broken", Failing())):
        for ada in life(mind, tmp_path / f"{name}.db"):
            for number, text in enumerate(("first", "second", "third", "fourth")):
                said(ada, text, event_id=f"e{number}")
            ada.work()
            if isinstance(mind, Failing):
                assert ada.lag().projection.events == 0
                assert ada.lag().enrichment.events == 3
                mind.fails = False
                enrich_events(ada.env, ada.scope)
            assert ada.lag() == Lag()
            graphs.append(graph_of(ada))
    assert graphs[0] == graphs[1]


def test_what_is_recorded_while_a_job_runs_is_not_forgotten(memory: Memory) -> None:
    ada = memory.user("ada", name="Ada Lindqvist")
    queue, clock = ada.env.queue, ada.env.clock
    said(ada, "first")
    running = queue.claim("worker", now=clock.now(), lease=timedelta(hours=1))
    assert running is not None
    assert running.kind is JobKind.PROJECT
    project_events(ada.env, ada.scope)  # it has just looked for the last time

    key = said(ada, "second")
    ada.work()

    assert node(ada, key).is_enriched


def test_lag_says_how_far_behind_the_stages_are(ada: UserMemory, clock: SteppedClock) -> None:
    assert ada.lag() == Lag()
    ada.remember("I live in Oslo")
    assert ada.lag() == Lag()
    said(ada, "Hello")
    clock.advance(timedelta(seconds=90))
    said(ada, "Again")

    late = Behind(events=2, seconds=90.0)
    assert ada.lag() == Lag(projection=late, enrichment=late)
    assert ada.status().lag == ada.lag()
    project_events(ada.env, ada.scope)
    assert ada.lag() == Lag(enrichment=late)
    ada.work()
    assert ada.lag() == Lag()


def test_stages_can_stop_at_a_position(ada: UserMemory) -> None:
    first, second = said(ada, "first"), said(ada, "second")
    seq = ada.record("note", event_id="n").seq - 1
    assert project_events(ada.env, ada.scope, until=seq) == 2
    assert enrich_events(ada.env, ada.scope, until=seq - 1) == 1
    assert node(ada, first).is_enriched
    assert not node(ada, second).is_enriched
    assert ada.env.graph.get(ada.scope, event_key("ada", "n")) is None


# --- enrichment --------------------------------------------------------------------------------


def test_an_event_is_given_its_meaning(ada: UserMemory) -> None:
    env, scope = ada.env, ada.scope
    env.graph.put(scope, a_person("Maria", user="ada", key="maria"))
    long = "Maria wants the launch moved. " + "The venue and the caterer have to be told. " * 12
    key = said(ada, long, importance_hint=10)
    short = said(ada, "Thanks!")
    ada.work()

    event = node(ada, key)
    assert event.keywords
    assert event.summary == "Maria wants the launch moved."
    assert event.importance_score > 7
    assert [one.dst for one in _outward(ada, key, LinkKind.REFERENCES)] == ["maria"]
    assert node(ada, short).summary == "Thanks!"
    assert node(ada, short).importance_score < 3
    (hit, *_) = ada.search("caterer", kinds=["event"])
    assert (hit.key, hit.at, hit.ref) == (key, event.occurred_at, event.event_id)


def test_events_alike_are_linked_to_those_before_them(ada: UserMemory) -> None:
    for number in range(8):
        said(ada, "the nightly deploy of atlas failed", event_id=f"e{number}")
    said(ada, "tea or coffee for the visitors", event_id="other")
    ada.work()

    alike = {n: _outward(ada, event_key("ada", f"e{n}"), LinkKind.SIMILAR_TO) for n in range(8)}
    assert [len(alike[n]) for n in range(8)] == [0, 1, 2, 3, 4, 5, 5, 5]
    assert all(one.weight == 1.0 for one in itertools.chain(*alike.values()))
    assert _outward(ada, event_key("ada", "other"), LinkKind.SIMILAR_TO) == []


def test_what_causes_much_matters_more(ada: UserMemory) -> None:
    key = said(ada, "Let us look into it", event_id="cause")
    ada.work()
    before = node(ada, key).importance_score
    for number in range(7):
        ada.record("tool.called", {"n": number}, parent_event_id="cause")
    ada.work()

    assert node(ada, key).importance_score == before + 1.5


# --- asking ------------------------------------------------------------------------------------


def test_the_best_come_first_and_say_why(ada: UserMemory) -> None:
    said(ada, "the atlas launch is on friday")
    ada.record("heartbeat", {})
    ada.work()

    first, second = ada.events("when is the atlas launch", explain=True, touch=False)

    assert first.text == "the atlas launch is on friday"
    assert first.score > second.score
    assert [part.name for part in first.parts] == ["recency", "importance", "relevance", "affinity"]
    assert sum(part.points for part in first.parts) == pytest.approx(first.score)
    assert sum(first.signals.values()) == pytest.approx(first.score)
    assert ada.events(touch=False)[0].signals["relevance"] == 0.5


def test_what_is_returned_is_strengthened(ada: UserMemory, clock: SteppedClock) -> None:
    key = said(ada, "the atlas launch is on friday")
    ada.work()
    clock.advance(timedelta(days=3))

    ada.events(touch=False)
    assert node(ada, key).life.access_count == 0
    before = ada.events()[0]
    assert before.event.life.access_count == 0
    after = node(ada, key)
    assert (after.life.access_count, after.stability) == (1, 192.0)
    assert after.life.last_accessed_at == clock.now()
    assert ada.events()[0].score > before.score


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"session_id": "s2"}, {"b"}),
        ({"agent_id": "bot"}, {"a", "b"}),
        ({"event_type": "note"}, {"c"}),
        ({"since": NOW - 2 * MINUTE}, {"b", "c"}),
        ({"until": NOW - 3 * MINUTE}, {"a"}),
        ({"query": "plans", "event_type": "note"}, {"c"}),
        ({"query": "plans", "since": NOW - MINUTE}, {"c"}),
    ],
)
def test_events_can_be_narrowed(ada: UserMemory, asked: Any, expected: set[str]) -> None:
    said(ada, "plans for may", event_id="a", occurred_at=NOW - 3 * MINUTE)
    said(ada, "plans for june", event_id="b", occurred_at=NOW - 2 * MINUTE, session_id="s2")
    ada.record("note", {"text": "plans for july"}, event_id="c")
    ada.work()

    assert {one.event.event_id for one in ada.events(**asked)} == expected


def test_the_session_that_asks_comes_nearest(ada: UserMemory) -> None:
    for session in ("s1", "s2", "s3"):
        said(ada, f"a word in {session}", session_id=session)
    ada.work()

    assert ada.events(current_session="s2", touch=False)[0].event.session_id == "s2"


def test_shared_entities_bring_events_nearer(ada: UserMemory, clock: SteppedClock) -> None:
    env, scope = ada.env, ada.scope
    env.graph.put(scope, a_person("Maria", user="ada", key="maria"))
    said(ada, "Lunch was fine", event_id="lunch", importance_hint=9)
    said(ada, "Maria was late", event_id="maria", importance_hint=9)
    ada.work()
    hits = {one.event.event_id: one for one in ada.events(touch=False, explain=True)}

    assert "shared entities 1.00" in hits["maria"].parts[-1].said
    assert "shared entities 0.00" in hits["lunch"].parts[-1].said
    assert [one.event.event_id for one in ada.events(limit=1, touch=False)] == ["maria"]


def test_what_was_forgotten_is_not_told(ada: UserMemory) -> None:
    belief = ada.remember("I live in Oslo").belief
    assert [one.text for one in ada.events(touch=False)] == ["I live in Oslo"]

    ada.forget(belief.key)

    assert ada.events("Oslo") == []


def test_without_an_embedder_relevance_is_unknown(tmp_path: Path, clock: SteppedClock) -> None:
    class Lost(HashEmbedder):
        def embed(self, texts: Any, *, kind: str = "passage") -> Any:
            if "launch?" in list(texts):
                raise EmbedderError("gone")
            return super().embed(texts)

    with Memory.open(
        tmp_path / "m.db", clock=clock, mind=ScriptedMind(), embedder=Lost()
    ) as memory:
        ada = memory.user("ada")
        said(ada, "the launch is on friday")
        ada.work()
        (hit,) = ada.events("launch?")
        assert hit.signals["relevance"] == 0.5


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("query", {"query": " "}),
        ("limit", {"limit": 0}),
        ("session_id", {"session_id": ""}),
        ("since", {"since": datetime(2026, 1, 1)}),  # noqa: DTZ001
        ("until", {"until": "today"}),
    ],
)
def test_a_bad_question_is_refused(ada: UserMemory, field: str, asked: Any) -> None:
    with pytest.raises(InvalidInput) as problem:
        ada.events(**asked)
    assert problem.value.field == field


def test_events_are_their_users_alone(memory: Memory) -> None:
    ada, bob = memory.user("ada"), memory.user("bob")
    said(ada, "the atlas launch is on friday", event_id="e")
    said(bob, "the atlas launch is on monday", event_id="e")
    memory.work()

    assert [one.text for one in bob.events("atlas launch")] == ["the atlas launch is on monday"]
    with pytest.raises(InvalidInput):
        memory.user("eve").end_session("s1")


# --- the end of a session ----------------------------------------------------------------------


def test_a_session_becomes_one_source(ada: UserMemory) -> None:
    said(ada, "Maria moves to Bergen in May.", event_id="m1", occurred_at=NOW - 5 * MINUTE)
    ada.record("tool.called", {"tool": "map"}, session_id="s1", agent_id="bot")
    ada.record(
        "message",
        {"role": "assistant", "text": "Noted."},
        session_id="s1",
        agent_id="bot",
        event_id="m2",
        occurred_at=NOW - 4 * MINUTE,
    )

    ended = ada.end_session("s1")
    ada.work()

    assert (ended.outcome, ended.agent_id, ended.messages) == (SessionOutcome.KEPT, "bot", 2)
    page = ada.read(ended.source_key or "")
    assert isinstance(page.node, Source)
    assert (page.node.origin_id, page.node.started_at) == ("bot/s1", NOW - 5 * MINUTE)
    assert [(one.ref, one.speaker) for one in page.passages] == [
        ("m1", "user"),
        ("m2", "assistant"),
    ]
    assert ada.search("Bergen")[0].source_key == ended.source_key


def test_a_session_ends_once(ada: UserMemory) -> None:
    said(ada, "Maria moves to Bergen in May.")
    ended = ada.end_session("s1", agent_id="bot")
    ada.work()
    before = graph_of(ada), ada.env.ledger.last_seq(ada.scope)

    again = ada.end_session("s1")

    assert (again.outcome, again.source_key, again.later) == (
        SessionOutcome.KNOWN,
        ended.source_key,
        0,
    )
    assert (graph_of(ada), ada.env.ledger.last_seq(ada.scope)) == before
    said(ada, "And one more thing.")
    assert ada.end_session("s1").later == 1


def test_a_silent_session_says_so(ada: UserMemory) -> None:
    ada.record("tool.called", {"tool": "map"}, session_id="s1")

    ended = ada.end_session("s1")

    assert (ended.outcome, ended.source_key, ended.messages) == (SessionOutcome.SILENT, None, 0)
    assert ada.end_session("s1").outcome is SessionOutcome.KNOWN
    replayed = ada.env.ledger.replay(ada.scope)
    assert [one.session_id for one in replayed if one.event_type == SESSION_ENDED] == ["s1"]


def test_sessions_of_two_agents_are_two(ada: UserMemory) -> None:
    said(ada, "Hello to one", agent_id="one")
    said(ada, "Hello to two", agent_id="two")

    with pytest.raises(InvalidInput, match="'one', 'two'") as problem:
        ada.end_session("s1")
    assert problem.value.field == "agent_id"
    keys = {ada.end_session("s1", agent_id=agent).source_key for agent in ("one", "two")}
    assert len(keys) == 2


@pytest.mark.parametrize("session", ["nobody's", "", 5])
def test_an_unknown_session_is_refused(ada: UserMemory, session: Any) -> None:
    with pytest.raises(InvalidInput) as problem:
        ada.end_session(session)
    assert problem.value.field == "session_id"


def test_long_ids_are_no_obstacle(ada: UserMemory) -> None:
    session, agent = "s" * 400, "a" * 400
    said(ada, "Hello", session_id=session, agent_id=agent)

    assert ada.end_session(session).source_key is not None


def test_who_becomes_known_later_is_found_in_earlier_events(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    told = ("she moved", "she sails", "she sings")
    mind.candidates = {
        "Maria": [Candidate(kind=Kind.PERSON, name="Maria Sol", confidence=9, subpoints=told)]
    }
    early = said(ada, "Maria was late")
    other = said(ada, "Nobody was late")
    ada.work()
    before = node(ada, early).importance_score
    ada.add("Maria Sol moved to Bergen. Maria sails. Maria sings.")
    ada.work()
    late = said(ada, "Maria was early")
    ada.work()

    (anchor,) = [one for one in ada.anchors("person") if one.name == "Maria Sol"]
    for key in (early, late):
        assert [one.dst for one in _outward(ada, key, LinkKind.REFERENCES)] == [anchor.key]
    assert _outward(ada, other, LinkKind.REFERENCES) == []
    assert node(ada, early).importance_score == before + 0.25
    assert node(ada, late).importance_score == before + 0.25


def test_search_dates_an_event_by_when_it_happened(ada: UserMemory) -> None:
    said(ada, "the atlas launch is on friday", occurred_at=NOW - timedelta(days=9))
    ada.work()

    assert ada.search("atlas launch", kinds=["event"], until=NOW - timedelta(days=8))
    assert not ada.search("atlas launch", kinds=["event"], since=NOW - timedelta(days=8))


def test_what_is_put_away_is_not_told(ada: UserMemory) -> None:
    key = said(ada, "the atlas launch is on friday")
    ada.work()
    event = node(ada, key)
    away = replace(event, life=replace(event.life, state=State.ARCHIVED))
    ada.env.graph.put(ada.scope, away)

    assert ada.events("atlas launch") == []
    assert ada.events() == []


# --- recurrence, teams, consumers ------------------------------------------------------------------


def test_what_was_brought_up_before_the_session_does_not_recur_in_it(
    ada: UserMemory, clock: SteppedClock
) -> None:
    said(ada, "The caterer is booked.", session_id="old")
    ada.work()
    ada.events("caterer")
    clock.advance(timedelta(days=1))
    said(ada, "What about food?", session_id="new")
    ada.work()

    def affinity() -> float:
        hits = ada.events("caterer", current_session="new", touch=False, session_id="old")
        return hits[0].signals["affinity"]

    before = affinity()
    ada.events("caterer", session_id="old")
    again = affinity()

    assert before == pytest.approx(0.5 * 0.7 / 3)
    assert again == pytest.approx(0.5 * (0.7 + 2 / 3) / 3)


def test_a_teams_events_are_read_by_its_members_and_strengthened_by_nobody_else(
    memory: Memory, clock: SteppedClock
) -> None:
    ada, bob = memory.user("ada", name="Ada Lindqvist"), memory.user("bob", name="Bob Ek")
    bob.create_team("The Crew", "crew")
    ada.accept(bob.invite("crew", "ada").invitation_id)
    shared = said(bob, "The caterer for the crew is booked.", team="crew")
    own = said(bob, "The caterer is too dear, between you and me.")
    memory.work()
    before = node(bob, shared)

    assert [one.key for one in ada.events("caterer")] == [shared]
    assert [one.key for one in ada.events()] == [shared]
    (hit,) = ada.search("caterer", kinds=["event"])
    assert (hit.key, hit.contributed_by) == (shared, "bob")
    assert ada.read(shared).node.key == shared
    assert node(bob, shared).life.access_count == before.life.access_count
    assert ada.replay() == [one for one in ada.replay() if one.user_id == "ada"]
    with pytest.raises(Forbidden):
        ada.erase(shared)
    assert {one.key for one in bob.events()} == {shared, own}

    said(ada, "The caterer for the crew is booked.")  # nothing of Ada's hangs on what is Bob's
    memory.work()
    assert links(ada, LinkKind.SIMILAR_TO) == set()

    ada.leave_team("crew")
    assert shared not in [one.key for one in ada.events("caterer")]


def test_what_was_recorded_for_a_team_before_nodes_told_of_it_is_read_by_it_after_a_rebuild(
    memory: Memory,
) -> None:
    ada, bob = memory.user("ada", name="Ada Lindqvist"), memory.user("bob", name="Bob Ek")
    bob.create_team("The Crew", "crew")
    ada.accept(bob.invite("crew", "ada").invitation_id)
    shared = said(bob, "The caterer for the crew is booked.", team="crew")
    memory.work()
    memory.env.graph.put(bob.scope, replace(node(bob, shared), team_id=None))  # as it was before
    assert ada.events() == []
    with memory.rebuild() as made:
        made.switch()
    assert [one.key for one in ada.events("caterer")] == [shared]
    assert [one.key for one in ada.search("caterer", kinds=["event"])] == [shared]


def test_a_consumer_of_ones_own_goes_on_where_it_was(ada: UserMemory) -> None:
    for text in ("one", "two", "three"):
        said(ada, text)
    ada.work()
    everything = ada.replay()

    assert [one.seq for one in everything] == sorted(one.seq for one in everything)
    first = ada.replay(consumer="mine", limit=2)
    assert ada.replay(consumer="mine", limit=2) == first  # until it says that it is done
    assert ada.advance("mine", first[-1].seq).seq == first[-1].seq
    assert ada.replay(consumer="mine") == everything[2:]
    assert ada.replay(0, consumer="mine") == everything
    assert ada.advance("mine", 0).seq == first[-1].seq  # never back
    ada.advance("projection", everything[-1].seq)  # ours is another of that name
    said(ada, "four")
    assert ada.lag().projection.events == 1
    with pytest.raises(InvalidInput, match="seq"):
        ada.advance("mine", 10_000)


def test_how_deep_events_are_enriched_can_be_set() -> None:
    rules = EventRules(similar_most=0, summary_from_characters=1_000_000)
    config = Config(memory=":memory:", events=rules)
    mind = ScriptedMind()
    with Memory.open(
        config, clock=SteppedClock(NOW), mind=mind, embedder=HashEmbedder()
    ) as shallow:
        ada = shallow.user("ada", name="Ada Lindqvist")
        for number in range(2):
            said(ada, "The caterer is booked. " * 50, event_id=f"e{number}")
        shallow.work()

        assert links(ada, LinkKind.SIMILAR_TO) == set()
        assert "summarize" not in mind.asked
        assert len(ada.events("caterer")) == 2
