"""Expressions that are compiled later are what `re.compile` gives, once somebody asks."""

from __future__ import annotations

import re

import pytest

from remanent.core.regex import regex

pytestmark = pytest.mark.quick


def test_it_has_what_a_compiled_one_has() -> None:
    late = regex(r"(?P<who>\w+) left", re.IGNORECASE)

    found = late.fullmatch("Tom LEFT")
    assert found is not None
    assert found["who"] == "Tom"
    assert late.sub("gone", "Ann left, Bob left") == "gone, gone"
    assert (late.pattern, late.groups) == (r"(?P<who>\w+) left", 1)


def test_a_wrong_one_is_told_of_when_it_is_used() -> None:
    late = regex("(")

    with pytest.raises(re.error):
        late.search("text")
