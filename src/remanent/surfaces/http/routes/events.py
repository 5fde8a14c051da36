"""Routes about agents' events."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from remanent.core.model.event_queries import EndedSession, EventHit, Lag, Recorded
from remanent.core.records.api_key import Power
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import page, said
from remanent.surfaces.http.caller import Acting, Caller
from remanent.surfaces.http.once import named
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Listed, Paged

router = new_router("events")


@route(
    router,
    "POST",
    "/v1/events",
    Route(verb="UserMemory.record", power=Power.WRITE, once=True, status=201),
    Recorded,
)
def record(request: Request, caller: Acting, ask: asks.RecordEvent) -> Response:
    """Append one event; it is on the disk when it comes back."""
    fields = ask.fields()
    name = named(request)
    if name is not None:
        fields.setdefault("event_id", name)
    return said(caller.user.record(fields), 201)


@route(
    router,
    "POST",
    "/v1/events/batch",
    Route(verb="UserMemory.record_many", power=Power.WRITE, once=True, status=201),
    Listed[Recorded],
)
def record_many(request: Request, caller: Acting, ask: asks.RecordMany) -> Response:
    """Append many events in their order, all in one write or none."""
    events = [one.fields() for one in ask.events]
    name = named(request)
    if name is not None:
        for number, one in enumerate(events):
            one.setdefault("event_id", f"{name}-{number}")
    return said({"items": caller.user.record_many(events)}, 201)


@route(router, "GET", "/v1/events", Route(verb="UserMemory.events"), Paged[EventHit])
def events_simply(caller: Acting, ask: Annotated[asks.Events, Query()]) -> Response:
    """What happened, by recency, importance, relevance to `query` and affinity, best first. Further
    pages strengthen nothing."""
    return _events(caller, ask)


@route(router, "POST", "/v1/events/search", Route(verb="UserMemory.events"), Paged[EventHit])
def events(caller: Acting, ask: asks.Events) -> Response:
    """The same, with a body."""
    return _events(caller, ask)


def _events(caller: Caller, ask: asks.Events) -> Response:
    wanted = {**ask.given("limit", "after"), "touch": ask.touch and ask.after is None}
    found = page(
        lambda most: caller.user.events(**wanted, limit=most),
        lambda one: one.key,
        ask.limit,
        ask.after,
    )
    return said(found)


@route(
    router,
    "POST",
    "/v1/sessions/{session_id}/end",
    Route(verb="UserMemory.end_session", power=Power.WRITE, once=True),
    EndedSession,
)
def end_session(caller: Acting, session_id: str, ask: asks.EndSession | None = None) -> Response:
    """End a session: what was said in it becomes one source."""
    agent_id = "" if ask is None else ask.agent_id
    return said(caller.user.end_session(session_id, agent_id=agent_id))


@route(router, "GET", "/v1/lag", Route(verb="UserMemory.lag"), Lag)
def lag(caller: Acting) -> Response:
    """How far projection and enrichment are behind what was recorded."""
    return said(caller.user.lag())
