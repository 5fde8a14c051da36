"""Enact: what re-consolidation decided is carried out, now or from the ledger (SPEC 2, stage 3).

Needs nothing but the entry and the graph as it was then; looks at no life of anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.core.env import Env
from remanent.core.model.event import Event, Tier, event_key
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change
from remanent.core.model.story import Summary
from remanent.events import links, summaries, tiers
from remanent.events.links import CROSS_SESSION, Knot

# What an entry of the ledger decided.
TOLD: Final = "told"
AGENT_TOLD: Final = "agent_told"
RAISED: Final = "raised"
SHORTENED: Final = "shortened"
LINKS_LET_GO: Final = "links_let_go"
EVENTS_LET_GO: Final = "events_let_go"
REFLECTION: Final = "reflection"

_NAME = 80
_WHY_GONE: Final = {Tier.COLD: "of little weight after a week", Tier.GONE: "past their time"}

Tally = Counter[str]
Done = tuple[Tally, list[Change]]


def apply_decisions(env: Env, scope: Scope, event: Event) -> Callable[[], Done]:
    """What is slow is done now; what is written, when called."""
    told, now = event.payload, event.recorded_at
    if told["what"] == TOLD:
        telling = summaries.session(env, scope, told, now)
        return lambda: _linked(env, scope, told["links"], telling(), now)
    if told["what"] == AGENT_TOLD:
        agent = summaries.agent(env, scope, told, now)
        return lambda: _summarized(agent())
    if told["what"] == EVENTS_LET_GO:
        return lambda: _dropped(env, scope, event)
    return lambda: (_without_mind(env, scope, told, now), [])


def _without_mind(env: Env, scope: Scope, told: Mapping[str, Any], now: datetime) -> Tally:
    """What needs no mind."""
    counts: Tally = Counter()
    match str(told["what"]):
        case "raised":
            counts["raised"] = links.write_raises(env, scope, told["events"])
        case "shortened":
            counts["shortened"] = links.shorten(env, scope, told["pairs"], now)
        case "links_let_go":
            counts["links_let_go"] = tiers.unlink(env, scope, told["links"], now)
        case _:  # a reflection: the entry itself is all there is to it
            pass
    return counts


def _linked(
    env: Env, scope: Scope, knots: Sequence[Knot], written: Sequence[Summary], now: datetime
) -> Done:
    ends = sorted({event_key(scope.user_id, end) for knot in knots for end in knot[:2]})
    here = env.graph.get_many(scope, ends)
    drawn = 0
    for later, earlier, weight in knots:
        src, dst = event_key(scope.user_id, later), event_key(scope.user_id, earlier)
        if src in here and dst in here:
            link = Link(
                user_id=scope.user_id,
                kind=LinkKind.SIMILAR_TO,
                src=src,
                dst=dst,
                created_at=now,
                detail=CROSS_SESSION,
                weight=weight,
            )
            drawn += env.graph.link(scope, link)
    counts, changes = _summarized(written)
    return counts + Counter(linked=drawn), changes


def _dropped(env: Env, scope: Scope, event: Event) -> Done:
    ids = event.payload["events"]
    counts = {tier: tiers.events(env, scope, ids[tier]) for tier in _WHY_GONE}
    total = sum(counts.values())
    why = ", ".join(f"{n} {_WHY_GONE[tier]}" for tier, n in counts.items() if n)
    name = "1 event" if total == 1 else f"{total} events"
    told = Change(what="let go", key=event.event_id, name=name, why=why)
    return Counter(let_go=total), [told] if total else []


def _summarized(written: Sequence[Summary]) -> Done:
    return Counter(summarized=len(written)), [
        Change(what="summarized", key=one.key, name=title_of(one)[:_NAME], why=_why(one))
        for one in written
    ]


def _why(one: Summary) -> str:
    of = f"session {one.session_id}" if one.session_id else f"agent {one.agent_id or 'none'}"
    events = "1 event" if one.event_count == 1 else f"{one.event_count} events"
    return f"{events} of {of}, {one.covers_from:%d %B %H:%M} to {one.covers_to:%d %B %H:%M}"
