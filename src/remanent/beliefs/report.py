"""Reflect: what is held twice, what contradicts itself, what has faded (SPEC 5). Changes nothing.

A pair is a duplicate only if the mind calls it the same: embeddings put "lives in Oslo" as
near to "lives in Bergen" as to another wording of itself.
"""

from __future__ import annotations

from datetime import datetime

from remanent.beliefs import compare
from remanent.beliefs.compare import Compared, Night, Progress
from remanent.beliefs.model import Cluster, ContradictingPair, FadedBelief, Reflection
from remanent.beliefs.rules import maintenance
from remanent.beliefs.rules.maintenance import Alike as Pair
from remanent.core.env import Env
from remanent.core.model.belief import Belief
from remanent.core.model.mind_types import Judgement
from remanent.core.model.scope import Scope


def belief_report(
    env: Env, scope: Scope, *, progress: Progress | None = None, night: Night | None = None
) -> Reflection:
    """All active beliefs, held against each other; those of a `night` against all of them, and
    what has faded is left out."""
    from_ = env.config.belief.duplicate_from
    if night is None:
        beliefs, now = compare.active(env, scope), env.clock.now()
        compared: Compared = compare.pairs(env, scope, beliefs, from_)
        stale = maintenance.faded(beliefs, now, env.config.belief.stale_below, env.config.belief)
    else:
        now, stale = night.at, []
        compared = compare.around(env, scope, night.fresh, from_)
    same, clashes = _judged(env, scope, compared, progress)
    apart = [(one.newer.key, one.older.key) for one in clashes]
    held = {one.key: one for one in compared.beliefs}
    return Reflection(
        duplicates=tuple(
            _cluster(env, [held[key] for key in keys], least, now)
            for keys, least in maintenance.clusters(same, apart)
        ),
        contradictions=tuple(one for one in clashes if not _is_settled(one)),
        stale=tuple(FadedBelief(belief=one, effective_confidence=left) for one, left in stale),
        compared=len(compared.beliefs),
        unseen=compared.unseen,
    )


def _judged(
    env: Env, scope: Scope, compared: Compared, progress: Progress | None
) -> tuple[list[Pair], list[ContradictingPair]]:
    same: list[Pair] = []
    clashes: list[ContradictingPair] = []
    for one in compare.judged(env, scope, compared, progress):
        if one.judgement is Judgement.SAME:
            same.append(Pair(one.newer.key, one.older.key, one.similarity))
        elif one.judgement is Judgement.CONTRADICTS:
            clashes.append(
                ContradictingPair(newer=one.newer, older=one.older, similarity=one.similarity)
            )
    return same, clashes


def _cluster(env: Env, beliefs: list[Belief], similarity: float, now: datetime) -> Cluster:
    ordered = maintenance.winner_first(beliefs, now, env.config.belief)
    return Cluster(beliefs=tuple(ordered), similarity=similarity)


def _is_settled(clash: ContradictingPair) -> bool:
    return maintenance.is_settled(clash.newer, clash.older)
