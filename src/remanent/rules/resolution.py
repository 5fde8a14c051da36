"""Who or what a name means, and what a mention does to the node it means (SPEC 3, 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from remanent.errors import InvalidInput
from remanent.model.anchor import Anchor, Lifetime, Note
from remanent.model.keys import canonical_name
from remanent.model.name import Name
from remanent.model.node import Kind
from remanent.model.reading import Candidate
from remanent.model.relationship import Relationship

_TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "mx", "prof", "professor", "sir", "madam"})

Mentioned = TypeVar("Mentioned", bound=Anchor)
Noted = TypeVar("Noted", bound=Anchor | Relationship)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionRules:
    """The figures of SPEC 3 (lifetimes) and 4 (what deserves a node)."""

    confidence_from: float = 7.0  # of 10
    more_subpoints_than: int = 2
    week_days: int = 7
    month_days: int = 30
    year_days: int = 365


_DEFAULTS = ResolutionRules()


def worth_a_node(candidate: Candidate, rules: ResolutionRules = _DEFAULTS) -> bool:
    """Whether the text is sure enough of it and says enough different things about it."""
    said = {" ".join(point.split()).casefold() for point in candidate.subpoints} - {""}
    return candidate.confidence >= rules.confidence_from and len(said) > rules.more_subpoints_than


def resolve(candidate: Candidate, names: Sequence[Name]) -> Name | None:
    """The one node the candidate means, or None when there is none or more than one might be meant.

    Two different full names are never one person unless one is listed as the other's alias. The only
    entity of a name is meant by it whatever type the text suggests: minds differ about types, and
    "Harbour Light" the project rarely is another than "Harbour Light" the product.
    """
    own = _handle(candidate.name, candidate.kind)
    if not own:
        return None
    alike = [one for one in names if _may_be(candidate, one)]
    exact = [one for one in alike if _handle(one.name, one.kind) == own]
    if exact:
        return _closest(candidate, exact)
    of_that_name = [
        one for one in names if one.kind is Kind.ENTITY and _handle(one.name, one.kind) == own
    ]
    if candidate.kind is Kind.ENTITY and len(of_that_name) == 1:
        return of_that_name[0]
    aliases = (_handle(alias, candidate.kind) for alias in candidate.aliases)
    for handle in dict.fromkeys((own, *aliases)):
        first_name = handle != own or not _is_titled(candidate.name)
        answering = [one for one in alike if _answers(one, handle, by_first_name=first_name)]
        if len(answering) == 1 and _may_merge(own, answering[0], handle):
            return answering[0]
    return None


def merged_aliases(
    aliases: Sequence[str], candidate: Candidate, *, name: str = ""
) -> tuple[str, ...]:
    """The aliases and whatever else the candidate was called, each once; `name` is no alias.

    Not for the owner, whose names come from the profile alone.
    """
    known = {canonical_name(name), ""}
    merged = []
    for alias in (*aliases, candidate.name, *candidate.aliases):
        if canonical_name(alias) not in known:
            known.add(canonical_name(alias))
            merged.append(alias)
    return tuple(merged)


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


def with_note(thing: Noted, note: Note) -> Noted:
    """The thing with this note on it; a note of the same source and content changes nothing."""
    if any((one.source_key, one.content) == (note.source_key, note.content) for one in thing.notes):
        return thing
    return replace(
        thing,
        notes=(*thing.notes, note),
        is_dirty=True,
        updated_at=max(thing.updated_at, note.date_added),
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


def local_day(at: datetime, timezone: str) -> date:
    """The day of `at` in the calendar of that time zone, an IANA name."""
    try:
        zone = ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput("timezone", f"{timezone!r} is not an IANA time zone") from error
    return at.astimezone(zone).date()


def _handle(name: str, kind: Kind) -> str:
    """The spelling a name is compared by; a person's loses its titles."""
    words = canonical_name(name).split("-")
    while kind is Kind.PERSON and len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return "-".join(words)


def _handles(names: Iterable[str], kind: Kind) -> set[str]:
    return {_handle(name, kind) for name in names} - {""}


def _is_titled(name: str) -> bool:
    return _handle(name, Kind.PERSON) != canonical_name(name)


def _is_full(handle: str) -> bool:
    return "-" in handle


def _may_be(candidate: Candidate, name: Name) -> bool:
    if candidate.kind is not name.kind:
        return False
    if candidate.kind is not Kind.ENTITY or not candidate.type:
        return True
    return candidate.type.casefold() == name.type.casefold()


def _closest(candidate: Candidate, exact: Sequence[Name]) -> Name | None:
    if candidate.kind is Kind.ENTITY and len(exact) > 1:
        return None  # one name, several types, and the text does not say which
    spelled = canonical_name(candidate.name)
    return min(exact, key=lambda one: (canonical_name(one.name) != spelled, one.key))


def _answers(name: Name, handle: str, *, by_first_name: bool) -> bool:
    called = _handle(name.name, name.kind)
    if handle == called or handle in _handles(name.aliases, name.kind):
        return True
    if name.kind is not Kind.PERSON or name.is_owner:
        return False
    return by_first_name and handle == called.split("-")[0]


def _may_merge(own: str, name: Name, handle: str) -> bool:
    if name.is_owner and handle != own:
        return False  # what a text calls someone else never makes them the owner
    called = _handle(name.name, name.kind)
    both_full = name.kind is Kind.PERSON and _is_full(own) and _is_full(called)
    return handle in (own, called) or not both_full
