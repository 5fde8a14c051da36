"""What the clients ask, and how often: one mix for the server and for the memory in the same process."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

SHARES: Final = {"search": 60, "recall": 12, "context": 8, "read": 10, "remember": 7, "add": 3}
_PEOPLE = ("Caroline", "Melanie", "Sarah Chen", "Tom Lie")
_THINGS = ("the support group", "pottery", "her painting", "the adoption", "camping", "the race")
_QUESTIONS = (
    "When did {who} go to {what}?",
    "What does {who} think of {what}?",
    "Why does {who} like {what}?",
    "Who was with {who} at {what}?",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: what for, and with which words."""

    verb: str
    text: str


class Mix:
    """An endless row of requests, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._seed = seed
        self._count = 0

    def next(self) -> Asked:
        self._count += 1
        (verb,) = self._dice.choices(list(SHARES), weights=list(SHARES.values()))
        return Asked(verb, self._words(verb))

    def _words(self, verb: str) -> str:
        who, what = self._dice.choice(_PEOPLE), self._dice.choice(_THINGS)
        if verb == "remember":
            return f"{who} counted {self._seed}-{self._count} things about {what}"
        if verb == "add":
            return f"Note {self._seed}-{self._count}: {who} talked about {what} for a while."
        return self._dice.choice(_QUESTIONS).format(who=who, what=what)
