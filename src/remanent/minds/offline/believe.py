"""Statements worth holding true: those in a request to remember, and those that a source makes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from remanent.core.dataclasses import replace
from remanent.core.model.belief import OWNER, BeliefType
from remanent.core.model.mind_types import BeliefDraft, Reading
from remanent.core.regex import regex
from remanent.errors import MindError
from remanent.events.rules.importance import is_small_talk
from remanent.minds.offline import lexicon
from remanent.minds.offline.named import CONCEPT, Named, Names
from remanent.minds.offline.restate import (
    restated,
    sentence,
    standing_alone,
    whole_clause,
    with_subject,
)
from remanent.minds.offline.sentences import Sentence, bounds, unmarked, words
from remanent.minds.reader.reading import Place, ReadSource, Statement

MOST: Final = 24
_FEWEST_WORDS: Final = 3  # "I'm vegetarian" has three
_MOST_OF_LEAD: Final = 6  # words
_IMPORTANCE: Final = {
    "fact": 6, "preference": 5, "plan": 5, "promise": 6, "event": 4, "opinion": 3,
}  # fmt: skip
_SUBJECT_TYPES: Final = frozenset({"location", CONCEPT})
"""What a source seldom tells lasting things of: then whoever speaks tells them."""
_LEAD_IN: Final = regex(
    r"^\s*(?:(?:please|pls|hey|ok|okay)[,\s]+)*"
    r"(?:(?:can|could) you (?:please )?remember|remember|note to self|note|keep in mind|don['’]t forget|fyi"
    r"|for (?:the|your) (?:record|information)|just so you know|by the way|btw|reminder|i want you to (?:know|remember)"
    r"|i (?:just )?wanted to (?:let you know|say)|be aware)\b\s*[:,\-–—]*\s*(?:that\b\s*)?",
    re.IGNORECASE,
)
_LEADS_ON: Final = regex(
    r"\b(?:that|if|whether)(?:\s(?:he|she|it|they|we|i|you))?\W*$", re.IGNORECASE
)
"""Ends where what was said begins: "He told me that he" of "... and Lena split up"."""
_EMPTY: Final = regex(r"\W*(?:(?:this|that|it|please|\d+)\W*)*")
_TO_US: Final = regex(r"\b(?:you|your)\b", re.IGNORECASE)
_STEPS: Final = regex(
    r"\b(?:how to|step \d|steps?:|first,|make sure|remember to|in order to|whenever|when you)\b"
    r"|^(?:always|never) [a-z]+ (?:the|your|a|before|it)\b",
    re.IGNORECASE,
)
_PREFERENCE: Final = regex(
    r"\b(?:favou?rite|prefers?|can['’]?t stand|(?<!would )(?<!['’]d )(?:loves?|likes?|enjoys?|adores?|hates?"
    r"|dislikes?|loathes?|detests?))\b",
    re.IGNORECASE,
)
_WISH: Final = regex(r"\b(?:would|['’]d) (?:like|love|prefer) to\b", re.IGNORECASE)
_CHOICE: Final = regex(
    r"\b(?:us(?:e|es|ing|ed)|decided?|built|builds?|deploy\w*|chose|chosen|switched|migrated|hosted|stores?"
    r"|written|picked|adopted|runs?) ",
    re.IGNORECASE,
)
_ADDRESSED: Final = regex(r"^(?:you|u|your)\b", re.IGNORECASE)
_SPEAKER: Final = regex(r"^(?:i|we|i['’]\w+|we['’]\w+)\b", re.IGNORECASE)


def believe(
    text: str, found: Sequence[Sentence], read: ReadSource, names: Names
) -> list[BeliefDraft]:
    """The beliefs in what the owner asked us to remember, a sentence each; `text` is without its
    lead-in. Only greetings beside them are left out: what leans on the sentence before, and what is
    beyond the most, stays with that."""
    told = [one for one in found if not _is_filler(one)]
    if len(told) < 2:
        best = told[0] if told else max(found, key=_worth)
        return [_remembered(best, best.text if len(found) > 1 else text, read, names)]
    drafts: list[BeliefDraft] = []
    asked = False
    for one in told:
        about = next((s.subject for s in read.statements if s.place.within(one.place)), "")
        alone = standing_alone(names, text, one.place, about)
        before = text[: one.place.start].rstrip()
        goes_on = one.text[:1].islower() and text != text.lower()  # "at Acme Inc. in Oslo"
        goes_on &= not before.endswith((",", ";", " and", " but"))  # "..., she lives there"
        leans = alone is None or goes_on or asked or one.is_question
        if drafts and (leans or len(drafts) == MOST):
            gap = re.sub(r"\s+", " ", text[found[one.index - 1].place.end : one.place.start]) or " "
            joined = drafts[-1].statement + gap + unmarked(alone or one.text)
            drafts[-1] = replace(drafts[-1], statement=joined)
        else:
            words = without_lead_in(unmarked(alone or one.text))
            drafts.append(_remembered(one, words, read, names))
        asked = one.is_question
    if text.rstrip().endswith("."):  # and not only the last half of it
        drafts = [replace(one, statement=sentence(one.statement)) for one in drafts]
    return drafts


def _worth(one: Sentence) -> tuple[bool, float]:
    return not one.is_question, round(one.keep - one.drop, 2)


def _is_filler(one: Sentence) -> bool:
    """A greeting, thanks, the number of a list, or a word to us: "please don't forget"."""
    rest = _LEAD_IN.sub("", one.text)
    to_us = one.is_question and one.index == 0 and _TO_US.search(one.text) is not None
    return to_us or is_small_talk(one.text) or _EMPTY.fullmatch(rest) is not None


def _remembered(one: Sentence, words: str, read: ReadSource, names: Names) -> BeliefDraft:
    inside = [s for s in read.statements if s.place.within(one.place)]
    kind, about = (inside[0].kind, inside[0].subject) if inside else ("fact", OWNER)
    return BeliefDraft(
        statement=words[:1].upper() + words[1:],
        type=type_of(words, kind),
        importance=importance_of(words, kind, personal=bool(names.within(one.place))),
        subject=_subject(names, one.place, one.passage.text, about),
    )


def without_lead_in(text: str) -> str:
    """ "Remember that I live in Bergen" -> "I live in Bergen"; an order to do something stays."""
    plain = " ".join(text.split())
    found = _LEAD_IN.match(plain)
    rest = plain[found.end() :] if found else plain
    bare = plain if not rest or rest.lower().startswith("to ") else rest
    if not any(character.isalnum() for character in bare):
        raise MindError("the text says nothing that could be believed")
    return bare


def find_beliefs(read: ReadSource, names: Names, reading: Reading) -> list[BeliefDraft]:
    """The best, in the order of the text."""
    found: dict[str, BeliefDraft] = {}
    for draft in drafted(read, names, reading):
        found.setdefault(draft.statement.casefold(), draft)
    best = sorted(found.values(), key=lambda one: -one.importance)[:MOST]
    return [one for one in found.values() if one in best]


def drafted(read: ReadSource, names: Names, reading: Reading) -> Iterator[BeliefDraft]:
    """Every statement worth keeping, as far as its clause reaches."""
    clauses = [(one, *_clause(one.place, read, reading)) for one in read.statements]
    taken: list[Place] = []
    for one, place, led in clauses:
        leads = [lead for _, bare, lead in clauses if lead not in {bare, led}]
        if any(place.within(other) for other in (*taken, *leads)):
            continue
        taken.append(place)
        draft = _draft(replace(one, place=place), led, names, reading)
        if draft is not None:
            yield draft


def _clause(place: Place, read: ReadSource, reading: Reading) -> tuple[Place, Place]:
    """The clause of a statement; and with what leads to it."""
    text, at = reading.passages[place.turn].text, place.start
    limits = next(((a, b) for a, b in bounds(text) if a <= at < b), (at, place.end))
    whole = whole_clause(text, place, limits)
    return whole, _with_lead(text, whole, limits, read)


def _with_lead(text: str, place: Place, limits: tuple[int, int], read: ReadSource) -> Place:
    """The place with the words before its colon that say of what: "Careful with nuts: I have an allergy"."""
    lead, before = replace(place, start=limits[0], end=place.start), text[limits[0] : place.start]
    few = 1 < len(words(before)) <= _MOST_OF_LEAD and before.rstrip().endswith(":")
    told = any(one.type != "date" and one.place.within(lead) for one in read.mentions)
    is_led = few and told and not _LEAD_IN.fullmatch(before)
    return replace(place, start=lead.start) if is_led else place


def _draft(one: Statement, led: Place, names: Names, reading: Reading) -> BeliefDraft | None:
    passage = reading.passages[one.place.turn]
    speaker = names.speakers.get(one.place.turn)
    raw = passage.text[one.place.start : one.place.end]
    if (
        speaker is None
        or len(re.findall(r"\w+", raw)) < _FEWEST_WORDS
        or _LEADS_ON.search(raw)
        or not any(letter.isalpha() for letter in raw)  # the date of a diary
    ):
        return None
    text = restated(names, passage.text, led)
    if text is None:
        return None
    subject = _subject(names, one.place, passage.text, one.subject)
    who = names.by_key.get(subject)
    told = "I" if subject == OWNER else f"my {subject}" if who is None else who.inline
    own = subject == _key(speaker)
    text = with_subject(text, passage.text[: one.place.start], told, own=own)
    if not text:
        return None
    return BeliefDraft(
        statement=sentence(text),
        type=type_of(text, one.kind, of_source=True),
        importance=importance_of(text, one.kind, personal=bool(names.within(one.place))),
        subject=subject,
        passage_key=passage.key,
    )


def _subject(names: Names, place: Place, text: str, key: str) -> str:
    """Whom it is about: whoever it begins with, else whom the reader says; a role ("sister"), a name
    in lower case, or the owner and their world."""
    speaker = names.speakers.get(place.turn, OWNER)
    if _SPEAKER.match(text[place.start : place.end]):
        return _key(speaker)
    if _ADDRESSED.match(text[place.start : place.end]):
        return _key(names.addressee(place.turn))
    for one in names.roles:  # "my wife Julia", and "my wife" whose name nobody says
        known = isinstance(one.who, Named) or one.of == OWNER
        if known and one.place.start == place.start and one.place.within(place):
            return _key(one.who or one.role)
    first = next((who for spot, who in names.within(place) if spot.start - place.start <= 1), None)
    if isinstance(first, Named) and first.kind not in _SUBJECT_TYPES:
        return _key(first)
    who = names.of_key(key)
    if isinstance(who, Named) and who.kind in _SUBJECT_TYPES:
        who = None
    return _key(who if who is not None else speaker)


def _key(who: Named | str | None) -> str:
    if isinstance(who, Named):
        return who.role if who.role and who.of == OWNER else who.name.casefold()
    return OWNER if who is None else who


def type_of(text: str, kind: str, *, of_source: bool = False) -> BeliefType:
    """The type of belief that a statement makes."""
    liked = kind == "preference" or (kind != "plan" and _PREFERENCE.search(text))
    if liked and not _WISH.search(text):
        return BeliefType.PREFERENCE
    if not of_source and _STEPS.search(text):
        return BeliefType.PROCEDURAL
    technical = {word.casefold() for word in words(text)} & lexicon.TECHNICAL
    if technical and _CHOICE.search(text):
        return BeliefType.ARCHITECTURAL
    return BeliefType.FACTUAL


def importance_of(text: str, kind: str, *, personal: bool) -> int:
    """How much it matters, from 1 to 10: what may harm somebody most, then who one is; it is `personal` if it
    speaks of somebody or something with a name, or of whoever says it."""
    low = {word.casefold() for word in words(text)}
    if low & lexicon.HEALTH:
        return 9
    value = _IMPORTANCE[kind] + (1 if low & lexicon.IDENTITY else 0) - (0 if personal else 2)
    return max(1, value)
