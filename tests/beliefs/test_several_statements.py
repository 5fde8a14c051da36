"""Remembering a text of several statements: each is a belief of its own, and the answer says of each."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import Belief
from remanent.core.model.event import event_key
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.core.model.page import Settled
from remanent.core.ports.embedder import TextKind
from remanent.core.ports.index import Vector
from remanent.core.read import every
from remanent.errors import InvalidInput
from remanent.testing import HashEmbedder, ScriptedMind

TWO = "Maria lives in Oslo. Tom works at Telenor."
OSLO, TELENOR = "Maria lives in Oslo.", "Tom works at Telenor."


def cut(text: str) -> list[BeliefDraft]:
    sentences = re.split(r"(?<=\.) ", text)
    return [BeliefDraft(statement=one, subject=one.split()[0]) for one in sentences]


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind(remembered=cut)


def told(settled: Settled) -> list[tuple[str, str]]:
    return [(one.outcome, one.belief.statement) for one in (settled, *settled.also)]


def held(ada: UserMemory) -> set[str]:
    return {one.statement for one in ada.beliefs()}


def all_of(ada: UserMemory) -> list[Belief]:
    nodes = every(ada.env.graph, ada.scope, Belief)
    return sorted((one for one in nodes if isinstance(one, Belief)), key=lambda one: one.key)


# --- with the built-in mind


@pytest.mark.slow
def test_the_built_in_mind_keeps_every_sentence(clock: SteppedClock) -> None:
    with Memory.open(":memory:", clock=clock) as memory:
        ada = memory.user("ada")
        settled = ada.remember("Maria lives in Oslo. She works at Telenor.")
        colours = ada.remember("My kettle is red. My car is green. My dog is brown.")

        assert told(settled) == [
            ("created", "Maria lives in Oslo."),
            ("created", "Maria works at Telenor."),
        ]
        assert [one.belief.subject for one in (settled, *settled.also)] == ["maria", "maria"]
        assert [one.statement for one in (colours.belief, *(o.belief for o in colours.also))] == [
            "My kettle is red.",
            "My car is green.",
            "My dog is brown.",
        ]
        assert ada.search("Telenor")[0].text == "Maria works at Telenor."
        assert len(ada.beliefs()) == 5


# --- settling


def test_each_statement_is_settled_by_itself(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.judgements = {("Maria lives in Rome.", OSLO): Judgement.CONTRADICTS}
    ada.remember(TWO)

    settled = ada.remember("Maria lives in Rome. Tom works at Telenor. Ann rows.")

    assert told(settled) == [
        ("invalidated", "Maria lives in Rome."),
        ("reinforced", TELENOR),
        ("created", "Ann rows."),
    ]
    assert settled.other is not None
    assert settled.other.statement == OSLO
    assert held(ada) == {"Maria lives in Rome.", TELENOR, "Ann rows."}


def test_a_later_statement_sees_the_earlier_ones(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.judgements = {("Maria lives in Rome.", OSLO): Judgement.CONTRADICTS}

    settled = ada.remember("Maria lives in Oslo. Maria lives in Rome. Maria lives in Oslo.")

    assert told(settled) == [("created", OSLO), ("invalidated", "Maria lives in Rome.")]
    assert held(ada) == {"Maria lives in Rome."}


def test_each_has_words_of_its_own_behind_it(ada: UserMemory) -> None:
    settled = ada.remember(TWO, event_id="e1")

    for one in (settled, *settled.also):
        (evidence,) = ada.why(one.belief.key)
        assert (evidence.support.event_id, evidence.quote) == ("e1", one.belief.statement)


def test_one_statement_is_supported_by_the_whole_text(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.remembered = {"Oslo": BeliefDraft(statement=OSLO)}

    settled = ada.remember("Hi! Maria lives in Oslo.")

    assert settled.also == ()
    assert settled.belief.supports[0].statement == "Hi! Maria lives in Oslo."


def test_an_event_id_used_before_changes_nothing(ada: UserMemory) -> None:
    first = ada.remember(TWO, event_id="e1")
    before = all_of(ada)

    again = ada.remember("Something else. And more.", event_id="e1")

    assert told(again) == [("repeated", OSLO), ("repeated", TELENOR)]
    assert again.also[0].belief == first.also[0].belief
    assert all_of(ada) == before


def test_it_is_repeated_though_the_episode_has_left_the_graph(ada: UserMemory) -> None:
    ada.remember(TWO, event_id="e1")
    ada.env.graph.remove(ada.scope, event_key("ada", "e1"))
    before = all_of(ada)

    again = ada.remember(TWO, event_id="e1")

    assert {one for _, one in told(again)} == {OSLO, TELENOR}
    assert {one for one, _ in told(again)} == {"repeated"}
    assert all_of(ada) == before


# --- interrupted between two


class PowerCutError(Exception):
    pass


class Stumbling(HashEmbedder):
    """Fails once, when it comes to the second statement."""

    stumbled = False

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> list[Vector]:
        if list(texts) == [TELENOR] and not self.stumbled:
            self.stumbled = True
            raise PowerCutError
        return list(super().embed(texts, kind=kind))


def test_what_was_interrupted_between_two_is_finished_by_a_worker(
    clock: SteppedClock, mind: ScriptedMind
) -> None:
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=Stumbling()) as memory:
        ada = memory.user("ada")
        with pytest.raises(PowerCutError):
            ada.remember(TWO, event_id="e1")
        assert held(ada) == {OSLO}
        before = all_of(ada)

        memory.work()

        assert held(ada) == {OSLO, TELENOR}
        assert before[0] in all_of(ada)
        assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []
        again = ada.remember(TWO, event_id="e1")
        assert told(again) == [("repeated", OSLO), ("repeated", TELENOR)]


KILLED = """
import os, re, signal, sys
from remanent import Memory
from remanent.core.model.mind_types import BeliefDraft
from remanent.testing import HashEmbedder, ScriptedMind

class Killing(HashEmbedder):
    def embed(self, texts, *, kind="passage"):
        if list(texts) == ["Tom works at Telenor."]:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts, kind=kind)

mind = ScriptedMind(remembered=lambda text: [BeliefDraft(statement=one) for one in re.split(r"(?<=[.]) ", text)])
with Memory.open(sys.argv[1], mind=mind, embedder=Killing()) as memory:
    memory.user("ada").remember("Maria lives in Oslo. Tom works at Telenor.", event_id="e1")
"""


@pytest.mark.slow
def test_killed_between_two_nothing_is_lost_and_nothing_is_twice(
    tmp_path: Path, mind: ScriptedMind
) -> None:
    path = tmp_path / "memory.db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    later = SteppedClock(Memory.open(path, mind=mind, embedder=HashEmbedder()).env.clock.now())
    with Memory.open(path, clock=later, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        assert held(ada) == {OSLO}
        later.advance(timedelta(days=1))  # the lease of the killed is over

        memory.work()
        memory.work()

        assert held(ada) == {OSLO, TELENOR}
        assert all(len(one.supports) == 1 for one in ada.beliefs())


# --- afterwards


def test_forgetting_one_leaves_the_other_and_its_words_are_found_nowhere(ada: UserMemory) -> None:
    settled = ada.remember(TWO, event_id="e1")

    ada.forget(settled.also[0].belief.key)

    assert held(ada) == {OSLO}
    assert all("Telenor" not in one.text for one in ada.search("Tom works at Telenor", limit=50))
    assert ada.events("Tom works at Telenor") == []
    assert "Telenor" not in ada.context("Where does Tom work, at Telenor?").text


def test_one_of_two_is_not_erased_by_itself_but_the_text_is(ada: UserMemory) -> None:
    settled = ada.remember(TWO, event_id="e1")

    with pytest.raises(InvalidInput, match="'e1'"):
        ada.erase(settled.belief.key)
    assert held(ada) == {OSLO, TELENOR}
    assert ada.erase("e1").probe.found == 0
    assert all_of(ada) == []


def test_one_that_was_said_by_itself_is_erased(ada: UserMemory) -> None:
    ada.remember(TWO, event_id="e1")

    ada.erase(ada.remember("Ann rows.").belief.key)

    assert held(ada) == {OSLO, TELENOR}


def test_a_rebuild_gives_the_same_beliefs(
    ada: UserMemory, memory: Memory, clock: SteppedClock, mind: ScriptedMind
) -> None:
    mind.judgements = {("Tom works at Equinor.", TELENOR): Judgement.CONTRADICTS}
    settled = ada.remember(TWO)
    clock.advance(timedelta(days=1))
    ada.remember("Maria lives in Oslo. Tom works at Equinor. Ann rows.")
    ada.forget(settled.belief.key)

    with memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        derived.discard()


def test_the_past_has_each_as_it_was(
    ada: UserMemory, clock: SteppedClock, mind: ScriptedMind
) -> None:
    mind.judgements = {("Tom works at Equinor.", TELENOR): Judgement.CONTRADICTS}
    ada.remember(TWO)
    then = clock.now()
    clock.advance(timedelta(days=1))
    ada.remember("Ann rows. Tom works at Equinor.")

    assert {one.statement for one in ada.beliefs(as_of=then)} == {OSLO, TELENOR}
    assert {one.statement for one in ada.beliefs(known_at=then)} == {OSLO, TELENOR}
    assert held(ada) == {OSLO, "Ann rows.", "Tom works at Equinor."}


def test_beliefs_travel_with_what_supports_them(
    ada: UserMemory, tmp_path: Path, memory: Memory
) -> None:
    ada.remember(TWO, event_id="e1")
    ada.export_beliefs(tmp_path / "beliefs.jsonl")
    bob = memory.user("bob")

    bob.import_beliefs(tmp_path / "beliefs.jsonl")

    assert {one.statement: one.supports for one in bob.beliefs()} == {
        one.statement: one.supports for one in ada.beliefs()
    }
