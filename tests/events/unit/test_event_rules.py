"""What is weighed in an event, what it says, and how much it matters."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core import event_text
from remanent.core.checks import IntakeRules
from remanent.core.model.event import RESERVED, EventNode
from remanent.core.model.lifecycle import Lifecycle
from remanent.errors import InvalidInput
from remanent.events.rules import ranking
from remanent.events.rules import request as recording
from remanent.events.rules.importance import ImportanceRules, importance, is_small_talk
from remanent.events.rules.ranking import EventRules, Weighed

pytestmark = pytest.mark.quick

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
RULES = EventRules()


def an_event_node(**fields: Any) -> EventNode:
    given_ = {
        "key": "k",
        "user_id": "ada",
        "created_at": NOW,
        "updated_at": NOW,
        "event_id": "e",
        "event_type": "message",
        "text": "Hello",
        "occurred_at": NOW,
        **fields,
    }
    return EventNode(**given_)


# --- the score ---------------------------------------------------------------------------------

hours = st.floats(0, 100_000)
counts = st.integers(0, 10_000)
unit = st.floats(0, 1)
weighed = st.builds(
    Weighed,
    hours=hours,
    accesses=counts,
    recalls=counts,
    importance=st.floats(1, 10),
    relevance=st.none() | unit,
    proximity=st.none() | st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    overlap=unit,
)


def test_the_score_is_that_of_the_formula() -> None:
    one = Weighed(hours=168, accesses=0, importance=6, relevance=0.8, proximity=0.7, overlap=0.5)

    assert ranking.score(one) == pytest.approx(
        0.36787944117 + 0.6 + 0.8 + 0.5 * (0.7 + 0.0 + 0.5) / 3
    )


@given(weighed)
def test_the_score_is_bounded_and_the_sum_of_its_parts(one: Weighed) -> None:
    score = ranking.score(one)

    assert 0.0 <= score <= 3.5
    assert sum(ranking.signals(one).values()) == pytest.approx(score)
    assert sum(part.points for part in ranking.explained(one)) == pytest.approx(score)


@given(weighed, hours)
def test_what_is_longer_ago_never_scores_more(one: Weighed, more: float) -> None:
    assert ranking.score(replace(one, hours=one.hours + more)) <= ranking.score(one)


@given(weighed, st.floats(0, 9))
def test_what_matters_more_never_scores_less(one: Weighed, more: float) -> None:
    assert ranking.score(replace(one, importance=one.importance + more)) >= ranking.score(one)


@given(weighed, counts)
def test_access_makes_it_last(one: Weighed, more: int) -> None:
    later = replace(one, accesses=one.accesses + more)

    assert ranking.stability(later.accesses) == ranking.stability(one.accesses) + 24 * more
    assert ranking.score(later) >= ranking.score(one)


def test_an_unknown_relevance_is_neither_here_nor_there() -> None:
    assert ranking.signals(Weighed(hours=0, accesses=0, importance=5))["relevance"] == 0.5


def test_without_a_user_there_is_no_affinity() -> None:
    one = Weighed(hours=0, accesses=9, importance=5, overlap=1.0)

    assert ranking.signals(one)["affinity"] == 0.0
    assert "nobody" in ranking.explained(one)[-1].said


@pytest.mark.parametrize(
    ("user_id", "session", "age", "expected"),
    [
        ("ada", "s1", 400, 1.0),
        ("ada", "other", 7, 0.7),
        ("ada", None, 8, 0.3),
        ("bob", "s1", 0, 0.0),
        (None, "s1", 0, None),
    ],
)
def test_sessions_are_near_or_far(
    user_id: str | None, session: str | None, age: int, expected: float | None
) -> None:
    event = an_event_node(session_id="s1", occurred_at=NOW - timedelta(days=age))

    assert ranking.proximity(event, user_id=user_id, current_session=session, now=NOW) == expected


def test_events_without_a_session_are_of_no_current_one() -> None:
    event = an_event_node(session_id="")

    assert ranking.proximity(event, user_id="ada", current_session="", now=NOW) == 0.7


def test_time_counts_from_the_last_access() -> None:
    event = an_event_node(
        occurred_at=NOW - timedelta(days=9),
        life=Lifecycle(last_accessed_at=NOW - timedelta(hours=2)),
    )

    assert ranking.hours_since(event, NOW) == 2.0
    assert ranking.hours_since(an_event_node(occurred_at=NOW + timedelta(hours=1)), NOW) == 0.0


def test_overlap_is_the_share_of_the_larger_set() -> None:
    assert ranking.overlap({"a", "b"}, {"b", "c", "d", "e"}) == 0.25
    assert ranking.overlap(set(), set()) == 0.0


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_recurrence_grows_and_stays_below_one(low: int, more: int) -> None:
    assert 0.0 <= ranking.recurrence(low) <= ranking.recurrence(low + more) < 1.0


@given(weighed)
def test_shared_entities_add_no_more_than_they_can(one: Weighed) -> None:
    without, with_all = replace(one, overlap=0.0), replace(one, overlap=1.0)

    gained = ranking.score(with_all) - ranking.score(without)

    assert gained <= ranking.overlap_most() + 1e-12


def test_weights_of_nothing_are_no_error() -> None:
    none = EventRules(affinity_session=0, affinity_recurrence=0, affinity_overlap=0)
    one = Weighed(hours=1, accesses=1, importance=5, proximity=1.0)

    assert ranking.affinity(one, none) == 0.0
    assert ranking.overlap_most(none) == 0.0
    assert ranking.recency(1, 0, EventRules(stability_hours=0)) == 0.0


@pytest.mark.parametrize(
    ("hours_ago", "told"), [(0.5, "within the hour"), (1.2, "1 hour ago"), (30, "30 hours"), (72, "3 days")]
)  # fmt: skip
def test_ages_are_told_in_words(hours_ago: float, told: str) -> None:
    one = Weighed(
        hours=hours_ago, accesses=1, recalls=1, importance=5, relevance=0.25, proximity=1.0
    )
    recency, _, relevance, affinity = ranking.explained(one)

    assert told in recency.said
    assert "0.25 alike" in relevance.said
    assert "brought up once" in affinity.said


# --- what an event says ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event_type", "given_payload", "expected"),
    [
        ("message", {"text": " We ship on Friday. "}, "We ship on Friday."),
        ("message", {"role": "user", "content": [{"type": "text", "text": "Hi"}]}, "Hi"),
        ("message", {"message": {"role": "user", "content": "Deep"}}, "Deep"),
        ("note", {"title": "Plan", "text": "Ship it"}, "Plan: Ship it"),
        ("tool.callFailed", {"tool": "cal", "args": {"day": 3}}, "tool call failed: tool: cal; args.day: 3"),
        ("check", {"ok": True, "none": None, "tags": ["a", "b"]}, "check: ok: true; tags: a; tags: b"),
        ("heartbeat", {}, "heartbeat"),
        ("...", {}, "..."),
    ],
)  # fmt: skip
def test_what_an_event_says(event_type: str, given_payload: dict[str, Any], expected: str) -> None:
    assert event_text.text_of(event_type, given_payload) == expected


def test_a_long_text_is_cut() -> None:
    assert event_text.text_of("message", {"text": "word " * 90}, longest=9) == "word word"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.text(min_size=1, max_size=30), st.dictionaries(st.sampled_from(["text", "message", "role", "ok", "a"]), json_values))  # fmt: skip
def test_any_payload_can_be_read(event_type: str, given_payload: dict[str, Any]) -> None:
    assert len(event_text.text_of(event_type, given_payload)) <= 20_000
    assert 1.0 <= importance(event_type, given_payload) <= 10.0
    event_text.is_message(event_type, given_payload)


@pytest.mark.parametrize(
    ("event_type", "given_payload", "speaker"),
    [
        ("message", {"role": "human", "text": "Hi"}, "user"),
        ("chat.message", {"speaker": "Maria", "text": "Hi"}, "Maria"),
        ("assistant.message", {"text": "Hi"}, "assistant"),
        ("message", {"message": {"role": "assistant", "content": "Hi"}}, "assistant"),
        ("user", {"text": "Hi"}, "user"),
        ("message", {"text": "Hi"}, None),
    ],
)
def test_messages_and_their_speakers(
    event_type: str, given_payload: dict[str, Any], speaker: str | None
) -> None:
    assert event_text.is_message(event_type, given_payload)
    assert event_text.speaker_of(event_type, given_payload) == speaker


@pytest.mark.parametrize(
    ("event_type", "given_payload"),
    [
        ("message", {"role": "user"}),
        ("tool.called", {"text": "ls"}),
        ("user.login", {"text": "from Oslo"}),
        ("decision", {"text": "We ship", "author": "Maria"}),
    ],
)
def test_other_events_are_no_messages(event_type: str, given_payload: dict[str, Any]) -> None:
    assert not event_text.is_message(event_type, given_payload)


# --- importance --------------------------------------------------------------------------------


def test_sorts_of_events_are_told_apart() -> None:
    said = {"role": "user", "text": "The client moved the kick-off to the old office."}
    ranked = [
        importance("decision.made", {"text": "We move to Bergen."}),
        importance("deploy", {"status": "failed"}),
        importance("message", {**said, "text": "You must never call before nine."}),
        importance("message", said),
        importance("message", {**said, "role": "assistant"}),
        importance("tool.called", {"tool": "search"}),
        importance("message", {"role": "user", "text": "ok, thanks!"}),
        importance("heartbeat", {}),
    ]

    assert ranked == sorted(ranked, reverse=True)
    assert len(set(ranked)) == len(ranked)


@pytest.mark.parametrize(
    "given_payload", [{"error": "x"}, {"ok": False}, {"success": False}, {"status": "Timeout"}]
)
def test_what_went_wrong_matters(given_payload: dict[str, Any]) -> None:
    assert importance("step", given_payload) == ImportanceRules().trouble


@pytest.mark.parametrize(
    "text", ["Hi there!", "Thanks a lot", "ok cool", "Good morning, how are you?"]
)
def test_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["", "Hi, the server is down", "No deal"])
def test_no_small_talk(text: str) -> None:
    assert not is_small_talk(text)


@given(
    st.sampled_from(["decision", "message", "tool.called", "heartbeat", "other"]),
    counts, counts, st.integers(1, 9), counts,
)  # fmt: skip
def test_importance_grows_with_children_references_and_the_hint(
    event_type: str, children: int, references: int, hint: int, more: int
) -> None:
    told = {"text": "It rained."}

    def score(children: int, references: int, hint: int) -> float:
        return importance(event_type, told, children=children, references=references, hint=hint)

    base = score(children, references, hint)
    assert 1.0 <= base <= 10.0
    assert score(children + more, references, hint) >= base
    assert score(children, references + more, hint) >= base
    assert score(children, references, hint + 1) >= base


# --- what may be recorded ----------------------------------------------------------------------


def checked(**fields: Any) -> recording.EventDraft:
    return recording.checked(fields, now=NOW, rules=IntakeRules(), longest=1000)


def test_an_event_passes_whole() -> None:
    draft = checked(
        event_type="tool.called",
        payload={"tool": "x", "when": NOW},
        agent_id="bot",
        session_id="s1",
        parent_event_id="p",
        occurred_at="2026-05-04T08:00:00+02:00",
        event_id="e",
        importance_hint=7,
        team="red",
    )

    assert draft.occurred_at == datetime(2026, 5, 4, 6, tzinfo=UTC)
    assert draft.payload == {"tool": "x", "when": NOW.isoformat()}
    assert (draft.team_id, draft.importance_hint) == ("red", 7)
    assert checked(event_type="x").occurred_at == NOW


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_our_own_types_are_ours(name: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        checked(event_type=name)
    assert problem.value.field == "event_type"


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("event_type", {}),
        ("event_type", {"event_type": "  "}),
        ("event_type", {"event_type": "x" * 201}),
        ("payload", {"event_type": "x", "payload": "text"}),
        ("payload", {"event_type": "x", "payload": {"a": float("nan")}}),
        ("payload", {"event_type": "x", "payload": {"a": object()}}),
        ("payload", {"event_type": "x", "payload": {"a": "y" * 1000}}),
        ("payload.a[0].b", {"event_type": "x", "payload": {"a": [{"b": "\x00"}]}}),
        ("payload", {"event_type": "x", "payload": {"\x00": 1}}),
        ("occurred_at", {"event_type": "x", "occurred_at": "yesterday"}),
        ("occurred_at", {"event_type": "x", "occurred_at": "2026-05-04T08:00"}),
        ("occurred_at", {"event_type": "x", "occurred_at": NOW + timedelta(days=1)}),
        ("importance_hint", {"event_type": "x", "importance_hint": 11}),
        ("importance_hint", {"event_type": "x", "importance_hint": True}),
        ("parent_event_id", {"event_type": "x", "event_id": "e", "parent_event_id": "e"}),
        ("session_id", {"event_type": "x", "session_id": 5}),
        ("seq", {"event_type": "x", "seq": 5}),
        ("colour", {"event_type": "x", "colour": "red"}),
    ],
)
def test_what_is_wrong_is_named(field: str, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as problem:
        checked(**fields)
    assert problem.value.field == field


def test_a_payload_that_goes_too_deep_is_refused() -> None:
    deep: Any = "x"
    for _ in range(80):
        deep = [deep]
    with pytest.raises(InvalidInput, match="levels deep"):
        checked(event_type="x", payload={"a": deep})


def test_an_event_is_a_record() -> None:
    with pytest.raises(InvalidInput, match="record of fields"):
        recording.checked("tool", now=NOW, rules=IntakeRules(), longest=10)


def test_what_lies_too_deep_is_not_read() -> None:
    deep: Any = {"text": "down here"}
    for _ in range(6):
        deep = {"text": deep}
    assert event_text.said_in(deep) == ""
    assert event_text.text_of("x", {"a": {"b": {"c": {"d": {"e": 1}, "f": [2], "g": 3}}}}) == "x: a.b.c.g: 3"  # fmt: skip


def test_a_payload_keeps_all_that_json_has() -> None:
    told = {"n": 1, "x": 2.5, "none": None, "yes": True, "list": [1, {"in": "side"}]}

    assert checked(event_type="x", payload=told).payload == told
