"""What a question asks for: the words that tell, and the marks an answer to it would have (SPEC 8)."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from remanent.core import calendar, passage_features
from remanent.core.passage_features import MONTHS, WEEKDAYS
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists
from remanent.retrieval.rules.ranking import RankingRules

_LISTS: Final = word_lists(__package__)
_OF_THE_ASKING: Final = _LISTS["asking"]
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
_OF_TIME = regex(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b|\bhow (?:long|many (?:day|week|month|year)s)\b"
)
_OF_NUMBER = regex(
    r"\bhow (?:many|much|long|old|often)\b|\bpercentage\b|\bnumber of\b|\btotal\b|\bwhat time\b"
)
_TO_THE_ASSISTANT = regex(r"\b(?:your?|we)\b")
_FOR_HELP = regex(
    r"\bhow (?:can|do|should|would|could|to)\b|\b(?:can|could|would) you\b|\bshould i\b|\bwhat should\b"
    r"|\bany (?:suggestion|recommendation|advice|idea|tip)|\bsuggest|\brecommend|\bhelp me\b"
    r"|\bwhich .* should\b|\bwhat (?:are|is) (?:some|the best|a good)\b"
)
_YEAR = regex(r"\b((?:19|20)\d\d)\b")
_DAY = regex(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
_VERBS: Final = frozenset({"may", "march"})
_WORDS: Final = "a an one two three four five six seven eight nine ten"
_COUNTS: Final = {word: max(1, place - 1) for place, word in enumerate(_WORDS.split())} | {
    "couple of": 2,
    "few": 3,
}
_COUNT = rf"(\d{{1,3}}|{'|'.join(_COUNTS)})"
_AGO = regex(rf"\b{_COUNT} (day|week|month|year)s? ago\b")
_PAST = regex(rf"\b(?:past|last) (?:{_COUNT} )?(day|week|month|year)s?\b")
_LAST = regex(r"\blast (week|month|year)\b")
_LAST_WEEKDAY = regex(rf"\blast ({'|'.join(WEEKDAYS)})\b")
_WEEKEND = regex(r"\b(?:last|past) weekend\b")
_UNIT_DAYS: Final = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_LONG_AGO: Final = 36500  # days
_UNIT_SLACK: Final = {"day": 1, "week": 2, "month": 6, "year": 40}  # how exact people are
_COMPARES = regex(
    r"\bfirst\b|\bbetween\b|\border\b|\bcombined\b|\bcompared\b|\bor\b|\bbefore\b|\bafter\b|\bsince\b"
    r"|\bwhen i\b"
)
_BETWEEN = regex(
    r",? or |,? and (?:the |my |when |how )?|, |: | between | when | before | after | since |\? ",
    re.IGNORECASE,
)
_ASIDE = regex(r"\([^)]*\)")
_QUOTED = regex(r"'[^']{3,60}'(?!\w)|\"[^\"]{3,60}\"|[“‘][^”’]{3,60}[”’]")
_NAME = regex(r"(?<!^)\b[A-Z]|['\"“‘]")
_LEAST_COMPARED: Final = 2
_MOST_COMPARED: Final = 5
COMMON_WORDS: Final = _LISTS["common"]
_OF_NOW = regex(
    r"\b(?:current(?:ly)?|now|these days|nowadays|so far|most recent(?:ly)?|latest|still|at the moment)\b"
    r"|\bhow (?:many|much|often)\b|\bpercentage\b|\bnumber of\b|\btotal\b|\bwhat(?: is|'s|’s) (?:the|my)\b"
)
_OF_THEN = regex(
    r"^when\b|\bwhen (?:did|was|were)\b|\bfirst\b|\boriginal|\binitial|\bearliest\b|\bago\b|\border\b"
    r"|\bused to\b|\bremind\b"
)
_HAPPENED: Final = _LISTS["happened"]
_VERB: Final = r"(?:is|was|did|does|do|are|were|has|have|had|would|will|might|could|can|should|may)"
_SEVERAL = regex(  # a plural behind the word that asks: "what other books did Ana read"
    rf"\b(?:what|which|who|where)\b(?: (?:are|were|has|have)\b"
    rf"|(?: (?!{_VERB}\b)[\w'’-]+){{0,3}} (?!{_VERB}\b)\w{{2,}}[^sui\W]s\b)"
    r"|\bhow many\b|\b(?:list|all the|summari[sz]e)\b"
)
_SUPPOSED = regex(r"\b(?:would|likely|might)\b")
_MOST_OF_A_QUESTION: Final = 30  # words


def without_asking_words(query: str) -> str:
    """The query without the words that speak of the asking, unless those are all."""
    words = _WORD.findall(query)
    kept = [word for word in words if word.casefold() not in _OF_THE_ASKING]
    return " ".join(kept or words)


def without_dates(query: str) -> str:
    """The query without the days that it names, which are looked for by what was said when; unless it
    says nothing else. What names them in its text has marks of its own."""
    rest = calendar.without_spans(query)
    return rest if any(word not in _OF_THE_ASKING for word in _WORD.findall(rest)) else query


def is_of_days(query: str, today: date) -> bool:
    """Whether it asks for certain days and for nothing else: `What did I do on 14 October?`"""
    if not calendar.spans(query, today):
        return False
    words = _WORD.findall(calendar.without_spans(query))
    return all(one in _OF_THE_ASKING or one in COMMON_WORDS or one in _HAPPENED for one in words)


def is_of_several(query: str) -> bool:
    """Whether several things are asked for, or a conclusion from several: `What books did Ana read?`, `Would
    she like Rome?` Each is told in a source of its own, in words that the question does not have."""
    low = query.casefold()
    return bool(_SEVERAL.search(low) or _SUPPOSED.search(low))


def is_to_the_assistant(query: str) -> bool:
    """Whether it is put to the program itself, so that what that said is asked for as well: `What did you
    suggest?`, `What did we settle on?`"""
    return bool(_TO_THE_ASSISTANT.search(query.casefold()))


def is_a_message(query: str) -> bool:
    """Whether it is too long for one question. It then tells what it is about, and its `or` and `before`
    compare nothing."""
    return len(query.split()) > _MOST_OF_A_QUESTION


def feature_weights(query: str, rules: RankingRules) -> dict[str, dict[str, float]]:
    """By signal, the marks that count for this question, and how much."""
    low = query.casefold()
    voice = rules.assistant + (rules.assistant_asked if is_to_the_assistant(query) else 0.0)
    asking = {
        passage_features.ASKING: rules.asking,
        passage_features.ONLY_ASKING: rules.only_asking,
    }
    by_signal = {
        "time": dated(low, rules),
        "timed": {passage_features.TIMED: rules.timed} if _OF_TIME.search(low) else {},
        "counted": {passage_features.COUNTED: rules.counted} if _OF_NUMBER.search(low) else {},
        "directing": {passage_features.DIRECTING: rules.directing} if _FOR_HELP.search(low) else {},
        "asking": asking,
        "short": {passage_features.SHORT: rules.short},
        "voice": {passage_features.ASSISTANT: voice},
    }
    return {name: chosen for name, chosen in by_signal.items() if chosen}


def dated(low: str, rules: RankingRules) -> dict[str, float]:
    """Marks of the months, years and days that a question names, in lower case."""
    years = list(dict.fromkeys(_YEAR.findall(low)))
    months = [number for number, name in enumerate(MONTHS, start=1) if _names(low, name)]
    weights: dict[str, float] = {}
    if not months:
        return dict.fromkeys(years, rules.year)
    days = [int(day) for day in _DAY.findall(low) if 0 < int(day) < 32]
    for number in months:
        for year in years or [""]:
            weights[f"{year}-{number:02}"] = rules.month
            for day in days:
                weights[f"{year}-{number:02}-{day:02}"] = rules.day
    return weights


def periods(query: str, today: date) -> list[tuple[date, date]]:
    """The days that a question means by `two weeks ago`, `last Friday`, `the past month`, or names:
    `14 October 2024`, `in October 2024`, `last spring`."""
    low = query.casefold()
    spans = calendar.spans(query, today)
    spans += [_ago(count, unit, today) for count, unit in _AGO.findall(low)]
    for name in _LAST_WEEKDAY.findall(low):
        day = today - timedelta(days=(today.weekday() - WEEKDAYS.index(name) - 1) % 7 + 1)
        spans.append((day, day))
    if _WEEKEND.search(low):
        saturday = today - timedelta(days=(today.weekday() + 2) % 7 or 7)
        spans.append((saturday - timedelta(days=1), saturday + timedelta(days=2)))
    if "yesterday" in low:
        spans.append((today - timedelta(days=1), today - timedelta(days=1)))
    for unit in _LAST.findall(low):
        length = _UNIT_DAYS[unit]
        first = today - timedelta(days=round(1.6 * length))
        spans.append((first, today - timedelta(days=round(0.6 * length))))
    if not spans:
        spans = [_until_now(count, unit, today) for count, unit in _PAST.findall(low)]
    return spans


def _ago(count: str, unit: str, today: date) -> tuple[date, date]:
    number = _number(count)
    slack = _UNIT_SLACK[unit] + (1 if number > 3 and unit != "day" else 0)
    day = today - timedelta(days=min(round(number * _UNIT_DAYS[unit]), _LONG_AGO))
    return day - timedelta(days=slack), day + timedelta(days=slack)


def _until_now(count: str, unit: str, today: date) -> tuple[date, date]:
    days = 1.1 * _number(count or "one") * _UNIT_DAYS[unit]
    return today - timedelta(days=min(round(days), _LONG_AGO)), today


def _number(count: str) -> int:
    return _COUNTS[count] if count in _COUNTS else int(count)


def of_now(query: str) -> bool:
    """Whether it asks how things are at present: in so many words, or for a count, or what is."""
    return bool(_OF_NOW.search(query.casefold()))


def of_then(query: str) -> bool:
    """Whether it asks how things were or began, so that the newest is not what is wanted."""
    return bool(_OF_THEN.search(query.casefold()))


def compared_things(query: str) -> list[str]:
    """The things that a question compares, two to five, each as a question of its own; else none.

    `Which came first, the kettle or the red boat?` is asked by all of it, and by each of the two.
    """
    if is_a_message(query) or not _COMPARES.search(query.casefold()):
        return []
    kept: list[str] = []  # quotations stay whole

    def put_aside(quoted: re.Match[str]) -> str:
        kept.append(quoted[0])
        return f"\x1f{len(kept) - 1}\x1f"

    plain = _ASIDE.sub("", query.replace("\x1f", " ").rstrip("?.! "))
    open_text = _QUOTED.sub(put_aside, plain)
    parts = [
        re.sub("\x1f(\\d+)\x1f", lambda found: kept[int(found[1])], part).strip()
        for part in _BETWEEN.split(open_text)
    ]
    telling_parts = [part for part in parts if _is_searchable(part)]
    return telling_parts if _LEAST_COMPARED <= len(telling_parts) <= _MOST_COMPARED else []


def _is_searchable(part: str) -> bool:
    """Whether it could be looked up by itself: two words that tell, or a name."""
    low = (word.casefold() for word in _WORD.findall(part))
    words = [word for word in low if word not in _OF_THE_ASKING and word not in COMMON_WORDS]
    return len(words) > 1 or (len(words) == 1 and bool(_NAME.search(part)))


def _names(low: str, month: str) -> bool:
    if month in _VERBS:  # only beside what makes a date of it
        return bool(
            re.search(rf"\b(?:in|on|of|since|until|last|\d+(?:st|nd|rd|th)?) {month}\b", low)
            or re.search(rf"\b{month},? \d", low)
        )
    return bool(re.search(rf"\b{month}\b", low))
