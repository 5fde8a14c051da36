"""Tidy: beliefs kept in order every night, as far as they changed since the last (SPEC 5, 7).

Only what changed is held against the rest: a night after which nothing was said costs nothing.

What changed is told by `updated_at`, and by the ledger for what was imported, which comes as old
as it is.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from remanent.beliefs import compare
from remanent.beliefs.compare import NewBeliefs
from remanent.beliefs.contradictions import settle_contradictions
from remanent.beliefs.merge import merge_duplicates
from remanent.beliefs.prune import prune_beliefs
from remanent.beliefs.rules import maintenance
from remanent.beliefs.subjects import assign_subjects
from remanent.beliefs.synthesize import synthesize_beliefs
from remanent.core.env import Env, Night, Quota
from remanent.core.event_lookup import ledger_events
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_IMPORTED
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome
from remanent.core.ports.graph import Nodes

# Where the last night stopped: which events it had read, and up to which moment of change; and how far
# what is in hand reaches, which whoever was killed over it takes up again as it was.
READ, CHANGED, DRAWN = "upkeep", "upkeep.changed", "upkeep.drawn"
READING, CHANGING = "upkeep.reading", "upkeep.changing"
_SUNDAY = 6
_ALL = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def maintain_beliefs(night: Night) -> JobOutcome:
    """Assign subjects, merge duplicates, settle contradictions if asked to, let go of what is faint
    and was never asserted or matters little; on Sundays draw principles first."""
    env, scope = night.env, night.scope
    _synthesize(night)
    night.tell(0.2)
    night.left = _compare(night)
    night.tell(0.9)
    for pruned in prune_beliefs(env, scope, at=night.at, spared=partial(_stays, env)).pruned:
        _note(
            night,
            "pruned",
            pruned.belief,
            f"{pruned.effective_confidence:.3f} of its confidence was left",
        )
    night.tell(1.0)
    return night.outcome


def _note(night: Night, what: str, belief: Belief, why: str) -> None:
    """That was done to the belief; all of them are listed."""
    night.counts[what] += 1
    night.changes.append(Change(what=what, key=belief.key, name=belief.statement, why=why))


def _synthesize(night: Night) -> None:
    env, scope, at = night.env, night.scope, night.at
    here = at.astimezone(env.zone_of(scope.user_id))
    if here.weekday() != _SUNDAY or not _changed(env, scope, DRAWN, 1):
        return
    held = compare.iterate_active(env, scope)  # but for what this night has drawn, and is news
    newest = max((one.updated_at for one in held if one.created_at != at), default=_EPOCH)
    most = env.config.belief.clusters_most
    quota = night.quota(most, of="drawn")
    for one in synthesize_beliefs(env, scope, at=at, quota=quota).drawn:
        _note(night, "synthesized", one.belief, f"drawn from {len(one.derived_from)} beliefs")
    _advance(env, scope, DRAWN, newest)


def _stays(env: Env, belief: Belief) -> bool:
    return not maintenance.goes_by_itself(belief, env.config.upkeep)


def _compare(night: Night) -> int:
    """Hold what changed against the rest, as much of it as a night may; how much is left."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(max(1, env.config.upkeep.nightly_most))
    fresh = _in_hand(env, scope, at)
    while fresh or (fresh := _next(env, scope, quota)):
        held = [one for one in fresh if one.status is BeliefStatus.ACTIVE and one.instructs is None]
        _maintain(night, NewBeliefs(at=at, fresh=held))
        with env.atomic(durable=True):
            env.ledger.position(scope, READ, to=env.ledger.position(scope, READING))
            env.ledger.position(scope, CHANGED, to=env.ledger.position(scope, CHANGING))
        fresh = []
    if quota.left:
        return 0
    return len(_changed(env, scope, CHANGED, env.config.upkeep.nightly_most))


def _in_hand(env: Env, scope: Scope, at: datetime) -> list[Belief]:
    """What a run that was killed had in hand: also what it had changed by then, for `at`."""
    marks = (READING, CHANGING, READ, CHANGED)
    reading, changing, read, changed_to = (env.ledger.position(scope, one) for one in marks)
    if reading <= read and changing <= changed_to:
        return []
    imported, _ = _imported(env, scope, _ALL, reading)
    until = _EPOCH + changing * _MICROSECOND
    changed = [one for one in _changed(env, scope, CHANGED, _ALL) if one.updated_at <= until]
    now = env.graph.select(scope, Nodes(Belief, {"updated_at": at}, own=True))
    touched = [one for one in now if one.created_at != at]
    return list({one.key: one for one in (*imported, *changed, *touched)}.values())


def _next(env: Env, scope: Scope, quota: Quota) -> list[Belief]:
    """The next beliefs to be compared, taken in hand; none where all are, or the night is full."""
    room = quota.left
    if not room:
        return []
    imported, seq = _imported(env, scope, room)
    changed = _changed(env, scope, CHANGED, max(1, room - len(imported)))
    fresh = {one.key: one for one in (*imported, *changed)}
    with env.atomic(durable=bool(fresh)):
        env.ledger.position(scope, READING, to=seq)
        if changed:
            _advance(env, scope, CHANGING, changed[-1].updated_at)
        if fresh:
            quota.take(len(fresh))
        else:
            env.ledger.position(scope, READ, to=seq)
    return list(fresh.values())


def _maintain(night: Night, new: NewBeliefs) -> None:
    env, scope = night.env, night.scope
    for one in assign_subjects(env, scope, night=new).assigned:
        _note(night, "assigned", one.belief, f"it is about {one.belief.subject}")
    for union in merge_duplicates(env, scope, night=new).merged:
        others = "; ".join(one.statement for one in union.losers)
        _note(night, "merged", union.winner, f"it says the same as: {others}")
    if env.config.upkeep.nightly_settle:
        for settled in settle_contradictions(env, scope, resolve=True, night=new).settled:
            clash = settled.clash
            _note(night, "settled", clash.older, f"against it: {clash.newer.statement}")


def _changed(env: Env, scope: Scope, mark: str, limit: int) -> list[Belief]:
    """The next beliefs that changed, the first first; as many more as share the time of the last."""
    after = _EPOCH + env.ledger.position(scope, mark) * _MICROSECOND
    nodes = Nodes(Belief, {"updated_at >": after}, ("updated_at",), limit=max(limit, 1), own=True)
    found = env.graph.select(scope, nodes)
    if len(found) == nodes.limit:
        same = {"updated_at": found[-1].updated_at, "key >": found[-1].key}
        found += env.graph.select(scope, Nodes(Belief, same, own=True))
    return found


def _advance(env: Env, scope: Scope, mark: str, moment: datetime) -> None:
    env.ledger.position(scope, mark, to=(moment - _EPOCH) // _MICROSECOND)


def _imported(
    env: Env, scope: Scope, limit: int, until: int | None = None
) -> tuple[list[Belief], int]:
    """Up to `limit` beliefs imported since the last night, and up to which event that is; none by
    an event later than `until`."""
    keys: list[str] = []
    seq = env.ledger.position(scope, READ)
    for event in ledger_events(env, scope, after=seq):
        if len(keys) >= limit or (until is not None and event.seq > until):
            break
        seq = event.seq
        if event.event_type == BELIEF_IMPORTED:
            keys.append(str(event.payload["belief"]["key"]))
    nodes = env.graph.get_many(scope, keys)
    return [one for one in nodes.values() if isinstance(one, Belief)], seq
