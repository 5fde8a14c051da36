"""Elevate: an event that much hangs on matters more, and what is often asked for together is joined
(SPEC 2, stage 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from remanent.core.env import Env
from remanent.core.model.event import EventNode, event_key
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.events.rules import centrality

PAGE = 1000
BATCH = 500  # events in one entry of the ledger
WEIGHT = 0.5  # of a shortcut, beside the 1 of a link that says why
MOST_OF_A_CALL = 4  # of the nodes returned together, the most accessed

Raise = tuple[str, float, int]  # an event's id, what is added to its importance, how many it caused
Pair = tuple[str, str]


def raises(env: Env, scope: Scope, at: datetime) -> Iterator[list[Raise]]:
    """Batches of events that have come to matter more, or caused more, than was known."""
    after, batch = "", list[Raise]()
    while page := env.graph.event_facts(scope, born_by=at, limit=PAGE, after=after):
        after = page[-1].key
        for one in (one for one in page if one.is_enriched):
            raised = centrality.raised(one)
            if raised > one.raised or one.children > one.known_children:
                children = max(one.children, one.known_children)
                batch.append((one.event_id, raised, children))
        while len(batch) >= BATCH:
            yield batch[:BATCH]
            batch = batch[BATCH:]
    if batch:
        yield batch


def raise_(env: Env, scope: Scope, raises: Sequence[Raise]) -> int:
    """Write them down; how many events there are that it changes."""
    told = {event_key(scope.user_id, event_id): rest for event_id, *rest in raises}
    nodes = env.graph.get_many(scope, list(told))
    for key, node in nodes.items():
        if isinstance(node, EventNode):
            raised, children = told[key]
            score = round(node.importance_score - node.raised + raised, 6)
            env.graph.put(
                scope,
                replace(
                    node,
                    importance_score=min(centrality.MOST, score),
                    raised=raised,
                    known_children=int(children),
                ),
            )
    return len(nodes)


def shortcuts(env: Env, scope: Scope, most: int) -> list[Pair]:
    """Up to `most` pairs that were often accessed, last in one call, and have no edge between them
    yet."""
    calls = env.graph.accessed_together(
        scope,
        least=env.config.episodes.shortcut_accesses,
        limit=env.config.episodes.shortcuts_a_run,
    )
    found: dict[Pair, None] = {}
    for call in calls:
        for one, other in combinations(sorted(call[:MOST_OF_A_CALL]), 2):
            if len(found) >= most:
                return list(found)
            if not _is_joined(env, scope, one, other):
                found[one, other] = None
    return list(found)


def shorten(env: Env, scope: Scope, pairs: Sequence[Pair], now: datetime) -> int:
    """Draw the shortcuts whose ends are there; how many are new."""
    here = env.graph.get_many(scope, sorted({end for pair in pairs for end in pair}))
    return sum(
        env.graph.link(
            scope,
            Link(
                user_id=scope.user_id,
                kind=LinkKind.SHORTCUT,
                src=src,
                dst=dst,
                created_at=now,
                weight=WEIGHT,
            ),
        )
        for src, dst in pairs
        if src in here and dst in here
    )


def _is_joined(env: Env, scope: Scope, one: str, other: str) -> bool:
    links = env.graph.links(scope, one)
    return any(other in (link.src, link.dst) for link in links) or bool(
        env.graph.relationships(scope, one, other=other)
    )
