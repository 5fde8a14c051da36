"""Which items a filter wants, and which namespaces."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.records.item import Put
from remanent.errors import InvalidInput
from remanent.items.rules import NamespaceQuery, check_filter, checked, fits, words

pytestmark = pytest.mark.quick

VALUE = {
    "color": "red",
    "score": 4.5,
    "active": True,
    "tags": ["draft"],
    "user": {"access-level": "nested", "123abc": 3},
    "a.b": "dotted",
    "none": None,
}


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"color": "red"},
        {"color": "red", "score": 4.5},
        {"score": {"$gt": 4, "$lte": 4.5}},
        {"score": {"$lt": 10**100}},
        {"score": {"$lt": math.inf}},
        {"color": {"$ne": "green"}},
        {"missing": {"$ne": "green"}},
        {"missing": None},
        {"tags": ["draft"]},
        {"user": {"access-level": "nested"}},
        {"user": {"123abc": {"$gte": 3}}},
        {"user.123abc": 3},
        {"a.b": "dotted"},
        {"color": {"$gte": "red"}},
        {"active": True},
    ],
)
def test_a_filter_that_fits(wanted: dict[str, Any]) -> None:
    check_filter(wanted)
    assert fits(VALUE, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        {"color": "green"},
        {"color": "red", "score": 1},
        {"score": {"$gt": 4.5}},
        {"score": {"$gt": "4"}},
        {"color": {"$gt": 1}},
        {"missing": {"$gt": 1}},
        {"none": {"$lt": 1}},
        {"score": {"$eq": math.nan}},
        {"tags": ["draft", "x"]},
        {"tags": "draft"},
        {"user": {"access-level": "x"}},
        {"user.missing.deeper": 1},
        {"active": 1},
        {"active": {"$gte": 0}},
    ],
)
def test_a_filter_that_does_not(wanted: dict[str, Any]) -> None:
    check_filter(wanted)
    assert not fits(VALUE, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        {"access') = 'public' OR '1'='1' OR json_extract(value, '$.": 1},
        {"": 1},
        {'a"b': 1},
        {"a": {"$where": 1}},
        {"a": {"b": {"$regex": "x"}}},
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="filter"):
        check_filter(wanted)


@pytest.mark.parametrize(
    ("put", "field"),
    [
        (Put(namespace=(), key="k", value={}), "namespace"),
        (Put(namespace=("",), key="k", value={}), "namespace"),
        (Put(namespace=("a",), key="", value={}), "key"),
        (Put(namespace=("a",), key="k", value=[1]), "value"),  # type: ignore[arg-type]
        (Put(namespace=("a",), key="k", value={"x": math.nan}), "value"),
        (Put(namespace=("a",), key="k", value={"x": object()}), "value"),
        (Put(namespace=("a",), key="k", value={"x": "\ud800"}), "value.x"),
        (Put(namespace=("a",), key="k", value={"x": "y" * 1_000_001}), "value"),
        (Put(namespace=("a",), key="k", value={}, ttl_minutes=-1), "ttl"),
        (Put(namespace=("a",), key="k", value={}, ttl_minutes=math.nan), "ttl"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(put: Put, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(put)
    assert caught.value.field == field


def test_a_value_is_copied() -> None:
    mine: dict[str, Any] = {"list": [1]}
    kept = checked(Put(namespace=("a",), key="k", value=mine))
    mine["list"].append(2)
    assert kept.value == {"list": [1]}


def test_words_are_all_that_a_value_says() -> None:
    assert words({"a": "red", "b": [1, {"c": "x "}], "d": None, "e": True}) == "red. 1. x"
    assert words({}) == ""


LABELS = st.lists(st.sampled_from(["a", "b", "*x", "c"]), min_size=1, max_size=4).map(tuple)


@given(st.lists(LABELS, max_size=12), LABELS, LABELS, st.integers(1, 5))
def test_places_are_what_they_say(
    known: list[tuple[str, ...]], prefix: tuple[str, ...], suffix: tuple[str, ...], depth: int
) -> None:
    found = NamespaceQuery(prefixes=[prefix], suffixes=[suffix], max_depth=depth).of(known)
    fit = {
        one[:depth]
        for one in known
        if one[: len(prefix)] == prefix and one[-len(suffix) :] == suffix
    }
    assert found == sorted(fit)


@given(st.lists(LABELS, max_size=12))
def test_a_star_is_any_one_label(known: list[tuple[str, ...]]) -> None:
    assert NamespaceQuery(prefixes=[("*", "*")]).of(known) == sorted(
        {x for x in known if len(x) >= 2}
    )
    assert NamespaceQuery(suffixes=[("a", "*")]).of(known) == sorted(
        {x for x in known if len(x) >= 2 and x[-2] == "a"}
    )
