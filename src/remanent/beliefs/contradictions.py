"""Contradictions: beliefs that cannot both be so are found, and settled on request (SPEC 5).

The mind sees each belief with the older ones it resembles, in one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from remanent.beliefs import compare
from remanent.beliefs.compare import Compared, Judged, NewBeliefs, Progress
from remanent.beliefs.model import ContradictingPair, Contradictions, Settlement, Verdict
from remanent.beliefs.query import still_active
from remanent.beliefs.rules import maintenance as upkeep
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.core.model.event import CONTRADICTION_SETTLED, Event
from remanent.core.model.mind_types import Judgement
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at

_VERDICTS = {
    ChangeKind.INVALIDATED: Verdict.INVALIDATED,
    ChangeKind.WEAKENED: Verdict.WEAKENED,
    ChangeKind.DISPUTED: Verdict.DISPUTED,
}


def settle_contradictions(
    env: Env,
    scope: Scope,
    *,
    resolve: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    night: NewBeliefs | None = None,
) -> Contradictions:
    """Every pair that the mind calls a contradiction; with `resolve`, settled by the rule.

    A `night` looks only at pairs with one of its fresh beliefs, and settles as of its moment.
    """
    from_ = min(env.config.upkeep.contradict_from, env.config.upkeep.contradict_of_one_from)
    if night is None:
        compared: Compared = compare.pairs(env, scope, compare.active(env, scope), from_)
    else:
        compared = compare.around(env, scope, night.fresh, from_)
    at = None if night is None else night.at
    wanted = partial(upkeep.may_clash, rules=env.config.upkeep)
    clashes = [
        _clash(one)
        for one in compare.judged(env, scope, compared, progress, wanted=wanted)
        if one.judgement is Judgement.CONTRADICTS
    ]
    standing = [one for one in clashes if upkeep.is_settled(one.newer, one.older)]
    fresh = [one for one in clashes if not upkeep.is_settled(one.newer, one.older)]
    settled, changed = _settle(env, scope, fresh if resolve else (), at, dry_run=dry_run)
    done = {(one.clash.newer.key, one.clash.older.key) for one in settled}
    return Contradictions(
        found=tuple(one for one in fresh if (one.newer.key, one.older.key) not in done),
        settled=tuple(settled),
        standing=tuple(standing),
        changed=tuple(changed),
        compared=len(compared.beliefs),
        unseen=compared.unseen,
        dry_run=dry_run,
    )


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more, if both of its beliefs still stand."""
    keys = [str(event.payload["newer"]), str(event.payload["older"])]
    with env.atomic():
        pair = still_active(env, scope, keys)
        if len(pair) == len(keys):
            _settled(env, scope, event, *pair)


def _settle(
    env: Env,
    scope: Scope,
    clashes: Sequence[ContradictingPair],
    at: datetime | None,
    *,
    dry_run: bool,
) -> tuple[list[Settlement], list[Belief]]:
    """In the order of time: what was replaced twice ends when it was replaced first."""
    settled: list[Settlement] = []
    changed: dict[str, Belief] = {}
    ordered = sorted(clashes, key=_order)
    with env.transaction(dry_run=dry_run):
        for clash in ordered:
            done = _settle_one(env, scope, clash, at or env.clock.now())
            if done is not None:
                settled.append(done[0])
                changed |= {one.key: one for one in done[1]}
    return settled, list(changed.values())


def _settle_one(
    env: Env, scope: Scope, clash: ContradictingPair, when: datetime
) -> tuple[Settlement, list[Belief]] | None:
    statements = {clash.newer.statement, clash.older.statement}
    active = still_active(env, scope, [clash.newer.key, clash.older.key])
    standing = [one for one in active if one.statement in statements]
    if len(standing) < 2:  # it does not say what it said when the mind was asked
        return None
    if upkeep.age(clash.newer)[:2] == upkeep.age(clash.older)[:2]:
        return None  # neither is newer, so neither gives way: a person has to say
    newer, older = standing
    at = max(when, newer.updated_at, older.updated_at)
    kind = upkeep.settled(newer, older, at, env.config.belief)[2]
    payload = {"newer": newer.key, "older": older.key, "verdict": kind.value, "at": at.isoformat()}
    event = env.append(scope, CONTRADICTION_SETTLED, payload)
    newer, older, fallen = _settled(env, scope, event, newer, older)
    clash = replace(clash, newer=newer, older=older)
    return Settlement(clash=clash, verdict=_VERDICTS[kind]), fallen


def _settled(
    env: Env, scope: Scope, event: Event, newer: Belief, older: Belief
) -> tuple[Belief, Belief, list[Belief]]:
    """Both as they are now, and the inferences that changed with it."""
    at = effective_at(event)
    newer, older, _ = upkeep.settled(newer, older, at, env.config.belief)
    env.graph.put(scope, newer)
    env.graph.put(scope, older)
    ended = [] if older.status is BeliefStatus.ACTIVE else [older]
    return newer, older, retract_dependents(env, scope, ended, at=at) if ended else []


def _clash(judged: Judged) -> ContradictingPair:
    newer, older = upkeep.by_last_word(judged.newer, judged.older)
    return ContradictingPair(newer=newer, older=older, similarity=judged.similarity)


def _order(clash: ContradictingPair) -> tuple[object, ...]:
    since = upkeep.takes_over(clash.newer, clash.older)
    return (since, upkeep.age(clash.newer), upkeep.age(clash.older))
