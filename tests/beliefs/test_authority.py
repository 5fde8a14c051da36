"""Who says so: an inference of ours stands beside what was asserted, and falls with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.beliefs.believe import infer as _infer
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.model.belief import Authority, Belief, BeliefStatus, BeliefType, ChangeKind
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.core.model.node import Kind
from remanent.core.model.page import Settled
from remanent.core.model.relationship import LinkKind
from remanent.errors import InvalidInput
from remanent.testing import HashEmbedder, ScriptedMind

PARIS, ROME = "Ada likes trips to Paris by train", "Ada likes trips to Rome by train"
LIKES = "Ada likes trips by train"
HATES = "Ada hates trips by train"


def opposed(statement: str, believed: str) -> Judgement:
    if statement == believed:
        return Judgement.SAME
    is_opposed = ("hates" in statement) != ("hates" in believed)
    return Judgement.CONTRADICTS if is_opposed else Judgement.DIFFERENT


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind(judgements=opposed)


def infer(ada: UserMemory, statement: str, *keys: str, **more: object) -> Settled:
    return _infer(ada.env, ada.scope, statement, keys, **more)  # type: ignore[arg-type]


def forget(ada: UserMemory, key: str) -> None:
    env, scope = ada.env, ada.scope
    with env.atomic():
        gone = rule.forgotten(node(ada, key), env.clock.now(), "asked to")
        env.graph.put(scope, gone)
        retract_dependents(env, scope, [gone])


def node(ada: UserMemory, key: str) -> Belief:
    found = ada.env.graph.get(ada.scope, key)
    assert isinstance(found, Belief)
    return found


@pytest.fixture
def trips(ada: UserMemory) -> tuple[str, str]:
    return ada.remember(PARIS).belief.key, ada.remember(ROME).belief.key


class TestInferring:
    def test_an_inference_has_no_episode_but_what_it_was_drawn_from(
        self, ada: UserMemory, trips: tuple[str, str]
    ) -> None:
        settled = infer(ada, LIKES, *trips, subject="Ada", importance=99)

        belief = settled.belief
        assert settled.outcome == "created"
        assert (belief.authority, belief.type) == (Authority.INFERENCE, BeliefType.META)
        assert (belief.confidence, belief.stability, belief.importance) == (0.8, 3.0, 10)
        assert (belief.subject, belief.supports) == ("ada", ())
        assert belief.derived_from == tuple(sorted(trips))
        links = ada.env.graph.links(
            ada.scope, belief.key, kinds=(LinkKind.DERIVED_FROM,), outward=True
        )
        assert {link.dst for link in links} == set(trips)

    def test_the_same_again_creates_nothing(self, ada: UserMemory, trips: tuple[str, str]) -> None:
        first = infer(ada, LIKES, *trips)
        same_grounds = infer(ada, "In other words, trains", *reversed(trips))
        same_words = infer(ada, LIKES, trips[0])

        assert (same_grounds.outcome, same_words.outcome) == ("repeated", "repeated")
        assert same_grounds.belief == same_words.belief == first.belief
        assert node(ada, first.belief.key) == first.belief

    def test_what_was_forgotten_is_not_inferred_again(
        self, ada: UserMemory, trips: tuple[str, str]
    ) -> None:
        forget(ada, infer(ada, LIKES, *trips).belief.key)

        again = infer(ada, LIKES, *trips)

        assert (again.outcome, again.belief.status) == ("repeated", BeliefStatus.FORGOTTEN)

    def test_it_needs_something_to_stand_on(self, ada: UserMemory, trips: tuple[str, str]) -> None:
        for field, statement, keys in (
            ("derived_from", LIKES, ()),
            ("derived_from", LIKES, (trips[0], "nothing")),
            ("statement", "  ", trips),
        ):
            with pytest.raises(InvalidInput) as caught:
                infer(ada, statement, *keys)
            assert caught.value.field == field
        assert len(ada.beliefs()) == 2

    def test_it_cannot_be_drawn_from_what_others_believe(
        self, memory: Memory, ada: UserMemory, trips: tuple[str, str]
    ) -> None:
        with pytest.raises(InvalidInput, match="derived_from"):
            infer(memory.user("bob"), LIKES, *trips)


class TestDispute:
    @pytest.mark.parametrize("times", [1, 4])
    def test_an_inference_never_overrules_what_the_user_said(
        self, ada: UserMemory, clock: SteppedClock, times: int
    ) -> None:
        for number in range(times):
            said = ada.remember(HATES, event_id=f"e{number}").belief
        before = node(ada, said.key)
        grounds = [ada.remember(f"Note {word}, quite apart").belief.key for word in ("x", "y")]
        clock.advance(timedelta(days=1))

        settled = infer(ada, LIKES, *grounds)

        after = node(ada, said.key)
        assert settled.outcome == "disputed"
        assert settled.belief.disputes == said.key
        assert settled.belief.status is BeliefStatus.ACTIVE
        assert (after.status, after.confidence, after.updated_at, after.superseded_by) == (
            before.status,
            before.confidence,
            before.updated_at,
            before.superseded_by,
        )
        assert (after.changes[-1].kind, after.changes[-1].by) == (
            ChangeKind.DISPUTED,
            settled.belief.key,
        )
        shown = {one.statement: one for one in ada.recall(LIKES, touch=False)}
        assert shown[LIKES].disputes == said.key
        assert shown[LIKES].authority is Authority.INFERENCE
        assert shown[HATES].authority is Authority.USER

    def test_the_user_may_contradict_an_inference(
        self, ada: UserMemory, trips: tuple[str, str]
    ) -> None:
        guess = infer(ada, LIKES, *trips).belief

        settled = ada.remember(HATES)

        assert settled.outcome == "invalidated"
        assert settled.other is not None
        assert settled.other.key in {guess.key, *trips}

    def test_an_inference_may_take_the_place_of_another(self, ada: UserMemory) -> None:
        keys = [ada.remember(f"Note {word}, quite apart").belief.key for word in ("x", "y", "z")]
        first = infer(ada, LIKES, *keys[:2]).belief

        settled = infer(ada, HATES, *keys[1:])

        assert settled.outcome == "invalidated"
        assert node(ada, first.key).superseded_by == settled.belief.key

    def test_what_the_user_confirms_is_the_users(
        self, ada: UserMemory, trips: tuple[str, str]
    ) -> None:
        guess = infer(ada, LIKES, *trips).belief

        settled = ada.remember(LIKES)

        assert (settled.outcome, settled.belief.key) == ("reinforced", guess.key)
        assert settled.belief.authority is Authority.USER
        for key in trips:
            forget(ada, key)
        assert node(ada, guess.key).status is BeliefStatus.ACTIVE


class TestSources:
    TURNS = (
        {"speaker": "Ada Lindqvist", "text": "I drink tea.", "id": "1"},
        {"speaker": "Tom", "text": "I play chess.", "id": "2"},
    )

    @pytest.fixture
    def told(self, tmp_path: Path, clock: SteppedClock) -> Iterator[UserMemory]:
        mind = ScriptedMind(
            drafts=lambda reading: [
                BeliefDraft(statement=one.text, passage_key=one.key) for one in reading.passages
            ]
        )
        with Memory.open(
            tmp_path / "m.db", clock=clock, mind=mind, embedder=HashEmbedder()
        ) as opened:
            yield opened.user("ada", name="Ada Lindqvist")

    def test_a_belief_knows_who_said_it(self, told: UserMemory) -> None:
        told.add(list(self.TURNS))
        told.work()

        found = {one.statement: one for one in told.beliefs()}
        tea, chess = found["I drink tea."], found["I play chess."]
        assert (tea.authority, tea.supports[0].speaker) == (Authority.USER, "Ada Lindqvist")
        assert (chess.authority, chess.supports[0].speaker) == (Authority.SOURCE, "Tom")

    def test_a_note_of_ones_own_is_ones_own_word(self, told: UserMemory) -> None:
        told.add("The cat is called Mio.")
        told.work()

        (cat,) = told.beliefs()
        assert (cat.authority, cat.supports[0].by_owner) == (Authority.USER, True)


def test_an_inference_is_told_down_to_the_words(ada: UserMemory, trips: tuple[str, str]) -> None:
    first = infer(ada, LIKES, *trips).belief
    tea = ada.remember("Tea is for the road").belief
    second = infer(ada, "A traveller at heart", first.key, tea.key).belief

    why = ada.why(second.key[:8])

    assert {one.quote for one in why} == {PARIS, ROME, "Tea is for the road"}
    assert {one.quote: [step.statement for step in one.through] for one in why} == {
        PARIS: [LIKES, PARIS],
        ROME: [LIKES, ROME],
        "Tea is for the road": ["Tea is for the road"],
    }


def test_what_is_no_longer_held_is_found_only_among_the_past(
    ada: UserMemory, trips: tuple[str, str]
) -> None:
    env, scope = ada.env, ada.scope
    index = env.index
    assert ada.remember("Ada hates trips to Paris by train").outcome == "invalidated"
    gone = next(key for key in trips if node(ada, key).status is BeliefStatus.INVALIDATED)

    assert gone not in {
        one.key for one in index.match(scope, "trips", kinds=(Kind.BELIEF,), limit=9)
    }
    assert gone in {
        one.key for one in index.match(scope, "trips", kinds=(Kind.PAST_BELIEF,), limit=9)
    }
    assert gone in index.vectors(scope, [gone])
    assert gone not in {one.belief.key for one in ada.recall("trips by train")}
    assert gone not in {one.key for one in ada.search("trips by train")}
