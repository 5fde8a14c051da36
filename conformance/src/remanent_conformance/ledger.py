"""What every ledger promises: append and read, positions, sessions, causes and lag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from remanent.core.model.event import Event, PendingEvents
from remanent.core.model.source import RawSource
from remanent.core.ports.ledger import Ledger, Positions
from remanent.errors import Forbidden, InvalidInput
from remanent_conformance.builders import MOMENT, a_scope, an_event
from remanent_conformance.erasure import LedgerErasure
from remanent_conformance.machine import drive

ANN, BOB = a_scope("ann"), a_scope("bob")
SECOND = timedelta(seconds=1)
RAW = RawSource(key="s", user_id="ann", content="Hello.", is_json=False, recorded_at=MOMENT)


def appended(ledger: Ledger, event_id: str, after: float = 0.0, **fields: Any) -> Event:
    given = {"session_id": "s1", "agent_id": "x", "event_type": "message", **fields}
    return ledger.append(an_event(event_id, occurred_at=MOMENT + after * SECOND, **given))[0]


def positions_are_kept(store: Positions) -> None:
    """What whoever keeps positions promises, the ledger and the graph alike."""
    assert store.position(ANN, "a") == 0
    assert [store.position(ANN, "a", to=seq) for seq in (3, 7, 5, 0)] == [3, 7, 7, 7]
    assert store.position(ANN, "a") == 7
    assert store.position(ANN, "b", to=1) == 1
    assert store.position(BOB, "a") == 0
    assert store.position(BOB, "a", to=9) == 9
    assert [store.position(ANN, one) for one in "ab"] == [7, 1]


class SessionsContract:
    """Part of `LedgerContract`."""

    @pytest.fixture
    def new_ledger(self) -> Callable[[], Ledger]:
        raise NotImplementedError("a function that makes an empty ledger")

    @pytest.fixture
    def ledger(self, new_ledger: Callable[[], Ledger]) -> Ledger:
        return new_ledger()

    def test_a_session_is_told_in_the_order_of_the_ledger(self, ledger: Ledger) -> None:
        late = appended(ledger, "late", 9)
        first = appended(ledger, "first", 0, agent_id="y")
        twin = appended(ledger, "a-twin-that-came-later", 9)
        appended(ledger, "elsewhere", session_id="s2")
        appended(ledger, "nowhere", session_id="")
        appended(ledger, "bobs", user="bob")

        assert list(ledger.replay(ANN, session="s1")) == [late, first, twin]
        assert list(ledger.replay(ANN, session="s1", before=twin.seq, limit=1)) == [late]
        assert list(ledger.replay(ANN, session="s3")) == []
        assert list(ledger.replay(ANN, session="")) == []

    def test_an_event_finds_its_place_in_its_session(self, ledger: Ledger) -> None:
        first, last = appended(ledger, "first", 0), appended(ledger, "last", 9)
        for name, fields in {
            "other agent": {"agent_id": "y"},
            "other session": {"session_id": "s2"},
            "other user": {"user": "bob"},
            "other type": {"event_type": "ours"},
        }.items():
            appended(ledger, name, 4.5, **fields)
        middle, twin = appended(ledger, "middle", 4), appended(ledger, "a-twin", 4)

        assert ledger.beside(ANN, first, but=["ours"]) == (None, None)
        assert ledger.beside(ANN, last, but=["ours"]) == (first, None)
        assert ledger.beside(ANN, middle, but=["ours"]) == (first, last)
        assert ledger.beside(ANN, twin, but=["ours"]) == (middle, last)
        ours = ledger.event(ANN, "other type")
        assert ledger.beside(ANN, twin) == (middle, ours)

    def test_an_event_of_no_session_stands_alone(self, ledger: Ledger) -> None:
        appended(ledger, "a", session_id="")
        event = appended(ledger, "b", session_id="")

        assert ledger.beside(ANN, event) == (None, None)

    def test_what_an_event_caused_is_known_whoever_came_first(self, ledger: Ledger) -> None:
        early = appended(ledger, "early", parent_event_id="cause")
        cause = appended(ledger, "cause")
        late = appended(ledger, "late", parent_event_id="cause")
        appended(ledger, "bobs", user="bob", parent_event_id="cause")

        assert list(ledger.replay(ANN, parent=cause.event_id)) == [early, late]
        assert list(ledger.replay(ANN, parent="late")) == []

    def test_lag_counts_what_a_consumer_has_not_handled(self, ledger: Ledger) -> None:
        assert ledger.waiting(ANN, after=0) == PendingEvents()
        first = appended(ledger, "first", recorded_at=MOMENT)
        appended(ledger, "ours", event_type="ours", recorded_at=MOMENT + SECOND)
        appended(ledger, "last", recorded_at=MOMENT + 2 * SECOND)
        appended(ledger, "bobs", user="bob")

        both = PendingEvents(events=2, oldest=MOMENT)
        assert ledger.waiting(ANN, after=0, but=["ours"]) == both
        assert ledger.waiting(ANN, after=0).events == 3
        last = PendingEvents(events=1, oldest=MOMENT + 2 * SECOND)
        assert ledger.waiting(ANN, after=first.seq, but=["ours"]) == last
        assert ledger.waiting(ANN, after=ledger.last_seq(ANN)) == PendingEvents()


class LedgerContract(LedgerErasure, SessionsContract):
    """Override `new_ledger`."""

    @pytest.fixture
    def new_ledger(self) -> Callable[[], Ledger]:
        raise NotImplementedError("a function that makes an empty ledger")

    @pytest.fixture
    def ledger(self, new_ledger: Callable[[], Ledger]) -> Ledger:
        return new_ledger()

    def test_an_event_comes_back_whole_with_its_place(self, ledger: Ledger) -> None:
        event = an_event(
            team_id="red",
            agent_id="claude",
            session_id="s-1",
            parent_event_id="event-0",
            importance_hint=9,
            payload={"text": "né à Ōsaka 🎌", "list": [1, 2.5, None, True], "in": {"ner": ""}},
            occurred_at=MOMENT - timedelta(days=40_000, microseconds=1),
        )
        stored, is_new = ledger.append(event)
        assert is_new
        assert stored.seq > 0
        assert stored == replace(event, seq=stored.seq)
        assert ledger.event(ANN, "event-1") == stored

    def test_the_same_id_again_changes_nothing(self, ledger: Ledger) -> None:
        first, _ = ledger.append(an_event(payload={"n": 1}))
        again, is_new = ledger.append(an_event(payload={"n": 2}))
        assert not is_new
        assert again == first
        assert list(ledger.replay(ANN)) == [first]

    def test_ids_are_each_users_own(self, ledger: Ledger) -> None:
        ledger.append(an_event(payload={"of": "ann"}))
        stored, is_new = ledger.append(an_event(user="bob", payload={"of": "bob"}))
        assert is_new
        assert ledger.event(BOB, "event-1") == stored

    def test_another_users_event_is_not_there(self, ledger: Ledger) -> None:
        ledger.append(an_event())
        assert ledger.event(BOB, "event-1") is None
        assert list(ledger.replay(BOB)) == []
        assert ledger.last_seq(BOB) == 0

    def test_replay_goes_on_from_a_place_in_order(self, ledger: Ledger) -> None:
        appended = []
        for number in range(5):
            appended.append(ledger.append(an_event(f"event-{9 - number}"))[0])
            ledger.append(an_event(f"event-{9 - number}", user="bob"))
        assert list(ledger.replay(ANN)) == appended
        assert list(ledger.replay(ANN, after=appended[1].seq)) == appended[2:]
        assert list(ledger.replay(ANN, after=appended[1].seq, limit=2)) == appended[2:4]
        assert list(ledger.replay(ANN, after=appended[-1].seq)) == []

    def test_last_seq_is_the_place_of_the_newest(self, ledger: Ledger) -> None:
        assert ledger.last_seq(ANN) == 0
        ledger.append(an_event("a"))
        newest, _ = ledger.append(an_event("b"))
        ledger.append(an_event("c", user="bob"))
        assert ledger.last_seq(ANN) == newest.seq

    def test_what_came_in_stays_byte_for_byte_what_its_contributor_gave(
        self, ledger: Ledger
    ) -> None:
        raw = replace(RAW, content='["\\u00e9\r\n\t \u202e🧠"]  ', is_json=True)
        ledger.append(an_event("a"), raw)
        ledger.append(an_event("b"), RAW)
        assert ledger.raw(ANN, "s") == raw
        assert ledger.raw(BOB, "s") is None
        with pytest.raises(Forbidden):
            ledger.append(an_event("c", user="bob"), replace(RAW, content="mine now"))
        assert ledger.event(BOB, "c") is None
        assert ledger.erase(BOB, (), raws=["s"]) == 0
        assert ledger.erase(ANN, ["a"], raws=["s", "t"]) == 2
        assert ledger.raw(ANN, "s") is None

    def test_what_comes_with_a_known_event_is_not_kept(self, ledger: Ledger) -> None:
        ledger.append(an_event("a"))
        ledger.append(an_event("a"), RAW)
        assert ledger.raw(ANN, "s") is None

    def test_a_position_is_a_users_own_and_never_goes_back(self, ledger: Ledger) -> None:
        positions_are_kept(ledger)

    def test_the_size_is_that_of_ones_own_payloads(self, ledger: Ledger) -> None:
        assert ledger.size(ANN) == 0
        event, _ = ledger.append(an_event("a", payload={"text": "x" * 100}))
        ledger.append(an_event("b", user="bob", payload={"text": "x" * 100}))
        assert 100 < ledger.size(ANN) < 120
        ledger.amend(ANN, replace(event, payload={}))
        assert ledger.size(ANN) == 2

    def test_what_json_cannot_hold_is_refused_by_name(self, ledger: Ledger) -> None:
        for bad in ({"n": float("nan")}, {"blob": b"bytes"}):
            with pytest.raises(InvalidInput, match="payload"):
                ledger.append(an_event(payload=bad))
        assert ledger.last_seq(ANN) == 0

    def test_it_behaves_as_a_list_would(self, new_ledger: Callable[[], Ledger]) -> None:
        drive(lambda: _Machine(new_ledger()))


class _Machine(RuleBasedStateMachine):
    """The ledger beside a list of events."""

    users = st.sampled_from(["ann", "bob"])

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.ledger = ledger
        self.events: list[Event] = []

    def _of(self, user: str) -> list[Event]:
        return [event for event in self.events if event.user_id == user]

    @rule(user=users, number=st.integers(0, 4), payload=st.dictionaries(st.text(), st.integers()))
    def append(self, user: str, number: int, payload: dict[str, int]) -> None:
        event = an_event(f"event-{number}", user=user, payload=payload)
        known = [one for one in self._of(user) if one.event_id == event.event_id]
        stored, is_new = self.ledger.append(event)
        assert is_new == (not known)
        if is_new:
            assert not self.events or stored.seq > self.events[-1].seq
            assert stored == replace(event, seq=stored.seq)
            self.events.append(stored)
        else:
            assert stored == known[0]

    @rule(user=users, skip=st.integers(0, 5), limit=st.integers(0, 6))
    def replay(self, user: str, skip: int, limit: int) -> None:
        mine = self._of(user)
        after = mine[skip - 1].seq if 0 < skip <= len(mine) else 0
        expected = [event for event in mine if event.seq > after][:limit]
        assert list(self.ledger.replay(a_scope(user), after=after, limit=limit)) == expected
        assert self.ledger.last_seq(a_scope(user)) == (mine[-1].seq if mine else 0)
