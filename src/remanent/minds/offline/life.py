"""Slots of a person's life: home, work, age, name, whom they are with and where they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.frames import (
    Deed,
    Frame,
    State,
    complement,
    fill,
    fill_for,
    is_proper,
    is_thing,
    subject_key,
    value_of,
)
from remanent.minds.offline.moments import opposite_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_MARITAL = frozenset(
    {"married", "single", "divorced", "engaged", "widowed", "marry", "divorce", "engage", "widow"}
)
_MARITAL_NAMES = {
    "marry": "married",
    "divorce": "divorced",
    "engage": "engaged",
    "widow": "widowed",
}
UNIVERSITIES = lexicon.words(
    "yale harvard princeton stanford oxford cambridge mit caltech ntnu eth cornell columbia dartmouth"
    " berkeley ucla nyu duke brown penn heidelberg sorbonne uppsala durham"
)
_RELIGIONS = lexicon.words("muslim jew jewish buddhist hindu atheist christian sikh agnostic")
_PRAISE = lexicon.words("good great bad excellent terrible keen passionate brilliant decent poor")
"""Whoever is a good cook may be a lawyer."""
_HOMES = frozenset({"home", "house", "apartment", "flat", "residence"})


def home(deed: Deed) -> Frame | None:
    place: Token | None = None
    if deed.lemma in {"live", "reside", "settle", "base"}:
        place = deed.after("in", "at")
    elif deed.lemma in {"move", "relocate", "emigrate"}:
        return _moved(deed)
    elif deed.lemma == "come":
        place = _home_every_evening(deed)
    elif deed.lemma == "be" and deed.subject.lemma_.lower() in _HOMES:
        place = deed.after("in")
        owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
        if place is not None and owner is not None:
            return fill_for(deed, owner, "home", place)
    elif (
        deed.lemma == "be"
        and (acomp := deed.child("acomp")) is not None
        and acomp.lower_ == "based"
    ):
        place = deed.after("in")
    return fill(deed, "home", place) if place is not None else None


def _moved(deed: Deed) -> Frame | None:
    """Where somebody moved to, or something did; whoever moved the boxes to the attic lives elsewhere."""
    place = deed.after("to", "into")
    if place is None or deed.child("dobj") is not None:
        return None
    if not is_thing(deed.subject):
        return fill(deed, "home", place)
    return fill(deed, "place", place) if place.ent_type_ in {"GPE", "LOC", "FAC"} else None


def _home_every_evening(deed: Deed) -> Token | None:
    """ "Comes home to Oslo every evening": the place, and no person or pet that waits there."""
    place = deed.after("to")
    words = {token.lower_ for token in deed.verb.subtree}
    daily = "home" in words and "every" in words and words & {"evening", "night", "day"}
    return place if place is not None and daily and place.ent_type_ in {"GPE", "LOC"} else None


def company(deed: Deed) -> Frame | None:
    """Whom somebody lives with, if anybody."""
    if deed.lemma != "live":
        return None
    alone = any(c.lower_ == "alone" for c in deed.verb.children)
    whom = deed.after("with")
    if not alone and whom is None:
        return None
    value = frozenset({"nobody"}) if whom is None else value_of(whom)
    key = subject_key(deed.subject)
    return Frame(key, "company", value, deed.positive, deed.state, is_proper(whom or deed.verb))


def employer(deed: Deed) -> Frame | None:
    """Where somebody works; leaving denies it."""
    leaving = deed.lemma in {"leave", "quit", "lose"}
    place = _joined(deed) if deed.lemma in {"join", "leave", "quit", "start"} else None
    if place is None:
        place = _workplace(deed)
    if place is None or place.lower_ in {"home", "night", "moment"}:
        return None
    if place.ent_type_ in {"TIME", "DATE"}:
        return None
    return fill(deed, "employer", place, positive=deed.positive is not leaving)


def employer_of_trade(deed: Deed) -> Frame | None:
    """Where a "nurse at Riverside" works."""
    trade = job(deed) if deed.lemma in {"be", "work"} else None
    place = deed.after("at", "for") if trade is not None else None
    if place is None or not is_proper(place) or place.ent_type_ in {"TIME", "DATE"}:
        return None
    return replace(fill(deed, "employer", place), also=True)


def _workplace(deed: Deed) -> Token | None:
    if deed.lemma == "work":
        return deed.after("at", "for")
    holding = deed.lemma in {"get", "have", "take", "leave", "quit", "lose", "start"}
    if deed.lemma == "employ" or (holding and _object_is(deed, "job", "position")):
        return deed.after("at", "for", "by", "with")
    if deed.lemma == "be" and _object_is(deed, "employee"):
        return deed.after("of", "at")
    return None


def _joined(deed: Deed) -> Token | None:
    """The named firm that somebody joins or leaves; "Tom joined Ann" is about lunch."""
    place = deed.after("at") if deed.lemma == "start" else deed.child("dobj")
    if place is None or place.pos_ != "PROPN" or place.lower_ in lexicon.FIRST_NAMES:
        return None
    return None if place.ent_type_ in {"PERSON", "GPE", "LOC", "EVENT", "DATE"} else place


def _object_is(deed: Deed, *nouns: str) -> bool:
    thing = deed.child("dobj", "attr")
    return thing is not None and thing.lemma_.lower() in nouns


def job(deed: Deed) -> Frame | None:
    if deed.lemma in {"work", "retrain", "employ"}:
        trade = deed.after("as")
        return fill(deed, "job", trade) if trade is not None else None
    if deed.lemma in {"be", "become"} and not is_thing(deed.subject):
        trade = deed.child("attr")
        praised = trade is not None and any(c.lower_ in _PRAISE for c in trade.children)
        if trade is None or praised:
            return None
        if trade.lemma_.lower() in lexicon.JOBS and _is_indefinite(trade):
            return fill(deed, "job", trade)
    return None


def _is_indefinite(noun: Token) -> bool:
    return not any(
        c.dep_ == "poss" or (c.dep_ == "det" and c.lower_ == "the") for c in noun.children
    )


def _since_when(deed: Deed) -> State:
    """ "Got married" holds now, "was married" does not."""
    over = any(c.lower_ in {"was", "were"} for c in deed.verb.children)
    if deed.state is State.PAST and deed.lemma != "be" and not over:
        return State.NOW
    return deed.state


def _status(deed: Deed) -> Frame | None:
    word = deed.verb if deed.lemma in _MARITAL_NAMES else deed.child("acomp", "attr", "oprd")
    if word is None or (word.lower_ not in _MARITAL and word.lemma_.lower() not in _MARITAL):
        return None
    if deed.lemma not in {"be", "get", "become", "remain", *_MARITAL_NAMES}:
        return None
    status = _MARITAL_NAMES.get(word.lemma_.lower(), word.lower_)
    return Frame(
        subject=subject_key(deed.subject),
        slot="marital",
        value=frozenset({status}),
        positive=deed.positive,
        state=_since_when(deed),
    )


def partner(deed: Deed) -> Frame | None:
    if deed.lemma == "date":
        partner = deed.child("dobj")
        return fill(deed, "partner", partner) if partner is not None else None
    if deed.lemma == "break":
        partner = deed.after("with")
        return fill(deed, "partner", partner, positive=False) if partner is not None else None
    return None


def age(deed: Deed) -> Frame | None:
    if deed.lemma not in {"be", "turn"}:
        return None
    thing = deed.child("acomp", "attr", "dobj", "npadvmod")
    somebody = not is_thing(deed.subject) or deed.subject.lemma_.lower() in lexicon.PETS
    if thing is None or subject_key(deed.subject) in {"it", "that"} or not somebody:
        return None
    number = _number_in(thing)
    plain = thing.like_num and (len(thing.text) <= 3 or thing.is_alpha)
    if number is None or not (
        plain or "old" in {thing.lower_, *(c.lower_ for c in thing.children)}
    ):
        return None
    return Frame(subject_key(deed.subject), "age", frozenset({number}), deed.positive, deed.state)


def _number_in(token: Token) -> str | None:
    for part in token.subtree:
        if part.like_num:
            return next(iter(value_of(part)), part.lower_)
    return None


def spouse(deed: Deed) -> Frame | None:
    """Whom somebody is married or engaged to; known by name, like every other role."""
    status = _status(deed)
    whom = deed.after("to") if status is not None else None
    if status is None or whom is None or not is_proper(whom):
        return None
    role = "spouse" if "married" in status.value else "fiancé"
    frame = fill(deed, "name", whom)
    return replace(frame, subject=f"{frame.subject}'s {role}", state=status.state)


def marital(deed: Deed) -> Frame | None:
    """Whether somebody is married; beside the name of whoever it is to, something that follows."""
    status = _status(deed)
    if status is None or spouse(deed) is None:
        return status
    return replace(status, also=True) if status.positive else None


def other_spouse(deed: Deed) -> Frame | None:
    """Who is married to Ann has Ann for a spouse, and Ann has them."""
    frame, whom = spouse(deed), deed.after("to")
    if frame is None or whom is None:
        return None
    one, _, role = frame.subject.rpartition("'s ")
    key = subject_key(whom)
    return replace(frame, subject=f"{key}'s {role}", value=frozenset(one.split()), also=True)


def comparison(deed: Deed) -> Frame | None:
    """ "Ann is older than Ben", and "Ben is younger than Ann" the other way round."""
    word = deed.child("acomp") if deed.lemma == "be" else None
    than = (
        next((c for c in word.children if c.lower_ == "than"), None) if word is not None else None
    )
    other = next((c for c in than.children if c.dep_ == "pobj"), None) if than is not None else None
    if word is None or other is None:
        return None
    quality = word.lemma_.lower()
    more, less = subject_key(deed.subject), subject_key(other)
    opposite = opposite_of(quality)
    if opposite is not None and opposite < quality:
        quality, more, less = opposite, less, more
    return Frame(more, f"than:{quality}", frozenset({less}), deed.positive, deed.state)


def religion(deed: Deed) -> Frame | None:
    word = deed.child("attr", "acomp") if deed.lemma in {"be", "become"} else None
    if word is None or word.lemma_.lower() not in _RELIGIONS or is_thing(deed.subject):
        return None
    return fill(deed, "religion", word)


def name(deed: Deed) -> Frame | None:
    if deed.lemma in {"call", "name"} and deed.subject.dep_ == "nsubjpass":
        name = deed.child("oprd", "attr")
        return fill(deed, "name", name) if name is not None else None
    if deed.lemma == "be" and deed.subject.lemma_.lower() == "name":
        owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
        owner = owner or complement(deed.subject, "of")
        name = deed.child("attr", "acomp", "oprd")
        return (
            fill_for(deed, owner, "name", name) if owner is not None and name is not None else None
        )
    return None


def origin(deed: Deed) -> Frame | None:
    if (
        deed.lemma in {"be", "come"}
        and (place := deed.after("from")) is not None
        and is_proper(place)
    ):
        return fill(deed, "origin", place)
    if deed.lemma == "bear" and deed.subject.dep_ == "nsubjpass":
        place = deed.after("in", "on")
        if place is not None:
            kind = "place" if is_proper(place) and place.ent_type_ != "DATE" else "date"
            return fill(deed, f"born:{kind}", place)
    return None


def school(deed: Deed) -> Frame | None:
    if deed.lemma in {"go", "transfer", "switch"}:
        place = deed.after("to")
        if place is not None and (place.lower_ in UNIVERSITIES or _is_school(place)):
            return fill(deed, "school", place)
    if deed.lemma in {"study", "attend", "enrol", "enroll"}:
        place = deed.after("at") or (deed.child("dobj") if deed.lemma == "attend" else None)
        if place is not None and is_proper(place):
            return fill(deed, "school", place)
    return None


def _is_school(place: Token) -> bool:
    schools = {"school", "college", "university", "academy", "institute", "kindergarten"}
    return place.pos_ == "PROPN" and any(part.lower_ in schools for part in place.subtree)
