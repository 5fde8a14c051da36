"""Routes about beliefs: hold, recall, explain, keep in order."""

from __future__ import annotations

from io import StringIO
from typing import Annotated

from fastapi import Body, Query, Request, Response

from remanent.beliefs.model import (
    Assignment,
    BeliefsImported,
    Consolidation,
    Contradictions,
    Forgetting,
    Pruning,
    Reflection,
    Restating,
    Synthesis,
    Unions,
)
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind
from remanent.core.model.page import Evidence, History, Settled
from remanent.core.records.api_key import Power
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import JSON_LINES, lines, page, said, tagged
from remanent.surfaces.http.caller import Acting
from remanent.surfaces.http.once import named
from remanent.surfaces.http.routes.sources import opened
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Listed, Opened, Paged, Recollections

router = new_router("beliefs")
LINES = {JSON_LINES: {"schema": {"type": "string"}}}


def _write(verb: str, **more: bool) -> Route:
    return Route(verb=f"UserMemory.{verb}", power=Power.WRITE, once=more.get("once", True))


@route(router, "POST", "/v1/remember", _write("remember"), Settled)
def remember(request: Request, caller: Acting, ask: asks.Remember) -> Response:
    """Hold a statement true, and settle it against what is believed."""
    event_id = ask.event_id or named(request)
    return said(caller.user.remember(ask.text, ask.at, event_id=event_id))


@route(router, "POST", "/v1/recall", Route(verb="UserMemory.recall"), Recollections)
def recall(caller: Acting, ask: asks.Recall) -> Response:
    """Beliefs that come to mind, best first. What is recalled is strengthened."""
    return said({"items": caller.user.recall(**ask.given())})


@route(router, "GET", "/v1/recall", Route(verb="UserMemory.recall"), Recollections)
def recall_simply(caller: Acting, ask: Annotated[asks.Recall, Query()]) -> Response:
    """The same, by the address alone."""
    return said({"items": caller.user.recall(**ask.given())})


@route(router, "GET", "/v1/beliefs", Route(verb="UserMemory.beliefs"), Paged[Belief])
def beliefs(caller: Acting, ask: Annotated[asks.ListBeliefs, Query()]) -> Response:
    """What is held true now, or was at `as_of`; most important first."""
    found = caller.user.beliefs(ask.as_of, ask.known_at)
    return said(page(lambda _: found, lambda one: one.key, ask.limit, ask.after))


@route(router, "GET", "/v1/beliefs/reflection", Route(verb="UserMemory.reflect"), Reflection)
def reflect(caller: Acting) -> Response:
    """What is believed twice, what contradicts itself and what has faded."""
    return said(caller.user.reflect())


@route(
    router,
    "GET",
    "/v1/beliefs/contradictions",
    Route(verb="UserMemory.contradictions"),
    Contradictions,
)
def contradictions(caller: Acting) -> Response:
    """Beliefs that cannot both be so."""
    return said(caller.user.contradictions())


@route(router, "POST", "/v1/beliefs/contradictions", _write("contradictions"), Contradictions)
def settle(caller: Acting, ask: asks.Resolve) -> Response:
    """Let the newer of two beliefs that cannot both be so take the older one's place."""
    return said(caller.user.contradictions(resolve=ask.resolve, dry_run=ask.dry_run))


@route(
    router,
    "GET",
    "/v1/beliefs/export",
    Route(verb="UserMemory.export_beliefs", content=LINES),
)
def export_beliefs(caller: Acting) -> Response:
    """All beliefs of every status, with their trail, as JSON lines."""
    return lines(caller.user.export_beliefs, "beliefs.jsonl")


@route(
    router,
    "POST",
    "/v1/beliefs/import",
    Route(verb="UserMemory.import_beliefs", power=Power.WRITE, once=True, takes=JSON_LINES),
    BeliefsImported,
)
def import_beliefs(
    caller: Acting,
    ask: Annotated[asks.DryRunning, Query()],
    body: Annotated[bytes, Body(media_type=JSON_LINES)],
) -> Response:
    """Take in exported beliefs that are not here yet; one bad line, and nothing comes in."""
    stream = StringIO(body.decode("utf-8", "replace"))
    return said(caller.user.import_beliefs(stream, dry_run=ask.dry_run))


@route(router, "POST", "/v1/beliefs/merge", _write("merge_beliefs"), Unions)
def merge_beliefs(caller: Acting, ask: asks.DryRunning | None = None) -> Response:
    """Make one belief of each group that says the same."""
    return said(caller.user.merge_beliefs(dry_run=ask is not None and ask.dry_run))


@route(router, "POST", "/v1/beliefs/synthesize", _write("synthesize"), Synthesis)
def synthesize(caller: Acting, ask: asks.DryRunning | None = None) -> Response:
    """Draw a principle from beliefs of one subject that belong together."""
    return said(caller.user.synthesize(dry_run=ask is not None and ask.dry_run))


@route(router, "POST", "/v1/beliefs/prune", _write("prune"), Pruning)
def prune(caller: Acting, ask: asks.Prune | None = None) -> Response:
    """Let go of beliefs with little effective confidence left."""
    wish = ask or asks.Prune()
    return said(caller.user.prune(wish.threshold, dry_run=wish.dry_run))


@route(router, "POST", "/v1/beliefs/subjects", _write("backfill_subjects"), Assignment)
def backfill_subjects(caller: Acting, ask: asks.DryRunning | None = None) -> Response:
    """File beliefs that stand under the owner by default under whom they are about."""
    return said(caller.user.backfill_subjects(dry_run=ask is not None and ask.dry_run))


@route(router, "POST", "/v1/consolidate", _write("consolidate"), Consolidation)
def consolidate(caller: Acting, ask: asks.Consolidate) -> Response:
    """Keep what a conversation of four turns or more leaves behind."""
    turns = [one.model_dump(exclude_none=True) for one in ask.turns]
    return said(caller.user.consolidate(turns, **ask.given("turns")))


@route(
    router,
    "GET",
    "/v1/beliefs/{key}",
    Route(verb="UserMemory.read", may_be_unchanged=True),
    Opened,
)
def belief(request: Request, caller: Acting, key: str) -> Response:
    """One belief with the episodes behind it. Looking is an access."""
    return tagged(request, opened(caller, key, Kind.BELIEF))


@route(router, "GET", "/v1/beliefs/{key}/why", Route(verb="UserMemory.why"), Listed[Evidence])
def why(caller: Acting, key: str) -> Response:
    """The episodes behind a belief, oldest first, in the words of the source."""
    return said({"items": caller.user.why(key)})


@route(router, "GET", "/v1/beliefs/{key}/history", Route(verb="UserMemory.history"), History)
def history(caller: Acting, key: str) -> Response:
    """All that a belief replaced or gave way to, oldest first."""
    return said(caller.user.history(key))


@route(router, "POST", "/v1/beliefs/{key}/restate", _write("restate"), Restating)
def restate(caller: Acting, key: str, ask: asks.Restate) -> Response:
    """Put one belief in other words. It stays the same belief."""
    return said(caller.user.restate(key, ask.statement, dry_run=ask.dry_run))


@route(router, "POST", "/v1/beliefs/{key}/forget", _write("forget"), Forgetting)
def forget(caller: Acting, key: str, ask: asks.Forget | None = None) -> Response:
    """Put one belief out of mind, for good. Its trail stays; to leave none, erase it."""
    wish = ask or asks.Forget()
    return said(caller.user.forget(key, wish.reason, dry_run=wish.dry_run))
