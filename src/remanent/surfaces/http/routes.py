"""Every route of the API, built from the table of operations: take the request, call the verb, answer.

What needs more than that is written out in `by_hand.py`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request, Response

from remanent.memory import Memory, UserMemory
from remanent.surfaces.http.answers import json_response, page
from remanent.surfaces.http.by_hand import BY_HAND, StreamJobs, waits
from remanent.surfaces.http.caller import Call, zone_of
from remanent.surfaces.http.requests import Ask, body_model, in_zone, new_model, plain
from remanent.surfaces.http.routing import Guarded, add_route, name_of
from remanent.surfaces.http.shapes import answer_of
from remanent.surfaces.operations import GROUPS
from remanent.surfaces.operations.schema import AFTER, LIMIT, Op, Param, Route

_FACES: Final = {"UserMemory": UserMemory, "Memory": Memory}
_NAMED: Final = re.compile(r"{(\w+)}")
_SHAPED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "items": lambda found: {"items": found},
    "Recollections": lambda found: {"items": found},
    "Accounts": lambda found: {"items": found},
    "SearchHits": lambda found: {"items": list(found), "next": found.next, "reason": found.reason},
    "removed": lambda found: {"removed": found is not False},
    "key": lambda found: {"key": found},
    "Changed": lambda found: {"changed": found},
    "AdoptionPromise": lambda found: {"promised": found},
    "SchedulePromise": waits,
    "DoctorReport": lambda found: {"sound": found.is_sound, "findings": found.findings},
    "Verdict": lambda found: {"genuine": found},
    "Registered": lambda found: found.profile,
}


@cache
def routers() -> tuple[APIRouter, ...]:
    """The routes of each group, made once a process: they ask the app for its memory."""
    return tuple(_router(group.tag, group.ops) for group in GROUPS)


def _router(tag: str, ops: Sequence[Op]) -> APIRouter:
    router = APIRouter(route_class=Guarded, tags=[tag])
    for op in ops:
        verb = getattr(_FACES[op.face], op.verb)
        for route in op.http:
            add_route(router, op, route, _endpoint(op, route), answer_of(verb, route.answer))
    return router


def fields_of(op: Op, route: Route) -> list[Param]:
    """What a request has to say beside its path."""
    in_path = _NAMED.findall(route.path)
    wanted = (one for one in op.params if route.only is None or one.name in route.only)
    params = [one for one in wanted if one.http and one.field not in in_path]
    if route.answer in ("page", "Jobs"):
        names = {one.field for one in params}
        pages = (LIMIT.but(http_default=50), AFTER)
        params += [one for one in pages if one.field not in names]
    return params


def _endpoint(op: Op, route: Route) -> Callable[..., Response]:
    """A function as the framework takes it: its signature says what it needs."""
    answer = BY_HAND.get(
        f"{route.method} {route.path}", _paged if route.answer == "page" else _plain
    )
    names = {one.field: one.name for one in op.params}
    in_path = _NAMED.findall(route.path)
    model = _model(op, route)

    def endpoint(request: Request, **sent: Any) -> Response:
        ask: Ask | None = sent.pop("ask", None)
        if ask is None and model is not None:
            ask = model()
        in_zone(ask, cache(partial(zone_of, request)))
        fields = {} if ask is None else {name: plain(one) for name, one in ask}
        body = sent.pop("body", b"")
        given = {names.get(name, name): one for name, one in {**sent, **fields}.items()}
        return answer(Call(request=request, op=op, route=route, given=given, body=body))

    parameters = [_needs("request", Request), *(_needs(name, str) for name in in_path)]
    if model is not None:
        parameters.append(_ask_parameter(model, route))
    if route.takes:
        parameters.append(_needs("body", Annotated[bytes, Body(media_type=route.takes)]))
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    endpoint.fields = () if model is None else tuple(model.model_fields)  # type: ignore[attr-defined]
    endpoint.__name__ = name_of(op, route)
    endpoint.__doc__ = route.says or op.says
    return endpoint


def _model(op: Op, route: Route) -> type[Ask] | None:
    if route.answer == "stream":
        return StreamJobs
    fields = fields_of(op, route)
    if not fields:
        return None
    words = (*op.verb.split("_"), "request")
    name = route.model or "".join(one.capitalize() for one in words)
    make = new_model if _is_in_address(route) else body_model
    return make(name, fields, op.form)


def _is_in_address(route: Route) -> bool:
    """Whether what is asked stands in the address: there is no body, or it is no JSON."""
    return route.method in ("GET", "DELETE") or route.takes != ""


def _needs(name: str, kind: Any, **more: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, **more)


def _ask_parameter(model: type[Ask], route: Route) -> inspect.Parameter:
    if _is_in_address(route):
        return _needs("ask", Annotated[model, Query()])
    return _needs("ask", model | None, default=None) if route.bare else _needs("ask", model)


def _plain(call: Call) -> Response:
    made = _SHAPED.get(call.route.answer, lambda found: found)
    return json_response(made(call()), call.route.status)


def _paged(call: Call) -> Response:
    """So many of a list, from behind a cursor. Further pages strengthen nothing."""
    limit, after = call.given.pop("limit"), call.given.pop("after")
    if "touch" in call.given:
        call.given["touch"] = call.given["touch"] and after is None
    has_limit = any(one.name == "limit" and one.default is not None for one in call.op.params)
    return json_response(
        page(
            lambda most: call(limit=most) if has_limit else call(),
            lambda one: str(getattr(one, call.route.id)),
            limit,
            after,
        )
    )
