"""Whom a name means: decided from the set of names that are known, so that their order does not matter.

A *surface* is a name as a source wrote it, in the spelling of `canonical_name`. A full name is always
somebody of their own. A first name, a short form of one, or a title with a last name means the one
person it can mean; when it can mean several, or nobody known, it stands for itself. So a new full
name can change whom a single word means: `changed_by` finds those words, and whatever was filed under
them is then drawn again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from remanent.rules.nicknames import is_short_for, long_forms, short_forms

TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor", "sir", "dame", "madam"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A person as far as names go: `surface` names the node `key`.

    `aliases` are the surfaces that sources used for them beside their full name; for the owner, those
    of the profile.
    """

    surface: str
    key: str
    aliases: frozenset[str] = frozenset()
    is_owner: bool = False


def untitled(surface: str) -> str:
    """ "dr-sarah-chen" -> "sarah-chen"."""
    words = surface.split("-")
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    return "-".join(words)


def is_titled(surface: str) -> bool:
    """True for "dr-chen"."""
    return untitled(surface) != surface


def is_full(surface: str) -> bool:
    """True where the name has two words or more, titles aside."""
    return "-" in untitled(surface)


def look_up_words(surface: str) -> frozenset[str]:
    """The words by which everybody can be found who matters to what this surface means."""
    words = untitled(surface).split("-")
    related = short_forms(words[0]) if len(words) > 1 else long_forms(words[0])
    return frozenset(words) | related


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Whom a surface may mean: the people it can stand for, and the one who bears just that name."""

    possible: frozenset[str] = frozenset()
    exact: str | None = None

    def among(self, people: Collection[str]) -> str | None:
        """The one meant, given who the possible ones turn out to be; None: somebody not known yet."""
        return next(iter(people)) if len(people) == 1 else self.exact


def meaning(surface: str, known: Collection[Known]) -> Meaning:
    """What this surface can mean among these people. Aliases from texts never lead to the owner."""
    plain = untitled(surface)
    owner = next((one for one in known if one.is_owner), None)
    if owner is not None and plain in {owner.surface, *owner.aliases}:
        return Meaning(exact=owner.key)
    others = [one for one in known if not one.is_owner]
    exact = next((one.key for one in others if untitled(one.surface) == plain), None)
    if is_full(surface):
        return Meaning(exact=exact)
    possible = {one.key for one in others if is_full(one.surface) and _can_mean(surface, one)}
    return Meaning(possible=frozenset(possible), exact=exact)


def meant(surface: str, known: Collection[Known]) -> str | None:
    """The key of the person this surface means, or None if that is somebody not known yet."""
    found = meaning(surface, known)
    return found.among(found.possible)


def changed_by(surface: str, known: Collection[Known]) -> set[tuple[str, str]]:
    """Single surfaces that may mean somebody else now that `surface` is known, each with the key it
    is filed under."""
    words = look_up_words(surface)
    return {
        (single, one.key)
        for one in known
        if not one.is_owner
        for single in (one.surface, *sorted(one.aliases))
        if not is_full(single) and untitled(single) in words
    }


def _can_mean(surface: str, person: Known) -> bool:
    if surface in person.aliases:
        return True
    word = untitled(surface)
    words = untitled(person.surface).split("-")
    if is_titled(surface):
        return word == words[-1]
    return word == words[0] or is_short_for(word, words[0])
