"""What two statements in roles do to each other: deny, repeat, or exclude.

Two that agree in all roles but one exclude each other when that role has one answer at a time: an
event has one date, a thing one place, a project one leader.
"""

from __future__ import annotations

from remanent.minds.offline.frames import State
from remanent.minds.offline.lexicon import words
from remanent.minds.offline.moments import (
    are_opposite,
    are_opposite_prepositions,
    plain,
    plain_word,
    same_words,
)
from remanent.minds.offline.names import COUNTRIES
from remanent.minds.offline.roles import TIMES, Told, Words


def _plain_words(text: str) -> Words:
    return plain(words(text))


_ONCE = _plain_words(
    "graduate bear marry found die retire launch join start begin end finish expire arrive leave"
    " open close land divorce establish build"
)
"""What happens to somebody or something once, or at one set time."""
_ONE_PLACE = _plain_words(
    "be live reside host base park keep stay grow bear headquarter store settle write deploy hang"
    " locate enrol register insure lie stand work spend teach put hide leave sit sleep"
)
_ONE_HOLDER = _plain_words("lead own chair captain head coach found direct host")
_ONE_OBJECT = _plain_words("drive weigh cost measure earn major report run vote")
_DUTIES = _plain_words(
    "do handle audit teach organise organize edit answer prepare moderate present cook clean maintain"
    " review keep write sell represent speak drive"
)
"""What one person takes over from another; "now" says so."""
_RESULTS = frozenset({"grow up", "park", "put", "store", "hide", "leave"})
"""Verbs whose past tense tells where something is, or what is so for good."""
_TASTES = _plain_words(
    "like hate eat drink buy see meet visit read watch know get try make own sell"
)
"""What is done with hot things and with cold ones."""
_MANY = _plain_words(
    "like love enjoy hate speak play know have own eat drink see visit meet want read watch buy get"
    " try learn use make take write need help call grow collect bake cook paint sing offer include"
    " contain give bring listen follow practise build produce draw plant carry order lead chair own"
)
"""Verbs whose objects stand side by side."""
_SERVING = frozenset({"eat", "have", "drink", "use"})
_TRAVELLING = frozenset({"go", "travel", "commute", "come", "get"})
_PUTTING = frozenset({"be", "keep", "lie", "hang", "store", "park"})
_PLACES = words("in at on near inside under behind beside by outside")
_UNITS = _plain_words(
    "euro dollar pound krone kroner yen franc crown cent kilo gram mile kilometre metre minute hour"
    " day week month year litre percent"
)


def is_taste(verb: str) -> bool:
    """True for verbs that leave room for the opposite: who drinks hot tea may drink cold beer."""
    return plain_word(verb) in _TASTES


def denies(new: Told, old: Told) -> bool:
    """True if one says no to what the other says: the denial must not be about less."""
    if new.positive is old.positive or not _are_alike(new, old):
        return False
    no, yes = (old, new) if new.positive else (new, old)
    return all(_agree(yes, no, role) for role in no.roles)


def repeats(new: Told, old: Told) -> bool:
    """True if the old statement has all that the new one says."""
    if new.positive is not old.positive or not _are_alike(new, old):
        return False
    if not new.positive or len(new.roles) == 1:  # "Ann loves to" says nothing by itself
        return not _differing(new, old)
    return all(_agree(old, new, role) for role in new.roles)


def excludes(new: Told, old: Told, *, marked: bool) -> bool:
    """True if both cannot be so: one role differs and has one answer, or two words are opposites.

    `marked` when the new statement says itself that something has changed.
    """
    if not (new.positive and old.positive) or new.state is not old.state:
        return False
    apart = _differing(new, old)
    if not apart:
        return are_opposite(frozenset({new.verb}), frozenset({old.verb}))
    if new.verb != old.verb:
        return False
    if len(apart) == 2:
        return _elsewhere(new, old, *apart) or _measures(new, old, apart)
    both = len(apart) == 1 and apart[0] in new.roles and apart[0] in old.roles
    return both and _one_differs(new, old, apart[0], marked=marked)


def _are_alike(new: Told, old: Told) -> bool:
    return new.verb == old.verb and new.state is old.state


def _differing(new: Told, old: Told) -> list[str]:
    """The roles in which two statements say different things, or only one says anything."""
    roles = new.roles.keys() | old.roles.keys()
    return sorted(role for role in roles if not _agree(new, old, role))


def _agree(new: Told, old: Told, role: str) -> bool:
    mine, other = new.roles.get(role), old.roles.get(role)
    return mine == other or (mine is not None and other is not None and same_words(mine, other))


def _elsewhere(new: Told, old: Told, one: str, other: str) -> bool:
    """ "With sugar" against "without sugar", "in the drawer" against "on the shelf"."""
    if other in new.roles and one in old.roles:
        one, other = other, one
    if one not in new.roles or other not in old.roles or one in old.roles or other in new.roles:
        return False
    if are_opposite_prepositions(one, other):
        return new.roles[one] == old.roles[other]
    placed = {one, other} <= _PLACES and new.verb in _PUTTING
    return placed and new.thing and not (one in new.proper or other in old.proper)


def _measures(new: Told, old: Told, apart: list[str]) -> bool:
    """ "The rent is 900 euros" against "the rent is 9,000 kroner"."""
    if set(apart) != {"number", "object"} or new.state is not State.NOW:
        return False
    if not all(role in one.roles for role in apart for one in (new, old)):
        return False
    return new.verb == "be" or new.roles["object"] ^ old.roles["object"] <= _UNITS


def _one_differs(new: Told, old: Told, role: str, *, marked: bool) -> bool:
    if role == "subject":
        return _has_one_holder(new, old, marked=marked)
    mine, other = new.roles[role], old.roles[role]
    if are_opposite(mine, other):
        lasting = new.state is State.NOW or (new.thing and old.thing)
        return lasting and (role != "object" or new.definite or new.verb not in _TASTES)
    if role.split()[0] in TIMES:
        return _has_one_time(new, role, marked=marked)
    if role == "number" or _are_numbers(mine ^ other):
        dated = not new.roles.keys().isdisjoint({"year", "month", "date", "day"})
        return new.state is State.NOW or dated or new.verb in _RESULTS
    lasting = new.state is State.NOW or new.verb in _ONCE | _RESULTS
    return lasting and _has_one_value(new, old, role, marked=marked)


def _has_one_holder(new: Told, old: Told, *, marked: bool) -> bool:
    """ "Ann leads the project" against "Ben leads the project"."""
    duty = marked or (new.by_agent and old.by_agent)
    held = new.verb in _ONE_HOLDER or (duty and new.verb in _DUTIES)
    return held and new.named and old.named and new.definite and old.definite


def _has_one_value(new: Told, old: Told, role: str, *, marked: bool) -> bool:
    if role in _PLACES:
        return _has_one_place(new, old, role, marked=marked)
    if role == "rate" or (marked and (role != "object" or new.verb not in _MANY)):
        return True
    if role == "object":
        # One thing for each purpose: "for lunch I eat soup".
        return new.verb in _ONE_OBJECT or (new.verb in _SERVING and "for" in new.roles)
    if role == "as":
        return new.verb in {"train", "study", "work"}
    with_whom = role == "with" and new.verb == "be"
    return with_whom and (new.thing or role in new.proper & old.proper)


def _are_numbers(words: Words) -> bool:
    return len(words) == 2 and all(any(c.isdigit() for c in word) for word in words)


def _has_one_place(new: Told, old: Told, role: str, *, marked: bool) -> bool:
    if (role in new.proper) is not (role in old.proper):
        return False
    if new.roles[role].isdisjoint(COUNTRIES) is not old.roles[role].isdisjoint(COUNTRIES):
        return False
    if role == "by" and new.verb in _TRAVELLING:
        return True
    fixed = not _ONE_PLACE.isdisjoint(new.verb.split()) or (new.verb == "run" and new.thing)
    return (fixed and new.definite) or (marked and new.verb not in _MANY)


def _has_one_time(new: Told, role: str, *, marked: bool) -> bool:
    if new.verb.split()[-1] in _ONCE and (new.definite or new.thing):
        return True
    if new.state is State.PAST or not new.definite:
        return False
    return role != "days" or marked or new.thing
