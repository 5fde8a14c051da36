"""Notes on known anchors and the relationships that a source states between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from remanent.anchors.rules import roles
from remanent.anchors.rules.roles import is_role
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.belief import OWNER
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Findings, NoteDraft, Reading, RelationDraft
from remanent.core.model.node import Kind
from remanent.core.ports.mind import Tools
from remanent.core.regex import regex
from remanent.minds.offline import lexicon
from remanent.minds.offline.named import Named, Names
from remanent.minds.offline.restate import readable
from remanent.minds.offline.sentences import Role, Sentence, cut, singular, words
from remanent.minds.reader.labels import SYMMETRIC
from remanent.minds.reader.reading import ReadSource

_MOST: Final = 10
_LONGEST: Final = 400  # characters
_NOTED_FROM: Final = 0.25
_FOREVER: Final = regex(
    r"\b(?:born|birth(?:day)?|married|wedding|died|death|allerg\w+|diagnosed|diabet\w+|anniversary|funeral"
    r"|adopted)\b",
    re.IGNORECASE,
)
_WEEK: Final = regex(
    r"\b(?:today|tomorrow|tonight|yesterday|this (?:week|morning|afternoon|evening|weekend)|next week"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_PAST: Final = regex(r"\b(?:lived|worked|studied|dated|used to)\b", re.IGNORECASE)
_LIVES: Final = regex(
    r"\b(?:liv(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|home|house|flat|from)\b", re.IGNORECASE
)
_WISHED: Final = regex(
    r"\b(?:wants?|hop(?:es?|ing)|wish(?:es)?|(?:would|['’]d) (?:like|love)) to\b"
)
_P, _C, _E = Kind.PERSON, Kind.CONCEPT, Kind.ENTITY
_PLACE, _ORGANIZATION = frozenset({"location"}), frozenset({"organization", "group"})
_ANY: Final = frozenset[str]()


@dataclass(frozen=True, slots=True)
class _Form:
    """What a class of the reader is called in the graph, and between which anchors it can be."""

    type: str
    src: tuple[Kind, ...]
    dst: tuple[Kind, ...]
    types: frozenset[str] = _ANY
    """Types of entity at its end; any, where none is named."""
    single: bool = False


_FORMS: Final = {
    "parent": _Form("parent", (_P,), (_P,)),
    "grandparent": _Form("grandparent", (_P,), (_P,)),
    "sibling": _Form("sibling", (_P,), (_P,)),
    "partner": _Form("partner", (_P,), (_P,), single=True),
    "relative": _Form("relative", (_P,), (_P,)),
    "friend": _Form("friend", (_P,), (_P,)),
    "lives with": _Form("housemate", (_P,), (_P,)),
    "neighbour": _Form("neighbour", (_P,), (_P,)),
    "colleague": _Form("colleague", (_P,), (_P,)),
    "boss": _Form("boss", (_P, _E), (_P,)),
    "served by": _Form("helper", (_P, _E), (_P, _E), _ORGANIZATION),
    "knows": _Form("knows", (_P,), (_P,)),
    "owes": _Form("owes", (_P, _E), (_P, _E), _ORGANIZATION),
    "works at": _Form("employer", (_P,), (_P, _E), _ORGANIZATION | _PLACE, single=True),
    "works on": _Form("project", (_P,), (_E,), frozenset({"project", "product", "organization", "event"})),
    "studies at": _Form("school", (_P,), (_E,), _ORGANIZATION | _PLACE),
    "studies": _Form("practices", (_P,), (_C,)),
    "member of": _Form("member", (_P,), (_E,), _ORGANIZATION | {"project"}),
    "takes part in": _Form("attends", (_P,), (_E,), _ORGANIZATION | {"event", "project"}),
    "lives in": _Form("home", (_P,), (_E,), _PLACE, single=True),
    "from": _Form("origin", (_P,), (_E,), _PLACE),
    "visits": _Form("visited", (_P,), (_E,), _PLACE | {"event", "organization"}),
    "located in": _Form("location", (_E,), (_E,), _PLACE),
    "part of": _Form("part", (_E,), (_E,)),
    "competes with": _Form("rival", (_P, _E), (_P, _E)),
    "owns": _Form("owns", (_P,), (_E,), frozenset({"animal", "product", "organization", "location"})),
    "uses": _Form("uses", (_P,), (_E,), frozenset({"product", "organization"})),
    "likes": _Form("likes", (_P,), (_P, _C, _E)),
    "dislikes": _Form("dislikes", (_P,), (_P, _C, _E)),
    "wants": _Form("goal", (_P,), (_C, _E)),
    "worried about": _Form("worries", (_P,), (_P, _C, _E)),
    "has condition": _Form("condition", (_P,), (_C,)),
}  # fmt: skip
_ACROSS: Final = 0.8
"""How sure the reader must be of a tie that no single sentence tells, naming both ends."""
_STATES: Final = frozenset({"employer", "home", "partner", "school", "member", "project"})
"""What is over where a sentence tells it in the past."""


def relate(
    spoken: Sequence[Sentence], read: ReadSource, names: Names, reading: Reading,
    anchors: Sequence[Anchor],
) -> Findings:  # fmt: skip
    """What the source adds to these anchors."""
    known = _Anchored(names, reading, anchors)
    told = [one for one in spoken if one.role is not Role.ASSISTANT and not one.is_question]
    notes = [note for anchor in anchors for note in _notes(anchor, told, known)]
    found: dict[tuple[str, str, str], RelationDraft] = {}
    worded = [*_by_role(told, known)]
    pairs = {frozenset((one.src, one.dst)) for one in worded}
    by_head = _not_at_its_seat(list(_by_head(told, read, known)))
    read_off = [one for one in by_head if frozenset((one.src, one.dst)) not in pairs]
    for draft in (*read_off, *worded):  # of two people the word that the text uses counts
        key = (draft.src, draft.dst, draft.relationship_type)
        if draft.src != draft.dst:
            found.pop(key, None)
            found[key] = draft
    return Findings(notes=tuple(notes), relations=tuple(found.values()))


class _Anchored:
    """Which words of a source stand for which of the anchors that are known already."""

    def __init__(self, names: Names, reading: Reading, anchors: Sequence[Anchor]) -> None:
        self.names, self.reading = names, reading
        self.owner = next((a for a in anchors if isinstance(a, Person) and a.is_owner), None)
        self._spelled = {
            " ".join(name.casefold().split()): anchor
            for anchor in reversed(anchors)
            for name in (anchor.name, *anchor.aliases)
            if name.strip()
        }
        self._within: dict[int, dict[str, Anchor]] = {}
        self._patterns = [
            (re.compile(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", re.IGNORECASE), anchor)
            for name, anchor in self._spelled.items()
            if len(name) > 2 and not is_role(canonical_name(name))
        ]

    def of(self, who: Named | str | None) -> Anchor | None:
        """The anchor that somebody or something is."""
        if isinstance(who, Named):
            spellings = sorted(who.spellings, key=len, reverse=True)
            return next((self._spelled[one] for one in spellings if one in self._spelled), None)
        return self.owner if who == OWNER else None

    def of_key(self, key: str) -> Anchor | None:
        """The anchor that a key of the reader means; one of that very name, where nobody else is."""
        return self.of(self.names.of_key(key)) or self._spelled.get(key.casefold())

    def within(self, one: Sentence) -> dict[str, Anchor]:
        """The anchors that a sentence speaks of, by key: as the reader says, or by their very name."""
        if (known := self._within.get(one.index)) is not None:
            return known
        found = [self.of(who) for _, who in self.names.within(one.place)]
        found += [anchor for pattern, anchor in self._patterns if pattern.search(one.text)]
        known = {anchor.key: anchor for anchor in found if anchor is not None}
        return self._within.setdefault(one.index, known)

    def text(self, one: Sentence) -> str:
        """A sentence that can be read alone, with who said it."""
        whole = self.reading.passages[one.place.turn].text
        text = cut(" ".join(readable(self.names, whole, one.place).split()), _LONGEST)
        return f"{one.speaker}: {text}" if one.speaker else text


def _notes(anchor: Anchor, told: Sequence[Sentence], known: _Anchored) -> list[NoteDraft]:
    """The best that is said of an anchor; what the owner says of themselves is a belief as it is."""
    is_owner = isinstance(anchor, Person) and anchor.is_owner
    fitting = [
        one
        for one in told
        if one.keep >= _NOTED_FROM
        and not (is_owner and one.role is Role.OWNER)
        and len(words(one.text)) > 2
        and anchor.key in known.within(one)
    ]
    ranked = sorted(fitting, key=lambda one: (-round(one.keep, 2), one.index))[:_MOST]
    drafts: dict[str, NoteDraft] = {}
    for one in sorted(ranked, key=lambda one: one.index):
        content = known.text(one)
        draft = NoteDraft(anchor=anchor.name, content=content, lifetime=lifetime(one.text))
        drafts.setdefault(content, draft)
    return list(drafts.values())


def lifetime(text: str) -> Lifetime:
    """How long what a sentence says is worth keeping."""
    if _FOREVER.search(text):
        return Lifetime.FOREVER
    if _WEEK.search(text) and not re.search(r"\b(?:every|always|usually)\b", text, re.IGNORECASE):
        return Lifetime.WEEK
    kin = {singular(word) for word in words(text)} & (roles.RELATIVES | roles.PARTNERS)
    if kin and re.search(r"\b(?:is|are|am)\b|['’](?:s|m|re)\b", text):
        return Lifetime.FOREVER
    low = {word.casefold() for word in words(text)}
    lasting = low & lexicon.IDENTITY or re.search(r"\b(?:love|like|hate|prefer|enjoy)s?\b", text)
    return Lifetime.YEAR if lasting else Lifetime.MONTH


# --- as the reader's head says -----------------------------------------------------------------


def _by_head(
    told: Sequence[Sentence], read: ReadSource, known: _Anchored
) -> Iterator[RelationDraft]:
    for one in read.relations:
        form = _FORMS.get(one.name)
        src, dst = (known.of_key(key) for key in (one.src, one.dst))
        if form is None or src is None or dst is None:
            continue
        if one.name in SYMMETRIC and isinstance(dst, Person) and dst.is_owner:
            src, dst = dst, src
        turn = [s for s in told if s.place.turn == one.turn]
        said = _best_said(turn, known, src, dst, sure=one.sure >= _ACROSS, across=not form.single)
        if said is None or not _fits(form, src, dst):
            continue
        if form.single and _WISHED.search(said.text):  # it would end the home that they have
            continue
        yield RelationDraft(
            src=src.name,
            dst=dst.name,
            relationship_type=form.type,
            description=known.text(said),
            attitude=one.attitude,
            proximity=one.proximity,
            confidence=round(min(0.9, one.sure), 2),
            ended=one.over or (form.type in _STATES and _PAST.search(said.text) is not None),
            single=form.single,
        )


def _not_at_its_seat(drafts: Sequence[RelationDraft]) -> Iterator[RelationDraft]:
    """Where a sentence says of an organization in which town it is, that is no home of whoever works
    there, and what they work or study at is the organization."""
    seats = {(d.dst, d.description): d.src for d in drafts if d.relationship_type == "location"}
    for one in drafts:
        seated = seats.get((one.dst, one.description))
        if seated is None or one.relationship_type not in ("home", "employer", "school"):
            yield one
        elif one.relationship_type != "home":
            yield replace(one, dst=seated)
        elif _LIVES.search(one.description):
            yield one


def _best_said(
    told: Sequence[Sentence],
    known: _Anchored,
    src: Anchor,
    dst: Anchor,
    *,
    sure: bool,
    across: bool,
) -> Sentence | None:
    """The sentence that speaks of both; where the reader is `sure`, whoever says it is spoken of too, else,
    where a tie may be told `across` sentences, the last that speaks of either will do."""
    best: dict[int, Sentence] = {}
    for said in told:
        speaker = known.of(known.names.speakers.get(said.place.turn)) if sure else None
        found = {*known.within(said), *(() if speaker is None else (speaker.key,))}
        number = len(found & {src.key, dst.key})
        best[number] = said if number == 1 else best.get(number, said)
    return best.get(2) or (best.get(1) if sure and across else None)


def _fits(form: _Form, src: Anchor, dst: Anchor) -> bool:
    type_ = getattr(dst, "type", "")
    if src.kind not in form.src or dst.kind not in form.dst:
        return False
    if _P in form.src and getattr(src, "type", "") in _PLACE:  # a town has no boss
        return False
    return dst.kind is not _E or not form.types or type_ in form.types or not type_


# --- "my sister Maria" -------------------------------------------------------------------------


def _by_role(told: Sequence[Sentence], known: _Anchored) -> Iterator[RelationDraft]:
    """Whoever is called somebody's sister is that one's sister."""
    for one in known.names.roles:
        src, dst = known.of(one.of), known.of(one.who)
        said = next((s for s in told if one.place.within(s.place)), None)
        if said is None or src is None or dst is None or src.kind is not _P or dst.kind is not _P:
            continue
        yield _role_draft(src, dst, one.role, known.text(said), over=one.over)


def _role_draft(src: Anchor, dst: Anchor, role: str, text: str, *, over: bool) -> RelationDraft:
    draft = RelationDraft(
        src=src.name,
        dst=dst.name,
        relationship_type=roles.FAMILIAR.get(role, role),
        description=text,
        confidence=0.8,
        ended=over,
    )
    if role in roles.PARTNERS:
        draft = replace(draft, relationship_type="partner", proximity=5, attitude=5, single=True)
    elif role in lexicon.CLOSE:
        draft = replace(draft, proximity=5, attitude=4)
    elif role in roles.FRIENDS:
        draft = replace(draft, proximity=4, attitude=4)
    return replace(draft, proximity=2, attitude=3) if over else draft


def write_down(findings: Findings, about: Kind, tools: Tools) -> None:
    """Write what was found of one kind of anchor with the tools at hand."""
    kinds = {anchor.name: anchor.kind for anchor in tools.anchors}
    for one in findings.notes:
        if kinds.get(one.anchor) is about:
            tools.add_note(about, one.anchor, one.content, one.lifetime)
    for relation in findings.relations:
        if kinds.get(relation.src) is about:
            tools.create_relationship(relation)
