"""`remanent audit`: the command hunts for leaks and for tampering, in a town of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import remanent


# One town, settled by the real mind for each: both in one file, so that it is read once.
@pytest.mark.usefixtures("encoded_once")
@pytest.mark.parametrize(
    ("hunt", "calls", "found", "more"),
    [("leaks", 20, "leaks", ()), ("integrity", 10, "tamperings", ("--no-server",))],
)
def test_the_command_hunts_in_a_town_of_its_own(
    tmp_path: Path, hunt: str, calls: int, found: str, more: tuple[str, ...]
) -> None:
    done = remanent(
        *("audit", hunt, "--users", "2", "--teams", "1", "--calls", str(calls), "--json"),
        *("--memory", str(tmp_path / "mine.db"), *more),
    )
    assert done.code == 0
    assert done.json[found] == []
    assert done.json["calls"] == calls
    assert not (tmp_path / "mine.db").exists()


def test_without_the_distribution_of_the_proofs_the_command_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "remanent_conformance.hunts.command", None)
    for name in ("leaks", "integrity"):
        done = remanent("audit", name, "--memory", str(tmp_path / "mine.db"))
        assert done.code == 2
        assert "pip install 'remanent-conformance'" in done.err
