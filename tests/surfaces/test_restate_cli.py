"""`remanent beliefs restate`: what a person sees of it."""

from __future__ import annotations

from pathlib import Path

from command_line import remanent


def test_a_belief_is_put_in_other_words(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    remanent("init", "--memory", path, "--user", "ada", "--name", "Ada")
    key = remanent("remember", "I like tea", "--memory", path, "--json").json["belief"]["key"]
    dry = remanent("beliefs", "restate", key, "I like milk", "--dry-run", "--memory", path)
    assert "Nothing was written" in dry.out
    done = remanent("beliefs", "restate", key[:8], "I like milk", "--memory", path)
    assert done.code == 0
    assert "I like milk" in done.out
    assert "it said: I like tea" in done.out
    again = remanent("beliefs", "restate", key, "I like milk", "--memory", path, "--json").json
    assert (again["belief"]["key"], again["changed"]) == (key, False)
    assert (
        "nothing changed"
        in remanent("beliefs", "restate", key, "I like milk", "--memory", path).out
    )
    assert "I like tea" in remanent("beliefs", "history", key, "--memory", path).out
    refused = remanent("beliefs", "restate", key, " ", "--memory", path, "--json")
    assert refused.error["field"] == "statement"
