"""The contract suites are a distribution of their own, and its README is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import remanent_conformance

ROOT = Path(__file__).parents[2]
HOME = ROOT / "conformance"
README = HOME / "README.md"
UNUSED = ("-p", "no:langsmith_plugin", "-p", "no:schemathesis")  # seconds to load
ADAPTERS = ROOT / "docs" / "how-to" / "write-an-adapter.md"


def _project(folder: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    return project["project"]


def _shown() -> str:
    """The Python of the README, as one test file."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return "\n".join(blocks)


def _run(path: Path) -> subprocess.CompletedProcess[str]:
    """Run it where nothing of this repository's tests is in reach: no conftest, no settings, no options of
    whoever runs these."""
    environment = {name: one for name, one in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *UNUSED, str(path)],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_adapter_of_the_readme_passes_its_suite(tmp_path: Path) -> None:
    shown = tmp_path / "test_shown.py"
    shown.write_text(_shown(), "utf-8")

    run = _run(shown)

    assert run.returncode == 0, run.stdout + run.stderr
    promises = [name for name in vars(remanent_conformance.RecordsContract) if "test_" in name]
    passed = re.search(r"^(\d+) passed", run.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= len(promises) > 0


def test_an_adapter_that_breaks_a_promise_does_not(tmp_path: Path) -> None:
    broken = tmp_path / "test_broken.py"
    broken.write_text(
        _shown().replace("one < other", "one > other").replace("one <= other", "one > other"),
        "utf-8",
    )

    run = _run(broken)

    assert run.returncode == 1, run.stdout + run.stderr
    assert "test_who_claims_first_has_it" in run.stdout


@pytest.mark.parametrize("page", [README, ADAPTERS], ids=lambda page: page.name)
def test_the_pages_name_every_suite(page: Path) -> None:
    named = set(re.findall(r"`(\w+Contract)`", page.read_text("utf-8")))

    assert named == set(remanent_conformance.__all__)


def test_it_has_the_version_and_the_licence_of_the_library() -> None:
    own, library = _project(HOME), _project(ROOT)

    for field in ("version", "requires-python", "license"):
        assert own[field] == library[field]
    assert (HOME / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_library_does_not_know_it() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        imported = r"^\s*(from|import) remanent_conformance\b"
        assert not re.search(imported, path.read_text("utf-8"), re.MULTILINE), path
