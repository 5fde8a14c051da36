"""The page of the founding papers: no row is empty, and what it names is there."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from bench.__main__ import NAMES
from remanent.config import Config
from remanent.surfaces.cli.app import COMMANDS, GROUPS
from remanent.surfaces.operations import OPERATIONS

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "founding.md"
LEAST_ROWS = 231  # so many requirements were counted in the papers


def rows() -> list[tuple[str, ...]]:
    lines = [one for one in PAGE.read_text("utf-8").splitlines() if one.startswith("| ")]
    cells = [tuple(cell.strip() for cell in one.strip("|").split("|")) for one in lines]
    return [one for one in cells if one[0] != "lines"]


def settings() -> set[str]:
    config = Config()
    parts = {one.name: getattr(config, one.name) for one in dataclasses.fields(config)}
    return set(parts) | {
        f"{name}.{one.name}"
        for name, part in parts.items()
        if dataclasses.is_dataclass(part)
        for one in dataclasses.fields(part)
    }


def test_no_row_is_empty() -> None:
    assert len(rows()) >= LEAST_ROWS
    wrong = [one for one in rows() if len(one) != 4 or not all(one) or "`" not in one[2]]
    assert wrong == []
    assert [one for one in rows() if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", one[0])] == []


def test_every_test_that_is_named_is_there() -> None:
    named = [re.fullmatch(r"`(tests/[\w/]+\.py)`", one[3]) for one in rows()]
    assert None not in named
    missing = {one[1] for one in named if one is not None and not (ROOT / one[1]).is_file()}
    assert missing == set()


def test_every_verb_setting_and_command_that_is_named_is_there() -> None:
    verbs = {name.removeprefix("UserMemory.") for name in OPERATIONS} | set(OPERATIONS)
    verbs |= {name.rpartition(".")[2] for name in OPERATIONS}
    commands = {f"remanent {one.name}" for one in COMMANDS} | {
        f"remanent {one[0]}" for one in GROUPS
    }
    benchmarks = {f"python -m bench {name}" for name in NAMES}
    known = verbs | settings() | commands | benchmarks
    named = {
        name.partition(" --")[0] for one in rows() for name in re.findall(r"`([^`]+)`", one[2])
    }
    assert named - known == set()
