"""What erasing leaves behind elsewhere, and must not here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import erased
import night_life
import pytest
import rebuilt
from test_undo import OSLO, START, Life, Mind

from remanent import Memory, SteppedClock
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import Source
from remanent.core.read import every
from remanent.core.records.admin import Erasable
from remanent.errors import InvalidInput, StoreError, UnknownKey
from remanent.sleep.episodes_to_notes import BY_SLEEP
from remanent.testing import HashEmbedder


@pytest.fixture
def life() -> Iterator[Life]:
    one = Life()
    yield one
    one.memory.close()


def test_a_fact_that_was_erased_is_not_recalled(life: Life) -> None:
    keys = life.live([f"Maria Berg: plays chess\n{OSLO}", "Tom Vance: rows"])
    life.memory.sleep()
    life.ada.erase(keys[0])
    for _ in range(2):
        assert life.ada.recall("Where does Maria Berg live near") == []
        for text in ("chess", "Maria Berg", "Oslo"):
            said = str([one.text for one in life.ada.search(text, limit=50)])
            assert "chess" not in said
            assert "Maria" not in said
            assert "Maria" not in life.ada.context(text, budget=500).text
            found = life.ada.explore([text])
            assert "Maria" not in str((found.semantic, found.episodic))
        life.clock.advance(timedelta(days=1))
        life.memory.work()
        life.memory.sleep()  # and no night brings it back


def test_no_edge_is_left_without_its_ends(life: Life) -> None:
    keys = life.live(["Maria Berg > home > Oslo\nTom > friend > Oslo", "Tom > home > Bergen"])
    life.ada.erase(keys[0])
    graph, scope = life.memory.env.graph, life.ada.scope
    for record in graph.export(scope):
        for end in ("src", "dst", "on", "anchor_key", "source_key"):
            key = record["value"].get(end)
            if isinstance(key, str) and key:
                assert graph.get(scope, key) or graph.relationship(scope, key), record
    assert {one.name for one in life.ada.anchors("entity")} == {"Bergen"}


def test_the_graph_is_cleaned_and_not_only_the_list(life: Life) -> None:
    keys = life.live(["Maria Berg: plays chess", "Maria Berg: sings"])
    before = life.memory.env.graph.counts(life.ada.scope)
    life.ada.erase(keys[0])
    after = life.memory.env.graph.counts(life.ada.scope)
    assert after["source"] == before["source"] - 1
    assert after["notes"] == before["notes"] - 1
    assert not erased.contains(life.memory, "ada", "chess")


def test_a_rebuild_from_before_does_not_bring_it_back(life: Life) -> None:
    keys = life.live(["Maria Berg: plays chess", "Tom: rows"])
    rebuilt_ = life.memory.rebuild()
    life.ada.erase(keys[0])
    with pytest.raises(StoreError, match="erasure"):
        rebuilt_.switch()
    rebuilt_.close()
    assert not erased.contains(life.memory, "ada", "chess")


class Nosy(Mind):
    """Does something while it reads."""

    meanwhile: Callable[[], object] | None = None

    def extract(self, reading: Reading) -> list[Candidate]:
        self._do()
        return super().extract(reading)

    def summarize(self, reading: Reading) -> str:
        self._do()
        return super().summarize(reading)

    def _do(self) -> None:
        now, self.meanwhile = self.meanwhile, None
        if now is not None:
            now()


@pytest.mark.parametrize("processed", [False, True])
def test_what_is_erased_while_it_is_read_does_not_come_back(processed: bool) -> None:
    mind, clock = Nosy(), SteppedClock(START)
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        key = ada.add(f"Maria Berg: plays chess\n{OSLO}")
        if processed:
            memory.work(limit=1)
        mind.meanwhile = lambda: ada.erase(key)
        memory.work()
        assert not erased.contains(memory, "ada", "Maria")
        assert ada.jobs() == []
        assert ada.search("chess") == []
        assert "Maria" not in str(list(memory.env.ledger.replay(ada.scope)))


def test_the_same_again_is_unknown(life: Life) -> None:
    keys = life.live(["Maria Berg: plays chess"])
    life.ada.erase(keys[0])
    with pytest.raises(UnknownKey):
        life.ada.erase(keys[0])


def test_a_dry_run_changes_nothing_and_tells_all(life: Life) -> None:
    keys = life.live([f"Maria Berg: plays chess\n{OSLO}", "Tom: rows"])
    before, events = life.digest(), list(life.memory.env.ledger.replay(life.ada.scope))
    told = life.ada.erase(keys[0], dry_run=True)
    assert told.dry_run
    assert not told.signature
    assert told.titles == ("source: Step 0",)
    assert life.digest() == before
    assert list(life.memory.env.ledger.replay(life.ada.scope)) == events
    done = life.ada.erase(keys[0])
    assert [(one.what, one.count) for one in told.removed] == [
        (one.what, one.count) for one in done.removed
    ]


def test_a_belief_goes_only_with_whoever_says_so(life: Life) -> None:
    life.live([OSLO, "remember It is so that Tom Vance keeps bees"])
    beliefs = {one.statement: one for one in life.ada.beliefs()}
    with pytest.raises(InvalidInput, match="sources say so"):
        life.ada.erase(beliefs[OSLO].key)
    done = life.ada.erase(beliefs["It is so that Tom Vance keeps bees"].key)
    assert done.kind is Erasable.BELIEF
    assert [one.statement for one in life.ada.beliefs()] == [OSLO]
    assert not erased.contains(life.memory, "ada", "keeps bees")


def test_an_artifact_goes_alone(life: Life) -> None:
    keys = life.live(["Maria Berg: plays chess"])
    made = life.ada.produce(keys[0], "plan", "Step one: buy zebracanary food.")
    life.ada.erase(made)
    assert not any("zebracanary" in one.text for one in life.ada.search("zebracanary food"))
    assert life.ada.read(keys[0]).passages
    ledger = life.memory.env.ledger
    assert "zebracanary" not in str(list(ledger.replay(life.ada.scope)))


def test_a_session_goes_with_the_source_it_became(life: Life) -> None:
    for number in range(3):
        life.ada.record(
            {
                "event_type": "message",
                "payload": {"text": f"zebracanary {number}", "role": "user"},
                "session_id": "s-1",
                "agent_id": "helper",
                "event_id": f"e-{number}",
            }
        )
    life.memory.work()
    source = life.ada.end_session("s-1").source_key
    life.memory.work()
    life.clock.advance(timedelta(days=2))
    life.memory.sleep()
    done = life.ada.erase("s-1")
    assert done.kind is Erasable.SESSION
    assert not erased.contains(life.memory, "ada", "zebracanary")
    assert "zebracanary" not in str(list(life.memory.env.ledger.replay(life.ada.scope)))
    with pytest.raises(UnknownKey):
        life.ada.read(str(source))


def test_one_event_goes_and_the_others_follow_one_another(life: Life) -> None:
    for number in range(3):
        life.ada.record(
            {
                "event_type": "message",
                "payload": {"text": f"zebracanary {number}", "role": "user"},
                "session_id": "s-1",
                "event_id": f"e-{number}",
            }
        )
        life.clock.advance(timedelta(minutes=1))
    life.memory.work()
    life.clock.advance(timedelta(days=2))
    life.memory.sleep()
    life.ada.erase("e-1")
    assert not erased.contains(life.memory, "ada", "zebracanary 1")
    assert erased.contains(life.memory, "ada", "zebracanary 2")
    with life.memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        derived.discard()


@pytest.mark.slow
def test_sources_can_be_erased_from_weeks_with_all_that_may_happen_in_them(tmp_path: Path) -> None:
    clock = SteppedClock(rebuilt.START)
    with rebuilt.opened(tmp_path / "memory.db", clock) as memory:
        rebuilt.live(memory, clock, days=9)
        ada, env = rebuilt.ada_of(memory), memory.env
        scope, graph = ada.scope, env.graph
        sources = [one for one in every(graph, scope, Source) if one.user_id == "ada"]
        for source in sorted(sources, key=lambda one: one.created_at)[2::6]:
            clock.advance(timedelta(minutes=1))
            done = ada.erase(source.key)
            assert done.probe.found == 0
        for record in graph.export(scope):
            for end in ("src", "dst", "on", "anchor_key"):
                key = record["value"].get(end)
                if isinstance(key, str) and key:
                    assert graph.get(scope, key) or graph.relationship(scope, key), record


def test_what_a_night_distilled_from_it_is_drawn_from_the_others(tmp_path: Path) -> None:
    mind, clock = night_life.NightMind(), SteppedClock(night_life.START + night_life.DAY)
    with night_life.opened(tmp_path / "memory.db", clock, mind) as ada:
        keys = [
            ada.add(
                f"Sarah: Likes zebracanary{number}.",
                started_at=night_life.START + number * night_life.DAY / 10,
            )
            for number in range(6)
        ]
        ada.work()
        graph, scope = ada.env.graph, ada.scope
        graph.touch(scope, keys, lambda life: replace(life, salience=0.1))
        clock.move_to(night_life.NIGHT)
        rest = night_life.night(ada, SleepJob.DISTIL)
        assert rest.counts["distilled"] == 6
        night_life.night(ada, SleepJob.DESCRIBE)
        told = [note for key in keys for note in graph.notes_of(scope, key)]
        insights = [one for one in told if one.added_by == BY_SLEEP]
        assert any("6 in all" in one.content for one in insights)
        done = ada.erase(keys[0])
        assert done.probe.found == 0
        left = [note for key in keys[1:] for note in graph.notes_of(scope, key)]
        insights = [one for one in left if one.added_by == BY_SLEEP]
        assert any("5 in all" in one.content for one in insights)
        assert not any("6 in all" in one.content for one in left)
        assert "zebracanary0" not in str(list(graph.export(scope)))
        assert b"zebracanary0" not in (tmp_path / "memory.db").read_bytes()
