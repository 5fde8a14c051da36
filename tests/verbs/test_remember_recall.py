"""Remember and recall, by the rules of SPEC 5."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent import Memory, SteppedClock, UserMemory
from remanent.errors import EmbedderError, InvalidInput, MindError
from remanent.model.belief import BeliefType
from remanent.model.job import JobState
from remanent.model.reading import BeliefDraft, Judgement
from remanent.testing import HashEmbedder, ScriptedMind


def test_something_new_is_created(ada: UserMemory) -> None:
    settled = ada.remember("Tom likes green tea.")

    assert settled.outcome == "created"
    assert (settled.belief.confidence, settled.belief.stability) == (0.6, 1.0)
    assert [one.statement for one in ada.beliefs()] == ["Tom likes green tea."]


def test_the_same_again_is_reinforced(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember("Tom likes green tea.")
    clock.advance(timedelta(days=1))

    settled = ada.remember("Tom likes green tea.")

    assert settled.outcome == "reinforced"
    assert settled.belief.confidence == pytest.approx(0.7)
    assert settled.belief.updated_at == clock.now()
    assert len(settled.belief.supports) == 2
    assert len(ada.beliefs()) == 1


def test_an_event_id_used_before_changes_nothing(ada: UserMemory) -> None:
    first = ada.remember("Tom likes green tea.", event_id="e1")

    again = ada.remember("Something else entirely.", event_id="e1")

    assert again.outcome == "repeated"
    assert again.belief == first.belief
    assert len(ada.beliefs()) == 1


def test_a_well_supported_belief_is_only_weakened(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.judgements = {("Tom hates green tea.", "Tom likes green tea."): Judgement.CONTRADICTS}
    for _ in range(3):
        ada.remember("Tom likes green tea.")

    settled = ada.remember("Tom hates green tea.")

    assert settled.outcome == "weakened"
    assert settled.other is not None
    assert settled.other.confidence == pytest.approx(0.6)
    assert len(ada.beliefs()) == 2


def test_no_job_is_left_behind(ada: UserMemory) -> None:
    ada.remember("Tom likes green tea.")

    assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []


def test_what_cannot_be_read_is_kept_as_it_was_said(ada: UserMemory, mind: ScriptedMind) -> None:
    def mumble(text: str, *, owner_names: Sequence[str]) -> BeliefDraft:
        raise MindError("not JSON")

    mind.believe = mumble  # type: ignore[method-assign]

    belief = ada.remember("Tøm ≠ tea").belief

    assert (belief.statement, belief.type, belief.importance, belief.subject) == (
        "Tøm ≠ tea",
        BeliefType.FACTUAL,
        5,
        "owner",
    )


class Mute(HashEmbedder):
    """Has no embedding for anything."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbedderError("gone")


def test_without_an_embedding_beliefs_are_created_and_found_by_words(
    tmp_path: Path, clock: SteppedClock
) -> None:
    with Memory.open(
        tmp_path / "m.db", clock=clock, mind=ScriptedMind(), embedder=Mute()
    ) as memory:
        ada = memory.user("ada")
        ada.remember("Tom likes green tea.")
        ada.remember("Tom likes green tea.")

        assert len(ada.beliefs()) == 2
        assert ada.recall("tea")[0].statement == "Tom likes green tea."
        assert ada.search("tea")[0].text == "Tom likes green tea."


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("text", lambda ada: ada.remember("  ")),
        ("text", lambda ada: ada.remember("x" * 30_000)),
        ("text", lambda ada: ada.remember("a\x00")),
        ("event_id", lambda ada: ada.remember("x", event_id="")),
        ("query", lambda ada: ada.recall("")),
        ("limit", lambda ada: ada.recall("x", limit=0)),
        ("limit", lambda ada: ada.search("x", limit=10_000)),
        ("query", lambda ada: ada.search(" ")),
        ("kinds", lambda ada: ada.search("x", kinds=["dream"])),
        ("states", lambda ada: ada.jobs(["lost"])),
    ],
)
def test_bad_input_is_named(ada: UserMemory, field: str, call: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        call(ada)  # type: ignore[operator]
    assert caught.value.field == field


def test_the_future_cannot_be_remembered(ada: UserMemory, clock: SteppedClock) -> None:
    with pytest.raises(InvalidInput, match=r"at: .*future"):
        ada.remember("Tom won.", at=clock.now() + timedelta(days=1))


def test_recall_strengthens_what_it_returns(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember("Tom likes green tea.")

    (before,) = ada.recall("green tea")
    (after,) = ada.beliefs()

    assert before.belief.stability == 1.0
    assert after.stability == pytest.approx(1.1)
    assert (after.life.access_count, after.life.last_accessed_at) == (1, clock.now())


def test_a_named_subject_lifts_a_belief(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.remembered = lambda text: BeliefDraft(statement=text, subject=text.split()[0].lower())
    ada.remember("Tom likes tea.")
    ada.remember("Eve likes tea.")

    first, second = ada.recall("what tea for Eve?")

    assert first.statement == "Eve likes tea."
    assert (first.signals["subject"], second.signals.get("subject", 0.0)) == (
        pytest.approx(0.15),
        0.0,
    )


def test_recall_gives_no_more_than_asked_and_each_once(ada: UserMemory) -> None:
    for drink in ("tea", "coffee", "milk", "juice"):
        ada.remember(f"Tom likes {drink} in the morning.")

    found = ada.recall("Tom likes in the morning", limit=3)

    assert len({one.belief.key for one in found}) == len(found) == 3
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
