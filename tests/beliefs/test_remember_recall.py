"""Remember and recall, by the rules of SPEC 5."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import BeliefType
from remanent.core.model.event import event_key
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import BeliefDraft, Candidate, Judgement
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.errors import EmbedderError, InvalidInput, MindError
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


def test_the_mind_is_not_asked_whether_one_person_is_another(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    mind.judgements = {("Eve hates green tea.", "Tom hates green tea."): Judgement.SAME}
    mind.remembered = {
        f"{name} hates green tea.": BeliefDraft(
            statement=f"{name} hates green tea.", subject=name.casefold()
        )
        for name in ("Tom", "Eve")
    }
    ada.remember("Tom hates green tea.")

    settled = ada.remember("Eve hates green tea.")

    assert settled.outcome == "created"
    assert "judge" not in mind.asked


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

    def embed(self, texts: Sequence[str], *, kind: str = "passage") -> NDArray[np.float32]:
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


class TestRememberBySpec:
    """Every clause of SPEC 5 that the tests above do not name."""

    def test_sixteen_at_once_are_one_belief_with_sixteen_episodes(self, ada: UserMemory) -> None:
        with ThreadPoolExecutor(16) as pool:
            settled = list(pool.map(ada.remember, ["Tom likes green tea."] * 16))

        (belief,) = ada.beliefs()
        assert sorted(one.outcome for one in settled) == ["created"] + ["reinforced"] * 15
        assert len({one.event_id for one in belief.supports}) == 16
        assert belief.confidence == 1.0
        assert len(ada.why(belief.key)) == 16

    def test_the_episode_is_found_by_its_own_words_but_not_by_default(
        self, ada: UserMemory
    ) -> None:
        ada.remember("Tom likes green tea.", event_id="e1")
        env, scope = ada.env, ada.scope
        index = env.index
        vector = HashEmbedder().embed(["green tea for Tom"])[0]

        (match,) = index.near(scope, vector, kinds=(Kind.EVENT,), limit=5)

        assert match.key == event_key("ada", "e1")
        assert match.score >= 0.30
        assert {hit.kind for hit in ada.search("green tea")} == {Kind.BELIEF}

    def test_what_the_mind_says_is_kept_within_bounds(
        self, ada: UserMemory, mind: ScriptedMind
    ) -> None:
        mind.remembered = lambda _: BeliefDraft(
            statement=" Maria sings. ", type=BeliefType.META, importance=99, subject=" MARIA "
        )

        belief = ada.remember("Maria sings!").belief

        assert (belief.statement, belief.type, belief.importance, belief.subject) == (
            "Maria sings.",
            BeliefType.FACTUAL,
            10,
            "maria",
        )

    def test_at_most_three_neighbours_are_linked(self, ada: UserMemory) -> None:
        for drink in ("tea", "milk", "water", "juice", "cider"):
            belief = ada.remember(f"Tom takes {drink} at noon").belief
        links = ada.env.graph.links(
            ada.scope, belief.key, kinds=(LinkKind.NEIGHBOUR,), outward=True
        )
        assert len(links) == 3

    def test_without_an_embedding_confidence_is_the_usual(
        self, tmp_path: Path, clock: SteppedClock
    ) -> None:
        with Memory.open(
            tmp_path / "m.db", clock=clock, mind=ScriptedMind(), embedder=Mute()
        ) as memory:
            settled = memory.user("ada").remember("Tom likes green tea.")
        assert (settled.outcome, settled.belief.confidence) == ("created", 0.6)

    def test_what_was_made_without_an_embedding_gets_one_when_it_is_recalled(
        self, tmp_path: Path, clock: SteppedClock
    ) -> None:
        embedder = Moody()
        with Memory.open(
            tmp_path / "m.db", clock=clock, mind=ScriptedMind(), embedder=embedder
        ) as memory:
            ada = memory.user("ada")
            key = ada.remember("Tom likes green tea.").belief.key
            index = ada.env.index
            embedder.is_mute = False

            (found,) = ada.recall("green tea", touch=False)
            assert found.belief.key == key
            assert index.vectors(ada.scope, [key]) == {}

            (found,) = ada.recall("green tea", explain=True)
            assert found.parts[0].said.endswith("alike in meaning")
            assert list(index.vectors(ada.scope, [key])) == [key]
            assert ada.remember("Tom likes green tea.").outcome == "reinforced"


class Moody(HashEmbedder):
    """Mute at first."""

    is_mute = True

    def embed(self, texts: Sequence[str], *, kind: str = "passage") -> NDArray[np.float32]:
        if self.is_mute:
            raise EmbedderError("gone")
        return super().embed(texts)


class TestRecallBySpec:
    def test_it_tells_the_parts_of_each_score(self, ada: UserMemory, clock: SteppedClock) -> None:
        ada.remember("I like green tea.")
        clock.advance(timedelta(days=3))

        (found,) = ada.recall("what tea do I like?", explain=True)

        assert [one.name for one in found.parts] == [
            "cosine",
            "importance",
            "recency",
            "stability",
            "subject",
        ]
        assert sum(one.points for one in found.parts) == pytest.approx(found.score)
        assert found.parts[2].said == "never accessed, made 3 days ago"
        assert found.parts[4].said == "the query names owner"
        assert ada.recall("what tea do I like?")[0].parts == ()

    def test_without_touch_nothing_changes(self, ada: UserMemory) -> None:
        ada.remember("Tom likes green tea.")
        before = ada.beliefs()

        assert ada.recall("green tea", touch=False)

        assert ada.beliefs() == before

    def test_neighbours_of_the_best_say_whose_they_are(self, ada: UserMemory) -> None:
        tea = ada.remember("Tom likes green tea").belief.key
        pots = ada.remember("green pots Tom likes").belief.key

        found = {one.belief.key: one for one in ada.recall("tea", explain=True)}

        assert found[pots].through == tea
        assert found[pots].score == pytest.approx(0.8 * found[tea].score)
        assert found[pots].parts[0].said == "neighbour of: Tom likes green tea"

    def test_access_is_one_batch(self, ada: UserMemory, clock: SteppedClock) -> None:
        for drink in ("tea", "coffee", "milk"):
            ada.remember(f"Tom likes {drink} in the morning.")
        clock.advance(timedelta(days=1))

        found = ada.recall("Tom in the morning")

        assert len(found) == 3
        assert {one.life.last_accessed_at for one in ada.beliefs()} == {clock.now()}
        assert {one.life.access_count for one in ada.beliefs()} == {1}

    def test_an_alias_in_the_query_names_the_subject(
        self, ada: UserMemory, mind: ScriptedMind
    ) -> None:
        mind.candidates = {
            "Maria": [
                Candidate(
                    kind=Kind.PERSON,
                    name="Maria Lopez",
                    aliases=("Mari",),
                    confidence=9,
                    subpoints=("a", "b", "c"),
                )
            ]
        }
        mind.remembered = lambda text: BeliefDraft(statement=text, subject="maria lopez")
        ada.add("Maria Lopez came by.")
        ada.work()
        ada.remember("She likes tea.")

        (found,) = ada.recall("tea for Mari", explain=True)

        assert found.signals["subject"] == pytest.approx(0.15)
        assert found.parts[4].said == "the query names maria lopez"

    def test_the_owner_by_name(self, ada: UserMemory) -> None:
        ada.remember("Likes tea.")
        (found,) = ada.recall("does Ada Lindqvist like tea?")
        assert found.signals["subject"] == pytest.approx(0.15)

    def test_what_is_not_active_never_comes_to_mind(
        self, ada: UserMemory, mind: ScriptedMind
    ) -> None:
        mind.judgements = {("Tom hates green tea.", "Tom likes green tea."): Judgement.CONTRADICTS}
        ada.remember("Tom likes green tea.")
        ada.remember("Tom hates green tea.")

        assert {one.statement for one in ada.recall("green tea Tom")} == {"Tom hates green tea."}
        assert {one.text for one in ada.search("green tea Tom")} == {"Tom hates green tea."}
