"""Decay: how memories fade, how being called on keeps them, and when they are put away (SPEC 7, 12.2)."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Kind

# SPEC 8 divides what is remembered so; a relationship is as semantic as its ends.
EPISODIC = frozenset(
    {Kind.SOURCE, Kind.ARTIFACT, Kind.EVENT, Kind.SUMMARY, Kind.STORYLINE, Kind.MACRO}
)
STARTS_AT = 0.5  # the salience of what is new, and of what was called back by hand

_DAY = timedelta(days=1)
LARGEST_EXPONENT = 700.0  # exp of more than this is no float


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRules:
    """The figures of SPEC 7."""

    boost: float = 0.05  # spec 7 allows 0.05 to 0.1; the smaller keeps ten accesses from saturating
    core_at: int = 10
    base_rate: float = 0.02  # per day
    archive_below: float = 0.01
    spacing_up: float = 0.1
    spacing_down: float = 0.05
    ephemeral_days_episodic: float = 30.0
    ephemeral_days_semantic: float = 90.0
    certain_from: float = 0.8
    doubt_factor: float = 2.0
    use_again_hours: float = 1.0  # being handed out counts as access once in so long
    used_from: float = 0.9  # of the best hit's score: what answers worse only fills the page
    keep_sources: int = 0  # at most so many sources of one's own stay unarchived; 0: no limit
    keep_share: float = 1.0  # and at most this share of them


_DEFAULTS = LifecycleRules()


def rules_for(kind: Kind, rules: LifecycleRules = _DEFAULTS) -> LifecycleRules:
    """The figures for one kind of memory. A belief ends by its own rules (SPEC 5), not by fading."""
    return replace(rules, archive_below=0.0) if kind is Kind.BELIEF else rules


def accessed(life: Lifecycle, now: datetime, rules: LifecycleRules = _DEFAULTS) -> Lifecycle:
    """The life after being called on at `now`: more present, and slower to fade if well spaced.

    The first access has no interval before it and leaves the spacing alone. Time not yet faded is
    forgiven, as SPEC 7 counts days from the access on; call `faded` first where that matters.
    """
    count = life.access_count + 1
    last = life.last_accessed_at
    interval = life.last_recall_interval if last is None else _days(last, now)
    return replace(
        life,
        salience=min(1.0, life.salience + rules.boost),
        state=_state_after_access(life.state, count, rules),
        access_count=count,
        recall_frequency=life.recall_frequency + 1,
        last_recall_interval=interval,
        decay_gradient=spaced(life.decay_gradient, life.last_recall_interval, interval, rules),
        last_accessed_at=now if last is None else max(last, now),
    )


def used(life: Lifecycle, now: datetime, rules: LifecycleRules = _DEFAULTS) -> Lifecycle:
    """The life after being handed out at `now`: an access, but the very same life where the last one
    was less than an hour ago. What is archived is called back whenever it is."""
    last = life.last_accessed_at
    again = timedelta(hours=rules.use_again_hours)
    if life.state is not State.ARCHIVED and last is not None and now - last < again:
        return life
    return accessed(life, now, rules)


def spaced(
    gradient: float, before: float, interval: float, rules: LifecycleRules = _DEFAULTS
) -> float:
    """The decay gradient after a recall `interval` days after the last, which came `before` days.

    It never falls below zero: from there on more recalls would make a memory fade faster.
    """
    if interval > before:
        return round(gradient + rules.spacing_up, 9)
    if interval < before:
        return max(0.0, round(gradient - rules.spacing_down, 9))
    return gradient


def decay_rate(
    life: Lifecycle, confidence: float | None, rules: LifecycleRules = _DEFAULTS
) -> float:
    """How fast the salience fades, per day: zero for what is kept and for certain candidates.

    What has no confidence, as a source, is neither sure nor doubtful, and fades at the plain rate.
    """
    if life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        return 0.0
    rate = _plain_rate(life, rules)
    if life.state is not State.CANDIDATE or confidence is None:
        return rate
    if confidence >= rules.certain_from:
        return 0.0
    return rate * (1.0 + rules.doubt_factor * (1.0 - confidence))


def faded(
    life: Lifecycle,
    *,
    confidence: float | None,
    created_at: datetime,
    now: datetime,
    episodic: bool,
    rules: LifecycleRules = _DEFAULTS,
) -> Lifecycle:
    """The life at `now`, whether it was faded every night until then or never (SPEC 12.2).

    A candidate's own rate holds up to the moment it is archived and the plain one from there on,
    so that a step across that moment ends where two steps around it do.
    """
    start = fades_from(life, created_at)
    if now < start:
        return life
    if life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        return replace(life, salience=1.0, decayed_at=now)
    days = _days(start, now)
    deadline = _days_to_deadline(life, start, created_at, episodic=episodic, rules=rules)
    rate = decay_rate(life, confidence, rules)
    lived = min(days, deadline, _days_to_threshold(life, rate, rules))
    rest = _plain_rate(life, rules) * (days - lived)
    salience = life.salience * math.exp(-rate * lived - rest)
    archived = days >= deadline or salience < rules.archive_below
    return replace(
        life, salience=salience, state=State.ARCHIVED if archived else life.state, decayed_at=now
    )


def fades_from(life: Lifecycle, created_at: datetime) -> datetime:
    """The moment up to which fading is already accounted for."""
    known = (created_at, life.last_accessed_at, life.decayed_at)
    return max(moment for moment in known if moment is not None)


def archives_after(
    life: Lifecycle,
    *,
    confidence: float | None,
    created_at: datetime,
    episodic: bool,
    rules: LifecycleRules = _DEFAULTS,
) -> float | None:
    """In how many days from `fades_from` it is archived if nobody asks for it; None: never."""
    if life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        return None
    start = fades_from(life, created_at)
    deadline = _days_to_deadline(life, start, created_at, episodic=episodic, rules=rules)
    threshold = _days_to_threshold(life, decay_rate(life, confidence, rules), rules)
    if rules.archive_below <= 0.0:
        threshold = math.inf
    days = min(deadline, threshold)
    return days if math.isfinite(days) else None


def half_life(rate: float) -> float | None:
    """The days in which half of the salience is lost at that rate; None: it does not fade."""
    return math.log(2.0) / rate if rate > 0.0 else None


# --- by hand -----------------------------------------------------------------------------------


def pinned(life: Lifecycle, now: datetime, rules: LifecycleRules = _DEFAULTS) -> Lifecycle:
    """Kept for ever from now on; what was archived is in mind again."""
    state = _state_after_access(life.state, life.access_count, rules)
    return replace(
        life,
        ttl_policy=TtlPolicy.KEEP_FOREVER,
        salience=1.0,
        state=state if life.state is State.ARCHIVED else life.state,
        decayed_at=_latest(life.decayed_at, now),
    )


def unpinned(life: Lifecycle, now: datetime) -> Lifecycle:
    """Fading like all else, from now on."""
    return replace(life, ttl_policy=TtlPolicy.DECAY, decayed_at=_latest(life.decayed_at, now))


def restored(life: Lifecycle, now: datetime, rules: LifecycleRules = _DEFAULTS) -> Lifecycle:
    """Called back from the archive: an access, and enough salience to stay for a while."""
    back = accessed(life, now, rules)
    ephemeral = back.ttl_policy is TtlPolicy.EPHEMERAL
    return replace(
        back,
        salience=max(back.salience, STARTS_AT),
        ttl_policy=TtlPolicy.DECAY if ephemeral else back.ttl_policy,
        decayed_at=_latest(life.decayed_at, now),
    )


def _latest(before: datetime | None, now: datetime) -> datetime:
    return now if before is None else max(before, now)


def _state_after_access(state: State, count: int, rules: LifecycleRules) -> State:
    if state is State.CORE:
        return State.CORE
    if state is State.ARCHIVED or count < rules.core_at:
        return State.ACTIVE
    return State.CORE


def _plain_rate(life: Lifecycle, rules: LifecycleRules) -> float:
    if life.recall_frequency <= 0:  # also keeps 0 ** 0 from counting as one recall
        return rules.base_rate
    exponent = max(0.0, life.decay_gradient) * math.log(life.recall_frequency)
    return rules.base_rate / (1.0 + math.exp(min(exponent, LARGEST_EXPONENT)))


def _days_to_deadline(
    life: Lifecycle, start: datetime, created_at: datetime, *, episodic: bool, rules: LifecycleRules
) -> float:
    if life.state is State.ARCHIVED:
        return 0.0
    if life.ttl_policy is not TtlPolicy.EPHEMERAL:
        return math.inf
    span = rules.ephemeral_days_episodic if episodic else rules.ephemeral_days_semantic
    return _days(start, created_at + span * _DAY)


def _days_to_threshold(life: Lifecycle, rate: float, rules: LifecycleRules) -> float:
    if life.salience <= rules.archive_below:
        return 0.0
    if rate <= 0.0 or rules.archive_below <= 0.0:
        return math.inf
    return math.log(life.salience / rules.archive_below) / rate


def _days(since: datetime, until: datetime) -> float:
    return max(0.0, (until - since) / _DAY)
