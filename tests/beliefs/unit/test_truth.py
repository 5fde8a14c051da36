"""Which inferences stand when something they were drawn from has fallen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.truth import (
    Fall,
    Rescore,
    carried_out,
    consequences,
    is_inference,
    stand_in,
    was_merged,
    well_founded,
)
from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENDED = NOW - timedelta(days=9)
ACTIVE, INVALIDATED = BeliefStatus.ACTIVE, BeliefStatus.INVALIDATED


def asserted(key: str, status: BeliefStatus = ACTIVE, **fields: Any) -> Belief:
    support = Support(event_id=f"e-{key}", statement=key, at=NOW - timedelta(days=99))
    until = ENDED if status is INVALIDATED else None
    given_ = {"until": until, "supports": (support,), "confidence": 0.6, **fields}
    return _belief(key, status=status, **given_)


def drawn(key: str, *derived_from: str, **fields: Any) -> Belief:
    return _belief(key, derived_from=derived_from, **{"confidence": 0.8, **fields})


def _belief(key: str, **fields: Any) -> Belief:
    given_ = {"created_at": NOW, "updated_at": NOW, "since": NOW - timedelta(days=99), **fields}
    return Belief(key=key, user_id="ada", statement=f"it is so that {key}", **given_)


def by_key(*beliefs: Belief) -> dict[str, Belief]:
    return {one.key: one for one in beliefs}


def settled(beliefs: dict[str, Belief]) -> dict[str, Belief]:
    after = dict(beliefs)
    for decided in consequences(beliefs):
        after[decided.key] = carried_out(after[decided.key], decided, NOW)
    return after


class TestWhatFalls:
    def test_while_all_stand_nothing_happens(self) -> None:
        assert consequences(by_key(asserted("a"), asserted("b"), drawn("i", "a", "b"))) == []

    def test_one_of_two_gone_leaves_half_the_confidence(self) -> None:
        beliefs = by_key(asserted("a"), asserted("b", INVALIDATED), drawn("i", "a", "b"))
        assert consequences(beliefs) == [Rescore("i", "b", 1, 2, 0.4)]

    @pytest.mark.parametrize("status", [one for one in BeliefStatus if one is not ACTIVE])
    def test_all_gone_and_it_falls_however_they_went(self, status: BeliefStatus) -> None:
        beliefs = by_key(asserted("a", status), drawn("i", "a"))
        until = ENDED if status is INVALIDATED else None
        assert consequences(beliefs) == [Fall("i", "a", until)]

    def test_what_is_missing_does_not_stand(self) -> None:
        assert consequences(by_key(drawn("i", "nowhere"))) == [Fall("i", "nowhere", None)]

    def test_inferences_of_inferences_fall_in_one_go(self) -> None:
        beliefs = by_key(
            asserted("a", INVALIDATED), drawn("i", "a"), drawn("j", "i"), drawn("k", "j", "i")
        )
        assert consequences(beliefs) == [
            Fall("i", "a", ENDED),
            Fall("j", "i", ENDED),
            Fall("k", "j", ENDED),
        ]

    def test_doubt_about_a_support_is_not_passed_on(self) -> None:
        beliefs = by_key(
            asserted("a"), asserted("b", INVALIDATED), drawn("i", "a", "b"), drawn("j", "i")
        )
        assert consequences(beliefs) == [Rescore("i", "b", 1, 2, 0.4)]

    def test_a_ring_that_holds_up_only_itself_falls(self) -> None:
        ring = by_key(asserted("a", INVALIDATED), drawn("i", "a", "j"), drawn("j", "i"))
        assert [one.key for one in consequences(ring)] == ["i", "j"]
        assert well_founded(ring) == frozenset()

    def test_a_ring_with_one_foot_on_the_ground_stands(self) -> None:
        ring = by_key(
            asserted("a", INVALIDATED), asserted("b"), drawn("i", "a", "j"), drawn("j", "i", "b")
        )
        assert consequences(ring) == [Rescore("i", "a", 1, 2, 0.4)]

    def test_nothing_speaks_for_itself(self) -> None:
        assert consequences(by_key(drawn("i", "i"))) == [Fall("i", "i", None)]

    def test_an_inference_that_was_asserted_stands_by_itself(self) -> None:
        support = Support(event_id="e", statement="yes", at=NOW)
        beliefs = by_key(asserted("a", INVALIDATED), drawn("i", "a", supports=(support,)))
        assert not is_inference(beliefs["i"])
        assert consequences(beliefs) == []

    def test_it_is_never_made_surer(self) -> None:
        beliefs = by_key(
            asserted("a"), asserted("b", INVALIDATED), drawn("i", "a", "b", confidence=0.3)
        )
        assert consequences(beliefs) == []

    def test_what_is_final_is_left_alone(self) -> None:
        beliefs = by_key(asserted("a", INVALIDATED), drawn("i", "a", status=BeliefStatus.FORGOTTEN))
        assert consequences(beliefs) == []


class TestMerged:
    def took(self, *keys: str) -> tuple[Change, ...]:
        return tuple(
            Change(kind=ChangeKind.MERGED, recorded_at=NOW, reason="same", by=key) for key in keys
        )

    def test_a_merged_support_counts_through_its_winner(self) -> None:
        loser = asserted("a", INVALIDATED, superseded_by="w")
        winner = asserted("w", changes=self.took("a"))
        beliefs = by_key(loser, winner, drawn("i", "a"))
        assert was_merged(loser, winner)
        assert stand_in("a", beliefs) == "w"
        assert consequences(beliefs) == []

    def test_and_falls_with_it(self) -> None:
        loser = asserted("a", INVALIDATED, superseded_by="w")
        winner = asserted("w", INVALIDATED, changes=self.took("a"))
        assert consequences(by_key(loser, winner, drawn("i", "a"))) == [Fall("i", "a", ENDED)]

    def test_what_was_contradicted_does_not_count_through_what_replaced_it(self) -> None:
        beliefs = by_key(
            asserted("a", INVALIDATED, superseded_by="b"), asserted("b"), drawn("i", "a")
        )
        assert consequences(beliefs) == [Fall("i", "a", ENDED)]

    def test_two_that_name_each_other_are_no_trap(self) -> None:
        one = asserted("a", INVALIDATED, superseded_by="b", changes=self.took("b"))
        other = asserted("b", INVALIDATED, superseded_by="a", changes=self.took("a"))
        assert consequences(by_key(one, other, drawn("i", "a"))) == [Fall("i", "a", ENDED)]


class TestCarriedOut:
    def test_a_fall_says_what_brought_it_about(self) -> None:
        before = drawn("i", "a")
        after = carried_out(before, Fall("i", "a", ENDED), NOW, "Ada lives in Oslo")
        assert (after.status, after.until, after.updated_at) == (INVALIDATED, ENDED, NOW)
        assert (after.changes[-1].kind, after.changes[-1].by) == (ChangeKind.INVALIDATED, "a")
        assert after.changes[-1].reason == (
            "nothing it was drawn from still stands: Ada lives in Oslo"
        )
        assert after.superseded_by is None

    def test_a_fall_whose_day_nobody_knows_ends_it_now(self) -> None:
        assert carried_out(drawn("i", "a"), Fall("i", "a", None), NOW).until == NOW

    def test_it_cannot_end_before_it_began(self) -> None:
        late = drawn("i", "a", since=NOW)
        assert carried_out(late, Fall("i", "a", ENDED), NOW).until == NOW

    def test_doubt_does_not_refresh(self) -> None:
        before = drawn("i", "a", "b")
        after = carried_out(before, Rescore("i", "b", 1, 2, 0.4), NOW + timedelta(days=1))
        assert (after.confidence, after.updated_at, after.status) == (0.4, NOW, ACTIVE)
        change = after.changes[-1]
        assert (change.kind, change.by, change.confidence) == (ChangeKind.RESCORED, "b", 0.4)
        assert change.reason == "1 of the 2 beliefs it was drawn from still stand"


KEYS = "abcdefgh"


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Belief]:
    """Beliefs that rest on each other in any way whatever: rings, gaps, merges and ends."""
    found = {}
    keys = st.sampled_from(KEYS)
    for key in draw(st.sets(keys, min_size=1)):
        fields: dict[str, Any] = {
            "status": draw(st.sampled_from(BeliefStatus)),
            "until": draw(st.sampled_from([None, ENDED])),
            "confidence": draw(st.floats(0.0, 1.0)),
            "superseded_by": draw(st.none() | keys),
            "changes": tuple(
                Change(kind=ChangeKind.MERGED, recorded_at=NOW, reason="", by=other)
                for other in draw(st.lists(keys, max_size=2))
            ),
        }
        below = draw(st.lists(keys, max_size=4))
        found[key] = drawn(key, *below, **fields) if below else asserted(key, **fields)
    return found


class TestAnyWorld:
    @given(worlds())
    def test_once_is_enough(self, world: dict[str, Belief]) -> None:
        after = settled(world)
        assert consequences(after) == []
        assert settled(after) == after

    @given(worlds(), st.randoms(use_true_random=False))
    def test_order_does_not_matter(self, world: dict[str, Belief], random: Any) -> None:
        shuffled = dict(random.sample(list(world.items()), len(world)))
        assert consequences(shuffled) == consequences(world)

    @given(worlds())
    def test_what_stands_reaches_something_asserted(self, world: dict[str, Belief]) -> None:
        standing = well_founded(settled(world))
        for key in standing:
            assert self._reaches_ground(key, world)
        for decided in consequences(world):
            assert world[decided.key].status is ACTIVE
            assert is_inference(world[decided.key])

    @given(worlds(), st.sampled_from(KEYS))
    def test_losing_something_never_helps(self, world: dict[str, Belief], key: str) -> None:
        if key not in world:
            return
        poorer = world | {
            key: replace(world[key], status=BeliefStatus.FORGOTTEN, superseded_by=None)
        }
        if any(one.superseded_by == key for one in world.values()):
            return  # a merge counts only once the loser has ended: that may well help
        assert well_founded(poorer) <= well_founded(world)

    @staticmethod
    def _reaches_ground(key: str, world: dict[str, Belief]) -> bool:
        pending, seen = [key], set[str]()
        while pending:
            one = stand_in(pending.pop(), world)
            if one in seen or one not in world or world[one].status is not ACTIVE:
                continue
            seen.add(one)
            if not is_inference(world[one]):
                return True
            pending += world[one].derived_from
        return False
