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
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SHARE = {
    "person": 1.0, "organization": 0.7, "location": 0.5, "animal": 0.7, "group": 0.4,
    "project": 0.4, "product": 0.3, "event": 0.2,
}  # fmt: skip
KINDS = tuple(SHARE)
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


_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+|$)")


def alone(row: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Give the sentences of a source that hold a label, each as a source of its own.

    Our notes are of several sentences, and people also write one ("I am allergic to nuts.").
    """
    talk = "turns" in row
    turns = row["turns"] if talk else [["me", row["text"]]]
    for turn, (speaker, words) in enumerate(turns):
        lists = {
            name: [e[1:] if talk else e for e in row.get(name, []) if not talk or e[0] == turn]
            for name in ("mentions", "refs", "rels", "drop")
        }
        facts = [f for f in row.get("facts", []) if f.get("t", 0) == turn]
        for found in _SENTENCE.finditer(words):
            sentence = found.group().strip()
            kept = [{**fact, "t": 0} for fact in facts if fact["q"] in sentence]
            dropped = [[0, *entry] for entry in lists["drop"] if entry[0] in sentence]
            if kept or dropped:
                yield {
                    "owner": row.get("owner", ""),
                    "turns": [[rng.choice(("me", "me", "user", speaker)), sentence]],
                    "mentions": [[0, *e[:2]] for e in lists["mentions"] if e[0] in sentence],
                    "refs": [[0, *e[:2]] for e in lists["refs"] if _within(e[:2], sentence)],
                    "rels": [
                        [0, *_placed(e, words, lists["refs"])]
                        for e in lists["rels"]
                        if _within(e[:2], sentence)
                    ],
                    "facts": kept,
                    "drop": dropped,
                }


def _placed(tie: Sequence[Any], words: str, refs: Sequence[Any]) -> list[Any]:
    """Give a tie, as `elsewhere` where more than one sentence speaks of both ends: nobody knows which
    of them tells it, and a reader taught that all do sees ties where there are none."""
    ends = [name for name in tie[:2] if name != "owner"]
    called = [[name, *(ref[0] for ref in refs if ref[1] == name)] for name in ends]
    speaking = [
        found
        for found in _SENTENCE.finditer(words)
        if all(any(one in found.group() for one in some) for some in called)
    ]
    more = dict(tie[3]) if len(tie) > 3 else {}
    return [*tie[:3], {**more, "elsewhere": True} if len(speaking) > 1 else more]


def _within(names: Sequence[str], sentence: str) -> bool:
    """Say whether a sentence has all names, the owner apart."""
    return all(name == "owner" or name in sentence for name in names)


_LIGHT = (
    (re.compile(r"\bI am\b"), "I'm"),
    (re.compile(r"\bI'm\b"), "I am"),
    (re.compile(r"\bdo not\b"), "don't"),
    (re.compile(r"\bis not\b"), "isn't"),
    (re.compile(r"[.!]+$"), ""),
)


def lightly(text: str, rng: random.Random) -> str:
    """Give a statement as another hand might type it: contracted, without a stop, in lower case."""
    pattern, words = rng.choice(_LIGHT)
    out = pattern.sub(words, text)
    return out.lower() if rng.random() < 0.3 else out
