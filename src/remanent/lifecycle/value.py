"""Value and forecast: which sources would be missed least, which have to go where there are too many; and how
a memory fades if nobody asks for it, and if somebody does today."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta

from remanent.core import lifecycle, read
from remanent.core.checks import limited, whole
from remanent.core.env import Env
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.lifecycle_reports import Access, Curve, Forgettable, Point
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.read import Lived, confidence_of, is_episodic, kind_of, look_up_own
from remanent.lifecycle import rules as worth
from remanent.lifecycle.rules import SourceValue


def least_valuable(env: Env, scope: Scope, limit: int = 20) -> list[Forgettable]:
    """The sources that would be missed least, least first, each with the reason: which would go
    if `lifecycle.keep_sources` or `lifecycle.keep_share` allowed fewer."""
    now, limit = env.clock.now(), limited(limit)
    standing = worth.ordered(env.graph.source_facts(scope, now), now, env.config.worth)
    least = deque((one for one in standing if not one.is_kept), maxlen=limit)
    nodes = env.graph.get_many(scope, [one.key for one in least])
    return [
        Forgettable(
            key=one.key,
            name=title_of(nodes[one.key]) if one.key in nodes else one.key[:8],
            started_at=one.started_at,
            worth=one.worth,
            why=worth.why(one),
        )
        for one in reversed(least)
    ]


def surplus(env: Env, scope: Scope, at: datetime) -> list[SourceValue]:
    """The sources over the limit of `lifecycle.keep_sources` and `keep_share`, least worth first."""
    if not env.config.lifecycle.keep_sources and env.config.lifecycle.keep_share >= 1.0:
        return []
    count = env.graph.source_counts(scope)
    most = worth.allowed(
        count.all,
        keep_sources=env.config.lifecycle.keep_sources,
        keep_share=env.config.lifecycle.keep_share,
    )
    if count.kept <= most:
        return []
    over: list[SourceValue] = []
    for place, source in enumerate(
        worth.ordered(env.graph.source_facts(scope, at), at, env.config.worth)
    ):
        if place >= most and not source.is_kept:
            over.append(source)
    return over[::-1]


MOST_DAYS = 36_500
MOST_POINTS = 366
_DAY = timedelta(days=1)


def forecast(env: Env, scope: Scope, key: str, days: int = 365) -> Curve:
    """How present a memory will be over the next `days` if nobody asks for it, when it will be
    archived, and what an access today would change. Looking ahead is no access."""
    days = whole("days", days, 1, MOST_DAYS)
    thing, now = look_up_own(env, scope, key), env.clock.now()
    today = read.faded(env, thing, thing.life, now)
    accesses = tuple(env.graph.accesses(scope, thing.key))
    touched = lifecycle.accessed(thing.life, now, env.config.lifecycle)
    return Curve(
        key=thing.key,
        kind=kind_of(thing),
        name=read.name(env, scope, thing),
        life=today,
        now=now,
        accesses=accesses,
        behind=_behind(env, thing, today, now, accesses),
        points=_points(env, thing, today, now, days),
        half_life=_half_life(env, thing, today),
        archived_at=_archived_at(env, thing, today),
        if_accessed=_points(env, thing, touched, now, days),
        half_life_if_accessed=_half_life(env, thing, touched),
        archived_if_accessed=_archived_at(env, thing, touched),
    )


def _points(env: Env, thing: Lived, life: Lifecycle, now: datetime, days: int) -> tuple[Point, ...]:
    count = min(days, MOST_POINTS - 1)
    moments = [now + _DAY * days * place / count for place in range(count + 1)]
    return tuple(Point(at, read.faded(env, thing, life, at).salience) for at in moments)


def _behind(
    env: Env, thing: Lived, today: Lifecycle, now: datetime, accesses: Sequence[Access]
) -> tuple[Point, ...]:
    """Up to the last access as it was written down, and since then reckoned back: it has only faded."""
    start = thing.life.last_accessed_at or thing.created_at
    rate = lifecycle.decay_rate(today, confidence_of(thing), read.rules_of(env, thing))
    moments = [start + (now - start) * place / 30 for place in range(30)]
    grown = (today.salience * math.exp(min(50.0, rate * ((now - at) / _DAY))) for at in moments)
    known = (Point(one.at, salience) for one in accesses for salience in (one.before, one.after))
    since = (Point(at, min(1.0, one)) for at, one in zip(moments, grown, strict=True))
    return (*known, *since)


def _half_life(env: Env, thing: Lived, life: Lifecycle) -> float | None:
    rate = lifecycle.decay_rate(life, confidence_of(thing), read.rules_of(env, thing))
    return lifecycle.half_life(rate)


def _archived_at(env: Env, thing: Lived, life: Lifecycle) -> datetime | None:
    if life.state is State.ARCHIVED:
        return None
    days = lifecycle.archives_after(
        life,
        confidence=confidence_of(thing),
        created_at=thing.created_at,
        episodic=is_episodic(thing),
        rules=read.rules_of(env, thing),
    )
    start = lifecycle.fades_from(life, thing.created_at)
    if days is None or days > (datetime.max.replace(tzinfo=start.tzinfo) - start) / _DAY:
        return None
    return start + days * _DAY
