"""What two statements in roles do to each other: deny, repeat, or exclude.

Two that agree in all roles but one exclude each other when that role has one answer at a time: an
event has one date, a thing one place, a project one leader.
"""

from __future__ import annotations

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline.frames import Frame, State
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
from remanent.minds.offline.slots import EXCLUSIVE, holds_one


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


_SAME, _AGAINST, _APART = Judgement.SAME, Judgement.CONTRADICTS, Judgement.DIFFERENT
_OPEN = ("do:", "is", "place")
_HABITS = frozenset({"drink", "eat", "smoke", "play", "take", "use", "watch", "do", "practise"})
_REASONS = frozenset(
    {"anymore", "longer", "year", "last", "month", "week", "all", "any", "ever", "since"}
)


def compare(new: Frame, old: Frame, *, marked: bool) -> Judgement:
    """What the new frame says of the old one; `marked` when it says that something has changed."""
    if _called_off(new, old) or _given_up(new, old):
        return _AGAINST
    if new.slot == old.slot and (_changed_role(new, old) or _turned_round(new, old)):
        return _AGAINST
    if not same_subject(new.subject, old.subject) or _slot(new) != _slot(old):
        return _APART
    if new.state is not old.state:
        return _ended(new, old)
    if new.slot.startswith(_OPEN):
        return _compare_open(new, old)
    return _filled(new, old, marked=marked)


def _filled(new: Frame, old: Frame, *, marked: bool) -> Judgement:
    if new.slot.startswith("count:") and new.positive is not old.positive:
        return _AGAINST if "some" in (old.value if new.positive else new.value) else _APART
    if _same_value(new, old):
        return _agreed(new, old)
    return _AGAINST if _exclude(new, old, marked=marked) else _APART


def _called_off(new: Frame, old: Frame) -> bool:
    """What does not take place has no time and no phase; nor has what has one been called off."""
    never, when = (new, old) if new.slot == "never" else (old, new)
    if never.slot != "never" or not when.slot.startswith(("when:", "phase")) or not when.positive:
        return False
    return same_subject(new.subject, old.subject)


def _given_up(new: Frame, old: Frame) -> bool:
    """ "I gave up coffee": whatever was done with it is done no more."""
    if new.slot != "stop" or not new.positive or not old.positive or old.state is not State.NOW:
        return False
    habit = old.slot.removeprefix("do:") in _HABITS and same_subject(new.subject, old.subject)
    return habit and plain(new.value) == plain(old.value) and not old.extra - new.extra


def _changed_role(new: Frame, old: Frame) -> bool:
    """ "Ann is my girlfriend" and "Ann is my wife": one person, two roles that exclude each other."""
    if new.slot != "name" or not (new.positive and old.positive) or new.value != old.value:
        return False
    (whose, _, role), (whose_before, _, before) = (
        key.rpartition("'s ") for key in (new.subject, old.subject)
    )
    if whose != whose_before or not role or not before or new.state is not old.state:
        return False
    mine, was = (plain(text.split()) for text in (role, before))
    if mine & was:
        return are_opposite(mine, was)
    return any(mine & group and was & group for group in EXCLUSIVE)


def _turned_round(new: Frame, old: Frame) -> bool:
    """ "Ann is older than Ben" and "Ben is older than Ann"."""
    if not new.slot.startswith("than:") or not (new.positive and old.positive):
        return False
    return new.value == {old.subject} and old.value == {new.subject}


def _exclude(new: Frame, old: Frame, *, marked: bool) -> bool:
    """True if two values of one slot cannot both be so."""
    if not (new.positive and old.positive and new.state is State.NOW):
        return False
    if new.several or old.several:
        return marked and new.slot == "prefer"
    if new.slot == "company":
        return holds_one(new) or holds_one(old)
    if holds_one(new) and holds_one(old):
        return _comparable(new, old)
    return new.slot.startswith("attr:") and are_opposite(new.value, old.value)


def _slot(frame: Frame) -> str:
    kind, _, name = frame.slot.partition(":")
    return f"{kind}:{' '.join(plain_word(word) for word in name.split())}"


def _ended(new: Frame, old: Frame) -> Judgement:
    """ "I used to live in Oslo" retires "I live in Oslo" and says nothing of Bergen."""
    over = new.state is State.PAST and old.state is State.NOW
    told = over and "use" in new.extra
    return _AGAINST if told and new.positive and old.positive and _same_value(new, old) else _APART


def _agreed(new: Frame, old: Frame) -> Judgement:
    if new.positive is not old.positive:
        return _AGAINST if new.state is State.NOW and _denies_all(new, old) else _APART
    more, less = new.extra - old.extra, old.extra - new.extra
    if more and less:
        return _APART
    return _SAME if len(more) <= _room(new) else _APART


def _denies_all(new: Frame, old: Frame) -> bool:
    """ "I don't like tea in the evening" leaves "I like tea" alone."""
    no, yes = (old, new) if new.positive else (new, old)
    narrowing = no.extra - yes.extra - _REASONS
    return not narrowing or not new.slot.startswith(("like", "do", "count", "use"))


def _room(frame: Frame) -> int:
    # A slot we know is filled whatever is said around it; a liking is told by its object alone.
    return 1 if frame.slot.startswith(("like", "count", "attr")) else 2


def _compare_open(new: Frame, old: Frame) -> Judgement:
    """Slots that may hold many values: only a plain denial or an opposite contradicts."""
    if plain(new.extra) != plain(old.extra):
        return _APART
    if _same_value(new, old):
        return _SAME if new.positive is old.positive else _AGAINST
    if not (new.positive and old.positive):
        return _APART
    done = new.slot.startswith("do:")
    lasting = not done or (new.state is State.NOW and not is_taste(new.slot[3:]))
    moved = new.slot == "place" and new.state is State.NOW and _comparable(new, old)
    return _AGAINST if moved or (lasting and are_opposite(new.value, old.value)) else _APART


def same_subject(one: str, other: str) -> bool:
    """True for equal keys, and for a first name beside the full one."""
    one, other = (" ".join(plain_word(w) for w in key.split()) for key in (one, other))
    if one == other:
        return True
    short, long = sorted((one.split(), other.split()), key=len)
    return (
        len(short) == 1
        and long[:1] == short
        and short[0] not in {"owner", "the"}
        and len(long) == 2
    )


def _same_value(new: Frame, old: Frame) -> bool:
    left, right = plain(new.value), plain(old.value)
    if same_words(left, right):
        return True
    return (
        new.proper and old.proper and bool(left) and bool(right) and (left < right or right < left)
    )


def _comparable(new: Frame, old: Frame) -> bool:
    """False where both may be true: a city and its country, a named firm and "a bank"."""
    if new.proper is not old.proper and new.slot in {"home", "employer", "origin", "school"}:
        return False
    if new.slot in {"home", "origin", "born:place", "place"}:
        return new.value.isdisjoint(COUNTRIES) is old.value.isdisjoint(COUNTRIES)
    return True
