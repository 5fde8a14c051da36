"""One line that stands for a whole graph: equal memories have equal digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def digest(records: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 over the records of `Graph.export`, in the order they come."""
    whole = hashlib.sha256()
    for record in records:
        whole.update(json.dumps(record, sort_keys=True, ensure_ascii=False).encode("utf-8"))
        whole.update(b"\n")
    return whole.hexdigest()
