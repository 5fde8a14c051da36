"""Answers: JSON records, pages with cursors, files of JSON lines, and streams of server-sent events."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TextIO, TypeVar

from fastapi import Request, Response
from pydantic import ConfigDict, TypeAdapter
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, StreamingResponse

from remanent.clock import stopwatch
from remanent.core.model.codec import to_record
from remanent.errors import InvalidInput, RemanentError, Unauthorized
from remanent.surfaces.http.caller import Door, door_of, is_good
from remanent.surfaces.http.problems import record_of

T = TypeVar("T")
JSON_LINES: Final = "application/jsonl"
_FLEETING: Final = frozenset({"life", "updated_at", "now"})  # what looking at a thing changes
_INNER: Final = (dict, list)
# A quarter of the time that `json` takes.
_JSON: Final[TypeAdapter[Any]] = TypeAdapter(
    Any, config=ConfigDict(ser_json_inf_nan="constants", ser_json_timedelta="float")
)
MOST: Final = 1000  # of what verbs hand back by rank, so many can be paged through


def json_response(thing: Any, status: int = 200) -> Response:
    """Things as JSON."""
    return Response(_text(to_record(thing)), status, media_type="application/json")


def _text(record: Any) -> bytes:
    try:
        return _JSON.dump_json(record)
    except ValueError:  # half a character, as of a cut emoji, has no UTF-8
        return json.dumps(record, ensure_ascii=False, default=_plain).encode("utf-8", "replace")


def _plain(value: object) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"{type(value).__name__} is no plain value")


def etag_response(request: Request, thing: Any) -> Response:
    """One thing with its ETag, or that it is as it was. Being looked at is no change."""
    record = to_record(thing)
    digest = hashlib.sha256(_text(_lasting(record))).hexdigest()[:32]
    tag = f'W/"{digest}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    tags = request.headers.get("if-none-match", "")
    known = {one.strip().removeprefix("W/").strip('"') for one in tags.split(",")}
    if digest in known or tags.strip() == "*":
        return Response(status_code=304, headers=headers)
    return Response(_text(record), media_type="application/json", headers=headers)


def _lasting(record: Any) -> Any:
    if isinstance(record, list):
        return [_lasting(one) if type(one) in _INNER else one for one in record]
    lasting = ((name, one) for name, one in record.items() if name not in _FLEETING)
    return {name: _lasting(one) if type(one) in _INNER else one for name, one in lasting}


def page(
    fetch: Callable[[int], Sequence[T]], key: Callable[[T], str], limit: int, after: str | None
) -> dict[str, Any]:
    """So many of a list, from behind a cursor; `fetch` gives so many of the first of them, or all."""
    begin, last = (0, None) if after is None else place_of(after)
    wanted = min(begin + limit, MOST)
    fetched = fetch(wanted)
    at = next((number + 1 for number, one in enumerate(fetched) if key(one) == last), begin)
    items = fetched[at : at + limit]
    end = at + len(items)
    more = bool(items) and (end < len(fetched) or len(fetched) == wanted < MOST)
    return {"items": items, "next": cursor(end, key(items[-1])) if more else None}


def cursor(number: int, last: str) -> str:
    """Where a page ends, as its callers hand it back."""
    text = json.dumps([number, last], ensure_ascii=True)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str) -> tuple[int, str]:
    """Where a page of ours ended: how many lie before, and the last of them."""
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        number, last = json.loads(text)
    except (UnicodeError, binascii.Error, ValueError, TypeError, RecursionError):
        raise InvalidInput("after", "is no cursor of ours") from None
    if not isinstance(number, int) or not isinstance(last, str) or not 0 < number < 1 << 53:
        raise InvalidInput("after", "is no cursor of ours")
    return number, last


def lines(write: Callable[[TextIO], object], name: str) -> Response:
    """A file of JSON lines, written first and sent then: what fails while it is written is an error,
    not half an answer."""
    folder = TemporaryDirectory(prefix="remanent-")
    path = Path(folder.name) / name
    try:
        with path.open("w", encoding="utf-8") as stream:
            write(stream)
    except BaseException:
        folder.cleanup()
        raise
    after = BackgroundTask(folder.cleanup)
    return FileResponse(path, media_type=JSON_LINES, filename=name, background=after)


MEDIA: Final = "text/event-stream"
_LOOK_SECONDS: Final = 1.0  # between two looks at a list, and at whether the server ends
_HEARTBEAT: Final = b": still here\n\n"

Tell = Callable[[str, Any], None]
Stop = Callable[[], bool]


def event(name: str, thing: Any, number: int | None = None) -> bytes:
    """One event as it goes over the wire."""
    data = json.dumps(to_record(thing), ensure_ascii=False)  # one line: JSON writes \\n for a break
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {data}\n\n".encode("utf-8", "replace")


def stream_response(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Events one by one; nobody between us and the caller may hold them back."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    return StreamingResponse(events, media_type=MEDIA, headers=headers)


def stream_progress(request: Request, run: Callable[[Tell, Stop], Any]) -> StreamingResponse:
    """Run something long in a thread and tell what it tells, then `done` with what it did. It is asked to
    stop when the caller goes away, their key is no good any more, or the server ends."""

    def guarded(tell: Tell, stop: Stop) -> Any:
        return run(tell, lambda: stop() or not is_good(request))

    return stream_response(progress(door_of(request), request.scope["path"], guarded))


async def progress(
    door: Door, instance: str, run: Callable[[Tell, Stop], Any]
) -> AsyncGenerator[bytes, None]:
    """The events of something that runs in a thread."""
    loop, gone = asyncio.get_running_loop(), threading.Event()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(line: bytes | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def work() -> None:
        try:
            done = run(
                lambda name, thing: send(event(name, thing)),
                lambda: gone.is_set() or door.stopping.is_set(),
            )
            send(event("done", done))
        except RemanentError as error:
            send(event("problem", record_of(error, instance)))
        finally:
            send(None)

    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        while True:
            try:
                line = await asyncio.wait_for(queue.get(), door.rules.heartbeat_seconds or None)
            except TimeoutError:
                yield _HEARTBEAT
                continue
            if line is None:
                break
            yield line
        await task
    finally:
        gone.set()  # the job in hand is finished in its thread; nobody waits for it here


async def watch(
    request: Request, look: Callable[[], Mapping[str, Any]], is_over: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """What changes in a list of things by key: each as it is first, then whenever it is another. It ends
    with the key that it was asked for with."""
    door = door_of(request)
    known: Mapping[str, Any] = {}
    number, quiet_since = 0, stopwatch()
    while not door.stopping.is_set():
        try:
            current = await run_in_threadpool(_allowed, request, look)
        except RemanentError as error:
            yield event("problem", record_of(error, request.scope["path"]))
            return
        for key, thing in current.items():
            if known.get(key) != thing:
                number += 1
                quiet_since = stopwatch()
                yield event("job", thing, number)
        known = current
        if is_over():
            yield event("done", {"jobs": len(current)})
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
