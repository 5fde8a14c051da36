"""What a text names together, whether or not anybody could read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.lifecycle.rules import hints

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask Ann about Project Atlas, it is hers.", {"ann project atlas"}),
        ("Life in Paris suits me.", {"me paris"}),
        ("Dr. Osei looked at my teeth again.", {"dr osei me"}),
        ("Please ring Tom on +47 911 22 333.", {"4791122333 tom"}),
        ("Maria's dog Rex barked. We saw Rex with Tom.", {"maria rex", "me rex tom"}),
        ("It rained the whole morning and I forgot my umbrella.", set()),
        ("Lunch was soup. The train was late.", set()),
        ("Where does Tom live in Oslo?", set()),
        ("I am on holiday on Monday.", set()),
        ("", set()),
    ],
)
def test_sentences_that_bring_names_together(text: str, found: set[str]) -> None:
    assert hints(text) == found


@given(st.text(max_size=400))
def test_any_text_gives_few_hints_and_the_same_ones_twice(text: str) -> None:
    assert hints(text) == hints(text)
    assert len(hints(text)) <= 20
