"""Routes: each stands for a verb, needs a power, and says every status it can give."""

from __future__ import annotations

import email.message
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from remanent.core.records.api_key import Power
from remanent.errors import InvalidInput
from remanent.surfaces.http.caller import Whom, caller_of, door_of, keeper_of
from remanent.surfaces.http.once import IDEMPOTENCY_KEY, answered_once
from remanent.surfaces.http.problems import MEDIA, TooLarge

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
VERB: Final = "x-remanent-verb"
POWER: Final = "x-remanent-power"
FOR: Final = "x-remanent-for"
ONCE: Final = "x-remanent-idempotent"
TAKES: Final = "x-remanent-takes"
_JSON: Final = "application/json"

_PROBLEM: Final = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_SAID: Final[Mapping[int, str]] = {
    401: "No key, or none that is good (any more).",
    403: "The key may not do this.",
    404: "Nothing of that name, or nothing the caller may see.",
    409: "It cannot be done as things stand, or a request with this Idempotency-Key is being answered.",
    413: "More was sent than a request may hold.",
    415: "The body is of another type than is taken here.",
    422: "A value cannot be taken; `field` names it.",
    429: "Too many requests; `Retry-After` says when to come again.",
    503: "The memory, or the mind behind it, cannot be reached now.",
}
_PARAMETERS: Final = {
    "user": {
        "name": "Remanent-User",
        "in": "header",
        "description": "Whose memory: needed with the key of a service, and there alone.",
        "schema": {"type": "string"},
    },
    "team": {
        "name": "Remanent-Team",
        "in": "header",
        "description": "See the user's own things and this team's, and no other team's.",
        "schema": {"type": "string"},
    },
    "once": {
        "name": IDEMPOTENCY_KEY,
        "in": "header",
        "description": "Any text of yours. The same request with the same text is done once; asked again, "
        "its answer comes again, with `Idempotent-Replay: true`.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    },
}


class Guarded(APIRoute):
    """A route that looks at the caller's key before it reads what was sent."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        answer = super().get_route_handler()
        extra = self.openapi_extra or {}

        async def handle(request: Request) -> Response:
            await _let_in(request, extra)
            _insist_on_type(request, extra)
            name = request.headers.get(IDEMPOTENCY_KEY)
            if name is None or not extra.get(ONCE):
                _refuse_name(name, extra, request)
                return await answer(request)
            return await answered_once(request, name, answer)

        return handle


async def _let_in(request: Request, extra: Mapping[str, Any]) -> None:
    power, whom = Power(extra[POWER]), Whom(extra[FOR])
    if whom is Whom.USER:
        await run_in_threadpool(caller_of, request, power)
    else:
        await run_in_threadpool(keeper_of, request, power, whom)


def _insist_on_type(request: Request, extra: Mapping[str, Any]) -> None:
    """A body has to be of the type that is taken; one that is said to be too large is not read."""
    takes, length = extra.get(TAKES), request.headers.get("content-length", "0")
    most = door_of(request).rules.body_bytes
    if length.isdigit() and int(length) > most:
        raise TooLarge(most)
    there = length != "0" or "transfer-encoding" in request.headers
    if takes is None or not there:
        return
    message = email.message.Message()
    message["content-type"] = request.headers.get("content-type", "")
    if request.headers.get("content-type") is None or message.get_content_type() != takes:
        raise HTTPException(415, f"only {takes} is taken here")


def _refuse_name(name: str | None, extra: Mapping[str, Any], request: Request) -> None:
    """Nobody shall think that a write is done once where it is not."""
    if name is not None and request.method != "GET" and Power(extra[POWER]) is not Power.READ:
        raise InvalidInput(IDEMPOTENCY_KEY, "is not taken here")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a route is, beyond its path: the verb it stands for, and who may ask for it."""

    verb: str
    power: Power = Power.READ
    whom: Whom = Whom.USER
    once: bool = False
    status: int = 200
    takes: str | None = None  # the type of a body that is not JSON
    content: Mapping[str, Any] = field(default_factory=dict)  # of an answer that is not (only) JSON
    may_be_unchanged: bool = False  # it has an ETag


def route(
    router: APIRouter, method: str, path: str, what: Route, shape: Any = None
) -> Callable[[Endpoint], Endpoint]:
    """Put a function on the router under that path; `shape` is the type of its answer."""

    def add(endpoint: Endpoint) -> Endpoint:
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=what.status,
            response_model=None,
            responses=_responses(method, what, shape),  # type: ignore[arg-type]
            openapi_extra=_extra(method, what),
            operation_id=_name(method, path),
        )
        return endpoint

    return add


def new_router(tag: str) -> APIRouter:
    """Routes that go together; all of them are guarded."""
    return APIRouter(route_class=Guarded, tags=[tag])


def _name(method: str, path: str) -> str:
    words = [one.strip("{}").replace("-", "_") for one in path.split("/") if one not in ("", "v1")]
    return "_".join((method.lower(), *words))


def _responses(method: str, what: Route, shape: Any) -> dict[int, dict[str, Any]]:
    good: dict[str, Any] = {"description": "Done."}
    if shape is not None:
        good["model"] = shape
    if what.content:
        good["content"] = dict(what.content)
    codes = [401, 403, 404, 422, 429, 503]
    if method != "GET":
        codes += [413, 415]
    if what.power is not Power.READ:
        codes.append(409)
    bad = {code: {"description": _SAID[code], "content": _PROBLEM} for code in sorted(codes)}
    found: dict[int, dict[str, Any]] = {what.status: good, **bad}
    if what.may_be_unchanged:
        found[304] = {"description": "It is as it was: `If-None-Match` names its ETag."}
    return found


def _extra(method: str, what: Route) -> dict[str, Any]:
    takes = what.takes or (None if method == "GET" else _JSON)
    parameters = [_PARAMETERS["user"], _PARAMETERS["team"]] if what.whom is Whom.USER else []
    if what.once:
        parameters.append(_PARAMETERS["once"])
    extra: dict[str, Any] = {
        VERB: what.verb,
        POWER: what.power.value,
        FOR: what.whom.value,
        ONCE: what.once,
        "security": [{"bearer": []}, {"header": []}],
        "parameters": parameters,
    }
    if takes is not None:
        extra[TAKES] = takes
    if what.takes is not None:
        body = {"schema": {"type": "string", "format": "binary"}}
        extra["requestBody"] = {"required": True, "content": {what.takes: body}}
    return extra
