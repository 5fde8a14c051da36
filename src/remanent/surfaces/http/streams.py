"""Server-sent events: what goes on, told while it goes on."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any, Final, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from remanent.clock import stopwatch
from remanent.core.model.codec import to_record
from remanent.errors import RemanentError, Unauthorized
from remanent.surfaces.http.caller import Door, door_of, is_good
from remanent.surfaces.http.problems import record_of

MEDIA: Final = "text/event-stream"
_LOOK_SECONDS: Final = 1.0  # between two looks at a list, and at whether the server ends
_HEARTBEAT: Final = b": still here\n\n"

T = TypeVar("T")
Tell = Callable[[str, Any], None]
Stop = Callable[[], bool]


def wants_stream(request: Request) -> bool:
    """Whether the caller would rather hear of progress than wait for the end."""
    return MEDIA in request.headers.get("accept", "")


def event(name: str, thing: Any, number: int | None = None) -> bytes:
    """One event as it goes over the wire."""
    data = json.dumps(to_record(thing), ensure_ascii=False)  # one line: JSON writes \\n for a break
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {data}\n\n".encode("utf-8", "replace")


def streamed(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Events one by one; nobody between us and the caller may hold them back."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    return StreamingResponse(events, media_type=MEDIA, headers=headers)


def told(request: Request, run: Callable[[Tell, Stop], Any]) -> StreamingResponse:
    """Run something long in a thread and tell what it tells, then `done` with what it did. It is asked to
    stop when the caller goes away, their key is no good any more, or the server ends."""

    def guarded(tell: Tell, stop: Stop) -> Any:
        return run(tell, lambda: stop() or not is_good(request))

    return streamed(progress(door_of(request), request.scope["path"], guarded))


async def progress(
    door: Door, instance: str, run: Callable[[Tell, Stop], Any]
) -> AsyncGenerator[bytes, None]:
    """The events of something that runs in a thread."""
    loop, gone = asyncio.get_running_loop(), threading.Event()
    heard: asyncio.Queue[bytes | None] = asyncio.Queue()

    def say(line: bytes | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(heard.put_nowait, line)

    def work() -> None:
        try:
            done = run(
                lambda name, thing: say(event(name, thing)),
                lambda: gone.is_set() or door.stopping.is_set(),
            )
            say(event("done", done))
        except RemanentError as error:
            say(event("problem", record_of(error, instance)))
        finally:
            say(None)

    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        while True:
            try:
                line = await asyncio.wait_for(heard.get(), door.rules.heartbeat_seconds or None)
            except TimeoutError:
                yield _HEARTBEAT
                continue
            if line is None:
                break
            yield line
        await task
    finally:
        gone.set()  # the job in hand is finished in its thread; nobody waits for it here


async def watched(
    request: Request, look: Callable[[], Mapping[str, Any]], is_over: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """What changes in a list of things by key: each as it is first, then whenever it is another. It ends
    with the key that it was asked for with."""
    door = door_of(request)
    known: Mapping[str, Any] = {}
    number, quiet_since = 0, stopwatch()
    while not door.stopping.is_set():
        try:
            found = await run_in_threadpool(_allowed, request, look)
        except RemanentError as error:
            yield event("problem", record_of(error, request.scope["path"]))
            return
        for key, thing in found.items():
            if known.get(key) != thing:
                number += 1
                quiet_since = stopwatch()
                yield event("job", thing, number)
        known = found
        if is_over():
            yield event("done", {"jobs": len(found)})
            return
        if stopwatch() - quiet_since >= door.rules.heartbeat_seconds:
            quiet_since = stopwatch()
            yield _HEARTBEAT
        await asyncio.sleep(_LOOK_SECONDS)


def _allowed(request: Request, look: Callable[[], T]) -> T:
    if not is_good(request):
        raise Unauthorized
    return look()


def until(seconds: float, stop: Stop) -> Stop:
    """`stop`, or once so many seconds have passed."""
    end = stopwatch() + seconds
    return lambda: stop() or stopwatch() > end
