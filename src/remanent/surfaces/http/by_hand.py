"""Routes that do more than call a verb: pages of their own, uploads, streams, keys."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from fastapi import Request, Response
from pydantic import Field

from remanent.core.model.job import OPEN, Job, JobState
from remanent.core.model.node import Kind
from remanent.core.model.sleep import Scheduled
from remanent.core.records.access import ApiKey
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownKey
from remanent.memory import UserMemory
from remanent.metrics import CONTENT_TYPE, exposition
from remanent.surfaces.http import answers
from remanent.surfaces.http.answers import Stop, Tell, json_response, page
from remanent.surfaces.http.caller import Call, door_of
from remanent.surfaces.http.requests import Ask
from remanent.surfaces.http.routing import named

FURTHEST: Final = timedelta(days=400)  # nights are lived through one by one
_MOST_JOBS: Final = 1000
_MOST: Final = 1000


# -- sources and beliefs ------------------------------------------------------------------------


def _sources(call: Call) -> Response:
    """Newest first; the verb itself goes on behind the last, however many there are."""
    limit, after = call.given["limit"], call.given["after"]
    last = None if after is None else answers.place_of(after)[1]
    try:
        sources = call(limit=min(limit + 1, _MOST), after=last)
    except UnknownKey:
        raise InvalidInput("after", "is no cursor of ours any more") from None
    items = sources[:limit]
    more = len(sources) > limit or len(sources) == _MOST
    return json_response(
        {"items": items, "next": answers.cursor(limit, items[-1].key) if more else None}
    )


def _opened(kind: Kind | None) -> Callable[[Call], Response]:
    """A memory and all that hangs on it, as `remanent show` has it."""

    def answer(call: Call) -> Response:
        opened = call()
        if kind is not None and opened.node.kind is not kind:
            raise InvalidInput("key", f"this is a {opened.node.kind.value}, no {kind.value}")
        why = call.user.why(opened.node.key) if opened.node.kind is Kind.BELIEF else []
        return answers.etag_response(
            call.request, {"kind": opened.node.kind, "page": opened, "why": why}
        )

    return answer


def _redo(call: Call) -> Response:
    call()
    return json_response({"key": call.given["source_key"]})


def _once_named(field: str, status: int = 200) -> Callable[[Call], Response]:
    """What has an id gets one that follows from the request's name, where it has none of its own."""

    def answer(call: Call) -> Response:
        return json_response(call(**{field: call.given[field] or named(call.request)}), status)

    return answer


def _undefine(call: Call) -> Response:
    if not call():
        raise NotFound("short: nothing was set so, and no source explains it")
    return json_response({"removed": True})


# -- files --------------------------------------------------------------------------------------


@contextmanager
def _file(name: str, content: bytes) -> Iterator[Path]:
    """What was sent, as a file for as long as it is read. Where that was is not told."""
    with TemporaryDirectory(prefix="remanent-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            yield path
        except InvalidInput as error:
            problem = error.problem.replace(f"{folder}{os.sep}", "")
            raise InvalidInput(error.field, problem) from None


def _upload(call: Call) -> Response:
    with _file(call.given.get("path", "memory.jsonl"), call.body) as path:
        return json_response(call(path=path))


def _lines(name: str) -> Callable[[Call], Response]:
    return lambda call: answers.lines(lambda stream: call(path=stream), name)


# -- events -------------------------------------------------------------------------------------


def _record_many(call: Call) -> Response:
    name = named(call.request)
    if name is not None:
        for number, one in enumerate(call.given["events"]):
            one.setdefault("event_id", f"{name}-{number}")
    return json_response({"items": call()}, 201)


# -- work ---------------------------------------------------------------------------------------


def _run(event: str) -> Callable[[Call], Response]:
    """Something long, in one answer or told as it goes on."""

    def answer(call: Call) -> Response:
        _insist_near(call)

        def run(tell: Tell, stop: Stop) -> Any:
            return call(progress=lambda one: tell(event, one), stop=stop)

        if answers.MEDIA in call.request.headers.get("accept", ""):
            return answers.stream_progress(call.request, run)
        return json_response(run(_nobody, _patience(call.request)))

    return answer


def _run_for_all(call: Call) -> Response:
    _insist_near(call)
    done = call(stop=_patience(call.request))
    return json_response({"items": done} if isinstance(done, list) else done)


def _insist_near(call: Call) -> None:
    """Nobody sleeps through centuries because of a slip."""
    until_then: datetime | None = call.given.get("until")
    if until_then is not None and until_then > door_of(call.request).clock.now() + FURTHEST:
        raise InvalidInput("until", f"lies more than {FURTHEST.days} days ahead")


def _nobody(name: str, thing: Any) -> None:
    """Nobody wants to hear of it."""


def _patience(request: Request) -> Stop:
    """Until the server ends, or a request has taken as long as it may."""
    door = door_of(request)
    return answers.until(door.rules.request_seconds, door.stopping.is_set)


def waits(scheduled: Scheduled) -> dict[str, Any]:
    """What was promised, for programs."""
    wait = None if scheduled.wait is None else scheduled.wait.total_seconds()
    return {"promised": scheduled.promised, "wait_seconds": wait}


def _jobs(call: Call) -> Response:
    limit, after = call.given.pop("limit"), call.given.pop("after")
    jobs = page(lambda most: call(limit=most), lambda one: str(one.key), limit, after)
    return json_response({**jobs, "counts": call.user.status().jobs})


class StreamJobs(Ask):
    until_idle: bool = Field(default=False, description="End when nothing is ready or running.")


def _stream_jobs(call: Call) -> Response:
    jobs, until_idle = _JobChanges(call.user), call.given["until_idle"]
    return answers.stream_response(
        answers.watch(call.request, jobs.look, lambda: until_idle and jobs.is_idle)
    )


class _JobChanges:
    """The jobs as they were when last looked at; those that have ended are told once more, as done."""

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        self._open: dict[str, Job] = {}
        self.is_idle = False

    def look(self) -> dict[str, Job]:
        jobs = {one.key: one for one in self._jobs(OPEN)}
        gone = self._open.keys() - jobs.keys()
        self._open = dict(jobs)
        self.is_idle = all(one.state is JobState.PARKED for one in jobs.values())
        if gone:
            done = {one.key: one for one in self._jobs((JobState.DONE,)) if one.key in gone}
            jobs.update(done)
        return jobs

    def _jobs(self, states: Sequence[JobState]) -> list[Job]:
        return self._user.jobs(states, _MOST_JOBS)


def _metrics(call: Call) -> Response:
    text = call() + exposition(call.request.app.state.traffic.families())
    return Response(text, media_type=CONTENT_TYPE)


# -- keys: a service's key manages all of them, a user's those of that user -------------------------


def _keys(call: Call) -> Response:
    keys, limit, after = _own_keys(call), call.given["limit"], call.given["after"]
    return json_response(page(lambda _: keys, lambda one: one.key_id, limit, after))


def _revoke_key(call: Call) -> Response:
    if all(one.key_id != call.given["key_id"] for one in _own_keys(call)):
        raise NotFound("key: there is no API key of that id")
    return json_response(call())


def _own_keys(call: Call) -> list[ApiKey]:
    every = call.caller.memory.keys()
    return [one for one in every if _may_manage(call.caller.key, one)]


def _may_manage(own: ApiKey | None, other: ApiKey) -> bool:
    if own is None:
        return True
    is_theirs = own.user_id is None or own.user_id == other.user_id
    return is_theirs and own.team in (None, other.team)


def _bounds(own: ApiKey | None, wish: Mapping[str, Any]) -> dict[str, Any]:
    """What a key made with another one cannot be without: whoever holds a key makes none that may do
    more, for others, or for longer."""
    if own is None:
        return {}
    if not own.powers.issuperset(wish["powers"]):
        raise Forbidden("a key makes none that may do more than itself")
    if own.user_id is not None and wish["user_id"] not in (None, own.user_id):
        raise Forbidden("this key makes keys for its own user only")
    if own.team is not None and wish["team"] not in (None, own.team):
        raise Forbidden("this key makes keys for its own team only")
    ends = [one for one in (own.expires_at, wish["expires_at"]) if one is not None]
    return {
        "user_id": own.user_id or wish["user_id"],
        "team": own.team or wish["team"],
        "expires_at": min(ends, default=None),
    }


BY_HAND: Final[Mapping[str, Callable[[Call], Response]]] = {
    "GET /v1/sources": _sources,
    "GET /v1/sources/{key}": _opened(Kind.SOURCE),
    "GET /v1/memories/{key}": _opened(None),
    "POST /v1/sources/{key}/redo": _redo,
    "POST /v1/remember": _once_named("event_id"),
    "GET /v1/beliefs/export": _lines("beliefs.jsonl"),
    "POST /v1/beliefs/import": lambda call: json_response(
        call(path=StringIO(call.body.decode("utf-8", "replace")))
    ),
    "GET /v1/beliefs/{key}": _opened(Kind.BELIEF),
    "DELETE /v1/abbreviations/{short}": _undefine,
    "POST /v1/events": _once_named("event_id", 201),
    "POST /v1/events/batch": _record_many,
    "POST /v1/work": _run("step"),
    "POST /v1/sleep": _run("phase"),
    "GET /v1/jobs": _jobs,
    "GET /v1/jobs/stream": _stream_jobs,
    "GET /v1/status": lambda call: json_response(dataclasses.replace(call(), place="")),
    "POST /v1/teams": _once_named("team_id", 201),
    "POST /v1/imports": _upload,
    "POST /v1/imports/estimate": _upload,
    "GET /v1/export": _lines("memory.jsonl"),
    "GET /v1/all/export": _lines("memory.jsonl"),
    "POST /v1/all/import": _upload,
    "POST /v1/all/work": _run_for_all,
    "POST /v1/all/sleep": _run_for_all,
    "POST /v1/embedding": lambda call: json_response(call(background=True)),
    "POST /v1/keys": lambda call: json_response(call(**_bounds(call.caller.key, call.given)), 201),
    "GET /v1/keys": _keys,
    "DELETE /v1/keys/{key_id}": _revoke_key,
    "GET /metrics": _metrics,
}
