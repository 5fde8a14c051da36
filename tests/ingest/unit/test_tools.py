"""What an agent may write about one source, and what it may not."""

from dataclasses import replace

import pytest

from remanent.core.model.anchor import Lifetime
from remanent.core.model.mind_types import RelationDraft
from remanent.core.model.node import Kind
from remanent.errors import InvalidInput
from remanent.ingest.extract import MOST_WRITES, Toolbox
from remanent_conformance.builders import a_concept, a_person, an_entity

pytestmark = pytest.mark.quick


def relation(src: str, dst: str, word: str, says: str) -> RelationDraft:
    return RelationDraft(src=src, dst=dst, relationship_type=word, description=says)


MARIA, OSLO, TEA = a_person("Maria"), an_entity("Oslo"), a_concept("tea")


@pytest.fixture
def box() -> Toolbox:
    return Toolbox((MARIA, OSLO, TEA))


def test_notes_go_to_their_kind(box: Toolbox) -> None:
    box.add_note(Kind.PERSON, "Maria", " is away ", Lifetime.WEEK)
    box.add_note(Kind.ENTITY, "Oslo", "is far", Lifetime.MONTH)
    box.add_note(Kind.CONCEPT, "tea", "is green", Lifetime.YEAR)

    assert [(one.anchor, one.content) for one in box.findings.notes] == [
        ("Maria", "is away"),
        ("Oslo", "is far"),
        ("tea", "is green"),
    ]


def test_what_is_said_twice_is_said_once(box: Toolbox) -> None:
    for _ in range(2):
        box.add_note(Kind.PERSON, "Maria", "is away", Lifetime.WEEK)
        box.create_relationship(relation("Maria", "Oslo", "home", "lives there"))

    assert len(box.findings.notes) == len(box.findings.relations) == 1


def test_nobody_else_can_be_named(box: Toolbox) -> None:
    for call in (
        lambda: box.add_note(Kind.PERSON, "Oslo", "x", Lifetime.WEEK),
        lambda: box.add_note(Kind.PERSON, "Eve", "x", Lifetime.WEEK),
        lambda: box.create_relationship(relation("Maria", "Eve", "friend", "x")),
        lambda: box.create_relationship(relation("Eve", "Maria", "friend", "x")),
    ):
        with pytest.raises(InvalidInput, match="not one of"):
            call()
    assert box.findings.notes == box.findings.relations == ()


def test_values_are_kept_in_bounds(box: Toolbox) -> None:
    odd = relation("Maria", "Oslo", "Lives In", "x")
    box.create_relationship(replace(odd, attitude=9, proximity=-2, confidence=7))
    (one,) = box.findings.relations

    assert (one.relationship_type, one.attitude, one.proximity, one.confidence) == (
        "lives_in",
        5,
        1,
        1.0,
    )
    for content in ("", "  ", "a\x00", "x" * 3000):
        with pytest.raises(InvalidInput, match="content"):
            box.add_note(Kind.PERSON, "Maria", content, Lifetime.WEEK)


def test_more_can_be_said_of_a_relationship(box: Toolbox) -> None:
    box.create_relationship(relation("Maria", "Oslo", "home", "lives there"))
    box.add_note_to_relationship("Maria", "Oslo", "home", "since March")

    assert [one.description for one in box.findings.relations] == ["lives there", "since March"]
    with pytest.raises(InvalidInput, match="was created"):
        box.add_note_to_relationship("Maria", "tea", "likes", "x")


def test_an_agent_that_runs_wild_is_stopped(box: Toolbox) -> None:
    for number in range(MOST_WRITES):
        box.add_note(Kind.PERSON, "Maria", f"note {number}", Lifetime.WEEK)

    with pytest.raises(InvalidInput, match="may write"):
        box.create_relationship(relation("Maria", "Oslo", "home", "x"))
