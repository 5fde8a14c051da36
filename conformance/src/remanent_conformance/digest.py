"""Digests: one line stands for a whole graph; equal memories have equal digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from remanent.backup.rules import CIRCUMSTANCES, stripped

__all__ = ["CIRCUMSTANCES", "digest"]


def digest(records: Iterable[Mapping[str, Any]], *, without: Collection[str] = ()) -> str:
    """SHA-256 over the records of `Graph.export`, in the order they come, `without` some fields.

    Leave out `CIRCUMSTANCES` to compare two memories that lived through the same at other times.
    """
    whole = hashlib.sha256()
    for record in records:
        stripped_record = stripped(record, frozenset(without))
        whole.update(
            json.dumps(stripped_record, sort_keys=True, ensure_ascii=False).encode("utf-8")
        )
        whole.update(b"\n")
    return whole.hexdigest()
