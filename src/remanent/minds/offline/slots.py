"""Which slot of its subject a statement fills, and which slots hold one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon
from remanent.minds.offline.frames import (
    Deed,
    Frame,
    State,
    complement,
    deeds,
    is_proper,
    subject_key,
    value_of,
    with_extra,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc, Token

_MARITAL = frozenset(
    {"married", "single", "divorced", "engaged", "widowed", "marry", "divorce", "engage"}
)
_MARITAL_NAMES = {"marry": "married", "divorce": "divorced", "engage": "engaged"}
_COLOURS = lexicon.words(
    "red blue green yellow black white brown grey gray orange purple pink silver gold beige"
)
_OPPOSITES = (
    ("open", "closed"), ("open", "close"), ("alive", "dead"), ("on", "off"), ("full", "empty"), ("hot", "cold"),
    ("big", "small"), ("large", "small"), ("tall", "short"), ("rich", "poor"), ("old", "young"), ("old", "new"),
    ("cheap", "expensive"), ("easy", "difficult"), ("easy", "hard"), ("healthy", "sick"), ("safe", "dangerous"),
    ("clean", "dirty"), ("fast", "slow"), ("early", "late"), ("possible", "impossible"), ("true", "false"),
    ("awake", "asleep"), ("employed", "unemployed"), ("employed", "retired"), ("vegetarian", "carnivore"),
    ("finished", "unfinished"), ("available", "unavailable"), ("public", "private"), ("broken", "intact"),
    ("left", "right"), ("quiet", "loud"), ("empty", "occupied"), ("enabled", "disabled"),
)  # fmt: skip
OPPOSITES = frozenset(frozenset(pair) for pair in _OPPOSITES)

_ONE_OF = lexicon.words(
    "boss manager supervisor wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee"
    " mother father mom mum dad ceo cto president chairman capital mayor landlord dentist therapist"
    " doctor name birthday age address password code pin number email deadline budget rent salary"
    " price cost size height weight title job profession occupation employer home hometown nationality"
    " major color colour time date destination venue location headquarters captain leader lead owner"
    " username nickname surname language diet blood car phone laptop flight gate seat room floor"
)
"""Attributes of which there is one at a time, when possessed."""
SINGLE = frozenset(
    {"home", "employer", "job", "age", "name", "marital", "origin", "born", "partner", "school"}
)
"""Slots with one value at a time."""
_FUNCTIONAL_VERBS = frozenset(
    {"drive", "weigh", "cost", "measure", "report", "major", "earn", "park"}
)


def frames_of(doc: Doc) -> list[Frame]:
    """Everything a statement fills in, one frame for each of its main verbs."""
    found: list[Frame] = []
    for deed in deeds(doc):
        read = next((frame for reader in _READERS if (frame := reader(deed)) is not None), None)
        frame = read or _generic(deed)
        found.append(
            with_extra(
                frame, doc, {deed.lemma, deed.verb.lemma_, *frame.slot.split(":")[-1].split()}
            )
        )
    return found


def _frame(deed: Deed, slot: str, value: Token, *, positive: bool | None = None) -> Frame:
    return Frame(
        subject=subject_key(deed.subject),
        slot=slot,
        value=value_of(value),
        positive=deed.positive if positive is None else positive,
        state=deed.state,
        proper=is_proper(value),
    )


def _home(deed: Deed) -> Frame | None:
    place: Token | None = None
    if deed.lemma in {"live", "reside", "settle", "base", "stay"} and deed.lemma != "stay":
        place = deed.after("in", "at", "near")
    elif deed.lemma in {"move", "relocate"} and not _is_thing(deed.subject):
        place = deed.after("to", "into")
    elif deed.lemma == "be" and deed.subject.lemma_.lower() in {
        "home",
        "house",
        "apartment",
        "flat",
    }:
        place = deed.after("in")
        owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
        if place is not None and owner is not None:
            return _of(deed, owner, "home", place)
    elif (
        deed.lemma == "be"
        and (acomp := deed.child("acomp")) is not None
        and acomp.lower_ == "based"
    ):
        place = deed.after("in")
    return _frame(deed, "home", place) if place is not None else None


def _is_thing(subject: Token) -> bool:
    return subject.pos_ == "NOUN" and subject.lemma_.lower() not in lexicon.ROLES


def _of(deed: Deed, owner: Token, slot: str, value: Token) -> Frame:
    return Frame(
        subject=subject_key(owner),
        slot=slot,
        value=value_of(value),
        positive=deed.positive,
        state=deed.state,
        proper=is_proper(value),
    )


def _employer(deed: Deed) -> Frame | None:
    place: Token | None = None
    positive: bool | None = None
    if deed.lemma in {"work", "employ"} or (
        deed.lemma in {"get", "have", "take"} and _object_is(deed, "job")
    ):
        place = (
            deed.after("at", "for", "by", "with")
            if deed.lemma != "work"
            else deed.after("at", "for")
        )
    elif deed.lemma == "be" and _object_is(deed, "employee"):
        place = deed.after("of", "at")
    elif deed.lemma in {"join", "leave", "quit"}:
        place = deed.child("dobj")
        if (
            place is not None
            and place.ent_type_ not in {"ORG", "PRODUCT", ""}
            and place.pos_ != "PROPN"
        ):
            return None
        if place is not None and place.pos_ != "PROPN":
            return None
        positive = deed.positive if deed.lemma == "join" else not deed.positive
    elif deed.lemma == "start":
        place = deed.after("at")
        place = place if place is not None and place.pos_ == "PROPN" else None
    if (
        place is None
        or place.lower_ in {"home", "night", "moment"}
        or place.ent_type_ in {"TIME", "DATE"}
    ):
        return None
    return _frame(deed, "employer", place, positive=positive)


def _object_is(deed: Deed, *nouns: str) -> bool:
    thing = deed.child("dobj", "attr")
    return thing is not None and thing.lemma_.lower() in nouns


def _job(deed: Deed) -> Frame | None:
    if deed.lemma in {"work", "retrain", "employ"}:
        trade = deed.after("as")
        return _frame(deed, "job", trade) if trade is not None else None
    if deed.lemma in {"be", "become"}:
        trade = deed.child("attr")
        if trade is not None and trade.lemma_.lower() in lexicon.JOBS and _is_indefinite(trade):
            return _frame(deed, "job", trade)
    return None


def _is_indefinite(noun: Token) -> bool:
    return not any(
        c.dep_ == "poss" or (c.dep_ == "det" and c.lower_ == "the") for c in noun.children
    )


def _marital(deed: Deed) -> Frame | None:
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


def _partner(deed: Deed) -> Frame | None:
    if deed.lemma == "date":
        partner = deed.child("dobj")
        return _frame(deed, "partner", partner) if partner is not None else None
    if deed.lemma == "break":
        partner = deed.after("with")
        return _frame(deed, "partner", partner, positive=False) if partner is not None else None
    return None


def _age(deed: Deed) -> Frame | None:
    if deed.lemma not in {"be", "turn"}:
        return None
    thing = deed.child("acomp", "attr", "dobj", "npadvmod")
    if thing is None or subject_key(deed.subject) in {"it", "that"} or _is_thing(deed.subject):
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


def _name(deed: Deed) -> Frame | None:
    if deed.lemma in {"call", "name"} and deed.subject.dep_ == "nsubjpass":
        name = deed.child("oprd", "attr")
        return _frame(deed, "name", name) if name is not None else None
    if deed.lemma == "be" and deed.subject.lemma_.lower() == "name":
        owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
        owner = owner or complement(deed.subject, "of")
        name = deed.child("attr", "acomp", "oprd")
        return _of(deed, owner, "name", name) if owner is not None and name is not None else None
    return None


def _origin(deed: Deed) -> Frame | None:
    if (
        deed.lemma in {"be", "come"}
        and (place := deed.after("from")) is not None
        and is_proper(place)
    ):
        return _frame(deed, "origin", place)
    if deed.lemma == "bear" and deed.subject.dep_ == "nsubjpass":
        place = deed.after("in", "on")
        if place is not None:
            kind = "place" if is_proper(place) and place.ent_type_ != "DATE" else "date"
            return _frame(deed, f"born:{kind}", place)
    return None


def _liking(deed: Deed) -> Frame | None:
    if deed.lemma not in lexicon.LIKE_VERBS | lexicon.HATE_VERBS | {"stand"}:
        return None
    if deed.state is State.UNREAL and deed.lemma == "like":
        return None
    thing = deed.child("dobj", "xcomp") or (deed.after("to") if deed.lemma == "prefer" else None)
    if thing is None:
        return None
    if deed.lemma == "prefer" and (
        other := deed.after("to", "over") or complement(thing, "to", "over")
    ):
        pair = " ".join(sorted(value_of(thing) | value_of(other)))
        return _frame(deed, f"prefer:{pair}", thing)
    if deed.lemma == "stand" and deed.positive:
        return None
    sign = deed.positive is (deed.lemma not in lexicon.HATE_VERBS)
    what = " ".join(sorted(value_of(thing)))
    return Frame(
        subject_key(deed.subject), f"like:{what}", frozenset({"like"}), sign, _lasting(deed)
    )


def _lasting(deed: Deed) -> State:
    # "can't stand" has a modal and is no plan
    return State.NOW if deed.lemma == "stand" else deed.state


def _having(deed: Deed) -> Frame | None:
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


def _school(deed: Deed) -> Frame | None:
    if deed.lemma in {"study", "attend", "enrol", "enroll"}:
        place = deed.after("at") or (deed.child("dobj") if deed.lemma == "attend" else None)
        if place is not None and is_proper(place):
            return _frame(deed, "school", place)
    return None


def _timed(deed: Deed) -> Frame | None:
    """When something takes place; clock times and days are slots of their own."""
    if deed.lemma not in {
        "be",
        "start",
        "begin",
        "schedule",
        "happen",
        "move",
        "take",
        "reschedule",
        "plan",
    }:
        return None
    if not _is_thing(deed.subject) or deed.subject.lemma_.lower() in {
        "number",
        "code",
        "pin",
        "rent",
    }:
        return None
    when = deed.after("at", "on", "for", "to", "in", "until", "by") or deed.child(
        "attr", "npadvmod", "acomp"
    )
    if when is None or (when.ent_type_ not in {"TIME", "DATE"} and not _is_clock(when)):
        return None
    kind = "clock" if when.ent_type_ == "TIME" or _is_clock(when) else "day"
    frame = _frame(deed, f"when:{kind}", when)
    return Frame(frame.subject, frame.slot, frame.value, frame.positive, State.NOW, proper=False)


def _is_clock(token: Token) -> bool:
    return token.lower_ in {"am", "pm", "noon", "midnight", "o'clock"} or ":" in token.text


def _copula(deed: Deed) -> Frame | None:
    if deed.lemma not in {"be", "become"}:
        return None
    value = deed.child("attr", "acomp", "oprd")
    if value is None:
        place = deed.after("in", "at", "on")
        return _frame(deed, "place", place) if place is not None and is_proper(place) else None
    turned = _turned(deed, value)
    if turned is not None:
        return turned
    owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
    owner = owner or complement(deed.subject, "of")
    noun = deed.subject.lemma_.lower()
    if (
        owner is not None
        and noun not in lexicon.PETS
        and (noun not in lexicon.ROLES or is_proper(value))
    ):
        return _of(deed, owner, _attribute_slot(deed.subject, value), value)
    return _frame(deed, f"attr:{noun}" if noun in _ONE_OF else "is", value)


def _attribute_slot(noun: Token, value: Token) -> str:
    """ "My car is fast" leaves room for "my car is blue"; "my favourite colour is blue" does not."""
    name = _attribute(noun)
    describes = value.pos_ == "ADJ" and noun.lemma_.lower() not in {
        "colour",
        "color",
        "name",
        "password",
    }
    return f"is:{name}" if describes and "favourite" not in name else f"attr:{name}"


def _passive(deed: Deed) -> Frame | None:
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
    return _of(deed, owner, f"attr:{_attribute(value)}", deed.subject)


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


def _generic(deed: Deed) -> Frame:
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


_READERS: tuple[Callable[[Deed], Frame | None], ...] = (
    _marital, _partner, _home, _employer, _job, _age, _name, _origin, _liking, _having, _school, _timed, _copula, _passive,
)  # fmt: skip


def holds_one(frame: Frame) -> bool:
    """True if the frame's slot holds one value at a time."""
    if frame.slot in SINGLE or frame.slot.split(":")[0] in {"born", "when", "prefer", "one"}:
        return True
    if frame.slot.startswith("attr:"):
        words = frame.slot[5:].split()
        return words[0] == "favourite" or "best" in words or words[-1] in _ONE_OF
    return frame.slot.startswith("count:") and "some" not in frame.value


def are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for values that exclude each other by what the words mean."""
    left, right = one - other, other - one
    if len(left) != 1 or len(right) != 1:
        return False
    if left | right in OPPOSITES:
        return True
    return left < _COLOURS and right < _COLOURS
