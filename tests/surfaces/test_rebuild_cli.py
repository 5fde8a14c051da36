"""`remanent rebuild` and `salvage`: what a person sees of it, and that nothing happens unasked."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from command_line import remanent


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "memory.db")
    assert remanent("init", "--memory", place, "--user", "ada", "--name", "Ada").code == 0
    remanent("remember", "I live in Oslo", "--memory", place)
    remanent("remember", "My sister Maria works at Northwind", "--memory", place)
    return place


def test_a_rebuild_says_what_differs_and_changes_nothing(path: str) -> None:
    done = remanent("rebuild", "--memory", path)

    assert done.code == 0
    assert "Nothing differs" in done.out
    assert "--switch" in done.out
    assert Path(f"{path}.rebuild").exists()
    thrown = remanent("rebuild", "--discard", "--memory", path)
    assert "Thrown away" in thrown.out
    assert not Path(f"{path}.rebuild").exists()
    assert "no rebuild" in remanent("rebuild", "--discard", "--memory", path).out


def test_a_dry_run_leaves_nothing(path: str) -> None:
    done = remanent("rebuild", "--dry-run", "--memory", path, "--json")

    assert done.json["same"] is True
    assert done.json["switched"] is False
    assert done.json["comparison"]["tallies"]["belief"]["same"] == 2
    assert list(Path(path).parent.glob("*rebuild*")) == []


def test_switching_at_once(path: str) -> None:
    done = remanent("rebuild", "--switch", "--memory", path, "--json")

    assert done.json["switched"] is True
    assert done.json["events"] >= 3
    assert "Oslo" in remanent("recall", "where do I live", "--memory", path).out
    again = remanent("rebuild", "--switch", "--memory", path)
    assert "Switched" in again.out


def test_what_cannot_be_meant_is_refused(path: str) -> None:
    both = remanent("rebuild", "--switch", "--discard", "--memory", path)
    assert both.code != 0
    assert "only one of" in both.err
    unknown = remanent("rebuild", "--embedder", "nothing", "--memory", path, "--json")
    assert unknown.code != 0
    assert unknown.error["type"] == "ConfigError"
    assert "builtin" in unknown.error["message"]


def test_salvage_makes_a_new_memory_of_a_damaged_one(path: str, tmp_path: Path) -> None:
    old, new = path, str(tmp_path / "new.db")
    connection = sqlite3.connect(old)
    pages = connection.execute("SELECT pageno FROM dbstat WHERE name = 'nodes'").fetchall()
    connection.close()
    with Path(old).open("r+b") as file:
        for (number,) in pages:
            file.seek((number - 1) * 4096)
            file.write(bytes(4096))
    assert remanent("doctor", "--memory", old).code == 1

    done = remanent("salvage", old, new, "--json")
    assert done.code == 0
    assert done.json["whole"] is True
    assert done.json["lost"] == []
    assert done.json["rederived"]["nodes"] > 0
    assert remanent("doctor", "--deep", "--memory", new).code == 0
    assert "Oslo" in remanent("recall", "where do I live", "--memory", new).out
    again = remanent("salvage", old, new)
    assert again.code == 1
    assert "not written over" in again.err
    other = remanent("salvage", old, str(tmp_path / "other.db"))
    assert "Nothing that is true was lost" in other.out
