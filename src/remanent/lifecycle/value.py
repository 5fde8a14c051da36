"""Appraise: which sources would be missed least, and which have to go where there are too many."""

from __future__ import annotations

from collections import deque
from datetime import datetime

from remanent.core.env import Env
from remanent.core.model.lifecycle_reports import Forgettable
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.lifecycle.rules import value as worth
from remanent.lifecycle.rules.value import SourceValue


def least_valuable(env: Env, scope: Scope, *, limit: int = 20) -> list[Forgettable]:
    """The sources worth least, least first: which would go if fewer were kept, and why."""
    now = env.clock.now()
    standing = worth.ordered(env.graph.tellings(scope, now), now, env.config.worth)
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
    count = env.graph.kept(scope)
    most = worth.allowed(
        count.all,
        keep_sources=env.config.lifecycle.keep_sources,
        keep_share=env.config.lifecycle.keep_share,
    )
    if count.kept <= most:
        return []
    over: list[SourceValue] = []
    for place, one in enumerate(worth.ordered(env.graph.tellings(scope, at), at, env.config.worth)):
        if place >= most and not one.is_kept:
            over.append(one)
    return over[::-1]
