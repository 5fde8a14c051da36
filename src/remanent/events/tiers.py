"""Let go: events leave the graph by tiers, once a Summary stands for them (SPEC 7)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime

from remanent.core.env import Env
from remanent.core.model.event import Tier, event_key
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.events.rules import episodes

PAGE = 1000
BATCH = 500  # of events or links in one entry of the ledger

Ends = tuple[str, str, str]  # source, target and detail of a link

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; the ledger keeps it all


def weak_links(env: Env, scope: Scope, at: datetime) -> list[Ends]:
    """The next links that are too weak to outlive the hot tier."""
    found = env.graph.weak_links(
        scope,
        LinkKind.SIMILAR_TO,
        below=env.config.tiers.weak_below,
        born_by=episodes.begins(Tier.WARM, at, env.config.tiers),
        limit=BATCH,
    )
    return [(one.src, one.dst, one.detail) for one in found]


def unlink(env: Env, scope: Scope, links: Sequence[Ends], now: datetime) -> int:
    """Take these links away; how many there were."""
    gone = sum(
        env.graph.unlink(
            scope,
            Link(
                user_id=scope.user_id,
                kind=LinkKind.SIMILAR_TO,
                src=src,
                dst=dst,
                detail=detail,
                created_at=now,
            ),
        )
        for src, dst, detail in links
    )
    log.info("weak links let go", extra={"user": scope.user_id, "links": gone})
    return gone


def due(env: Env, scope: Scope, at: datetime) -> Iterator[dict[Tier, list[str]]]:
    """Batches of the ids of events that have to go, by their tier."""
    after, batch = "", _empty()
    born_by = episodes.begins(Tier.COLD, at, env.config.tiers)
    while page := env.graph.event_facts(scope, born_by=born_by, limit=PAGE, after=after):
        after = page[-1].key
        for one in page:
            tier = episodes.tier_of(at - one.born, env.config.tiers)
            if not episodes.stays(one, tier, env.config.tiers):
                batch[tier].append(one.event_id)
            if sum(map(len, batch.values())) >= BATCH:
                yield batch
                batch = _empty()
    if any(batch.values()):
        yield batch


def events(env: Env, scope: Scope, event_ids: Sequence[str]) -> int:
    """Take these events out of the graph and out of search; how many there were."""
    keys = [event_key(scope.user_id, one) for one in event_ids]
    gone = env.graph.let_go(scope, keys)
    there = env.graph.get_many(scope, keys)  # whoever is not told yet stays, and stays findable
    env.index.remove([key for key in keys if key not in there])
    log.info("events let go", extra={"user": scope.user_id, "events": gone})
    return gone


def _empty() -> dict[Tier, list[str]]:
    return {Tier.COLD: [], Tier.GONE: []}
