"""Who and what is called by name in a source, and which words speak of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.core.model.mind_types import Reading
from remanent.minds.offline import lexicon
from remanent.minds.offline.kinds import introduced_by, is_titled, kinds_of
from remanent.minds.offline.mentions import PERSON, TYPES, Mention, find_mentions
from remanent.minds.offline.renames import Renames, find_renames
from remanent.minds.offline.said import Role, Said, is_question

if TYPE_CHECKING:
    from spacy.tokens import Token


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
