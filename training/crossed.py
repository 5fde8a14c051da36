"""Statements about one person that have nothing to do with each other.

The pairs of our batches are about one matter. A judge that sees no others takes any news of a person for
the end of what was known of them. Three sources have what is missing: a pair of news with a belief of
another area of life put in its own place, told of the same person; an event of a note after such a
belief; and two statements of one note.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from pathlib import Path

from training import tasks

AREAS = {
    "work": ("jobs", "work", "projects", "software", "meetings", "colleagues", "office", "research"),
    "home": ("homes", "contracts"),
    "people": ("family", "relationships", "kin", "feelings", "birthdays"),
    "body": ("health", "food", "diet", "habits"),
    "school": ("school", "languages"),
    "leisure": ("clubs", "hobby", "gaming", "media", "music", "sport", "theatre", "travel"),
    "things": ("vehicles", "belongings"),
    "money": ("finance", "budgets", "money"),
    "pets": ("pets",),
    "faith": ("faith",),
}  # fmt: skip
"""Areas of life with the topics of our pairs: what changes in one leaves the others as they are."""
_AREA_OF = {topic: area for area, topics in AREAS.items() for topic in topics}
_ME = re.compile(r"\b(?:i|my|we|our|me)\b", re.IGNORECASE)
_LASTING = frozenset(("fact", "preference", "opinion"))


class Beliefs:
    """Beliefs to put in another's place: those of the owner, and those of somebody by name."""

    def __init__(self, folder: Path, names: Collection[str]) -> None:
        """Sort the beliefs of the training pairs by area, and those of the notes."""
        self.names = frozenset(names)
        self.of_area: dict[tuple[bool, str], list[str]] = defaultdict(list)
        self.area: dict[tuple[str, str], str] = {}
        self.events: list[tuple[str, str]] = []
        for _, row in tasks.rows(folder, "pairs", "train"):
            if area := _AREA_OF.get(row.get("topic", "")):
                self.area[row["old"], row["new"]] = area
                self._hold(row["old"], area)
        for _, row in tasks.rows(folder, "notes", "train"):
            for fact in row.get("facts", []):
                named = fact["who"] in self.names
                if fact["k"] in _LASTING and (fact["who"] == "owner" or named):
                    self._hold(fact["s"], "")
                if fact["k"] == "event" and named and re.search(rf"\b{fact['who']}\b", fact["s"]):
                    self.events.append((fact["who"], fact["s"]))

    def _hold(self, belief: str, area: str) -> None:
        if subject := self.subject(belief):
            self.of_area[subject != "I", area].append(belief)

    def subject(self, statement: str) -> str:
        """Give whom a statement is about: a name that it begins with, "I", or nobody known."""
        first = re.match(r"(\w+)(?! [A-Z])", statement)
        if first and first.group() in self.names:
            return first.group()
        return "I" if _ME.search(statement) else ""

    def other(self, pair: tasks.Pair, rng: random.Random) -> str | None:
        """Give a belief of another area about whom the pair is about, if that is known.

        Where the area of the pair is not known, it is one of a note, which is hardly ever of the same.
        """
        subject, area = self.subject(pair.old), self.area.get((pair.old, pair.new), "")
        if not subject:
            return None
        if subject == "I" and not _ME.search(pair.new):
            return None
        if subject != "I" and not re.search(rf"\b{subject}\b", pair.new):
            return None
        return self._about(subject, ["", *(one for one in AREAS if area and one != area)], rng)

    def before_event(self, rng: random.Random) -> tuple[str, str]:
        """Give something that happened to somebody, after a belief about them from elsewhere."""
        who, event = rng.choice(self.events)
        return self._about(who, ["", *AREAS], rng), event

    def _about(self, subject: str, areas: Sequence[str], rng: random.Random) -> str:
        """Give a belief of one of the areas, told of this subject."""
        held = self.of_area[subject != "I", rng.choice(areas)]
        belief = rng.choice(held or self.of_area[subject != "I", ""])
        theirs = self.subject(belief)
        return belief if theirs == "I" else re.sub(rf"\b{theirs}\b", subject, belief)


def of_one_note(folder: Path) -> list[tuple[str, str]]:
    """Give every two statements that one training note makes about one person or thing."""
    return list(_of_one_note(row for _, row in tasks.rows(folder, "notes", "train")))


def _of_one_note(rows: Iterable[dict[str, object]]) -> Iterable[tuple[str, str]]:
    for row in rows:
        about: dict[str, list[str]] = defaultdict(list)
        for fact in _facts(row):
            about[fact["who"]].append(fact["s"])
        for told in about.values():
            yield from combinations(told, 2)


def _facts(row: dict[str, object]) -> Sequence[dict[str, str]]:
    found = row.get("facts", [])
    return found if isinstance(found, list) else []
