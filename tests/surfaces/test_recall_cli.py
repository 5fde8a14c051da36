"""`remanent recall --explain` tells why each belief came to mind."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import remanent

NAMES = ["cosine", "importance", "recency", "stability", "subject"]


@pytest.fixture
def place(tmp_path: Path) -> str:
    path = str(tmp_path / "memory.db")
    assert remanent("init", "--memory", path, "--user", "ada", "--name", "Ada").code == 0
    assert remanent("remember", "I like green tea.", "--memory", path, "--user", "ada").code == 0
    return path


def test_in_words_and_as_json(place: str) -> None:
    asked = ("recall", "what do I like?", "--explain", "--memory", place, "--user", "ada")

    shown, told = remanent(*asked), remanent(*asked, "--json").json

    (one,) = told["recollections"]
    assert [part["name"] for part in one["parts"]] == NAMES
    assert sum(part["points"] for part in one["parts"]) == pytest.approx(one["score"])
    assert all(name in shown.out for name in NAMES)
    assert "the query names owner" in shown.out


def test_only_when_asked_and_without_a_trace_when_told_so(place: str) -> None:
    asked = ("recall", "green tea", "--no-touch", "--json", "--memory", place, "--user", "ada")

    first, second = remanent(*asked).json, remanent(*asked).json

    assert first["recollections"][0]["parts"] == []
    assert first["recollections"][0]["belief"]["life"]["access_count"] == 0
    assert second["recollections"][0]["belief"]["life"]["access_count"] == 0


def test_of_the_past_and_without_a_trace(place: str) -> None:
    """It was told today: true in times to come, and not known in times gone by."""
    asked = ("recall", "green tea", "--json", "--memory", place, "--user", "ada")

    for when in (("--as-of", "2999-01-01"), ("--known-at", "2999-01-01")):
        (one,) = remanent(*asked, *when).json["recollections"]
        assert one["belief"]["life"]["access_count"] == 0
    for when in (("--as-of", "2020-01-01"), ("--known-at", "2020-01-01")):
        assert remanent(*asked, *when).json["recollections"] == []
    assert remanent(*asked, "--known-at", "never").error["field"] == "--known-at"
