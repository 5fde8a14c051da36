"""Slots of a person's life: home, work, age, name, whom they are with and where they come from."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from spacy.tokens import Token

_MARITAL = frozenset(
    {"married", "single", "divorced", "engaged", "widowed", "marry", "divorce", "engage"}
)
_MARITAL_NAMES = {"marry": "married", "divorce": "divorced", "engage": "engaged"}
_HOMES = frozenset({"home", "house", "apartment", "flat", "residence"})


def home(deed: Deed) -> Frame | None:
    place: Token | None = None
    if deed.lemma in {"live", "reside", "settle", "base"}:
        place = deed.after("in", "at", "near")
    elif deed.lemma in {"move", "relocate"} and not is_thing(deed.subject):
        place = deed.after("to", "into")
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
    if deed.lemma in {"be", "become"}:
        trade = deed.child("attr")
        if trade is not None and trade.lemma_.lower() in lexicon.JOBS and _is_indefinite(trade):
            return fill(deed, "job", trade)
    return None


def _is_indefinite(noun: Token) -> bool:
    return not any(
        c.dep_ == "poss" or (c.dep_ == "det" and c.lower_ == "the") for c in noun.children
    )


def marital(deed: Deed) -> Frame | None:
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
        state=deed.state
        if deed.lemma == "be"
        else State.NOW
        if deed.state is State.PAST
        else deed.state,
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
    if thing is None or subject_key(deed.subject) in {"it", "that"} or is_thing(deed.subject):
        return None
    number = _number_in(thing)
    plain = thing.like_num and 0 < len(thing.text) <= 3
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
    if deed.lemma in {"study", "attend", "enrol", "enroll"}:
        place = deed.after("at") or (deed.child("dobj") if deed.lemma == "attend" else None)
        if place is not None and is_proper(place):
            return fill(deed, "school", place)
    return None
