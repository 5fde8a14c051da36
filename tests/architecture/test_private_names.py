"""Tests reach into nothing private: what they need of an object of ours is public, or part of an `Env`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

TESTS = Path(__file__).parents[1]
OWN = {"self", "cls"}
MAY_HAVE_ONE = re.compile(
    r"(?<!\bself)(?<!\bcls)\._[A-Za-z]|import[^\n]*[ (]_[A-Za-z]|^ +_[A-Za-z]\w*,$", re.MULTILINE
)
# Called so by Python itself, and meant for callers.
PYTHONS = {"_exit", "_replace", "_asdict", "_fields", "_make"}
# Weights and what reads them are taken apart there, damaged and put together again.
TAKEN_APART = ("embedders", "minds/unit")
# What stays private although a test looks at it, and why.
ALLOWED = {
    "minds/test_llm_providers.py: _chat": "whatever the mind holds is searched for a secret",
    "long_life.py: _connection": "SQLite tells of single rows on the connection alone",
    "surfaces/http/test_http_openapi.py: _nodeid": "pytest's, which schemathesis asks for",
    "retrieval/unit/test_packing.py: _loaded": "the tokenizer that was loaded with the weights",
}


def private_names(text: str) -> Iterator[str]:
    """Names that begin with one underscore, asked of anything but oneself, or imported."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner)) if owner in OWN:
                continue
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                continue
            case ast.Attribute(attr=name):
                names = [name]
            case ast.ImportFrom(names=imported):
                names = [one.name for one in imported]
            case _:
                continue
        for name in names:
            if name.startswith("_") and not name.startswith("__") and name not in PYTHONS:
                yield name


def test_tests_reach_into_nothing_private() -> None:
    reached = {
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        if not any(path.is_relative_to(TESTS / folder) for folder in TAKEN_APART)
        if MAY_HAVE_ONE.search(text := path.read_text("utf-8"))  # parsing takes much longer
        for name in private_names(text)
    }

    assert reached - ALLOWED.keys() == set()
