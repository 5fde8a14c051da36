"""Merge: beliefs that say the same become one (SPEC 5, merge duplicates).

The mind is asked first; what it called the same is read again before it is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from remanent.beliefs.compare import NewBeliefs, Progress, belief_report
from remanent.beliefs.model import Cluster, MergedBeliefs, MergeReport
from remanent.beliefs.query import still_active
from remanent.beliefs.rules import maintenance
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief
from remanent.core.model.event import BELIEFS_MERGED, Event
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at


def merge_duplicates(
    env: Env,
    scope: Scope,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    night: NewBeliefs | None = None,
) -> MergeReport:
    """One belief for each cluster of duplicates, with all that spoke for the others.

    A `night` looks only at pairs with one of its fresh beliefs, and merges as of its moment.
    """
    report = belief_report(env, scope, progress=progress, night=night)
    at = None if night is None else night.at
    merged: list[MergedBeliefs] = []
    changed: dict[str, Belief] = {}
    with env.transaction(dry_run=dry_run):
        for cluster in report.duplicates:
            done = _merge_cluster(env, scope, cluster, at or env.clock.now())
            if done is not None:
                merged.append(done[0])
                changed |= {one.key: one for one in done[1]}
    return MergeReport(
        merged=tuple(merged),
        changed=tuple(changed.values()),
        compared=report.compared,
        dry_run=dry_run,
    )


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more, to those of its beliefs that still stand."""
    keys = [str(event.payload["winner"]), *map(str, event.payload["losers"])]
    with env.atomic():
        held = still_active(env, scope, keys)
        if len(held) > 1 and held[0].key == keys[0]:
            _apply_merge(env, scope, event, held)


def _merge_cluster(
    env: Env, scope: Scope, cluster: Cluster, when: datetime
) -> tuple[MergedBeliefs, list[Belief]] | None:
    beliefs = _still_so(env, scope, cluster)
    if len(beliefs) < 2:
        return None
    ordered = maintenance.winner_first(beliefs, when, env.config.belief)
    at = max(when, *(one.updated_at for one in beliefs))  # a merge makes nothing staler
    payload = {
        "winner": ordered[0].key,
        "losers": [one.key for one in ordered[1:]],
        "similarity": cluster.similarity,
        "at": at.isoformat(),
    }
    event = env.append(scope, BELIEFS_MERGED, payload)
    return _apply_merge(env, scope, event, ordered)


def _apply_merge(
    env: Env, scope: Scope, event: Event, ordered: Sequence[Belief]
) -> tuple[MergedBeliefs, list[Belief]]:
    """The first takes in the others; what became of inferences from those."""
    at, (first, *others) = effective_at(event), ordered
    winner, losers = maintenance.merged(first, others, at, env.config.belief)
    for one in (winner, *losers):
        env.graph.put(scope, one)
    _move_episodes(env, scope, winner, losers)
    _rest_on(env, scope, winner, first, at)
    return MergedBeliefs(winner=winner, losers=tuple(losers)), retract_dependents(
        env, scope, losers, at=at
    )


def _still_so(env: Env, scope: Scope, cluster: Cluster) -> list[Belief]:
    """Those that stand and say what they said when the mind was asked."""
    statements = {one.key: one.statement for one in cluster.beliefs}
    held = still_active(env, scope, list(statements))
    return [one for one in held if one.statement == statements[one.key]]


def _move_episodes(env: Env, scope: Scope, winner: Belief, losers: Sequence[Belief]) -> None:
    """An episode that comes again finds the one that speaks for it now."""
    for loser in losers:
        links = env.graph.links(scope, loser.key, kinds=(LinkKind.SUPPORTS,), outward=False)
        for link in links:
            env.graph.unlink(scope, link)
            env.graph.link(scope, replace(link, dst=winner.key))


def _rest_on(env: Env, scope: Scope, winner: Belief, before: Belief, now: datetime) -> None:
    """Where inferences were merged, the one that stays rests on what the others rested on."""
    for key in winner.derived_from:
        if key not in before.derived_from and env.graph.get(scope, key) is not None:
            env.graph.link(scope, Link(scope.user_id, LinkKind.DERIVED_FROM, winner.key, key, now))
