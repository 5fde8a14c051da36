"""Node resolution: which candidates deserve a node, and what a mention changes (SPEC 3, 4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import TypeVar

from remanent.anchors.rules.identity import untitled
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.anchor import Anchor, Lifetime, Person
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.mind_types import Candidate, Extraction, Findings
from remanent.core.model.node import Kind

# A bracket with a name and a quoted value in it, up to its end or to that of the text.
_RECORD = re.compile(r"""[\[{(<][^\[{(<]*?\w["']?\s*[:=]\s*["'].*?(?:[\]})>]+|$)""", re.DOTALL)
Mentioned = TypeVar("Mentioned", bound=Anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionRules:
    """The figures of SPEC 3 (lifetimes) and 4 (what deserves a node)."""

    confidence_from: float = 7.0  # of 10
    subpoints_from: int = 1  # different things that one source says of it
    more_subpoints_than: int = 2  # over all of the user's sources: then it is active
    linked_confidence: float = 8.0  # of 10: what an author linked to on purpose
    week_days: int = 7
    month_days: int = 30
    year_days: int = 365


_MOST_FOUND = 1500  # names, notes and relationships of one long source, each
_MOST_POINTS = 20  # of what a long source says of somebody: no more is asked for than a few
_DEFAULTS = ResolutionRules()
# What notes say that their subject is, and what that is here.
_SORTS = {
    **dict.fromkeys(("person", "people", "contact", "human"), (Kind.PERSON, "")),
    **dict.fromkeys(
        ("organization", "organisation", "company", "team", "client"), (Kind.ENTITY, "organization")
    ),
    **dict.fromkeys(("place", "location", "city", "country"), (Kind.ENTITY, "location")),
    **{one: (Kind.ENTITY, one) for one in ("project", "product", "event")},
    **dict.fromkeys(("concept", "topic", "idea"), (Kind.CONCEPT, "")),
}


def worth_a_node(candidate: Candidate, rules: ResolutionRules = _DEFAULTS) -> bool:
    """Whether the text is sure enough of it and says something about it (SPEC 12.12)."""
    points = different([candidate])
    return candidate.confidence >= rules.confidence_from and len(points) >= rules.subpoints_from


def different(candidates: Iterable[Candidate]) -> set[str]:
    """The different things that sources say of somebody or something, as one reads them. What names
    it only among the values of a call or a record (`{"dst": "Maria"}`) says nothing of it: such text
    is written for programs, and may be meant to make one do something."""
    points = (
        " ".join(point.split()).casefold()
        for candidate in candidates
        for point in candidate.subpoints
        if not _is_value(candidate, point)
    )
    return set(points) - {""}


def _is_value(candidate: Candidate, point: str) -> bool:
    names = [name.casefold() for name in (candidate.name, *candidate.aliases)]
    said, bare = point.casefold(), _RECORD.sub(" ", point).casefold()
    return any(name in said for name in names) and not any(name in bare for name in names)


def established(
    anchor: Mentioned, candidates: Iterable[Candidate], rules: ResolutionRules = _DEFAULTS
) -> Mentioned:
    """The anchor as active if enough is said of it over all sources, else as a candidate; one that
    somebody has looked at has a life of its own."""
    if anchor.life.access_count or anchor.life.state not in {State.CANDIDATE, State.ACTIVE}:
        return anchor
    enough = len(different(candidates)) > rules.more_subpoints_than
    state = State.ACTIVE if enough else State.CANDIDATE
    return replace(anchor, life=replace(anchor.life, state=state))


def accepted(
    candidates: Sequence[Candidate], linked: Sequence[str], rules: ResolutionRules = _DEFAULTS
) -> tuple[Candidate, ...]:
    """The candidates that deserve a node, and everything that the author linked to on purpose.

    What was linked needs no gate; where the mind found nothing under its name, it is a concept, or
    somebody whom the text calls by their first name.
    """
    wanted = {canonical_name(name): name for name in linked if canonical_name(name)}
    good = [
        one for one in candidates if worth_a_node(one, rules) or canonical_name(one.name) in wanted
    ]
    names = {canonical_name(one.name) for one in good}
    people = {canonical_name(one.name) for one in good if one.kind is Kind.PERSON}
    more = [
        Candidate(
            kind=Kind.PERSON if canonical.partition("-")[0] in people else Kind.CONCEPT,
            name=name,
            confidence=rules.linked_confidence,
            subpoints=(),
        )
        for canonical, name in wanted.items()
        if canonical not in names
    ]
    return (*good, *more)


def with_subject(
    kept: Sequence[Candidate],
    name: str,
    *,
    about: Sequence[str] = (),
    aliases: Sequence[str] = (),
    tags: Sequence[str] = (),
    rules: ResolutionRules = _DEFAULTS,
) -> tuple[Candidate, ...]:
    """The candidates with the one that a note is about by its front matter, of the sort and with the
    other names that it gives; as they are where it gives neither."""
    sorts = [_SORTS[one] for one in (*about, *(tag.casefold() for tag in tags)) if one in _SORTS]
    if not (sorts or aliases):
        return tuple(kept)
    same = [one for one in kept if canonical_name(one.name) == canonical_name(name)]
    kind, type_ = sorts[0] if sorts else (Kind.CONCEPT, "")
    subject = Candidate(
        kind=kind, type=type_, name=name, confidence=rules.linked_confidence, subpoints=()
    )
    fits = [one for one in same if not sorts or (one.kind, one.type) == (kind, type_)]
    subject = replace(fits[0] if fits else subject, aliases=())
    known = [*(one for each in fits for one in each.aliases), *aliases]
    return (
        *(one for one in kept if one not in same),
        replace(subject, aliases=tuple(dict.fromkeys(known))),
    )


def joined(known: Extraction, fresh: Extraction) -> Extraction:
    """What was found so far and in the next slice, as far as there is room: all is drawn anew each time."""
    candidates = united((*known.candidates, *fresh.candidates))[:_MOST_FOUND]
    named = {canonical_name(one.name) for one in candidates if one.kind is Kind.PERSON}
    passed_over = united((*known.passed_over, *fresh.passed_over))
    notes = (*known.findings.notes, *fresh.findings.notes)
    relations = (*known.findings.relations, *fresh.findings.relations)
    return replace(
        fresh,
        candidates=candidates,
        passed_over=tuple(one for one in passed_over if canonical_name(one.name) not in named)[
            :_MOST_FOUND
        ],
        findings=Findings(
            notes=tuple(dict.fromkeys(notes))[:_MOST_FOUND],
            relations=tuple(dict.fromkeys(relations))[:_MOST_FOUND],
        ),
        beliefs=tuple(dict.fromkeys((*known.beliefs, *fresh.beliefs))),
        read_to=known.read_to,
    )


def united(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Each once, as surely and by as many names as any of them, and with the first things said of it."""
    found: dict[tuple[str, ...], Candidate] = {}
    for one in candidates:
        key = (one.kind.value, one.type, canonical_name(one.name))
        known = found.get(key, one)
        found[key] = replace(
            known,
            confidence=max(known.confidence, one.confidence),
            subpoints=tuple(dict.fromkeys((*known.subpoints, *one.subpoints)))[:_MOST_POINTS],
            aliases=tuple(dict.fromkeys((*known.aliases, *one.aliases))),
        )
    return tuple(found.values())


def named_also(anchor: Mentioned, candidate: Candidate, *, natural: str = "") -> Mentioned:
    """The anchor with what this candidate calls it and how sure it is, in whatever order they come.

    The owner is called what the profile says. Of several spellings the longest is shown; `natural`
    is what they have in common, for an anchor that has no name yet.
    """
    if isinstance(anchor, Person) and anchor.is_owner:
        return anchor
    own = natural or natural_name(anchor)
    spellings = {*anchor.aliases, candidate.name, *candidate.aliases} - {""}
    names = {anchor.name} - {""} | {one for one in spellings if _bare(one, anchor) == own}
    name = min(names, key=_plainness, default="")
    return replace(
        anchor,
        name=name,
        aliases=_distinct(spellings | names, but=name),
        confidence=max(anchor.confidence, min(candidate.confidence / 10, 1.0)),
    )


def renamed(person: Person, names: Sequence[str], *, natural: str = "") -> Person:
    """The person with all full names that sources said outright are theirs."""
    added = Candidate(
        kind=Kind.PERSON, name=names[0], confidence=0.0, subpoints=(), aliases=tuple(names[1:])
    )
    return named_also(person, added, natural=natural)


def uncounted(anchor: Mentioned) -> Mentioned:
    """The anchor as it was before any source spoke of it, but for its life and its description."""
    blank = replace(
        anchor, source_count=0, first_mentioned_at=None, last_mentioned_at=None, distinct_days=()
    )
    if isinstance(anchor, Person) and anchor.is_owner:
        return blank
    return replace(blank, name="", aliases=(), confidence=0.0)


def mentioned(anchor: Mentioned, *, at: datetime, day: date) -> Mentioned:
    """The anchor after one more source spoke of it at `at`, which was `day` in the user's calendar."""
    first, last = anchor.first_mentioned_at, anchor.last_mentioned_at
    return replace(
        anchor,
        source_count=anchor.source_count + 1,
        first_mentioned_at=at if first is None else min(first, at),
        last_mentioned_at=at if last is None else max(last, at),
        distinct_days=tuple(sorted({*anchor.distinct_days, day})),
        updated_at=max(anchor.updated_at, at),
    )


def expires(
    added: datetime, lifetime: Lifetime, rules: ResolutionRules = _DEFAULTS
) -> datetime | None:
    """When a note of that lifetime is no longer worth keeping; None: never."""
    days = {
        Lifetime.WEEK: rules.week_days,
        Lifetime.MONTH: rules.month_days,
        Lifetime.YEAR: rules.year_days,
        Lifetime.FOREVER: None,
    }[lifetime]
    return None if days is None else added + timedelta(days=days)


def natural_name(anchor: Anchor) -> str:
    """The name that its natural key is made of."""
    if isinstance(anchor, Person):
        return anchor.canonical_name
    return (anchor.natural or "").partition("|")[0]


def _bare(name: str, anchor: Anchor) -> str:
    canonical = canonical_name(name)
    return untitled(canonical) if isinstance(anchor, Person) else canonical


def _plainness(name: str) -> tuple[int, bool, str]:
    """Longest first; among equals, not all in one case; then by the alphabet."""
    return (-len(name), name.isupper() or name.islower(), name)


def _distinct(names: Collection[str], *, but: str) -> tuple[str, ...]:
    """Each name once however it is spelled, in order of the alphabet."""
    best: dict[str, str] = {}
    for name in sorted(names, key=_plainness):
        best.setdefault(canonical_name(name), name)
    return tuple(
        sorted(name for spelled, name in best.items() if spelled not in ("", canonical_name(but)))
    )
