"""The map leads from a noun to its rule, its verb, its test and its page, and all four speak of it."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
ROW = re.compile(
    r"^\| ([\w -]+?)(?: \([\w ]+\))? \| `(.+?)` \| `(.+?)` \| `(.+?)` \| \[(.+?)\]", re.MULTILINE
)
PLACES = ("src/remanent/{}.py", "src/remanent/{}.py", "tests/{}.py", "docs/{}.md")
# What code calls a thing of two words.
SHORT = {
    "API key": "key",
    "audit entry": "audit",
    "certificate of erasure": "certificate",
    "consumer position": "position",
    "idempotency key": "idempotency",
    "search filter": "filter",
    "summary of events": "summar",
}


def rows() -> list[tuple[str, ...]]:
    return ROW.findall((ROOT / "docs" / "architecture.md").read_text("utf-8"))


def test_the_table_is_read() -> None:
    assert len(rows()) > 30


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_place_is_there_and_speaks_of_the_noun(row: tuple[str, ...]) -> None:
    noun, *places = row
    for pattern, place in zip(PLACES, places, strict=True):
        path = ROOT / pattern.format(place)
        assert path.exists(), path
        assert SHORT.get(noun, noun).lower() in path.read_text("utf-8").lower(), path
