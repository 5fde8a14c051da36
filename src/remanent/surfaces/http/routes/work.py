"""Routes about work: do it, watch it, sleep, and how a user's memory is."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import Query, Request, Response

from remanent.core.model.job import Job, JobState
from remanent.core.model.page import Status, Worked
from remanent.core.model.sleep import Round, Scheduled, Slept
from remanent.core.records.api_key import Power
from remanent.core.records.spending import Account
from remanent.errors import InvalidInput
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import page, said
from remanent.surfaces.http.caller import Acting, Caller, door_of
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Jobs, Listed, Waits
from remanent.surfaces.http.streams import (
    CONTENT,
    Stop,
    Tell,
    streamed,
    told,
    until,
    wants_stream,
    watched,
)

router = new_router("work")
FURTHEST: Final = timedelta(days=400)  # nights are lived through one by one
_UNFINISHED: Final = (JobState.READY, JobState.RUNNING, JobState.PARKED)
_WATCHED: Final = 1000


@route(
    router,
    "POST",
    "/v1/work",
    Route(verb="UserMemory.work", power=Power.WRITE, content=CONTENT),
    Worked,
)
def work(request: Request, caller: Acting, ask: asks.Work | None = None) -> Response:
    """Do what is due for this user, here and now, for as long as a request may take; ask again for more.
    With `Accept: text/event-stream` each job is told as it is done, for as long as it takes."""
    limit = None if ask is None else ask.limit

    def run(tell: Tell, stop: Stop) -> Worked:
        return caller.user.work(limit=limit, progress=lambda one: tell("step", one), stop=stop)

    if wants_stream(request):
        return told(request, run)
    return said(run(_nobody, patience(request)))


@route(
    router,
    "POST",
    "/v1/sleep",
    Route(verb="UserMemory.sleep", power=Power.WRITE, content=CONTENT),
    Slept,
)
def sleep(request: Request, caller: Acting, ask: asks.Sleep | None = None) -> Response:
    """Do every job of the night that is due; `stopped` ones are left for the next time. With
    `Accept: text/event-stream` each is told as it begins."""
    wish = ask or asks.Sleep()
    insist_near(request, wish)

    def run(tell: Tell, stop: Stop) -> Slept:
        return caller.user.sleep(**wish.given(), progress=lambda one: tell("phase", one), stop=stop)

    if wants_stream(request):
        return told(request, run)
    return said(run(_nobody, patience(request)))


def insist_near(request: Request, wish: asks.Sleep) -> None:
    """Nobody sleeps through centuries because of a slip."""
    if wish.until is not None and wish.until > door_of(request).clock.now() + FURTHEST:
        raise InvalidInput("until", f"lies more than {FURTHEST.days} days ahead")


def _nobody(name: str, thing: Any) -> None:
    """Nobody wants to hear of it."""


def patience(request: Request) -> Stop:
    """Until the server ends, or a request has taken as long as it may."""
    door = door_of(request)
    return until(door.rules.request_seconds, door.stopping.is_set)


@route(router, "GET", "/v1/timetable", Route(verb="UserMemory.timetable"), Listed[Round])
def timetable(caller: Acting) -> Response:
    """Every job of the night: when, up to when it was done, and when it is due."""
    return said({"items": caller.user.timetable()})


@route(
    router,
    "POST",
    "/v1/timetable/schedule",
    Route(verb="UserMemory.schedule", power=Power.WRITE),
    Waits,
)
def schedule(caller: Acting) -> Response:
    """Promise the sleep that is due, for `work` to do."""
    return said(waits(caller.user.schedule()))


def waits(found: Scheduled) -> dict[str, Any]:
    """What was promised, for programs."""
    wait = None if found.wait is None else found.wait.total_seconds()
    return {"promised": found.promised, "wait_seconds": wait}


@route(router, "GET", "/v1/jobs", Route(verb="UserMemory.jobs"), Jobs)
def jobs(caller: Acting, ask: Annotated[asks.ListJobs, Query()]) -> Response:
    """Work for this user, oldest first."""
    found = page(
        lambda most: caller.user.jobs(ask.state, most), lambda one: one.key, ask.limit, ask.after
    )
    return said({**found, "counts": caller.user.status().jobs})


@route(router, "GET", "/v1/jobs/stream", Route(verb="UserMemory.jobs", content=CONTENT))
async def stream_jobs(
    request: Request, caller: Acting, ask: Annotated[asks.StreamJobs, Query()]
) -> Response:
    """This user's unfinished jobs, each told again whenever it changes. Ends when the caller goes, or
    with `until_idle` when nothing is ready or running any more."""
    last = _Last(caller)
    return streamed(watched(request, last.look, lambda: ask.until_idle and last.is_idle))


class _Last:
    """The jobs as they were when last looked at; those that have ended are told once more, as done."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._open: dict[str, Job] = {}
        self.is_idle = False

    def look(self) -> dict[str, Job]:
        found = {one.key: one for one in self._jobs(_UNFINISHED)}
        gone = self._open.keys() - found.keys()
        self._open = dict(found)
        self.is_idle = all(one.state is JobState.PARKED for one in found.values())
        if gone:
            done = {one.key: one for one in self._jobs((JobState.DONE,)) if one.key in gone}
            found.update(done)
        return found

    def _jobs(self, states: Sequence[JobState]) -> list[Job]:
        return self._caller.user.jobs(states, _WATCHED)


@route(
    router,
    "POST",
    "/v1/jobs/{key}/retry",
    Route(verb="UserMemory.retry_job", power=Power.WRITE, once=True),
    Job,
)
def retry_job(caller: Acting, key: str) -> Response:
    """Give a parked job all its attempts again."""
    return said(caller.user.retry_job(key))


@route(
    router,
    "DELETE",
    "/v1/jobs/{key}",
    Route(verb="UserMemory.drop_job", power=Power.WRITE, once=True),
    Job,
)
def drop_job(caller: Acting, key: str) -> Response:
    """Take a parked or ready job away for good; what it worked on stays as it is."""
    return said(caller.user.drop_job(key))


@route(router, "GET", "/v1/status", Route(verb="UserMemory.status"), Status)
def status(caller: Acting) -> Response:
    """How much is known, and what is still to be done. Where the file is stays the server's."""
    return said(dataclasses.replace(caller.user.status(), place=""))


@route(router, "GET", "/v1/spending", Route(verb="UserMemory.spending"), Account)
def spending(caller: Acting, ask: Annotated[asks.Spending, Query()]) -> Response:
    """Calls, tokens and money by day (UTC), job, task and model."""
    return said(caller.user.spending(ask.since))
