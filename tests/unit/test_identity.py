"""Whom a name means, whatever the order in which names became known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.rules.identity import Known, changed_by, is_full, look_up_words, meant, untitled


def known(*surfaces: str, owner: str = "") -> list[Known]:
    people = [Known(surface=one, key=untitled(one)) for one in surfaces]
    return people + ([Known(surface=owner, key="owner", is_owner=True)] if owner else [])


@pytest.mark.parametrize(
    ("surface", "people", "expected"),
    [
        ("sarah", ["sarah-chen"], "sarah-chen"),
        ("sarah", ["sarah-chen", "sarah-lee"], None),
        ("sarah", ["sarah", "sarah-chen", "sarah-lee"], "sarah"),
        ("sarah", ["sarah", "sarah-chen"], "sarah-chen"),
        ("dr-chen", ["sarah-chen"], "sarah-chen"),
        ("dr-chen", ["sarah-chen", "bo-chen"], None),
        ("chen", ["sarah-chen"], None),
        ("bob", ["robert-berg"], "robert-berg"),
        ("bob", ["robert-berg", "bob-hope"], None),
        ("sarah-chen", ["sarah-lee", "sarah"], None),
        ("dr-sarah-chen", ["sarah-chen"], "sarah-chen"),
        ("bob-berg", ["robert-berg"], None),
        ("tom", [], None),
    ],
)
def test_whom_a_name_means(surface: str, people: list[str], expected: str | None) -> None:
    assert meant(surface, known(*people)) == expected


def test_what_somebody_was_called_beside_the_full_name_counts() -> None:
    sally = Known(surface="sarah-chen", key="k", aliases=frozenset({"sally"}))

    assert meant("sally", [sally]) == "k"
    assert meant("sally", [sally, *known("sally-ride")]) is None


def test_only_the_profile_leads_to_the_owner() -> None:
    assert meant("ada-lindqvist", known(owner="ada-lindqvist")) == "owner"
    assert meant("ada", known(owner="ada-lindqvist")) is None
    listed = Known(surface="ada-lindqvist", key="o", aliases=frozenset({"ada"}), is_owner=True)
    assert meant("ada", [listed]) == "o"


def test_titles() -> None:
    assert untitled("dr-sarah-chen") == "sarah-chen"
    assert untitled("dr") == "dr"
    assert not is_full("prof-chen")


def test_a_full_name_unsettles_the_single_ones_it_could_mean() -> None:
    people = known("sarah", "sarah-lee", "dr-chen", "tom", "bob")

    assert changed_by("sarah-chen", people) == {("sarah", "sarah"), ("dr-chen", "chen")}
    assert changed_by("robert-lie", people) == {("bob", "bob")}


def test_everyone_who_matters_shares_a_word() -> None:
    assert {"sarah", "chen"} <= look_up_words("sarah-chen")
    assert "robert" in look_up_words("bob")
    assert "bob" in look_up_words("robert-berg")


words = st.sampled_from(["sarah", "chen", "lee", "bob", "robert", "dr"])
surfaces = st.lists(words, min_size=1, max_size=3).map("-".join)


@given(surfaces, st.lists(surfaces, unique=True), st.randoms())
def test_the_order_of_the_known_does_not_matter(
    surface: str, people: list[str], dice: object
) -> None:
    shuffled = list(people)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]

    assert meant(surface, known(*people)) == meant(surface, known(*sorted(shuffled)))


@given(surfaces, st.lists(surfaces, unique=True))
def test_two_full_names_that_differ_are_two_people(surface: str, people: list[str]) -> None:
    found = meant(surface, known(*people))
    if found is not None and is_full(surface):
        assert untitled(found) == untitled(surface)
