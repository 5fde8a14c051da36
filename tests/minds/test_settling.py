"""What a source says is settled by the rules first: a model is asked about contradictions alone."""

from __future__ import annotations

import pytest
from scripted_model import Script, an_unbound_mind

from remanent.core.model.mind_types import SETTLING, Judgement, OnBehalf
from remanent.minds.llm.tasks import judge


def said(data: str) -> dict[str, object]:
    """The right verdicts: what is the statement itself is the same, all else is different."""
    lines = [line for line in data.splitlines() if line.startswith("[")]
    new = next(line for line in data.splitlines() if line.startswith("new: "))[5:]
    return {
        "verdicts": [
            {"number": n, "verdict": "same" if line.endswith(f"] {new}") else "different"}
            for n, line in enumerate(lines, 1)
        ]
    }


@pytest.mark.parametrize(
    ("job", "believed", "asked"),
    [
        (SETTLING, "Tom Vance keeps nine bees", 0),
        (SETTLING, "I live in Oslo", 1),
        ("believe", "Tom Vance keeps nine bees", 1),
        ("upkeep", "I live in Oslo", 1),
    ],
)
def test_who_is_asked(job: str, believed: str, asked: int) -> None:
    script = Script(judge=said)
    mind = an_unbound_mind(script).on(OnBehalf(user_id="ada", job=job))
    found = mind.judge("I live in Bergen", [believed])
    assert script.count("judge") == asked
    assert found == [Judgement.DIFFERENT]


def test_a_question_is_put_as_before() -> None:
    assert "Oslo" in judge("I live in Bergen", ["I live in Oslo"]).data
