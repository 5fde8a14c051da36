"""One line that stands for a whole graph: equal memories have equal digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

# When we wrote things down, and the ids we gave to writing them: these differ between two runs.
CIRCUMSTANCES = frozenset(
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


def digest(records: Iterable[Mapping[str, Any]], *, without: Collection[str] = ()) -> str:
    """SHA-256 over the records of `Graph.export`, in the order they come, `without` some fields.

    Leave out `CIRCUMSTANCES` to compare two memories that lived through the same at other times.
    """
    whole = hashlib.sha256()
    for record in records:
        told = _stripped(record, frozenset(without))
        whole.update(json.dumps(told, sort_keys=True, ensure_ascii=False).encode("utf-8"))
        whole.update(b"\n")
    return whole.hexdigest()


def _stripped(value: Any, without: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _stripped(inner, without) for name, inner in value.items() if name not in without
        }
    if isinstance(value, list):
        return [_stripped(inner, without) for inner in value]
    return value
