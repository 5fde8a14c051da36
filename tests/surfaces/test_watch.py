"""`remanent watch`: files come in as they are written, changed and taken away, and nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import remanent

from remanent import Memory


@pytest.fixture
def memory(tmp_path: Path) -> str:
    path = str(tmp_path / "memory.db")
    remanent("init", "--user", "ada", "--memory", path)
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("I live in Oslo.", "utf-8")
    (folder / "two.md").write_text("I am allergic to peanuts.", "utf-8")
    return folder


def look(memory: str, folder: Path, *more: str) -> list[tuple[str, str]]:
    done = remanent("watch", str(folder), "--once", "--json", *more, "--memory", memory)
    assert done.code == 0, done.err
    records = [json.loads(line) for line in done.out.splitlines()]
    return [(one["change"], one["file"]) for one in records]


def sources(memory: str) -> list[Any]:
    with Memory.open(memory) as opened:
        return opened.user("ada").sources(100)


def test_new_changed_and_removed_files_are_noticed_once(memory: str, notes: Path) -> None:
    assert look(memory, notes) == [("added", "one.md"), ("added", "two.md")]
    with Memory.open(memory) as opened:
        events = opened.user("ada").status().events
        held = [one.statement for one in opened.user("ada").beliefs()]
    assert "I live in Oslo." in held
    assert look(memory, notes) == []
    with Memory.open(memory) as opened:
        assert opened.user("ada").status().events == events
    (notes / "one.md").write_text("I live in Bergen now.", "utf-8")
    (notes / "two.md").unlink()
    (notes / "deep").mkdir()
    (notes / "deep" / "three.md").write_text("I play the guitar.", "utf-8")
    (notes / "photo.png").write_bytes(b"\x89PNG")
    changes = [("added", "deep/three.md"), ("changed", "one.md"), ("removed", "two.md")]
    assert sorted(look(memory, notes)) == changes
    assert look(memory, notes) == []
    assert len(sources(memory)) == 4


def test_what_was_imported_before_is_known_and_a_touch_is_no_news(memory: str, notes: Path) -> None:
    remanent("import", str(notes), "--no-work", "--memory", memory)
    assert look(memory, notes, "--no-work") == []
    os.utime(notes / "one.md", (1_700_000_000, 1_700_000_000))
    assert look(memory, notes, "--no-work") == []
    assert len(sources(memory)) == 2


def test_what_is_gone_is_forgotten_where_that_is_asked_and_comes_back(
    memory: str, notes: Path
) -> None:
    look(memory, notes)
    (notes / "two.md").unlink()
    assert look(memory, notes, "--forget-removed") == [("forgotten", "two.md")]
    assert look(memory, notes, "--forget-removed") == []
    with Memory.open(memory) as opened:
        ada = opened.user("ada")
        assert [one.statement for one in ada.beliefs()] == ["I live in Oslo."]
        assert len(ada.sources(10)) == 1
    (notes / "two.md").write_text("I am allergic to peanuts.", "utf-8")
    assert look(memory, notes) == [("back", "two.md")]
    with Memory.open(memory) as opened:
        assert len(opened.user("ada").beliefs()) == 2


def test_what_cannot_be_read_is_told_once(memory: str, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    assert look(memory, folder) == []
    (folder / "empty.md").write_text("", "utf-8")
    assert look(memory, folder) == [("skipped", "empty.md")]
    assert look(memory, folder) == []
    gone = remanent("watch", str(tmp_path / "nowhere"), "--once", "--memory", memory)
    assert gone.code != 0
    assert "there is no folder" in gone.err


@contextmanager
def watching(memory: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    script = "from remanent.surfaces.cli import main; main()"
    environ = {name: value for name, value in os.environ.items() if "REMANENT" not in name}
    arguments = ["watch", str(folder), "--interval", "0.1", "--json", "--no-work"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments, "--memory", memory],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def told(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    record = json.loads(process.stdout.readline())
    return record["change"], record["file"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_goes_on_until_it_is_told_to_stop(memory: str, notes: Path, number: int) -> None:
    with watching(memory, notes) as process:
        assert [told(process), told(process)] == [("added", "one.md"), ("added", "two.md")]
        (notes / "three.md").write_text("I play the guitar.", "utf-8")
        assert told(process) == ("added", "three.md")
        process.send_signal(number)
        assert process.wait(30) in (0, 130)


@pytest.mark.slow
def test_killed_in_the_middle_it_loses_nothing_and_takes_nothing_twice(
    memory: str, notes: Path
) -> None:
    for place in range(40):
        (notes / f"n{place:02}.md").write_text(f"Note {place} is about the harbour.", "utf-8")
    with watching(memory, notes) as process:
        told(process)
        process.kill()
        process.wait(30)
    look(memory, notes, "--no-work")
    assert look(memory, notes, "--no-work") == []
    titles = [one.title for one in sources(memory)]
    assert len(titles) == len(set(titles)) == 42
