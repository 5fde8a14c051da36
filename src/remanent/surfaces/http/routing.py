"""Routing: each route stands for a verb and needs a power; a write that has an idempotency key is done once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from remanent.core.model.keys import key_for
from remanent.core.records.access import Power
from remanent.errors import InvalidInput
from remanent.surfaces.http.caller import Audience, Caller, caller_of, door_of
from remanent.surfaces.http.problems import MEDIA, InHand, Reused, TooLarge
from remanent.surfaces.operations.schema import Op, Route

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
REPLAY: Final = "Idempotent-Replay"
_LONGEST: Final = 255
_FAILED: Final = 500
_SHORT: Final = 65_536  # bytes; so many uvicorn takes in before it is asked for any


async def answered_once(
    request: Request, name: str, answer: Callable[[Request], Awaitable[Response]]
) -> Response:
    """What this request is answered, or was when it came first."""
    if not 1 <= len(name) <= _LONGEST:
        raise InvalidInput(IDEMPOTENCY_KEY, f"must have 1 to {_LONGEST} characters")
    once, caller = door_of(request).memory.once, _caller(request)
    digest = _digest(request, await request.body())
    kept, is_ours = await run_in_threadpool(
        once.begin, caller.user.user_id, caller.asker, name, digest
    )
    if not is_ours:
        if kept.request != digest:
            raise Reused
        if kept.status is None:
            raise InHand
        headers = {REPLAY: "true"}
        return Response(kept.body, kept.status, media_type=kept.media, headers=headers)
    try:
        response = await answer(request)
    except BaseException:  # an error is no answer to keep: corrected, the request may come again
        await run_in_threadpool(once.drop, kept)
        raise
    body = bytes(getattr(response, "body", b""))
    if response.status_code >= _FAILED or not body:
        await run_in_threadpool(once.drop, kept)
        return response
    media = response.headers.get("content-type", "")
    await run_in_threadpool(
        lambda: once.finish(kept, status=response.status_code, media=media, body=body)
    )
    return response


def named(request: Request) -> str | None:
    """An id that follows from a request's name, for what it makes: done again after a crash, the same
    is made again."""
    name = request.headers.get(IDEMPOTENCY_KEY)
    if name is None:
        return None
    caller = _caller(request)
    return key_for(caller.user.user_id, "idempotency", caller.asker, name)


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


def _digest(request: Request, body: bytes) -> str:
    """All that was asked: where, how, with what, within which team."""
    parts = (
        request.method,
        request.scope["path"],
        request.url.query,
        request.headers.get("remanent-team", ""),
        body.decode("utf-8", "surrogateescape"),
    )
    text = "\x1f".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


Endpoint = Callable[..., Any]
VERB: Final = "x-remanent-verb"
POWER: Final = "x-remanent-power"
FOR: Final = "x-remanent-for"
ONCE: Final = "x-remanent-idempotent"
TAKES: Final = "x-remanent-takes"
_JSON: Final = "application/json"

_PROBLEM: Final = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_STATUSES: Final[Mapping[int, str]] = {
    401: "No key, or none that is good (any more).",
    403: "The key may not do this.",
    404: "Nothing of that name, or nothing the caller may see.",
    409: "It cannot be done as things stand, or a request with this Idempotency-Key is being answered.",
    413: "More was sent than a request may hold.",
    415: "The body is of another type than is taken here.",
    422: "A value cannot be taken; `field` names it.",
    429: "Too many requests; `Retry-After` says when to come again.",
    503: "The memory, or the mind behind it, cannot be reached now.",
    507: "There is no room to write; nothing was written.",
}
_LINE: Final = '{"text": "Met Sarah at the café.", "at": "2026-05-04T09:00:00Z"}\n'
_CONTENT: Final[Mapping[str, dict[str, Any]]] = {  # of answers that are not (only) JSON
    "lines": {"application/jsonl": {"schema": {"type": "string"}, "example": _LINE}},
    "text": {
        "text/plain": {"schema": {"type": "string"}, "example": 'remanent_jobs{state="ready"} 2\n'}
    },
    # OpenAPI 3.1 has no schema for events
    "stream": {"text/event-stream": {"example": 'event: done\ndata: {"done": 2}\n\n'}},
}


def _header(name: str, says: str, **schema: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "description": says,
        "schema": {"type": "string", **schema},
    }


# fmt: off
_PARAMETERS: Final = {
    "user": _header("Remanent-User",
        "Whose memory: needed with the key of a service, and there alone."),
    "team": _header("Remanent-Team",
        "See the user's own things and this team's, and no other team's."),
    "once": _header(IDEMPOTENCY_KEY,
        "Any text of yours. The same request with the same text is done once; asked again, "
        "its answer comes again, with `Idempotent-Replay: true`.", minLength=1, maxLength=255),
}
# fmt: on


class Guarded(APIRoute):
    """A route that looks at the caller's key before it looks at what was sent.

    What is short and fits is answered by one thread in one go. All else, and what is wrong with it, is
    left to the framework, which takes longer.
    """

    def get_route_handler(self) -> Callable[[Request], Any]:
        answer = super().get_route_handler()
        extra = self.openapi_extra or {}
        power, audience = Power(extra[POWER]), Audience(extra[FOR])
        is_plain = not self.dependant.query_params and extra.get(TAKES, _JSON) == _JSON

        def let_in(request: Request) -> None:
            caller_of(request, power, audience)
            _insist_on_type(request, extra)

        def answer_at_once(request: Request, body: bytes) -> Response | None:
            let_in(request)
            sent = self._taken(body)
            given = {"request": request, **request.path_params}
            return None if sent is None else self.endpoint(**given, **sent)

        async def handle(request: Request) -> Response:
            name = request.headers.get(IDEMPOTENCY_KEY)
            if is_plain and name is None and self._is_short(request):
                body = b"" if self.body_field is None else await _body_of(request)
                response = await run_in_threadpool(answer_at_once, request, body)
                if response is not None:
                    return response
            else:
                await run_in_threadpool(let_in, request)
            if name is None or not extra.get(ONCE):
                _refuse_key(name, extra, request)
                return await answer(request)
            return await answered_once(request, name, answer)

        return handle

    def _is_short(self, request: Request) -> bool:
        """Whether it is no more than is taken from a connection anyhow: a stranger fills no memory."""
        length = request.headers.get("content-length", "0" if self.body_field is None else "")
        waits = "expect" in request.headers or "transfer-encoding" in request.headers
        most = min(_SHORT, door_of(request).rules.body_bytes)
        return length.isdecimal() and int(length) <= most and not waits

    def _taken(self, body: bytes) -> dict[str, Any] | None:
        """What was sent, as the endpoint takes it; None, if that is for the framework to say."""
        if self.body_field is None:
            return {}
        try:
            sent, wrong = self.body_field.validate(json.loads(body))
        except (ValueError, RecursionError):
            return None
        return None if wrong else {self.body_field.name: sent}


async def _body_of(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:  # as the framework will find
        return b""


def _insist_on_type(request: Request, extra: Mapping[str, Any]) -> None:
    """A body has to be of the type that is taken; one that is said to be too large is not read."""
    takes, length = extra.get(TAKES), request.headers.get("content-length", "0")
    most = door_of(request).rules.body_bytes
    if length.isdecimal() and int(length) > most:
        raise TooLarge(most)
    there = length != "0" or "transfer-encoding" in request.headers
    if takes is None or not there:
        return
    sent = request.headers.get("content-type", "").partition(";")[0]
    if sent.strip().lower() != takes:
        raise HTTPException(415, f"only {takes} is taken here")


def _refuse_key(name: str | None, extra: Mapping[str, Any], request: Request) -> None:
    """Nobody shall think that a write is done once where it is not."""
    if name is not None and request.method != "GET" and Power(extra[POWER]) is not Power.READ:
        raise InvalidInput(IDEMPOTENCY_KEY, "is not taken here")


def add_route(router: APIRouter, op: Op, route: Route, endpoint: Endpoint, shape: Any) -> None:
    """Put a function on the router; `shape` is the type of its answer."""
    router.add_api_route(
        route.path,
        endpoint,
        methods=[route.method],
        status_code=route.status,
        response_model=None,
        responses=_responses(op, route, shape),  # type: ignore[arg-type]
        openapi_extra=_extra(op, route),
        operation_id=endpoint.__name__,
    )


def name_of(op: Op, route: Route) -> str:
    """What a program calls it: `undo_source`, `list_beliefs`, `get_status`, `search`."""
    noun = "_".join(_singular(one) for one in re.findall(r"/(\w+)/{", route.path))
    if route.name or "_" in op.verb:
        name = route.name or op.verb
    elif route.method == "GET":
        is_list = route.answer in ("page", "items", "Jobs")
        name = "_".join(("list" if is_list else "get", *([] if is_list else [noun]), op.verb))
    else:
        name = f"{op.verb}_{noun}"
    every = "_all" if "/all/" in route.path and not route.name else ""
    return name.replace("__", "_").strip("_") + every


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def power_of(op: Op, route: Route) -> Power:
    return Power(route.power or op.power)


def audience_of(op: Op, route: Route) -> Audience:
    return Audience(route.audience or ("user" if op.face == "UserMemory" else "service"))


def is_once(op: Op, route: Route) -> bool:
    """Whether its callers may name a write, so that it is done once."""
    if route.once is not None:
        return route.once
    is_write = route.method != "GET" and power_of(op, route) is not Power.READ
    return is_write and op.face == "UserMemory"


def _responses(op: Op, route: Route, shape: Any) -> dict[int, dict[str, Any]]:
    good: dict[str, Any] = {"description": "Done."}
    if shape is not None:
        good["model"] = shape
    content = _CONTENT.get("stream" if route.streams else route.answer)
    if content is not None:
        good["content"] = content
    codes = [401, 403, 404, 422, 429, 503]
    if route.method != "GET":
        codes += [413, 415]
    if power_of(op, route) is not Power.READ:
        codes += [409, 507]
    bad = {code: {"description": _STATUSES[code], "content": _PROBLEM} for code in sorted(codes)}
    responses: dict[int, dict[str, Any]] = {route.status: good, **bad}
    if route.answer == "OpenedMemory":
        responses[304] = {"description": "It is as it was: `If-None-Match` names its ETag."}
    return responses


def _extra(op: Op, route: Route) -> dict[str, Any]:
    takes = route.takes or (None if route.method == "GET" else _JSON)
    audience, once = audience_of(op, route), is_once(op, route)
    parameters = [_PARAMETERS["user"], _PARAMETERS["team"]] if audience is Audience.USER else []
    if once:
        parameters.append(_PARAMETERS["once"])
    extra: dict[str, Any] = {
        VERB: op.name,
        POWER: power_of(op, route).value,
        FOR: audience.value,
        ONCE: once,
        "security": [{"bearer": []}, {"header": []}],
        "parameters": parameters,
    }
    if takes is not None:
        extra[TAKES] = takes
    if route.takes:
        body = {"schema": {"type": "string", "format": "binary"}, "example": _LINE}
        extra["requestBody"] = {"required": True, "content": {route.takes: body}}
    return extra
