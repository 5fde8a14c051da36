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
from remanent.anchors.rules.roles import ROLES
from remanent.core.dataclasses import replace
from remanent.core.model.belief import OWNER
from remanent.core.model.mind_types import Reading
from remanent.minds.offline.lexicon import TITLES
from remanent.minds.offline.lexicon import words as words_of
from remanent.minds.offline.named import CONCEPT, PERSON, Named, Names
from remanent.minds.offline.renames import Renames, find_renames
from remanent.minds.offline.sentences import Role, Sentence, role_of, singular
from remanent.minds.offline.unnamed import OWNED, add_unnamed
from remanent.minds.reader.reading import Mention, Place, ReadSource

_POSSESSED: Final = re.compile(
    r"\b(?:my|our|your|his|her|their|its|the|a|an|this|that|some|new|old|\w+['’]s)\s+$",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|me|my|mine|myself)\b(?!['’]?\w)|\bI(?=['’])", re.IGNORECASE
)


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
        for whole in read.mentions
        for one in _name_in(whole)
        if one.surface.casefold() not in owners | programs and _is_name(one, reading)
    ]
    types = _types(mentions, speakers)
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
    add_unnamed(names, read, reading)
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
        who = names.of_key(reference.key)
        if who is not None and not (_MANY.match(reference.surface) and _is_of_two(who, reading)):
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


_MANY: Final = re.compile(r"the(?:y|m|ir|irs)\b", re.IGNORECASE)


def _is_of_two(who: Named | str, reading: Reading) -> bool:
    """Whether somebody is told of with another, as in "Anna and Tom", so that "they" is not Anna alone."""
    if isinstance(who, str) or who.kind != PERSON:
        return False
    texts = [(reading.passages[one.turn].text, one) for one in who.places]
    return any(
        re.match(r"\s+(?:and|&)\s", text[one.end :])
        or re.search(r"\b(?:and|&)\s+$", text[: one.start])
        for text, one in texts
    )


_PRONOUNS: Final = words_of(
    "i me my you your he him his she her hers it its we us our they them their this that these those who"
    " someone somebody everyone everybody nobody anyone one"
)


def _name_in(mention: Mention) -> list[Mention]:
    """ "Maria" of "Maria's brother", a name and somebody else's role, and of "Maria's flat" likewise."""
    found = OWNED.fullmatch(mention.surface)
    if found is None or found["role"][:1].isupper():
        return [mention]
    if mention.type == PERSON and singular(found["role"]) not in ROLES:
        return [mention]
    if mention.type != PERSON and found["name"].casefold() not in GIVEN_NAMES:
        return [mention]
    start = mention.place.start
    place = Place(mention.place.turn, start, start + found.end("name"))
    return [replace(mention, surface=found["name"], place=place, type=PERSON)]


_SURE_SMALL, _SURE_EVENT = 0.95, 0.9
_NAMED_IN_SMALL: Final = frozenset(("organization", "location", "group", "project"))
"""What mostly has a name where nothing has capitals: "pager" and "raffle" have none."""


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
    text = reading.passages[mention.place.turn].text
    parts = mention.surface.split()
    if any(part[:1].isupper() or part[:1].isdigit() for part in parts):
        # "Lunch with Tom": the beginning of a sentence gives any word a capital
        return mention.type != "event" or len(parts) > 1 or mention.sure >= _SURE_EVENT
    if _POSSESSED.search(text[: mention.place.start]):
        return False
    if text == text.lower():
        called = last in GIVEN_NAMES or mention.sure >= 0.8
        return called if mention.type == PERSON else mention.type in _NAMED_IN_SMALL
    small = text[:1].islower() and mention.type == PERSON and " " not in mention.surface
    return small and mention.sure >= _SURE_SMALL  # "raj is at Deloitte now"


def _types(mentions: Sequence[Mention], speakers: Iterable[str]) -> dict[str, str]:
    """By spelling, what each name is: that which all its places together speak for most."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in mentions:
        votes[_folded(one)][one.type] += one.typed  # type: ignore[assignment]
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
    return _as_spelled(text, full)


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
