"""What does a job of the queue, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from remanent.backup.reembed import reembed_entries
from remanent.beliefs import remember
from remanent.core.dataclasses import replace
from remanent.core.env import Env, Handler
from remanent.core.model.job import JobKind
from remanent.core.model.scope import Scope
from remanent.erasure import hide
from remanent.events import reconsolidate
from remanent.events.enrich import backfill_references, enrich_events
from remanent.events.project import project_events
from remanent.events.reconsolidate import trigger_reconsolidation
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.ingest.shared import is_for
from remanent.sleep import night

Payload = Mapping[str, str]


def _part(job: Payload) -> tuple[int, int]:
    """Of a long source: from where, and how much; where the job says nothing, its beginning."""
    return int(job.get("from", 0)), int(job.get("size", 0))


def _extract(env: Env, scope: Scope, job: Payload) -> None:
    """Whoever a source makes known is then looked for in events. A source that was lost, hidden or erased
    meanwhile is nobody's to read; nor is one that was promised before only a team's were."""
    if is_for(scope, env.graph.get(scope, job["source_key"])):
        extract_source(env, scope, job["source_key"], part=_part(job))
        backfill_references(env, scope, job["source_key"])
    hide.settle_hidden(env, scope, job["source_key"])


def _reembed(env: Env, _scope: Scope, job: Payload) -> None:
    hand = env.adapters.metered(env, env.adapters.embedder(env, job["embedder"]))
    reembed_entries(replace(env, embedder=hand))


def _enrich(env: Env, scope: Scope, _job: Payload) -> None:
    enrich_events(env, scope)
    trigger_reconsolidation(env, scope)


HANDLERS: Mapping[JobKind, Handler] = {
    JobKind.PROCESS: lambda env, scope, job: process_source(
        env, scope, job["source_key"], part=_part(job)
    ),
    JobKind.EXTRACT: _extract,
    JobKind.BELIEVE: lambda env, scope, job: remember.settle(env, scope, job["event_id"]),
    JobKind.PROJECT: lambda env, scope, _: project_events(env, scope),
    JobKind.REEMBED: _reembed,
    JobKind.ENRICH: _enrich,
    JobKind.RECONSOLIDATE: lambda env, scope, job: reconsolidate.reflect(
        env, scope, datetime.fromisoformat(job["at"])
    ),
    JobKind.SLEEP: night.handle,
}
