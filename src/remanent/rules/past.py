"""The past of beliefs: what was true then, what we believed then, and what replaced what.

Valid time is in `since` and `until`. Recorded time is in the log of changes: replayed up to a
moment, it gives the belief as it stood in our books, with nothing in it that we learned later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from remanent.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.model.event import event_key
from remanent.rules.belief import OUTDATED, BeliefRules

_DEFAULTS = BeliefRules()
_ENDS = {
    ChangeKind.INVALIDATED: BeliefStatus.INVALIDATED,
    ChangeKind.FORGOTTEN: BeliefStatus.FORGOTTEN,
    ChangeKind.PRUNED: BeliefStatus.PRUNED,
}
_RENEWING = frozenset({ChangeKind.CREATED, ChangeKind.REINFORCED, ChangeKind.MERGED, *_ENDS})


def was_true(belief: Belief, moment: datetime) -> bool:
    """Whether it was true then, by what the belief says now.

    What was forgotten or pruned was not found false: it counts until the day we let go of it.
    """
    if not belief.held_at(moment):
        return False
    if belief.status not in (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED):
        return True
    let_go = [one.recorded_at for one in belief.changes if one.kind in _ENDS]
    return not let_go or moment < let_go[-1]


def as_known(belief: Belief, known_at: datetime, rules: BeliefRules = _DEFAULTS) -> Belief | None:
    """The belief as we held it at that moment; None when we had not heard of it.

    How often it was recalled is not in the log: `stability` and `life` are today's.
    """
    if known_from(belief) > known_at:
        return None
    log = tuple(one for one in belief.changes if one.recorded_at <= known_at)
    if len(log) == len(belief.changes):
        return belief
    status = next(
        (_ENDS[one.kind] for one in reversed(log) if one.kind in _ENDS), BeliefStatus.ACTIVE
    )
    supports = _known_supports(belief, log)
    return replace(
        belief,
        status=status,
        confidence=_confidence(belief, log, rules),
        since=min((one.at for one in supports), default=belief.since),
        until=None if status is BeliefStatus.ACTIVE else belief.until,
        superseded_by=_doubted_by(log) if status is BeliefStatus.ACTIVE else belief.superseded_by,
        supports=supports,
        changes=log,
        updated_at=max(
            (one.recorded_at for one in log if one.kind in _RENEWING), default=belief.created_at
        ),
    )


def known_from(belief: Belief) -> datetime:
    """When this memory first had it: when it was made here, or brought here."""
    brought = [one.recorded_at for one in belief.changes if one.kind is ChangeKind.IMPORTED]
    if brought:
        return brought[-1]
    return min((one.recorded_at for one in belief.changes), default=belief.created_at)


def chain(key: str, beliefs: Iterable[Belief]) -> list[Belief]:
    """All that this belief replaced or gave way to, however indirectly, itself among them.

    Oldest first by when it was true, then by when we heard of it: a branch stands where it began.
    """
    known = {one.key: one for one in beliefs}
    if key not in known:
        return []
    beside: dict[str, set[str]] = {one: set() for one in known}
    for one in known.values():
        for other in (one.supersedes, one.superseded_by):
            if other in known:
                beside[one.key].add(other)
                beside[other].add(one.key)
    found, pending = {key}, [key]
    while pending:
        fresh = beside[pending.pop()] - found
        found |= fresh
        pending += fresh
    return sorted((known[one] for one in found), key=_age)


def _age(belief: Belief) -> tuple[datetime, datetime, str]:
    return (belief.since, known_from(belief), belief.key)


def _known_supports(belief: Belief, log: tuple[Change, ...]) -> tuple[Support, ...]:
    """Those that had come by then: with the making, by reinforcement, or by a merge."""
    own = {(one.by, one.reason): one for one in belief.changes if one.kind is ChangeKind.REINFORCED}
    known = {(one.by, one.reason) for one in log if one.kind is ChangeKind.REINFORCED}
    is_merged = any(one.kind is ChangeKind.MERGED for one in log)
    was_ever_merged = any(one.kind is ChangeKind.MERGED for one in belief.changes)
    found = []
    for place, support in enumerate(belief.supports):
        told = (_episode(belief, support), support.statement)
        if told in own:
            has_come = told in known
        elif place == 0:
            has_come = True
        else:
            has_come = is_merged or not was_ever_merged
        if has_come:
            found.append(support)
    return tuple(found)


def _episode(belief: Belief, support: Support) -> str:
    return support.source_key or event_key(belief.user_id, support.event_id)


def _confidence(belief: Belief, log: tuple[Change, ...], rules: BeliefRules) -> float:
    """What the log left it with: as written down, or by the rule where it was not."""
    value = rules.meta_confidence if belief.derived_from else rules.initial_confidence
    merged_at: datetime | None = None
    for one in log:
        if one.confidence is not None:
            value = one.confidence
        elif one.kind is ChangeKind.REINFORCED or (
            one.kind is ChangeKind.MERGED and one.recorded_at != merged_at
        ):
            value = min(1.0, value + rules.reinforce_by)
        elif one.kind is ChangeKind.WEAKENED:
            value = min(value, max(rules.confidence_least, value - rules.weaken_by))
        if one.kind is ChangeKind.MERGED:
            merged_at = one.recorded_at
    return round(value, 9)


def _doubted_by(log: tuple[Change, ...]) -> str | None:
    """The belief that last spoke against it; the end of a relationship is no belief."""
    for one in reversed(log):
        if one.kind is ChangeKind.WEAKENED and not one.reason.startswith(OUTDATED):
            return one.by
    return None
