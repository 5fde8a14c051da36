"""`remanent import`: a file comes in, a report says what did and what did not."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent

from remanent.surfaces.operations import operation


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    remanent("init", "--user", "ada", "--memory", str(path))
    return path


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def talk(key: str, *texts: str) -> dict[str, Any]:
    messages = [
        {"uuid": f"{key}{n}", "sender": "human", "text": one} for n, one in enumerate(texts)
    ]
    return {"uuid": key, "name": f"About {key}", "chat_messages": messages}


def export(path: Path, *talks: Any) -> str:
    file = path.with_name("conversations.json")
    file.write_text(json.dumps(talks), "utf-8")
    return str(file)


def test_a_dry_run_an_import_and_the_same_again(path: Path) -> None:
    file = export(path, talk("boats", "My boat leaks."), 7)
    expected = {
        "added": 1,
        "grown": 0,
        "changed": 0,
        "known": 0,
        "skipped": [
            {"where": "conversations.json, conversation 2", "why": "is not a conversation"}
        ],
        "reasons": {"is not a conversation": 1},
        "worked": None,
        "learned": None,
    }
    dry = ask(path, "import", file, "--dry-run", "--json")

    assert dry.code == 0, dry.err
    assert dry.json == {"dry_run": True, **expected}
    assert ask(path, "status", "--json").json["status"]["counts"]["source"] == 0
    assert ask(path, "import", file, "--no-work", "--json").json == {"dry_run": False, **expected}
    again = ask(path, "import", file, "--no-work", "--json").json
    assert (again["added"], again["known"]) == (0, 1)


def test_what_was_learned_is_told_where_it_is_known(path: Path) -> None:
    words = "Met Sarah Chen at Acme. Sarah Chen lives in Oslo. Sarah Chen works at Acme."
    file = export(path, talk("lunch", words, "I live in Bergen."), 7, 8)
    at_once = ask(path, "import", file, "--json").json["learned"]

    assert (at_once["sources"], at_once["read"]) == (1, 1)
    assert at_once["beliefs"] >= 1
    export(path, talk("tea", "I am allergic to peanuts.", "I drink tea every morning."))
    assert ask(path, "import", file, "--no-work", "--json").json["learned"] is None
    later = ask(path, "work", "--json").json["learned"]
    assert later["belief"] >= 1
    assert "learned" not in ask(path, "work", "--json").json
    keys = [one["key"] for one in ask(path, "sources", "--json").json["sources"]]
    known = ask(path, "learned", *keys, "--json").json["learned"]
    assert known["sources"] == known["read"] == 2
    assert known["beliefs"] >= at_once["beliefs"] + later["belief"]
    assert "from 2 sources" in ask(path, "learned", *keys).out


def test_the_report_for_people(path: Path) -> None:
    file = export(path, talk("boats", "My boat leaks."), 7)
    dry = ask(path, "import", file, "--dry-run").out
    first = ask(path, "import", file, "--no-work").out
    export(path, talk("boats", "My boat leaks.", "Still."), talk("soup", "Dill."))
    grown = ask(path, "import", file, "--no-work").out

    assert "would come in" in dry
    assert "is not a conversation" in first
    assert "remanent work" in first
    assert [line.split()[:2] for line in grown.splitlines()[1:3]] == [
        ["1", "added"],
        ["1", "grown"],
    ]
    assert "Nothing to import" in ask(path, "import", export(path), "--as", "claude").out


def test_what_is_skipped_by_the_dozen_is_cut_short(path: Path) -> None:
    out = ask(path, "import", export(path, talk("a", "Hi"), *range(30)), "--no-work").out

    assert "and 10 more; --json lists all" in out


def test_an_import_is_read_and_understood_at_once(path: Path) -> None:
    file = export(path, talk("maria", "My sister Maria Chen lives in Bergen and works at Telenor."))
    done = ask(path, "import", file, "--json")

    assert done.code == 0, done.err
    assert done.json["worked"]["done"] == 3
    hits = ask(path, "search", "where does Maria live", "--kind", "passage", "--json").json["hits"]
    assert hits[0]["ref"] == "maria0"


@pytest.mark.parametrize(
    ("arguments", "field", "said"),
    [
        (["import", "nowhere.zip"], "path", "no file or folder"),
        (["import", "note.txt"], "path", "no format we know"),
        (["import", "note.txt", "--as", "poem"], "as", "poem"),
    ],
)
def test_what_cannot_be_imported(
    path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], field: str, said: str
) -> None:
    monkeypatch.chdir(path.parent)
    Path("note.txt").write_text("Just text.", "utf-8")
    done = ask(path, *arguments, "--json")

    assert done.code == 2
    assert done.error["field"] == field
    assert said in done.error["message"]
    assert "import --help" in done.error["hint"]


def test_a_mistyped_memory_is_not_made(tmp_path: Path) -> None:
    assert ask(tmp_path / "none.db", "import", ".").code == 3


def test_an_import_that_is_stopped_goes_on(path: Path) -> None:
    talks = [talk(str(number), f"Note {number}.") for number in range(120)]
    file = export(path, *talks)
    script = (
        "import os, threading; from itertools import count; from contextlib import contextmanager\n"
        "from remanent.surfaces.cli import render\n"
        "told = count(1)\n"
        "def tell(one):\n"
        "    os.write(2, b'.')\n"
        "    if next(told) == 40: threading.Event().wait()  # until it is stopped, however late\n"
        "@contextmanager\n"
        "def bar(self, doing, **_): yield tell\n"
        "render.Screen.bar = bar\n"
        "from remanent.surfaces.cli import main; main()"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", script, "import", file, "--no-work", "--memory", str(path)],
        stderr=subprocess.PIPE,
    )
    assert running.stderr is not None
    running.stderr.read(40)
    running.send_signal(signal.SIGINT)
    told = running.stderr.read()
    running.stderr.close()

    assert running.wait() == 130
    assert b"Traceback" not in told
    rest = ask(path, "import", file, "--no-work", "--json").json
    assert (rest["known"], rest["added"]) == (50, 70)  # what was told of, and what came with it


def test_the_formats_on_the_help_page_are_the_real_ones() -> None:
    from remanent.ingest.importers import FORMATS

    text = remanent("import", "--help").out
    for name in FORMATS:
        assert name in text
    assert set(operation("import_file").param("as_").type.values) == set(FORMATS)  # type: ignore[union-attr]
