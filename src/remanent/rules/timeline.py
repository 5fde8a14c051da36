"""From what sources asserted at different times to what held from when to when (SPEC 3).

The spans follow from the set of assertions alone: read in any order, they give the same history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.model.relationship import Assertion


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One stretch of time in which a relationship held, with the assertions that say so."""

    dst: str
    valid_from: datetime
    valid_to: datetime | None
    assertions: tuple[Assertion, ...]

    @property
    def last(self) -> Assertion:
        """The newest word on it."""
        return self.assertions[-1]


def spans(assertions: Iterable[Assertion]) -> list[Span]:
    """The history that these assertions of one node, kind and type tell, oldest first.

    Where one of them says that there can be but one at a time, each new other end closes the last.
    A stretch that would end where it begins is left out: two sources of one moment disagreed, and
    the later in order of key is taken to know better.
    """
    told = sorted(assertions, key=_order)
    if any(one.single for one in told):
        return _history(told)
    ends = sorted({one.dst for one in told})
    found = [span for dst in ends for span in _history([one for one in told if one.dst == dst])]
    return sorted(found, key=lambda span: (span.valid_from, span.dst))


def known(assertions: Iterable[Assertion], known_at: datetime) -> list[Assertion]:
    """Those that had been recorded by then."""
    return [one for one in assertions if one.recorded_at <= known_at]


def _order(assertion: Assertion) -> tuple[datetime, bool, str, str, str]:
    """By time; an end before a beginning of the same moment (left one job, took the next)."""
    begins = not assertion.ended
    return (
        assertion.at,
        begins,
        assertion.source_key,
        assertion.dst,
        assertion.description,
    )


def _history(told: Sequence[Assertion]) -> list[Span]:
    closed: list[Span] = []
    current: Span | None = None
    for one in told:
        if current is not None and one.dst == current.dst and not one.ended:
            current = replace(current, assertions=(*current.assertions, one))
            continue
        if current is not None and (not one.ended or one.dst == current.dst):
            closed.append(replace(current, valid_to=one.at))
            current = None
        if not one.ended:
            current = Span(dst=one.dst, valid_from=one.at, valid_to=None, assertions=(one,))
    if current is not None:
        closed.append(current)
    return [span for span in closed if span.valid_from != span.valid_to]
