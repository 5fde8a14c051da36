"""A paid embedder is metered as a paid mind is: by user, day, job and model, and within the budget."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remanent.config import Config, load_config
from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.scope import Scope
from remanent.core.ports.embedder import Paid
from remanent.core.ports.records import Select
from remanent.core.records.spending import Spent
from remanent.core.settings import EmbeddingRules
from remanent.embedders.metered import MeteredEmbedder
from remanent.embedders.remote import OpenAiEmbedder
from remanent.errors import BudgetSpent, EmbedderBudgetSpent, EmbedderError, EmbedderMismatch
from remanent.memory import Memory
from remanent.minds.meter import Meter
from remanent.spending.rules import BudgetRules, Price
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent.testing import HashEmbedder, ScriptedMind, SteppedClock

sys.path.insert(0, str(Path(__file__).parent))
from embedding_server import KEY, MODEL, Served, serving

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
NAME = f"openai:{MODEL}"
ADA, BOB = OnBehalf(user_id="ada", job="index"), OnBehalf(user_id="bob", job="search")


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def kept() -> Iterator[SqliteStores]:
    opened = open_stores(":memory:", now=START, embedder_name=NAME, dimensions=64)
    yield opened
    opened.close()


def metered(server: Served, kept: SqliteStores, **given: Any) -> MeteredEmbedder:
    rules = EmbeddingRules(batch=given.pop("batch", 64), max_retries=1)
    embedder = OpenAiEmbedder(MODEL, url=server.url, key=KEY, rules=rules, pause=lambda _: None)
    prices = given.pop("prices", {})
    clock = given.pop("clock", SteppedClock(START))
    meter = Meter(records=kept.records, clock=clock, rules=BudgetRules(**given), prices=prices)
    return MeteredEmbedder(embedder=embedder, meter=meter)


def rows(kept: SqliteStores, user: str = "ada") -> list[Spent]:
    return kept.records.find(Scope(user_id=user), Select(Spent))


def test_requests_tokens_and_money_are_written_down(server: Served, kept: SqliteStores) -> None:
    embedder = metered(server, kept, batch=2, prices={NAME: Price(1000.0, 0.0)})
    assert isinstance(embedder, Paid)
    assert (embedder.name, embedder.is_local, embedder.dimensions) == (NAME, False, 64)
    assert embedder.scale == OpenAiEmbedder(MODEL, url=server.url).scale
    found = embedder.on(ADA).embed(["I live in Oslo", "tea", "milk and honey"])
    assert np.allclose(found, HashEmbedder().embed(["I live in Oslo", "tea", "milk and honey"]))
    embedder.on(BOB).embed(["tea"])
    assert embedder.on(ADA).embed([]).shape == (0, 64)

    (row,) = rows(kept)
    assert dataclasses.replace(row, usd=0.0) == Spent(
        user_id="ada",
        day=START.date(),
        job="index",
        task="embed",
        model=NAME,
        calls=2,
        tokens_in=8,
    )
    assert row.usd == pytest.approx(0.008)
    assert [one.job for one in rows(kept, "bob")] == ["search"]


def test_without_a_price_tokens_are_counted(server: Served, kept: SqliteStores) -> None:
    metered(server, kept, usd_per_day=0.0001).on(ADA).embed(["one two three"])
    assert [(one.usd, one.unpriced) for one in rows(kept)] == [(0.0, 3)]


def test_a_server_that_does_not_count_is_counted_for(server: Served, kept: SqliteStores) -> None:
    server.plan = ["uncounted"]
    metered(server, kept).on(ADA).embed(["x" * 350])
    assert rows(kept)[0].tokens_in == 101


def test_what_was_answered_before_a_failure_was_paid_for(
    server: Served, kept: SqliteStores
) -> None:
    embedder = metered(server, kept, batch=1)
    server.plan = ["", "500", "500"]
    with pytest.raises(EmbedderError):
        embedder.on(ADA).embed(["one", "two"])
    (row,) = rows(kept)
    assert (row.calls, row.tokens_in, row.failures) == (1, 1, 1)
    server.plan = ["zeros"]
    with pytest.raises(EmbedderError):
        embedder.on(ADA).embed(["one"])
    assert rows(kept)[0].calls == 2  # its answer is worth nothing, and cost


def test_beyond_the_budget_nothing_is_sent(server: Served, kept: SqliteStores) -> None:
    clock = SteppedClock(START)
    embedder = metered(server, kept, tokens_per_day=200, clock=clock).on(ADA)
    embedder.embed(["word " * 100])
    with pytest.raises(EmbedderBudgetSpent, match="tokens_per_day is 200, 100 are left") as caught:
        embedder.embed(["word " * 100])
    assert isinstance(caught.value, BudgetSpent)
    assert isinstance(caught.value, EmbedderError)
    assert caught.value.again_at == datetime(2026, 5, 5, tzinfo=UTC)
    assert len(server.asked) == 1
    clock.move_to(START + timedelta(days=1))
    embedder.embed(["word " * 100])
    assert len(server.asked) == 2


def test_threads_cannot_overdraw_together(server: Served, kept: SqliteStores) -> None:
    embedder = metered(server, kept, tokens_per_day=400).on(ADA)
    refused: list[Exception] = []

    def embed() -> None:
        try:
            embedder.embed(
                ["word " * 60]
            )  # about 86 tokens by their length, 60 by the server's count
        except EmbedderBudgetSpent as problem:
            refused.append(problem)

    threads = [threading.Thread(target=embed) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert refused
    assert rows(kept)[0].tokens_in <= 400
    assert not embedder.meter.under_way  # type: ignore[attr-defined]


# -- in a memory ------------------------------------------------------------------------------


def settings(server: Served, path: Path, **more: str) -> Config:
    return load_config(
        path,
        environ={
            "REMANENT_EMBEDDER": NAME,
            "REMANENT_EMBEDDER_URL": server.url,
            "REMANENT_EMBEDDING__MAX_RETRIES": "0",
            **more,
        },
    )


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER_KEY", KEY)


def test_a_memory_says_what_its_embedder_cost(server: Served, key: None, tmp_path: Path) -> None:
    config = settings(server, tmp_path / "m.db", REMANENT_PRICES=f'{{"{NAME}": [1000, 0]}}')
    with Memory.open(config, clock=SteppedClock(START), mind=ScriptedMind()) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        ada.add("Sarah moved to Oslo last spring.")
        memory.work()
        ada.remember("I like tea")
        ada.search("Oslo")
        ada.recall("tea")
        ada.context("Where is Sarah?")
        ada.events("tea")
        account = ada.spending()
        assert {one.task for one in account.rows} == {"embed"}
        assert {one.job for one in account.rows} >= {"index", "remember", "search", "recall"}
        assert account.total.tokens_in > 0
        assert account.total.usd == pytest.approx(account.total.tokens_in / 1000)
        assert bob.spending().total.calls == 0
        sent = sum(len(one.split()) for batch in server.asked for one in batch)
        assert sent - account.total.tokens_in == 1  # the one word that asks how long vectors are
        (prices,) = [one for one in memory.doctor().findings if one.part == "prices"]
        assert NAME in prices.told
        assert 'task="embed"' in memory.metrics()


def test_a_spent_budget_parks_jobs_and_leaves_search_to_words(
    server: Served, key: None, tmp_path: Path
) -> None:
    clock, path = SteppedClock(START), tmp_path / "m.db"
    config = settings(server, path, REMANENT_BUDGET__TOKENS_PER_DAY="120")
    with Memory.open(config, clock=clock, mind=ScriptedMind()) as memory:
        ada = memory.user("ada")
        ada.add("Sarah moved to Oslo last spring.")
        assert memory.work().parked == 0
        ada.add("The ferry to Bergen was late again. " * 30)
        assert memory.work().parked == 1
        (job,) = ada.jobs(["parked"])
        assert "EmbedderBudgetSpent" in (job.error or "")
        asked = len(server.asked)
        assert ada.search("Oslo " * 200)  # by words: nothing is sent
        assert len(server.asked) == asked
        clock.move_to(START + timedelta(days=1))  # a new day, and the same budget: in vain again
        assert memory.work().parked == 1
    more = settings(server, path, REMANENT_BUDGET__TOKENS_PER_DAY="100000")
    with Memory.open(more, clock=clock, mind=ScriptedMind()) as memory:
        ada = memory.user("ada")
        ada.retry_job(job.key)  # with a greater budget, on the same day
        assert memory.work().parked == 0
        assert "ferry" in ada.search("What was late?")[0].text


def test_going_over_to_it_is_paid_by_whose_entries_they_are(
    server: Served, key: None, tmp_path: Path
) -> None:
    config = settings(server, tmp_path / "m.db")
    here = dataclasses.replace(config, embedder="builtin")
    with Memory.open(here, clock=SteppedClock(START), mind=ScriptedMind()) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        ada.add("Sarah moved to Oslo last spring.")
        bob.add("The ferry to Bergen was late.")
        memory.work()
        memory.reembed(NAME)
        for user in (ada, bob):
            assert {one.job for one in user.spending().rows} == {"index"}
            assert user.spending().total.tokens_in > 0


def test_a_rebuild_is_paid_in_the_memory_that_asked_for_it(
    server: Served, key: None, tmp_path: Path
) -> None:
    with Memory.open(
        settings(server, tmp_path / "m.db"), clock=SteppedClock(START), mind=ScriptedMind()
    ) as memory:
        ada = memory.user("ada")
        ada.add("Sarah moved to Oslo last spring.")
        memory.work()
        before = ada.spending().total.tokens_in
        with memory.rebuild() as rebuilt:
            rebuilt.discard()
        assert ada.spending().total.tokens_in > before


def test_an_estimate_counts_the_embedder(server: Served, key: None, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.md").write_text("Sarah moved to Oslo last spring. " * 40)
    with Memory.open(
        settings(server, tmp_path / "m.db"), clock=SteppedClock(START), mind=ScriptedMind()
    ) as memory:
        ada = memory.user("ada")
        told = ada.estimate(notes)
        assert [one.task for one in told.lines] == ["embed"]
        assert told.cost.unpriced == told.cost.tokens_in > 240
        assert not ada.spending().rows


# -- which embedder a memory is opened with ---------------------------------------------------


def test_settings_that_name_none_do_not_send_words_elsewhere(
    server: Served, key: None, tmp_path: Path
) -> None:
    """Where words go is for whoever opens the memory to say, not for the file."""
    path = tmp_path / "m.db"
    with Memory.open(settings(server, path), mind=ScriptedMind()) as memory:
        memory.user("ada").add("Sarah moved to Oslo.")
        memory.work()
    asked = len(server.asked)
    with pytest.raises(EmbedderMismatch, match=f"open it with {NAME} .setting embedder"):
        Memory.open(dataclasses.replace(settings(server, path), embedder=""), mind=ScriptedMind())
    assert len(server.asked) == asked


def test_an_embedder_that_nobody_here_can_make_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory.open(path, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        memory.user("ada").remember("I like tea")
    with pytest.raises(EmbedderMismatch, match="hash-64"):
        Memory.open(path, mind=ScriptedMind())
