"""Dates and times of day as one writes them, brought to one form.

Words that mean the same, and words that exclude each other.

What a statement says is over: "sold the Panda", "gave up Polish", "moved from Oracle to Redis".

It names the thing, seldom how it was put before. So an older statement is closed when it tells of the
same one, and of that thing, and beside that only what somebody does with things: have, use, learn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from remanent.minds.offline import lexicon
from remanent.minds.offline.lexicon import words

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTH = "|".join([*(f"{name[:3]}\\.?(?!\\w)|{name}" for name in _MONTHS), "sept"])
_DAY_MONTH = re.compile(
    rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b", re.IGNORECASE
)
_MONTH_DAY = re.compile(rf"\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)", re.IGNORECASE)
_HOURS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_HOUR = "|".join([*_HOURS, r"\d{1,2}"])
_PAST = re.compile(rf"\b(half past|quarter past|quarter to) ({_HOUR})\b", re.IGNORECASE)
_CLOCK = re.compile(
    rf"\b({_HOUR})(?::(\d\d))?(?: ?o'clock)?"
    r" ?(a\.?m\.?(?!\w)|p\.?m\.?(?!\w)|in the (?:morning|afternoon|evening)|at night)",
    re.IGNORECASE,
)
_AT_HOUR = re.compile(
    rf"\b(at|until|from|by) ({_HOUR})(?: o'clock)?(?=$|[.,;!]| (?:every|on|each))", re.IGNORECASE
)
_TIME = re.compile(r"^(\d{1,2}):(\d\d)$")
_NUMBERS = ("zero", *_HOURS)
_ROUND = words(
    "fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred noon midnight"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY = re.compile(
    rf"\bevery ({'|'.join(_WEEKDAYS)})\b(?! (?:morning|afternoon|evening))", re.IGNORECASE
)


def with_plain_moments(text: str) -> str:
    """The text with "May 4", "15:00" and "on Mondays" for whatever stands for them."""
    text = _DAY_MONTH.sub(lambda found: f"{_month(found[2])} {int(found[1])}", text)
    text = _MONTH_DAY.sub(lambda found: f"{_month(found[1])} {int(found[2])}", text)
    text = _PAST.sub(_past, text)
    text = _CLOCK.sub(_clock, text)
    text = _AT_HOUR.sub(lambda found: f"{found[1]} {_hour(found[2])}:00", text)
    return _EVERY.sub(lambda found: f"on {found[1].title()}s", text)


def same_time(one: str, other: str) -> bool:
    """True for equal clock times; 9:00 may be 21:00 where nobody said which."""
    first, second = _TIME.match(one), _TIME.match(other)
    if first is None or second is None:
        return one == other
    hours = int(first[1]), int(second[1])
    return first[2] == second[2] and (hours[0] == hours[1] or abs(hours[0] - hours[1]) == 12)


def is_time(word: str) -> bool:
    """True for a clock time in our form."""
    return _TIME.match(word) is not None


def figure(word: str) -> str:
    """A number in digits, a clock time, a weekday or a month as it is; nothing for other words."""
    if word in _NUMBERS:
        return str(_NUMBERS.index(word))
    named = is_month(word) or word in _WEEKDAYS or word in _ROUND
    return word if named or any(c.isdigit() for c in word) else ""


def is_month(word: str) -> bool:
    return word.lower() in _MONTHS


def is_weekday(word: str) -> bool:
    return word.lower().removesuffix("s") in _WEEKDAYS


def _month(written: str) -> str:
    short = written.lower()[:3]
    return next(name for name in _MONTHS if name.startswith(short)).title()


def _hour(written: str) -> int:
    return _HOURS.index(written.lower()) + 1 if written.lower() in _HOURS else int(written)


def _past(found: re.Match[str]) -> str:
    hour, before = _hour(found[2]), found[1].lower()
    if before == "quarter to":
        return f"{(hour - 1) or 12}:45"
    return f"{hour}:{'30' if before.startswith('half') else '15'}"


def _clock(found: re.Match[str]) -> str:
    hour, minutes, half = _hour(found[1]) % 12, found[2] or "00", found[3].lower()
    late = half.startswith("p") or "afternoon" in half or "evening" in half
    if "night" in half:
        late = hour >= 6
    return f"{hour + 12 * late}:{minutes}"


_GROUPS = (
    "buy purchase acquire; movie film; car automobile; kid child; mother mom mum; father dad;"
    " big large; start begin; job work occupation profession; company firm business; apartment flat;"
    " vacation holiday; favourite favorite; colour color; doctor physician;"
    " photo picture photograph; like enjoy love adore; hate dislike detest loathe; home house;"
    " phone mobile telephone; somebody someone; woman lady; plane airplane aircraft aeroplane; path trail;"
    " fight battle; gather group assemble; several few; jump leap; run jog; talk speak chat; fast quick rapid; street road;"
    " scared afraid frightened; reside live; boss manager supervisor; spouse wife husband;"
    " leave depart; ill sick unwell; kilo kilogram kg; km kilometre kilometer; minute min;"
    " neighbour neighbor; colleague coworker co-worker workmate; bike bicycle; rubbish trash garbage;"
    " present gift; shop store; end finish; broken defective; happy glad;"
    " sofa couch; autumn fall; lift elevator; euro eur; dollar usd"
)
SYNONYMS = {
    word: group.split()[0]
    for group in _GROUPS.split(";")
    for word in group.split()
    if group.strip()
}
_COLOURS = lexicon.words(
    "red blue green yellow black white brown grey gray orange purple pink silver gold beige"
)
_PAIRS = (
    "old young; tall short; open closed; open close; alive dead; on off; full empty; hot cold; warm cold; big small;"
    " rich poor; old new; cheap expensive; easy difficult; easy hard; healthy sick;"
    " safe dangerous; clean dirty; fast slow; early late; possible impossible; true false;"
    " awake asleep; employed unemployed; employed retired; vegetarian carnivore;"
    " finished unfinished; available unavailable; public private; broken intact; broken functional;"
    " left right; quiet loud; empty occupied; enabled disabled; locked unlocked; lock unlock;"
    " well badly; good bad; left-handed right-handed; full-time part-time; full part; long short;"
    " light dark; morning evening; morning night; pass fail; win lose;"
    " visible hidden; active inactive; valid invalid; legal illegal; paid unpaid; happy unhappy;"
    " high low; strong weak; thick thin; wide narrow; deep shallow; wet dry; soft hard; rough smooth;"
    " sharp blunt; heavy light; first last; online offline; indoors outdoors; inside outside;"
    " present absent; permanent temporary; compulsory optional; mandatory optional; free busy;"
    " signed unsigned; complete incomplete; correct wrong; right wrong; sold unsold; old-fashioned modern;"
    " rare well-done; sweet sour; formal informal; innocent guilty; up down;"
    " ahead behind; above below; before after; allow forbid; allowed forbidden; rise fall;"
    " increase decrease; accept reject; accepted rejected; remember forget; love hate; like hate;"
    " approve reject; approved rejected; buy sell; arrive leave; succeed fail; lock open; often rarely;"
    " always never; delicious disgusting; polite rude; kind cruel; tidy messy; generous stingy; calm nervous;"
    " optimistic pessimistic; introverted extroverted; lazy hard-working; daily weekly; weekly monthly; upstairs downstairs; promote demote; cooked raw; fresh stale; night day; boring exciting; boring interesting; paid free; useful useless; busy quiet; detailed brief; long brief; stable unstable; reliable unreliable"
)
_PREPOSITIONS = (
    "with without; on behind; on off; ahead behind; before after; inside outside; for against;"
    " above below; up down; in outside; under over"
)


@cache
def _opposites() -> frozenset[frozenset[str]]:
    return frozenset(plain(pair.split()) for pair in _PAIRS.split(";"))


@cache
def opposite_words() -> frozenset[str]:
    """Every word that has an opposite."""
    return frozenset(word for pair in _PAIRS.split(";") for word in pair.split())


@cache
def opposite_of(word: str) -> str | None:
    """What excludes this word, the first we know of."""
    found = (pair.split() for pair in _PAIRS.split(";"))
    return next(
        (one if other == word else other for one, other in found if word in (one, other)), None
    )


def are_opposite_prepositions(one: str, other: str) -> bool:
    """True for "with" and "without" and their like."""
    pairs = (pair.split() for pair in _PREPOSITIONS.split(";"))
    return any({one, other} == {*pair} for pair in pairs)


def plain_word(word: str) -> str:
    """One word for all that mean the same; a plural that kept its "s" loses it."""
    known = SYNONYMS.get(word)
    if known is not None:
        return known
    single = word[:-1] if _is_plural(word) else gerund_base(word)
    return SYNONYMS.get(single, single)


def gerund_base(word: str) -> str:
    """ "swim" for "swimming", so that a noun and a verb are the same word."""
    stem = word[:-3]
    if not word.endswith("ing") or len(stem) < 3 or not set(stem) & set("aeiouy"):
        return word
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    short = stem[-2] in "aeiou" and stem[-3] not in "aeiou" and stem[-1] not in "wxy"
    return f"{stem}e" if short else stem


def plain(words: Iterable[str]) -> frozenset[str]:
    return frozenset(plain_word(word) for word in words)


def same_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for the same words, whichever half of the day a clock time was meant in."""
    if one == other:
        return True
    left, right = one - other, other - one
    return len(left) == len(right) == 1 and same_time(*left, *right)


def are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for values that exclude each other by what the words mean."""
    one, other = plain(one), plain(other)
    left, right = one - other, other - one
    if len(left) != 1 or len(right) != 1:
        return False
    if left | right in _opposites() or _denies(*left, *right):
        return True
    return left < _COLOURS and right < _COLOURS


def _denies(one: str, other: str) -> bool:
    """ "unresolved" against "resolved"."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == f"{prefix}{short}" for prefix in _DENYING)


_DENYING = ("un", "in", "im", "ir", "il", "dis", "non", "non-")


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ous"))


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
