from __future__ import annotations

import pytest
from offline_readings import FRIENDS, NOTES, conversation, notes

from remanent.core.model.belief import BeliefType
from remanent.errors import MindError
from remanent.minds.offline import OfflineMind
from remanent.minds.offline.believe import MOST

MIND = OfflineMind()


def believe(text: str):
    (one,) = MIND.believe(text, owner_names=("Ada", "Ada Lovelace"))
    return one


def statements(text: str, owner: str = "Ada") -> list[str]:
    return [one.statement for one in MIND.beliefs(conversation(text, owner))]


# --- one belief


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Remember that I live in Bergen", "I live in Bergen"),
        ("note to self: the spare key is under the mat", "The spare key is under the mat"),
        ("FYI, Maria moved to Oslo.", "Maria moved to Oslo."),
        ("Please remember: my wifi password is sunflower", "My wifi password is sunflower"),
        ("Hi there! I am allergic to peanuts.", "I am allergic to peanuts."),
        ("I live in Bergen.", "I live in Bergen."),
    ],
)
def test_the_statement_is_the_sentence_with_the_fact(text, statement):
    assert believe(text).statement.rstrip(".") == statement.rstrip(".")


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("I love black coffee", BeliefType.PREFERENCE),
        ("My favourite colour is blue", BeliefType.PREFERENCE),
        ("I can't stand olives", BeliefType.PREFERENCE),
        ("Always run the tests before you push", BeliefType.PROCEDURAL),
        ("How to reset the router: hold the button for ten seconds", BeliefType.PROCEDURAL),
        ("We use Postgres for the ledger database", BeliefType.ARCHITECTURAL),
        ("We decided to use Redis as the cache", BeliefType.ARCHITECTURAL),
        ("The backend is written in Go", BeliefType.ARCHITECTURAL),
        ("Maria lives in Oslo", BeliefType.FACTUAL),
        ("I would like to visit Rome", BeliefType.FACTUAL),
    ],
)
def test_the_type_follows_what_is_said(text, type_):
    assert believe(text).type is type_


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I live in Bergen", "owner"),
        ("Maria lives in Oslo", "maria"),
        ("My sister Maria works at Google", "maria"),
        ("My sister likes tea", "sister"),
        ("My dog is called Rex", "rex"),
        ("Maria's car is red", "maria"),
        ("Sarah Chen leads sales", "sarah chen"),
        ("Ada is a mathematician", "owner"),
        ("The meeting is at 3pm", "owner"),
        ("Acme has forty employees", "acme"),
    ],
)
def test_the_subject_is_whoever_it_is_about(text, subject):
    assert believe(text).subject == subject


def test_importance_runs_from_safety_to_trivia():
    texts = ["I am allergic to peanuts", "I live in Bergen", "I love jazz", "The sofa is grey"]
    weights = [believe(text).importance for text in texts]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 9
    assert weights[-1] <= 4


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", "🙂"])
def test_a_text_without_a_word_cannot_be_believed(text):
    with pytest.raises(MindError):
        believe(text)


@pytest.mark.parametrize(
    "text", ["Oslo", "42", "wifi: sunflower", "buy milk", "remember", "x" * 3000]
)
def test_a_scrap_is_believed_as_it_stands(text):
    assert believe(text).statement.casefold() == text.casefold()


# --- several in one text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Maria lives in Oslo. She works at Telenor.", ["Maria lives in Oslo.", "Maria works at Telenor."]),
        ("My kettle is red. My car is green. My dog is brown.", ["My kettle is red.", "My car is green.", "My dog is brown."]),
        ("Hi! I live in Oslo. I like tea. Thanks!", ["I live in Oslo.", "I like tea."]),
        ("Can you remember this? I live in Oslo. I like tea. Please don't forget.", ["I live in Oslo.", "I like tea."]),
        ("Remember that I live in Oslo. Remember that I like tea.", ["I live in Oslo.", "I like tea."]),
        ("1. Maria lives in Oslo. 2. She works at Telenor.", ["Maria lives in Oslo.", "Maria works at Telenor."]),
        ("Buy milk. Pay the rent.", ["Buy milk.", "Pay the rent."]),
        ("Maria lives in Oslo and works at Telenor.", ["Maria lives in Oslo and works at Telenor."]),
    ],
)  # fmt: skip
def test_every_sentence_is_believed_by_itself(text, told):
    assert [one.statement for one in MIND.believe(text, owner_names=("Ada",))] == told


def test_each_sentence_is_about_whom_it_tells_of():
    text = "My brother is Marek. He lives in Hamar. I am allergic to nuts."
    drafts = MIND.believe(text, owner_names=("Ada",))
    assert [one.subject for one in drafts] == ["marek", "marek", "owner"]
    assert drafts[-1].importance == 9


@pytest.mark.parametrize(
    "text",
    [
        "Anna and Tom married. They live in Ski.",  # two people
        "The heater is broken. Why? Because the pump failed.",
        "What car do I drive? A green Volvo.",
        "I work at Acme Inc. in Oslo.",
    ],
)
def test_what_leans_on_the_sentence_before_stays_with_it(text):
    assert believe(text).statement == text


def test_nothing_of_a_long_text_is_left_out():
    told = [f"Shelf {n} holds jars." for n in range(2 * MOST)]
    drafts = MIND.believe(" ".join(told), owner_names=("Ada",))
    assert len(drafts) == MOST
    assert " ".join(one.statement for one in drafts) == " ".join(told)


# --- all beliefs of a source


def test_lasting_facts_are_found_with_subject_and_passage():
    found = {one.statement: one for one in MIND.beliefs(conversation(FRIENDS))}
    (moved,) = (one for one in found.values() if one.statement.startswith("Maria moved to Bergen"))
    assert moved.subject == "maria"
    assert found["Maria is a nurse."].subject == "maria"
    assert found["Tom works at Equinor."].subject == "tom"
    assert found["Tom's wife Julia is from Bergen."].subject == "julia"
    assert found["I'm allergic to peanuts."].subject == "owner"
    assert found["I'm allergic to peanuts."].importance == 9
    assert found["I'm allergic to peanuts."].passage_key == "p9"
    assert len(found) <= MOST


def test_notes_of_the_owner_keep_their_first_person():
    found = [one.statement for one in MIND.beliefs(notes(NOTES))]
    assert "I live in Oslo with my husband Per." in found
    assert "My favourite band is Radiohead." in found


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Oslo.", "Maria lives in Oslo."),
        ("I'm a nurse.", "Maria is a nurse."),
        ("I have two cats.", "Maria has two cats."),
        ("I grow my own tomatoes.", "Maria grows their own tomatoes."),
        ("My favourite colour is blue.", "Maria's favourite colour is blue."),
        ("I study physics at NTNU.", "Maria studies physics at NTNU."),
        ("I teach my sister chess.", "Maria teaches their sister chess."),
        ("I've moved to Bergen.", "Maria has moved to Bergen."),
    ],
)
def test_another_speakers_i_becomes_their_name(said, told):
    assert statements(f"Maria: {said}") == [told]


@pytest.mark.parametrize(
    ("speaker", "told"),
    [
        ("Maria", ["Maria lives in Oslo.", "Maria works at Acme."]),
        ("Ada", ["I live in Oslo.", "I work at Acme."]),
    ],
)
def test_a_second_half_has_the_subject_of_the_first(speaker, told):
    assert statements(f"{speaker}: I live in Oslo and work at Acme.") == told


@pytest.mark.parametrize(
    "text",
    [
        "Ada: I'm tired today.",
        "Ada: Do you live in Oslo?",
        "Ada: If I lived in Oslo, I would be happy.",
        "Ada: Maybe I like jazz.",
        "Ada: Please book a table for two.",
        "Ada: Thanks, that's great!",
        "Ada: I love it.",
        "Ada: I like him.",
        "Ada: I'm so excited!",
        "Ada: You live in Oslo.",
        "Ada: She lives in Oslo.",
        "Assistant: I live in the cloud.",
        "Bot: My favourite colour is blue.",
    ],
)
def test_what_does_not_last_or_is_not_clear_is_no_belief(text):
    assert statements(text) == []


def test_a_pronoun_is_told_by_name_only_when_it_can_be_one_person():
    assert "Maria lives in Oslo." in statements("Ada: I saw Maria. She lives in Oslo.")
    assert "Oslo" not in str(statements("Ada: I saw Maria and Julia. She lives in Oslo."))


def test_the_most_important_in_the_order_of_the_text():
    plain = [f"Ada: My friend Tom{n} likes tea number {n}." for n in range(30)]
    found = statements("\n".join([*plain, "Ada: I am allergic to peanuts."]))
    assert len(found) <= MOST
    assert found[-1] == "I am allergic to peanuts."


def test_you_is_the_other_one_where_two_people_talk():
    lent = MIND.beliefs(
        conversation("Sandile: I'll lend you the Quantum on Saturday.\nAda: Thanks!")
    )
    moved = MIND.beliefs(conversation("Ada: You moved to Porto in May.\nBen: Right."))
    assert [(one.statement, one.subject) for one in (*lent, *moved)] == [
        ("Sandile will lend me the Quantum on Saturday.", "sandile"),
        ("Ben moved to Porto in May.", "ben"),
    ]


# --- what is told before a question


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I'm allergic to nuts, what can I eat at a Thai place?", "I'm allergic to nuts."),
        ("We just moved to Bergen - do you know a dentist?", "We just moved to Bergen."),
        ("My brother Tom lives in Leeds so where should we meet?", "My brother Tom lives in Leeds."),
        ("My daughter starts school in August, which bag should I buy?",
         "My daughter starts school in August."),
    ],
)  # fmt: skip
def test_what_is_told_before_a_question_is_kept(text, statement):
    assert [one.statement for one in MIND.beliefs(notes(text))] == [statement]


@pytest.mark.parametrize(
    "text",
    [
        "If I move to Oslo, can you help me?",
        "When I was in Oslo, did you call me?",
        "She's a nurse, isn't she?",
        "You like jazz, right?",
        "What do you think, can I move to Oslo?",
    ],
)
def test_what_only_asks_or_supposes_is_not(text):
    assert MIND.beliefs(notes(text)) == []


def test_a_request_to_remember_keeps_the_question_with_its_comma():
    said = believe("I'm allergic to nuts, what can I eat here?").statement
    assert said == "I'm allergic to nuts, what can I eat here?"
    assert believe("I live in Bergen, can you remember that?").statement == "I live in Bergen"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I met Maria in Oslo, she lives there.", ["I met Maria in Oslo.", "Maria lives in Oslo."]),
        ("Tom told me about the Netherlands. His sister lives there.", ["Tom's sister lives in the Netherlands."]),
        ("Tom told me about Bergen. He moved there in May.", ["Tom moved to Bergen in May."]),
        ("Maria joined Telenor in May. She still works there.", ["Maria joined Telenor in May.", "Maria still works at Telenor."]),
        ("When I met Maria in Oslo, she lived there.", ["When I met Maria in Oslo.", "Maria lived in Oslo."]),
    ],
)  # fmt: skip
def test_there_is_the_place_named_last(text, told):
    assert [one.statement for one in MIND.beliefs(notes(text))] == told


def test_what_says_where_is_remembered_by_itself():
    text = "I met my mother in Oslo and she lives there with a cat."
    told = [one.statement for one in MIND.believe(text, owner_names=("Ada",))]
    assert told == ["I met my mother in Oslo.", "My mother lives in Oslo with a cat."]


def test_a_half_whose_there_is_nowhere_stays_with_the_other():
    text = "I think there is a bug, she found it there."
    assert believe(text).statement == text


def test_a_heading_is_no_part_of_what_is_said_below_it():
    text = "Boat\n\nThe boat is moored in Horten."
    assert [one.statement for one in MIND.beliefs(notes(text))] == ["The boat is moored in Horten."]


def test_two_statements_of_a_sentence_are_held_apart() -> None:
    told = MIND.beliefs(
        notes("I work nights at the hospital and my sister Ana looks after the kids.")
    )
    assert [one.statement for one in told] == [
        "I work nights at the hospital.",
        "My sister Ana looks after the kids.",
    ]


def test_the_date_of_a_diary_is_no_belief() -> None:
    told = MIND.beliefs(notes("# 2025-10-14\n\nMet Ingrid at the station."))
    assert [one.statement for one in told] == ["Met Ingrid at the station."]


def test_where_something_is_stays_with_what_it_is_said_of() -> None:
    text = "Ines teaches maths in Braga, at the old school by the river."
    assert [one.statement for one in MIND.beliefs(notes(text))] == [text]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Careful with walnuts: I have an allergy.", "Careful with walnuts: I have an allergy."),
        ("Big news: I have two sisters.", "I have two sisters."),
        ("Note to self: the door code is 4471.", "The door code is 4471."),
    ],
)
def test_what_a_statement_is_about_may_stand_before_its_colon(said: str, told: str) -> None:
    assert [one.statement for one in MIND.beliefs(notes(said))] == [told]


def test_what_leads_to_a_statement_is_no_other() -> None:
    said = "Careful with walnuts: I have an allergy. My sister Maria lives in Bergen now."
    first, second = (one.statement for one in MIND.beliefs(notes(said)))
    assert first == "Careful with walnuts: I have an allergy."
    assert second == "My sister Maria lives in Bergen now."


def test_what_leads_on_to_what_was_said_is_none() -> None:
    said = "The hike with Jonas was great. He told me that he and Lena split up."
    told = [one.statement for one in MIND.beliefs(notes(said))]
    assert told == ["The hike with Jonas was great.", "Jonas and Lena split up."]
