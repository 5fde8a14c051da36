"""Names: who and what is called by name in a source, and which of its words speak of them.

The reader says what is a name and of what type; here spellings of one person come together, and every
place in the source has its vote on the type.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from remanent.anchors.rules.nicknames import GIVEN_NAMES
from remanent.anchors.rules.roles import CALLED_SO, FAMILIAR, OF_MANY, ROLES, is_craft
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.belief import OWNER
from remanent.core.model.mind_types import Reading
from remanent.minds.offline.lexicon import POSSESSOR, TITLES
from remanent.minds.offline.lexicon import words as words_of
from remanent.minds.offline.renames import Renames, find_renames
from remanent.minds.offline.sentences import Role, Sentence, role_of, singular
from remanent.minds.reader.labels import THINGS
from remanent.minds.reader.reading import Mention, Place, ReadSource

PERSON: Final = "person"
CONCEPT: Final = "concept"
_POSSESSED: Final = re.compile(
    r"\b(?:my|our|your|his|her|their|its|the|a|an|this|that|some|new|old|\w+['’]s)\s+$",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|me|my|mine|myself)\b(?!['’]?\w)|\bI(?=['’])", re.IGNORECASE
)


@dataclass(slots=True, eq=False)
class Named:
    """One person or thing; `kind` is person, concept, or the type of entity. Whoever is known by a
    `role` only ("mother") has a name made of it and of whose it is."""

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
        return f"my{self.name[2:]}" if self.role and self.of == OWNER else self.name

    @property
    def spellings(self) -> set[str]:
        return {self.name.casefold(), *(alias.casefold() for alias in self.aliases)}


Who = Named | str | None
"""Somebody or something with a name, the owner, the role of somebody known by that only, or nobody."""


@dataclass(slots=True, eq=False)
class Names:
    """Everything named in a source; `spoken_of` has all places that speak of it, pronouns among them."""

    named: list[Named]
    owner_spellings: frozenset[str]
    spoken_of: dict[int, list[tuple[Place, Named | str]]]
    by_key: dict[str, Named]
    speakers: dict[int, Named | str | None]
    """By turn, who speaks: a person, the owner, or None for a program."""

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


def find_names(spoken: Sequence[Sentence], read: ReadSource, reading: Reading) -> Names:
    """All names in the source, each person and thing once, pronouns and roles tied to them."""
    owners = _owner_spellings(reading)
    programs = {name.casefold() for name in reading.assistants}
    roles = [role_of(passage.speaker, reading) for passage in reading.passages]
    speakers = list(dict.fromkeys(
        passage.speaker for passage, role in zip(reading.passages, roles, strict=True)
        if role is Role.OTHER and passage.speaker
    ))  # fmt: skip
    mentions = [
        one
        for one in map(_without_role, read.mentions)
        if one.surface.casefold() not in owners | programs and _is_name(one, reading)
    ]
    types = _types(mentions, speakers, reading)
    people = {text for text, kind in types.items() if kind == PERSON}
    renames = find_renames(spoken, owners, people, types.keys() - people)
    parts = {part for name in renames.people for part in name.split()}
    types |= dict.fromkeys([*renames.people, *(types.keys() & parts)], PERSON)
    named = [
        *_people([m for m in mentions if types[_folded(m)] == PERSON], speakers, owners, renames),
        *_things([m for m in mentions if types[_folded(m)] != PERSON], types),
    ]
    by_key = {spelling: one for one in named for spelling in one.spellings}
    by_key |= {_folded(m): one for one in named for m in mentions if m.place in one.places}
    names = Names(named, frozenset(owners), defaultdict(list), by_key, {})
    for turn, (passage, role) in enumerate(zip(reading.passages, roles, strict=True)):
        names.speakers[turn] = (
            OWNER if role is Role.OWNER
            else by_key.get((passage.speaker or "").casefold()) if role is Role.OTHER
            else None
        )  # fmt: skip
    _add_roles(names, read, reading)
    for place, who in sorted(_spoken_of(names, read, reading), key=lambda one: one[0].start):
        names.spoken_of[place.turn].append((place, who))
    return names


def _folded(mention: Mention) -> str:
    return mention.surface.casefold()


def _spoken_of(
    names: Names, read: ReadSource, reading: Reading
) -> Iterator[tuple[Place, Named | str]]:
    yield from ((place, one) for one in names.named for place in one.places)
    tied = {reference.place for reference in read.references}
    for reference in read.references:
        if (who := names.of_key(reference.key)) is not None:
            yield reference.place, who
    for mention in read.mentions:
        role = singular(mention.surface)
        taken = any(mention.place in one.places for one in names.named if one.role)
        if mention.type == PERSON and role in ROLES and mention.place not in tied and not taken:
            yield mention.place, role
    for turn, passage in enumerate(reading.passages):
        if (who := names.speakers[turn]) is not None:
            spans = (found.span() for found in _FIRST_PERSON.finditer(passage.text))
            yield from ((Place(turn, *span), who) for span in spans)


_PRONOUNS: Final = words_of(
    "i me my you your he him his she her hers it its we us our they them their this that these those who"
    " someone somebody everyone everybody nobody anyone one"
)
_OWNED: Final = re.compile(r"(?P<name>.+?)['’]s (?:[\w-]+ )?(?P<role>[\w-]+)")


def _without_role(mention: Mention) -> Mention:
    """ "Maria" of "Maria's brother": a name, and somebody else's role."""
    found = _OWNED.fullmatch(mention.surface) if mention.type == PERSON else None
    if found is None or singular(found["role"]) not in ROLES:
        return mention
    start = mention.place.start
    place = Place(mention.place.turn, start, start + found.end("name"))
    return replace(mention, surface=found["name"], place=place)


_SURE_SMALL: Final = 0.95


def _is_name(mention: Mention, reading: Reading) -> bool:
    """Whether it is called by name: "Priya" and "Hansen Boats", not "my sister" and "the gym"."""
    if (
        mention.type == "date"
        or len(mention.surface) < 2
        or not any(letter.isalpha() for letter in mention.surface)
        or mention.surface.casefold() in _PRONOUNS
    ):
        return False
    last = mention.surface.split()[-1]
    if mention.type == CONCEPT or (singular(last) in ROLES and last == mention.surface):
        return mention.type == CONCEPT and mention.sure >= 0.6
    if any(part[:1].isupper() or part[:1].isdigit() for part in mention.surface.split()):
        return True
    text = reading.passages[mention.place.turn].text
    if _POSSESSED.search(text[: mention.place.start]):
        return False
    if text == text.lower():
        return mention.type != PERSON or last in GIVEN_NAMES or mention.sure >= 0.8
    small = text[:1].islower() and mention.type == PERSON and " " not in mention.surface
    return small and mention.sure >= _SURE_SMALL and not is_craft(last)  # "raj is at Deloitte now"


_BEFORE: Final = (
    ("organization", re.compile(
        r"\b(?:work(?:s|ed|ing)?|job|position|intern(?:s|ed|ship)?|shift)\b[^.;,]{0,25}\bat\s+(?:the\s+)?$",
        re.IGNORECASE)),
    ("location", re.compile(
        r"\b(?:live[sd]?|living|born|grew up)\b[^.;,]{0,20}\bin\s+$|\bmoved (?:back )?to\s+$", re.IGNORECASE)),
)  # fmt: skip
"""Words before a name that leave no doubt of what it is, whatever else is said."""
_NO_DOUBT: Final = 3.0


def _types(
    mentions: Sequence[Mention], speakers: Iterable[str], reading: Reading
) -> dict[str, str]:
    """By spelling, what each name is: that which all its places together speak for most."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in mentions:
        votes[_folded(one)][one.type] += one.typed  # type: ignore[assignment]
        for kind in THINGS.intersection(_folded(one).split()):  # "Project Atlas" says what it is
            votes[_folded(one)][kind] += _NO_DOUBT  # type: ignore[assignment]
        before = reading.passages[one.place.turn].text[: one.place.start]
        for kind, pattern in _BEFORE:
            if pattern.search(before):
                votes[_folded(one)][kind] += _NO_DOUBT  # type: ignore[assignment]
    types = {text: max(counts, key=lambda kind: counts[kind]) for text, counts in votes.items()}
    speaking = {part for name in speakers for part in (name.casefold(), name.casefold().split()[0])}
    types |= dict.fromkeys(types.keys() & speaking, PERSON)
    full = [text.split() for text, kind in types.items() if kind == PERSON and " " in text]
    last = {parts[-1] for parts in full} | {parts[0] for parts in full}
    return types | dict.fromkeys(types.keys() & last, PERSON)


def _owner_spellings(reading: Reading) -> set[str]:
    full = {name.casefold().strip() for name in reading.owner_names}
    return full | {name.split()[0] for name in full if name}


def _people(
    mentions: Sequence[Mention], speakers: Sequence[str], owners: set[str], renames: Renames
) -> list[Named]:
    said = [*speakers, *(_untitled(m.surface) for m in mentions), *renames.people.values()]
    texts = [renames.name(text) for text in said]
    full = _full_names(texts, owners)
    people: dict[str, Named] = {}
    for speaker in speakers:
        name = renames.name(speaker)
        target = _target(name, full, speakers) or name
        one = people.setdefault(target.casefold(), Named(target, PERSON))
        one.speaks, one.sure = True, 1.0
        _add_spelling(one, speaker, name, renames)
    for mention in mentions:
        text = _titled(_untitled(mention.surface))
        name = renames.name(text)
        if " " not in text and (known := renames.by_part(text)) is not None:
            name = known
        filed = _target(name, full, speakers)
        if filed is None:
            continue
        one = people.setdefault(filed.casefold(), Named(filed, PERSON))
        if renames.by_part(text) is None:
            _add_spelling(one, text, name, renames)
        one.places.append(mention.place)
        one.sure = max(one.sure, mention.sure)
    for text in renames.people.values():  # said outright, whatever the reader made of it
        filed = renames.name(text)
        one = people.setdefault(filed.casefold(), Named(filed, PERSON, sure=0.9))
        _add_spelling(one, text, filed, renames)
    return list(people.values())


def _untitled(text: str) -> str:
    parts = text.split()
    while len(parts) > 1 and parts[0].casefold() in TITLES:
        parts = parts[1:]
    return " ".join(parts).removesuffix("'s").removesuffix("’s")


def _titled(text: str) -> str:
    """A name with its capitals, as nobody writes it in a hurry."""
    return text.title() if text == text.lower() else text


def _full_names(texts: Iterable[str], owners: set[str]) -> list[str]:
    """Names of more than one word, longest first."""
    unique = {text.casefold(): text for text in texts if text.casefold() not in owners}
    ordered = sorted(unique.values(), key=lambda text: (-len(text.split()), text))
    return [text for text in ordered if len(text.split()) > 1]


def _target(text: str, full: Sequence[str], speakers: Sequence[str]) -> str | None:
    """The name under which a spelling is filed; None when it could be two people."""
    folded = text.casefold()
    parts = folded.split()
    if len(parts) == 1:
        fitting = [
            name
            for name in full
            if folded in {name.casefold().split()[0], name.casefold().split()[-1]}
        ]
        if len(fitting) > 1:
            return None
        if fitting:
            return fitting[0]
        short = [one for one in speakers if one.casefold().startswith(folded) and len(folded) > 2]
        return short[0] if len(short) == 1 else _as_spelled(text, speakers)
    holding = [name for name in full if name.casefold() != folded and _holds(name, parts)]
    return holding[0] if len(holding) == 1 else _as_spelled(text, full)


def _holds(name: str, words: Sequence[str]) -> bool:
    # "Sarah Chen" in "Sarah Jane Chen"
    parts = name.casefold().split()
    return len(parts) > len(words) and parts[0] == words[0] and parts[-1] == words[-1]


def _as_spelled(text: str, known: Sequence[str]) -> str:
    return next((name for name in known if name.casefold() == text.casefold()), text)


def _add_spelling(one: Named, text: str, name: str, renames: Renames) -> None:
    """Both as it was written and as it is filed, with what else the source says they are called."""
    more = renames.given.get(name.casefold(), set()) | renames.given.get(one.name.casefold(), set())
    for spelling in {text, name} | more:
        if spelling.casefold() not in {one.name.casefold(), *renames.runs}:
            one.aliases.add(spelling)


def _things(mentions: Sequence[Mention], types: dict[str, str]) -> list[Named]:
    things: dict[str, Named] = {}
    for mention in mentions:
        kind = types[_folded(mention)]
        text = mention.surface if kind == CONCEPT else _titled(mention.surface)
        one = things.setdefault(text.casefold(), Named(text, kind))
        one.places.append(mention.place)
        one.sure = max(one.sure, mention.sure)
    return list(things.values())


# --- people known by a role --------------------------------------------------------------------


_WHOSE: Final = re.compile(
    rf"(?:\b(?P<whose>my|our|his|her|their|the)|(?P<owner>{POSSESSOR}))\s+$", re.IGNORECASE
)
_FREE: Final = re.compile(
    r"(?:^|[.!?,;:\n]|\b(?:and|but|with|to|for|told|called|rang|from|at|if|because))\s*$",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r",?\s*(?:called|named|is)?\s*")
_PAUSE: Final = re.compile(r"\s*(?:[^\w\s'’]|$)")
_IS: Final = re.compile(r"(?:,| is| was|['’]s)\s+(?:also |still |now )?")


def _add_roles(names: Names, read: ReadSource, reading: Reading) -> None:
    """Somebody for each role of a known one ("my mother", "Sara's boss") that no name is given for; where
    one stands beside it, that one is called so, too."""
    found: dict[str, Named] = {}
    keys: dict[str, set[str]] = defaultdict(set)
    means = {one.place: one.key for one in read.references}
    for place, said in _role_mentions(read):
        text = reading.passages[place.turn].text
        whose = _whose(names, read, means, place, said, text)
        if whose is None or not _may_have(names, whose, said[-1]):
            continue
        role = " ".join((*said[:-1], FAMILIAR.get(said[-1], said[-1])))
        name, spelled = _possessed(whose, role), _possessed(whose, " ".join(said))
        whose_at = _WHOSE.search(text[: place.start])
        whole = replace(place, start=whose_at.start() if whose_at else place.start)
        people = ((p, one) for one in names.named for p in one.places if one.kind == PERSON)
        if (called := beside(people, whole, text)) is not None:
            called.aliases |= {name, spelled}
        elif names.of_key(means.get(place, "")) is None and _matters(read, place, said):
            if name not in found:
                found[name] = Named(name[:1].upper() + name[1:], PERSON, role=said[-1], of=whose)
                names.named.append(found[name])
            one = found[name]
            one.places.append(place)
            one.sure = 0.9
            one.aliases |= {spelled if whose_at else text[place.start : place.end]} - {name}
            keys[" ".join(said)].add(name)
            names.by_key.setdefault(" ".join(said), one)
    for key in (one for one, names_of in keys.items() if len(names_of) > 1):
        if names.by_key[key].role:  # two mothers: nobody knows which
            del names.by_key[key]


def _may_have(names: Names, whose: Named | str, role: str) -> bool:
    """Whether somebody is told of by this role of theirs: a craft of the owner's only; and who the
    owner's own are is not for others to say."""
    if isinstance(whose, str):
        return whose == OWNER
    return role in ROLES and not whose.spellings & names.owner_spellings


def _matters(read: ReadSource, place: Place, said: list[str]) -> bool:
    """Whether somebody is more than a passing word: part of a statement worth keeping, or of a tie."""
    kept = (one.place for one in read.statements if one.place.turn == place.turn)
    ties = (one for one in read.relations if one.turn == place.turn)
    return any(one.start <= place.start < one.end for one in kept) or any(
        " ".join(said) in {one.src.casefold(), one.dst.casefold()} for one in ties
    )


def _possessed(whose: Named | str, role: str) -> str:
    return f"{whose.name}'s {role}" if isinstance(whose, Named) else f"my {role}"


def _role_mentions(read: ReadSource) -> Iterator[tuple[Place, list[str]]]:
    """Where a role of one individual stands, and its words: "older sister"."""
    for one in read.mentions:
        owned = _OWNED.fullmatch(one.surface)
        start = one.place.start + (owned.end("name") + 3 if owned else 0)
        said = (one.surface[owned.end("name") + 3 :] if owned else one.surface).casefold().split()
        if said and said[-1].startswith("ex-"):  # "ex-husband"
            said[-1:] = ["ex", said[-1][3:]]
        if one.type != PERSON or not 0 < len(said) < 4:
            continue
        if said[-1] in ROLES - OF_MANY or said == ["best", "friend"] or is_craft(said[-1]):
            yield replace(one.place, start=start), said


def _whose(
    names: Names,
    read: ReadSource,
    means: dict[Place, str],
    place: Place,
    said: list[str],
    text: str,
) -> Named | str | None:
    """Whom somebody with this role belongs to; None where nobody knows."""
    before = text[: place.start]
    speaker = names.speakers.get(place.turn)
    found = _WHOSE.search(before)
    if found is None:
        return speaker if said[-1] in CALLED_SO and _FREE.search(before) else None
    word = (found["whose"] or "").casefold()
    if word in {"my", "our"}:
        return speaker
    if word == "the":
        return _tied(names, read, place.turn, said)
    at = found.start("owner") if found["owner"] else found.start("whose")
    if found["owner"]:
        end = at + len(found["owner"]) - 2
        spots = [(p, one) for one in names.named for p in one.places]
        return next((one for p, one in spots if p.turn == place.turn and p.end == end), None)
    key = next((k for p, k in means.items() if p.turn == place.turn and p.start == at), "")
    return names.of_key(key)


def _tied(names: Names, read: ReadSource, turn: int, said: list[str]) -> Named | str | None:
    """Whose "the dentist" is: of whom the reader says so."""
    for one in read.relations:
        if one.turn == turn and one.name in _SERVING and one.dst.casefold() == " ".join(said):
            return names.of_key(one.src)
    return None


_SERVING: Final = frozenset({"served by", "boss"})


def beside(spots: Iterable[tuple[Place, Named | str]], whole: Place, text: str) -> Named | None:
    """Whose name follows the role, or is said to have it: "my sister Maria", "Maria is my sister"."""
    for spot, who in spots:
        if not isinstance(who, Named) or spot.turn != whole.turn or who.role:
            continue
        follows = spot.start >= whole.end and _NEXT.fullmatch(text[whole.end : spot.start])
        leads = spot.end <= whole.start and _IS.fullmatch(text[spot.end : whole.start])
        comma = "," in (text[whole.end : spot.start] if follows else text[spot.end : whole.start])
        if comma and not _PAUSE.match(text[max(whole.end, spot.end) :]):
            continue  # "I told my sister, Tom was late"
        if follows or leads:
            return who
    return None
