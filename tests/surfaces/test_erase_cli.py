"""`remanent erase`: what a person sees of it, and what they have to say."""

from __future__ import annotations

import json
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


def test_it_is_shown_agreed_to_and_certified(path: str, key: str, tmp_path: Path) -> None:
    dry = remanent("erase", key, "--dry-run", "--memory", path)
    assert "To be erased" in dry.out
    assert "Nothing was erased" in dry.out
    assert "passage" in dry.out
    refused = remanent("erase", key, "--memory", path)
    assert refused.code != 0
    assert remanent("show", key, "--memory", path).code == 0
    paper = tmp_path / "paper.json"
    done = remanent("erase", key[:8], "--yes", "--certificate", str(paper), "--memory", path)
    assert done.code == 0
    assert "Erased" in done.out
    assert "found 0" in done.out
    assert remanent("show", key, "--memory", path).code != 0
    assert b"Northwind" not in Path(path).read_bytes()
    assert "signed" in remanent("verify-erasure", str(paper), "--memory", path).out
    told = json.loads(paper.read_text(encoding="utf-8"))
    paper.write_text(json.dumps({**told, "by": "bob"}), encoding="utf-8")
    forged = remanent("verify-erasure", str(paper), "--memory", path, "--json")
    assert forged.code == 1
    assert forged.json == {"genuine": False}


def test_as_json(path: str, key: str) -> None:
    asked = remanent("erase", key, "--memory", path, "--json")
    assert asked.code != 0
    assert asked.error["type"] == "InvalidInput"
    done = remanent("erase", key, "--yes", "--memory", path, "--json").json
    assert done["kind"] == "source"
    assert done["signature"]
    assert "chess" not in str(done)
    unknown = remanent("erase", "no-such-thing", "--yes", "--memory", path, "--json")
    assert unknown.error["type"] == "UnknownKey"


def test_a_user_and_all(path: str, key: str) -> None:
    neither = remanent("erase", "--memory", path, "--json")
    assert neither.error["type"] == "InvalidInput"
    done = remanent("erase", "--user-and-all", "ada", "--yes", "--memory", path, "--json").json
    assert done["kind"] == "user"
    assert b"Northwind" not in Path(path).read_bytes()
    assert key.encode() not in Path(path).read_bytes()
