"""Metered: what is asked is counted, and nothing is asked beyond the budget."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from scripted_chat import ANN, BOB, MODEL, ScriptedChat, asks, stores

from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.spending import Spent, total
from remanent.errors import BudgetSpent, MindBusy, MindUnreadable
from remanent.ingest.extract import Toolbox
from remanent.minds.meter import Meter, MeteredChat
from remanent.spending.rules import BudgetRules, Price
from remanent.stores.sqlite import SqliteStores
from remanent.testing import SteppedClock
from remanent_conformance.builders import MOMENT


@pytest.fixture
def kept() -> Iterator[SqliteStores]:
    opened = stores()
    yield opened
    opened.close()


def metered(told: ScriptedChat, kept: SqliteStores, **fields: Any) -> MeteredChat:
    clock = fields.pop("clock", SteppedClock(MOMENT))
    prices = fields.pop("prices", {})
    rules = BudgetRules(**fields)
    meter = Meter(records=kept.records, clock=clock, rules=rules, prices=prices)
    return MeteredChat(chat=told, meter=meter)


def rows(kept: SqliteStores, user: str = "ann") -> list[Spent]:
    return kept.records.find(Scope(user_id=user), Select(Spent))


def test_calls_tokens_and_money_are_written_down(kept: SqliteStores) -> None:
    chat = metered(ScriptedChat(), kept)
    chat(asks(), ANN)
    chat(asks(task="digest"), ANN)
    chat.work(asks(output=None, task="agents"), Toolbox([]), ANN)
    chat(asks(), BOB)

    agents, digest, extract = rows(kept)
    assert extract == Spent(
        user_id="ann",
        day=MOMENT.date(),
        job="extract",
        task="extract",
        model=MODEL,
        calls=1,
        tokens_in=1000,
        tokens_out=100,
        usd=extract.usd,
    )
    assert extract.usd == pytest.approx(0.00056)
    assert digest.model == "openai:gpt-5-nano"
    assert digest.usd == pytest.approx(0.00009)
    assert agents.task == "agents"
    assert len(rows(kept, "bob")) == 1


def test_a_price_of_the_settings_takes_the_place_of_ours(kept: SqliteStores) -> None:
    metered(ScriptedChat(), kept, prices={MODEL: Price(1000.0, 0.0)})(asks(), ANN)

    assert rows(kept)[0].usd == pytest.approx(1.0)


def test_without_a_price_tokens_are_counted_and_money_is_unknown(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.model = lambda task: "openai:my-own"  # type: ignore[method-assign]
    metered(told, kept, usd_per_day=0.000001)(asks(), ANN)  # what has no price is not held back

    (row,) = rows(kept)
    assert (row.usd, row.unpriced) == (0.0, 1100)


def test_a_repair_is_counted(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.requests = 2
    metered(told, kept)(asks(), ANN)

    (row,) = rows(kept)
    assert (row.calls, row.repairs) == (2, 1)


def test_a_failure_costs_what_it_cost(kept: SqliteStores) -> None:
    told = ScriptedChat()
    chat = metered(told, kept)
    unreadable = MindUnreadable("no")
    unreadable.calls, unreadable.tokens_in, unreadable.tokens_out = 2, 900, 90
    for trouble in (MindBusy("later"), unreadable):
        told.trouble = trouble
        with pytest.raises(type(trouble)):
            chat(asks(), ANN)

    (row,) = rows(kept)
    assert (row.calls, row.tokens_in, row.tokens_out) == (2, 900, 90)
    assert (row.failures, row.fallbacks) == (2, 1)


def test_an_unreadable_answer_of_unknown_cost_counts_as_expected(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.trouble = MindUnreadable("no")
    with pytest.raises(MindUnreadable):
        metered(told, kept)(asks("word " * 700), ANN)

    (row,) = rows(kept)
    assert row.calls == 1
    assert row.tokens_in >= 1000
    assert row.usd > 0


def test_beyond_the_budget_nobody_is_asked(kept: SqliteStores) -> None:
    told = ScriptedChat()
    chat = metered(told, kept, tokens_per_day=1400)
    chat(asks(), ANN)
    with pytest.raises(BudgetSpent, match=r"tokens_per_day is 1,400, 300 are left") as caught:
        chat(asks("word " * 1000), ANN)

    assert len(told.asked) == 1
    assert total(rows(kept)).calls == 1
    assert caught.value.again_at == datetime(2026, 3, 15, tzinfo=UTC)
    chat(asks(), BOB)  # everybody has their own


def test_dollars_hold_back_too(kept: SqliteStores) -> None:
    chat = metered(ScriptedChat(tokens=(1_000_000, 0)), kept, usd_per_day=0.5)
    chat(asks(), ANN)
    chat(asks(), ANN)
    with pytest.raises(BudgetSpent, match="usd_per_day"):
        chat(asks(), ANN)


def test_the_next_day_there_is_a_new_budget(kept: SqliteStores) -> None:
    clock = SteppedClock(MOMENT)
    chat = metered(ScriptedChat(), kept, tokens_per_day=1400, clock=clock)
    chat(asks(), ANN)
    with pytest.raises(BudgetSpent) as caught:
        chat(asks("word " * 1000), ANN)
    clock.move_to(caught.value.again_at - timedelta(microseconds=1))
    with pytest.raises(BudgetSpent):
        chat(asks("word " * 200), ANN)
    clock.move_to(caught.value.again_at)

    chat(asks("word " * 200), ANN)
    assert [one.day.day for one in rows(kept)] == [14, 15]


def test_threads_cannot_overdraw_together(kept: SqliteStores) -> None:
    told, gate = ScriptedChat(tokens=(100, 100)), threading.Event()
    told.meanwhile = lambda: gate.wait(600)
    chat = metered(told, kept, tokens_per_day=500)  # one call is expected to need a little over 200
    refused: list[BudgetSpent] = []

    def ask() -> None:
        try:
            chat(asks(), ANN)
        except BudgetSpent as problem:
            refused.append(problem)
            if len(refused) == 4:
                gate.set()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(told.asked) == 2
    assert len(refused) == 4
    assert total(rows(kept)).tokens <= 500
