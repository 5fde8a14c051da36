"""Keeping beliefs in order: what is said twice, what has faded, what belongs together (SPEC 5)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product

from remanent.beliefs.rules.belief import (
    BeliefRules,
    disputed,
    effective_confidence,
    episodes,
    invalidated,
    may_overrule,
    similarity,
    weakened,
    weighty,
)
from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.belief import (
    Authority,
    Belief,
    BeliefStatus,
    BeliefType,
    Change,
    ChangeKind,
)

_DEFAULTS = BeliefRules()
_STEPS = 60  # halvings of [-1, 1]: more than a float can tell apart


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepRules:
    """The figures of upkeep that are not those of a single belief."""

    contradict_from: float = 0.40
    contradict_of_one_from: float = 0.25  # of two beliefs about the same one
    compare_with: int = 24
    synthesize_from: int = 3
    synthesize_most: int = 12
    consolidate_from: int = 4
    consolidate_every: int = 5
    nightly_most: int = 500  # changed beliefs that one night compares with the rest
    nightly_settle: int = 1  # 0: a night settles no contradictions
    nightly_prune_most_importance: int = (
        3  # what was asserted and matters more stays until pruned by hand
    )
    nightly_synthesize_from_new: int = 3  # members that no principle was drawn from yet
    synthesize_least_importance: int = 3  # chores give no principle


@dataclass(frozen=True, slots=True)
class Alike:
    """Two beliefs by their keys, and how alike they are."""

    newer: str
    older: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Theme:
    """Beliefs that all resemble the first of them."""

    keys: tuple[str, ...]
    similarity: float


_UPKEEP = UpkeepRules()


def least_cosine(wanted: float, scale: Sequence[tuple[float, float]]) -> float:
    """The least cosine that makes two statements `wanted` alike; above 1 if none does."""
    low, high = -1.0, 1.0
    if similarity(high, scale) < wanted:
        return 2.0
    if similarity(low, scale) >= wanted:
        return low
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if similarity(middle, scale) >= wanted:
            high = middle
        else:
            low = middle
    return high


def age(belief: Belief) -> tuple[datetime, datetime, str]:
    """Beliefs sorted by this stand oldest first, whatever order they came in."""
    return (belief.since, belief.created_at, belief.key)


def clusters(
    same: Iterable[Alike], apart: Iterable[tuple[str, str]] = ()
) -> list[tuple[tuple[str, ...], float]]:
    """Groups of keys that say the same, each with the least similarity that ties it together.

    The most similar pairs join first. Two beliefs that are held `apart` never come into one group,
    whatever a third one says.
    """
    home: dict[str, int] = {}
    groups: dict[int, set[str]] = {}
    ties: dict[int, float] = {}
    rivals = {frozenset(pair) for pair in apart}
    for pair in sorted(same, key=lambda one: (-one.similarity, one.older, one.newer)):
        for key in (pair.older, pair.newer):
            if key not in home:
                home[key] = len(home)
                groups[home[key]] = {key}
        one, other = home[pair.older], home[pair.newer]
        pairs = product(groups[one], groups[other]) if rivals else ()
        if one == other or any(frozenset(each) in rivals for each in pairs):
            continue
        for key in groups[other]:
            home[key] = one
        groups[one] |= groups.pop(other)
        # Pairs come in order of similarity, so this one ties the group least.
        ties[one] = pair.similarity
        ties.pop(other, None)
    result = [(tuple(sorted(groups[number])), tie) for number, tie in ties.items()]
    return sorted(result)


def winner_first(
    beliefs: Iterable[Belief], now: datetime, rules: BeliefRules = _DEFAULTS
) -> list[Belief]:
    """Duplicates in order of their claim to stay.

    What somebody asserted comes before what we inferred, however sure we are of that, and the user's
    own memory before what somebody else contributed; then what is pinned; then the surer one; then what the user
    said; then the older one.
    """

    def claim(one: Belief) -> tuple[bool, bool, bool, float, bool, tuple[datetime, datetime, str]]:
        authority = one.authority
        sure = round(effective_confidence(one, now, rules), 9)
        return (
            authority is Authority.INFERENCE,
            authority is Authority.OTHER,
            not one.is_pinned,
            -sure,
            authority is not Authority.USER,
            age(one),
        )

    return sorted(beliefs, key=claim)


def merged(
    winner: Belief, losers: Sequence[Belief], now: datetime, rules: BeliefRules = _DEFAULTS
) -> tuple[Belief, list[Belief]]:
    """The winner with all that spoke for the losers, held more firmly; and the losers, ended.

    The winner has said so from the day the first of them did, so a loser was never held beside it:
    its time ends where it began, and its own episodes stay with it as its trail. What somebody else
    contributed dates nothing of the user's own: it was held until that began.
    """
    known = {(one.event_id, one.statement) for one in winner.supports}
    supports = list(winner.supports)
    for support in (one for loser in losers for one in loser.supports):
        if (support.event_id, support.statement) not in known:
            known.add((support.event_id, support.statement))
            supports.append(support)
    gone = {winner.key, *(one.key for one in losers)}
    drawn = (key for one in (winner, *losers) for key in one.derived_from if key not in gone)
    confidence = round(min(1.0, winner.confidence + rules.reinforce_by), 9)
    took = [
        Change(
            kind=ChangeKind.MERGED,
            recorded_at=now,
            reason=f"it says the same: {one.statement}",
            by=one.key,
            confidence=confidence,
        )
        for one in losers
    ]
    stays = replace(
        winner,
        confidence=confidence,
        since=min(one.since for one in (winner, *losers) if not _is_others(one, winner)),
        updated_at=now,
        supports=tuple(supports),
        derived_from=tuple(dict.fromkeys(drawn)),
        changes=(*winner.changes, *took),
    )
    return stays, [_merged_away(one, winner, now) for one in losers]


def _is_others(loser: Belief, winner: Belief) -> bool:
    """Whether somebody else contributed it, and not the one that stays."""
    return Authority.OTHER is loser.authority is not winner.authority


def _merged_away(loser: Belief, winner: Belief, now: datetime) -> Belief:
    change = Change(
        kind=ChangeKind.INVALIDATED,
        recorded_at=now,
        reason=f"merged into one that says the same: {winner.statement}",
        by=winner.key,
    )
    until = max(loser.since, winner.since) if _is_others(loser, winner) else loser.since
    return replace(
        loser,
        status=BeliefStatus.INVALIDATED,
        until=until,
        superseded_by=winner.key,
        updated_at=now,
        changes=(*loser.changes, change),
    )


def faded(
    beliefs: Iterable[Belief], now: datetime, below: float, rules: BeliefRules = _DEFAULTS
) -> list[tuple[Belief, float]]:
    """The active beliefs of which less than `below` is left, faintest first; what is to be kept
    forever does not fade."""
    left = (
        (one, effective_confidence(one, now, rules))
        for one in beliefs
        if one.status is BeliefStatus.ACTIVE and not one.is_pinned
    )
    return sorted(
        ((one, value) for one, value in left if value < below),
        key=lambda pair: (pair[1], pair[0].key),
    )


def goes_by_itself(belief: Belief, rules: UpkeepRules = _UPKEEP) -> bool:
    """Whether a faded belief may be let go of without anybody asking: what nobody asserted, and what
    is of little importance. An allergy told once and never again is still an allergy."""
    drawn = belief.authority is Authority.INFERENCE or belief.type is BeliefType.META
    return drawn or belief.importance <= rules.nightly_prune_most_importance


def may_join(belief: Belief, rules: UpkeepRules = _UPKEEP) -> bool:
    """Whether a belief may take part in a synthesis: held true, no mere chore, not itself inferred.

    A principle drawn from principles would count the same episodes twice.
    """
    return (
        belief.status is BeliefStatus.ACTIVE
        and belief.importance >= rules.synthesize_least_importance
        and belief.type is not BeliefType.META
        and belief.authority is not Authority.INFERENCE
    )


def themes(pairs: Iterable[Alike], rules: UpkeepRules = _UPKEEP) -> Iterator[Theme]:
    """Groups in which every belief resembles one and the same, the busiest first; none overlap.

    Joining whoever resembles anybody would chain a whole life into one group.
    """
    near: dict[str, dict[str, float]] = {}
    for pair in pairs:
        near.setdefault(pair.newer, {})[pair.older] = pair.similarity
        near.setdefault(pair.older, {})[pair.newer] = pair.similarity
    waiting = [(*_rank(others), key) for key, others in near.items()]
    heapq.heapify(waiting)
    while waiting:
        *rank, centre = heapq.heappop(waiting)
        others = near.get(centre)
        if others is None or 1 + len(others) < rules.synthesize_from:
            continue
        if tuple(rank) != _rank(others):  # some went to another group: back in line, further down
            heapq.heappush(waiting, (*_rank(others), centre))
            continue
        theme = _around(centre, others, rules)
        yield theme
        for key in theme.keys:
            for other in near.pop(key, {}):
                near.get(other, {}).pop(key, None)


def _rank(others: Mapping[str, float]) -> tuple[int, float]:
    return -len(others), -round(math.fsum(others.values()), 9)


def _around(centre: str, others: Mapping[str, float], rules: UpkeepRules) -> Theme:
    closest = sorted(others, key=lambda key: (-others[key], key))[: rules.synthesize_most - 1]
    return Theme(keys=(centre, *sorted(closest)), similarity=min(others[key] for key in closest))


def is_drawn(members: Collection[str], inferences: Iterable[Belief]) -> bool:
    """Whether a principle has been drawn from all of these; one that was forgotten counts too."""
    wanted = set(members)
    return any(wanted <= set(one.derived_from) for one in inferences)


def is_new_enough(
    members: Collection[str], inferences: Iterable[Belief], rules: UpkeepRules = _UPKEEP
) -> bool:
    """Whether a theme has so many members that no principle was drawn from that another is due."""
    spent = {key for one in inferences for key in one.derived_from}
    return len(set(members) - spent) >= rules.nightly_synthesize_from_new


def importance_of(beliefs: Collection[Belief]) -> int:
    """How much a principle matters: as much as what it was drawn from, on average."""
    total = sum(one.importance for one in beliefs)
    return min(10, max(1, round(total / len(beliefs)))) if beliefs else 1


def is_settled(one: Belief, other: Belief) -> bool:
    """Whether it was decided before how these two stand to each other."""
    if one.key in (other.supersedes, other.superseded_by, other.disputes):
        return True
    if other.key in (one.supersedes, one.superseded_by, one.disputes):
        return True
    spoken = (ChangeKind.WEAKENED, ChangeKind.DISPUTED, ChangeKind.INVALIDATED)
    return any(
        change.by == rival.key and change.kind in spoken
        for belief, rival in ((one, other), (other, one))
        for change in belief.changes
    )


def may_clash(one: Belief, other: Belief, alike: float, rules: UpkeepRules = _UPKEEP) -> bool:
    """Whether it is worth asking if these two contradict each other: "I come home to Athens" is less
    like "I moved to Porto" than it is like much that is said of anybody, but it is about the same one."""
    if one.subject == other.subject and alike >= rules.contradict_of_one_from:
        return True
    return alike >= rules.contradict_from


def by_last_word(newer: Belief, older: Belief) -> tuple[Belief, Belief]:
    """The one to be held true of two that contradict each other, and the other: the newer one, unless
    the older one was said again after all that was said for the newer."""
    return (newer, older) if _resumed(older, newer) is None else (older, newer)


def takes_over(holds: Belief, gives_way: Belief) -> datetime:
    """From when on the first holds in the place of the second."""
    again = _resumed(holds, gives_way) if holds.since < gives_way.since else None
    return again or holds.since


def _resumed(older: Belief, newer: Belief) -> datetime | None:
    """From when on the older one held again, by what was said after the last word for the newer."""
    last = max((one.at for one in weighty(newer)), default=newer.since)
    return min((one.began for one in weighty(older) if last < one.began), default=None)


def settled(
    newer: Belief, older: Belief, now: datetime, rules: BeliefRules = _DEFAULTS
) -> tuple[Belief, Belief, ChangeKind]:
    """Both after their contradiction was settled, by the rule by which statements are settled when
    they come; and which change that was. `newer` is the one to be held true."""
    if not may_overrule(newer.authority, older.authority):
        flagged = newer if newer.disputes else replace(newer, disputes=older.key)
        return flagged, disputed(older, newer, now), ChangeKind.DISPUTED
    if newer.supersedes is None:
        newer = replace(newer, supersedes=older.key)
    if episodes(older) >= rules.weaken_from_episodes:
        return newer, weakened(older, newer, now, rules), ChangeKind.WEAKENED
    gone = invalidated(older, newer, until=takes_over(newer, older), now=now)
    return newer, gone, ChangeKind.INVALIDATED


def reassigned(belief: Belief, subject: str, now: datetime) -> Belief:
    """The belief filed under whom it is about; no surer for it, and no fresher."""
    reason = f"it is about {subject}, not {belief.subject or 'nobody'}"
    change = Change(kind=ChangeKind.REASSIGNED, recorded_at=now, reason=reason)
    return replace(belief, subject=subject, changes=(*belief.changes, change))


def restated(belief: Belief, statement: str, now: datetime) -> Belief:
    """The belief in the user's own new words: the same belief, as sure as it was, and fresh."""
    reason = f"put in other words; it said: {belief.statement}"
    change = Change(
        kind=ChangeKind.RESTATED, recorded_at=now, reason=reason, before=belief.statement
    )
    return replace(belief, statement=statement, updated_at=now, changes=(*belief.changes, change))


def consolidation_due(turns: int, rules: UpkeepRules = _UPKEEP) -> bool:
    """Whether a running conversation of so many turns should be consolidated now."""
    every = max(1, rules.consolidate_every)
    return turns >= max(every, rules.consolidate_from) and turns % every == 0
