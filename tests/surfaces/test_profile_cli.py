"""`remanent profile`: what is known about you, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from command_line import remanent

from remanent import Memory


def test_instructions_are_set_listed_and_removed(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    remanent("init", "--user", "ada", "--memory", path)
    assert "None." in remanent("instructions", "--memory", path).out
    order = ("set", "Always answer in French.", "--name", "language", "--agent", "coder")
    made = remanent("instructions", *order, "--memory", path, "--json").json
    assert (made["belief"]["instructs"], made["belief"]["subject"]) == ("coder", "language")
    assert "for coder" in remanent("instructions", "--memory", path).out
    assert "French" not in remanent("context", "Hi", "--memory", path).out
    assert "French" in remanent("context", "Hi", "--agent", "coder", "--memory", path).out
    remove = ("remove", "language", "--agent", "coder", "--memory", path)
    assert remanent("instructions", *remove).code == 0
    assert remanent("instructions", "--memory", path, "--json").json == {"instructions": []}


def test_lines_have_keys_and_the_output_says_how_to_change_them(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        ada = memory.user("ada", name="Ada Lind", timezone="Europe/Oslo")
        key = ada.remember("I am allergic to peanuts.").belief.key
    plain = remanent("profile", "--memory", str(path)).out
    record = remanent("profile", "--memory", str(path), "--json").json["profile"]

    assert "Health and safety" in plain
    assert f"{key[:8]}" in plain
    assert "remanent beliefs forget KEY" in " ".join(plain.split())
    assert [(one["key"], one["section"]) for one in record["lines"]] == [(key, "health_and_safety")]
    assert remanent("beliefs", "forget", key[:8], "--memory", str(path)).code == 0
    assert "Nothing is known about you" in remanent("profile", "--memory", str(path)).out
