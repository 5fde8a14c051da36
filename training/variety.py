"""Variety of names: training rows told again about people, firms and places of other names.

What a reader learns about "Priya" should hold for every name. A copy of a note or talk has the
names of people, organizations and locations replaced, everywhere in the row at once, by others
of their kind from a pool.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

KINDS = ("person", "organization", "location")
SHARE = {"person": 1.0, "organization": 0.7, "location": 0.5}
"""Share of the names of a kind that are replaced in a copy."""
_PERSON = re.compile(r"[A-Z][^\W\d_]{2,11}")
_OTHER = re.compile(r"[A-Z][^\W\d_]{2,}(?: [A-Z][^\W\d_]+){0,2}")


def names(row: dict[str, Any]) -> dict[str, str]:
    """Give the capitalised names of a row with their kind; of people, single words only."""
    talk = "turns" in row
    found: dict[str, str] = {}
    if talk:
        found = {turn[0]: "person" for turn in row["turns"] if _PERSON.fullmatch(turn[0])}
    for entry in row.get("mentions", []):
        name, kind = entry[1:3] if talk else entry[:2]
        pattern = _PERSON if kind == "person" else _OTHER
        if kind in KINDS and pattern.fullmatch(name):
            found[name] = kind
    return {n: k for n, k in found.items() if n not in {"User", "Assistant"}}


def renamed(
    row: dict[str, Any], pools: Mapping[str, Sequence[str]], rng: random.Random
) -> dict[str, Any]:
    """Give a row in which things bear other names; nothing else changes."""
    new = {
        name: rng.choice(pools[kind])
        for name, kind in names(row).items()
        if rng.random() < SHARE[kind]
    }
    if not new or len(set(new.values())) < len(new):
        return row
    told = json.dumps(row, ensure_ascii=False)
    old = "|".join(re.escape(name) for name in sorted(new, key=len, reverse=True))
    told = re.sub(rf"(?<!\w)(?:{old})(?!\w)", lambda m: new[m.group()], told)
    out: dict[str, Any] = json.loads(told)
    return out


def pools_of(
    rows: Sequence[dict[str, Any]], tagged: Sequence[dict[str, Any]]
) -> dict[str, list[str]]:
    """Give the names to draw from by kind: those of our rows and of open sets of names."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name, kind in names(row).items():
            found[kind].add(name)
    for one in tagged:
        for start, end, kind in one["spans"]:
            name = one["text"][start:end]
            pattern = _PERSON if kind == "person" else _OTHER
            if kind in KINDS and pattern.fullmatch(name):
                found[kind].add(name)
    return {kind: sorted(found[kind]) for kind in KINDS}
