"""What a language model costs, seen from outside: estimate, receipt, account, budget, and once more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Done, remanent
from model_server import TOKENS_IN, TOKENS_OUT, ModelServer, serving

from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.core.model.page import Worked
from remanent.core.model.sleep import SleepJob
from remanent.spending.rules import BudgetRules
from remanent.testing import HashEmbedder

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXT = "Maria Berg lives in Oslo. She works at Northwind and plays the cello in the evening."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    for job in SleepJob:
        monkeypatch.setenv(f"REMANENT_TIMETABLE__{job.name}", "off")
    monkeypatch.delenv("REMANENT_MIND_KEY", raising=False)
    with serving() as one:
        monkeypatch.setenv("REMANENT_MIND", "openai:gpt-4.1-mini")
        monkeypatch.setenv("REMANENT_MIND_URL", one.url)
        yield one


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def begun(path: Path) -> Path:
    assert ask(path, "init", "--user", "ada").code == 0
    note = path.parent / "note.md"
    note.write_text(TEXT)
    return note


def test_an_estimate_sends_and_writes_nothing(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "memory.db"
    note = begun(path)
    answer = ask(path, "import", str(note), "--estimate", "--json").json["estimate"]
    plain = ask(path, "import", str(note), "--estimate").out

    assert (answer["sources"], answer["words"]) == (1, 16)
    assert answer["cost"]["calls"] == 5
    assert answer["cost"]["usd"] > 0
    assert {one["model"] for one in answer["lines"]} == {"openai:gpt-4.1-mini"}
    assert "1 new source, 16 words" in plain
    assert "About 5 calls" in plain
    assert server.asked == []
    assert ask(path, "status", "--json").json["status"]["counts"].get("source", 0) == 0


def test_the_offline_mind_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    note = begun(path)

    assert "Cost: nothing." in ask(path, "import", str(note), "--estimate").out
    assert "cost" not in ask(path, "import", str(note), "--json").json
    assert ask(path, "spending").out == "Nothing was spent.\n"
    assert ask(path, "import", str(note), "--estimate", "--json").json["estimate"]["sources"] == 0


def test_a_receipt_and_the_account_agree(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "memory.db"
    note = begun(path)
    cost = ask(path, "import", str(note), "--json").json["cost"]
    (account,) = ask(path, "spending", "--json").json["spending"]
    plain = ask(path, "spending").out

    assert cost["calls"] == len(server.asked) > 0
    assert cost["tokens_in"] == TOKENS_IN * cost["calls"]
    assert cost["tokens_out"] == TOKENS_OUT * cost["calls"]
    expected = cost["calls"] * (TOKENS_IN * 0.4 + TOKENS_OUT * 1.6) / 1_000_000
    assert cost["usd"] == pytest.approx(expected)
    assert account["total"]["calls"] == cost["calls"]
    assert {one["task"] for one in account["rows"]} >= {"digest", "extract"}
    assert f"Total: {cost['calls']} calls" in plain
    assert ask(path, "spending", "--since", "2999-01-01").out == "Nothing was spent.\n"
    assert len(ask(path, "spending", "--all-users", "--json").json["spending"]) == 1


def test_an_estimate_is_near_to_what_is_then_sent(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "memory.db"
    note = begun(path)
    note.write_text(
        f"{TEXT} {' '.join(f'On day {n} Maria went to the sea again.' for n in range(300))}"
    )
    estimate = ask(path, "import", str(note), "--estimate", "--json").json["estimate"]
    ask(path, "import", str(note))
    sent = sum(len(str(one["messages"])) + len(str(one.get("tools", ""))) for one in server.asked)

    assert estimate["words"] > 2000
    assert 0.5 < sent / 4 / estimate["cost"]["tokens_in"] < 1.5
    assert len(server.asked) <= estimate["cost"]["calls"]


def test_metrics_tell_the_same(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "memory.db"
    ask(path, "import", str(begun(path)))
    text = ask(path, "metrics").out
    digest = 'remanent_mind_calls_total{task="digest",model="openai:gpt-4.1-mini"}'

    assert f"{digest} " in text
    assert (
        'remanent_mind_tokens_total{task="digest",model="openai:gpt-4.1-mini",direction="in"}'
        in text
    )
    assert 'remanent_graph_nodes_total{kind="source",tier=""} 1\n' in text
    assert ask(path, "metrics", "--json").json["metrics"].startswith("# HELP ")


def test_a_rebuild_asks_nobody(tmp_path: Path, server: ModelServer) -> None:
    path = tmp_path / "memory.db"
    ask(path, "import", str(begun(path)))
    asked = len(server.asked)
    before = ask(path, "spending", "--json").json
    rebuilt = ask(path, "rebuild")

    assert rebuilt.code == 0
    assert any("add_note_to_person" in str(one) for one in server.asked)  # an agent was there
    assert len(server.asked) == asked
    assert ask(path, "spending", "--json").json == before


def test_a_spent_budget_parks_and_the_next_day_goes_on(server: ModelServer) -> None:
    clock = SteppedClock(START)
    config = Config(
        memory=":memory:",
        mind="openai:gpt-4.1-mini",
        mind_url=server.url,
        budget=BudgetRules(tokens_per_day=2000),
    )
    with Memory.open(config, clock=clock, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        ada.add(TEXT)
        first = ada.work()
        account, asked = ada.spending(), len(server.asked)

        assert first.parked == 1
        assert 0 < account.today.tokens <= 2000 + TOKENS_IN + TOKENS_OUT  # the last may cost more
        assert account.budget.tokens_left is not None
        assert ada.work() == Worked()
        assert len(server.asked) == asked
        assert ada.remember("I prefer tea in the morning.") is not None  # offline, and at once
        assert len(server.asked) == asked
        for _ in range(9):
            clock.advance(timedelta(days=1))
            ada.work()
        assert ada.jobs(["ready", "parked"]) == []
        assert ada.spending(since=clock.now()).total.calls == 0
        assert {one.user_id for one in memory.spending()} == {"ada"}
