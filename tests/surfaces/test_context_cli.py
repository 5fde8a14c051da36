"""`remanent context`, `need` and `abbreviations`: for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Done, remanent

from remanent import Memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
    return path


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def test_need_says_yes_or_no_and_why(path: Path) -> None:
    assert "Needs memory" in ask(path, "need", "What did I say about the boat?").out
    answer = ask(path, "need", "What's the capital of Norway?", "--json").json

    assert answer["need"]["needs_search"] is False
    assert answer["need"]["reasons"] == ["anybody could ask it"]
    followed = ask(path, "need", "why?", "--before", "What did I say?", "--before", "No.", "--json")
    assert followed.json["need"]["needs_search"] is True


def test_context_prints_text_for_a_prompt(path: Path) -> None:
    plain = ask(path, "context", "What did I say about the boat?")
    answer = ask(path, "context", "What did I say?", "--budget", "60", "--no-touch", "--json").json

    assert plain.out.startswith("## Owner\n- Ada Lindqvist (Europe/Oslo). Today is ")
    assert answer["context"]["tokens"] <= 60
    assert answer["context"]["lines"][0]["section"] == "owner"
    past = ask(path, "context", "What did I say?", "--as-of", "2020-01-02")
    assert "as of Thursday 2020-01-02" in past.out


def test_a_budget_that_is_too_small_is_explained(path: Path) -> None:
    done = ask(path, "context", "hi", "--budget", "10", "--json")

    assert done.code != 0
    assert "budget" in done.error["message"]


def test_abbreviations_are_listed_set_and_removed(path: Path) -> None:
    assert "No abbreviations" in ask(path, "abbreviations").out
    made = ask(path, "abbreviations", "set", "YC", "Y Combinator", "--json").json
    assert made == {"abbreviation": {"short": "YC", "long": "Y Combinator", "is_learned": False}}
    assert "Y Combinator" in ask(path, "abbreviations").out
    assert ask(path, "abbreviations", "remove", "yc", "--json").json["removed"] is True
    assert ask(path, "abbreviations", "remove", "yc", "--json").json["removed"] is False
    assert ask(path, "abbreviations", "--json").json == {"abbreviations": []}


def test_search_can_be_deep(path: Path) -> None:
    assert ask(path, "search", "boat", "--mode", "deep", "--json").json["hits"] == []
    assert ask(path, "search", "boat", "--mode", "wide").code != 0
