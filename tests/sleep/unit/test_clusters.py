"""Which sources are distilled together: by time, shared anchors and likeness, whatever a page brings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.sleep import WornSource
from remanent.sleep import rules as clusters
from remanent.sleep.rules import Cluster, DistilRules

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def worn(
    key: str, day: float, *anchors: str, salience: float = 0.5, is_worn: bool = False
) -> WornSource:
    return WornSource(
        key=key,
        at=START + day * DAY,
        salience=salience,
        access_count=0,
        is_worn=is_worn or salience < 0.2,
        anchors=frozenset(anchors),
    )


def unknown(_one: str, _other: str) -> float | None:
    return None


def keys(found: list[Cluster]) -> list[list[str]]:
    return [[one.key for one in cluster.sources] for cluster in found]


def test_five_that_tell_of_the_same_go_together() -> None:
    sources = [worn(f"s{n}", n, "atlas", "tom") for n in range(5)]
    (cluster,) = clusters.clusters(sources, unknown)
    assert keys([cluster]) == [["s0", "s1", "s2", "s3", "s4"]]
    assert cluster.why == "5 sources within 5 days tell of the same"


def test_four_stay() -> None:
    assert not list(clusters.clusters([worn(f"s{n}", n, "atlas") for n in range(4)], unknown))


def test_of_a_small_group_go_those_that_are_worn() -> None:
    sources = [
        worn("a", 0, "atlas", salience=0.1),
        worn("b", 1, "atlas"),
        worn("c", 2, salience=0.15),
    ]
    assert keys(list(clusters.clusters(sources, unknown))) == [["a"], ["c"]]


def test_why_tells_of_the_salience_or_of_the_calls() -> None:
    (faint,) = clusters.clusters([worn("a", 0, salience=0.125)], unknown)
    assert faint.why == "salience 0.12, less than 0.2"
    (called,) = clusters.clusters([worn("a", 0, salience=0.4, is_worn=True)], unknown)
    assert called.why.endswith("of a salience of 0.40")


@pytest.mark.parametrize(
    "sources",
    [
        [worn(f"s{n}", 8 * n, "atlas") for n in range(5)],  # too far apart
        [worn(f"s{n}", n, f"a{n}", "owner") for n in range(5)],  # only the owner in common
        [worn(f"s{n}", n, "atlas", *(f"x{n}{m}" for m in range(4))) for n in range(5)],  # little
        [worn(f"s{n}", n) for n in range(5)],  # nobody
    ],
)
def test_what_has_little_in_common_stays(sources: list[WornSource]) -> None:
    assert not list(clusters.clusters(sources, unknown, without="owner"))


def test_what_is_unlike_stays() -> None:
    sources = [worn(f"s{n}", n, "atlas") for n in range(5)]
    assert not list(clusters.clusters(sources, lambda _one, _other: 0.39))
    assert list(clusters.clusters(sources, lambda _one, _other: 0.4))


def test_a_source_may_join_two_groups_into_one() -> None:
    left = [worn(f"l{n}", n, "tom") for n in range(2)]
    right = [worn(f"r{n}", n + 0.5, "ann") for n in range(2)]
    sources = sorted([*left, *right, worn("x", 3, "tom", "ann")], key=lambda one: one.at)
    assert len(keys(list(clusters.clusters(sources, unknown)))[0]) == 5


def test_parts_are_of_about_one_size() -> None:
    cluster = Cluster(sources=tuple(worn(f"s{n}", n) for n in range(13)), why="")
    assert [len(part) for part in cluster.parts(12)] == [7, 6]
    assert [len(part) for part in cluster.parts(20)] == [13]


def test_shared_is_what_two_mention_most_mentioned_first() -> None:
    sources = [worn("a", 0, "x", "y"), worn("b", 1, "x", "y", "z"), worn("c", 2, "y")]
    assert clusters.shared(sources) == ["y", "x"]
    assert clusters.shared(sources, without="y") == ["x"]
    assert clusters.shared(sources[:1]) == ["x", "y"]


def test_an_insight_is_noted_on_whom_it_names() -> None:
    names = {"k1": ("Tom Berg", "Tom"), "k2": ("Atlas",), "k3": ("Ann",)}
    assert clusters.noted_on("Tom leads atlas.", list(names), names.__getitem__) == ["k1", "k2"]
    assert clusters.noted_on("It is late.", list(names), names.__getitem__) == ["k1"]
    assert clusters.noted_on("Annual tomatoes.", list(names), names.__getitem__) == ["k1"]


def test_an_insight_comes_from_the_source_that_says_most_of_it() -> None:
    told = [("a", "Tom leads Atlas."), ("b", "Atlas is late."), ("c", "It rained.")]
    assert clusters.source_of_insight("Tom leads Atlas now.", told) == "a"
    assert clusters.source_of_insight("Nothing of it.", [("a", "x"), ("b", "y")]) == "b"


def test_insights_are_up_to_three_sentences() -> None:
    assert clusters.insights("") == []
    assert clusters.insights(" One.  Two! Two! Three? Four.") == ["One.", "Two!", "Three?"]


SOME = st.lists(
    st.builds(
        worn,
        st.uuids().map(str),
        st.integers(0, 40),
        st.sampled_from("abc"),
        st.sampled_from("abcdef"),
        salience=st.sampled_from([0.1, 0.5]),
    ),
    max_size=40,
    unique_by=lambda one: one.key,
).map(lambda found: sorted(found, key=lambda one: (one.at, one.key)))


@given(SOME)
def test_nothing_is_distilled_twice_and_all_that_is_worn_is(sources: list[WornSource]) -> None:
    found = [key for cluster in keys(list(clusters.clusters(sources, unknown))) for key in cluster]
    assert len(found) == len(set(found))
    assert {one.key for one in sources if one.is_worn} <= set(found)


@given(SOME)
def test_a_second_night_finds_nothing(sources: list[WornSource]) -> None:
    done = {key for one in keys(list(clusters.clusters(sources, unknown))) for key in one}
    rest = [one for one in sources if one.key not in done]
    assert not list(clusters.clusters(rest, unknown))


@given(SOME, st.integers(2, 6))
def test_any_part_of_the_clusters_may_be_done_first(sources: list[WornSource], step: int) -> None:
    rules = DistilRules()
    whole = list(clusters.clusters(sources, unknown, rules))
    first = {one.key for cluster in whole[::step] for one in cluster.sources}
    rest = [one for one in sources if one.key not in first]
    left = keys(list(clusters.clusters(rest, unknown, rules)))
    assert sorted([*keys(whole[::step]), *left]) == sorted(keys(whole))
