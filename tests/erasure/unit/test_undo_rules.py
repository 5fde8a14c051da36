"""Which beliefs an episode has to do with, and what they are without it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.erasure import rules
from remanent_conformance.builders import MOMENT

pytestmark = pytest.mark.quick

KEYS = [f"b{number}" for number in range(6)]


def a_belief(key: str, **fields: object) -> Belief:
    said = Support(event_id=f"e-{key}", statement=key, at=MOMENT, source_key=f"s-{key}")
    given: dict[str, object] = {"supports": (said,), **fields}
    return Belief(
        key=key,
        user_id="ada",
        created_at=MOMENT,
        updated_at=MOMENT,
        statement=key,
        since=MOMENT,
        **given,  # type: ignore[arg-type]
    )


def of(*beliefs: Belief) -> dict[str, Belief]:
    return {one.key: one for one in beliefs}


def nobody(_: Belief) -> list[str]:
    return []


def test_what_a_source_speaks_for() -> None:
    assert rules.rest_on([a_belief("b1"), a_belief("b2")], "s-b2") == {"b2"}


def test_what_replaced_one_another_is_tangled() -> None:
    held = of(a_belief("b1", superseded_by="b2"), a_belief("b2", supersedes="b1"), a_belief("b3"))
    assert rules.affected_beliefs(held, ["b2"], nobody) == {"b1", "b2"}


def test_what_is_alike_is_tangled_and_inferences_are_not() -> None:
    held = of(a_belief("b1"), a_belief("b2"), a_belief("b3", supports=(), derived_from=("b1",)))
    assert rules.affected_beliefs(held, ["b1"], lambda _: ["b2", "b3", "unknown"]) == {"b1", "b2"}


TIES = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)), max_size=8)


@given(TIES, st.sets(st.sampled_from(KEYS)))
def test_tangled_is_closed_and_no_larger_than_need_be(
    ties: list[tuple[str, str]], seeds: set[str]
) -> None:
    held = of(*(a_belief(key) for key in KEYS))
    for one, other in ties:
        held[one] = replace(held[one], superseded_by=other)
    real = {(key, one.superseded_by) for key, one in held.items() if one.superseded_by is not None}
    found = rules.affected_beliefs(held, seeds, nobody)
    assert seeds <= found
    for one, other in real:
        assert (one in found) == (other in found)
    for key in found - seeds:
        assert any(key in pair for pair in real)
    assert rules.affected_beliefs(held, found, nobody) == found


def test_inferences_from_what_is_gone_are_lost_with_what_was_drawn_from_them() -> None:
    first = a_belief("m1", supports=(), derived_from=("b1", "b2"))
    second = a_belief("m2", supports=(), derived_from=("m1",))
    other = a_belief("m3", supports=(), derived_from=("b2",))
    said = a_belief("m4", derived_from=("b1",))
    assert rules.lost([first, second, other, said], {"b1"}) == {"m1", "m2"}


def test_an_inference_stands_again() -> None:
    made = Change(kind=ChangeKind.CREATED, recorded_at=MOMENT, reason="", confidence=0.8)
    less = Change(kind=ChangeKind.RESCORED, recorded_at=MOMENT, reason="", by="b1", confidence=0.4)
    fell = Change(kind=ChangeKind.INVALIDATED, recorded_at=MOMENT, reason="", by="b1")
    fallen = a_belief(
        "m1",
        supports=(),
        derived_from=("b1",),
        changes=(made, less, fell),
        confidence=0.4,
        status=BeliefStatus.INVALIDATED,
        until=MOMENT,
    )
    again = rules.upheld_again(fallen, {"b1"})
    assert (again.status, again.until, again.confidence) == (BeliefStatus.ACTIVE, None, 0.8)
    assert again.changes == (made,)
    assert rules.upheld_again(fallen, {"b2"}) is fallen


def test_no_word_is_left_of_what_is_gone() -> None:
    noted = Change(kind=ChangeKind.DISPUTED, recorded_at=MOMENT, reason="gone", by="m1")
    one = a_belief("b1", supersedes="m1", superseded_by="m1", disputes="m1", changes=(noted,))
    assert rules.without_word_of(one, {"m1"}) == a_belief("b1")


def test_when_an_episode_was_heard() -> None:
    later = MOMENT.replace(year=MOMENT.year + 1)
    made = Change(kind=ChangeKind.CREATED, recorded_at=MOMENT, reason="first stated", by="s-b1")
    more = Change(kind=ChangeKind.REINFORCED, recorded_at=later, reason="b1 anew", by="s-2")
    one = a_belief("b1", changes=(made, more))
    assert rules.heard_at([one], "s-b1", "b1") == MOMENT
    assert rules.heard_at([one], "s-2", "b1 anew") == later
    assert rules.heard_at([one], "s-2", "something else") is None
    assert rules.episode_of("ada", one.supports[0]) == "s-b1"
