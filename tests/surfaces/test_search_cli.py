"""`remanent search` with its filters, pages and marks, and `remanent why-not`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent

TURNS = [
    {"speaker": "Tom Lie", "at": "2026-03-01T10:00", "text": "We drink tea in the garden."},
    {"speaker": "Ada", "at": "2026-03-08T10:00", "text": "Tea in the kitchen is better."},
]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a conversation, and a belief that changed between two notes."""
    folder = tmp_path_factory.mktemp("searched")
    path, talk = folder / "memory.db", folder / "talk.json"
    talk.write_text(json.dumps(TURNS), "utf-8")
    for arguments in (
        ("init", "--user", "ada", "--name", "Ada Lindqvist", "--timezone", "Europe/Oslo"),
        ("add", str(talk), "--title", "Tea"),
        ("add", "--text", "Maria lives in Oslo.", "--started-at", "2026-03-02"),
        ("add", "--text", "Maria lives in Bergen.", "--started-at", "2026-03-23"),
    ):
        done = remanent(*arguments, "--memory", str(path))
        assert done.code == 0, done.err
    return path


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def passages(path: Path, *arguments: str) -> list[str]:
    hits = ask(path, "search", *arguments, "--kind", "passage", "--json").json["hits"]
    return [hit["text"] for hit in hits]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (("--speaker", "tom"), ["We drink tea in the garden."]),
        (("--speaker", "me"), ["Tea in the kitchen is better."]),
        (("--not-speaker", "tom", "--type", "conversation"), ["Tea in the kitchen is better."]),
        (("--not-speaker", "me", "--type", "conversation"), ["We drink tea in the garden."]),
        (("--since", "2026-03-02", "--until", "2026-03-08", "--type", "conversation"),
         ["Tea in the kitchen is better."]),
        (("--as-of", "2026-03-01"), ["We drink tea in the garden."]),
        (("--known-at", "2026-03-31", "--state", "core"), []),
        (("--sensitivity", "high"), []),
    ],
)  # fmt: skip
def test_filters(lived: Path, filters: tuple[str, ...], found: list[str]) -> None:
    assert passages(lived, "tea", *filters) == found


def test_what_no_longer_holds_is_marked_and_stands_below(lived: Path) -> None:
    hits: list[dict[str, Any]] = ask(
        lived, "search", "Maria lives in Oslo", "--kind", "passage", "--limit", "2", "--json"
    ).json["hits"]

    assert [(hit["text"], hit["holds"]) for hit in hits] == [
        ("Maria lives in Bergen.", True),
        ("Maria lives in Oslo.", False),
    ]
    shown = ask(lived, "search", "Maria lives in Oslo", "--kind", "passage").out
    assert "no longer so since 2026-03-23" in shown


def test_pages_and_reasons(lived: Path) -> None:
    first = ask(lived, "search", "tea", "--limit", "1", "--json").json
    second = ask(lived, "search", "tea", "--limit", "1", "--after", first["next"], "--json").json

    assert first["hits"][0]["key"] != second["hits"][0]["key"]
    assert first["hits"][0]["cursor"] == first["next"]
    nothing = ask(lived, "search", "tea", "--speaker", "Zoe", "--json").json
    assert nothing["hits"] == []
    assert nothing["reason"].endswith(" by speaker")
    assert "by speaker" in ask(lived, "search", "x", "--speaker", "Zoe").out


def test_hits_explain_themselves(lived: Path) -> None:
    hit = ask(lived, "search", "garden tea", "--explain", "--no-touch", "--json").json["hits"][0]

    assert hit["explanation"]["rank"] == 1
    assert hit["explanation"]["parts"]
    assert "likeness of meaning" in ask(lived, "search", "garden tea", "--explain").out


def test_why_not(lived: Path) -> None:
    hit = ask(lived, "search", "garden tea", "--kind", "passage", "--json").json["hits"][0]
    filtered = ask(lived, "why-not", hit["key"], "garden tea", "--type", "email", "--json").json
    returned = ask(lived, "why-not", hit["key"], "garden tea", "--kind", "passage")

    assert filtered["explanation"]["reason"] == "it is filtered out by types"
    assert "Returned at rank 1" in returned.out
    assert ask(lived, "why-not", "feedface", "tea").code == 3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--type", "poem"), "types"),
        (("--state", "asleep"), "states"),
        (("--sensitivity", "secret"), "sensitivity"),
        (("--team", "red"), "team"),
        (("--anchor", "feedface"), "anchor"),
        (("--since", "2026-03-09", "--until", "2026-03-01"), "since"),
        (("--since", "yesterday"), "--since"),
        (("--after", "nonsense"), "after"),
    ],
)
def test_a_bad_filter_is_named(lived: Path, arguments: tuple[str, ...], named: str) -> None:
    done = ask(lived, "search", "tea", *arguments)

    assert done.code == 2
    assert named in done.err
