"""Adopt: a member of a team makes a shared source part of their own graph, when they first need it.

Extraction is per user and source, and never assumed: one graph per member (SPEC 4).
"""

from __future__ import annotations

from collections.abc import Iterable

from remanent.core.env import Env
from remanent.core.model.hit import Hit
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.read import every
from remanent.errors import Forbidden
from remanent.ingest.process import extract_job


def extract_shared(env: Env, scope: Scope, sources: Iterable[Source]) -> int:
    """Promise the extraction of those of others' sources that this user has none of yet."""
    promised = 0
    for source in sources:
        others = source.user_id != scope.user_id and _is_ready(source)
        if others and env.graph.extraction(scope, source.key) is None:
            job = extract_job(scope.user_id, source.key, env.clock.now())
            promised += env.queue.enqueue(job)
    return promised


def found(env: Env, scope: Scope, hits: Iterable[Hit]) -> int:
    """Promise the extraction of the team's sources that these hits lead to."""
    if not scope.teams:  # most people, most of the time
        return 0
    keys = sorted({hit.source_key for hit in hits if hit.source_key is not None})
    nodes = env.graph.get_many(scope, keys)
    return extract_shared(env, scope, [one for one in nodes.values() if isinstance(one, Source)])


def adopt_team(env: Env, scope: Scope, team_id: str) -> int:
    """Promise the extraction of all the team's sources at once."""
    if team_id not in scope.teams:
        raise Forbidden(f"team: {scope.user_id!r} is not a member of {team_id!r}")
    nodes = every(env.graph, scope, Kind.SOURCE)
    shared = [one for one in nodes if isinstance(one, Source) and one.team_id == team_id]
    return extract_shared(env, scope, shared)


def _is_ready(source: Source) -> bool:
    return source.processing_status is not ProcessingStatus.RAW
