"""What was believed at any date, and why it changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from remanent import SteppedClock, UserMemory
from remanent.anchors.owner import register_user
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.errors import InvalidInput, UnknownKey
from remanent.testing import ScriptedMind

DAY = timedelta(days=1)


@pytest.fixture
def mind() -> ScriptedMind:
    """One home at a time."""

    def judged(statement: str, believed: str) -> Judgement:
        if statement == believed:
            return Judgement.SAME
        return Judgement.CONTRADICTS if statement.startswith("I live") else Judgement.DIFFERENT

    return ScriptedMind(
        judgements=judged,
        drafts=lambda reading: [
            BeliefDraft(statement=one.text, passage_key=one.key)
            for one in reading.passages
            if "live" in one.text
        ],
    )


@pytest.fixture
def start(clock: SteppedClock) -> datetime:
    return clock.now()


@pytest.fixture
def moves(ada: UserMemory, clock: SteppedClock, start: datetime) -> list[str]:
    """Oslo (told at once), Bergen ten days later (told two days late), Rome after twenty."""
    keys = [ada.remember("I live in Oslo").belief.key]
    clock.advance(12 * DAY)
    keys.append(ada.remember("I live in Bergen", at=start + 10 * DAY).belief.key)
    clock.advance(8 * DAY)
    keys.append(ada.remember("I live in Rome").belief.key)
    return keys


def said(beliefs: list[Belief]) -> list[str]:
    return [one.statement.removeprefix("I live in ") for one in beliefs]


class TestWhatWasTrueThen:
    @pytest.mark.parametrize(
        ("day", "where"),
        [(-1, []), (0, ["Oslo"]), (10, ["Bergen"]), (19, ["Bergen"]), (20, ["Rome"])],
    )
    def test_as_of(
        self, ada: UserMemory, moves: list[str], start: datetime, day: int, where: list[str]
    ) -> None:
        assert said(ada.beliefs(as_of=start + day * DAY)) == where

    def test_what_was_forgotten_counts_until_that_day(
        self, ada: UserMemory, moves: list[str], start: datetime, clock: SteppedClock
    ) -> None:
        end(ada, moves[-1])
        clock.advance(DAY)
        assert said(ada.beliefs()) == []
        assert said(ada.beliefs(as_of=start + 20 * DAY - timedelta(seconds=1))) == ["Bergen"]
        assert said(ada.beliefs(as_of=start + 20 * DAY)) == []  # forgotten the moment it was told

    def test_it_needs_a_time_zone(self, ada: UserMemory) -> None:
        for field in ("as_of", "known_at"):
            with pytest.raises(InvalidInput, match=field):
                ada.beliefs(**{field: datetime(2026, 1, 1)})  # noqa: DTZ001
            with pytest.raises(InvalidInput, match=field):
                ada.beliefs(**{field: "yesterday"})  # type: ignore[arg-type]


class TestWhatWeKnewThen:
    @pytest.mark.parametrize(
        ("day", "where"),
        [(-1, []), (0, ["Oslo"]), (11, ["Oslo"]), (12, ["Bergen"]), (21, ["Rome"])],
    )
    def test_known_at(
        self, ada: UserMemory, moves: list[str], start: datetime, day: int, where: list[str]
    ) -> None:
        known = ada.beliefs(known_at=start + day * DAY)
        assert said(known) == where
        assert all(one.status is BeliefStatus.ACTIVE and one.until is None for one in known)

    @pytest.mark.parametrize(
        ("as_of", "known_at", "where"),
        [(10, 11, ["Oslo"]), (10, 12, ["Bergen"]), (5, 12, ["Oslo"]), (25, 12, ["Bergen"])],
    )
    def test_both(
        self,
        ada: UserMemory,
        moves: list[str],
        start: datetime,
        as_of: int,
        known_at: int,
        where: list[str],
    ) -> None:
        found = ada.beliefs(as_of=start + as_of * DAY, known_at=start + known_at * DAY)
        assert said(found) == where

    def test_a_late_statement_was_not_known_before(
        self, ada: UserMemory, clock: SteppedClock, start: datetime
    ) -> None:
        clock.advance(30 * DAY)
        ada.remember("I live in Oslo", at=start)

        assert said(ada.beliefs(as_of=start)) == ["Oslo"]
        assert ada.beliefs(as_of=start, known_at=start + 29 * DAY) == []

    def test_confidence_is_that_of_the_day(
        self, ada: UserMemory, clock: SteppedClock, start: datetime
    ) -> None:
        for number in range(3):
            ada.remember("I live in Oslo", event_id=str(number))
            clock.advance(DAY)
        ada.remember("I live in Bergen")

        told = [ada.beliefs(known_at=start + day * DAY)[0] for day in range(4)]
        assert [one.confidence for one in told] == pytest.approx([0.6, 0.7, 0.8, 0.6])
        assert [len(one.supports) for one in told] == [1, 2, 3, 3]


class TestHistory:
    def test_the_whole_chain_from_any_of_its_links(self, ada: UserMemory, moves: list[str]) -> None:
        for key in moves:
            history = ada.history(key[:10])
            assert history.key == key
            assert [one.belief.key for one in history.chapters] == moves
            assert said([one.belief for one in history.chapters]) == ["Oslo", "Bergen", "Rome"]

    def test_each_link_tells_why(self, ada: UserMemory, moves: list[str]) -> None:
        oslo, bergen, _ = ada.history(moves[0]).chapters
        assert [(one.change.kind, one.words) for one in oslo.occurrences] == [
            (ChangeKind.CREATED, "I live in Oslo"),
            (ChangeKind.INVALIDATED, "I live in Bergen"),
        ]
        assert [one.quote for one in bergen.evidence] == ["I live in Bergen"]
        assert oslo.occurrences[-1].change.by == bergen.belief.key

    def test_a_late_arrival_takes_its_place_in_the_chain(
        self, ada: UserMemory, moves: list[str], start: datetime
    ) -> None:
        settled = ada.remember("I live in Paris", at=start - 90 * DAY)

        assert settled.outcome == "predated"
        told = [one.belief for one in ada.history(moves[-1]).chapters]
        assert said(told) == ["Paris", "Oslo", "Bergen", "Rome"]

    def test_a_ring_is_no_trap(self, ada: UserMemory, moves: list[str]) -> None:
        env, scope = ada.env, ada.scope
        oslo = env.graph.get(scope, moves[0])
        assert isinstance(oslo, Belief)
        env.graph.put(scope, replace(oslo, supersedes=moves[-1]))
        assert len(ada.history(moves[1]).chapters) == 3

    def test_of_what_was_forgotten_too(self, ada: UserMemory, moves: list[str]) -> None:
        end(ada, moves[-1])
        last = ada.history(moves[-1]).chapters[-1]
        assert last.belief.status is BeliefStatus.FORGOTTEN
        assert last.occurrences[-1].change.reason == "asked to"
        assert ada.why(moves[-1])[0].quote == "I live in Rome"

    def test_only_beliefs_have_one(self, ada: UserMemory, moves: list[str]) -> None:
        owner = ada.anchors("person")[0].key
        with pytest.raises(InvalidInput, match="not a belief"):
            ada.history(owner)
        with pytest.raises(UnknownKey):
            ada.history("ffffffff-nothing")
        with pytest.raises(UnknownKey):
            ada.why("ab")

    def test_down_to_the_words_of_the_source(self, ada: UserMemory) -> None:
        ada.add([{"speaker": "Ada", "text": "I live in Oslo, by the way."}], title="On the phone")
        ada.work()
        (belief,) = ada.beliefs()

        (evidence,) = ada.why(belief.key)
        (chapter,) = ada.history(belief.key).chapters

        assert (evidence.quote, evidence.speaker, evidence.title) == (
            "I live in Oslo, by the way.",
            "Ada",
            "On the phone",
        )
        assert chapter.evidence == (evidence,)
        assert chapter.occurrences[0].words == "On the phone"

    def test_of_others_nothing_is_told(self, ada: UserMemory, moves: list[str]) -> None:
        register_user(ada.env, "bob", name="Bob", timezone=None)
        with pytest.raises(UnknownKey):
            type(ada)(ada.env, "bob").history(moves[0])


def end(ada: UserMemory, key: str) -> None:
    env, scope = ada.env, ada.scope
    belief = env.graph.get(scope, key)
    assert isinstance(belief, Belief)
    with env.atomic():
        gone = rule.forgotten(belief, env.clock.now(), "asked to")
        env.graph.put(scope, gone)
        retract_dependents(env, scope, [gone])
