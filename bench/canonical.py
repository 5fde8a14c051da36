"""The canonical form of a memory: what `Memory.export` writes, without what differs by chance.

Two memories that lived through the same by the same clock have the same lines, and so the same
digests, whatever the program that lived them looks like inside: the export is a documented format.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from remanent import Memory

DIGITS = 9  # of a float: the last ones are the machine's
WITHOUT = frozenset({"vector", "vectors", "parts"})  # their last digits are the processor's
_BY_CHANCE = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")


def digests(memory: Memory) -> dict[str, str]:
    """For each kind of record how many there are, and a SHA-256 over their canonical lines."""
    kinds: dict[str, list[str]] = {}
    for kind, line in lines(memory):
        kinds.setdefault(kind, []).append(line)
    return {kind: f"{len(found)} {_hashed(found)}" for kind, found in sorted(kinds.items())}


def lines(memory: Memory) -> Iterator[tuple[str, str]]:
    """Every record of the export with its kind, in its canonical form.

    Ids that are drawn (UUID version 7) are numbered in the order in which the ledger has them; the
    first line and the last, which tell of the file, are left out.
    """
    written = io.StringIO()
    memory.export(written)
    numbers: dict[str, str] = {}

    def numbered(identifier: re.Match[str]) -> str:
        return numbers.setdefault(identifier[0], f"id-{len(numbers) + 1}")

    for line in written.getvalue().splitlines()[1:-1]:
        record = json.loads(_BY_CHANCE.sub(numbered, line))
        kind = ".".join(str(record[name]) for name in ("record", "kind") if name in record)
        yield kind, canonical(record)


def canonical(value: Any) -> str:
    """One line of JSON: names sorted, floats rounded, no vectors."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items() if name not in WITHOUT}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _hashed(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8")).hexdigest()
