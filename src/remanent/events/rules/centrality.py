"""How much an event's place in the graph adds to its importance (SPEC 2)."""

from __future__ import annotations

import math

from remanent.core.model.event_tiers import EventFacts

MOST = 10.0  # SPEC 7: importance runs to ten
_CHILD, _SIMILAR, _REFERENCE = 1.0, 0.5, 0.25
_MOST_RAISE = 3.0
_LEAST = 2.0**-7  # a smaller difference is none; a power of two adds without loss
_STEP = 0.5  # a raise in steps: not every new link is worth a write


def raised(event: EventFacts) -> float:
    """What centrality adds to the importance that the event has of itself; never less than before.

    It never falls, so that forgetting what an event led to does not make the event itself less.
    """
    base = event.importance - event.raised
    children = max(event.children, event.known_children)
    degree = _CHILD * children + _SIMILAR * event.similar + _REFERENCE * event.references
    steps = math.floor(math.log2(1.0 + degree) / _STEP)
    added = min(_MOST_RAISE, steps * _STEP, max(0.0, MOST - base))
    return event.raised if added - event.raised < _LEAST else math.floor(added / _LEAST) * _LEAST
