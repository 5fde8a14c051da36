"""What is loaded later is named twice; both names are the same module's."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2] / "src"
FILES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if "core.later import later" in path.read_text("utf-8")
]


def _imported(block: ast.If) -> dict[str, str]:
    """What the type checker reads: each name and what it stands for."""
    names = {}
    for one in block.body:
        if isinstance(one, ast.ImportFrom):
            names |= {two.asname or two.name: f"{one.module}.{two.name}" for two in one.names}
        elif isinstance(one, ast.Import):
            names |= {two.asname or two.name: two.name for two in one.names}
    return names


def _later(block: ast.If) -> dict[str, str]:
    """What runs: each name and the module that it is to be."""
    found = {}
    for one in block.orelse:
        match one:
            case ast.Assign(
                targets=[ast.Name(name)],
                value=ast.Call(func=ast.Name("later"), args=[ast.Constant(str(module))]),
            ):
                found[name] = module
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_both_names_are_the_same_module(path: Path) -> None:
    blocks = [
        one
        for one in ast.parse(path.read_text("utf-8")).body
        if isinstance(one, ast.If) and _later(one)
    ]

    assert blocks
    for block in blocks:
        imported, later = _imported(block), _later(block)
        assert {name: imported.get(name) for name in later} == later
        for module in later.values():
            importlib.import_module(module)
