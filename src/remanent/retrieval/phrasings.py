"""Phrasings: a question in full and in other words, and one search over all of them (SPEC 8).

Fast rules first: follow-ups are filled in, abbreviations written out. Then, in `deep` mode,
the mind's other words; what it said of a question is cached, per user.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from remanent.anchors.resolve import names_in
from remanent.anchors.rules import query
from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.search import Hit, Hits, Phrasing, Phrasings, Rephrased, Way
from remanent.core.model.source import Turn
from remanent.core.on_behalf import mind_for
from remanent.errors import MindError
from remanent.retrieval.abbreviations import abbreviations_in
from remanent.retrieval.rules import abbreviations

_MOST_REWORDED = 5


def rephrase(
    env: Env, scope: Scope, question: str, before: Sequence[object] = (), *, deep: bool = True
) -> Phrasings:
    """Every phrasing once; the first is the question in full, the one to search by."""
    text = checks.statement("query", question, env.config.intake.max_statement_characters)
    turns = query.conversation(before)
    names = names_in(env, scope, [text, *(turn.text for turn in turns)]) if turns else []
    followed = query.followed(text, turns, names)
    full = abbreviations.expand(followed, abbreviations_in(env, scope, followed))
    ways = [
        (full, _way(text, followed, full)),
        (followed, Way.FOLLOWED if followed != text else Way.ASKED),
        (text, Way.ASKED),
    ]
    if deep:
        rephrased = _rephrased(env, scope, full, turns)
        ways += [(one, Way.REWORDED) for one in rephrased.phrasings[:_MOST_REWORDED]]
        ways.append((rephrased.step_back, Way.STEP_BACK))
    return Phrasings(query=text, phrasings=_once(ways))


def forget(env: Env) -> None:
    """Keep nothing at hand any more of what was asked and said."""
    env.caches.phrasings.clear()


def _rephrased(env: Env, scope: Scope, text: str, turns: tuple[Turn, ...]) -> Rephrased:
    """What the mind says, or said before; nothing when it fails."""
    cache_key = (scope.user_id, text, turns)
    cached: Rephrased | None = env.caches.phrasings.get(cache_key)
    if cached is not None:
        return cached
    try:
        rephrased = mind_for(env.mind, scope, "rephrase").rephrase(text, turns)
    except MindError:
        return Rephrased()
    env.caches.phrasings.put(cache_key, rephrased)
    return rephrased


def _way(text: str, followed: str, full: str) -> Way:
    if full != followed:
        return Way.EXPANDED
    return Way.FOLLOWED if followed != text else Way.ASKED


def _once(ways: Sequence[tuple[str, Way]]) -> tuple[Phrasing, ...]:
    phrasings: dict[str, Phrasing] = {}
    for text, way in ways:
        if text.strip():
            phrasings.setdefault(text.casefold(), Phrasing(text=text, way=way))
    return tuple(phrasings.values())


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
        page = find(phrasing.text, 3 * limit)
        reason = reason or page.reason
        weight = WEIGHTS[phrasing.way]
        if place and phrasing.way in (Way.ASKED, Way.FOLLOWED):
            weight *= _LATER
        top = max((hit.score for hit in page), default=0.0)
        for hit in page:
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
                hits[key], score=scored[key], signals={**hits[key].signals, **parts[key]}, cursor=""
            )
            for key in order
        ),
        reason="" if order else reason,
    )
