"""`remanent touch|pin|unpin|archive|restore|forgettable` and `show --curve`, as a person types them."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from command_line import remanent
from rich.console import Console

from remanent.memory import Memory
from remanent.surfaces.cli.session import Options, Session
from remanent.surfaces.cli.views import sources
from remanent.testing import ScriptedMind


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A memory with two sources, and their keys."""
    path = tmp_path_factory.mktemp("living") / "memory.db"
    with Memory.open(path, mind=ScriptedMind()) as memory:
        ada = memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
        green, black = (ada.add(f"{text} for breakfast.", title=text) for text in ("Green tea", "Black tea"))  # fmt: skip
        ada.work()
    return path, green, black


@pytest.fixture
def keys(
    made: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """Those of the same memory, to be changed at will."""
    monkeypatch.setenv("REMANENT_MEMORY", str(shutil.copy(made[0], tmp_path / "memory.db")))
    monkeypatch.setenv("COLUMNS", "80")
    return made[1], made[2]


def test_touch(keys: tuple[str, str]) -> None:
    told = remanent("touch", keys[0][:8])
    assert (told.code, told.err) == (0, "")
    assert "Touched: Green tea" in told.out
    assert "active · salience 0.55" in told.out


def test_several_at_once_as_json(keys: tuple[str, str]) -> None:
    told = remanent("pin", *keys, keys[0], "--json").json["memories"]
    assert [(one["key"], one["changed"]) for one in told] == [(key, True) for key in keys]
    assert {one["life"]["ttl_policy"] for one in told} == {"keep_forever"}


def test_pinning_what_is_pinned_is_nothing_to_do(keys: tuple[str, str]) -> None:
    assert "Pinned: Green tea" in remanent("pin", keys[0]).out
    assert "Nothing to do: Green tea" in remanent("pin", keys[0]).out
    assert "Unpinned: Green tea" in remanent("unpin", keys[0]).out


def _found() -> set[str | None]:
    return {
        one["source_key"]
        for one in remanent("search", "Black tea for breakfast", "--json").json["hits"]
    }


def test_archive_and_restore(keys: tuple[str, str]) -> None:
    assert _found() >= set(keys)
    assert "Archived: Green tea" in remanent("archive", keys[0], "--reason", "cold").out
    assert _found() & set(keys) == {keys[1]}
    assert "Archived: search passes it by" in remanent("show", keys[0], "--curve").out
    assert "Restored: Green tea" in remanent("restore", keys[0]).out
    assert _found() >= set(keys)


@pytest.mark.parametrize("command", ["touch", "pin", "unpin", "archive", "restore"])
def test_one_unknown_key_and_nothing_is_done(keys: tuple[str, str], command: str) -> None:
    before = remanent("show", keys[0], "--curve", "--json").json["curve"]["life"]
    told = remanent(command, keys[0], "nothing", "--json")
    assert told.code != 0
    assert told.error["type"] == "UnknownKey"
    after = remanent("show", keys[0], "--curve", "--json").json["curve"]["life"]
    assert after["access_count"] == before["access_count"]
    assert (after["state"], after["ttl_policy"]) == (before["state"], before["ttl_policy"])


def test_the_curve_is_drawn_as_wide_as_the_terminal(
    keys: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (40, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = remanent("show", keys[0], "--curve").out.splitlines()
        axis = next(line for line in lines if "└" in line)
        assert len(axis) == width
        assert axis.count("▲") == 1
        assert max(len(line) for line in lines if "│" in line) <= width
        assert sum("│" in line for line in lines) == 8


def test_the_curve_says_what_will_happen(keys: tuple[str, str]) -> None:
    told = " ".join(remanent("show", keys[0][:8], "--curve").out.split())
    assert "half as present every 35 days, and archived on 20" in told
    assert "An access today (the dots): salience 0.55, half of it gone in 69 days" in told
    pinned = remanent("pin", keys[0]).code
    assert pinned == 0
    assert "Pinned: it does not fade." in remanent("show", keys[0], "--curve").out


def test_the_points_of_the_curve_as_json(keys: tuple[str, str]) -> None:
    told = remanent("show", keys[0], "--curve", "--days", "10", "--json").json["curve"]
    assert (told["key"], told["name"], told["kind"]) == (keys[0], "Green tea", "source")
    assert len(told["points"]) == len(told["if_accessed"]) == 11
    assert told["points"][0]["salience"] > told["points"][-1]["salience"]
    assert told["archived_at"] < told["archived_if_accessed"]


def test_looking_ahead_is_no_access(keys: tuple[str, str]) -> None:
    counts = [
        remanent("show", keys[0], "--curve", "--json").json["curve"]["life"]["access_count"]
        for _ in range(2)
    ]
    assert counts == [0, 0]


def test_a_terminal_without_blocks_gets_plain_characters(keys: tuple[str, str]) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    with Session(Options()) as session:
        view = sources.curve(session.me.curve(keys[0]), session.zone)
        Console(file=file, width=60).print(view)
    file.seek(0)
    plot = [line for line in file.read().splitlines() if "|" in line or "+-" in line]
    assert len(plot) == 9
    assert "?" not in "".join(plot)


def test_days_must_make_sense(keys: tuple[str, str]) -> None:
    told = remanent("show", keys[0], "--curve", "--days", "0", "--json")
    assert told.error["message"].startswith("days:")


def test_forgettable(keys: tuple[str, str]) -> None:
    told = remanent("forgettable")
    assert "Green tea" in told.out
    assert "nothing was learned from it" in told.out
    found = remanent("forgettable", "-n", "1", "--json").json["forgettable"]
    assert len(found) == 1
    assert found[0]["why"] == "nothing was learned from it"
