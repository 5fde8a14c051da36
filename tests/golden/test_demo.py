"""The demo: the life it ships is sound, and the memory tells the fact that changed both ways."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from command_line import remanent
from golden_faces import FILES, GOLDEN
from rich.console import Console

from remanent.core.checks import IntakeRules
from remanent.ingest.rules.request import TYPES, AddRequest, checked

# The life is lived twice here, as golden file and as it is shown.
pytestmark = pytest.mark.usefixtures("encoded_once")

FOLDER = Path(__file__).parents[2] / "examples" / "demo"


def _demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("remanent_demo", FOLDER / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


demo = _demo()


def test_the_days_follow_one_another() -> None:
    moments = [entry.at for entry in demo.load().days]

    assert moments == sorted(moments)
    assert (moments[-1] - moments[0]).days >= 28
    assert all(one.tzinfo is not None for one in moments)


def test_every_file_is_told_once() -> None:
    told = [entry.file for entry in demo.load().days if entry.file]
    there = {path.name for path in (FOLDER / "life").iterdir()} - {"life.json"}

    assert len(told) == len(set(told))
    assert set(told) == there
    assert len(told) >= 14


def test_there_is_one_of_everything() -> None:
    kinds = {entry.type for entry in demo.load().days if entry.file}

    assert kinds >= {"conversation", "meeting", "email", "slack-thread", "text-note"}
    assert kinds <= set(TYPES)


@pytest.mark.parametrize(
    "entry", [one for one in demo.load().days if one.file], ids=lambda one: str(one.file)
)
def test_every_source_can_be_taken_in_when_its_time_comes(entry: object) -> None:
    request = AddRequest(
        content=entry.content(),  # type: ignore[attr-defined]
        type=entry.type,  # type: ignore[attr-defined]
        context=entry.context,  # type: ignore[attr-defined]
        participants=entry.participants,  # type: ignore[attr-defined]
        title=entry.title,  # type: ignore[attr-defined]
    )
    draft = checked(request, user_id="ada", now=entry.at, rules=IntakeRules())  # type: ignore[attr-defined]

    assert draft.title


def test_turns_have_ids_of_their_own_and_are_said_in_order() -> None:
    seen: set[str] = set()
    for path in sorted((FOLDER / "life").glob("[0-9]*.json")):
        told = json.loads(path.read_text("utf-8"))
        turns = told if isinstance(told, list) else told["messages"]
        ids = [turn["id"] for turn in turns]
        said = [datetime.fromisoformat(turn.get("at") or turn["date"]) for turn in turns]
        assert said == sorted(said), path
        assert len(set(ids) - seen) == len(ids), path
        seen |= set(ids)


@pytest.mark.slow
def test_the_life_of_the_demo_is_what_it_was() -> None:
    kept, scores = _apart(json.loads((FILES / "demo.json").read_text("utf-8")))

    lived, given = _apart(json.loads(GOLDEN["demo.json"]()))

    assert lived == kept
    assert given == [pytest.approx(one, abs=1e-4) for one in scores]


def _apart(life: dict[str, Any]) -> tuple[dict[str, Any], list[list[float]]]:
    """All that a life holds and answers, and apart from it the scores, which the real embedder gives and
    processors round."""
    return life, [answer.pop("scores") for answer in life["answers"].values()]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The demo, run once in a memory that is kept, and all that it printed."""
    path = tmp_path_factory.mktemp("demo") / "ada.db"
    paper = io.StringIO()
    demo.run(path, Console(file=paper, width=80, highlight=False))
    return path, paper.getvalue()


@pytest.mark.slow
def test_the_fact_that_changed_is_told_both_ways(shown: tuple[Path, str]) -> None:
    path, _ = shown
    now = remanent("beliefs", "--memory", str(path)).out
    then = remanent("beliefs", "--memory", str(path), "--as-of", "2026-03-10").out

    assert "Maria lives in Bergen" in now
    assert "Maria lives in Oslo" not in now
    assert "Maria lives in Oslo" in then
    assert "Maria lives in Bergen" not in then


@pytest.mark.slow
def test_a_mere_answer_is_no_belief(shown: tuple[Path, str]) -> None:
    held = remanent("beliefs", "--limit", "500", "--memory", str(shown[0])).out
    assert "I drink green tea" in held
    assert "Much better" not in held


@pytest.mark.slow
def test_what_it_prints(shown: tuple[Path, str]) -> None:
    _, text = shown

    assert "\x1b[" not in text
    assert max(map(len, text.splitlines())) <= 80
    for part in ("What it knows", "Believed on Tue 10 Mar", "Believed now", "Three questions"):
        assert part in text
    for name in ("Maria", "Tom Berg", "Harbour Light"):
        assert name in text
    for question in demo.load().questions:
        assert question in text


@pytest.mark.slow
def test_answers_come_with_their_sources(shown: tuple[Path, str]) -> None:
    _, text = shown
    where, when, why = (
        text.partition(question)[2].partition("\n\n")[0] for question in demo.load().questions
    )

    assert "Bergen" in where
    assert "First call from Bergen" in where
    assert "19 March" in when
    assert "Your appointment has a new time" in when
    assert "Without the feed we have nothing to show" in why
    assert "Harbour Light weekly" in why


def test_a_file_that_is_there_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.db"
    kept.write_text("mine", "utf-8")

    assert demo.main(["--keep", str(kept)]) == 2
    assert kept.read_text("utf-8") == "mine"
    assert "there already" in capsys.readouterr().out
