from __future__ import annotations

import pytest
from offline_readings import anchor, conversation, notes, written

from remanent.core.model.anchor import Lifetime
from remanent.core.model.mind_types import RelationDraft
from remanent.core.model.node import Kind
from remanent.minds.offline import OfflineMind

MIND = OfflineMind()
ADA = anchor(Kind.PERSON, "Ada", owner=True)
MARIA = anchor(Kind.PERSON, "Maria")
TOM = anchor(Kind.PERSON, "Tom")
OSLO = anchor(Kind.ENTITY, "Oslo", type_="location")
BERGEN = anchor(Kind.ENTITY, "Bergen", type_="location")
ACME = anchor(Kind.ENTITY, "Acme", type_="organization")
INITECH = anchor(Kind.ENTITY, "Initech", type_="organization")
FALCON = anchor(Kind.ENTITY, "Project Falcon", type_="project")
JAZZ = anchor(Kind.CONCEPT, "jazz")
EXAM = anchor(Kind.CONCEPT, "exam")
ALL = (ADA, MARIA, TOM, OSLO, BERGEN, ACME, INITECH, FALCON, JAZZ, EXAM)


def related(text: str) -> list[RelationDraft]:
    return list(written(MIND, notes(text), ALL).relations)


@pytest.mark.parametrize(
    ("text", "src", "type_", "dst"),
    [
        ("I met my sister Maria today.", "Ada", "sister", "Maria"),
        ("Maria is my sister.", "Ada", "sister", "Maria"),
        ("Maria's brother Tom called.", "Maria", "brother", "Tom"),
        ("My husband Tom is away.", "Ada", "partner", "Tom"),
        ("Tom is a quiet man. He is my friend.", "Ada", "friend", "Tom"),
        ("Maria works at Acme.", "Maria", "employer", "Acme"),
        ("I work for Acme.", "Ada", "employer", "Acme"),
        ("I joined Acme last year.", "Ada", "employer", "Acme"),
        ("Maria lives in Oslo.", "Maria", "home", "Oslo"),
        ("Maria moved to Bergen.", "Maria", "home", "Bergen"),
        ("I work with Tom.", "Ada", "colleague", "Tom"),
        ("Maria leads Project Falcon.", "Project Falcon", "boss", "Maria"),
        ("Maria loves jazz.", "Maria", "likes", "jazz"),
        ("I don't like jazz.", "Ada", "dislikes", "jazz"),
        ("Tom is worried about the exam.", "Tom", "worries", "exam"),
        ("Acme acquired Initech.", "Initech", "part", "Acme"),
        ("Acme is based in Oslo.", "Acme", "location", "Oslo"),
    ],
)
def test_a_stated_relationship_is_found(text, src, type_, dst):
    assert (src, type_, dst) in [(r.src, r.relationship_type, r.dst) for r in related(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Does Maria live in Oslo?",
        "Maria wants to move to Bergen.",
        "I might join Acme.",
        "Maria and Tom were there.",
        "Maria, Tom and I saw Oslo on the map.",
    ],
)
def test_nothing_is_read_into_a_sentence(text):
    assert [
        r.relationship_type for r in related(text) if r.relationship_type in {"home", "employer"}
    ] == []


@pytest.mark.parametrize(
    "text", ["Maria lives in Oslo.", "Tom lives in Bergen.", "Maria moved to Bergen in May."]
)
def test_whoever_writes_where_somebody_lives_does_not_live_with_them(text):
    assert {r.relationship_type for r in related(text)} == {"home"}


def test_where_somebody_lived_is_over():
    homes = [r for r in related("Maria lived in Oslo as a child.") if r.relationship_type == "home"]
    assert all(r.ended for r in homes)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("I left Acme.", "employer"),
        ("I no longer work at Acme.", "employer"),
        ("I used to work at Acme.", "employer"),
        ("I stopped working at Acme.", "employer"),
    ],
)
def test_an_end_is_told_as_an_end(text, type_):
    [one] = related(text)
    assert (one.relationship_type, one.dst, one.ended, one.single) == (type_, "Acme", True, True)


def test_a_break_up_ends_the_partnership():
    [one] = related("I broke up with Tom.")
    assert (one.relationship_type, one.ended) == ("partner", True)


def test_a_move_leaves_one_home_and_takes_another():
    homes = {r.dst: r.ended for r in related("Maria moved from Oslo to Bergen.")}
    assert homes == {"Oslo": True, "Bergen": False}


def test_closeness_and_attitude_follow_the_words():
    [sister] = related("My sister Maria called.")
    [love] = related("Maria loves jazz.")
    [hate] = related("Maria hates jazz.")
    assert sister.proximity == 5
    assert love.attitude >= 4
    assert hate.attitude == 1
    assert not sister.single


def test_another_speakers_my_is_theirs():
    reading = conversation("Tom: My sister Maria lives in Oslo. I work at Acme.")
    found = {(r.src, r.relationship_type, r.dst) for r in written(MIND, reading, ALL).relations}
    assert found == {
        ("Tom", "sister", "Maria"),
        ("Maria", "home", "Oslo"),
        ("Tom", "employer", "Acme"),
    }


def test_notes_read_alone_and_say_who_spoke():
    reading = conversation("Ada: I met Maria. She moved to Bergen.\nTom: I live in Oslo.")
    contents = [(n.anchor, n.content) for n in written(MIND, reading, (MARIA, TOM)).notes]
    assert contents == [
        ("Maria", "Ada: I met Maria."),
        ("Maria", "Ada: Maria moved to Bergen."),
        ("Tom", "Tom: I live in Oslo."),
    ]


def test_questions_and_programs_leave_no_notes():
    reading = conversation(
        "Ada: Where is Maria now?\nAssistant: Maria lives in Oslo.\nAda: Thanks, Maria!"
    )
    assert written(MIND, reading, ALL).notes == ()


@pytest.mark.parametrize(
    ("text", "lifetime"),
    [
        ("Maria is coming tomorrow.", Lifetime.WEEK),
        ("Maria was born in 1985.", Lifetime.FOREVER),
        ("Maria is allergic to nuts.", Lifetime.FOREVER),
        ("Maria works at Acme.", Lifetime.YEAR),
        ("Maria bought a cello.", Lifetime.MONTH),
    ],
)
def test_a_note_lives_as_long_as_what_it_tells(text, lifetime):
    [note] = written(MIND, notes(text), (MARIA,)).notes
    assert note.lifetime is lifetime


def test_only_given_anchors_are_used():
    findings = written(MIND, notes("Maria lives in Oslo and works at Acme."), (MARIA,))
    assert {note.anchor for note in findings.notes} == {"Maria"}
    assert findings.relations == ()
