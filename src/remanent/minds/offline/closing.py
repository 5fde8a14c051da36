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
    )
)
_SLIGHT = frozenset({"in", "on", "at", "for", "with", "the", "under"})
_SAID_OF = lexicon.words(
    "have own drive car bike use database db tool stack store datum data run work employer job be bank"
    " account saving drink morning breakfast prefer start train gym go membership time week weekend day"
    " learn study do play eat smoke take practise practice hobby spend course class lesson attend"
    " partner date see together couple call deadline due status lead manage project charge dentist as"
    " every always hold phase two three"
)
"""What may be said of a thing beside its name; "I was born in Oslo" stays, whatever was left."""


@dataclass(frozen=True, slots=True)
class Closing:
    """Who is done with what; `who` is empty for the speaker."""

    who: frozenset[str]
    thing: frozenset[str]


def closings(text: str) -> list[Closing]:
    """All that a statement says is over."""
    said = " ".join(text.split()).rstrip(".!")
    found = (pattern.match(said) for pattern in _OVER)
    return [one for match in found if match is not None and (one := _closing(match)).thing]


def _closing(found: re.Match[str]) -> Closing:
    who = found["who"].lower()
    own = who in {"i", "we"}
    return Closing(
        who=frozenset() if own else plain(who.split()),
        thing=plain(
            word.strip(".") for word in found["thing"].lower().split() if word not in _SLIGHT
        ),
    )


def is_closed(closing: Closing, words: frozenset[str], *, is_own: bool) -> bool:
    """Whether a statement that still holds, in lemmas, tells of just that; `is_own` for "I" and "my"."""
    said = plain(words)
    if not closing.thing <= said or (is_own if closing.who else not is_own):
        return False
    return closing.who <= said and said - closing.thing - closing.who <= plain(_SAID_OF)
