"""What happened is gone over again: linked, told in short, weighed, and let go in time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.env import Env
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.event import (
    EVENTS_RECONSOLIDATED,
    Event,
    EventNode,
    ForgottenEvent,
    event_key,
)
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.core.model.story import Level, Summary
from remanent.core.ports.graph import Nodes
from remanent.core.ports.records import Select
from remanent.errors import InvalidInput, MindError, UnknownKey
from remanent.events import project
from remanent.events.forget import let_go_events
from remanent.events.reconsolidate import apply
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_link, an_entity, an_entry, digest

NINE = datetime(2026, 5, 4, 9, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def happen(ada: UserMemory, text: str, at: datetime = NINE, **fields: Any) -> str:
    """An event that is in the ledger and in the graph, as the first two stages leave it."""
    env, scope = ada.env, ada.scope
    event_id = fields.pop("event_id", text.replace(" ", "-"))
    life = fields.pop("life", Lifecycle())
    score = fields.pop("importance_score", 3.0)
    event, _ = env.ledger.append(
        Event(
            event_id=event_id,
            user_id=ada.user_id,
            event_type="message",
            payload={"text": text},
            occurred_at=at,
            recorded_at=at,
            agent_id=fields.pop("agent_id", "helper"),
            session_id=fields.pop("session_id", "s1"),
            **fields,
        )
    )
    project.apply(env, scope, event)
    key = event_key(ada.user_id, event_id)
    node = env.graph.get(scope, key)
    assert isinstance(node, EventNode)
    env.graph.put(scope, replace(node, life=life, importance_score=score, is_enriched=True))
    return key


def night(ada: UserMemory, at: datetime) -> JobOutcome:
    return ada.env.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, at)


def told(ada: UserMemory) -> list[Event]:
    events = ada.env.ledger.replay(ada.scope, limit=100_000)
    return [one for one in events if one.event_type == EVENTS_RECONSOLIDATED]


def whole(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope))


def here(ada: UserMemory, *keys: str) -> list[bool]:
    found = ada.env.graph.get_many(ada.scope, keys)
    return [key in found for key in keys]


# --- summaries ---------------------------------------------------------------------------------


def test_an_episode_a_session_and_an_agent_are_told(ada: UserMemory) -> None:
    first = happen(ada, "The build fails. Nobody knows why.")
    happen(ada, "Found the cause.", NINE + 10 * MINUTE)
    happen(ada, "A new day in this session.", NINE + 2 * HOUR)
    happen(ada, "Elsewhere.", NINE, session_id="s2")

    rest = night(ada, NINE + DAY)

    episodes = ada.summaries("episode", "s1")
    assert [(one.text, one.event_count) for one in reversed(episodes)] == [
        ("The build fails.", 2),
        ("A new day in this session.", 1),
    ]
    (session,) = ada.summaries("session", "s1")
    assert (session.event_count, session.covers_from) == (3, NINE)
    assert session.covers_to == NINE + 2 * HOUR
    (agent,) = ada.summaries(Level.AGENT)
    assert (agent.agent_id, agent.event_count) == ("helper", 4)
    assert rest.counts["summarized"] == 6
    links = ada.env.graph.links(ada.scope, first, kinds=[LinkKind.SUMMARIZES])
    assert [link.src for link in links] == [episodes[-1].key]
    below = ada.env.graph.links(ada.scope, agent.key, kinds=[LinkKind.SUMMARIZES])
    assert {link.dst for link in below} == {one.key for one in ada.summaries("session")}


def test_twice_is_once(ada: UserMemory) -> None:
    for n in range(6):
        happen(ada, f"event {n} of six", NINE + n * 20 * MINUTE, session_id=f"s{n % 2}")
    night(ada, NINE + 2 * DAY)
    before, events = whole(ada), len(told(ada))

    again = night(ada, NINE + 2 * DAY)

    assert again.is_idle
    assert (whole(ada), len(told(ada))) == (before, events)


def test_what_is_still_going_on_waits(ada: UserMemory) -> None:
    happen(ada, "one")
    happen(ada, "two", NINE + 20 * MINUTE)

    rest = night(ada, NINE + 40 * MINUTE)
    assert rest.is_idle
    assert rest.left == 0
    assert night(ada, NINE + 51 * MINUTE).counts["summarized"] == 3


def test_what_was_not_yet_recorded_then_is_not_told_then(
    ada: UserMemory, clock: SteppedClock
) -> None:
    happen(ada, "one")

    assert night(ada, NINE - HOUR).is_idle


def test_a_late_event_joins_its_episode(ada: UserMemory, mind: ScriptedMind) -> None:
    happen(ada, "Middle.", NINE)
    night(ada, NINE + DAY)
    (before,) = ada.summaries("episode")
    happen(ada, "Earlier, told late.", NINE - 20 * MINUTE)

    night(ada, NINE + 2 * DAY)

    (after,) = ada.summaries("episode")
    assert after.key == before.key
    assert (after.event_count, after.text) == (2, "Earlier, told late.")
    assert after.created_at == before.created_at


def test_only_what_changed_is_asked_of_the_mind_again(ada: UserMemory, mind: ScriptedMind) -> None:
    happen(ada, "one", session_id="s1")
    happen(ada, "two", session_id="s2")
    night(ada, NINE + DAY)
    mind.asked.clear()
    happen(ada, "three", NINE + DAY, session_id="s3")

    night(ada, NINE + 2 * DAY)

    assert mind.asked == ["summarize", "summarize"]  # the new episode, and the agent


def test_the_most_important_first_and_the_rest_is_left(ada: UserMemory) -> None:
    for n in range(5):
        happen(ada, f"event {n}", session_id=f"s{n}", importance_score=float(n))
    boxed = _boxed(ada, events_a_run=2)

    rest = boxed.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY)

    assert {one.session_id for one in ada.summaries("session")} == {"s4", "s3"}
    assert rest.left == 3
    assert boxed.do_night_job(
        SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY
    ).is_idle  # this run is over; the next comes six hours later
    assert boxed.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + 1.25 * DAY).left == 1
    assert boxed.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + 1.5 * DAY).left == 0
    assert len(ada.summaries("session")) == 5


def test_more_sessions_than_are_looked_at_together_are_told_in_one_run(ada: UserMemory) -> None:
    env = ada.env
    with env.atomic():
        for n in range(255):
            happen(ada, f"event {n}", session_id=f"s{n}")

    env.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY)

    assert env.graph.untold_sessions(ada.scope, at=NINE + DAY) == []
    assert env.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY).is_idle


def test_then_by_how_often_it_was_asked_for(ada: UserMemory) -> None:
    for n in range(3):
        happen(ada, f"event {n}", session_id=f"s{n}", life=Lifecycle(access_count=n))

    _boxed(ada, events_a_run=1).do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY)

    assert [one.session_id for one in ada.summaries("session")] == ["s2"]


def test_a_long_session_is_cut_into_episodes(ada: UserMemory) -> None:
    for n in range(7):
        happen(ada, f"event {n}", NINE + n * MINUTE)
    short = _boxed(ada, episode_events=3)

    short.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY)

    assert sorted(one.event_count for one in ada.summaries("episode")) == [1, 3, 3]
    assert short.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY).is_idle


def test_events_without_a_session_are_their_agents_own(ada: UserMemory) -> None:
    ada.remember("I live in Oslo")

    night(ada, NINE + DAY)

    assert {one.level for one in ada.summaries()} == {Level.EPISODE, Level.AGENT}


def test_summaries_are_found_and_opened(ada: UserMemory) -> None:
    happen(ada, "The heron landed on the roof.")
    night(ada, NINE + DAY)

    hits = [hit for hit in ada.search("heron roof") if hit.kind is Kind.SUMMARY]

    assert hits[0].text == "The heron landed on the roof."
    page = ada.read(ada.summaries("episode")[0].key)
    (covered,) = page.covered
    assert (covered.text, covered.is_gone) == ("The heron landed on the roof.", False)


def test_what_says_the_same_is_found_once(ada: UserMemory) -> None:
    happen(ada, "The heron landed on the roof.")
    night(ada, NINE + DAY)
    assert len([hit for hit in ada.search("heron") if hit.kind is Kind.SUMMARY]) == 1

    happen(ada, "The stork landed on the barn.", NINE + DAY, session_id="s2")
    night(ada, NINE + 2 * DAY)

    assert {one.text for one in ada.summaries("session")} == {
        "The heron landed on the roof.",
        "The stork landed on the barn.",
    }
    found = [hit.key for hit in ada.search("landed") if hit.kind is Kind.SUMMARY]
    assert sorted(found) == sorted(one.key for one in ada.summaries("episode"))


def test_a_mind_that_fails_stops_nothing_but_that(
    ada: UserMemory,
) -> None:
    happen(ada, "Unspeakable.", session_id="s1")
    happen(ada, "Fine.", session_id="s2")
    calm = _with_mind(ada, Choosy())

    rest = calm.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + DAY)

    assert {one.session_id for one in ada.summaries("session")} == {"s2"}
    assert rest.left == 1
    assert night(ada, NINE + DAY).left == 0
    assert len(ada.summaries("session")) == 2


class Choosy(ScriptedMind):
    def summarize(self, reading: Reading) -> str:
        if "Unspeakable" in reading.passages[0].text:
            raise MindError("no")
        return super().summarize(reading)


def test_bad_questions_name_the_field(ada: UserMemory) -> None:
    for field, asked in (
        ("level", {"level": "week"}),
        ("limit", {"limit": 0}),
        ("session_id", {"session_id": ""}),
    ):
        with pytest.raises(InvalidInput, match=field):
            ada.summaries(**asked)


# --- links and weights -------------------------------------------------------------------------


def reference(ada: UserMemory, keys: Iterable[str], name: str) -> None:
    anchor = an_entity(name, user="ada")
    ada.env.graph.put(ada.scope, anchor)
    for key in keys:
        link = a_link(key, anchor.key, kind=LinkKind.REFERENCES, user="ada")
        ada.env.graph.link(ada.scope, link)


def similar(ada: UserMemory, key: str) -> list[tuple[str, float]]:
    links = ada.env.graph.links(ada.scope, key, kinds=[LinkKind.SIMILAR_TO])
    return [(one.detail, one.weight) for one in links]


def test_events_of_two_sessions_that_share_what_they_name_are_linked(ada: UserMemory) -> None:
    one = happen(ada, "alpha", session_id="s1")
    other = happen(ada, "omega", NINE + DAY, session_id="s2")
    same = happen(ada, "psi", NINE + DAY, session_id="s2")
    common = [happen(ada, f"filler {n}", session_id=f"f{n}") for n in range(4)]
    reference(ada, [one, other, *common], "Acme")
    night(ada, NINE + 2 * DAY)
    assert similar(ada, one) == []  # what everyone names says little

    late = happen(ada, "late", NINE + 3 * DAY, session_id="s3")
    reference(ada, [one, late], "Zenith")
    night(ada, NINE + 4 * DAY)

    assert similar(ada, late) == [("cross-session", 0.75)]
    (link,) = ada.env.graph.links(ada.scope, late, kinds=[LinkKind.SIMILAR_TO])
    assert (link.src, link.dst) == (late, one)
    assert similar(ada, same) == []


def test_likeness_links_sessions_too(ada: UserMemory) -> None:
    env = ada.env
    keys = [
        happen(ada, "the heron on the roof", session_id="s1"),
        happen(ada, "the heron on the roof", event_id="b", session_id="s2"),
        happen(ada, "the heron on the roof", event_id="c", session_id="s2"),
    ]
    env.index.put([_entry(env, key, "the heron on the roof") for key in keys])

    night(ada, NINE + DAY)

    assert len(similar(ada, keys[0])) == 2
    assert all(weight == pytest.approx(1.0) for _, weight in similar(ada, keys[0]))


def _entry(env: Any, key: str, text: str) -> Any:
    vector = env.embedder.embed([text])[0]
    return an_entry(key, text, vector, user="ada", kind=Kind.EVENT)


def test_what_caused_much_matters_more_and_is_raised_once(ada: UserMemory) -> None:
    parent = happen(ada, "decision", importance_score=4.0)
    for n in range(3):
        happen(ada, f"child {n}", NINE + MINUTE, parent_event_id="decision")

    night(ada, NINE + DAY)
    night(ada, NINE + DAY)

    node = ada.env.graph.get(ada.scope, parent)
    assert isinstance(node, EventNode)
    assert (node.importance_score, node.raised, node.known_children) == (6.0, 2.0, 3)


def test_what_is_often_asked_for_together_gets_a_shortcut(ada: UserMemory) -> None:
    together = Lifecycle(access_count=3, last_accessed_at=NINE + HOUR)
    once = Lifecycle(access_count=1, last_accessed_at=NINE + HOUR)
    one = happen(ada, "one", life=together, session_id="s1")
    other = happen(ada, "other", life=together, session_id="s2")
    happen(ada, "seldom", life=once, session_id="s3")

    rest = night(ada, NINE + DAY)

    links = ada.env.graph.links(ada.scope, one, kinds=[LinkKind.SHORTCUT])
    assert [{link.src, link.dst} for link in links] == [{one, other}]
    assert rest.counts["shortened"] == 1
    assert night(ada, NINE + DAY).is_idle


# --- forgetting --------------------------------------------------------------------------------


def test_the_tiers(ada: UserMemory) -> None:
    dull = happen(ada, "dull")
    keen = happen(ada, "keen", importance_score=5.0)
    used = happen(ada, "used", life=Lifecycle(access_count=3))
    kept = happen(ada, "kept", life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))

    night(ada, NINE + 7 * DAY - HOUR)
    assert here(ada, dull, keen, used, kept) == [True] * 4

    rest = night(ada, NINE + 7 * DAY)
    assert here(ada, dull, keen, used, kept) == [False, True, True, True]
    assert rest.counts == {"let_go": 1}

    night(ada, NINE + 30 * DAY)
    assert here(ada, dull, keen, used, kept) == [False, False, False, True]
    assert night(ada, NINE + 30 * DAY).is_idle
    (summary,) = ada.summaries("episode")
    assert summary.event_count == 4


def test_the_report_says_what_went_and_why(ada: UserMemory) -> None:
    happen(ada, "dull")
    happen(ada, "dull too")
    night(ada, NINE + 2 * DAY)

    (change,) = night(ada, NINE + 8 * DAY).changes

    assert (change.what, change.name) == ("let go", "2 events")
    assert change.why == "2 of little weight after a week"
    assert ada.read(change.key).node.kind is Kind.EVENT  # the entry in the ledger


def test_it_is_a_job_of_the_night(ada: UserMemory, clock: SteppedClock) -> None:
    happen(ada, "dull", clock.now())
    ada.sleep()
    clock.advance(DAY)

    ada.sleep(only=["reconsolidate"])

    assert len(ada.summaries("episode")) == 1


def test_every_letting_go_is_in_the_ledger_with_counts(ada: UserMemory) -> None:
    happen(ada, "dull")
    happen(ada, "keen", importance_score=9.0)
    night(ada, NINE + 8 * DAY)
    night(ada, NINE + 31 * DAY)

    gone = [one.payload for one in told(ada) if one.payload["what"] == "events_let_go"]

    assert [one["counts"] for one in gone] == [{"cold": 1, "gone": 0}, {"cold": 0, "gone": 1}]
    assert [one["events"]["cold"] for one in gone] == [["dull"], []]
    assert gone[1]["at"] == (NINE + 31 * DAY).isoformat()


def test_nothing_leaves_before_it_is_told(ada: UserMemory) -> None:
    key = happen(ada, "Unspeakable.")

    _with_mind(ada, Choosy()).do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + 60 * DAY)
    assert here(ada, key) == [True]

    night(ada, NINE + 60 * DAY)
    assert here(ada, key) == [False]


def test_what_led_to_much_is_protected_in_the_cold(ada: UserMemory) -> None:
    parent = happen(ada, "decision", importance_score=1.0)
    children = [
        happen(ada, f"child {n}", NINE + MINUTE, parent_event_id="decision") for n in range(3)
    ]

    night(ada, NINE + 8 * DAY)
    night(ada, NINE + 8 * DAY)

    assert here(ada, parent, *children) == [True, False, False, False]
    night(ada, NINE + 31 * DAY)
    assert here(ada, parent) == [False]


def test_weak_likeness_outlives_the_first_day_only(ada: UserMemory) -> None:
    env, scope = ada.env, ada.scope
    one, other = happen(ada, "one"), happen(ada, "other", NINE + 5 * HOUR)
    weak = a_link(one, other, kind=LinkKind.SIMILAR_TO, user="ada", weight=0.69)
    strong = a_link(other, one, kind=LinkKind.SIMILAR_TO, user="ada", weight=0.7)
    for link in (weak, strong):
        env.graph.link(scope, link)

    night(ada, NINE + 26 * HOUR)
    assert len(similar(ada, one)) == 2  # the younger of the two is not a day old yet
    rest = night(ada, NINE + 30 * HOUR)

    assert similar(ada, one) == [("", 0.7)]
    assert rest.counts["links_let_go"] == 1


def test_what_is_let_go_is_no_longer_found_but_its_summary_is(ada: UserMemory) -> None:
    key = happen(ada, "The heron landed on the roof.")
    env = ada.env
    env.index.put([_entry(env, key, "The heron landed on the roof.")])

    night(ada, NINE + 40 * DAY)

    near = env.index.match(ada.scope, "heron", kinds=[Kind.EVENT], limit=9)
    assert near == []
    assert ada.search("heron")[0].kind is Kind.SUMMARY


def test_only_what_a_summary_stands_for_is_let_go_and_leaves_a_trace(ada: UserMemory) -> None:
    told_of, untold = happen(ada, "The heron.", event_id="e1"), happen(ada, "The crow.")
    night(ada, NINE + DAY)
    (episode,) = ada.summaries("episode")
    for link in ada.env.graph.links(ada.scope, untold, kinds=[LinkKind.SUMMARIZES]):
        ada.env.graph.unlink(ada.scope, link)

    gone = let_go_events(ada.env, ada.scope, ["e1", "The-crow.", "unknown"])

    assert gone == 1
    assert here(ada, told_of, untold, episode.key) == [False, True, True]
    trace = ForgottenEvent(key=told_of, event_id="e1", summary_key=episode.key)
    assert ada.env.records.find(ada.scope, Select(ForgottenEvent)) == [trace]
    assert let_go_events(ada.env, ada.scope, ["e1"]) == 0


def test_an_event_that_is_gone_is_read_from_the_ledger(ada: UserMemory, memory: Memory) -> None:
    key = happen(ada, "The heron landed on the roof.", event_id="heron-1")
    night(ada, NINE + 40 * DAY)
    assert here(ada, key) == [False]
    (episode,) = ada.summaries("episode")

    for asked in (key, key[:8], "heron-1"):
        page = ada.read(asked)
        assert isinstance(page.node, EventNode)
        assert (page.node.key, page.node.text) == (key, "The heron landed on the roof.")
        assert [link.src for link in page.links] == [episode.key]
    (covered,) = ada.read(episode.key).covered
    assert (covered.event_id, covered.is_gone) == ("heron-1", True)
    with pytest.raises(UnknownKey):
        memory.user("bob", name="Bob").read(key)
    with pytest.raises(UnknownKey):
        memory.user("bob").read("heron-1")


def test_an_event_in_the_graph_is_read_by_its_id_too(ada: UserMemory) -> None:
    key = happen(ada, "The heron.", event_id="heron-1")

    assert ada.read("heron-1").node.key == key


def test_users_do_not_meet(ada: UserMemory, memory: Memory) -> None:
    bob = memory.user("bob", name="Bob")
    happen(ada, "mine")
    key = happen(bob, "his")

    night(ada, NINE + 40 * DAY)

    assert bob.summaries() == []
    assert here(bob, key) == [True]


# --- beliefs behind episodes that are gone -----------------------------------------------------


def test_beliefs_outlive_the_episodes_behind_them(ada: UserMemory, clock: SteppedClock) -> None:
    belief = ada.remember("I live in Oslo", event_id="said-1").belief
    clock.advance(MINUTE)
    ada.remember("I live in Oslo", event_id="said-2")
    why, history = ada.why(belief.key), ada.history(belief.key)

    night(ada, NINE + 40 * DAY)

    assert ada.env.graph.counts(ada.scope)["event"] == 0
    assert ada.why(belief.key) == why
    assert ada.history(belief.key) == history
    assert len(ada.beliefs()[0].supports) == 2
    assert ada.recall("Where do I live?")[0].belief.key == belief.key
    assert ada.read("said-1").node.kind is Kind.EVENT


def test_saying_it_again_under_its_id_changes_nothing_even_when_it_is_gone(
    ada: UserMemory,
) -> None:
    belief = ada.remember("I live in Oslo", event_id="said-1").belief
    night(ada, NINE + 40 * DAY)
    before = whole(ada)

    again = ada.remember("I live in Oslo", event_id="said-1")

    assert (again.outcome, again.belief.key) == ("repeated", belief.key)
    assert whole(ada) == before


def test_what_was_forgotten_is_told_by_no_summary(ada: UserMemory) -> None:
    secret = ada.remember("The vault code is 4711").belief
    ada.remember("I live in Oslo")
    night(ada, NINE + DAY)
    assert "4711" in " ".join(one.text for one in ada.summaries())

    ada.forget(secret.key)
    assert "4711" not in " ".join(one.text for one in ada.summaries())
    assert not [hit for hit in ada.search("vault code") if "4711" in hit.text]

    night(ada, NINE + 2 * DAY)
    assert {one.text for one in ada.summaries()} == {"I live in Oslo"}
    assert night(ada, NINE + 2 * DAY).is_idle
    texts = [one.text for one in ada.read(ada.summaries("episode")[0].key).covered]
    assert texts == ["I live in Oslo"]


def test_what_was_forgotten_before_is_never_told(ada: UserMemory) -> None:
    secret = ada.remember("The vault code is 4711").belief
    ada.forget(secret.key)

    night(ada, NINE + 40 * DAY)

    assert {one.text for one in ada.summaries()} == {""}
    assert night(ada, NINE + 40 * DAY).is_idle


def test_what_is_forgotten_after_it_has_gone_is_taken_out_too(ada: UserMemory) -> None:
    secret = ada.remember("The vault code is 4711").belief
    night(ada, NINE + 40 * DAY)

    ada.forget(secret.key)
    night(ada, NINE + 41 * DAY)

    assert {one.text for one in ada.summaries()} == {""}


# --- killed half-way, and lived through again --------------------------------------------------


class Killed(Exception):
    pass


class Mortal(ScriptedMind):
    """Goes down at the n-th summary, and takes the process along."""

    lives: int = 0

    def summarize(self, reading: Reading) -> str:
        self.lives -= 1
        if self.lives < 0:
            raise Killed
        return super().summarize(reading)


def a_month(ada: UserMemory) -> None:
    for n in range(12):
        parent = f"event-{n - 1}" if n % 3 else None
        key = happen(
            ada,
            f"event {n}",
            NINE + n * 5 * HOUR,
            session_id=f"s{n % 4}",
            importance_score=float(n % 7),
            parent_event_id=parent,
        )
        reference(ada, [key], f"Thing {n % 3}")


@pytest.mark.parametrize("lives", [0, 1, 4, 9])
def test_killed_half_way_and_run_again_it_ends_where_it_would_have(
    memory: Memory, lives: int
) -> None:
    at = NINE + 12 * DAY
    ada, eve = memory.user("ada", name="Ada"), memory.user("eve", name="Eve")
    a_month(ada)
    env, scope = ada.env, ada.scope
    mortal = Mortal()
    mortal.lives = lives
    with pytest.raises(Killed):
        _with_mind(ada, mortal).do_night_job(SleepJob.RECONSOLIDATE, scope, at)
    night(ada, at)
    broken = _plain(env.graph.export(scope))
    assert night(ada, at).is_idle

    _erase(ada)
    a_month(ada)
    night(ada, at)

    assert _plain(env.graph.export(scope)) == broken
    assert eve.summaries() == []


def test_the_ledger_alone_gives_the_same_again(ada: UserMemory) -> None:
    """Replayed in order, what was decided gives the same graph, whatever was accessed since."""
    a_month(ada)
    for days in (1, 3, 9, 14):
        night(ada, NINE + days * DAY)
    env, scope = ada.env, ada.scope
    before = _plain(env.graph.export(scope))
    decided = told(ada)
    _erase(ada)
    a_month(ada)

    for event in decided:
        apply(env, scope, event)

    assert _plain(env.graph.export(scope)) == before
    for event in decided[-1:]:
        apply(env, scope, event)
    assert _plain(env.graph.export(scope)) == before


def _plain(records: Iterable[Any]) -> list[Any]:
    """All but when it was written down."""
    return [_stripped(one) for one in records]


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        dropped = {"created_at", "updated_at", "seq"}
        return {name: _stripped(inner) for name, inner in value.items() if name not in dropped}
    return [_stripped(one) for one in value] if isinstance(value, list) else value


def _erase(ada: UserMemory) -> None:
    graph, scope = ada.env.graph, ada.scope
    for kind in (Kind.EVENT, Kind.SUMMARY, Kind.ENTITY):
        for node in graph.select(scope, Nodes(NODE_TYPES[kind])):
            graph.remove(scope, node.key)
            ada.env.index.remove([node.key])


def _boxed(ada: UserMemory, **rules: Any) -> Env:
    config = ada.env.config
    return replace(ada.env, config=replace(config, episodes=replace(config.episodes, **rules)))


def _with_mind(ada: UserMemory, mind: ScriptedMind) -> Env:
    return replace(ada.env, mind=mind)


def test_a_summary_is_a_summary(ada: UserMemory) -> None:
    happen(ada, "one")
    night(ada, NINE + DAY)

    assert all(isinstance(one, Summary) for one in ada.summaries())
    assert len(ada.summaries(limit=1)) == 1
