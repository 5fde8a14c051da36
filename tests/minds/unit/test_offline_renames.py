"""Two names of one person, where a source says so in so many words, and nowhere else."""

from __future__ import annotations

import pytest
from offline_readings import conversation, notes

from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.minds.offline.mind import OfflineMind


@pytest.fixture(scope="module")
def mind() -> OfflineMind:
    return OfflineMind()


def people(mind: OfflineMind, reading: Reading) -> dict[str, tuple[str, ...]]:
    return {one.name: one.aliases for one in mind.extract(reading) if one.kind is Kind.PERSON}


@pytest.mark.parametrize(
    "text",
    [
        "Signe Dubois is Signe Haugen now.",
        "Signe Dubois is now called Signe Haugen.",
        "Signe Dubois (now Signe Haugen) sent a card.",
        "I had lunch with Signe Haugen, who used to be called Signe Dubois.",
        "Signe Haugen, formerly Signe Dubois, sent a card.",
        "Signe Haugen (née Dubois) sent a card.",
        "Signe Haugen, née Dubois, sent a card.",
        "Signe Haugen (born Dubois) sent a card.",
        "Signe Dubois changed her name to Signe Haugen.",
    ],
)
def test_a_new_name_and_the_former_one_are_one_person(mind: OfflineMind, text: str) -> None:
    assert people(mind, notes(text)) == {"Signe Haugen": ("Signe Dubois",)}


@pytest.mark.parametrize(
    "text", ["I took my husband's name: it's Haugen now.", "My name is Signe Haugen now."]
)
def test_somebody_tells_of_their_own_new_name(mind: OfflineMind, text: str) -> None:
    found = people(mind, conversation(f"Signe Dubois: {text}\nAda: Congratulations!"))

    assert found.keys() - {"Signe Haugen's husband"} == {"Signe Haugen"}
    assert set(found["Signe Haugen"]) - {"Haugen"} == {"Signe Dubois"}


def test_what_everybody_calls_somebody_is_no_third_name(mind: OfflineMind) -> None:
    short = people(mind, notes("Everybody calls Robert Bob. Bob plays the cello."))
    whole = people(mind, notes("Everybody calls Robert Berg Bob. Bob plays the cello."))

    assert (short, whole) == ({"Robert": ("Bob",)}, {"Robert Berg": ("Bob",)})


@pytest.mark.parametrize(
    "text",
    [
        "Sarah Chen is Sarah Miller's sister.",
        "Is Sarah Chen called Sarah Miller now?",
        "Sarah Chen is now Sarah Miller's boss.",
        "Sarah Chen used to be Sarah Miller's boss.",
        "First came Sarah Chen, now Sarah Miller wants to come.",
        "Tell Sarah Chen once Sarah Miller is here.",
        "Sarah Chen is with Sarah Miller now.",
        "Sarah Chen and Sarah Miller are here now.",
        "Sarah Chen works for Tom Miller now.",
    ],
)
def test_nobody_gets_a_name_by_a_guess(mind: OfflineMind, text: str) -> None:
    assert all(
        len(alias.split()) == 1 for one in people(mind, notes(text)).values() for alias in one
    )


def test_companies_are_not_people(mind: OfflineMind) -> None:
    assert set(people(mind, notes("Acme Labs is Acme Works now.")).values()) <= {()}


def test_the_owner_gets_no_name(mind: OfflineMind) -> None:
    found = people(mind, notes("Ada Lindqvist is Ada Berg now.", owner="Ada Lindqvist"))

    assert all("Ada Lindqvist" not in one for one in found.values())


def test_whoever_is_named_in_full_is_a_candidate_though_nothing_is_said(mind: OfflineMind) -> None:
    assert "Anna Romano" in people(mind, notes("Is Anna Romano coming?"))
