"""What a statement does to what is believed, what recall weighs, and how confidence wears (SPEC 5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.belief import (
    BeliefRules,
    Create,
    Dispute,
    Invalidate,
    Predate,
    RecallParts,
    Reinforce,
    Similar,
    Weaken,
    days_since_access,
    disputed,
    effective_confidence,
    episodes,
    forgotten,
    invalidated,
    may_overrule,
    pruned,
    recall_signals,
    recalled,
    reinforced,
    similarity,
    subject_matches,
    to_judge,
    verdict,
    weakened,
)
from remanent.beliefs.rules.explain import least_cosine, most_recalled
from remanent.core.model.belief import Authority, Belief, BeliefStatus, ChangeKind, Support
from remanent.core.model.event import event_key
from remanent.core.model.mind_types import Judgement
from remanent.core.model.search import Recollection

pytestmark = pytest.mark.quick

RULES = BeliefRules()
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAME, CONTRADICTS, DIFFERENT = Judgement.SAME, Judgement.CONTRADICTS, Judgement.DIFFERENT


def like(key: str, value: float, *, episodes: int = 1, days: float = -10) -> Similar:
    return Similar(key, value, episodes, NOW + timedelta(days=days))


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


def support(event_id: str = "e1", statement: str = "I live in Oslo", days: float = 0) -> Support:
    return Support(event_id=event_id, statement=statement, at=NOW + timedelta(days=days))


class TestSimilarity:
    SCALE = ((0.5, 0.0), (0.8, 0.7), (0.9, 0.85), (1.0, 1.0))

    @pytest.mark.parametrize(
        ("cosine", "expected"),
        [(-1, 0), (0.5, 0), (0.65, 0.35), (0.8, 0.7), (0.85, 0.775), (1.0, 1.0), (1.2, 1.0)],
    )
    def test_runs_straight_between_the_points(self, cosine: float, expected: float) -> None:
        assert similarity(cosine, self.SCALE) == pytest.approx(expected)

    @pytest.mark.parametrize(("cosine", "expected"), [(-0.3, 0.0), (0.42, 0.42), (1.0001, 1.0)])
    def test_without_points_the_cosine_stands(self, cosine: float, expected: float) -> None:
        assert similarity(cosine, ()) == expected

    @given(alike=st.floats(0, 1.1), cosine=st.floats(-1, 1.01))
    def test_a_least_cosine_parts_what_is_so_much_alike_from_the_rest(
        self, alike: float, cosine: float
    ) -> None:
        for scale in ((), self.SCALE):
            is_enough = cosine >= least_cosine(alike, scale)
            assert is_enough == (similarity(cosine, scale) >= alike)

    def test_a_single_point_is_flat(self) -> None:
        assert similarity(-1.0, [(0.5, 0.6)]) == similarity(1.0, [(0.5, 0.6)]) == 0.6

    def test_two_points_at_one_place_are_a_step(self) -> None:
        scale = [(0.5, 0.2), (0.5, 0.6)]
        assert (similarity(0.49, scale), similarity(0.5, scale)) == (0.2, 0.6)

    @given(
        scale=st.lists(st.tuples(st.floats(-1, 1), st.floats(-2, 2)), max_size=6),
        one=st.floats(-2, 2),
        other=st.floats(-2, 2),
    )
    def test_never_falls_and_stays_between_0_and_1(
        self, scale: list[tuple[float, float]], one: float, other: float
    ) -> None:
        low, high = (similarity(cosine, scale) for cosine in sorted((one, other)))
        assert 0.0 <= low <= high + 1e-9
        assert high <= 1.0


class TestVerdict:
    def test_what_is_sure_goes_before_what_is_doubtful(self) -> None:
        similar = [like("doubted", 0.95), like("ended", 0.8), like("same", 0.75)]
        judged = {"doubted": Judgement.DOUBTFUL, "ended": CONTRADICTS}

        assert verdict(similar, judged, at=NOW) == Invalidate("ended", ("same",))
        assert verdict(similar, judged | {"same": SAME}, at=NOW) == Reinforce("same")

    def test_nothing_alike_is_news(self) -> None:
        assert verdict([], {}, at=NOW) == Create(())

    def test_the_mind_is_asked_about_the_grey_and_the_close(self) -> None:
        similar = [like("low", 0.69), like("grey", 0.70), like("close", 0.99)]
        assert to_judge(similar) == ("close", "grey")

    @pytest.mark.parametrize(
        ("value", "judged", "expected"),
        [
            (0.86, None, Reinforce("old")),
            (0.86, SAME, Reinforce("old")),
            (0.86, DIFFERENT, Create(())),
            (0.86, CONTRADICTS, Invalidate("old", ())),
            (0.85, None, Create(("old",))),
            (0.80, SAME, Reinforce("old")),
            (0.80, DIFFERENT, Create(("old",))),
            (0.80, CONTRADICTS, Invalidate("old", ())),
            (0.70, CONTRADICTS, Invalidate("old", ())),
            (0.70, SAME, Reinforce("old")),
            (0.86, Judgement.DOUBTFUL, Dispute("old", ())),
            (0.70, Judgement.DOUBTFUL, Dispute("old", ())),
            (0.69, Judgement.DOUBTFUL, Create(("old",))),
            (0.80, Judgement.REFINES, Create(("old",))),
            (0.69, CONTRADICTS, Create(("old",))),
            (0.69, SAME, Create(("old",))),
            (0.40, None, Create(("old",))),
            (0.39, None, Create(())),
        ],
    )
    def test_one_belief_by_similarity_and_judgement(self, value, judged, expected) -> None:
        judgements = {} if judged is None else {"old": judged}
        assert verdict([like("old", value)], judgements, at=NOW) == expected

    @pytest.mark.parametrize(
        ("episodes", "expected"),
        [(2, Invalidate("oslo")), (3, Weaken("oslo")), (9, Weaken("oslo"))],
    )
    def test_what_three_episodes_support_is_only_weakened(self, episodes, expected) -> None:
        similar = [like("oslo", 0.93, episodes=episodes)]
        assert verdict(similar, {"oslo": CONTRADICTS}, at=NOW) == expected

    @pytest.mark.parametrize("episodes", [1, 5])
    def test_a_late_import_does_not_unseat_what_came_after_it(self, episodes: int) -> None:
        similar = [like("bergen", 0.93, episodes=episodes, days=30), like("fjords", 0.5)]
        judgements = {"bergen": CONTRADICTS}
        assert verdict(similar, judgements, at=NOW) == Predate("bergen", ("fjords",))

    def test_said_at_the_same_moment_the_later_word_counts(self) -> None:
        similar = [like("oslo", 0.9, days=0)]
        assert verdict(similar, {"oslo": CONTRADICTS}, at=NOW) == Invalidate("oslo")

    def test_of_several_contradicted_the_most_similar_goes(self) -> None:
        similar = [like("a", 0.75), like("b", 0.82), like("c", 0.78)]
        judgements = dict.fromkeys("abc", CONTRADICTS)
        assert verdict(similar, judgements, at=NOW) == Invalidate("b", ("c", "a"))

    def test_a_contradiction_beats_only_a_weaker_unjudged_likeness(self) -> None:
        judgements = {"oslo": CONTRADICTS}
        nearer = [like("oslo", 0.95), like("other", 0.90)]
        farther = [like("oslo", 0.90), like("other", 0.95)]
        assert verdict(nearer, judgements, at=NOW) == Invalidate("oslo")
        assert verdict(farther, judgements, at=NOW) == Reinforce("other")

    def test_what_the_mind_calls_the_same_is_never_created_again(self) -> None:
        """Oslo was weakened and stands beside Bergen: hearing Bergen again must find Bergen."""
        similar = [like("oslo", 0.95, episodes=3), like("bergen, in other words", 0.80)]
        judgements = {"oslo": CONTRADICTS, "bergen, in other words": SAME}
        assert verdict(similar, judgements, at=NOW) == Reinforce("bergen, in other words")

    def test_at_most_three_neighbours_the_nearest(self) -> None:
        similar = [like(key, 0.4 + 0.1 * place) for place, key in enumerate("abcd")]
        similar.append(like("e", 0.9))
        judgements = {"e": DIFFERENT}
        assert verdict(similar, judgements, at=NOW) == Create(("d", "c", "b"))

    def test_the_grey_zone_can_be_kept_to_contradictions(self) -> None:
        rules = BeliefRules(same_reinforces_from=0.85)
        assert verdict([like("a", 0.8)], {"a": SAME}, at=NOW, rules=rules) == Create(("a",))

    @given(
        similar=st.lists(
            st.builds(
                like,
                st.sampled_from("abcdef"),
                st.floats(-1, 1),
                episodes=st.integers(0, 5),
                days=st.integers(-5, 5),
            ),
            max_size=8,
            unique_by=lambda one: one.key,
        ),
        judgements=st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from(Judgement)),
        random=st.randoms(use_true_random=False),
    )
    def test_there_is_always_one_verdict_in_whatever_order(
        self, similar, judgements, random
    ) -> None:
        result = verdict(similar, judgements, at=NOW)
        shuffled = random.sample(similar, len(similar))
        assert verdict(shuffled, judgements, at=NOW) == result
        by_key = {one.key: one for one in similar}
        near: tuple[str, ...] = ()
        match result:
            case Create(neighbours=near):
                judged_same = {k for k, j in judgements.items() if j is SAME and k in by_key}
                assert all(by_key[key].similarity < 0.70 for key in judged_same)
            case Reinforce(key=key):
                assert by_key[key].similarity >= 0.70
                assert judgements.get(key) in (None, SAME)
            case Weaken(key=key, neighbours=near):
                assert by_key[key].episodes >= 3
                assert judgements[key] is CONTRADICTS
            case Invalidate(key=key, neighbours=near):
                assert by_key[key].episodes < 3
                assert by_key[key].since <= NOW
            case Predate(key=key, neighbours=near):
                assert by_key[key].since > NOW
        assert len(near) <= 3
        assert getattr(result, "key", None) not in near
        assert all(0.40 <= by_key[key].similarity <= 0.85 for key in near)


class TestAuthority:
    """An inference of ours never overrules what somebody asserted."""

    @pytest.mark.parametrize("held", [Authority.USER, Authority.SOURCE])
    @pytest.mark.parametrize("episodes", [1, 5])
    @pytest.mark.parametrize("days", [-10, 30])
    def test_an_inference_stands_beside_what_was_asserted(self, held, episodes, days) -> None:
        one = replace(like("oslo", 0.9, episodes=episodes, days=days), authority=held)
        found = verdict([one], {"oslo": CONTRADICTS}, at=NOW, by=Authority.INFERENCE)
        assert found == Dispute("oslo")

    def test_an_inference_may_take_the_place_of_another(self) -> None:
        one = replace(like("oslo", 0.9, episodes=0), authority=Authority.INFERENCE)
        found = verdict([one], {"oslo": CONTRADICTS}, at=NOW, by=Authority.INFERENCE)
        assert found == Invalidate("oslo")

    @pytest.mark.parametrize("by", [Authority.USER, Authority.SOURCE])
    @pytest.mark.parametrize("held", list(Authority))
    def test_whoever_asserts_may_contradict_anything(self, by: Authority, held: Authority) -> None:
        one = replace(like("oslo", 0.9), authority=held)
        assert verdict([one], {"oslo": CONTRADICTS}, at=NOW, by=by) == Invalidate("oslo")
        assert may_overrule(by, held)

    @given(
        similar=st.lists(
            st.builds(
                Similar,
                st.sampled_from("abcdef"),
                st.floats(0, 1),
                st.integers(0, 5),
                st.just(NOW),
                st.sampled_from(Authority),
            ),
            max_size=6,
            unique_by=lambda one: one.key,
        ),
        judgements=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(Judgement)),
    )
    def test_no_inference_ever_weakens_or_ends_an_assertion(self, similar, judgements) -> None:
        found = verdict(similar, judgements, at=NOW, by=Authority.INFERENCE)
        held = {one.key: one.authority for one in similar}
        if isinstance(found, Weaken | Invalidate):
            assert held[found.key] is Authority.INFERENCE
        if isinstance(found, Dispute) and judgements[found.key] is not Judgement.DOUBTFUL:
            assert held[found.key] is not Authority.INFERENCE
            assert judgements[found.key] is CONTRADICTS

    def test_being_disputed_changes_nothing_but_the_log(self) -> None:
        old, guess = belief(), belief(key="i", statement="Ada lives in Bergen")
        noted = disputed(old, guess, NOW + timedelta(days=3))
        assert replace(noted, changes=()) == old
        (change,) = noted.changes
        assert (change.kind, change.by, change.reason) == (
            ChangeKind.DISPUTED,
            "i",
            "Ada lives in Bergen",
        )
        assert disputed(noted, guess, NOW) is noted


class TestWhatBecomesOfABelief:
    def test_a_change_names_what_brought_it_about(self) -> None:
        other = belief(key="b2", statement="Ada lives in Bergen")
        assert reinforced(belief(), support(), NOW).changes[-1].by == event_key("ada", "e1")
        told = Support(event_id="e1", statement="x", at=NOW, source_key="s1")
        assert reinforced(belief(), told, NOW).changes[-1].by == "s1"
        for changed in (weakened(belief(), other, NOW), invalidated(belief(), other, NOW, NOW)):
            assert (changed.changes[-1].by, changed.changes[-1].reason) == ("b2", other.statement)

    def test_several_statements_of_one_episode_count_once(self) -> None:
        one = belief(supports=(support("e1", "a"), support("e1", "b"), support("e2", "c")))
        assert episodes(one) == 2

    def test_reinforced(self) -> None:
        old = belief(supports=(support("e1"),))
        later = NOW + timedelta(days=3)
        again = support("e2", "Oslo is my home", days=3)
        new = reinforced(old, again, later)
        assert new.confidence == 0.7
        assert (new.updated_at, new.since) == (later, NOW)
        assert new.supports == (*old.supports, again)
        assert [(one.kind, one.recorded_at) for one in new.changes] == [
            (ChangeKind.REINFORCED, later)
        ]

    def test_an_earlier_episode_makes_it_true_for_longer(self) -> None:
        assert reinforced(belief(), support(days=-9), NOW).since == NOW - timedelta(days=9)

    def test_the_same_episode_counts_once(self) -> None:
        once = reinforced(belief(), support(), NOW)
        assert reinforced(once, support(days=5), NOW + timedelta(days=5)) is once
        assert reinforced(once, support(statement="Oslo it is"), NOW) is not once

    def test_confidence_ends_at_one(self) -> None:
        one = belief()
        for number in range(6):
            one = reinforced(one, support(f"e{number}"), NOW)
        assert one.confidence == 1.0

    def test_weakened_stands_beside_the_other(self) -> None:
        other = belief(key="b2", statement="Ada lives in Bergen")
        old = weakened(belief(), other, NOW + timedelta(days=60))
        assert (old.confidence, old.status, old.superseded_by) == (0.4, BeliefStatus.ACTIVE, "b2")
        assert (old.changes[0].kind, old.changes[0].reason) == (
            ChangeKind.WEAKENED,
            "Ada lives in Bergen",
        )
        assert weakened(belief(), "b2", NOW).superseded_by == "b2"

    def test_weakening_ends_at_a_tenth_and_never_strengthens(self) -> None:
        assert weakened(belief(confidence=0.25), "b2", NOW).confidence == 0.1
        assert weakened(belief(confidence=0.04), "b2", NOW).confidence == 0.04

    @given(
        confidence=st.floats(0.0, 1.0),
        stability=st.floats(1.0, 5.0),
        days=st.integers(0, 400),
        more=st.integers(0, 400),
    )
    def test_doubt_never_refreshes(self, confidence, stability, days, more) -> None:
        one = belief(confidence=confidence, stability=stability)
        doubted_at = NOW + timedelta(days=days)
        asked_at = doubted_at + timedelta(days=more)
        doubted = weakened(one, "b2", doubted_at)
        assert effective_confidence(doubted, asked_at) <= effective_confidence(one, asked_at) + 1e-9

    def test_invalidated_was_true_until_then(self) -> None:
        until, now = NOW + timedelta(days=4), NOW + timedelta(days=9)
        old = invalidated(belief(), "b2", until, now)
        assert (old.status, old.until, old.superseded_by) == (
            BeliefStatus.INVALIDATED,
            until,
            "b2",
        )
        assert (old.updated_at, old.changes[-1].kind) == (now, ChangeKind.INVALIDATED)
        assert old.held_at(NOW)
        assert old.held_at(until - timedelta(seconds=1))
        assert not old.held_at(until)
        assert not old.held_at(NOW - timedelta(seconds=1))
        assert belief().held_at(until)

    def test_it_cannot_end_before_it_began(self) -> None:
        assert invalidated(belief(), "b2", NOW - timedelta(days=1), NOW).until == NOW

    def test_forgotten_and_pruned_say_why(self) -> None:
        gone = forgotten(belief(), NOW, "asked to")
        assert (gone.status, gone.until) == (BeliefStatus.FORGOTTEN, None)
        assert (gone.changes[-1].kind, gone.changes[-1].reason) == (
            ChangeKind.FORGOTTEN,
            "asked to",
        )
        faint = pruned(belief(), NOW, "below 0.05")
        assert (faint.status, faint.changes[-1].kind) == (BeliefStatus.PRUNED, ChangeKind.PRUNED)

    @pytest.mark.parametrize("status", [one for one in BeliefStatus if one != "active"])
    def test_what_is_final_stays(self, status: BeliefStatus) -> None:
        gone = belief(status=status)
        assert reinforced(gone, support(), NOW) is gone
        assert weakened(gone, "b2", NOW) is gone
        assert invalidated(gone, "b2", NOW, NOW) is gone
        assert forgotten(gone, NOW, "why") is gone
        assert pruned(gone, NOW, "why") is gone

    def test_forty_recalls_make_it_as_stable_as_can_be(self) -> None:
        one = belief()
        for day in range(39):
            one = recalled(one, NOW + timedelta(days=day))
        assert one.stability == pytest.approx(4.9)
        for day in range(39, 45):
            one = recalled(one, NOW + timedelta(days=day))
        assert one.stability == 5.0
        assert one.life.access_count == 45
        assert one.life.last_accessed_at == NOW + timedelta(days=44)
        assert (one.confidence, one.updated_at) == (0.6, NOW)


class TestWear:
    @pytest.mark.parametrize(
        ("stability", "days", "left"),
        [(1.0, 30, 0.3), (3.0, 90, 0.3), (5.0, 150, 0.3), (1.0, 60, 0.15), (1.0, 0, 0.6)],
    )
    def test_half_lives_of_30_90_and_150_days(self, stability, days, left) -> None:
        one = belief(stability=stability)
        assert effective_confidence(one, NOW + timedelta(days=days)) == pytest.approx(left)

    def test_before_its_time_it_is_whole(self) -> None:
        assert effective_confidence(belief(), NOW - timedelta(days=3)) == 0.6

    @given(days=st.lists(st.floats(0, 2000), min_size=2, max_size=5))
    def test_it_only_wears(self, days: list[float]) -> None:
        left = [effective_confidence(belief(), NOW + timedelta(days=d)) for d in sorted(days)]
        assert all(later <= earlier for earlier, later in pairwise(left))


class TestRecall:
    def test_the_best_there_can_be_scores_one(self) -> None:
        best = RecallParts(
            cosine=1.0, importance=10, days_since_access=0, stability=5.0, subject_match=True
        )
        assert recall_signals(best) == pytest.approx(
            {"cosine": 0.5, "importance": 0.2, "recency": 0.1, "stability": 0.05, "subject": 0.15}
        )
        assert sum(recall_signals(best).values()) == pytest.approx(1.0)

    def test_thirty_days_halve_the_recency(self) -> None:
        parts = RecallParts(cosine=0, importance=0, days_since_access=30, stability=0)
        assert recall_signals(parts)["recency"] == pytest.approx(0.05, rel=0.01)
        assert recall_signals(replace(parts, days_since_access=-3))["recency"] == 0.1

    @given(
        cosine=st.floats(0, 1),
        importance=st.integers(1, 10),
        days=st.floats(0, 1000),
        stability=st.floats(1, 5),
        match=st.booleans(),
    )
    def test_an_insight_counts_half(self, cosine, importance, days, stability, match) -> None:
        parts = RecallParts(
            cosine=cosine,
            importance=importance,
            days_since_access=days,
            stability=stability,
            subject_match=match,
        )
        insight = replace(parts, is_insight=True)
        assert sum(recall_signals(insight).values()) == pytest.approx(
            sum(recall_signals(parts).values()) / 2
        )
        most = most_recalled(cosine)
        assert 0.0 <= sum(recall_signals(parts).values()) <= most + 1e-9 <= 1.0 + 2e-9

    def test_days_count_from_the_last_recall_or_from_the_making(self) -> None:
        one, later = belief(), NOW + timedelta(days=8)
        assert days_since_access(one, later) == 8.0
        assert days_since_access(recalled(one, NOW + timedelta(days=5)), later) == 3.0
        assert days_since_access(one, NOW - timedelta(days=1)) == 0.0

    @pytest.mark.parametrize(
        ("query", "subject", "aliases", "expected"),
        [
            ("Where does Maria live?", "maria", (), True),
            ("what is Maria's job", "maria", (), True),
            ("MARIA LOPEZ and her cats", "maria lopez", (), True),
            ("about Marianne", "maria", (), False),
            ("where does mari live", "maria lopez", ("Mari",), True),
            ("where do I live?", "owner", (), True),
            ("what is my job", "owner", (), True),
            ("what does Ada like?", "owner", ("Ada",), True),
            ("who is the owner of the shop", "owner", (), False),
            ("what do they like?", "owner", (), False),
            ("anything", "", (), False),
            ("anything", "?!", ("",), False),
        ],
    )
    def test_subjects(self, query, subject, aliases, expected) -> None:
        assert subject_matches(query, subject, aliases) is expected

    def test_a_recollection_says_what_is_believed(self) -> None:
        assert Recollection(belief=belief(), score=0.5).statement == "Ada lives in Oslo"
