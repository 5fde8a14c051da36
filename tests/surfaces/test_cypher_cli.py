"""`remanent cypher`: a table for people, JSON for programs, and errors in two lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import remanent


@pytest.fixture(autouse=True)
def _a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_MEMORY", str(tmp_path / "memory.db"))
    monkeypatch.setenv("COLUMNS", "100")
    assert remanent("init", "--user", "ada", "--name", "Ada Lindqvist").code == 0


def test_rows_are_a_table() -> None:
    done = remanent("cypher", "MATCH (p:Person) RETURN p.name AS who, p.is_owner, p, p.nothing")

    assert done.code == 0
    heading, row, count = done.out.rstrip().splitlines()
    assert heading.split() == ["who", "p.is_owner", "p", "p.nothing"]
    assert "Ada Lindqvist" in row
    assert "true" in row
    assert "(:Person Ada Lindqvist)" in row
    assert count == "1 row."


def test_no_rows_are_said_and_a_name_that_nothing_has_is_noticed() -> None:
    done = remanent("cypher", "MATCH (p:Persona) RETURN p")

    assert done.code == 0
    assert "No rows." in done.out
    assert "Persona" in done.err


def test_parameters_are_json_where_they_read_as_such() -> None:
    done = remanent("cypher", "RETURN $a, $b, $c", "-p", "a=1", "-p", "b=[1, 2]", "--param", "c=Ada L",
                    "--json")  # fmt: skip

    assert json.loads(done.out) == {
        "columns": ["$a", "$b", "$c"],
        "rows": [[1, [1, 2], "Ada L"]],
        "truncated": False,
        "notices": [],
    }


def test_more_rows_than_asked_for_are_said() -> None:
    done = remanent(
        "cypher", "UNWIND [1, 2, 3] AS x RETURN x", "--limit", "2", "--as-of", "2026-01-01"
    )

    assert "2 rows, and there are more." in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["MATCH (n) DELETE n"], 1, "DELETE is refused"),
        (["MATCH (n) RETURN"], 2, "line 1, column 17"),
        (["RETURN $x"], 2, "$x was not given"),
        (["RETURN 1", "--param", "x"], 2, "NAME=VALUE"),
        (["RETURN range(1, 1000000000)"], 1, "more than 1,000,000"),
    ],
)
def test_what_is_refused_says_why(arguments: list[str], code: int, words: str) -> None:
    done = remanent("cypher", *arguments)

    assert done.code == code
    assert words in done.err
    assert done.err.count("\n") == 2


def test_what_was_recorded_by_then() -> None:
    asked = ("cypher", "MATCH (p:Person) RETURN p.name", "--json")

    assert json.loads(remanent(*asked, "--known-at", "2020-01-01").out)["rows"] == []
    assert json.loads(remanent(*asked, "--known-at", "2999-01-01").out)["rows"] == [
        ["Ada Lindqvist"]
    ]
