"""What a mind may say, how beliefs fade and keep, and why one comes to mind (SPEC 5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.belief import (
    BeliefRules,
    RecallParts,
    effective_confidence,
    outdated,
    recall_signals,
    recalled,
    reinforced,
    sound,
    weakened,
)
from remanent.beliefs.rules.explain import explained, explained_neighbour
from remanent.core.model.belief import OWNER, Belief, BeliefStatus, BeliefType, Support
from remanent.core.model.mind_types import BeliefDraft

pytestmark = pytest.mark.quick

RULES = BeliefRules()
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def belief(**given_: Any) -> Belief:
    fields: dict[str, Any] = {
        "key": "b1",
        "user_id": "ada",
        "created_at": NOW,
        "updated_at": NOW,
        "since": NOW,
        "statement": "Ada lives in Oslo",
    }
    return Belief(**(fields | given_))


def support(event_id: str = "e1", statement: str = "I live in Oslo") -> Support:
    return Support(event_id=event_id, statement=statement, at=NOW)


class TestSound:
    """A mind may say anything; what is believed keeps within the bounds."""

    @pytest.mark.parametrize(
        ("draft", "expected"),
        [
            (BeliefDraft(statement=" tea "), BeliefDraft(statement="tea")),
            (BeliefDraft(statement="  "), BeliefDraft(statement="raw")),
            (BeliefDraft(statement="x", importance=0), BeliefDraft(statement="x", importance=1)),
            (BeliefDraft(statement="x", importance=99), BeliefDraft(statement="x", importance=10)),
            (
                BeliefDraft(statement="x", subject=" MARIA "),
                BeliefDraft(statement="x", subject="maria"),
            ),
            (BeliefDraft(statement="x", subject=""), BeliefDraft(statement="x", subject=OWNER)),
            (BeliefDraft(statement="x", type=BeliefType.META), BeliefDraft(statement="x")),
            (BeliefDraft(statement="x", type=BeliefType.INSIGHT), BeliefDraft(statement="x")),
        ],
    )
    def test_bounds(self, draft: BeliefDraft, expected: BeliefDraft) -> None:
        assert sound(draft, " raw ") == expected

    @given(
        statement=st.text(),
        importance=st.integers() | st.floats(-1e9, 1e9),
        subject=st.text(),
        type_=st.sampled_from(BeliefType),
    )
    def test_anything_is_brought_within_them_once(
        self, statement, importance, subject, type_
    ) -> None:
        draft = BeliefDraft(statement=statement, importance=importance, subject=subject, type=type_)
        once = sound(draft, "raw")
        assert 1 <= once.importance <= 10
        assert once.statement
        assert once.subject
        assert sound(once, "raw") == once


class TestOutdated:
    def test_it_ends_when_the_relationship_did(self) -> None:
        until, now = NOW + timedelta(days=4), NOW + timedelta(days=9)
        old = outdated(belief(), "edge", "moved to Bergen", until=until, now=now, rules=RULES)
        assert (old.status, old.until, old.superseded_by) == (
            BeliefStatus.INVALIDATED,
            until,
            None,
        )
        assert (old.changes[-1].by, old.changes[-1].reason) == (
            "edge",
            "the relationship it tells of ended: moved to Bergen",
        )

    def test_a_well_supported_one_is_weakened_once_by_each(self) -> None:
        strong = belief(supports=tuple(support(f"e{number}") for number in range(3)))
        doubted = outdated(strong, "edge", "", until=NOW, now=NOW, rules=RULES)
        assert (doubted.status, doubted.confidence, doubted.superseded_by) == (
            BeliefStatus.ACTIVE,
            0.4,
            None,
        )
        assert outdated(doubted, "edge", "", until=NOW, now=NOW, rules=RULES) is doubted
        twice = outdated(doubted, "another", "", until=NOW, now=NOW, rules=RULES)
        assert twice.confidence == 0.2


class TestAYear:
    """The seed's tables: half-lives of 30, 90 and 150 days, and how to come by them."""

    @pytest.mark.parametrize(
        ("stability", "recalls", "half_life"),
        [(1.0, 0, 30), (1.0, 20, 90), (1.0, 40, 150), (3.0, 0, 90), (3.0, 20, 150)],
    )
    def test_recalls_lengthen_the_half_life(self, stability, recalls, half_life) -> None:
        one = belief(stability=stability)
        for number in range(recalls):  # within the hour it would change nothing
            one = recalled(one, NOW + timedelta(hours=number))
        assert effective_confidence(one, NOW + timedelta(days=half_life)) == pytest.approx(0.3)

    @pytest.mark.parametrize(
        ("every", "left"), [(365, 0.6 * 0.5 ** (365 / 33)), (9, 0.6 * 0.5 ** (365 / 150))]
    )
    def test_a_year_of_recalls(self, every: int, left: float) -> None:
        """Once a year, or every ninth day: forty times, and as stable as can be."""
        one = belief()
        for number in range(every, 366, every):
            one = recalled(one, NOW + timedelta(days=number))
        assert effective_confidence(one, NOW + timedelta(days=365)) == pytest.approx(left)

    @given(recalls=st.integers(0, 400), start=st.floats(1.0, 5.0))
    def test_stability_grows_by_a_tenth_up_to_five(self, recalls: int, start: float) -> None:
        one = belief(stability=start)
        for number in range(recalls):
            one = recalled(one, NOW + timedelta(hours=number))
        assert one.stability == pytest.approx(min(5.0, start + 0.1 * recalls))
        assert one.life.access_count == recalls

    @given(steps=st.lists(st.booleans(), max_size=30))
    def test_confidence_keeps_between_a_tenth_and_one(self, steps: list[bool]) -> None:
        one = belief()
        for number, is_said_again in enumerate(steps):
            before = one.confidence
            if is_said_again:
                one = reinforced(one, support(f"e{number}"), NOW)
                assert one.confidence == pytest.approx(min(1.0, before + 0.1))
            else:
                one = weakened(one, "b2", NOW)
                assert one.confidence == pytest.approx(max(0.1, before - 0.2))
            assert 0.1 <= one.confidence <= 1.0
            assert one.changes[-1].confidence == one.confidence

    @given(
        confidence=st.floats(0.0, 1.0), stability=st.floats(1.0, 5.0), days=st.floats(0.0, 4000.0)
    )
    def test_the_formula(self, confidence: float, stability: float, days: float) -> None:
        one = belief(confidence=confidence, stability=stability)
        expected = confidence * 0.5 ** (days / (30 * stability))
        found = effective_confidence(one, NOW + timedelta(days=days))
        assert found == pytest.approx(expected, abs=1e-9)
        assert 0.0 <= found <= confidence


class TestExplained:
    @given(
        cosine=st.floats(0, 1),
        importance=st.integers(1, 10),
        days=st.floats(0, 1000),
        stability=st.floats(1, 5),
        match=st.booleans(),
        insight=st.booleans(),
    )
    def test_the_points_add_up_to_the_score(
        self, cosine, importance, days, stability, match, insight
    ) -> None:
        parts = RecallParts(
            cosine=cosine,
            importance=importance,
            days_since_access=days,
            stability=stability,
            subject_match=match,
            is_insight=insight,
        )
        told = explained(parts, subject="maria", is_recalled=True)
        assert [one.name for one in told] == [
            "cosine",
            "importance",
            "recency",
            "stability",
            "subject",
        ]
        assert sum(one.points for one in told) == pytest.approx(sum(recall_signals(parts).values()))
        assert all(one.points == pytest.approx(one.value * one.weight) for one in told)

    def test_in_words(self) -> None:
        parts = RecallParts(
            cosine=0.816, importance=8, days_since_access=3.4, stability=1.3, subject_match=True
        )
        assert [one.said for one in explained(parts, subject="maria", is_recalled=True)] == [
            "0.82 alike in meaning",
            "importance 8 of 10",
            "accessed 3 days ago",
            "stability 1.3 of 5",
            "the query names maria",
        ]

    @pytest.mark.parametrize(
        ("days", "is_recalled", "said"),
        [
            (0.4, True, "accessed today"),
            (1.0, True, "accessed 1 day ago"),
            (12.9, False, "never accessed, made 12 days ago"),
        ],
    )
    def test_when(self, days: float, is_recalled: bool, said: str) -> None:
        parts = RecallParts(cosine=0, importance=5, days_since_access=days, stability=1)
        assert explained(parts, subject="maria", is_recalled=is_recalled)[2].said == said

    def test_a_neighbour_names_whose(self) -> None:
        part = explained_neighbour("Tom likes tea", 0.5)
        assert (part.points, part.said) == (0.4, "neighbour of: Tom likes tea")
