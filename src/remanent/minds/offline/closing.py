"""What a statement says is over: "sold the Panda", "gave up Polish", "moved from Oracle to Redis".

It names the thing, seldom how it was put before. So an older statement is closed when it tells of the
same one, and of that thing, and beside that only what somebody does with things: have, use, learn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from remanent.minds.offline import lexicon
from remanent.minds.offline.opposites import plain

_WHO = r"(?P<who>I|[Ww]e|[A-Z][\w-]*(?: [A-Z][\w-]*)*)"
_THING = (
    r"(?:(?:my|our|his|her|their|its|the|a|an) )?(?P<thing>[\w'.-]+(?: (?!now\b)[\w'.-]+){0,2}?)"
)
_PHASE = r"(?P<thing>[\w'.-]+(?: [\w'.-]+){0,3}?)"
_OWNED = r"(?:the|my|our|his|her|their|its)"
_GONE = (
    r"(?:is gone|is history|had to go|died|gave up the ghost|broke down for good"
    r"|went to the (?:scrapyard|scrap heap|dump|breakers)"
    r"|was (?:stolen|scrapped|sold|written off|totalled))\b"
)
_REPLACED = r"new [\w ]+ (?:is|are) [^;,]+[;,] (?:and |so |but )?"
_END = r"(?=$|[,;.]| and | now\b| any ?more| in | on | last | this | because )"
_OVER = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_WHO} (?:has |have )?(?:sold|scrapped|got rid of|gotten rid of|gave away|given away) {_THING}{_END}",
        rf"^{_WHO} (?:has |have )?(?:gave up|given up|dropped|quit|cancelled|canceled) {_THING}{_END}",
        rf"^{_WHO} (?:has |have )?closed (?:my|the|his|her|their|our) accounts? (?:at|with) {_THING}{_END}",
        rf"^{_WHO} (?:has |have )?(?:broke|broken|split) up with {_THING}{_END}",
        rf"^{_WHO} (?:has |have )?(?:[\w ]+?,? )?(?:moved|switched|migrated|changed|went|gone)(?: [\w ]+?,?)? from {_THING} to .+$",
        rf"^{_WHO} .+ instead of {_THING}{_END}",
        rf"^{_WHO} (?:am|is|are|was) no longer (?:(?:in|at|on|with|for) )?{_THING}{_END}",
        rf"^{_WHO} handed {_THING} over to .+$",
        rf"^{_WHO} (?:has |have )?(?:traded|swapped|exchanged)(?: in)? {_THING}(?: in)? for .+$",
        rf"^{_WHO} (?:has |have )?(?:handed|gave|given) {_THING} (?:in|back)\b",
        rf"^{_WHO} (?:am|is|are) .+?, not {_PHASE} any ?more$",
        rf"^[Tt]he status of {_WHO} (?:has |was )?changed from {_PHASE} to .+$",
        rf"^{_WHO} .+ (?:when|since|because|after|now that) {_OWNED} {_THING} {_GONE}",
        rf"^(?P<who>[Mm]y|[Oo]ur) {_REPLACED}{_OWNED} {_THING} {_GONE}",
        rf"^{_WHO}'s? {_REPLACED}{_OWNED} {_THING} {_GONE}",
        rf"^[Nn]o more {_THING} for (?P<who>me|us)\b",
        rf"^[Nn]o more {_THING} for (?:him|her|them)\s*[:;,] {_WHO} ",
        rf"^[Tt]he {_THING} is gone[,;:] (?:and |so )?{_WHO} ",
    )
)
_TIRED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_WHO} used to (?:love|like|adore|enjoy|prefer) {_THING}(?:, but |$)",
        rf"^{_WHO} (?:am|is|are) (?:so |totally )?(?:over|tired of|fed up with|done with) {_THING}{_END}",
    )
)
_NAMES = re.compile(r"[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_OWN = frozenset({"i", "my", "we", "our"})
_TOGETHER = frozenset({"we", "our"})
_ANYBODY = frozenset({"the", "nothing"})
_SLIGHT = frozenset({"in", "on", "at", "for", "with", "the", "under", "of"})
_SAID_OF = lexicon.words(
    "have own drive car bike use database db tool stack store datum data run work employer job be bank"
    " account saving drink morning breakfast prefer start train gym go membership time week weekend day"
    " learn study do play eat smoke take practise practice hobby spend course class lesson attend"
    " partner date see together couple call deadline due status lead manage project charge dentist as"
    " every always hold phase need new tyre tire service repair two three monday tuesday wednesday"
    " thursday friday saturday sunday"
)
"""What may be said of a thing beside its name; "I was born in Oslo" stays, whatever was left."""
_PRAISE = lexicon.words(
    "love like adore enjoy favourite favorite food dish meal snack best nothing beat say could choose any"
    " other more than always"
)
"""What is said of a thing by whoever is not tired of it."""


@dataclass(frozen=True, slots=True)
class Closing:
    """Who is done with what; `who` is empty for the speaker, and `called` is the first of these names.
    `tired` when only the liking is over."""

    who: frozenset[str]
    called: str
    thing: frozenset[str]
    tired: bool = False


def closings(text: str) -> list[Closing]:
    """All that a statement says is over."""
    said = " ".join(text.split()).rstrip(".!")
    found = ((pattern.match(said), pattern in _TIRED) for pattern in (*_OVER, *_TIRED))
    return [
        one
        for match, tired in found
        if match is not None and (one := _closing(match, tired=tired)).thing
    ]


def _closing(found: re.Match[str], *, tired: bool) -> Closing:
    who = found["who"].lower()
    own = who in {"i", "we", "me", "us", "my", "our"}
    return Closing(
        tired=tired,
        who=frozenset() if own else plain(who.split()),
        called="" if own else who.split()[0],
        thing=plain(
            word.strip(".") for word in found["thing"].lower().split() if word not in _SLIGHT
        ),
    )


def is_closed(closing: Closing, words: frozenset[str], text: str) -> bool:
    """Whether a statement that still holds tells of just that; `words` are its lemmas.

    What begins with "I" or "my" is the speaker's, what begins with "the" may be anybody's, and "we"
    may speak of what has a name. "Eva" may be "Eva Lund".
    """
    said, word = plain(words), text.split()[0].lower()
    who = closing.who
    names = _NAMES.match(text)
    if names is not None and closing.called == names[0].lower().split()[0]:
        named = plain(names[0].lower().split())
        who = named if named <= who or who <= named else who
    own = word in _OWN
    if (own and word not in _TOGETHER) if closing.who else not (own or word in _ANYBODY):
        return False
    if not closing.thing <= said or not who <= said:
        return False
    known = plain(_SAID_OF | _PRAISE if closing.tired else _SAID_OF)
    return said - closing.thing - who <= known
