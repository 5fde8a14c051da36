"""`remanent undo` and `redo`: what a person sees of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import remanent

TEXT = "I met Maria Berg in Oslo. Maria Berg works at Northwind. Maria Berg likes chess."


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "memory.db")
    assert remanent("init", "--memory", place, "--user", "ada", "--name", "Ada").code == 0
    return place


@pytest.fixture
def key(path: str) -> str:
    added = remanent("add", "--text", TEXT, "--memory", path, "--json").json["key"]
    remanent("work", "--memory", path)
    return str(added)


def test_a_source_is_undone_and_read_again(path: str, key: str) -> None:
    before = remanent("show", key, "--memory", path)
    assert "read by" in before.out
    assert "Noted from it" in before.out
    dry = remanent("undo", key, "--dry-run", "--memory", path)
    assert "Nothing was written" in dry.out
    done = remanent("undo", key[:8], "--memory", path)
    assert done.code == 0
    assert "Undone" in done.out
    assert "Maria Berg" in done.out
    assert "undone" in remanent("show", key, "--memory", path).out
    assert "Undone before" in remanent("undo", key, "--memory", path).out
    assert "Read again" in remanent("redo", key, "--memory", path).out
    assert "read by" in remanent("show", key, "--memory", path).out


def test_as_json(path: str, key: str) -> None:
    done = remanent("undo", key, "--memory", path, "--json").json
    assert done["source_key"] == key
    assert done["mentions"] >= 1
    assert done["was_undone"] is False
    unknown = remanent("undo", "no-such-source", "--memory", path, "--json")
    assert unknown.code != 0
    assert unknown.error["type"] == "UnknownKey"
