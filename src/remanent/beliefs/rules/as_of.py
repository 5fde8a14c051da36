"""The past of beliefs: what was true then, what we believed then, and what replaced what.

Valid time is in `since` and `until`. Recorded time is in the log of changes: replayed up to a
moment, it gives the belief as it stood in our books, with nothing in it that we learned later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from remanent.beliefs.rules.belief import OUTDATED, BeliefRules
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.event import event_key
from remanent.core.model.node import Kind, Node

_DEFAULTS = BeliefRules()
_ENDS = {
    ChangeKind.INVALIDATED: BeliefStatus.INVALIDATED,
    ChangeKind.FORGOTTEN: BeliefStatus.FORGOTTEN,
    ChangeKind.PRUNED: BeliefStatus.PRUNED,
}
# What is written on a node as more is heard of it, without a word on when.
_GROWING = {
    **dict.fromkeys(
        (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY),
        frozenset(
            {"description", "aliases", "source_count", "first_mentioned_at", "last_mentioned_at"}
            | {"distinct_days", "has_meso", "has_macro", "is_dirty"}
        ),
    ),
    Kind.SOURCE: frozenset({"processing_status"}),
    Kind.STORYLINE: frozenset(
        {"description", "started_at", "last_source_at", "source_count", "is_dirty", "closed_at"}
        | {"team_id", "team_description", "team_source_count", "team_started_at"}
        | {"team_last_source_at"}
    ),
    Kind.MACRO: frozenset(
        {"description", "started_at", "last_event_at", "storyline_count", "total_source_count"}
        | {"is_dirty", "team_id", "team_description", "team_source_count", "team_started_at"}
        | {"team_storyline_count", "team_last_event_at"}
    ),
}
_WORKED = frozenset(
    f"{work}_{end}_at" for work in ("processing", "extraction") for end in ("started", "completed")
)
_RENEWING = frozenset(
    {ChangeKind.CREATED, ChangeKind.REINFORCED, ChangeKind.MERGED, ChangeKind.RESTATED}
    | {ChangeKind.PINNED, *_ENDS}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The time asked about: what was so `as_of` then, by what was recorded by `known_at`; or now."""

    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def is_now(self) -> bool:
        return self.as_of is None and self.known_at is None


NOW = When()


def belief_as_of(belief: Belief, when: When, rules: BeliefRules = _DEFAULTS) -> Belief | None:
    """The belief as it was held at the time asked about; None if it was not."""
    known: Belief | None = belief
    if when.known_at is not None:
        known = as_known(belief, when.known_at, rules)
    if known is None:
        return None
    is_active = known.status is BeliefStatus.ACTIVE
    return known if (is_active if when.as_of is None else was_true(known, when.as_of)) else None


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
        statement=_statement_at(belief, known_at),
        status=status,
        confidence=_confidence(belief, log, rules),
        since=min((one.began for one in supports), default=belief.since),
        until=None if status is BeliefStatus.ACTIVE else belief.until,
        superseded_by=_doubted_by(log) if status is BeliefStatus.ACTIVE else belief.superseded_by,
        supports=supports,
        changes=log,
        updated_at=max(
            (one.recorded_at for one in log if one.kind in _RENEWING), default=belief.created_at
        ),
    )


def _statement_at(belief: Belief, known_at: datetime) -> str:
    """What it said then: the words that the next restatement after it took the place of."""
    later = (one.before for one in belief.changes if one.recorded_at > known_at)
    return next((one for one in later if one is not None), belief.statement)


def is_in_graph(belief: Belief, as_of: datetime | None) -> bool:
    """Whether it is part of the graph: now if it is active, at `as_of` if it was true and was neither
    forgotten nor pruned since."""
    if as_of is None:
        return belief.status is BeliefStatus.ACTIVE
    gone = belief.status in (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED)
    return not gone and belief.held_at(as_of)


def was_known(node: Node, known_at: datetime) -> bool:
    """Whether this memory had it by then."""
    return (known_from(node) if isinstance(node, Belief) else node.created_at) <= known_at


def known_properties(
    kind: Kind, properties: Mapping[str, Any], known_at: datetime
) -> dict[str, Any]:
    """Of a node that was written on after `known_at`, as JSON: what it surely had by then."""
    growing = _GROWING.get(kind, frozenset())
    return {
        name: value
        for name, value in properties.items()
        if name not in growing
        and not (name in _WORKED and value and datetime.fromisoformat(value) > known_at)
    }


def episodes(belief: Belief) -> frozenset[str]:
    """Keys of the sources and events that speak for it."""
    return frozenset(_episode(belief, one) for one in belief.supports)


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
    for belief in known.values():
        for other in (belief.supersedes, belief.superseded_by):
            if other in known:
                beside[belief.key].add(other)
                beside[other].add(belief.key)
    keys, pending = {key}, [key]
    while pending:
        fresh = beside[pending.pop()] - keys
        keys |= fresh
        pending += fresh
    return sorted(
        (known[one] for one in keys), key=lambda one: (one.since, known_from(one), one.key)
    )


def _known_supports(belief: Belief, log: tuple[Change, ...]) -> tuple[Support, ...]:
    """Those that had come by then: with the making, by reinforcement, or by a merge."""
    own = {(one.by, one.reason): one for one in belief.changes if one.kind is ChangeKind.REINFORCED}
    known = {(one.by, one.reason) for one in log if one.kind is ChangeKind.REINFORCED}
    is_merged = any(one.kind is ChangeKind.MERGED for one in log)
    was_ever_merged = any(one.kind is ChangeKind.MERGED for one in belief.changes)
    supports = []
    for place, support in enumerate(belief.supports):
        episode = (_episode(belief, support), support.statement)
        if episode in own:
            has_come = episode in known
        elif place == 0:
            has_come = True
        else:
            has_come = is_merged or not was_ever_merged
        if has_come:
            supports.append(support)
    return tuple(supports)


def _episode(belief: Belief, support: Support) -> str:
    return support.source_key or event_key(belief.user_id, support.event_id)


def _confidence(belief: Belief, log: tuple[Change, ...], rules: BeliefRules) -> float:
    """What the log left it with: as written down, or by the rule where it was not."""
    value = rules.meta_confidence if belief.derived_from else rules.initial_confidence
    merged_at: datetime | None = None
    for change in log:
        if change.confidence is not None:
            value = change.confidence
        elif change.kind is ChangeKind.REINFORCED or (
            change.kind is ChangeKind.MERGED and change.recorded_at != merged_at
        ):
            value = min(1.0, value + rules.reinforce_by)
        elif change.kind is ChangeKind.WEAKENED:
            value = min(value, max(rules.confidence_least, value - rules.weaken_by))
        if change.kind is ChangeKind.MERGED:
            merged_at = change.recorded_at
    return round(value, 9)


def _doubted_by(log: tuple[Change, ...]) -> str | None:
    """The belief that last spoke against it; the end of a relationship is no belief."""
    for change in reversed(log):
        if change.kind is ChangeKind.WEAKENED and not change.reason.startswith(OUTDATED):
            return change.by
    return None
