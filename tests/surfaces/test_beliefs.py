"""`remanent beliefs`: every command on a real memory, with the offline mind."""

from __future__ import annotations

import importlib
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent

from remanent.memory import Memory

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
TEA = ("Tom likes green tea.", "Tom drinks tea every morning.", "Tom buys his tea in Bergen.")
TALK = """Ada: We have decided to postpone the launch to June.
Bob: Okay.
Ada: Karen will write to Acme on Monday.
Bob: Thanks!
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory in which a belief was replaced, one stands in two wordings, and one is old."""
    path = tmp_path_factory.mktemp("beliefs") / "memory.db"
    with Memory.open(path) as memory:
        ada = memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
        for statement in (*TEA, "I live in Oslo.", "I live in Bergen."):
            ada.remember(statement)
        now = ada.status().now.isoformat()
        again = {"since": now, "created_at": now, "updated_at": now, "user_id": "ada"}
        old = dict.fromkeys(("since", "created_at", "updated_at"), "2024-01-01T00:00:00+00:00")
        ada.import_beliefs(
            io.StringIO(
                json.dumps(
                    {"key": f"{'1' * 8}-0000-5000-8000-{'0' * 12}", **again,
                     "statement": "Tom buys his tea in Bergen.", "subject": "tom"}
                )
                + "\n"
                + json.dumps(
                    {"key": f"{'2' * 8}-0000-5000-8000-{'0' * 12}", **again, **old,
                     "statement": "Julia plays the cello."}
                )
            )
        )  # fmt: skip
    return path


@pytest.fixture
def kept(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copy(made, tmp_path / "memory.db"))


def ask(path: Path, *arguments: str, stdin: bytes = b"") -> Done:
    return remanent("beliefs", *arguments, "--memory", str(path), stdin=stdin)


def told(path: Path, *arguments: str) -> Any:
    done = ask(path, *arguments, "--json")
    assert done.code == 0, done.err
    return done.json


def statements(path: Path) -> list[str]:
    return sorted(one["statement"] for one in told(path)["beliefs"])


def test_bare_it_lists_and_so_does_list(made: Path) -> None:
    bare, listed = ask(made), ask(made, "list")

    assert bare.code == 0
    assert bare.out == listed.out
    assert "I live in Bergen." in bare.out
    assert "I live in Oslo." not in bare.out
    assert told(made) == told(made, "list")


def test_options_before_the_command_hold_for_it(made: Path) -> None:
    done = remanent("beliefs", "--json", "--memory", str(made), "list")

    assert done.json == told(made, "list")


def test_an_option_that_would_be_lost_is_refused(made: Path) -> None:
    done = ask(made, "--as-of", "2026-01-01", "reflect")

    assert done.code == 2
    assert "--as-of" in done.err


def test_show_and_history_tell_why(made: Path) -> None:
    (now,) = (one for one in told(made)["beliefs"] if one["statement"] == "I live in Bergen.")

    shown, history = ask(made, "show", now["key"][:8]), ask(made, "history", now["key"][:8])

    assert "“I live in Bergen.”" in shown.out
    assert "effective confidence 0.60" in shown.out
    assert history.out.index("I live in Oslo.") < history.out.index("I live in Bergen.")
    assert "invalidated" in history.out
    record = told(made, "show", now["key"])
    assert record["belief"]["key"] == now["key"]
    assert 0 < record["effective_confidence"] <= 0.6
    assert len(told(made, "history", now["key"])["chapters"]) == 2


def test_show_takes_beliefs_only(kept: Path) -> None:
    key = remanent("add", "--text", "A note.", "--memory", str(kept), "--no-work", "--json").json
    done = ask(kept, "show", key["key"])

    assert done.code == 2
    assert "is a source, not a belief" in done.err


def test_reflect_names_what_is_wrong_and_what_helps(made: Path) -> None:
    done = ask(made, "reflect")

    assert re.search(r"Believed twice.*Tom buys his tea in Bergen", done.out, re.DOTALL)
    assert re.search(r"Faded.*Julia plays the cello", done.out, re.DOTALL)
    assert "remanent beliefs merge" in done.out
    report = told(made, "reflect")
    assert len(report["duplicates"]) == len(report["stale"]) == 1
    assert report["contradictions"] == []


def test_merge_says_what_took_in_what_and_then_nothing(kept: Path) -> None:
    before = statements(kept)

    dry = ask(kept, "merge", "--dry-run")
    assert "Nothing was written" in dry.out
    assert statements(kept) == before
    done = ask(kept, "merge")

    assert re.search(r"Merged.*Tom buys.*took in.*Tom buys", done.out, re.DOTALL)
    assert len(statements(kept)) == len(before) - 1
    assert "Nothing is believed twice" in ask(kept, "merge").out


def test_synthesize_draws_a_principle_once(kept: Path) -> None:
    assert "Nothing was written" in ask(kept, "synthesize", "--dry-run").out
    done = ask(kept, "synthesize")

    assert re.search(r"Drawn.*Tea is a recurring theme for Tom", done.out, re.DOTALL)
    assert "from Tom likes green tea." in done.out
    assert any(one["type"] == "meta" for one in told(kept)["beliefs"])
    assert "No new principle" in ask(kept, "synthesize").out


def test_prune_lets_go_of_what_faded(kept: Path) -> None:
    assert "Nothing was written" in ask(kept, "prune", "--dry-run").out
    report = told(kept, "prune")

    assert [one["belief"]["statement"] for one in report["pruned"]] == ["Julia plays the cello."]
    assert "Nothing has less than 0.05 left" in ask(kept, "prune").out
    assert ask(kept, "prune", "--threshold", "2").code == 2


def test_forget_says_why_and_stays_in_history(kept: Path) -> None:
    key = next(one["key"] for one in told(kept)["beliefs"] if one["statement"] == TEA[0])

    assert "Nothing was written" in ask(kept, "forget", key[:8], "--dry-run").out
    done = ask(kept, "forget", key[:8], "--reason", "Tom asked for it")

    assert "Forgotten" in done.out
    assert "Tom asked for it" in done.out
    assert TEA[0] not in statements(kept)
    assert "Forgotten before" in ask(kept, "forget", key).out
    assert "Tom asked for it" in ask(kept, "history", key).out


@pytest.mark.parametrize(("key", "code"), [("feedface", 3), ("x", 3)])
def test_forgetting_nothing_is_an_error(made: Path, key: str, code: int) -> None:
    done = ask(made, "forget", key, "--json")

    assert done.code == code
    assert done.error["key"] == key


def test_contradictions_are_found_and_settled(kept: Path) -> None:
    assert "No contradictions" in ask(kept, "contradictions").out
    now = "2026-02-01T00:00:00+00:00"
    line = {"key": f"{'3' * 8}-0000-5000-8000-{'0' * 12}", "statement": "I live in Molde.",
            "since": now, "created_at": now, "updated_at": now, "user_id": "ada"}  # fmt: skip
    assert ask(kept, "import", "-", stdin=json.dumps(line).encode()).code == 0

    found = ask(kept, "contradictions")
    dry = ask(kept, "contradictions", "--resolve", "--dry-run")
    done = ask(kept, "contradictions", "--resolve")

    assert re.search(r"I live in Bergen.*against the older.*I live in Molde", found.out, re.DOTALL)
    assert "--resolve" in found.out
    assert "Nothing was written" in dry.out
    assert "The newer one takes its place" in done.out
    assert "I live in Molde." not in statements(kept)


def test_backfill_files_beliefs_under_whom_they_are_about(kept: Path) -> None:
    assert "owner → julia" in ask(kept, "backfill", "--dry-run").out
    assert "owner → julia" in ask(kept, "backfill").out
    assert "each is where it belongs" in ask(kept, "backfill").out


def test_consolidate_keeps_an_episode(kept: Path, tmp_path: Path) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text(TALK, "utf-8")
    turns = [
        dict(zip(("speaker", "text"), one.split(": "), strict=True)) for one in TALK.splitlines()
    ]
    (tmp_path / "talk.json").write_text(json.dumps(turns), "utf-8")

    done = told(kept, "consolidate", str(talk), "--session", "s1", "--at", "2026-05-04")
    again = ask(kept, "consolidate", str(talk), "--session", "s1", "--at", "2026-05-04")

    assert (done["outcome"], done["turns"]) == ("kept", 4)
    assert "postpone the launch" in done["gist"]
    assert "Consolidated before" in again.out
    assert told(kept, "consolidate", str(tmp_path / "talk.json"))["gist"] == done["gist"]
    assert "Too short" in ask(kept, "consolidate", "-", stdin=b"Ada: Hi.\nBob: Hello.").out


def test_export_and_import_carry_beliefs_over(made: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "beliefs.jsonl", tmp_path / "other.db"
    assert remanent("init", "--user", "ada", "--memory", str(other)).code == 0

    assert told(made, "export", str(file)) == {"path": str(file), "beliefs": 7, "active": 6}
    assert ask(made, "export").out == file.read_text("utf-8")
    assert len(told(made, "export")["beliefs"]) == 7
    dry = told(other, "import", str(file), "--dry-run")
    done = told(other, "import", str(file))

    assert (dry["added"], done["added"], done["active"]) == (7, 7, 6)
    assert statements(other) == statements(made)
    assert "7 here already" in ask(other, "import", str(file)).out


def test_a_bad_line_is_named(made: Path) -> None:
    done = ask(made, "import", "-", "--json", stdin=b'{"statement": "x"}')

    assert done.code == 2
    assert done.error["field"] == "line 1: key"


def _commands() -> dict[str, Any]:
    whole = importlib.import_module("remanent.surfaces.cli.app").program()
    group = whole.commands["beliefs"]
    return dict(group.commands)


@pytest.mark.parametrize("name", _commands())
def test_every_command_is_on_the_page_with_its_options(name: str) -> None:
    page = DOCS.read_text("utf-8")
    section = page[page.index("### `beliefs`") :].partition("\n### ")[0]

    assert f"`beliefs {name}" in section
    for parameter in _commands()[name].params:
        for option in parameter.opts:
            if option.startswith("--") and option not in {
                "--memory",
                "--user",
                "--json",
                "--no-color",
            }:
                assert f"`{option}" in section, option


@pytest.mark.parametrize("name", _commands())
def test_every_command_has_help(name: str) -> None:
    done = remanent("beliefs", name, "--help")

    assert done.code == 0
    assert name in done.out
