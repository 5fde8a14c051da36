"""The page about the format of an export has every record and every field of it, and no other."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from remanent.backup.rules import FORMAT, VERSION
from remanent.core.model.belief import Change, Support
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    NoteDraft,
    RelationDraft,
)
from remanent.core.records.export import HOUSEHOLD, TYPES, Ending, Header, RecordKind

pytestmark = pytest.mark.quick

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "export.md").read_text("utf-8")
PARTS = (Lifecycle, Support, Change, Candidate, Findings, NoteDraft, RelationDraft, BeliefDraft)
TYPED = {
    **{
        sort.value: type_
        for sort, type_ in TYPES.items()
        if sort not in HOUSEHOLD | {RecordKind.NODE}
    },
    **{f"node: {kind.value}": type_ for kind, type_ in NODE_TYPES.items()},
    **{one.__name__: one for one in PARTS},
    "The first line": Header,
    "The last line": Ending,
}


def _sections() -> dict[str, list[str]]:
    """The fields in the tables under each heading; of a node, under `node: KIND`."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in PAGE.splitlines():
        heading = re.match(r"(#+) (.+)", line)
        if heading:
            name = f"node: {heading[2]}" if len(heading[1]) == 4 else heading[2]
        elif row := re.match(r"\| `(\w+)` \| \S.* \| \S.* \|$", line):
            found.setdefault(name, []).append(row[1])
    return found


@pytest.mark.parametrize("name", TYPED)
def test_every_field_is_on_the_page_in_its_order(name: str) -> None:
    fields = [one.name for one in dataclasses.fields(TYPED[name])]

    assert _sections()[name] == fields


def test_nothing_is_described_that_is_not_there() -> None:
    assert _sections().keys() == TYPED.keys()


def test_records_are_described_in_the_order_of_a_file() -> None:
    sorts = [
        one for one in re.findall(r"^### (\w+)$", PAGE, re.MULTILINE) if one in set(RecordKind)
    ]

    assert sorts == [one.value for one in RecordKind if one not in HOUSEHOLD]
    assert f'"format": "{FORMAT}", "version": {VERSION}' in PAGE
