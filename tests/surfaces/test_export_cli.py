"""Exporting a memory and taking one in, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import remanent


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REMANENT_MEMORY", str(tmp_path / "memory.db"))
    monkeypatch.chdir(tmp_path)
    assert remanent("init", "--user", "ada", "--name", "Ada Byron").code == 0
    assert remanent("add", "--text", "Zoë moved to Tromsø with Tom Vance.").code == 0
    return tmp_path


def test_a_memory_moves_and_is_the_same(here: Path) -> None:
    done = remanent("export", "a.jsonl.gz", "--json")
    assert done.code == 0
    assert done.json["users"] == ["ada"]
    assert done.json["counts"]["raw"] == 1

    dry = remanent("--memory", "there.db", "import-memory", "a.jsonl.gz", "--dry-run", "--json")
    assert (dry.code, dry.json["dry_run"], dry.json["already"]) == (0, True, False)
    assert not (here / "there.db").exists()

    back = remanent("--memory", "there.db", "import-memory", "a.jsonl.gz")
    assert back.code == 0
    assert f"{done.json['records']:,} records of ada came in" in back.out
    again = remanent("--memory", "there.db", "import-memory", "a.jsonl.gz")
    assert (again.code, "Nothing was done" in again.out) == (0, True)
    assert remanent("--memory", "there.db", "jobs", "list", "--json").json


def test_through_a_pipe_in_any_locale(here: Path) -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    run = [sys.executable, "-c", "from remanent.surfaces.cli import main; main()"]
    out = subprocess.run([*run, "export"], env=plain, capture_output=True, check=True).stdout

    assert out.count(b"\n") == out.decode("utf-8").count("\n")
    assert "Tromsø" in out.decode("utf-8")
    subprocess.run(
        [*run, "--memory", "there.db", "import-memory", "-"],
        env=plain,
        input=out,
        capture_output=True,
        check=True,
    )
    assert (here / "there.db").exists()


def test_all_users_at_once(here: Path) -> None:
    assert remanent("init", "--user", "bob", "--name", "Bob Hale").code == 0
    done = remanent("export", "--all", "all.jsonl", "--json")

    assert done.json["users"] == ["ada", "bob"]
    told = remanent("--memory", "there.db", "import-memory", "all.jsonl", "--json")
    assert told.json["users"] == ["ada", "bob"]


def test_without_answers_and_to_the_screen(here: Path) -> None:
    done = remanent("export", "--without-answers")
    first, *_, last = [json.loads(line) for line in done.out.splitlines()]

    assert (first["format"], first["answers"], last["record"]) == ("remanent", False, "end")


def test_what_cannot_be_done_is_said(here: Path) -> None:
    remanent("export", "a.jsonl")
    text = (here / "a.jsonl").read_text("utf-8")
    (here / "bad.jsonl").write_text(text.replace("Tom Vance", "Tom Vince", 1), "utf-8")

    assert remanent("export", "--json").code == 2
    gone = remanent("--memory", "there.db", "import-memory", "none.jsonl", "--json")
    assert (gone.code, "there is no file" in gone.error["message"]) == (2, True)
    bad = remanent("--memory", "there.db", "import-memory", "bad.jsonl", "--json")
    assert (bad.code, "altered" in bad.error["message"]) == (2, True)
    assert remanent("remember", "I keep a cat").code == 0
    known = remanent("import-memory", "a.jsonl", "--json")
    assert (known.code, "already" in known.error["message"]) == (2, True)


def test_a_refused_file_leaves_no_empty_memory_behind(tmp_path: Path) -> None:
    bad, place = tmp_path / "bad.jsonl", tmp_path / "new.db"
    bad.write_text("{}\n")
    assert remanent("import-memory", str(bad), "--memory", str(place)).code != 0
    assert list(tmp_path.iterdir()) == [bad]
