"""The shapes of answers, for models that follow a schema and for those that only nearly do.

What a model says it found, held against the text: bounded, in our words, and not invented.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from remanent.anchors.rules import nicknames
from remanent.core.dataclasses import replace
from remanent.core.model.belief import OWNER, BeliefType
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import BeliefDraft, Candidate, Reading
from remanent.core.model.node import Kind
from remanent.minds.llm.prompts import on_one_line, visible

MOST = 100  # of anything in a list: more is not an answer but a flood
_KINDS = {
    "people": "person",
    "individual": "person",
    "human": "person",
    "topic": "concept",
    "goal": "concept",
    "preference": "concept",
    "value": "concept",
    "idea": "concept",
}


def _word(known: dict[str, str], usual: str, allowed: tuple[str, ...]) -> Callable[[Any], Any]:
    def normalised(given: Any) -> Any:
        said = str(given).strip().casefold()
        said = known.get(said, said)
        return said if said in allowed else usual

    return normalised


def _figure(least: float, most: float, usual: float) -> Callable[[Any], Any]:
    def within(given: Any) -> Any:
        try:
            value = float(given)
        except (TypeError, ValueError):
            return usual
        return usual if math.isnan(value) else min(most, max(least, value))

    return within


def _few(given: Any) -> Any:
    return given[:MOST] if isinstance(given, list) else given


def _texts(given: Any) -> Any:
    """Texts of a list; a text alone is a list of one; whatever is no text is left out."""
    if isinstance(given, str):
        given = [given]
    if given is None:
        return []
    if not isinstance(given, list):
        return given
    return [one for one in given[:MOST] if isinstance(one, str) and one.strip()]


def _whole(given: Any) -> Any:
    try:
        return int(float(given))
    except (TypeError, ValueError, OverflowError):
        return 0


def _text_or_nothing(given: Any) -> Any:
    return "" if given is None else given


Said = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Maybe = Annotated[str, StringConstraints(strip_whitespace=True), BeforeValidator(_text_or_nothing)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Line = Annotated[int, BeforeValidator(_whole)]


class Digest(BaseModel):
    summary: Said
    keywords: Texts = Field(default_factory=list)
    tags: Texts = Field(default_factory=list)
    purpose: Maybe = ""


class Thing(BaseModel):
    kind: Annotated[
        Literal["person", "concept", "entity"],
        BeforeValidator(_word(_KINDS, "entity", ("person", "concept", "entity"))),
    ]
    name: Said
    type: Maybe = ""
    aliases: Texts = Field(default_factory=list)
    confidence: Annotated[float, BeforeValidator(_figure(0, 10, 5))] = 5.0
    points: Texts = Field(default_factory=list)


BeliefKind = Annotated[
    Literal["factual", "preference", "procedural", "architectural"],
    BeforeValidator(_word({}, "factual", ("factual", "preference", "procedural", "architectural"))),
]
Importance = Annotated[float, BeforeValidator(_figure(1, 10, 5))]


class Statement(BaseModel):
    statement: Said
    type: BeliefKind = "factual"
    importance: Importance = 5.0
    subject: Maybe = "owner"


class SaidStatement(Statement):
    line: Line = 0


class Found(BaseModel):
    things: Annotated[list[Thing], BeforeValidator(_few)] = Field(default_factory=list)
    beliefs: Annotated[list[SaidStatement], BeforeValidator(_few)] = Field(default_factory=list)


class Verdict(BaseModel):
    number: Line
    verdict: Annotated[
        Literal["same", "contradicts", "different"],
        BeforeValidator(_word({}, "different", ("same", "contradicts", "different"))),
    ]


class Verdicts(BaseModel):
    verdicts: Annotated[list[Verdict], BeforeValidator(_few)]


class Sentence(BaseModel):
    """One sentence, or none."""

    sentence: Maybe = ""


class Text(BaseModel):
    """A few sentences."""

    text: Said


class MaybeText(BaseModel):
    """A few sentences, or none."""

    text: Maybe = ""


class Needed(BaseModel):
    needs_memory: bool
    is_sure: bool = True
    reason: Maybe = ""


class Wordings(BaseModel):
    phrasings: Texts
    wider: Maybe = ""


class Piece(BaseModel):
    number: Line
    text: Maybe = ""


class Pieces(BaseModel):
    pieces: list[Piece]


MOST_NAME = 80
MOST_POINT = 300
MOST_POINTS = 12
MOST_STATEMENT = 500
UNSEEN_CONFIDENCE = 5.0  # of 10: a name that is not in the text earns no node

_TYPES = {
    word: type_
    for type_, words in {
        "organization": "company organisation org business institution school university employer",
        "location": "place city town country region address",
        "product": "app tool software device",
        "event": "meeting conference trip",
        "group": "team club band family",
    }.items()
    for word in words.split()
}
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been but by did do does for from had has have he her him his i in is it its
        me my no not of on or our she so than that the their them then there they this to was we were
        what when which who will with would you your owner""",
    )
)


def content_words(text: str) -> set[str]:
    """The words that carry meaning, in lower case, cut to a stem of five letters."""
    return {one[:5] for one in _WORD.findall(text.casefold()) if one not in _SMALL}


def sentences(text: str, most: int, characters: int) -> str:
    """At most so many sentences and characters of it, on one line."""
    parts = re.split(r"(?<=[.!?…])\s+(?=[^a-z])", on_one_line(visible(text)))
    return " ".join(parts[:most])[:characters].strip()


def is_borne_out(text: str, given: Iterable[str]) -> bool:
    """Whether at least half of what it says is in words of what it was written from."""
    words = content_words(text)
    known = words & content_words(" ".join(given))
    return 2 * len(known) >= len(words)


class Grounds:
    """One reading, as what is said of it has to be borne out by it."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        speakers = " ".join(dict.fromkeys(one.speaker or "" for one in reading.passages))
        whole = visible(f"{speakers}\n" + "\n".join(one.text for one in reading.passages))
        self._text = on_one_line(whole).casefold()
        self._words = content_words(whole)
        self._nobody = {canonical_name(one) for one in (*reading.owner_names, *reading.assistants)}
        self._nobody |= {"owner", "the-owner", ""}

    def candidates(self, things: Iterable[Thing], most: int) -> list[Candidate]:
        """At most so many, one a kind and name, surest first where there are too many."""
        found: dict[tuple[Kind, str], Candidate] = {}
        for thing in things:
            one = self._candidate(thing)
            if one is None:
                continue
            place = (one.kind, canonical_name(one.name))
            found[place] = _joined(found[place], one) if place in found else one
        surest = sorted(found.values(), key=lambda one: -one.confidence)[:most]
        return [one for one in found.values() if one in surest]

    def beliefs(self, said: Iterable[SaidStatement], most: int) -> list[BeliefDraft]:
        """At most so many, in the order of the text; each from a passage that can have said it."""
        found: dict[str, tuple[int, BeliefDraft]] = {}
        for one in said:
            place = self._place(one)
            draft = belief(one, self._text)
            if place is not None and draft is not None:
                key = self._reading.passages[place].key
                found.setdefault(
                    draft.statement.casefold(), (place, replace(draft, passage_key=key))
                )
        weighty = sorted(found.values(), key=lambda one: -one[1].importance)[:most]
        return [draft for _, draft in sorted(weighty, key=lambda one: one[0])]

    def _candidate(self, thing: Thing) -> Candidate | None:
        name = on_one_line(visible(thing.name))[:MOST_NAME].strip(" .,;:\"'`")
        canonical = canonical_name(name)
        if canonical in self._nobody:
            return None
        kind = Kind(thing.kind)
        points = dict.fromkeys(on_one_line(visible(one))[:MOST_POINT] for one in thing.points)
        is_seen = self._names(name) or (
            kind is Kind.CONCEPT and bool(content_words(name) & self._words)
        )
        return Candidate(
            kind=kind,
            name=name,
            confidence=thing.confidence if is_seen else min(thing.confidence, UNSEEN_CONFIDENCE),
            subpoints=tuple(one for one in points if one)[:MOST_POINTS],
            type=entity_type(thing.type) if kind is Kind.ENTITY else "",
            aliases=tuple(self._aliases(name, thing.aliases)),
        )

    def _names(self, name: str) -> bool:
        """Whether the text has this name, as words of its own."""
        wanted = re.escape(on_one_line(name).casefold())
        return re.search(rf"(?<!\w){wanted}(?!\w)", self._text) is not None

    def _aliases(self, name: str, given: Sequence[str]) -> Iterable[str]:
        """Other forms of the same name that the text uses. A name of somebody else is none."""
        for alias in dict.fromkeys(on_one_line(visible(one))[:MOST_NAME] for one in given):
            if canonical_name(alias) in self._nobody | {canonical_name(name)}:
                continue
            if self._names(alias) and _is_form(alias, name):
                yield alias

    def _place(self, one: SaidStatement) -> int | None:
        """The passage that says so: the one named if it can be, else the one with most of its words."""
        words = content_words(one.statement)
        if not words & self._words:
            return None
        passages = self._reading.passages
        shared = [
            len(words & content_words(f"{passage.speaker or ''} {passage.text}"))
            for passage in passages
        ]
        if 0 < one.line <= len(passages) and shared[one.line - 1]:
            return one.line - 1
        best = max(range(len(passages)), key=lambda number: (shared[number], -number))
        return best if shared[best] * 2 >= len(words) else None


def belief(said: Statement, text: str) -> BeliefDraft | None:
    """A statement within bounds; about the owner where its subject is not in the text."""
    statement = on_one_line(visible(said.statement))
    if not _WORD.search(statement) or len(statement) > MOST_STATEMENT:
        return None
    subject = on_one_line(visible(said.subject)).casefold()[:MOST_NAME]
    known = subject and subject in on_one_line(text).casefold()
    return BeliefDraft(
        statement=statement,
        type=BeliefType(said.type),
        importance=round(said.importance),
        subject=subject if known else OWNER,
    )


def entity_type(said: str) -> str:
    """One lower-case word; common ones under one name."""
    words: list[str] = _WORD.findall(visible(said).casefold())
    if not words:
        return ""
    return _TYPES.get(words[-1], words[-1])[:30]


def _is_form(alias: str, name: str) -> bool:
    """A part of the name, the name with more to it, its initials, or a short form of a given name."""
    short, full = canonical_name(alias).split("-"), canonical_name(name).split("-")
    if "" in short or "" in full:
        return False
    if set(short) <= set(full) or set(full) <= set(short):
        return True
    if len(full) > 1 and "".join(short) == "".join(one[0] for one in full):
        return True
    same_family = len(short) == 1 or short[-1] == full[-1]
    return same_family and (
        nicknames.is_short_for(short[0], full[0]) or nicknames.is_short_for(full[0], short[0])
    )


def _joined(one: Candidate, other: Candidate) -> Candidate:
    points = dict.fromkeys((*one.subpoints, *other.subpoints))
    return replace(
        one,
        confidence=max(one.confidence, other.confidence),
        subpoints=tuple(points)[:MOST_POINTS],
        aliases=tuple(dict.fromkeys((*one.aliases, *other.aliases))),
        type=one.type or other.type,
    )
