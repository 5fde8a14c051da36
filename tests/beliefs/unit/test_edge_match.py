"""Which statements tell of a relationship, and which say that it is over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules import edge_match
from remanent.beliefs.rules.edge_match import Edge, End, Statement, closes, expresses, is_named
from remanent.core.model.mind_types import Judgement

pytestmark = pytest.mark.quick

ME = End(names=("Ada Lindqvist", "Ada"), is_owner=True)
TOM = End(names=("Tom Berg", "Tom"))
SARAH = End(names=("Sarah Chen", "Sarah"))
OSLO = End(names=("Oslo",))
ACME = End(names=("Acme",))
TEA = End(names=("green tea",))


def edge(type_: str, src: End, dst: End, *wordings: str) -> Edge:
    return Edge(relationship_type=type_, src=src, dst=dst, wordings=wordings)


def test_what_is_over_is_no_answer_to_what_is() -> None:
    over = (
        ("Where do I work now?", "I just quit my job at Equinor."),
        ("Where does Tom live?", "Tom used to live in Oslo."),
        ("Which phone do I have?", "I no longer have the red phone."),
        ("who is my boss", "Sarah left Acme."),
        ("What do I drink these days?", "I stopped drinking coffee."),
    )
    open_ = (
        ("Which job did I quit?", "I just quit my job at Equinor."),
        ("Where did Tom live before?", "Tom used to live in Oslo."),
        ("Do I smoke?", "I stopped smoking."),
        ("Where is my pain?", "My left knee hurts."),
        ("Where do I work?", "I left Acme and work at Cognite now."),
        ("Who left Acme?", "Sarah left Acme."),
        ("Where do I live?", "I live in Bergen."),
    )
    assert [one for one in over if not edge_match.is_over_by_now(*one)] == []
    assert [one for one in open_ if edge_match.is_over_by_now(*one)] == []


MY_HOME = edge("home", ME, OSLO, "I live in Oslo.")
TOMS_HOME = edge("home", TOM, OSLO, "Tom lives in Oslo.")
TOMS_JOB = edge("employer", TOM, ACME, "Tom works at Acme.")
MY_BOSS = edge("boss", ME, SARAH, "Sarah is my boss.")
MY_TEA = edge("likes", ME, TEA, "I love green tea.")


def told(text: str, subject: str = "owner") -> Statement:
    return Statement(text=text, subject=subject)


@pytest.mark.parametrize(
    ("text", "subject", "about"),
    [
        ("I live in Oslo.", "owner", MY_HOME),
        ("I've been living in Oslo since 2019.", "owner", MY_HOME),
        ("I have lived in Oslo for years", "owner", MY_HOME),
        ("My home is in Oslo", "owner", MY_HOME),
        ("Ada lives in Oslo", "owner", MY_HOME),
        ("I moved to Oslo in May", "owner", MY_HOME),
        ("We moved to Oslo", "owner", MY_HOME),
        ("Tom lives in Oslo", "tom", TOMS_HOME),
        ("Tom Berg lives in Oslo", "tom berg", TOMS_HOME),
        ("Tom's home is Oslo", "tom", TOMS_HOME),
        ("Tom works at Acme as an engineer", "tom", TOMS_JOB),
        ("Tom joined Acme", "tom", TOMS_JOB),
        ("Sarah is my boss", "sarah", MY_BOSS),
        ("Sarah is my new manager", "sarah", MY_BOSS),
        ("I like green tea", "owner", MY_TEA),
        ("My favourite drink is green tea", "owner", MY_TEA),
        ("I live in Oslo", "owner", edge("lives_in", ME, OSLO)),
        ("Tom mentors Sarah", "tom", edge("mentor_of", TOM, SARAH)),
        (
            "I swim at Oslo Bad on Fridays",
            "owner",
            edge(
                "habit",
                ME,
                End(names=("Oslo Bad",)),
                "I swim at Oslo Bad every Friday, on Fridays.",
            ),
        ),
    ],
)
def test_tells(text: str, subject: str, about: Edge) -> None:
    assert expresses(told(text, subject), about)


@pytest.mark.parametrize(
    ("text", "subject", "about"),
    [
        ("I do not live in Oslo", "owner", MY_HOME),
        ("I don't live in Oslo", "owner", MY_HOME),
        ("I no longer live in Oslo", "owner", MY_HOME),
        ("I used to live in Oslo", "owner", MY_HOME),
        ("I lived in Oslo as a child", "owner", MY_HOME),
        ("I was in Oslo last week", "owner", MY_HOME),
        ("I want to live in Oslo", "owner", MY_HOME),
        ("I might move to Oslo", "owner", MY_HOME),
        ("I may move to Oslo", "owner", MY_HOME),
        ("I moved from Oslo to Bergen", "owner", MY_HOME),
        ("I left Oslo", "owner", MY_HOME),
        ("I love Oslo", "owner", MY_HOME),
        ("I live in Bergen", "owner", MY_HOME),
        ("My brother Tom lives in Oslo", "tom", MY_HOME),
        ("My brother lives in Oslo", "owner", MY_HOME),
        ("My brother's home is in Oslo", "owner", MY_HOME),
        ("Tom lives in Oslo", "owner", MY_HOME),
        ("Tom lives in Oslo", "tom", MY_HOME),
        ("I live in Oslo", "owner", TOMS_HOME),
        ("Sarah lives in Oslo", "sarah", TOMS_HOME),
        ("Tom's wife lives in Oslo", "tom", TOMS_HOME),
        ("Tomas lives in Oslo", "tomas", TOMS_HOME),
        ("Tom lives in Oslofjord", "tom", TOMS_HOME),
        ("Tom dislikes Acme", "tom", TOMS_JOB),
        ("Tom's wife works at Acme", "tom", TOMS_JOB),
        ("I am Sarah's boss", "owner", MY_BOSS),
        ("Sarah is Tom's boss", "sarah", MY_BOSS),
        ("I like Sarah", "owner", MY_BOSS),
        ("I hate green tea", "owner", MY_TEA),
        ("", "owner", MY_HOME),
        ("Oslo", "", MY_HOME),
    ],
)
def test_does_not_tell(text: str, subject: str, about: Edge) -> None:
    assert not expresses(told(text, subject), about)


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        (told("I live in Oslo"), told("I live in Bergen"), MY_HOME),
        (told("I live in Oslo"), told("I moved to Bergen"), MY_HOME),
        (told("I live in Oslo"), told("I moved from Oslo to Bergen"), MY_HOME),
        (told("I live in Oslo"), told("I no longer live in Oslo"), MY_HOME),
        (told("I live in Oslo"), told("I left Oslo"), MY_HOME),
        (told("Tom works at Acme", "tom"), told("Tom works at Initech", "tom"), TOMS_JOB),
        (told("Tom works at Acme", "tom"), told("Tom quit Acme", "tom"), TOMS_JOB),
        (told("I love green tea"), told("I hate green tea"), MY_TEA),
        (told("I love green tea"), told("I don't like green tea any more"), MY_TEA),
    ],
)
def test_closes(old: Statement, new: Statement, about: Edge) -> None:
    assert closes(old, new, about)


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        # another role at the same place
        (
            told("Tom works at Acme as an engineer", "tom"),
            told("Tom works at Acme as a manager", "tom"),
            TOMS_JOB,
        ),
        # two things in one sentence, and only the other one changed
        (
            told("Tom works at Acme and lives in Oslo", "tom"),
            told("Tom lives in Bergen", "tom"),
            TOMS_JOB,
        ),
        (told("I live in Oslo"), told("I want to live in Bergen"), MY_HOME),
        (told("I live in Oslo"), told("Tom lives in Bergen", "tom"), MY_HOME),
        (told("I live in Oslo"), told("I lived in Bergen"), MY_HOME),
        (told("I live in Oslo"), told("I do not live in Bergen"), MY_HOME),
        (told("I live in Oslo"), told("I work in Bergen"), MY_HOME),
        (told("I love Oslo"), told("I live in Bergen"), MY_HOME),
        (told("I live in Oslo"), told("My home is Oslo"), MY_HOME),
    ],
)
def test_does_not_close(old: Statement, new: Statement, about: Edge) -> None:
    assert not closes(old, new, about)


def test_names_are_whole_words() -> None:
    assert is_named("Tom Berg's cat", ["Tom Berg"])
    assert not is_named("Thomas Bergen", ["Tom Berg", "Berg", ""])


texts = st.text(max_size=60) | st.lists(
    st.sampled_from(
        [
            "I",
            "my",
            "live",
            "in",
            "Oslo",
            "Tom",
            "'s",
            "works",
            "at",
            "Acme",
            "not",
            "from",
            "left",
            "is",
            "boss",
            "Sarah",
        ]
    ),
    max_size=8,
).map(" ".join)


@given(text=texts, other=texts, subject=texts, type_=texts)
def test_any_text_will_do_and_one_statement_never_closes_what_it_tells(
    text: str, other: str, subject: str, type_: str
) -> None:
    for about in (MY_HOME, TOMS_JOB, MY_BOSS, edge(type_, TOM, SARAH, other)):
        said = told(text, subject)
        assert not closes(said, said, about)
        if expresses(said, about):
            assert not closes(told(other, subject), said, about)


@pytest.mark.parametrize(
    ("statement", "believed", "expected"),
    [
        ("I like green.", "I like blue.", Judgement.DIFFERENT),
        ("I love sushi", "I really like pizza.", Judgement.DIFFERENT),
        ("Tom Lie hates rain.", "Tom Lie dislikes snow.", Judgement.DIFFERENT),
        ("I hate blue.", "I like blue.", Judgement.CONTRADICTS),
        ("I hate green.", "I like blue.", Judgement.CONTRADICTS),
        ("I like green more than blue.", "I like blue.", Judgement.CONTRADICTS),
        ("I like green now.", "I like blue.", Judgement.CONTRADICTS),
        ("Tom likes green.", "Eve likes blue.", Judgement.CONTRADICTS),
        ("I live in Bergen.", "I live in Oslo.", Judgement.CONTRADICTS),
        ("I like blue.", "I like blue.", Judgement.CONTRADICTS),
    ],
)
def test_nobody_likes_one_thing_only(statement: str, believed: str, expected: Judgement) -> None:
    assert edge_match.judged(statement, believed, Judgement.CONTRADICTS) is expected
    assert edge_match.judged(statement, believed, Judgement.SAME) is Judgement.SAME


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("Tom Lie moved to Oslo.", "tom lie"), ("Eve Berg lives in Bergen.", "eve berg"), True),
        (("Tom hates tea.", "tom"), ("Eve likes tea.", "eve"), True),
        (("Tom hates tea.", "tom"), ("Tom Lie likes tea.", "tom lie"), False),
        (("Bob hates tea.", "bob"), ("Robert likes tea.", "robert"), False),
        (("Bob hates tea.", "bob"), ("Robert Lie likes tea.", "robert lie"), False),
        (("Tom moved in with Eve.", "tom"), ("Eve lives alone.", "eve"), False),
        (
            ("Tom Berg: we move Harbour Light to May.", "tom berg"),
            ("Harbour Light begins in April.", "harbour light"),
            False,
        ),
        (("Robert Lie hates tea.", "robert lie"), ("Bob likes tea.", "bob"), False),
        (("I hate tea.", "owner"), ("Eve likes tea.", "eve"), False),
        (("My sister hates tea.", "sister"), ("Eve likes tea.", "eve"), False),
        (("The budget is spent.", "budget"), ("Eve likes tea.", "eve"), False),
        (("She hates tea.", "maria"), ("Eve likes tea.", "eve"), False),
    ],
)
def test_what_is_told_of_two_people_by_name_is_of_others(
    one: tuple[str, str], other: tuple[str, str], expected: bool
) -> None:
    first, second = (Statement(text=text, subject=subject) for text, subject in (one, other))

    assert edge_match.of_others(first, second) is expected
    assert edge_match.of_others(second, first) is expected
