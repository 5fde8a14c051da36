"""The place of something in an answer, in words and numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.node import Kind
from remanent.core.model.search import Hit
from remanent.retrieval.rules import ranking
from remanent_conformance.builders import MOMENT

pytestmark = pytest.mark.quick

POOL = {
    "a": {"lexical": 1.0, "dense": 0.5},
    "b": {"lexical": 0.25, "dense": 0.75},
    "c": {"dense": 0.9},
}


def a_hit(**fields: object) -> Hit:
    given = {"key": "b", "kind": Kind.PASSAGE, "text": "Tea.", "score": 0.55, **fields}
    return Hit(**given)  # type: ignore[arg-type]


def test_parts_have_their_rank_among_all() -> None:
    lexical, dense = ranking.parts("b", POOL)

    assert (lexical.value, lexical.rank, lexical.of) == (0.25, 2, 2)
    assert (dense.value, dense.rank, dense.of) == (0.75, 2, 3)
    assert [one.name for one in ranking.parts("c", POOL)] == ["dense"]


def test_a_hit_in_one_sentence() -> None:
    told = ranking.explain_hit(a_hit(holds=True), 2, "b", POOL, "core, salience 1.00")

    assert told.reason == (
        "rank 2 with 0.550; words shared with the question 0.25 (2nd of 2), "
        "likeness of meaning 0.75 (2nd of 3); core, salience 1.00; it still holds"
    )


def test_what_was_lifted_says_so() -> None:
    told = ranking.explain_hit(a_hit(signals={"newer": 0.25}), 1, "b", POOL, "")

    assert told.parts[-1].words == "takes the place of what stood here"
    assert "takes the place of what stood here 0.25" in told.reason


def test_what_no_longer_holds_says_since_when_and_by_what() -> None:
    hit = a_hit(holds=False, superseded_by="x", superseded_at=MOMENT)

    assert ranking.validity_in_words(hit) == "it no longer holds since 2026-03-14, replaced by x"
    assert ranking.validity_in_words(a_hit()) == ""
    assert ranking.validity_in_words(a_hit(superseded_by="x")) == "disputed, replaced by x"


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (112, "112th"),
        (1021, "1,021st"),
    ],
)
def test_ordinals(number: int, word: str) -> None:
    assert ranking.ordinal(number) == word


@given(st.dictionaries(st.text("abc", min_size=1), st.floats(0, 1), min_size=1))
def test_ranks_are_places(scores: dict[str, float]) -> None:
    pool = {key: {"dense": score} for key, score in scores.items()}
    ranks = [ranking.parts(key, pool)[0].rank for key in scores]

    assert min(ranks) == 1
    assert max(ranks) <= len(scores)
