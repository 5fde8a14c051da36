"""Deepen: one question searched in several phrasings, the answers joined (SPEC 8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from remanent.core.model.hit import Hit, Hits
from remanent.core.model.query_types import Phrasings, Way

Find = Callable[[str, int], Hits]

_LAST = 0.001
# Measured on LoCoMo: other words help a little, at a low weight; a wider question does harm by any weight that
# counts, so it only brings up, last, what nothing else found. Scores do as well as reciprocal ranks, and keep their margin.
WEIGHTS: Mapping[Way, float] = {
    Way.FOLLOWED: 1.0,
    Way.EXPANDED: 1.0,
    Way.ASKED: 1.0,
    Way.REWORDED: 0.3,
    Way.STEP_BACK: _LAST,
}
_LATER = 0.3  # of the weight for the caller's own words, where they were filled in or written out


def search_phrasings(phrasings: Phrasings, find: Find, *, limit: int) -> Hits:
    """The best `limit` hits over all phrasings; the hit is that of the first phrasing to find it."""
    hits: dict[str, Hit] = {}
    parts: dict[str, dict[str, float]] = {}
    reason = ""
    for place, phrasing in enumerate(phrasings.phrasings):
        found = find(phrasing.text, 3 * limit)
        reason = reason or found.reason
        weight = WEIGHTS[phrasing.way]
        if place and phrasing.way in (Way.ASKED, Way.FOLLOWED):
            weight *= _LATER
        top = max((hit.score for hit in found), default=0.0)
        for hit in found:
            hits.setdefault(hit.key, hit)
            # Other words never lift what no longer holds.
            own = min(weight, _LAST) if place and hit.holds is False else weight
            share = own * (hit.score / top if top > 0 else 1.0)
            parts.setdefault(hit.key, {})[f"{place}:{phrasing.way}"] = share
    scored = {key: math.fsum(part.values()) for key, part in parts.items()}
    order = sorted(scored, key=lambda key: (-scored[key], key))[:limit]
    return Hits(
        (
            replace(
                hits[key],
                score=scored[key],
                signals={**hits[key].signals, **parts[key]},
                cursor="",
            )
            for key in order
        ),
        reason="" if order else reason,
    )
