"""Renames: where a source says outright that two names are one person's: "Eva Lund, née Berg"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set

from remanent.core.dataclasses import dataclass, field
from remanent.minds.offline.sentences import Role, Sentence

_WORD = r"[^\W\d_a-z][\w'’-]*\w"
_FULL = rf"{_WORD}(?: {_WORD}){{1,3}}"
_WHOSE = ("'s", "’s")
_OPEN = r"\s*(?:,|\(|-|–|—)?\s*"
_USED_TO = r"used to be (?:called |known as |named )?"

_OLD_THEN_NEW = (
    rf"(?P<old>{_FULL}) is (?:called |known as )?(?P<new>{_FULL}),? (?:now|nowadays|these days)\b",
    rf"(?P<old>{_FULL}) is now (?:called |known as )?(?P<new>{_FULL})",
    rf"(?P<old>{_FULL}) \(\s*now (?P<new>{_FULL})\s*\)",
)
_CHANGED = (rf"(?P<old>{_FULL}) (?:has )?changed (?:her|his) name to (?P<new>{_FULL})",)
_NEW_THEN_OLD = (
    rf"(?P<new>{_FULL}){_OPEN}who {_USED_TO}(?P<old>{_FULL})",
    rf"(?P<new>{_FULL}) {_USED_TO}(?P<old>{_FULL})",
    rf"(?P<new>{_FULL}){_OPEN}(?:formerly|previously)(?: called| known as| named)? (?P<old>{_FULL})",
    rf"(?P<new>{_FULL}){_OPEN}(?:also known as|a\.?k\.?a\.?) (?P<old>{_FULL})",
)
_MAIDEN = (
    rf"(?P<new>{_FULL})(?:,\s*|\s*\(\s*|\s+)(?:née|nee) (?P<old>{_WORD}(?: {_WORD}){{0,2}})",
    rf"(?P<new>{_FULL})\s*\(\s*born (?P<old>{_WORD}(?: {_WORD}){{0,2}})\s*\)",
)
_CALLS = (
    r"\b(?i:everybody|everyone|(?:his|her|their|my|our) (?:friends|family)|friends|people|we)"
    rf"(?: all)? calls? (?P<whole>(?P<name>{_WORD}(?: {_WORD})?)"
    rf",? [\"'“‘]?(?P<other>{_WORD}))[\"'”’]?(?=[.,;!]|$| (?:and|but|now|though|because|since|for)\b)"
)
_MY_NAME = r"\b[Mm]y (?:last |family |sur|new |married )?name(?:['’]s| is)"
_TAKEN = (
    r"\bI(?:['’]ve| have)? (?:took|taken) my (?:husband|wife|partner|spouse)['’]s"
    r" (?:last |family |sur)?name\b[^.]*?\b(?:it['’]s|it is|I['’]m|I am) (?:now )?"
)
_MINE = rf"(?P<new>{_WORD}(?: {_WORD})?)"
_OWN = (
    f"{_TAKEN}{_MINE}",
    rf"{_MY_NAME} {_MINE} now\b",
    rf"{_MY_NAME} now {_MINE}",
    rf"\bI(?:['’]m| am) (?:now )?(?:called )?(?P<new>{_FULL}) now\b",
)


@dataclass(slots=True)
class Renames:
    """`filed` tells under which name a spelling belongs, `given` the other names of a name; a spelling
    in `runs` is two names side by side and so nobody's name. Spellings in lower case."""

    filed: dict[str, str] = field(default_factory=dict)
    given: dict[str, set[str]] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)

    @property
    def people(self) -> dict[str, str]:
        """All spellings that are names of people, by what is said of them, as they are written."""
        names = {name.casefold(): name for name in self.filed.values()}
        others = {one.casefold(): one for more in self.given.values() for one in more}
        return names | others

    def name(self, text: str) -> str:
        """The name under which this one belongs."""
        seen = {text.casefold()}
        while (more := self.filed.get(text.casefold())) and more.casefold() not in seen:
            text = more
            seen.add(text.casefold())
        return text

    def by_part(self, text: str) -> str | None:
        """Whose former name has this last name, if one person's has: "Dubois" of "née Dubois"."""
        low = text.casefold()
        found = {
            self.name(other)
            for more in self.given.values()
            for other in more
            if " " in other and low == other.casefold().split()[-1]
        }
        return found.pop() if len(found) == 1 else None

    def add(self, name: str, other: str) -> None:
        """Note that somebody goes by the first of two names."""
        if name.casefold() != other.casefold():
            self.filed[other.casefold()] = name
            self.given.setdefault(name.casefold(), set()).add(other)


def find_renames(
    spoken: Sequence[Sentence], owners: Collection[str], people: Set[str], things: Set[str]
) -> Renames:
    """All second names that the source gives somebody in so many words. The owner gets none; `people`
    are spellings of names that the reader took for a person's, `things` for something else's."""
    found = Renames()
    for one in spoken:
        if one.role is Role.ASSISTANT or one.text.rstrip().endswith("?"):
            continue
        for name, other in (*_pairs(one.text, people, things), *_own(one)):
            if not {name.casefold(), other.casefold()} & set(owners):
                found.add(name, other)
        for match in re.finditer(_CALLS, one.text):
            name, other = match["name"], match["other"]
            if name.casefold() not in owners:
                found.add(name, other)
                run = " ".join(re.findall(r"[\w'’-]+", match["whole"])).casefold()
                found.runs.add(run)
                found.filed[run] = name
    return found


def _pairs(text: str, people: Set[str], things: Set[str]) -> Iterator[tuple[str, str]]:
    """The name somebody goes by, and the other one."""
    for match in _matches((*_OLD_THEN_NEW, *_NEW_THEN_OLD), text):
        if _are_of_a_person(match["new"], match["old"], people, things):
            yield match["new"], match["old"]
    for match in _matches(_CHANGED, text):
        yield match["new"], match["old"]
    for match in _matches(_MAIDEN, text):
        old = match["old"]
        yield match["new"], old if " " in old else f"{match['new'].split()[0]} {old}"


def _own(said: Sentence) -> Iterator[tuple[str, str]]:
    """What somebody says of the name they have themselves."""
    speaker = said.speaker
    if said.role is not Role.OTHER or speaker is None:
        return
    for match in _matches(_OWN, said.text):
        new = match["new"] if " " in match["new"] else f"{speaker.split()[0]} {match['new']}"
        if new.split()[0].casefold() == speaker.split()[0].casefold():
            yield new, speaker


def _matches(patterns: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    found = (match for pattern in patterns for match in re.finditer(pattern, text))
    # "Eva Lund is now Tom Berg's boss"
    return (one for one in found if not any(name.endswith(_WHOSE) for name in one.groups("")))


def _are_of_a_person(new: str, old: str, people: Set[str], things: Set[str]) -> bool:
    """A person keeps one of their names; "Acme Labs is Acme Works now" is no matter of people."""
    words, others = set(new.casefold().split()), set(old.casefold().split())
    spelled = {new.casefold(), old.casefold()}
    return bool(words & others) and spelled.isdisjoint(things) and not spelled.isdisjoint(people)
