"""Profile: under which heading a belief about the owner stands, and which lines there is room for.

The headings are read off the words alone, the first that fits: what may hurt somebody comes before all else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from itertools import zip_longest

from remanent.beliefs.rules.belief import STANDING
from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import OWNER, Belief, BeliefType
from remanent.core.model.node import Kind
from remanent.core.regex import regex


class ProfileSection(StrEnum):
    """The parts of a profile, in the order they are told."""

    SAFETY = "health_and_safety"
    IDENTITY = "who_i_am"
    PLACES = "where_i_live_and_work"
    PEOPLE = "people_close_to_me"
    PREFERENCES = "preferences"
    GOALS = "goals"
    INSTRUCTIONS = "standing_instructions"
    STORIES = "ongoing_stories"
    OTHER = "also"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileLine:
    """One thing that is known of the owner: a belief or a storyline, by its key, with what is left of its
    confidence. `contributed_by` is the id of whoever gave it, where that was not the owner."""

    section: ProfileSection
    key: str
    kind: Kind
    text: str
    since: datetime
    confidence: float
    contributed_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of the owner, by section; `omitted` lines found no room."""

    name: str
    lines: tuple[ProfileLine, ...] = ()
    omitted: int = 0
    as_of: datetime | None = None
    known_at: datetime | None = None


BUDGETS = (100, 100_000)  # characters, least and most
_KIN = (
    r"(?:(?:step|grand|great|half|god|ex)[- ]?)*(?:mother|father|mum|mom|dad|parents?|sisters?|brothers?|sons?"
    r"|daughters?|child(?:ren)?|kids?|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[ée]e?|aunt|uncle"
    r"|cousins?|nieces?|nephews?|friends?|flatmates?|twins?|family|baby)(?:-in-law)?"
)
_RULES: Mapping[ProfileSection, str] = {
    ProfileSection.SAFETY: r"allerg|intoleran|anaphyla|asthma|epilep|diabet|insulin|blood (?:type|group|pressure)"
    r"|medicat|medicine|metformin|prescri|inhaler|epipen|pregnan|surgery|diagnos|disease|disorder|syndrome"
    r"|migraine|coeliac|celiac|vegan\b|vegetarian|halal\b|kosher\b|gluten|lactose|wheelchair|hearing aid"
    r"|emergency contact|my doctor|\bdepress|anxiety|cancer\b|heart (?:condition|attack)|\bsober\b",
    ProfileSection.INSTRUCTIONS: STANDING.pattern,
    ProfileSection.GOALS: r"\b(?:goals?|i(?:['’]m| am)? (?:want|hope|hoping|plan|planning|aim|aiming|intend"
    r"|would like|dream|saving|training|trying|working towards)|my (?:dream|plan|ambition|resolution)|i['’]d like)\b",
    ProfileSection.PEOPLE: rf"\b(?:my|our) (?:\w+ ){{0,2}}{_KIN}\b|\bi(?:['’]m| am) (?:married|engaged|divorced"
    r"|single|widowed|dating)\b|\bi have (?:\w+ ){1,3}(?:children|kids|sons?|daughters?|brothers?|sisters?)\b",
    ProfileSection.PREFERENCES: r"\bi (?:\w+ )?(?:like|love|prefer|enjoy|hate|dislike|adore|detest|can['’]t stand)\b"
    r"|favou?rite",
    ProfileSection.PLACES: r"\b(?:i (?:\w+ )?(?:live|lived|work|worked|moved|reside|commute|started|start|joined|quit)"
    r"|i(?:['’]m| am) (?:based|employed|working)|my (?:new )?(?:home|house|flat|apartment|address|job|office"
    r"|employer|company|boss|manager|team))\b",
    ProfileSection.IDENTITY: r"\b(?:i(?:['’]m| am) (?:an? |the |called |from |born |\d)|my (?:full |first |last )?name"
    r"|my (?:birthday|age|nationality|pronouns|native|mother tongue|phone|e-?mail|profession|passport)|i was born"
    r"|i studied|i speak|i graduated|years old)\b",
}
_FITS = {section: regex(words, re.IGNORECASE) for section, words in _RULES.items()}


def section_of(belief: Belief) -> ProfileSection | None:
    """Where a belief stands in the profile of whoever holds it; None: it is not about them."""
    if belief.instructs is not None:
        return ProfileSection.INSTRUCTIONS
    if belief.subject != OWNER:
        near = _FITS[ProfileSection.PEOPLE].match(belief.statement.strip())
        return ProfileSection.PEOPLE if near else None
    for section, words in _FITS.items():
        if words.search(belief.statement):
            return section
    return (
        ProfileSection.PREFERENCES if belief.type is BeliefType.PREFERENCE else ProfileSection.OTHER
    )


def fitting(lines: Iterable[ProfileLine], limit: int, budget: int) -> tuple[ProfileLine, ...]:
    """As many of the lines as there is room for, section by section: all that may hurt somebody first,
    then the best of each section in turn."""
    by_section: dict[ProfileSection, list[ProfileLine]] = {one: [] for one in ProfileSection}
    # Surest first, in steps of a fifth, and of what is about as sure the newest.
    for line in sorted(
        lines, key=lambda one: (-int(5 * one.confidence), -one.since.timestamp(), one.key)
    ):
        by_section[line.section].append(line)
    urgent = by_section.pop(ProfileSection.SAFETY)
    rounds = zip_longest(*by_section.values())
    chosen: list[ProfileLine] = []
    for line in (*urgent, *(one for some in rounds for one in some if one is not None)):
        cost = len(line.text)
        if len(chosen) < limit and cost <= budget:
            chosen.append(line)
            budget -= cost
    order = list(ProfileSection)
    return tuple(sorted(chosen, key=lambda one: order.index(one.section)))
