"""Whether what was found still holds, and the newest truth first."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.belief import Belief, BeliefStatus
from remanent.retrieval.model import UNKNOWN, Validity
from remanent.retrieval.rules import validity
from remanent.retrieval.rules.validity import Claim
from remanent_conformance.builders import MOMENT, a_belief, a_relationship

pytestmark = pytest.mark.quick

DAY = timedelta(days=1)


def _chain() -> dict[str, Belief]:
    """Oslo gave way to Bergen, and Bergen to Tromsø."""
    tromso = a_belief("in Tromsø", key="tromso", since=MOMENT + 2 * DAY)
    bergen = a_belief(
        "in Bergen",
        key="bergen",
        since=MOMENT + DAY,
        until=MOMENT + 2 * DAY,
        status=BeliefStatus.INVALIDATED,
        superseded_by="tromso",
    )
    oslo = a_belief(
        "in Oslo",
        key="oslo",
        until=MOMENT + DAY,
        status=BeliefStatus.INVALIDATED,
        superseded_by="bergen",
    )
    return {one.key: one for one in (oslo, bergen, tromso)}


def test_a_belief_knows_what_replaced_it_and_when() -> None:
    beliefs = _chain()

    claim = validity.claim_of_belief(beliefs["oslo"], beliefs, None)

    assert claim == Claim(
        key="oslo",
        holds=False,
        superseded_by="bergen",
        superseded_at=MOMENT + DAY,
        after=("bergen", "tromso"),
    )
    newest = validity.claim_of_belief(beliefs["tromso"], beliefs, None)
    assert newest == Claim(key="tromso", holds=True)


def test_at_an_earlier_time_it_held() -> None:
    beliefs = _chain()

    assert validity.claim_of_belief(beliefs["oslo"], beliefs, MOMENT) == Claim(
        key="oslo", holds=True
    )
    assert validity.claim_of_belief(beliefs["bergen"], beliefs, MOMENT) is None


def test_one_that_was_only_weakened_is_disputed() -> None:
    newer = a_belief("I like coffee", key="new", since=MOMENT + DAY)
    old = a_belief("I like tea", key="old", superseded_by="new")
    beliefs = {"new": newer, "old": old}

    claim = validity.claim_of_belief(old, beliefs, None)

    assert claim is not None
    assert (claim.holds, claim.superseded_by, claim.superseded_at) == (None, "new", MOMENT + DAY)
    assert validity.claim_of_belief(old, beliefs, MOMENT) == Claim(key="old", holds=True)


def test_what_was_forgotten_says_nothing_of_its_truth() -> None:
    for status in (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED):
        assert validity.claim_of_belief(a_belief(status=status), {}, None) is None


def test_a_closed_relationship_and_the_one_that_followed() -> None:
    first = a_relationship("a", "b", key="1", valid_to=MOMENT + DAY)
    second = a_relationship("a", "c", key="2", valid_from=MOMENT + DAY)
    other = a_relationship("a", "d", key="3", type="boss", valid_from=MOMENT + DAY)

    closed = validity.claim_of_relationship(first, [first, second, other], None)

    assert (closed.holds, closed.superseded_by) == (False, "2")
    assert closed.superseded_at == MOMENT + DAY
    assert validity.claim_of_relationship(second, [first, second], None).holds
    assert validity.claim_of_relationship(first, [first, second], MOMENT).holds
    gap = a_relationship("a", "c", key="2", valid_from=MOMENT + 2 * DAY)
    assert validity.claim_of_relationship(first, [first, gap], None).superseded_by is None


def test_a_passage_falls_with_one_claim_and_a_source_with_all() -> None:
    holds = Claim(key="new", holds=True)
    fallen = Claim(key="old", holds=False, superseded_by="x", after=("x",))

    assert validity.of_claims([], whole=False) == UNKNOWN
    assert validity.of_claims([holds], whole=True).holds is True
    assert validity.of_claims([holds, fallen], whole=False).holds is False
    assert validity.of_claims([holds, fallen], whole=False).superseded_by == "x"
    assert validity.of_claims([holds, fallen], whole=True).holds is None
    assert validity.of_claims([holds, fallen], whole=True).superseded_by is None
    assert validity.of_claims([fallen], whole=True).holds is False


def _validity(says: str, after: str = "", *, holds: bool | None = True) -> Validity:
    return Validity(
        says=frozenset(says),
        over=frozenset(says if after else ""),
        after=tuple(after),
        holds=False if after and holds else holds,
    )


def test_the_newest_moves_right_above_what_it_replaced() -> None:
    validities = {"old": _validity("o", "n"), "new": _validity("n")}

    order = validity.newest_first(["a", "old", "b", "new", "c"], validities)

    assert order == ["a", "new", "old", "b", "c"]
    assert validity.newest_first(["new", "old"], validities) == ["new", "old"]


def test_what_both_say_still_does_not_keep_the_newer_one_down() -> None:
    fell = Claim(key="o", holds=False, superseded_by="n", after=("n",))
    came, stands = Claim(key="n", holds=True), Claim(key="s", holds=True)
    claims = {"old": [fell, stands], "new": [came, stands], "both": [fell, came]}
    validities = {key: validity.of_claims(made, whole=False) for key, made in claims.items()}

    assert validity.newest_first(["old", "a", "new"], validities) == ["new", "old", "a"]
    assert validity.newest_first(["old", "a", "both"], validities) == ["old", "a", "both"]


def test_of_a_chain_the_one_that_holds_stands_first() -> None:
    validities = {"1": _validity("1", "23"), "2": _validity("2", "3"), "3": _validity("3")}

    assert validity.newest_first(["1", "2", "3"], validities) == ["3", "1", "2"]
    assert validity.newest_first(["2", "3", "1"], validities) == ["3", "2", "1"]


def test_only_the_best_of_many_moves() -> None:
    validities = {
        "old": _validity("o", "n"),
        "new1": _validity("n"),
        "new2": _validity("n"),
    }

    assert validity.newest_first(["old", "x", "new1", "new2"], validities) == [
        "new1",
        "old",
        "x",
        "new2",
    ]


keys = st.lists(st.sampled_from("abcdefgh"), unique=True)
validities_of = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.builds(
        lambda says, after: _validity(says, "".join(set(after) - set(says))),
        st.text("12345", max_size=2),
        st.text("12345", max_size=3),
    ),
)


@given(keys, validities_of)
def test_nothing_is_lost_and_twice_is_once(
    order: list[str], validities: dict[str, Validity]
) -> None:
    once = validity.newest_first(order, validities)

    assert sorted(once) == sorted(order)
    assert validity.newest_first(order, {}) == order


@given(keys, st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3)))
def test_where_it_is_there_something_newer_stands_above(
    order: list[str], age: dict[str, int]
) -> None:
    """Each thing says one of four values in a row, of which the last one holds."""
    validities = {
        key: _validity(str(value), "".join(str(n) for n in range(value + 1, 4)))
        for key, value in age.items()
    }

    once = validity.newest_first(order, validities)

    assert validity.newest_first(once, validities) == once
    for place, key in enumerate(once):
        newer = [other for other in once if age.get(other, 0) > age.get(key, 9)]
        holding = [other for other in newer if age[other] == 3]
        wanted = holding or newer
        assert not wanted or any(other in once[:place] for other in wanted)
