"""Asked on a terminal, a person says yes or no; only yes does it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import remanent

DEED = ("team", "delete", "crew")


@pytest.mark.parametrize(("answer", "code", "teams"), [("y", 0, 0), ("n", 1, 1), ("", 1, 1)])
def test_a_person_is_asked(
    answer: str, code: int, teams: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_MEMORY", str(tmp_path / "m.db"))
    monkeypatch.setenv("REMANENT_USER", "ada")
    assert remanent("init", "--user", "ada").code == 0
    assert remanent("team", "create", "The Crew", "--id", "crew").code == 0
    ours, theirs = pty.openpty()
    try:
        child = subprocess.Popen(
            [sys.executable, "-c", "from remanent.surfaces.cli import main; main()", *DEED],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.write(ours, f"{answer}\n".encode())
        assert child.wait(timeout=600) == code
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "Delete the team crew?" in shown
    assert len(remanent("team", "list", "--json").json["teams"]) == teams
