"""Rules of privacy and of foreign embedders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.belief import similarity
from remanent.core import visibility
from remanent.core.model.belief import Belief, Support
from remanent.core.model.source import Sensitivity
from remanent.core.settings import AS_IT_SAYS, EmbeddingRules, batches, points
from remanent_conformance.builders import MOMENT, a_belief, a_person, a_source

pytestmark = pytest.mark.quick


def told(key: str | None) -> Support:
    return Support(event_id="e", statement="so", at=MOMENT, source_key=key)


def test_only_high_sensitivity_is_private() -> None:
    found = {one: visibility.is_private(a_source(sensitivity=one)) for one in Sensitivity}
    assert found == {Sensitivity.LOW: False, Sensitivity.NORMAL: False, Sensitivity.HIGH: True}
    assert not visibility.is_private(a_person())


def test_a_belief_rests_on_its_sources_and_on_its_grounds() -> None:
    belief = a_belief(supports=(told("a"), told(None), told("b"), told("a")), derived_from=("c",))
    assert visibility.rests_on(belief) == ("a", "b", "c")


@given(st.lists(st.lists(st.integers(0, 11), max_size=3), max_size=12), st.sets(st.integers(0, 11)))
def test_privacy_spreads_to_all_that_rests_on_it(edges: list[list[int]], first: set[int]) -> None:
    beliefs: list[Belief] = [
        a_belief(f"b{n}", key=str(n), derived_from=tuple(map(str, below)))
        for n, below in enumerate(edges)
    ]
    private = {str(one) for one in first}
    found = visibility.spread(beliefs, private)
    assert found >= private
    for one in beliefs:
        rests = not found.isdisjoint(one.derived_from)
        assert (one.key in found) == (one.key in private or rests)
    assert visibility.spread(beliefs, found) == found
    assert visibility.spread(beliefs, ()) == frozenset()


def test_points_as_written() -> None:
    assert points("") == AS_IT_SAYS
    assert points("0.2=0 0.5=0.7, 1=1") == ((0.2, 0.0), (0.5, 0.7), (1.0, 1.0))


@pytest.mark.parametrize(
    "text",
    ["0.5", "a=b", "0=0", "0=0 0=1", "0=1 1=0", "0=0 2=1", "0=0 1=2", "nan=0 1=1", "0=nan 1=1"],
)
def test_points_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        points(text)


@given(st.floats(-1, 1))
def test_without_points_a_cosine_means_what_it_says(cosine: float) -> None:
    assert similarity(cosine, AS_IT_SAYS) == pytest.approx(max(0.0, cosine), abs=1e-9)


@given(st.lists(st.text(max_size=30), max_size=40), st.integers(0, 5), st.integers(0, 40))
def test_batches_keep_order_and_bounds(texts: list[str], most: int, characters: int) -> None:
    found = batches(texts, EmbeddingRules(batch=most, batch_characters=characters))
    assert [text for batch in found for text in batch] == texts
    for batch in found:
        assert 0 < len(batch) <= max(1, most)
        assert len(batch) == 1 or sum(map(len, batch)) <= max(1, characters)
