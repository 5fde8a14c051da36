"""What somebody tries who comes from another memory: limits, names instead of keys, verbs under other names."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Done, remanent

from remanent.clock import SteppedClock
from remanent.core.model.mind_types import Candidate, Findings, Judgement, RelationDraft
from remanent.core.model.node import Kind
from remanent.memory import Memory
from remanent.testing import ScriptedMind
from remanent_conformance.builders import MOMENT


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A note that ties somebody to a company, and three beliefs."""
    path = tmp_path_factory.mktemp("first") / "memory.db"
    works = RelationDraft(
        src="Maria Berg", dst="Acme", relationship_type="works-at", description="She works there."
    )
    mind = ScriptedMind(
        candidates={"Acme": [_found(Kind.PERSON, "Maria Berg"), _found(Kind.ENTITY, "Acme")]},
        findings={"Acme": Findings(relations=(works,))},
    )
    with Memory.open(path, clock=SteppedClock(MOMENT), mind=mind) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        ada.add("Maria Berg works at Acme.")
        for statement in ("I play the cello.", "I live in Oslo.", "I am allergic to peanuts."):
            ada.remember(statement)
        memory.work()
    return path


def _found(kind: Kind, name: str) -> Candidate:
    said = ("one thing", "another thing", "a third thing")
    return Candidate(kind=kind, name=name, confidence=9.0, subpoints=said)


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


@pytest.mark.parametrize("command", [["anchors"], ["beliefs"], ["beliefs", "list"]])
def test_lists_take_a_limit(lived: Path, command: list[str]) -> None:
    (name,) = {"anchors", "beliefs"} & set(command)
    every = ask(lived, *command, "--json").json[name]
    two = ask(lived, *command, "-n", "2", "--json")

    assert len(every) > 2, every
    assert two.json[name] == every[:2]
    assert ask(lived, *command, "--limit", "0").code == 2


def test_relationships_take_a_name(lived: Path) -> None:
    names = {one["name"]: one["key"] for one in ask(lived, "anchors", "--json").json["anchors"]}
    by_key = ask(lived, "relationships", names["Maria Berg"], "--json").json
    by_name = ask(lived, "relationships", "maria berg", "acme", "--json").json

    assert by_key["relationships"]
    assert by_name == by_key
    assert ask(lived, "relationships", "nobody at all").code == 3


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("forget", ["remanent beliefs forget"]),
        ("why", ["remanent beliefs show"]),
        ("list", ["remanent sources", "remanent beliefs"]),
        ("delete", ["remanent erase", "remanent beliefs forget"]),
    ],
)
def test_a_verb_under_another_name_is_pointed_at(typed: str, meant: list[str]) -> None:
    done = remanent(typed, "x", "--json")

    assert done.code == 2
    for one in meant:
        assert f"`{one}`" in done.error["message"]
    assert "forgettable" not in done.err
    assert "why-not" not in done.err


def test_what_is_only_misspelt_is_still_suggested() -> None:
    assert "'search'" in remanent("serach", "--json").error["message"]


@pytest.mark.parametrize("command", [["status"], ["search", "tea"], ["remember", "I row."]])
def test_an_empty_file_is_no_memory_until_it_is_made_one(
    tmp_path: Path, command: list[str]
) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    done = ask(path, *command)

    assert done.code == 3, done.out
    assert "remanent init" in done.err
    assert [(one.name, one.stat().st_size) for one in tmp_path.iterdir()] == [("memory.db", 0)]
    assert ask(path, "init", "--user", "ada").code == 0
    assert ask(path, "status").code == 0


def test_whoever_joins_a_memory_is_told_to_say_who_they_are(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first = remanent("init", "--user", "ada", "--memory", str(path)).out
    second = remanent("init", "--user", "김 민준", "--memory", str(path)).out

    assert "--user" not in first
    shown = "".join(second.split())  # a long path is broken where the line ends
    assert f"--memory{path}--user'김민준'remember" in shown


def test_a_belief_that_only_lost_ground_was_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    against = {("Tom hates tea.", "Tom likes tea."): Judgement.CONTRADICTS}
    with Memory.open(path, mind=ScriptedMind(judgements=against)) as memory:
        ada = memory.user("ada", name="Ada")
        held = [ada.remember("Tom likes tea.") for _ in range(3)][-1].belief
        ada.remember("Tom hates tea.")
    shown = ask(path, "show", held.key).out

    assert "weakened by Tom hates tea." in shown
    assert "replaced by" not in shown
