"""Facts that no main clause states: "my dentist, Dr. Malik, was late", "my number: 911 22 333".

Each gives whose it is, what it is and its value, so that it can be told in words that stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remanent.core.model.belief import OWNER
from remanent.minds.offline import lexicon
from remanent.minds.offline.names import Names
from remanent.minds.offline.qualities import ONE_OF
from remanent.minds.offline.standing import STATUS
from remanent.minds.offline.voice import Role, Said

_NAME = r"(?:[A-Z][\w'’-]*[\w](?<!['’]s)(?: (?:[A-Z][\w'’-]*[\w]|\d+)(?<!['’]s))*)"
_WHOSE = rf"(?P<who>[Mm]y|{_NAME}['’]s?)"
_CONTACT = re.compile(
    rf"\b(?:[Rr]each|[Cc]all|[Tt]ext|[Pp]hone|[Rr]ing|[Cc]ontact) (?P<who>me|{_NAME}) (?:on|at|under)"
    r" (?P<value>\+?\d[\d ()/-]{4,}\d|[\w.+-]+@[\w-]+\.[\w.-]*\w)"
)
_COLON = re.compile(
    rf"^(?:[^:]{{0,30}}[:,] )?{_WHOSE} (?P<noun>[a-z-]+(?: [a-z-]+)?)(?:: ?|, )(?P<value>[\w+][^?!:]{{1,60}}?)[.]?$"
)
_BESIDE = re.compile(rf"{_WHOSE} (?:new |old |little |big )?(?P<noun>[a-z-]+),? (?P<value>{_NAME})")
_BEHIND = re.compile(
    rf"(?P<value>(?:Dr\. )?{_NAME}), {_WHOSE} (?:new |old )?(?P<noun>[a-z-]+)(?=[,.;!]|$)"
)
_COUPLE = re.compile(
    rf"\b(?P<one>I|{_NAME}) and (?P<other>I|{_NAME}) (?:are|have been) (?:now )?(?:a couple|together|an item)"
    r"(?=[.,;!]|$| now| again| since| for (?:a |\w+ (?:year|month|week))| these)"
)
_WHERE = re.compile(
    rf"(?:\b(?:At|In|From|To) )?(?P<value>{_NAME}),? where (?P<who>I|{_NAME}) (?P<verb>work|live|study|studie)s?\b"
)
_STANDING = re.compile(
    rf"^(?:On )?(?P<what>{_NAME})(?:, in [\w ]+)?: (?P<value>[^.?!:]{{3,50}})[.]?$"
)
_HELD = lexicon.PETS | lexicon.PARTNERS | lexicon.CARERS | lexicon.RELATIVES | lexicon.JOBS
_AT = {"work": "at", "live": "in", "study": "at", "studie": "at"}


class Outright(NamedTuple):
    """A statement that stands alone, and whom it is about."""

    statement: str
    about: str


def outright(said: Said, names: Names) -> Iterator[Outright]:
    """What a sentence tells in passing."""
    text = " ".join(said.span.text.split())
    yield from _attributes(said, names, text)
    for found in _COUPLE.finditer(text):
        one, other = sorted((found["one"], found["other"]), key=lambda name: name != "I")
        if (whose := _whose(one, said, names)) is not None:
            yield Outright(f"{_owner(whose)} partner is {_spelled(other, said, names)}", whose)
    for found in _WHERE.finditer(text):
        if (whose := _whose(found["who"], said, names)) is not None:
            verb, at = found["verb"].replace("studie", "study"), _AT[found["verb"]]
            yield Outright(f"{_does(whose, verb)} {at} {found['value']}", whose)
    standing = _STANDING.match(text)
    if standing is not None and _has_status(standing["value"]):
        what = _known(standing["what"], names)
        if what is not None:
            yield Outright(f"{what} is {standing['value']}", what)


def _attributes(said: Said, names: Names, text: str) -> Iterator[Outright]:
    found: list[tuple[str, str, str]] = [
        (one["who"], "email address" if "@" in one["value"] else "phone number", one["value"])
        for one in _CONTACT.finditer(text)
    ]
    for pattern in (_BESIDE, _BEHIND):
        found += [
            (one["who"], one["noun"], one["value"])
            for one in pattern.finditer(text)
            if one["noun"] in _HELD
        ]
    colon = _COLON.match(text)
    if colon is not None and colon["noun"].split()[-1] in ONE_OF and not _has_verb(said):
        found.append((colon["who"], colon["noun"], colon["value"]))
    for who, noun, value in found:
        if (whose := _whose(who, said, names)) is not None:
            named = "is called" if noun in lexicon.PETS else "is"
            yield Outright(f"{_owner(whose)} {noun} {named} {value}", whose)


def _has_status(value: str) -> bool:
    return not STATUS.isdisjoint(re.findall(r"\w+", value.lower()))


def _has_verb(said: Said) -> bool:
    return any(token.pos_ in {"VERB", "AUX"} and token.tag_ != "VB" for token in said.span)


def _whose(who: str, said: Said, names: Names) -> str | None:
    """The owner, or the name of somebody who is known; None for anybody else."""
    bare = re.sub(r"['’]s?$", "", who)
    if bare.lower() in {"i", "me", "my"}:
        if said.role is Role.OWNER:
            return OWNER
        speaker = names.speaker_of(said)
        return None if speaker is None else speaker.name
    return OWNER if bare.casefold() in names.owner_spellings else _known(bare, names)


def _known(name: str, names: Names) -> str | None:
    folded = name.casefold()
    return next((one.name for one in names.named if folded in one.spellings), None)


def _spelled(name: str, said: Said, names: Names) -> str:
    if name != "I" or said.role is Role.OWNER:
        return name
    speaker = names.speaker_of(said)
    return name if speaker is None else speaker.name


def _owner(whose: str) -> str:
    return "My" if whose == OWNER else f"{whose}'s"


def _does(whose: str, verb: str) -> str:
    third = f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s"
    return f"I {verb}" if whose == OWNER else f"{whose} {third}"
