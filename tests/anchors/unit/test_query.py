"""What a message names, what it leaves to the conversation, and whether it needs memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules import query
from remanent.core.model.anchor import Name
from remanent.core.model.node import Kind
from remanent.core.model.source import Turn
from remanent.errors import InvalidInput
from remanent.retrieval.rules import abbreviations
from remanent.retrieval.rules.need import need, stands_out

pytestmark = pytest.mark.quick

MARIA = Name(key="m", kind=Kind.PERSON, name="Maria Lopez")
TOM = Name(key="t", kind=Kind.PERSON, name="Tom Becker")
MARK = Name(key="k", kind=Kind.PERSON, name="Mark")
ATLAS = Name(key="a", kind=Kind.ENTITY, name="Project Atlas")
CLIMBING = Name(key="c", kind=Kind.CONCEPT, name="climbing walls")
KESTREL = Name(key="l", kind=Kind.ENTITY, name="Kestrel Hill Labs")
NAMES = (MARIA, TOM, ATLAS)


def turns(*texts: str) -> list[Turn]:
    return [Turn(text=text) for text in texts]


# --- follow-ups ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "before", "full"),
    [
        (
            "and when was that?",
            ("What did Maria say about the flat?", "She wants to move out."),
            "when was that? (Maria flat move)",
        ),
        (
            "what about Priya?",
            ("What does Tom like to drink?", "Oolong."),
            "What does Priya like to drink?",
        ),
        ("and in Sweden?", ("What's the capital of Norway?",), "What's the capital of Sweden?"),
        ("in chicago", ("Where can we meet Sarah?",), "Where can we meet Sarah in chicago?"),
        ("what about sarah?", ("Where does Tom live?", "In Bergen."), "Where does sarah live?"),
        ("what about sarah", ("where does tom live?",), "where does sarah live?"),
        ("how about maria?", ("what does tom's dog eat",), "what does maria's dog eat"),
        ("what about breakfast?", ("Did Tom eat lunch?",), "Did Tom eat lunch breakfast?"),
        ("in chicago", ("What's the weather in Boston?",), "What's the weather in chicago?"),
        ("in chicago?", ("show me flats in boston",), "show me flats in chicago"),
        ("and in sweden?", ("What's the capital of Norway?",), "What's the capital of sweden?"),
        (
            "How much did he pay?",
            ("Who bought my old bike?", "Tom did."),
            "How much did Tom Becker pay?",
        ),
        ("And her husband?", ("When is Maria's birthday?", "On 3 May."), "Maria Lopez's husband?"),
        (
            "What did she say about Atlas?",
            ("Tell me about Maria.",),
            "What did Maria Lopez say about Atlas?",
        ),
        ("Where does she live?", ("Who is here?", "Zoe arrived."), "Where does Zoe live?"),
        ("Where does she live?", ("who is here?", "nobody"), "Where does she live? (nobody)"),
        ("what about the boat?", ("I sold it.",), "what about the boat? (sold)"),
        ("Is her?", ("Anna came.",), "Is Anna?"),
        (
            "why?",
            ("What did we decide about pricing?", "29 euros."),
            "why? (decide pricing 29 euros)",
        ),
    ],
)
def test_a_follow_up_takes_its_subject_from_the_conversation(
    message: str, before: tuple[str, ...], full: str
) -> None:
    assert query.followed(message, turns(*before), NAMES) == full


@pytest.mark.parametrize(
    "message",
    [
        "What is the capital of Norway?",
        "Is Maria bringing her dog?",
        "What does my sister want for her birthday?",
        "Tell me about the meeting with Kestrel Labs in June, please.",
    ],
)
def test_what_says_all_is_left_as_it_is(message: str) -> None:
    assert query.followed(message, turns("Who is Tom?", "A friend."), NAMES) == message


def test_without_a_conversation_nothing_is_filled_in() -> None:
    assert query.followed("and when was that?", []) == "and when was that?"


@pytest.mark.parametrize(
    ("message", "full"),
    [
        ("in chicago", "What do I know about chicago?"),
        ("what about sarah?", "What do I know about sarah?"),
        ("and with Tom?", "What do I know about Tom?"),
        ("what about that?", "what about that?"),
        ("in May", "in May"),
        ("Tom?", "Tom?"),
        ("what about the flat in Oslo?", "what about the flat in Oslo?"),
    ],
)
def test_without_a_conversation_one_thing_named_is_asked_for(message: str, full: str) -> None:
    assert query.followed(message, []) == full


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_can_be_followed(message: str, before: list[str]) -> None:
    full = query.followed(message, turns(*before), NAMES)

    assert isinstance(full, str)
    assert full == query.followed(message, turns(*before), NAMES)


@pytest.mark.parametrize("before", ["one text", b"bytes", 7, [7], [{"speaker": "Ada"}], None])
def test_a_conversation_of_another_shape_is_refused(before: object) -> None:
    with pytest.raises(InvalidInput, match="before"):
        query.conversation(before)


def test_a_conversation_is_texts_or_turns_and_its_end_counts() -> None:
    told = query.conversation(["hello", {"speaker": "Ada", "text": "hi"}] * 30)

    assert len(told) == query.MOST_BEFORE
    assert told[-1] == Turn(text="hi", speaker="Ada")
    assert query.conversation(told) == told


# --- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "called"),
    [
        ("How is Maria?", MARIA, True),
        ("maria's flat", MARIA, True),
        ("Ms Lopez called", MARIA, True),
        ("mariachi music", MARIA, False),
        ("Is Atlas on schedule?", ATLAS, True),
        ("another project of ours", ATLAS, False),
        ("mark this as done", MARK, False),
        ("ask Mark about it", MARK, True),
        ("a talk on climbing walls", CLIMBING, True),
        ("a wall to climb", CLIMBING, False),
        ("the labs in Oslo", KESTREL, False),
        ("at Kestrel Hill Labs", KESTREL, True),
    ],
)
def test_who_is_called(text: str, name: Name, called: bool) -> None:
    assert query.calls(text, name) is called


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    assert query.foreign_names("When did Anna meet Kestrel Labs? Yesterday.") == [
        "Anna",
        "Kestrel Labs",
    ]


def test_keywords_are_what_is_left_of_a_question() -> None:
    assert query.keywords("What did Maria say about the boat's lease?") == [
        "Maria",
        "say",
        "boat",
        "lease",
    ]


# --- need ------------------------------------------------------------------------------------------


def test_wording_decides_where_it_is_sure() -> None:
    asked, general = need("Where do I bank?", chance=0.97), need("Where is Norway?", chance=0.02)

    assert (asked.needs_search, asked.is_sure) == (True, True)
    assert asked.reasons == ("speaks of the sender's own life",)
    assert (general.needs_search, general.is_sure) == (False, True)
    assert general.reasons == ("anybody could ask it",)


def test_no_sign_is_unsure() -> None:
    found = need("Where is Zoltan?")

    assert (found.needs_search, found.is_sure) == (False, False)


def test_known_names_and_abbreviations_count() -> None:
    assert not need("When is the CRM rollout?").needs_search
    assert need("When is the CRM rollout?", abbreviations=["CRM"]).needs_search
    assert need("Who sets the CRMs up?", abbreviations=["CRM"]).needs_search
    assert not need("Where does Zoltan live?").needs_search
    assert need("Where does Zoltan live?", mentioned=["Zoltan"]).needs_search
    assert need("What's Maria up to?", names=NAMES).reasons == ("names Maria Lopez",)
    assert need("Is Atlas on schedule?", names=NAMES).needs_search


def test_a_known_name_leaves_a_plainly_general_question_open() -> None:
    general = need("How high is Atlas?", chance=0.001, names=NAMES)

    assert (general.needs_search, general.is_sure) == (False, False)
    assert not need("Who was Maria Theresa?", chance=0.001, names=NAMES).is_sure
    assert need("Who was Theresa?", chance=0.001, names=NAMES).is_sure


def test_a_follow_up_names_what_it_follows() -> None:
    before = turns("What did Maria say?", "No.")

    assert need("and when was that?", before=before, names=NAMES).needs_search
    assert not need("why is that?", before=turns("How does light work?"), names=NAMES).needs_search
    assert not need("What is the capital of Norway?", before=before, names=NAMES).needs_search


def test_what_stands_out_shares_the_meaning_or_the_words() -> None:
    note = "The wifi password of the cabin is moss-and-tern."

    assert stands_out("what is the wifi password of the cabin?", note, 0.0)
    assert stands_out("how do I get online up there?", note, 0.9)
    assert not stands_out("what is the speed of light?", note, 0.2)
    assert not stands_out("what is wifi?", note, 0.2)


@given(st.text(max_size=300), st.floats(0, 1))
def test_any_message_gets_an_answer_with_a_reason(message: str, chance: float) -> None:
    assert need(message, chance=chance, names=NAMES).reasons


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_likelier_message_is_never_the_one_that_needs_less(one: float, other: float) -> None:
    low, high = (need("Where is Zoltan?", chance=chance) for chance in sorted((one, other)))

    assert high.needs_search or not low.needs_search


# --- abbreviations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "We bought a Customer Relationship Management (CRM) system.",
            {"CRM": "Customer Relationship Management"},
        ),
        (
            "The CRM (Customer Relationship Management) rollout",
            {"CRM": "Customer Relationship Management"},
        ),
        (
            "CRM stands for customer relationship management, I think.",
            {"CRM": "customer relationship management"},
        ),
        (
            "Our Quarterly Business Review, or QBR for short, is due.",
            {"QBR": "Quarterly Business Review"},
        ),
        ("Objectives and Key Results (OKRs)", {"OKR": "Objectives and Key Results"}),
        ("YC is short for Y Combinator.", {"YC": "Y Combinator"}),
        (
            "an API (application programming interface)",
            {"API": "application programming interface"},
        ),
        ("HTTP means HyperText Transfer Protocol.", {"HTTP": "HyperText Transfer Protocol"}),
        ("He said OK (fine by me) and left (NOT happy).", {}),
        ("I paid 30 EUR (about 33 USD).", {}),
        ("lunch at noon (ASAP)", {}),
    ],
)
def test_abbreviations_are_read_where_a_text_explains_them(
    text: str, found: dict[str, str]
) -> None:
    assert abbreviations.explained_in(text) == found


@given(st.text(max_size=400))
def test_what_is_learned_begins_with_the_first_letter(text: str) -> None:
    for short, long in abbreviations.explained_in(text).items():
        assert long[0].casefold() == short[0].casefold()
        assert len(long) > len(short)


def test_abbreviations_are_written_out_both_ways_and_once() -> None:
    known = {"CRM": "Customer Relationship Management"}
    full = abbreviations.expand("crm rollout", known)

    assert full == "crm (Customer Relationship Management) rollout"
    assert abbreviations.expand(full, known) == full
    assert abbreviations.expand("a customer relationship management plan", known).endswith("(CRM)")
    assert abbreviations.expand("scream", known) == "scream"


def test_candidates_are_capitals_and_words_without_a_vowel() -> None:
    assert abbreviations.candidates("what about the yc app and CRM?") == ["yc", "CRM"]


@pytest.mark.parametrize(
    ("short", "long", "field"),
    [("", "x y", "short"), ("--", "x y", "short"), ("x" * 21, "long", "short"),
     ("CRM", "", "long"), ("CRM", "crm", "long"), ("CRM", "!!", "long"), ("CRM", "y" * 201, "long"), (7, "x", "short")],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(short: object, long: object, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        abbreviations.checked(short, long)
