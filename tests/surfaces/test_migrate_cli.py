"""`remanent migrate`: what a person and a program see of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import remanent


@pytest.fixture
def path(tmp_path: Path) -> str:
    place = str(tmp_path / "memory.db")
    assert remanent("init", "--memory", place, "--user", "ada", "--name", "Ada").code == 0
    assert remanent("remember", "I live in Oslo", "--memory", place).code == 0
    return place


def test_a_memory_moves_and_says_what_to_do_now(path: str, tmp_path: Path) -> None:
    new = str(tmp_path / "new.db")
    done = remanent("migrate", "--to", new, "--memory", path)

    assert done.code == 0
    assert "the same at both ends" in done.out
    assert "REMANENT_MEMORY" in done.out
    assert "Oslo" in remanent("recall", "where do I live", "--memory", new).out
    refused = remanent("remember", "I live in Bergen", "--memory", path)
    assert refused.code == 1
    assert "has moved to" in refused.err
    assert new in refused.err.replace("\n", "")
    assert "who may write" not in refused.err  # nobody took a right away
    seen = remanent("doctor", "--offline", "--memory", path, "--json").json
    assert [one["told"] for one in seen["findings"] if "has moved to" in one["told"]]
    assert remanent("recall", "where do I live", "--memory", path).code == 0

    again = remanent("migrate", "--to", new, "--memory", path, "--json").json
    assert again["already"] is True
    assert again["records"] == sum(again["counts"].values()) > 0
    assert len(again["digest"]) == 64

    assert "written to again" in remanent("migrate", "--cancel", "--memory", path).out
    assert remanent("remember", "I live in Bergen", "--memory", path).code == 0
    assert remanent("migrate", "--cancel", "--memory", path, "--json").json == {"cancelled": False}


def test_what_cannot_be_meant_is_refused(path: str, tmp_path: Path) -> None:
    for words in ((), ("--to", str(tmp_path / "new.db"), "--cancel")):
        done = remanent("migrate", *words, "--memory", path)
        assert done.code == 2
        assert "--to PLACE" in done.err
    for place, why in (
        ("mysql://host/db", "mysql:// is not known: name a file, or a server by postgresql://"),
        (path, "is this memory itself"),
        (":memory:", "name a file"),
    ):
        done = remanent("migrate", "--to", place, "--memory", path, "--json")
        assert (done.code, done.error["type"]) == (2, "InvalidInput")
        assert why in done.error["message"]
    assert "postgresql://" in remanent("users", "--memory", "mysql://host/db").err
    taken = str(tmp_path / "taken.db")
    remanent("init", "--memory", taken, "--user", "eve", "--name", "Eve")
    done = remanent("migrate", "--to", taken, "--memory", path, "--json")
    assert done.code == 1
    assert done.error["type"] == "Conflict"
    assert "another memory" in done.error["message"]
    assert remanent("remember", "I live in Bergen", "--memory", path).code == 0
