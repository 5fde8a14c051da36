"""When relationships were drawn, by when what is asserted of them came to be known (SPEC 3)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from remanent.anchors.rules import timeline
from remanent.anchors.rules.timeline import Span
from remanent.core.model.relationship import Assertion

Arrival = tuple[datetime, Assertion]
_Content = tuple[object, ...]


def drawn_at(arrivals: Iterable[Arrival]) -> dict[str, tuple[datetime, datetime]]:
    """By key, when each relationship was first drawn and when that last changed it; all assertions
    are of one node, kind and type. One that vanished in between was first drawn when it came back."""
    coming = sorted(arrivals, key=lambda one: one[0])
    dates: dict[str, tuple[datetime, datetime]] = {}
    content: dict[str, _Content] = {}
    for moment in sorted({at for at, _ in coming}):
        told = [one for at, one in coming if at <= moment]
        fresh = {id(one) for at, one in coming if at == moment}
        spans = {_key(told[0], span): span for span in timeline.spans(told)}
        dates = {key: both for key, both in dates.items() if key in spans}
        for key, span in spans.items():
            now = _content(span)
            # The newest word prolongs what it confirms, even in the same words.
            prolonged = span.valid_to is None and id(span.last) in fresh
            if key not in dates or content[key] != now or prolonged:
                dates[key] = (dates[key][0] if key in dates else moment, moment)
            content[key] = now
    return dates


def _key(group: Assertion, span: Span) -> str:
    at = span.valid_from
    return timeline.relationship(group.user_id, group, span, created_at=at, updated_at=at).key


def _content(span: Span) -> _Content:
    last = span.last
    best = max(one.confidence for one in span.assertions)
    return (span.valid_to, last.description, last.attitude, last.proximity, best)
