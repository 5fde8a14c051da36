"""Apply: what re-consolidation decided is carried out, now or from the ledger (SPEC 2, stage 3); and
tiers, by which events leave the graph once a Summary stands for them (SPEC 7).

Needs nothing but the entry and the graph as it was then; looks at no life of anything.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.core.env import Env
from remanent.core.model.event import Event, Tier, event_key
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change
from remanent.core.model.story import Summary
from remanent.events import links, summaries
from remanent.events.links import CROSS_SESSION, Knot
from remanent.events.rules import episodes
from remanent.events.rules.ranking import decay_score

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
    decision, now = event.payload, event.recorded_at
    if decision["what"] == TOLD:
        telling = summaries.session(env, scope, decision, now)
        return lambda: _linked(env, scope, decision["links"], telling(), now)
    if decision["what"] == AGENT_TOLD:
        agent = summaries.agent(env, scope, decision, now)
        return lambda: _summarized(agent())
    if decision["what"] == EVENTS_LET_GO:
        return lambda: _dropped(env, scope, event)
    return lambda: (_without_mind(env, scope, decision, now), [])


def _without_mind(env: Env, scope: Scope, decision: Mapping[str, Any], now: datetime) -> Tally:
    """What needs no mind."""
    what = decision["what"]
    if what == RAISED:
        return Counter({what: links.write_raises(env, scope, decision["events"])})
    if what == SHORTENED:
        return Counter({what: links.shorten(env, scope, decision["pairs"], now)})
    if what == LINKS_LET_GO:
        return Counter({what: unlink(env, scope, decision["links"], now)})
    return Counter()  # a reflection: the entry itself is all there is to it


def _linked(
    env: Env, scope: Scope, knots: Sequence[Knot], written: Sequence[Summary], now: datetime
) -> Done:
    ends = sorted({event_key(scope.user_id, end) for knot in knots for end in knot[:2]})
    here = env.graph.get_many(scope, ends)
    drawn = 0
    for later, earlier, weight in knots:
        src, dst = event_key(scope.user_id, later), event_key(scope.user_id, earlier)
        if src in here and dst in here:
            link = Link(scope.user_id, LinkKind.SIMILAR_TO, src, dst, now, CROSS_SESSION, weight)
            drawn += env.graph.link(scope, link)
    counts, changes = _summarized(written)
    return counts + Counter(linked=drawn), changes


def _dropped(env: Env, scope: Scope, event: Event) -> Done:
    ids = event.payload["events"]
    counts = {tier: let_go_events(env, scope, ids[tier]) for tier in _WHY_GONE}
    total = sum(counts.values())
    why = ", ".join(f"{n} {_WHY_GONE[tier]}" for tier, n in counts.items() if n)
    name = "1 event" if total == 1 else f"{total} events"
    change = Change(what="let go", key=event.event_id, name=name, why=why)
    return Counter(let_go=total), [change] if total else []


def _summarized(written: Sequence[Summary]) -> Done:
    return Counter(summarized=len(written)), [
        Change(what="summarized", key=one.key, name=title_of(one)[:_NAME], why=_why(one))
        for one in written
    ]


def _why(one: Summary) -> str:
    of = f"session {one.session_id}" if one.session_id else f"agent {one.agent_id or 'none'}"
    events = "1 event" if one.event_count == 1 else f"{one.event_count} events"
    return f"{events} of {of}, {one.covers_from:%d %B %H:%M} to {one.covers_to:%d %B %H:%M}"


PAGE = 1000
BATCH = 500  # of events or links in one entry of the ledger

Ends = tuple[str, str, str]  # source, target and detail of a link

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; the ledger keeps it all


def weak_links(env: Env, scope: Scope, at: datetime) -> list[Ends]:
    """The next links that are too weak to outlive the hot tier."""
    links_found = env.graph.weak_links(
        scope,
        LinkKind.SIMILAR_TO,
        below=env.config.tiers.weak_below,
        born_by=episodes.begins(Tier.WARM, at, env.config.tiers),
        limit=BATCH,
    )
    return [(one.src, one.dst, one.detail) for one in links_found]


def unlink(env: Env, scope: Scope, links: Sequence[Ends], now: datetime) -> int:
    """Take these links away; how many there were."""
    gone = sum(
        env.graph.unlink(
            scope, Link(scope.user_id, LinkKind.SIMILAR_TO, src, dst, now, detail=detail)
        )
        for src, dst, detail in links
    )
    log.info("weak links let go", extra={"user": scope.user_id, "links": gone})
    return gone


def due_for_letting_go(env: Env, scope: Scope, at: datetime) -> Iterator[dict[Tier, list[str]]]:
    """Batches of the ids of events that have to go, by their tier."""
    after, batch = "", _empty()
    born_by = episodes.begins(Tier.COLD, at, env.config.tiers)
    while page := env.graph.event_facts(scope, born_by=born_by, limit=PAGE, after=after):
        after = page[-1].key
        for facts in page:
            tier = episodes.tier_of(at - facts.born, env.config.tiers)
            score = decay_score(facts, at, env.config.events)
            if not episodes.stays(facts, tier, env.config.tiers, score=score):
                batch[tier].append(facts.event_id)
            if sum(map(len, batch.values())) >= BATCH:
                yield batch
                batch = _empty()
    if any(batch.values()):
        yield batch


def let_go_events(env: Env, scope: Scope, event_ids: Sequence[str]) -> int:
    """Take these events out of the graph and out of search; how many there were."""
    keys = [event_key(scope.user_id, one) for one in event_ids]
    gone = env.graph.let_go(scope, keys)
    there = env.graph.get_many(scope, keys)  # whoever is not told yet stays, and stays findable
    env.index.remove([key for key in keys if key not in there])
    log.info("events let go", extra={"user": scope.user_id, "events": gone})
    return gone


def _empty() -> dict[Tier, list[str]]:
    return {Tier.COLD: [], Tier.GONE: []}
