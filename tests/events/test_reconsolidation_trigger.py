"""When much has happened since the last time, it is gone over at once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.event import EVENTS_RECONSOLIDATED
from remanent.core.model.job import JobKind, JobState
from remanent.events.enrich import enrich_events
from remanent.events.project import project_events
from remanent.events.reconsolidate import trigger_reconsolidation
from remanent.health.metrics import measure_memory
from remanent.testing import HashEmbedder, ScriptedMind

MINUTE = timedelta(minutes=1)


def triggers(ada: UserMemory) -> int:
    events = ada.env.ledger.replay(ada.scope, limit=100_000)
    return sum(
        one.event_type == EVENTS_RECONSOLIDATED and one.payload["what"] == "reflection"
        for one in events
    )


def decide(ada: UserMemory, clock: SteppedClock, count: int, session: str = "s1") -> None:
    """So many important events, all of the same importance."""
    for n in range(count):
        clock.advance(timedelta(seconds=1))
        ada.record(
            {
                "event_type": "decision",
                "payload": {"text": f"We decided matter {session} {n}."},
                "agent_id": "helper",
                "session_id": session,
                "importance_hint": 10,
            }
        )


def test_much_importance_triggers_a_reflection(ada: UserMemory, clock: SteppedClock) -> None:
    decide(ada, clock, 10)
    ada.work()
    assert triggers(ada) == 0
    assert ada.summaries() == []

    decide(ada, clock, 10)
    ada.work()

    assert triggers(ada) == 1
    (episode,) = ada.summaries("episode")  # though the episode is not over yet
    assert episode.event_count == 20
    told = {one.name: one for one in measure_memory(ada.env)}
    (last,) = told["reconsolidation_last_run"].samples
    assert last.value == int(clock.now().timestamp())
    assert ada.jobs([JobState.READY, JobState.PARKED]) == []


def test_the_sum_begins_anew_with_each_reflection(ada: UserMemory, clock: SteppedClock) -> None:
    decide(ada, clock, 20)
    ada.work()
    decide(ada, clock, 5)
    ada.work()
    assert triggers(ada) == 1

    decide(ada, clock, 15)
    ada.work()

    assert triggers(ada) == 2
    (episode,) = ada.summaries("episode")
    assert episode.event_count == 40


def test_asking_again_triggers_nothing_more(ada: UserMemory, clock: SteppedClock) -> None:
    decide(ada, clock, 20)
    env, scope = ada.env, ada.scope
    project_events(env, scope)
    enrich_events(env, scope)

    assert trigger_reconsolidation(env, scope)
    assert not trigger_reconsolidation(env, scope)

    waiting = [job for job in ada.jobs([JobState.READY]) if job.kind is JobKind.RECONSOLIDATE]
    assert len(waiting) == 1


def test_the_last_reflection_outlives_the_process(tmp_path: Path, clock: SteppedClock) -> None:
    def opened() -> Memory:
        mind, embedder = ScriptedMind(), HashEmbedder()
        return Memory.open(tmp_path / "own.db", clock=clock, mind=mind, embedder=embedder)

    with opened() as memory:
        ada = memory.user("ada", name="Ada")
        decide(ada, clock, 20)
        ada.work()
    with opened() as memory:
        ada = memory.user("ada")
        assert not trigger_reconsolidation(ada.env, ada.scope)
        assert triggers(ada) == 1


def test_a_reflection_lets_nothing_go(ada: UserMemory, clock: SteppedClock) -> None:
    ada.record({"event_type": "message", "payload": {"text": "hello"}, "session_id": "old"})
    ada.work()
    clock.advance(timedelta(days=40))
    decide(ada, clock, 20)

    ada.work()

    assert triggers(ada) == 1
    assert ada.env.graph.counts(ada.scope)["event"] == 21


def test_a_reflection_counts_as_the_last_run(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    def last_run() -> float:
        (line,) = [
            one
            for one in memory.metrics().splitlines()
            if one.startswith("remanent_reconsolidation_last_run ")
        ]
        return float(line.split()[1])

    assert last_run() == 0.0
    decide(ada, clock, 20)
    ada.work()

    assert triggers(ada) == 1
    assert last_run() == clock.now().timestamp()
