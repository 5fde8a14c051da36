"""What whoever watches a memory is told: numbers of all users, and what is private stays uncounted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.ingest.rules.dedupe import ImportedSource
from remanent.ingest.rules.request import AddRequest
from remanent.spending.report import estimate
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def opened(clock: SteppedClock) -> Memory:
    return Memory.open(
        Config(memory=":memory:"), clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
    )


def value(text: str, line: str) -> float:
    (found,) = [one for one in text.splitlines() if one.startswith(f"{line} ")]
    return float(found.rpartition(" ")[2])


def test_events_are_told_by_tier_and_by_how_they_rank() -> None:
    clock = SteppedClock(START)
    with opened(clock) as memory:
        ada, bo = memory.user("ada"), memory.user("bo")
        before = memory.metrics()
        ada.record("note", {"text": "The ship sails at noon."}, session_id="s")
        ada.work()
        clock.advance(timedelta(days=2))
        bo.record("note", {"text": "Rain."}, session_id="s")
        waiting = clock.advance(timedelta(seconds=90))
        late = memory.metrics()
        bo.work()
        assert waiting == clock.now()
        assert len(ada.events(limit=5)) == 1
        text = memory.metrics()

    assert value(late, "remanent_consolidation_lag_seconds") == 90
    assert value(text, "remanent_consolidation_lag_seconds") == 0
    assert value(text, 'remanent_graph_nodes_total{kind="event",tier="hot"}') == 1
    assert value(text, 'remanent_graph_nodes_total{kind="event",tier="warm"}') == 1
    assert value(text, 'remanent_graph_nodes_total{kind="event",tier="cold"}') == 0
    assert value(text, 'remanent_jobs_total{kind="project",outcome="done"}') >= 2
    seen = (
        value(before, "remanent_decay_score_count") if "remanent_decay_score_count" in before else 0
    )
    assert value(text, "remanent_decay_score_count") == seen + 1


def test_no_word_and_no_name_of_anyone_is_in_the_metrics() -> None:
    clock = SteppedClock(START)
    with opened(clock) as memory:
        ada = memory.user("adalovelace")
        ada.record("secret_type", {"text": "The treasure."}, session_id="hideout")
        ada.work()
        text = memory.metrics()

    for word in ("adalovelace", "secret_type", "treasure", "hideout"):
        assert word not in text


def found(text: str, **fields: Any) -> ImportedSource:
    return ImportedSource(where="here", request=AddRequest(content=text, **fields), share=1.0)


class Paid(ScriptedMind):
    """A mind that asks a language model, as far as an estimate can see."""

    name = "openai:gpt-4.1-mini"

    class chat:  # noqa: N801 - an attribute, as a mind has it
        @staticmethod
        def model(task: str) -> str:
            return "openai:gpt-4.1-mini"


def test_private_and_known_sources_cost_nothing() -> None:
    clock = SteppedClock(START)
    with opened(clock) as memory:
        ada = memory.user("ada")
        ada.add("Known since long ago.")
        env = memory.env
        paid = replace(env, mind=Paid())
        items = [
            found("Known since long ago."),
            found("A new one of six words."),
            found("Nobody may know of this.", sensitivity="high"),
            found(""),
        ]
        scope = env.registry.scope_of("ada")
        all_of_them = estimate(paid, scope, items)
        only_one = estimate(paid, scope, items[1:2])

    assert (all_of_them.sources, all_of_them.private, all_of_them.words) == (2, 1, 11)
    assert (all_of_them.known, all_of_them.skipped) == (1, 1)
    assert all_of_them.lines == only_one.lines
    assert all_of_them.cost.calls == 5
