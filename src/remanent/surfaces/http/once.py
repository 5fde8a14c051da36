"""Idempotency keys: a write that its caller has named is done once, and answered as often as asked."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from remanent.core.model.keys import key_for
from remanent.errors import InvalidInput
from remanent.surfaces.http.caller import Caller, door_of
from remanent.surfaces.http.problems import InHand, Reused

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
REPLAY: Final = "Idempotent-Replay"
_LONGEST: Final = 255
_FAILED: Final = 500


async def answered_once(
    request: Request, name: str, answer: Callable[[Request], Awaitable[Response]]
) -> Response:
    """What this request is answered, or was when it came first."""
    if not 1 <= len(name) <= _LONGEST:
        raise InvalidInput(IDEMPOTENCY_KEY, f"must have 1 to {_LONGEST} characters")
    once, caller = door_of(request).memory.once, _caller(request)
    digest = _digest(request, await request.body())
    found, is_ours = await run_in_threadpool(
        once.begin, caller.user.user_id, caller.asker, name, digest
    )
    if not is_ours:
        if found.request != digest:
            raise Reused
        if found.status is None:
            raise InHand
        headers = {REPLAY: "true"}
        return Response(found.body, found.status, media_type=found.media, headers=headers)
    try:
        response = await answer(request)
    except BaseException:  # an error is no answer to keep: corrected, the request may come again
        await run_in_threadpool(once.drop, found)
        raise
    body = bytes(getattr(response, "body", b""))
    if response.status_code >= _FAILED or not body:
        await run_in_threadpool(once.drop, found)
        return response
    media = response.headers.get("content-type", "")
    await run_in_threadpool(
        lambda: once.finish(found, status=response.status_code, media=media, body=body)
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
    said = (
        request.method,
        request.scope["path"],
        request.url.query,
        request.headers.get("remanent-team", ""),
        body.decode("utf-8", "surrogateescape"),
    )
    text = "\x1f".join(said).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()
