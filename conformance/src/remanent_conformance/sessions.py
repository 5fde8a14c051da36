"""What every ledger promises of sessions, causes and lag."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from remanent.core.model.event import Event, PendingEvents
from remanent.core.ports.ledger import Ledger
from remanent.testing.builders import MOMENT, a_scope, an_event

ANN, BOB = a_scope("ann"), a_scope("bob")
SECOND = timedelta(seconds=1)


def appended(ledger: Ledger, event_id: str, after: float = 0.0, **fields: Any) -> Event:
    given = {"session_id": "s1", "agent_id": "x", "event_type": "message", **fields}
    return ledger.append(an_event(event_id, occurred_at=MOMENT + after * SECOND, **given))[0]


class SessionsContract:
    """Part of `LedgerContract`."""

    @pytest.fixture
    def new_ledger(self) -> Callable[[], Ledger]:
        raise NotImplementedError("a function that makes an empty ledger")

    @pytest.fixture
    def ledger(self, new_ledger: Callable[[], Ledger]) -> Ledger:
        return new_ledger()

    def test_a_session_is_told_in_the_order_it_happened(self, ledger: Ledger) -> None:
        late = appended(ledger, "late", 9)
        first = appended(ledger, "first", 0, agent_id="y")
        twin = appended(ledger, "a-twin-that-came-later", 9)
        appended(ledger, "elsewhere", session_id="s2")
        appended(ledger, "nowhere", session_id="")
        appended(ledger, "bobs", user="bob")

        assert list(ledger.session(ANN, "s1")) == [first, late, twin]
        assert list(ledger.session(ANN, "s3")) == []
        assert list(ledger.session(ANN, "")) == []

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

        assert list(ledger.caused(ANN, cause.event_id)) == [early, late]
        assert list(ledger.caused(ANN, "late")) == []

    def test_lag_counts_what_a_consumer_has_not_handled(self, ledger: Ledger) -> None:
        assert ledger.waiting(ANN, "x") == PendingEvents()
        first = appended(ledger, "first", recorded_at=MOMENT)
        appended(ledger, "ours", event_type="ours", recorded_at=MOMENT + SECOND)
        appended(ledger, "last", recorded_at=MOMENT + 2 * SECOND)
        appended(ledger, "bobs", user="bob")

        assert ledger.waiting(ANN, "x", but=["ours"]) == PendingEvents(events=2, oldest=MOMENT)
        assert ledger.waiting(ANN, "x").events == 3
        ledger.advance(ANN, "x", first.seq)
        assert ledger.waiting(ANN, "x", but=["ours"]) == PendingEvents(
            events=1, oldest=MOMENT + 2 * SECOND
        )
        assert ledger.waiting(ANN, "y", but=["ours"]).events == 2
        ledger.advance(ANN, "x", ledger.last_seq(ANN))
        assert ledger.waiting(ANN, "x") == PendingEvents()
