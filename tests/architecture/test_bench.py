"""Every benchmark that `python -m bench` offers can be run; the library knows nothing of them."""

import importlib
import re
from pathlib import Path

import pytest

from bench.__main__ import NAMES

pytestmark = pytest.mark.quick

SOURCE = Path(__file__).parents[2] / "src" / "remanent"


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_has_a_way_to_run_it(name: str) -> None:
    assert callable(importlib.import_module(f"bench.{name}").run)


def test_the_page_names_every_benchmark() -> None:
    page = (SOURCE.parents[1] / "docs" / "benchmarks.md").read_text("utf-8")

    assert [name for name in NAMES if f"| `{name}` |" not in page] == []


def test_the_library_imports_no_benchmark() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not re.search(r"^\s*(from|import) bench\b", path.read_text("utf-8"), re.MULTILINE)
