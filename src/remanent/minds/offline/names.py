"""Regions that contain other places: to live in one of them and in a town is no contradiction.

Who and what is called by name in a source, and which words speak of them.

Where a source says outright that two names are one person's: "Eva Lund, née Berg".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.core.model.anchor import Anchor, Concept, Person
from remanent.core.model.mind_types import Reading
from remanent.minds.offline import lexicon
from remanent.minds.offline.lexicon import FIRST_PERSON, words
from remanent.minds.offline.mentions import (
    PERSON,
    TYPES,
    Mention,
    find_mentions,
    introduced_by,
    is_titled,
    kinds_of,
)
from remanent.minds.offline.voice import Role, Said, is_question

if TYPE_CHECKING:
    from spacy.tokens import Token


COUNTRIES = words(
    "norway sweden denmark finland iceland germany france spain portugal italy austria switzerland"
    " netherlands holland belgium luxembourg ireland england scotland wales uk britain poland czechia"
    " slovakia hungary romania bulgaria greece turkey ukraine russia estonia latvia lithuania croatia"
    " serbia slovenia usa us u.s. states america canada mexico brazil argentina chile peru colombia"
    " venezuela ecuador uruguay bolivia cuba jamaica china japan korea india pakistan bangladesh nepal"
    " thailand vietnam indonesia malaysia philippines taiwan australia zealand egypt morocco nigeria"
    " kenya ethiopia ghana africa asia europe scandinavia israel iran iraq lebanon jordan syria qatar"
    " emirates arabia bavaria catalonia tuscany california texas florida oregon washington ohio"
    " michigan illinois colorado arizona nevada utah virginia georgia massachusetts ontario quebec"
    " alberta queensland victoria provence normandy andalusia tasmania hawaii alaska"
)


@dataclass(slots=True, eq=False)
class Named:
    """One person or thing; `kind` is person, or the type of entity."""

    name: str
    kind: str
    aliases: set[str] = field(default_factory=set)
    mentions: list[Mention] = field(default_factory=list)
    speaks: bool = False
    certain: bool = False

    @property
    def spellings(self) -> set[str]:
        return {self.name.casefold(), *(alias.casefold() for alias in self.aliases)}


@dataclass(slots=True, eq=False)
class Names:
    """Everything named in a source. `by_token` tells what a token (passage, place) stands for."""

    named: list[Named]
    by_token: dict[tuple[str, int], Named]
    owner_spellings: frozenset[str]
    addressed: frozenset[tuple[str, int]] = frozenset()
    """Tokens of names that only call somebody, the owner among them."""

    def of(self, said: Said, token: Token) -> Named | None:
        return self.by_token.get((said.passage.key, token.i))

    def speaker_of(self, said: Said) -> Named | None:
        """The person who says it, unless that is the owner or a program."""
        if said.role is not Role.OTHER or said.speaker is None:
            return None
        folded = said.speaker.casefold()
        return next((one for one in self.named if one.speaks and folded in one.spellings), None)


def find_names(told: Sequence[Said], reading: Reading) -> Names:
    """All names in the source, each person and thing once, pronouns tied where that is certain."""
    owners = _owner_spellings(reading)
    speakers = list(dict.fromkeys(s.speaker for s in told if s.role is Role.OTHER and s.speaker))
    speaking = {part for name in [*speakers, *reading.owner_names] for part in _parts(name)}
    mentions = find_mentions(told, speaking)
    kinds = kinds_of(mentions, speaking, {name.casefold() for name in reading.assistants})
    renames = find_renames(told, owners, {text for text, kind in kinds.items() if kind == PERSON})
    kinds |= dict.fromkeys(renames.people, PERSON)
    people = [m for m in mentions if kinds[m.text.casefold()] == PERSON]
    things = [m for m in mentions if kinds[m.text.casefold()] not in {PERSON, ""}]
    people = [m for m in people if m.text.casefold() not in owners]
    named = [*_people(people, speakers, owners, renames), *_things(things, kinds)]
    by_token = {
        (m.said.passage.key, token.i): one
        for one in named
        for m in one.mentions
        for token in m.span
        if not m.called
    }
    addressed = {(m.said.passage.key, token.i) for m in mentions if m.called for token in m.span}
    names = Names(named, by_token, frozenset(owners), frozenset(addressed))
    _tie_pronouns(told, names)
    return names


def _owner_spellings(reading: Reading) -> set[str]:
    full = {name.casefold().strip() for name in reading.owner_names}
    return full | {name.split()[0] for name in full if name}


def _parts(name: str) -> set[str]:
    folded = name.casefold().strip()
    return {folded, *folded.split()[:1]}


# --- one candidate each ------------------------------------------------------------------------


def _people(
    mentions: Sequence[Mention], speakers: Sequence[str], owners: set[str], renames: Renames
) -> list[Named]:
    texts = [renames.name(text) for text in (*speakers, *(m.text for m in mentions))]
    full = _full_names(texts, owners)
    people: dict[str, Named] = {}
    for speaker in speakers:
        name = renames.name(speaker)
        target = _target(name, full, speakers, speaker) or name
        one = people.setdefault(target.casefold(), Named(target, PERSON))
        one.speaks = one.certain = True
        _add_spelling(one, speaker, name, renames)
    for mention in mentions:
        name = renames.name(mention.text)
        filed = _target(name, full, speakers, mention.said.speaker)
        if filed is None:
            continue
        one = people.setdefault(filed.casefold(), Named(filed, PERSON))
        _add_spelling(one, mention.text, name, renames)
        one.mentions.append(mention)
        sure = mention.span[0].lower_ in lexicon.FIRST_NAMES and mention.label != ""
        one.certain |= (
            sure
            or mention.called
            or introduced_by(mention.span) is not None
            or is_titled(mention.span)
            or len(mention.span) > 1
        )
    return list(people.values())


def _full_names(texts: Iterable[str], owners: set[str]) -> list[str]:
    """Names that no other name contains, longest first."""
    unique = {text.casefold(): text for text in texts if text.casefold() not in owners}
    ordered = sorted(unique.values(), key=lambda text: (-len(text.split()), text))
    return [text for text in ordered if len(text.split()) > 1]


def _target(text: str, full: Sequence[str], speakers: Sequence[str], by: str | None) -> str | None:
    """The name under which a spelling is filed; None when it could be two people."""
    folded = text.casefold()
    words = folded.split()
    if len(words) == 1:
        fitting = [
            name
            for name in full
            if folded in {name.casefold().split()[0], name.casefold().split()[-1]}
        ]
        if len(fitting) > 1:
            return None
        if fitting:
            return fitting[0]
        short = [
            s for s in speakers if s != by and s.casefold().startswith(folded) and len(folded) > 2
        ]
        return short[0] if len(short) == 1 else _as_spelled(text, speakers)
    holding = [name for name in full if name.casefold() != folded and _holds(name, words)]
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


def _things(mentions: Sequence[Mention], kinds: dict[str, str]) -> list[Named]:
    things: dict[str, Named] = {}
    for mention in mentions:
        text = mention.text
        one = things.setdefault(text.casefold(), Named(text, kinds[text.casefold()]))
        one.mentions.append(mention)
        one.certain |= TYPES.get(mention.label) == one.kind or mention.label == "PROJECT"
    return list(things.values())


# --- pronouns ----------------------------------------------------------------------------------


def _tie_pronouns(told: Sequence[Said], names: Names) -> None:
    """Tie she and he to the one person that the same speaker has just named, or to nobody."""
    lately: dict[str | None, list[Named]] = {}
    for said in told:
        here: list[Named] = []
        before = lately.get(said.speaker, [])
        for token in said.span:
            one = names.of(said, token)
            if one is not None and one.kind == PERSON and one not in here:
                here.append(one)
            elif token.lower_ in lexicon.FEMALE | lexicon.MALE:
                meant = here or before
                if len(meant) == 1:
                    names.by_token[said.passage.key, token.i] = meant[0]
                    here = here or [meant[0]]
        # A question in between does not change who is being spoken of.
        if here or not is_question(said.span):
            lately[said.speaker] = here


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
    def people(self) -> set[str]:
        """All spellings that are names of people, by what is said of them."""
        return {*self.filed, *(name.casefold() for name in self.filed.values())}

    def name(self, text: str) -> str:
        """The name under which this one belongs."""
        seen = {text.casefold()}
        while (more := self.filed.get(text.casefold())) and more.casefold() not in seen:
            text = more
            seen.add(text.casefold())
        return text

    def add(self, name: str, other: str) -> None:
        if name.casefold() != other.casefold():
            self.filed[other.casefold()] = name
            self.given.setdefault(name.casefold(), set()).add(other)


def find_renames(told: Sequence[Said], owners: Collection[str], people: Set[str]) -> Renames:
    """All second names that the source gives somebody in so many words. The owner gets none; `people`
    are spellings of names that look like a person's."""
    found = Renames()
    for said in told:
        if said.role is Role.ASSISTANT or said.span.text.rstrip().endswith("?"):
            continue
        text = " ".join(said.span.text.split())
        pairs = [*_pairs(text, people), *_own(said, text)]
        for name, other in pairs:
            if not {name.casefold(), other.casefold()} & set(owners):
                found.add(name, other)
        for match in re.finditer(_CALLS, text):
            name, other = match["name"], match["other"]
            if name.casefold() not in owners:
                found.add(name, other)
                run = " ".join(re.findall(r"[\w'’-]+", match["whole"])).casefold()
                found.runs.add(run)
                found.filed[run] = name
    return found


def _pairs(text: str, people: Set[str]) -> Iterator[tuple[str, str]]:
    """The name somebody goes by, and the other one."""
    for match in _matches((*_OLD_THEN_NEW, *_NEW_THEN_OLD), text):
        if _are_of_a_person(match["new"], match["old"], people):
            yield match["new"], match["old"]
    for match in _matches(_CHANGED, text):
        yield match["new"], match["old"]
    for match in _matches(_MAIDEN, text):
        old = match["old"]
        yield match["new"], old if " " in old else f"{match['new'].split()[0]} {old}"


def _own(said: Said, text: str) -> Iterator[tuple[str, str]]:
    """What somebody says of the name they have themselves."""
    speaker = said.speaker
    if said.role is not Role.OTHER or speaker is None:
        return
    for match in _matches(_OWN, text):
        new = match["new"] if " " in match["new"] else f"{speaker.split()[0]} {match['new']}"
        if new.split()[0].casefold() == speaker.split()[0].casefold():
            yield new, speaker


def _matches(patterns: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    found = (match for pattern in patterns for match in re.finditer(pattern, text))
    # "Eva Lund is now Tom Berg's boss"
    return (one for one in found if not any(name.endswith(_WHOSE) for name in one.groups("")))


def _are_of_a_person(new: str, old: str, people: Set[str]) -> bool:
    """A person keeps one of their names; "Acme Labs is Acme Works now" is no matter of people."""
    words, others = new.casefold().split(), old.casefold().split()
    things = lexicon.ORGANIZATION_WORDS | lexicon.PLACE_WORDS
    if not set(words) & set(others) or {words[-1], others[-1]} & things:
        return False
    known = bool({words[0], others[0]} & lexicon.FIRST_NAMES)
    return known or (
        words[0] == others[0] and not people.isdisjoint({new.casefold(), old.casefold()})
    )


@dataclass(frozen=True, slots=True)
class Anchored:
    """`by_token` goes from (passage, place) to the anchor."""

    by_token: dict[tuple[str, int], Anchor]

    def of(self, said: Said, token: Token) -> Anchor | None:
        return self.by_token.get((said.passage.key, token.i))

    def within(self, said: Said, tokens: Sequence[Token]) -> list[Anchor]:
        found = [self.of(said, token) for token in tokens]
        return list({one.key: one for one in found if one is not None}.values())


def tie(told: Sequence[Said], names: Names, anchors: Sequence[Anchor]) -> Anchored:
    """Every word that names an anchor, points at it, or is its own "I"."""
    spelled = {spelling: anchor for anchor in reversed(anchors) for spelling in _spellings(anchor)}
    owner = next((a for a in anchors if isinstance(a, Person) and a.is_owner), None)
    by_named = {id(one): _anchor_of(one.spellings, spelled) for one in names.named}
    by_token: dict[tuple[str, int], Anchor] = {}
    for (passage, place), one in names.by_token.items():
        if (anchor := by_named[id(one)]) is not None:
            by_token[passage, place] = anchor
    phrases = {
        tuple(spelling.split()): anchor
        for spelling, anchor in spelled.items()
        if not (isinstance(anchor, Person) and len(spelling) < 3)
    }
    for said in told:
        self_anchor = _self(said, names, owner, by_named)
        _tie_sentence(said, phrases, self_anchor, by_token)
    return Anchored({place: a for place, a in by_token.items() if place not in names.addressed})


def _spellings(anchor: Anchor) -> set[str]:
    return {
        " ".join(name.casefold().split()) for name in (anchor.name, *anchor.aliases) if name.strip()
    }


def _anchor_of(spellings: set[str], spelled: dict[str, Anchor]) -> Anchor | None:
    return next(
        (spelled[one] for one in sorted(spellings, key=len, reverse=True) if one in spelled), None
    )


def _self(
    said: Said, names: Names, owner: Anchor | None, by_named: dict[int, Anchor | None]
) -> Anchor | None:
    if said.role is Role.OWNER:
        return owner
    speaker = names.speaker_of(said)
    return by_named[id(speaker)] if speaker is not None else None


def _tie_sentence(
    said: Said,
    phrases: dict[tuple[str, ...], Anchor],
    self_anchor: Anchor | None,
    by_token: dict[tuple[str, int], Anchor],
) -> None:
    tokens = list(said.span)
    for place, token in enumerate(tokens):
        key = (said.passage.key, token.i)
        if self_anchor is not None and token.lower_ in FIRST_PERSON:
            by_token[key] = self_anchor
        for phrase, anchor in phrases.items():
            run = tokens[place : place + len(phrase)]
            if key not in by_token and len(run) == len(phrase) and _reads(run, phrase, anchor):
                for part in run:
                    by_token.setdefault((said.passage.key, part.i), anchor)


def _reads(run: Sequence[Token], phrase: Sequence[str], anchor: Anchor) -> bool:
    if not isinstance(anchor, Concept):
        return all(
            t.lower_ == word and t.text[:1].isupper() for t, word in zip(run, phrase, strict=True)
        )
    return all(word in {t.lower_, t.lemma_.lower()} for t, word in zip(run, phrase, strict=True))
