"""Sources that a team shares: whose graph is drawn from them, and when that is promised."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.job import Job, JobKind, new_job
from remanent.core.model.node import Node
from remanent.core.model.scope import Scope
from remanent.core.model.search import Hit
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.read import every
from remanent.errors import Forbidden

BEHIND: Final = timedelta(hours=1)
"""How far what takes long stays behind what came meanwhile and is not to be found yet."""


def in_turn(job: Job, source: Source) -> Job:
    """The job, due as it is, with the turn of what understands a source: by the day that this is of, and
    behind whatever came within an hour and is not to be found yet. Of an import all is found before any
    is understood, and today's talk does not wait for last year's."""
    return replace(job, created_at=min(job.created_at, source.started_at) - BEHIND)


def extract_job(user_id: str, source: Source, now: datetime) -> Job:
    """The promise to extract one source for one user."""
    job = new_job(JobKind.EXTRACT, user_id, now, user_id, source.key, source_key=source.key)
    return in_turn(job, source)


def is_for(scope: Scope, source: Node | None) -> bool:
    """Whether this user's graph may be drawn from the source: it is their own, or a team's of theirs."""
    if not isinstance(source, Source):
        return False
    return source.user_id == scope.user_id or source.team_id in scope.teams


def extract_shared(env: Env, scope: Scope, sources: Iterable[Source]) -> int:
    """Promise the extraction of those of others' sources that this user has none of yet.

    Only what a team of the user's holds is drawn into their graph: to be named as a participant lets
    somebody read, and nobody write.
    """
    promised = 0
    for source in sources:
        others = source.user_id != scope.user_id and is_for(scope, source)
        ready = others and source.processing_status is not ProcessingStatus.RAW
        if ready and env.graph.extraction(scope, source.key) is None:
            job = extract_job(scope.user_id, source, env.clock.now())
            promised += env.queue.enqueue(job)
    return promised


def enqueue_shared(env: Env, scope: Scope, hits: Iterable[Hit]) -> int:
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
    shared = [one for one in every(env.graph, scope, Source) if one.team_id == team_id]
    return extract_shared(env, scope, shared)
