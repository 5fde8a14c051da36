"""Which slots of its subject a statement fills, and which of them hold one value at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon, life, qualities
from remanent.minds.offline.frames import (
    Deed,
    Frame,
    State,
    complement,
    deeds,
    is_proper,
    subject_key,
    with_extra,
)
from remanent.minds.offline.moments import plain
from remanent.minds.offline.voice import subject_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc, Token


STATUS = lexicon.words(
    "hold testing review progress production development design planning approval schedule live done"
    " finished complete completed cancelled canceled paused blocked delayed stalled launched shipped"
    " ready released archived dropped staging beta pilot postponed approved rejected stopped"
)
"""How a project may stand."""
_STANDING = lexicon.words(
    "be go put wait cancel pause block delay stall launch ship release archive drop postpone approve"
    " reject stop finish complete"
)
_PHASES = STATUS - {"schedule", "done"}
_SMALL = lexicon.words("of in on the a an for to under at now is not be been being was")
_RESCHEDULED = lexicon.words("push postpone delay reschedule shift move bring")
_DATED = lexicon.words("ship launch release start begin end open close expire finish")
"""What has a date of its own, told before it comes."""
_BETWEEN_NAMES = lexicon.words("order commission fund sponsor acquire supply pay hand")
_COMPLAINTS = lexicon.words("allergy asthma diabetes epilepsy migraine intolerance")


def is_standing(root: Token, tokens: Sequence[Token]) -> bool:
    """True for the status, date and parties of something named, and for somebody's lasting complaint."""
    subject = subject_of(root)
    if subject is None or any(c.lower_ in lexicon.MODALS - {"will"} for c in root.children):
        return False
    if subject.lemma_.lower() in _COMPLAINTS:
        return any(c.dep_ == "poss" for c in subject.children)
    if not _is_about_named(subject):
        return False
    return (
        _is_in_a_state(root, subject, tokens)
        or _is_dated(root, tokens)
        or _is_between_names(root, tokens)
    )


def phase(deed: Deed) -> Frame | None:
    """In which phase something known by name is: one at a time. Ahead of schedule is none, unless it
    is called the status."""
    if (told := _status(deed)) is not None:
        return told
    put = deed.verb.tag_ == "VBN" and deed.subject.dep_ == "nsubjpass"  # "is cancelled"
    waiting = deed.verb.tag_ == "VBG" and deed.lemma == "wait"
    if not (put or waiting or deed.lemma in {"be", "go"}) or not is_proper(deed.subject):
        return None
    if deed.state is State.UNREAL:
        return None
    said = _said_behind(deed)
    if not said & _PHASES or deed.subject.lower_ in lexicon.FIRST_NAMES:
        return None
    value = frozenset(said & _PHASES)
    return Frame(subject_key(deed.subject), "phase", value, deed.positive, State.NOW)


def _status(deed: Deed) -> Frame | None:
    """What the status of something is said to be, whatever it is."""
    put = deed.verb.tag_ in {"VBN", "VBG"}  # "the status is cancelled", "is waiting"
    if not (put or deed.lemma == "be") or deed.subject.lower_ != "status":
        return None
    owner = next((c for c in deed.subject.children if c.dep_ == "poss"), None)
    owner = owner or complement(deed.subject, "of")
    words = frozenset(_said_behind(deed))
    value = words & _PHASES or words - _SMALL
    if owner is None or not value:
        return None
    return Frame(subject_key(owner), "phase", value, deed.positive, State.NOW)


def _said_behind(deed: Deed) -> set[str]:
    return {
        t.lower_
        for t in deed.verb.subtree
        if t.i >= deed.verb.i and t.i > deed.subject.i and t.is_alpha
    }


def _is_in_a_state(root: Token, subject: Token, tokens: Sequence[Token]) -> bool:
    """ "Atlas is on hold", "Atlas went live", "the status of Atlas has changed to done"."""
    lemma = root.lemma_.lower()
    if subject.lemma_.lower() in {"status", "phase", "stage"}:
        return lemma == "change" or (lemma == "be" and root.tag_ != "VBD")
    if subject.pos_ != "PROPN" or lemma not in _STANDING:
        return False
    helpers = [c for c in root.children if c.dep_ in {"aux", "auxpass"}]
    if any(c.tag_ == "VBD" for c in helpers):
        return False
    now = root.tag_ in {"VBZ", "VBP", "VBG"} or lemma in {"go", "put"} or bool(helpers)
    said = {token.lower_ for token in tokens if token.i > subject.i}
    return now and bool(said & STATUS)


def _is_dated(root: Token, tokens: Sequence[Token]) -> bool:
    """ "Atlas ships on 12 April", "Atlas got pushed to May"."""
    lemma, past = root.lemma_.lower(), root.tag_ in {"VBD", "VBN"}
    dated = any(token.ent_type_ == "DATE" and token.i > root.i for token in tokens)
    return dated and lemma in (_RESCHEDULED if past else _DATED)


def _is_between_names(root: Token, tokens: Sequence[Token]) -> bool:
    """ "Polar Airways ordered Atlas", "Ann handed Atlas over to Ben"."""
    return root.lemma_.lower() in _BETWEEN_NAMES and any(
        t.pos_ == "PROPN" and t.i > root.i and t.dep_ in {"dobj", "pobj"} for t in tokens
    )


def _is_about_named(subject: Token) -> bool:
    """True for "Atlas" and "the status of Atlas"."""
    return any(token.pos_ == "PROPN" for token in subject.subtree)


EXCLUSIVE = tuple(plain(group) for group in (lexicon.PARTNERS, lexicon.RELATIVES))
"""Roles of which one person has one to somebody."""
SINGLE = frozenset(
    {
        "home",
        "employer",
        "job",
        "age",
        "name",
        "marital",
        "origin",
        "born",
        "partner",
        "school",
        "religion",
        "phase",
    }
)
"""Slots with one value at a time."""
_ONE_OF = qualities.ONE_OF | {"database"}
_ALSO: tuple[Callable[[Deed], Frame | None], ...] = (
    life.marital,
    life.other_spouse,
    life.employer_of_trade,
)
"""Asked beside the one that has read the verb."""
_READERS: tuple[Callable[[Deed], Frame | None], ...] = (
    life.comparison,
    phase,
    life.spouse,
    life.marital,
    life.partner,
    life.home,
    life.company,
    life.employer,
    life.religion,
    life.job,
    life.age,
    life.name,
    life.origin,
    life.school,
    qualities.liking,
    qualities.allergy,
    qualities.having,
    qualities.using,
    qualities.stopping,
    qualities.timed,
    qualities.copula,
    qualities.passive,
    qualities.generic,
)
"""Asked in this order; the last one reads whatever there is."""


def frames_of(doc: Doc) -> list[Frame]:
    """Everything a statement fills in, one frame for each of its main verbs."""
    found: list[Frame] = []
    for deed in deeds(doc):
        first = next(frame for reader in _READERS if (frame := reader(deed)) is not None)
        also = [frame for reader in _ALSO if (frame := reader(deed)) is not None and frame.also]
        for frame in (first, *also):
            used = {deed.lemma, deed.verb.lemma_, *frame.slot.split(":")[-1].split()}
            found.append(with_extra(frame, doc, used))
    return found


def holds_one(frame: Frame) -> bool:
    """True if the frame's slot holds one value at a time."""
    if frame.slot == "company":
        return "nobody" in frame.value
    if frame.slot in SINGLE or frame.slot.split(":")[0] in {"born", "when", "prefer", "one", "use"}:
        return True
    if frame.slot.startswith("attr:"):
        words = frame.slot[5:].split()
        if words[0] == "favourite" or "best" in words or words[-1] in _ONE_OF:
            return True
        return frame.proper and words[-1] not in lexicon.ROLES
    return frame.slot.startswith("count:") and "some" not in frame.value
