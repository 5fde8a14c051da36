"""What was used last is kept, within bounds."""

import pytest

from remanent.core.recent import Recent

pytestmark = pytest.mark.quick


def test_the_longest_unused_goes_first() -> None:
    kept = Recent[str, int](2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c"), len(kept)) == (1, None, 3, 2)


def test_what_is_heavy_makes_others_go_and_stays_itself() -> None:
    kept = Recent[str, int](10)
    for name in "abc":
        kept.put(name, 1, weight=3)
    kept.put("b", 2, weight=4)
    assert [kept.get(name) for name in "abc"] == [1, 2, 1]
    kept.put("d", 3, weight=30)
    assert [kept.get(name) for name in "abcd"] == [None, None, None, 3]
    kept.put("e", 4, weight=10)
    assert (kept.get("d"), kept.get("e")) == (None, 4)


def test_what_was_cleared_weighs_nothing() -> None:
    kept = Recent[str, int](4)
    kept.put("a", 1, weight=4)
    kept.clear()
    assert kept.get("a") is None
    kept.put("b", 2, weight=2)
    kept.put("c", 3, weight=2)
    assert (kept.get("b"), kept.get("c")) == (2, 3)
