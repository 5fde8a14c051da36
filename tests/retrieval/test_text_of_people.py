"""What search says of a person follows what is believed of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remanent import Memory, UserMemory
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    NoteDraft,
)
from remanent.core.model.node import Kind
from remanent.core.model.page import Outcome
from remanent.testing import ScriptedMind

MARIA = "Maria Berg"
OSLO, OFFICE = "Maria Berg lives in Oslo.", "Maria Berg works at the harbour office."
BERGEN = "Maria Berg lives in Bergen."


@pytest.fixture
def mind() -> ScriptedMind:
    points = ("one thing", "another thing", "a third thing")
    person = Candidate(kind=Kind.PERSON, name=MARIA, confidence=9, subpoints=points)
    notes = tuple(NoteDraft(anchor=MARIA, content=one) for one in (OSLO, OFFICE))

    def remembered(text: str) -> BeliefDraft:
        return BeliefDraft(statement=text, subject=MARIA)

    def judged(statement: str, believed: str) -> Judgement:
        clash = {statement, believed} == {OSLO, BERGEN}
        return Judgement.CONTRADICTS if clash else Judgement.DIFFERENT

    return ScriptedMind(
        candidates={MARIA: [person]},
        findings={MARIA: Findings(notes=notes)},
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
