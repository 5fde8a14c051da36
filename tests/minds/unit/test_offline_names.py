"""What the offline mind takes for a person, and what for a thing."""

from __future__ import annotations

import pytest
from offline_readings import conversation, notes

from remanent.core.model.mind_types import Reading
from remanent.minds.offline.named import Names
from remanent.minds.offline.names import find_names
from remanent.minds.offline.sentences import sentences
from remanent.minds.reader.reading import read


def found(reading: Reading) -> Names:
    known = read([(one.speaker, one.text) for one in reading.passages], reading.owner_names)
    return find_names(sentences(reading, known), known, reading)


def kinds(reading: Reading) -> dict[str, str]:
    return {one.name: one.kind for one in found(reading).named}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at Hansen Boats.", {"Hansen Boats": "organization"}),
        ("Started my new job at Solvind.", {"Solvind": "organization"}),
        (
            "We buy fish from Hansen AS in Bergen.",
            {"Hansen AS": "organization", "Bergen": "location"},
        ),
        ("Maersk A/S called.", {"Maersk A/S": "organization"}),
        ("Fjordlink hired Tom.", {"Fjordlink": "organization", "Tom": "person"}),
        ("Lunch with Tom at Fjordlink.", {"Tom": "person", "Fjordlink": "organization"}),
        ("We stayed at the Mark Hopkins Hotel.", {"Mark Hopkins Hotel": "organization"}),
        ("Our client Nordvik Shipping is nice.", {"Nordvik Shipping": "organization"}),
        ("We moved from Porto to Ghent.", {"Porto": "location", "Ghent": "location"}),
        ("Dr. Weber called me back.", {"Weber": "person"}),
        ("lunch with kevin in toronto yesterday", {"Kevin": "person", "Toronto": "location"}),
        ("raj is at Deloitte now", {"Raj": "person", "Deloitte": "organization"}),
        ("talked to mei about Lisbon", {"Mei": "person", "Lisbon": "location"}),
        ("the plumber comes to Lisbon", {"Lisbon": "location"}),
    ],
)
def test_a_name_is_what_its_words_and_its_place_tell(text: str, expected: dict[str, str]) -> None:
    assert kinds(notes(text)) == expected


def test_places_after_a_comma_are_no_people() -> None:
    assert kinds(notes("She was born in Bali, Indonesia.")) == {
        "Bali": "location",
        "Indonesia": "location",
    }


def test_a_heading_of_a_note_calls_nobody() -> None:
    assert (
        "person" not in kinds(notes("North America\nSaudi Arabia.\nModern Olympic Games")).values()
    )


def test_one_name_has_one_kind_in_a_source() -> None:
    text = "I work at Solvind. Solvind makes turbines. Solvind is in Oslo. Kari runs Solvind."

    assert kinds(notes(text))["Solvind"] == "organization"


def test_a_last_name_alone_is_the_person_named_in_full() -> None:
    named = found(notes("I met Duane Bobick. Bobick boxes. Bobick won."))

    assert [(one.name, one.kind) for one in named.named] == [("Duane Bobick", "person")]
    assert named.named[0].aliases == {"Bobick"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My mom lives in Bergen. Mum loves her garden.", {"My mother": {"my mom", "Mum"}}),
        ("Our landlord wants to sell the flat.", {"My landlord": set()}),
        ("My older sister lives in Paris.", {"My older sister": set()}),
        ("Tom told me that his mom lives in Rome.", {"Tom": set(), "Tom's mother": {"Tom's mom"}}),
        ("My sister Ana works at Stripe.", {"Ana": {"my sister"}}),
        ("A waiter spilled soup on me. My friend moved to Oslo. My parents are fine.", {}),
    ],
)
def test_somebody_known_by_a_role_is_somebody(text: str, expected: dict[str, set[str]]) -> None:
    people = [one for one in found(notes(text)).named if one.kind == "person"]

    assert {one.name: one.aliases for one in people} == expected


def test_a_role_in_anothers_mouth_is_not_the_owners() -> None:
    talk = conversation("Ada: How is everybody?\nTom: My mother lives in Rome, she is a painter.")

    people = [one for one in found(talk).named if one.role]

    assert [one.name for one in people] == ["Tom's mother"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My bike got stolen in front of the gym.", {"My bike": "product"}),
        (
            "I work nights at the hospital and my sister Ana looks after the kids.",
            {"My hospital": "organization", "Ana": "person", "My kids": "group"},
        ),
        ("The bridge was closed again.", {}),
    ],
)
def test_a_thing_without_a_name_is_called_by_whose_it_is(
    text: str, expected: dict[str, str]
) -> None:
    assert kinds(notes(text)) == expected
