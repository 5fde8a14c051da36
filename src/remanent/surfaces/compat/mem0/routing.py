"""Routing: how requests of mem0's programs are read, and how errors are told to them."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from remanent.core.records.access import Power
from remanent.errors import InvalidInput, RemanentError
from remanent.surfaces.compat.mem0.reach import Reach, reach_of
from remanent.surfaces.http.problems import refuse, row_of

Ask = dict[str, Any]


class TheirRoute(APIRoute):
    """Errors are `{"detail": ...}`, and what cannot be taken is a 400, as they know it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await answer(request)
            except RemanentError as error:
                plain = refuse(error, request.url.path)
                row = row_of(error)
                status = 400 if isinstance(error, InvalidInput) else row.status
                headers = {
                    name: plain.headers[name]
                    for name in ("retry-after", "www-authenticate")
                    if name in plain.headers
                }
                return JSONResponse({"detail": row.told or str(error)}, status, headers=headers)

        return handler


async def _asked(request: Request) -> Ask:
    """What a request asks for: its body, and what its address says beside it."""
    body = await request.body()
    try:
        given = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        raise InvalidInput("body", "is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInput("body", "must be an object")
    named = {name: _value(name, value) for name, value in request.query_params.items()}
    return {**named, **given}


def _value(name: str, value: str) -> Any:
    """Their client writes an object into an address as Python would print it."""
    if name not in ("filters", "metadata") or not value:
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise InvalidInput(name, "cannot be read")


def _reading(request: Request) -> Reach:
    return reach_of(request, Power.READ)


def _writing(request: Request) -> Reach:
    return reach_of(request, Power.WRITE)


Asked = Annotated[Ask, Depends(_asked)]
Reading = Annotated[Reach, Depends(_reading)]
Writing = Annotated[Reach, Depends(_writing)]
