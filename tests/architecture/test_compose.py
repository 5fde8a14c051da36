"""What `compose.yaml` starts is there: commands with their options, extras, settings. No engine is asked."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "compose.yaml").read_text("utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
_RUN = "from remanent.surfaces.cli import main; main()"
OURS = {name: one for name, one in SERVICES.items() if "build" in one}


def test_every_set_up_has_somebody_who_answers_and_somebody_who_works() -> None:
    assert {profile for one in SERVICES.values() for profile in one["profiles"]} == {
        "embedded",
        "postgres",
        "papers",
    }
    assert OURS.keys() == {"embedded", "api", "worker", "papers-api", "papers-worker"}
    assert all(
        port.startswith("127.0.0.1:") for one in OURS.values() for port in one.get("ports", ())
    )


@pytest.mark.parametrize("name", OURS)
def test_what_it_runs_can_be_run(name: str) -> None:
    program, command, *words = OURS[name]["command"]
    shown = subprocess.run(
        [sys.executable, "-c", _RUN, command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert program == "remanent"
    assert [one for one in words if one.startswith("--") and one not in shown] == []


def test_it_installs_extras_that_there_are() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.search(r"/app\[(.+?)\]", TEXT)

    assert named is not None
    assert set(named[1].split(",")) <= extras["optional-dependencies"].keys()
