"""Dates of facts: since when a sentence holds, or until when, by its own words and the day it was said.

"I moved to Bergen in March", said in June, tells of March. Only a time that belongs to the change or
the state itself counts; of two different ones, or in doubt, none does. Days begin at midnight where
it was said; of a month, a week or a year it is the first day.

When relationships were drawn, by when what is asserted of them came to be known (SPEC 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from typing import Final, TypeVar

from remanent.anchors.rules import timeline
from remanent.anchors.rules.timeline import Span
from remanent.core import calendar
from remanent.core.dataclasses import replace
from remanent.core.model.mind_types import BeliefDraft, RelationDraft
from remanent.core.model.relationship import Assertion
from remanent.core.regex import regex

Draft = TypeVar("Draft", BeliefDraft, RelationDraft)

# The two with every way to say a date are compiled when first needed: it takes a start 15 ms.
_TIME: Final = rf"\b(?:{calendar.PHRASE})(?![\w'’-])"
# What may stand behind a time; before a noun it only describes that: "in March sales were low".
_BEHIND: Final = regex(
    r"\s*(?:$|[.,;:!?)\]\"”—–]|-\s|(?:and|but|to|at|in|with|as|for|from|because|when|while|after|so|then"
    r"|already|i|i'm|i've|we|we've|he|she|it|they|my|our|his|her|their|the)\b|[^\W\d_])",
    re.IGNORECASE,
)
_BEHIND_LAST: Final = regex(
    r"\s*(?:$|[.,;:!?)\]\"”—–]|-\s|(?:and|but|to|at|with|as|for|from|because|when|while|after|so"
    r"|then|already)\b)",
    re.IGNORECASE,
)
_APART: Final = regex(r"[.;:!?()\[\]—–]+(?=\s|$)|\s-\s|,?\s\b(?:and|but)\b\s", re.IGNORECASE)
_UNDER: Final = regex(
    r"\b(?:when|because|while|after|before|who|which|whose|where|if|unless|until|till|although"
    r"|though|that|than|since (?=(?:i|we|he|she|it|they|my|the)\b)|as soon as)\b",
    re.IGNORECASE,
)
_CLEFT: Final = rf"^\W*it was (?:only )?(?P<time>{calendar.PHRASE}) (?:that|when) (?P<rest>.+)$"
_CHANGED: Final = regex(
    r"\b(?:moved|relocated|settled|emigrated|immigrated|joined|started|began|begun|left|quit|resigned"
    r"|retired|became|become|got|married|divorced|separated|split|broke|switched|changed|bought|sold"
    r"|purchased|acquired|adopted|hired|promoted|fired|died|graduated|enrolled|took|taken|gave up"
    r"|given up|stopped|dropped|cancelled|canceled|signed|opened|closed|founded|launched|transferred"
    r"|met|returned|inherited|stepped down|turned|went from|moved in|moved out|engaged|elected"
    r"|appointed|diagnosed|finished|ended|lost|(?:traded|swapped|exchanged) [^,;]+? for)\b",
    re.IGNORECASE,
)
_LASTS: Final = regex(
    r"\b(?:(?:have|has|['’]ve|['’]s)\s(?:\w+\s){0,2}(?:been|had|lived|worked|owned|known|driven|used"
    r"|studied|played|banked|trained|belonged|led|run)|am|is|are|['’]m|['’]re|lives?|works?|owns?|has"
    r"|have|drives?|goes|go|uses?|leads?|runs?|plays?|trains?|studies|study|drinks?|belongs?|sees?)\b"
    r"|['’]ve been\b|['’]s been\b",
    re.IGNORECASE,
)
_OPEN: Final = regex(
    r"\b(?:would|could|might|may (?!\d)|should|if|unless|want(?:s|ed)? to|plan(?:s|ned)?|hop(?:e|es|ed) to"
    r"|going to|intend(?:s|ed)?|wish(?:es|ed)?|used to|not|never|nor|no longer|almost|nearly|thought"
    r"|cannot)\b|n't\b|^\W*(?:have|has|did|do|does|is|are|was|were|will) (?:i|you|we|he|she|they|it)\b",
    re.IGNORECASE,
)
_AHEAD: Final = regex(r"\b(?:will|shall|['’]ll)\b", re.IGNORECASE)
# Between a change and its time, these begin something that the time may belong to instead.
_NESTED: Final = regex(
    r"\b(?:for|about|of|on|by|during|regarding|before|after|until|against|to (?:\w+ )?(?:see|do|finish"
    r"|visit|attend|write|watch|hear|prepare|plan))\b",
    re.IGNORECASE,
)
_EVENT: Final = regex(
    r"\b(?:concert|meeting|wedding|party|conference|trip|flight|game|match|exam|appointment|deadline"
    r"|festival|holiday|vacation|release|report|sales?|budget|figures|invoice|tickets?|event|race"
    r"|show|talk|workshop|call|visit|marathon)\s*$",
    re.IGNORECASE,
)
_UNTIL: Final = regex(r"^\s*(?:to|until|till)\s+(?:the\s+)?(.+)$", re.IGNORECASE)
_MOST_BETWEEN: Final = 9  # words from the verb to its time
_LONGEST: Final = 600  # characters: what is longer is no one sentence

_STOP: Final = regex(r"[.!?](?=\s|$)|\n\s*\n")
_LEAD: Final = (
    r"actually|correction|sorry|no|i was wrong|i got (?:that|it|this) wrong|i misspoke|my mistake"
    r"|i mixed (?:that|it|this|them) up|i had (?:that|it|this|the wrong \w+)(?: wrong)?|to correct myself"
)
_NOT: Final = r"(?:, (?:and |but )?|\s(?:and|but) )not (?!only\b)\w"
_CORRECTS: Final = regex(
    rf"\ball along(?=\s*(?:$|[.,;!]))|\bit was [^,.;]+ from the (?:very )?(?:start|beginning)\b"
    rf"|^\W*(?:(?:oh|well|and|but)\W+)?(?:{_LEAD})\b\s*[,:;—–-]\s*(?!not\b).*\w{_NOT}"
    rf"|^\W*actually\b.*\w{_NOT}",
    re.IGNORECASE | re.DOTALL,
)


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return regex(pattern, flags | re.IGNORECASE)


def since(text: str, said_at: datetime, *, about: str = "") -> datetime | None:
    """When what `text` tells began (or ended, if it tells of an end); None where it does not say.

    `about` narrows it to those main clauses that have this name in them. Never after `said_at`, unless
    the words point ahead: "from 1 June on", "as of next Monday".
    """
    if len(text) > _LONGEST:
        return None
    plain = " ".join(text.replace("’", "'").split())
    if (cleft := _compiled(_CLEFT, re.DOTALL).match(plain)) is not None:
        plain = f"{cleft['rest'].rstrip(' .!')} {cleft['time']}."
    name = about.casefold()
    moments = {
        moment
        for clause in _APART.split(plain)
        if not name or name in clause.casefold()
        for moment in _moments(clause, said_at)
    }
    return moments.pop() if len(moments) == 1 else None


def corrects(text: str) -> bool:
    """Whether it puts right what was said before, for all the time: "it was Bergen all along"."""
    return len(text) <= _LONGEST and _CORRECTS.search(" ".join(text.split())) is not None


def dated(draft: Draft, said_at: datetime, *, told_in: str = "") -> Draft:
    """The draft with the time and the correction that its words tell, where the mind gave none.

    `told_in` is the text it was read in: the sentence may begin with words that the draft left out.
    """
    if isinstance(draft, RelationDraft):
        words, about = draft.description, draft.dst
    else:
        words, about = draft.statement, ""
    whole = _sentence(words, told_in)
    return replace(
        draft,
        since=draft.since or since(words, said_at, about=about),
        corrects=draft.corrects or corrects(whole),
    )


def _sentence(words: str, text: str) -> str:
    """The sentence of the text that has these words in it, or the words themselves."""
    low, wanted = text.casefold(), words.casefold().rstrip(".! ")
    place = low.find(wanted) if wanted else -1
    if place < 0:
        return words
    start = max((found.end() for found in _STOP.finditer(text, 0, place)), default=0)
    end = _STOP.search(text, place + len(wanted))
    return text[start : end.start() if end else len(text)]


def _moments(clause: str, said_at: datetime) -> Iterator[datetime]:
    under = _UNDER.search(clause)
    main = clause if under is None else clause[: under.start()]
    for match in _compiled(_TIME).finditer(main):
        before, behind = main[: match.start()], main[match.end() :]
        first = not re.search(r"\w", before)
        if not (_BEHIND if first else _BEHIND_LAST).match(behind):
            continue
        if _OPEN.search(behind if first else before):
            continue
        time = calendar.read(match[0], said_at)
        if time is None or not _belongs(time.mark, before, behind if first else ""):
            continue
        if time.mark is calendar.CalendarWord.FROM and _is_followed(behind):
            continue
        if _AHEAD.search(main) and time.mark is not calendar.CalendarWord.FROM:
            continue
        yield time.at


def _is_followed(behind: str) -> bool:
    """Whether a second time follows: what "moved from 15 November to 6 December" begins at neither."""
    until = _UNTIL.sub(r"\1", behind, count=1)
    return until != behind and any(
        _compiled(_TIME).match(f"{word} {until}") for word in ("on", "in", "from")
    )


def _belongs(mark: calendar.CalendarWord, before: str, behind: str) -> bool:
    """Whether a time of that mark is said of the verb that stands before it, or behind it."""
    if mark is not calendar.CalendarWord.AT:
        changed = mark is calendar.CalendarWord.SINCE and _CHANGED.search(before + behind)
        return _LASTS.search(before + behind) is not None or bool(changed)
    if behind:
        return _CHANGED.search(behind) is not None
    verbs = list(_CHANGED.finditer(before))
    if not verbs:
        return False
    between = before[verbs[-1].end() :]
    leaving = verbs[-1][0].casefold() == "left"
    nested = _NESTED.search(between.replace(" for ", " ") if leaving else between)
    short = len(between.split()) <= _MOST_BETWEEN
    return short and nested is None and _EVENT.search(between) is None


Arrival = tuple[datetime, Assertion]
_Content = tuple[object, ...]


def drawn_at(arrivals: Iterable[Arrival]) -> dict[str, tuple[datetime, datetime]]:
    """By key, when each relationship was first drawn and when that last changed it; all assertions
    are of one node, kind and type. One that vanished in between was first drawn when it came back."""
    coming = sorted(arrivals, key=lambda one: one[0])
    dates: dict[str, tuple[datetime, datetime]] = {}
    content: dict[str, _Content] = {}
    for moment in sorted({at for at, _ in coming}):
        assertions = [one for at, one in coming if at <= moment]
        fresh = {id(one) for at, one in coming if at == moment}
        spans = {_key(assertions[0], span): span for span in timeline.spans(assertions)}
        dates = {key: both for key, both in dates.items() if key in spans}
        for key, span in spans.items():
            now = _content(span)
            # The newest word prolongs what it confirms, even in the same words.
            prolonged = span.valid_to is None and id(span.last) in fresh
            if key not in dates or content[key] != now or prolonged:
                dates[key] = (dates[key][0] if key in dates else moment, moment)
            content[key] = now
    return dates


def _key(group: Assertion, span: Span) -> str:
    at = span.valid_from
    return timeline.relationship(group.user_id, group, span, created_at=at, updated_at=at).key


def _content(span: Span) -> _Content:
    last = span.last
    best = max(one.confidence for one in span.assertions)
    return (span.valid_to, last.description, last.attitude, last.proximity, best)
