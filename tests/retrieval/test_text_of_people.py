"""What search says of a person follows what is believed of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    NoteDraft,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.core.model.page import Outcome
from remanent.testing import ScriptedMind

MARIA = "Maria Berg"
OSLO, OFFICE = "Maria Berg lives in Oslo.", "Maria Berg works at the harbour office."
BERGEN, FJORD = "Maria Berg lives in Bergen.", "Oslo lies by a fjord."


@pytest.fixture
def mind() -> ScriptedMind:
    points = ("one thing", "another thing", "a third thing")
    person = Candidate(kind=Kind.PERSON, name=MARIA, confidence=9, subpoints=points)
    town = Candidate(kind=Kind.ENTITY, name="Oslo", type="location", confidence=9, subpoints=points)
    notes = tuple(NoteDraft(anchor=MARIA, content=one) for one in (OSLO, OFFICE))
    notes += tuple(NoteDraft(anchor="Oslo", content=one) for one in (OSLO, FJORD))
    home = RelationDraft(
        src=MARIA, dst="Oslo", relationship_type="home", description=OSLO, single=True
    )

    def remembered(text: str) -> BeliefDraft:
        return BeliefDraft(statement=text, subject=MARIA)

    def judged(statement: str, believed: str) -> Judgement:
        clash = {statement, believed} == {OSLO, BERGEN}
        return Judgement.CONTRADICTS if clash else Judgement.DIFFERENT

    return ScriptedMind(
        candidates={MARIA: [person, town]},
        findings={MARIA: Findings(notes=notes, relations=(home,))},
        drafts={OSLO: [BeliefDraft(statement=OSLO, subject=MARIA)]},
        remembered=remembered,
        judgements=judged,
    )


def text_of(hits: Sequence[object]) -> str:
    return next(str(one.text) for one in hits if one.kind is Kind.PERSON)  # type: ignore[attr-defined]


def test_after_a_move_it_does_not_name_the_old_home(memory: Memory, ada: UserMemory) -> None:
    ada.add(f"{OSLO} {OFFICE}")
    memory.work()
    assert text_of(ada.search(MARIA)) == f"{MARIA}: {OSLO} {OFFICE}"
    before = ada.status().now
    assert ada.remember(BERGEN).outcome is Outcome.INVALIDATED
    assert text_of(ada.search(MARIA)) == f"{MARIA}: {OFFICE} {BERGEN}"
    assert OSLO in text_of(ada.search(MARIA, as_of=before))


def test_after_a_move_neither_the_old_home_nor_the_edge_to_it_says_so(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    ada.add(f"{OSLO} {OFFICE}")
    memory.work()
    before = ada.status().now
    clock.advance(timedelta(days=3))
    moved = ada.remember(BERGEN).belief
    hits = ada.search("Where does Maria Berg live?", limit=50)
    edge = next(one for one in hits if one.kind is Kind.RELATIONSHIP)
    assert (edge.holds, edge.superseded_by) == (False, moved.key)
    assert [one.key for one in hits].index(moved.key) < hits.index(edge)
    town = next(one for one in hits if one.kind is Kind.ENTITY)
    assert town.text == f"Oslo: {FJORD}"
    then = ada.search("Where does Maria Berg live?", limit=50, as_of=before)
    assert OSLO in next(one.text for one in then if one.kind is Kind.ENTITY)
