"""Comparing: whether two records tell the same, however and whenever they came to be written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# When we wrote things down, and the ids we gave to writing them: these differ between two runs.
CIRCUMSTANCES: Final = frozenset(
    {
        "created_at",
        "event_id",
        "extraction_completed_at",
        "extraction_started_at",
        "processing_completed_at",
        "processing_started_at",
        "recorded_at",
        "updated_at",
    }
)
# What being called on changes, and what no ledger tells.
LIVED: Final = frozenset({"life", "stability"})


def stripped(value: Any, without: frozenset[str]) -> Any:
    """The value without these fields, however deep they lie."""
    if isinstance(value, Mapping):
        return {
            name: stripped(inner, without) for name, inner in value.items() if name not in without
        }
    if isinstance(value, list):
        return [stripped(inner, without) for inner in value]
    return value


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields in which two records differ beside circumstances and lives, in order of name."""
    without = CIRCUMSTANCES | LIVED
    first, second = stripped(one, without), stripped(other, without)
    return tuple(
        name for name in sorted(first.keys() | second.keys()) if first.get(name) != second.get(name)
    )
