"""Links between events of different sessions that belong together; importance raised by centrality; shortcuts
between what is often asked for together (SPEC 2, stage 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import combinations

from remanent.beliefs.rules.belief import similarity
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.event import EventNode, event_key
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.events.rules import episodes
from remanent.events.rules import episodes as centrality
from remanent.events.rules.episodes import EpisodeRules

CROSS_SESSION = "cross-session"  # the detail that tells these links from those of enrichment
NEAR = 20  # entries looked at for one event; most of them are of its own session

Knot = tuple[str, str, float]  # the ids of the later and the earlier event, and the weight


@dataclass(slots=True)
class _Pair:
    similarity: float = 0.0
    shared: int = 0
    rarest: int | None = None


@dataclass(slots=True)
class _PairsFound:
    """What may belong to each event, by the keys of both."""

    pairs: dict[tuple[str, str], _Pair] = field(default_factory=dict)

    def pair(self, key: str, other: str) -> _Pair:
        return self.pairs.setdefault((key, other), _Pair())

    def keep_best(self, rules: EpisodeRules) -> None:
        """Of each event the strongest ties; some of those may turn out to be of its own session."""
        ranked: dict[str, list[tuple[float, str]]] = {}
        for (key, other), pair in self.pairs.items():
            weight = episodes.link_weight(pair.similarity, pair.shared, pair.rarest, rules)
            if weight >= rules.link_from:
                ranked.setdefault(key, []).append((-weight, other))
        self.pairs = {
            (key, other): self.pairs[key, other]
            for key, ties in ranked.items()
            for _, other in sorted(ties)[: NEAR + rules.links_each]
        }


def link_sessions(env: Env, scope: Scope, runs: Sequence[Sequence[EventNode]]) -> list[Knot]:
    """Which of the events in these runs are to be linked with which of other sessions.

    What they reference is asked of all events, likeness only of the most important of each run:
    a look for the nearest costs a walk over all of the user's events.
    """
    events = {one.key: one for run in runs for one in run}
    pairs = _PairsFound()
    _by_reference(env, scope, list(events), pairs)
    _by_likeness(env, scope, [one for run in runs for one in _most_important(env, run)], pairs)
    pairs.keep_best(env.config.episodes)
    others = _events(env, scope, {other for _, other in pairs.pairs} - events.keys())
    return _knots(env, scope, events, others, pairs)


def _most_important(env: Env, run: Sequence[EventNode]) -> Sequence[EventNode]:
    order = sorted(run, key=lambda one: (-one.importance_score, one.occurred_at, one.event_id))
    return order[: env.config.episodes.links_each]


def _by_reference(env: Env, scope: Scope, keys: Sequence[str], pairs: _PairsFound) -> None:
    rules = env.config.episodes
    shared = env.graph.shared_references(
        scope, keys, most=rules.common_from, rare=rules.rare_within
    )
    for reference in shared:
        pair = pairs.pair(reference.key, reference.other)
        pair.shared, pair.rarest = reference.count, reference.rarest


def _by_likeness(env: Env, scope: Scope, events: Sequence[EventNode], pairs: _PairsFound) -> None:
    vectors = env.index.vectors(scope, [one.key for one in events])
    for key, vector in sorted(vectors.items()):
        for match in env.index.near(scope, vector, kinds=(Kind.EVENT,), limit=NEAR):
            alike = similarity(match.score, env.embedder.scale)
            if match.key != key and alike >= env.config.episodes.link_from:
                pairs.pair(key, match.key).similarity = alike


def _events(env: Env, scope: Scope, keys: Iterable[str]) -> dict[str, EventNode]:
    nodes = env.graph.get_many(scope, sorted(keys))
    return {key: one for key, one in nodes.items() if isinstance(one, EventNode)}


def _knots(
    env: Env,
    scope: Scope,
    events: dict[str, EventNode],
    others: dict[str, EventNode],
    pairs: _PairsFound,
) -> list[Knot]:
    weighed: dict[str, list[tuple[float, str]]] = {}
    for (key, other), pair in sorted(pairs.pairs.items()):
        far = others.get(other)
        if far is None or _session(far) == _session(events[key]):
            continue
        weight = episodes.link_weight(
            pair.similarity, pair.shared, pair.rarest, env.config.episodes
        )
        if weight >= env.config.episodes.link_from:
            weighed.setdefault(key, []).append((-round(weight, 6), other))
    knots: list[Knot] = []
    for key, ties in weighed.items():
        known = _linked(env, scope, key)
        best = [one for one in sorted(ties) if one[1] not in known][
            : env.config.episodes.links_each
        ]
        for weight, other in best:
            later, earlier = sorted((events[key], others[other]), key=_time, reverse=True)
            knots.append((later.event_id, earlier.event_id, -weight))
    return knots


def _linked(env: Env, scope: Scope, key: str) -> set[str]:
    links = env.graph.links(scope, key, kinds=(LinkKind.SIMILAR_TO,))
    return {end for link in links for end in (link.src, link.dst)}


def _session(event: EventNode) -> tuple[str, str]:
    return event.agent_id, event.session_id


def _time(event: EventNode) -> tuple[object, str]:
    return event.occurred_at, event.event_id


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
        for facts in (one for one in page if one.is_enriched):
            raised = centrality.raised(facts)
            if raised > facts.raised or facts.children > facts.known_children:
                children = max(facts.children, facts.known_children)
                batch.append((facts.event_id, raised, children))
        while len(batch) >= BATCH:
            yield batch[:BATCH]
            batch = batch[BATCH:]
    if batch:
        yield batch


def write_raises(env: Env, scope: Scope, raises: Sequence[Raise]) -> int:
    """Write them down; how many events there are that it changes."""
    by_key = {event_key(scope.user_id, event_id): rest for event_id, *rest in raises}
    nodes = env.graph.get_many(scope, list(by_key))
    for key, node in nodes.items():
        if isinstance(node, EventNode):
            raised, children = by_key[key]
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
    """Up to `most` pairs that were often accessed, last in one call, and have no edge between them yet."""
    calls = env.graph.accessed_together(
        scope,
        least=env.config.episodes.shortcut_accesses,
        limit=env.config.episodes.shortcuts_a_run,
    )
    pairs: dict[Pair, None] = {}
    for call in calls:
        for event, other in combinations(sorted(call[:MOST_OF_A_CALL]), 2):
            if len(pairs) >= most:
                return list(pairs)
            if not _is_joined(env, scope, event, other):
                pairs[event, other] = None
    return list(pairs)


def shorten(env: Env, scope: Scope, pairs: Sequence[Pair], now: datetime) -> int:
    """Draw the shortcuts whose ends are there; how many are new."""
    here = env.graph.get_many(scope, sorted({end for pair in pairs for end in pair}))
    return sum(
        env.graph.link(scope, Link(scope.user_id, LinkKind.SHORTCUT, src, dst, now, weight=WEIGHT))
        for src, dst in pairs
        if src in here and dst in here
    )


def _is_joined(env: Env, scope: Scope, one: str, other: str) -> bool:
    links = env.graph.links(scope, one)
    return any(other in (link.src, link.dst) for link in links) or bool(
        env.graph.relationships(scope, one, other=other)
    )
