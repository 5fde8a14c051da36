"""Short forms of given names."""

import pytest

from remanent.anchors.rules.nicknames import GIVEN_NAMES, is_short_for, long_forms, short_forms

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("bob", "robert"),
        ("Bill", "William"),
        ("liz", "elizabeth"),
        ("TOM", "thomas"),
        ("alex", "alexander"),
        ("alex", "alexandra"),
        ("mike", "michael"),
        ("kate", "catherine"),
    ],
)
def test_a_short_form_is_known(short: str, full: str) -> None:
    assert is_short_for(short, full)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("robert", "bob"),  # the long form is not short for the short one
        ("robert", "robert"),
        ("bob", "william"),
        ("erin", "aaron"),  # a name of its own
        ("sarah", "sandra"),
        ("", "robert"),
        ("bob", ""),
    ],
)
def test_other_names_are_not_short_forms(short: str, full: str) -> None:
    assert not is_short_for(short, full)


def test_one_short_form_may_stand_for_several_names() -> None:
    assert {"alexander", "alexandra"} <= long_forms("Alex")
    assert long_forms("nobody") == frozenset()


def test_short_and_long_forms_are_one_table() -> None:
    for full in GIVEN_NAMES:
        assert all(full in long_forms(short) for short in short_forms(full))
        assert not is_short_for(full, full)


def test_the_table_is_in_lower_case() -> None:
    assert all(name == name.casefold() and name.isalpha() for name in GIVEN_NAMES)
