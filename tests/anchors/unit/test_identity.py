"""Whom a name means, whatever the order in which names became known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules.identity import (
    KnownPerson,
    bearers_in,
    changed_by,
    full_names,
    is_full,
    look_up_words,
    meaning,
    one_person,
    passed_over,
    untitled,
)
from remanent.core.model.anchor import Bearer
from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent_conformance.builders import an_extraction

pytestmark = pytest.mark.quick


def resolve_surface(surface: str, known: list[KnownPerson]) -> str | None:
    """The key of the person this surface means, or None if that is somebody not known yet."""
    resolved = meaning(surface, known)
    return resolved.among(resolved.possible)


def known(*surfaces: str, owner: str = "") -> list[KnownPerson]:
    people = [KnownPerson(surface=one, key=untitled(one)) for one in surfaces]
    return people + ([KnownPerson(surface=owner, key="owner", is_owner=True)] if owner else [])


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
    assert resolve_surface(surface, known(*people)) == expected


def test_what_somebody_was_called_beside_the_full_name_counts() -> None:
    sally = KnownPerson(surface="sarah-chen", key="k", aliases=frozenset({"sally"}))

    assert resolve_surface("sally", [sally]) == "k"
    assert resolve_surface("sally", [sally, *known("sally-ride")]) is None


def test_only_the_profile_leads_to_the_owner() -> None:
    assert resolve_surface("ada-lindqvist", known(owner="ada-lindqvist")) == "owner"
    assert resolve_surface("ada", known(owner="ada-lindqvist")) is None
    listed = KnownPerson(
        surface="ada-lindqvist", key="o", aliases=frozenset({"ada"}), is_owner=True
    )
    assert resolve_surface("ada", [listed]) == "o"


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

    assert resolve_surface(surface, known(*people)) == resolve_surface(
        surface, known(*sorted(shuffled))
    )


@given(surfaces, st.lists(surfaces, unique=True))
def test_two_full_names_that_differ_are_two_people(surface: str, people: list[str]) -> None:
    found = resolve_surface(surface, known(*people))
    if found is not None and is_full(surface):
        assert untitled(found) == untitled(surface)


def someone(name: str, *aliases: str, kind: Kind = Kind.PERSON) -> Candidate:
    return Candidate(kind=kind, name=name, confidence=8, subpoints=("one",), aliases=aliases)


def test_somebody_without_a_node_may_be_meant() -> None:
    romano = KnownPerson(surface="anna-romano", key="romano", has_node=False)

    assert resolve_surface("anna", known("anna-haddad")) == "anna-haddad"
    assert resolve_surface("anna", [*known("anna-haddad"), romano]) is None
    assert resolve_surface("anna", [*known("anna", "anna-haddad"), romano]) == "anna"
    assert changed_by("anna-romano", [*known("anna-haddad"), romano]) == set()


def test_people_named_in_full_are_remembered_by_their_names_alone() -> None:
    kept = someone("Eva Lund")
    candidates = [
        kept,
        someone("Anna Romano", "Anna"),
        someone("Anna"),
        someone("Oslo Opera", kind=Kind.ENTITY),
    ]

    (romano,) = passed_over(candidates, [kept])

    assert (romano.name, romano.aliases, romano.subpoints) == ("Anna Romano", ("Anna",), ())


def test_who_counts_beside_the_nodes() -> None:
    found = an_extraction(
        "s",
        candidates=(someone("Eva Lund", "Eva Berg"), someone("Tom Lie", "Tom")),
        passed_over=(someone("Anna Romano"),),
    )

    assert bearers_in(found) == [
        Bearer(name="Anna Romano"),
        Bearer(name="Eva Lund", aliases=("Eva Berg",)),
    ]


def test_a_form_of_a_name_is_no_second_name() -> None:
    sarah = Bearer(name="Sarah Jane Chen", aliases=("Sarah Chen", "Sally", "Dr. Sarah Chen"))

    assert full_names(sarah) == ["Sarah Jane Chen"]
    assert one_person("sarah-chen", [sarah]) == []


def test_one_person_of_two_names() -> None:
    eva = Bearer(name="Eva Lund", aliases=("Eva Berg", "Eva"))
    again = Bearer(name="Eva Strand", aliases=("Eva Lund",))

    assert (
        one_person("eva-berg", [eva]) == one_person("eva-lund", [eva]) == ["Eva Lund", "Eva Berg"]
    )
    assert one_person("eva-berg", [eva, again])[0] == "Eva Strand"
    assert one_person("eva-moe", [eva, again]) == []


written = st.sampled_from(["Eva Lund", "Eva Berg", "Eva Moe", "EVA MOE", "Dr. Eva Lund", "Bo Lund"])
said = st.builds(lambda name, other: Bearer(name=name, aliases=(other,)), written, written)


@given(st.lists(said, max_size=6), st.randoms())
def test_names_of_one_person_do_not_depend_on_order_or_on_which_is_asked(
    bearers: list[Bearer], dice: object
) -> None:
    shuffled = list(bearers)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    for surface in ("eva-lund", "eva-berg", "eva-moe", "bo-lund"):
        names = one_person(surface, bearers)

        assert names == one_person(surface, shuffled)
        for name in names:
            spelled = untitled(name.casefold().replace(". ", "-").replace(" ", "-"))
            assert one_person(spelled, bearers) == names
