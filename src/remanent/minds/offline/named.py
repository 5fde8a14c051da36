"""Whoever and whatever a source speaks of, and where it does."""

from __future__ import annotations

from typing import Final

from remanent.anchors.rules.roles import ROLES
from remanent.core.dataclasses import dataclass, field
from remanent.core.model.belief import OWNER
from remanent.minds.offline.sentences import singular
from remanent.minds.reader.reading import Place

PERSON: Final = "person"
CONCEPT: Final = "concept"


@dataclass(slots=True, eq=False)
class Named:
    """One person or thing; `kind` is person, concept, or the type of entity. Whoever is known by a
    `role` only ("mother"), and what has no name ("bike"), is called by that and by whose it is."""

    name: str
    kind: str
    sure: float = 0.0
    aliases: set[str] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)
    speaks: bool = False
    role: str = ""
    of: Named | str = ""

    @property
    def inline(self) -> str:
        """The name amid a sentence: "my mother"."""
        return f"my{self.name[2:]}" if self.of == OWNER else self.name

    @property
    def spellings(self) -> set[str]:
        return {self.name.casefold(), *(alias.casefold() for alias in self.aliases)}


Who = Named | str | None
"""Somebody or something with a name, the owner, the role of somebody known by that only, or nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleSpot:
    """Where somebody is called by a `role`, from whose it is on: "my late husband Per"."""

    place: Place
    role: str
    of: Named | str
    who: Who
    over: bool


@dataclass(slots=True, eq=False)
class Names:
    """Everything named in a source; `spoken_of` has all places that speak of it, pronouns among them."""

    named: list[Named]
    owner_spellings: frozenset[str]
    spoken_of: dict[int, list[tuple[Place, Named | str]]]
    by_key: dict[str, Named]
    speakers: dict[int, Named | str | None]
    """By turn, who speaks: a person, the owner, or None for a program."""
    roles: list[RoleSpot] = field(default_factory=list)

    def of_key(self, key: str) -> Who:
        """Who is meant by a key of the reader."""
        folded = key.casefold()
        if not key:
            return None
        if (one := self.by_key.get(folded)) is not None:
            return one
        if key == OWNER or folded in self.owner_spellings:
            return OWNER
        role = singular(folded)
        return role if role in ROLES else None

    def addressee(self, turn: int) -> Named | str | None:
        """Whom "you" means in a turn: the other one, where two people talk."""
        talking = list(dict.fromkeys(who for who in self.speakers.values() if who is not None))
        others = [who for who in talking if who is not self.speakers.get(turn)]
        return others[0] if len(talking) == 2 and len(others) == 1 else None

    def within(self, place: Place) -> list[tuple[Place, Named | str]]:
        """Who and what these characters speak of, in order."""
        return [one for one in self.spoken_of.get(place.turn, ()) if one[0].within(place)]
