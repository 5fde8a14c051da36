"""Truth maintenance: what becomes of inferences when something they were drawn from has fallen.

The decision follows from the set of beliefs alone, so it comes out the same in every order, and
the same again when it has been carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from remanent.beliefs.rules.belief import BeliefRules
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.belief import Authority, Belief, BeliefStatus, Change, ChangeKind

_DEFAULTS = BeliefRules()
_LEAST_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class Fall:
    """Nothing it was drawn from still stands. `by` is one of those that fell."""

    key: str
    by: str
    until: datetime | None  # when the last of them ended; None where that was left open


@dataclass(frozen=True, slots=True)
class Rescore:
    """Some of what it was drawn from still stands."""

    key: str
    by: str
    standing: int
    drawn_from: int
    confidence: float


Consequence = Fall | Rescore


def is_inference(belief: Belief) -> bool:
    """Whether only we say so; an inference that somebody asserted since stands by itself."""
    return belief.authority is Authority.INFERENCE


def consequences(
    beliefs: Mapping[str, Belief], rules: BeliefRules = _DEFAULTS
) -> list[Consequence]:
    """What must become of the active inferences among these, in order of key.

    `beliefs` holds everything that those inferences rest on, down to what was asserted; whatever
    is missing from it does not stand.
    """
    standing = well_founded(beliefs)
    result: list[Consequence] = []
    for _, belief in sorted(beliefs.items()):
        if belief.status is not BeliefStatus.ACTIVE or not is_inference(belief):
            continue
        one = _consequence(belief, beliefs, standing, rules)
        if one is not None:
            result.append(one)
    return result


def well_founded(beliefs: Mapping[str, Belief]) -> frozenset[str]:
    """The keys of those that stand: active, and asserted or resting on something that stands.

    Grown from what was asserted, so a ring of inferences that hold up only each other is not in it.
    """
    active = {key: one for key, one in beliefs.items() if one.status is BeliefStatus.ACTIVE}
    standing = {key for key, one in active.items() if not is_inference(one)}
    waiting = sorted(active.keys() - standing)
    while True:
        risen = [
            key
            for key in waiting
            if any(stand_in(one, beliefs) in standing for one in _drawn_from(active[key]))
        ]
        if not risen:
            return frozenset(standing)
        standing.update(risen)
        waiting = [key for key in waiting if key not in standing]


def stand_in(key: str, beliefs: Mapping[str, Belief]) -> str:
    """The belief that speaks for this one: itself, or the one that it was merged into."""
    seen = {key}
    while (belief := beliefs.get(key)) is not None and belief.superseded_by is not None:
        winner = beliefs.get(belief.superseded_by)
        if winner is None or winner.key in seen or not was_merged(belief, winner):
            return key
        key = winner.key
        seen.add(key)
    return key


def was_merged(loser: Belief, winner: Belief) -> bool:
    """Whether the one ended because it said the same as the other, not because it was wrong."""
    if loser.status is BeliefStatus.ACTIVE or loser.superseded_by != winner.key:
        return False
    return any(
        change.kind is ChangeKind.MERGED and change.by == other.key
        for one, other in ((winner, loser), (loser, winner))
        for change in one.changes
    )


def carried_out(belief: Belief, decided: Consequence, now: datetime, because: str = "") -> Belief:
    """The inference after its fall, or less sure; doubt does not renew `updated_at`."""
    words = f": {because}" if because else ""
    if isinstance(decided, Fall):
        reason = f"nothing it was drawn from still stands{words}"
        change = Change(kind=ChangeKind.INVALIDATED, recorded_at=now, reason=reason, by=decided.by)
        return replace(
            belief,
            status=BeliefStatus.INVALIDATED,
            until=max(belief.since, decided.until or now),
            updated_at=now,
            changes=(*belief.changes, change),
        )
    reason = (
        f"{decided.standing} of the {decided.drawn_from} beliefs it was drawn from still stand"
        f"{words}"
    )
    change = Change(
        kind=ChangeKind.RESCORED,
        recorded_at=now,
        reason=reason,
        by=decided.by,
        confidence=decided.confidence,
    )
    return replace(belief, confidence=decided.confidence, changes=(*belief.changes, change))


def _consequence(
    belief: Belief, beliefs: Mapping[str, Belief], standing: frozenset[str], rules: BeliefRules
) -> Consequence | None:
    drawn = _drawn_from(belief)
    fallen = [one for one in drawn if stand_in(one, beliefs) not in standing]
    if belief.key not in standing:
        by = fallen[0] if fallen else belief.key
        return Fall(belief.key, by, _end(belief, beliefs))
    if not fallen:
        return None
    left = len(drawn) - len(fallen)
    confidence = round(rules.meta_confidence * left / len(drawn), 9)
    if belief.confidence <= confidence + _LEAST_STEP:
        return None
    return Rescore(belief.key, fallen[0], left, len(drawn), confidence)


def _end(belief: Belief, beliefs: Mapping[str, Belief]) -> datetime | None:
    """When the last of what it rested on, however indirectly, ended; None if one left that open."""
    pending, seen, ends = list(_drawn_from(belief)), {belief.key}, list[datetime]()
    while pending:
        key = stand_in(pending.pop(), beliefs)
        if key in seen:
            continue
        seen.add(key)
        one = beliefs.get(key)
        if one is None or one.status is not BeliefStatus.ACTIVE:
            if one is None or one.until is None:
                return None
            ends.append(one.until)
        else:
            pending += _drawn_from(one)
    return max(ends, default=None)


def _drawn_from(belief: Belief) -> tuple[str, ...]:
    """What it was drawn from, each once; nothing speaks for itself."""
    return tuple(key for key in dict.fromkeys(belief.derived_from) if key != belief.key)
