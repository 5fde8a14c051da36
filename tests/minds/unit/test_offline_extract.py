from __future__ import annotations

import pytest
from offline_readings import FRIENDS, conversation, passing

from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind
from remanent.minds.offline import OfflineMind

MIND = OfflineMind()


def found(text: str, owner: str = "Ada") -> dict[str, Candidate]:
    return {one.name: one for one in MIND.extract(conversation(text, owner))}


def test_whoever_something_is_said_of_passes():
    found = {one.name: one for one in passing(MIND.extract(conversation(FRIENDS)))}
    assert {"Maria", "Tom", "Karen Lee", "Julia", "Bergen", "Equinor"} <= found.keys()
    assert len(found["Maria"].subpoints) > len(found["Julia"].subpoints)


def test_the_owner_and_programs_are_no_candidates():
    names = {one.name.casefold() for one in MIND.extract(conversation(FRIENDS))}
    assert not names & {"ada", "assistant", "i"}


def test_pronouns_in_the_next_sentence_count_for_the_one_person_named():
    maria = found("Ada: I met Maria. She moved to Bergen. She works as a nurse and loves jazz.")[
        "Maria"
    ]
    assert len(maria.subpoints) >= 3
    assert maria.confidence >= 7


def test_first_and_full_name_are_one_person():
    one = found("Ada: Sarah Chen joined us. Sarah leads sales. I like Sarah.")["Sarah Chen"]
    assert one.kind is Kind.PERSON
    assert one.aliases == ("Sarah",)
    assert len(one.subpoints) == 3


def test_two_full_names_are_two_people():
    both = found("Ada: Sarah Chen joined us. Sarah Miller left. Sarah was late.")
    assert {"Sarah Chen", "Sarah Miller"} <= set(both)
    assert "Sarah" not in both


def test_a_speakers_own_words_speak_of_them():
    tom = found(
        "Tom: I work at Equinor in Norway. I live in Stavanger now. I have two kids at home."
    )["Tom"]
    assert len(tom.subpoints) == 3
    assert tom.confidence >= 9


def test_a_short_form_of_a_speakers_name_is_an_alias():
    mel = found(
        "Caroline: Hey Mel! I told Mel about it.\nMelanie: I paint a lot at night.", "Caroline"
    )
    assert mel["Melanie"].aliases == ("Mel",)


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("Ada: I work at Google these days.", "Google", "organization"),
        ("Ada: We flew to Lisbon last week.", "Lisbon", "location"),
        ("Ada: Project Falcon runs on Postgres.", "Project Falcon", "project"),
        ("Ada: We have a dog called Rex at home.", "Rex", "animal"),
    ],
)
def test_entities_have_a_type(text, name, type_):
    one = found(text)[name]
    assert (one.kind, one.type) == (Kind.ENTITY, type_)


def test_a_persons_possessive_and_title_are_left_out():
    names = found("Ada: Sarah's flat is small. Dr. Weber called me back.")
    assert "Sarah" in names
    assert "Weber" in names


def test_greetings_weekdays_and_months_are_nobody():
    names = found("Ada: Wow! Hey! Thanks! See you on Monday in March. Congrats on everything.")
    assert names == {}


def test_questions_and_programs_add_no_points():
    assert "Maria" not in found("Ada: Where does Maria live?\nAssistant: Maria lives in Oslo.")


def test_a_place_that_ends_what_was_said_is_told_of_by_the_sentence_before():
    cooma = found("Ada: We are all going up to the farm for a week in July. In Cooma.")["Cooma"]

    assert any("farm" in point for point in cooma.subpoints)
