"""How two frames stand to each other: a slot of somebody's life, filled twice."""

from __future__ import annotations

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline.exclusion import is_taste
from remanent.minds.offline.frames import Frame, State
from remanent.minds.offline.moments import are_opposite, plain, plain_word, same_words
from remanent.minds.offline.names import COUNTRIES
from remanent.minds.offline.slots import EXCLUSIVE, holds_one

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
