"""Slots of anything: likings, possessions, allergies, times, qualities, and what is done."""

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

if TYPE_CHECKING:
    from spacy.tokens import Token

ONE_OF = lexicon.words(
    "boss manager supervisor wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee"
    " mother father mom mum dad ceo cto president chairman capital mayor landlord dentist therapist"
    " doctor name birthday age address password code pin number email deadline budget rent salary"
    " price cost size height weight title job profession occupation employer home hometown nationality"
    " major color colour time date destination venue location headquarters captain leader lead owner"
    " username nickname surname mentor coach trainer tutor lawyer accountant landlady nanny vet babysitter"
    " assistant director plumber hairdresser insurer provider operator supplier language diet blood car phone laptop flight gate seat room floor"
)
"""Attributes of which there is one at a time, when possessed."""
_FUNCTIONAL_VERBS = frozenset(
    {"drive", "weigh", "cost", "measure", "report", "major", "earn", "park"}
)


_MANY_ROLES = (
    lexicon.RELATIVES - lexicon.PARENTS | lexicon.FRIENDS | lexicon.PETS
) | lexicon.words("colleague coworker co-worker teammate client customer report intern ex teacher")
_MANY_ROLES -= lexicon.words("godmother godfather mother-in-law father-in-law")
"""Roles that several people may have to somebody at once."""
_SPELLED = lexicon.words(
    "colour color name password email code username address number nickname pin database"
)
"""What is told by a word or sign that the tagger may take for an adjective."""


def liking(deed: Deed) -> Frame | None:
    """What somebody likes or not; each thing is a slot of its own."""
    if deed.lemma == "prefer":
        return _preferring(deed)
    thing, sign = _fondness(deed), deed.positive
    if thing is None and deed.lemma in lexicon.LIKE_VERBS | lexicon.HATE_VERBS | {"stand"}:
        thing = deed.child("dobj", "xcomp")
        sign = deed.positive is (deed.lemma not in lexicon.HATE_VERBS)
        if deed.lemma == "stand" and deed.positive:
            return None
        if deed.lemma == "like" and deed.state is State.UNREAL:
            return None
    if thing is None:
        return None
    what = " ".join(sorted(value_of(thing)))
    key = subject_key(deed.subject)
    return Frame(key, f"like:{what}", frozenset({"like"}), sign, _lasting(deed))


def _preferring(deed: Deed) -> Frame | None:
    """What is preferred to something, at some time, or among things of its kind: one of each."""
    thing = deed.child("dobj", "xcomp")
    if thing is None:
        return None
    other = deed.after("to", "over") or complement(thing, "to", "over")
    if other is not None:
        pair = " ".join(sorted(value_of(thing) | value_of(other)))
        return fill(deed, f"prefer:{pair}", thing)
    frame = fill(deed, "prefer", thing)
    for prep in (c for head in (deed.verb, thing) for c in head.children if c.dep_ == "prep"):
        when = " ".join(sorted(w for c in prep.children for w in value_of(c)))
        if thing.pos_ == "VERB":
            what = frozenset(when.split())
            return replace(frame, slot=f"prefer:{prep.lower_} {thing.lemma_}", value=what)
        return replace(frame, slot=f"prefer:{prep.lower_} {when}")
    kind = value_of(thing) - {thing.lemma_.lower()}
    if kind and thing.pos_ == "NOUN":
        return replace(frame, slot=f"prefer:{thing.lemma_.lower()}", value=kind)
    return replace(frame, several=True)


def _fondness(deed: Deed) -> Token | None:
    """The thing in "is fond of dogs", "is a fan of dogs"."""
    word = deed.child("acomp", "attr") if deed.lemma == "be" else None
    if word is None or word.lower_ not in {"fond", "fan", "lover", "crazy"}:
        return None
    return complement(word, "of", "about")


def allergy(deed: Deed) -> Frame | None:
    """ "Allergic to nuts" and "a nut allergy" fill one slot."""
    if (
        deed.lemma == "be"
        and (word := deed.child("acomp")) is not None
        and word.lower_ == "allergic"
    ):
        cause = deed.after("to")
        found = value_of(cause) if cause is not None else frozenset[str]()
    elif deed.lemma in {"have", "get"} and (word := deed.child("dobj")) is not None:
        to = deed.after("to")
        found = value_of(to) if to is not None else value_of(word) - {"allergy"}
        found = found if word.lemma_.lower() == "allergy" else frozenset()
    else:
        return None
    if not found:
        return None
    key = f"allergy:{' '.join(sorted(found))}"
    return Frame(subject_key(deed.subject), key, frozenset({"some"}), deed.positive, deed.state)


def using(deed: Deed) -> Frame | None:
    """What is used for a purpose; each purpose is a slot of its own."""
    thing, purpose = deed.child("dobj"), deed.after("for", "as")
    if deed.lemma != "use" or thing is None or purpose is None or thing == purpose:
        return None
    what = value_of(thing) - value_of(purpose)
    frame = fill(deed, f"use:{' '.join(sorted(value_of(purpose)))}", thing)
    return Frame(frame.subject, frame.slot, what, frame.positive, frame.state)


def _lasting(deed: Deed) -> State:
    # "can't stand" has a modal and is no plan
    return State.NOW if deed.lemma == "stand" else deed.state


def having(deed: Deed) -> Frame | None:
    if deed.lemma == "suffer" and (illness := deed.after("from")) is not None:
        slot = f"count:{' '.join(sorted(value_of(illness)))}"
        key = subject_key(deed.subject)
        return Frame(key, slot, frozenset({"some"}), deed.positive, deed.state)
    if deed.lemma not in {"have", "own", "get"} or deed.state is State.UNREAL:
        return None
    thing = deed.child("dobj")
    if thing is None or (
        deed.lemma == "get" and "have" not in {c.lemma_ for c in deed.verb.children}
    ):
        return None
    number = next((c for c in thing.children if c.dep_ == "nummod"), None)
    rest = " ".join(sorted(value_of(thing) - (value_of(number) if number is not None else set())))
    value = value_of(number) if number is not None else frozenset({"some"})
    return Frame(subject_key(deed.subject), f"count:{rest}", value, deed.positive, deed.state)


_TAKING_PLACE = lexicon.words("be start begin schedule happen move take reschedule plan")


def timed(deed: Deed) -> Frame | None:
    """When something takes place; clock times and days are slots of their own."""
    if deed.lemma not in _TAKING_PLACE or not is_thing(deed.subject):
        return None
    if deed.subject.lemma_.lower() in _SPELLED | {"rent"}:
        return None
    when = deed.after("at", "on", "for", "to", "in", "until", "by") or deed.child(
        "attr", "npadvmod", "acomp"
    )
    if when is None or (when.ent_type_ not in {"TIME", "DATE"} and not _is_clock(when)):
        return None
    if deed.lemma == "be" and deed.child("acomp", "attr") not in {None, when}:
        return None  # "is open on Sundays" tells more than a time
    kind = "clock" if when.ent_type_ == "TIME" or _is_clock(when) else "day"
    frame = fill(deed, f"when:{kind}", when)
    return Frame(frame.subject, frame.slot, frame.value, frame.positive, State.NOW, proper=False)


def _is_clock(token: Token) -> bool:
    return token.lower_ in {"am", "pm", "noon", "midnight", "o'clock"} or ":" in token.text


def stopping(deed: Deed) -> Frame | None:
    """What somebody gave up, or what was called off."""
    if deed.lemma == "take" and not deed.positive and _object(deed) == "place":
        return Frame(subject_key(deed.subject), "never", frozenset(), True, State.NOW)
    thing = deed.child("dobj")
    if deed.lemma not in {"stop", "quit"} or thing is None:
        return None
    now = State.NOW if deed.state is State.PAST else deed.state
    return Frame(subject_key(deed.subject), "stop", value_of(thing), deed.positive, now)


def _object(deed: Deed) -> str:
    thing = deed.child("dobj")
    return thing.lower_ if thing is not None else ""


def copula(deed: Deed) -> Frame | None:
    if deed.lemma not in {"be", "become"}:
        return None
    value = deed.child("attr", "acomp", "oprd")
    if value is None:
        place = deed.after("in", "at", "on")
        return fill(deed, "place", place) if place is not None and is_proper(place) else None
    return _named(deed, value) or _turned(deed, value) or _described(deed, value)


def _described(deed: Deed, value: Token) -> Frame:
    if any(c.tag_ == "JJS" for c in deed.subject.children):  # there is one best, one biggest
        return fill(deed, f"attr:best {_attribute(deed.subject)}", value)
    owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
    owner = owner or complement(deed.subject, "of")
    noun = deed.subject.lemma_.lower()
    if (
        owner is not None
        and noun not in lexicon.PETS
        and (noun not in lexicon.ROLES or is_proper(value))
    ):
        return fill_for(deed, owner, _attribute_slot(deed.subject, value), value)
    single = noun in ONE_OF and deed.subject.tag_ != "NNS"  # "the colours are bright" and bold
    return fill(deed, f"attr:{noun}" if single else "is", value)


def _named(deed: Deed, value: Token) -> Frame | None:
    """ "My sister is Ann" and "Ann is my sister": the name of somebody known by a role."""
    noun, name = (deed.subject, value) if is_proper(value) else (value, deed.subject)
    role = noun.lemma_.lower()
    if role not in lexicon.ROLES | lexicon.PETS | ONE_OF or not is_proper(name) or is_proper(noun):
        return None
    if not any(c.dep_ == "poss" for c in noun.children) or role in _SPELLED | {"name"}:
        return None
    best = any(c.tag_ == "JJS" for c in noun.children)
    frame = replace(fill(deed, "name", name), subject=subject_key(noun))
    return replace(frame, several=role in _MANY_ROLES and not best)


def _attribute_slot(noun: Token, value: Token) -> str:
    """ "My car is fast" leaves room for "my car is blue"; "my favourite colour is blue" does not."""
    name = _attribute(noun)
    describes = value.pos_ == "ADJ" and noun.lemma_.lower() not in _SPELLED
    return f"is:{name}" if describes and "favourite" not in name else f"attr:{name}"


def passive(deed: Deed) -> Frame | None:
    """ "The window is closed" as a quality, unless more is said of how or where."""
    if deed.verb.tag_ != "VBN" or deed.subject.dep_ != "nsubjpass":
        return None
    if any(c.dep_ in {"prep", "agent", "oprd", "dobj", "xcomp"} for c in deed.verb.children):
        return None
    value = frozenset({deed.verb.lower_})
    return Frame(subject_key(deed.subject), "is", value, deed.positive, deed.state)


def _turned(deed: Deed, value: Token) -> Frame | None:
    """ "Tom is my boss" as "my boss is Tom"."""
    if value.pos_ != "NOUN" or not is_proper(deed.subject):
        return None
    owner = next((c for c in value.children if c.dep_ == "poss"), None)
    definite = any(c.lower_ == "the" for c in value.children)
    owner = owner or (complement(value, "of", "at") if definite else None)
    if owner is None:
        return None
    name = _attribute(value)
    return fill_for(deed, owner, "name" if name == "name" else f"attr:{name}", deed.subject)


def _attribute(noun: Token) -> str:
    words = [c.lower_ for c in noun.children if c.dep_ in {"compound", "amod"}]
    known = {
        "color": "colour",
        "favorite": "favourite",
        "mom": "mother",
        "mum": "mother",
        "dad": "father",
    }
    return " ".join(known.get(word, word) for word in [*words, noun.lemma_.lower()])


def generic(deed: Deed) -> Frame:
    objects = [
        c for c in deed.verb.children if c.dep_ in {"dobj", "attr", "acomp", "oprd", "prt", "xcomp"}
    ]
    words = {word for thing in objects for word in value_of(thing)}
    slot = "one" if deed.lemma in _FUNCTIONAL_VERBS else "do"
    return Frame(
        subject=subject_key(deed.subject),
        slot=f"{slot}:{deed.lemma}",
        value=frozenset(words),
        positive=deed.positive,
        state=deed.state,
        proper=any(is_proper(thing) for thing in objects),
    )
