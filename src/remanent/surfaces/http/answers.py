"""What is answered: the same records that the command line prints as JSON, page by page where many."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TextIO, TypeVar

from fastapi import Request, Response
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse

from remanent.core.model.codec import to_record
from remanent.errors import InvalidInput

T = TypeVar("T")
JSON_LINES: Final = "application/jsonl"
_CHUNK: Final = 65_536
_FLEETING: Final = frozenset({"life", "updated_at", "now"})  # what looking at a thing changes
MOST: Final = 1000  # of what verbs hand back by rank, so many can be paged through


def said(thing: Any, status: int = 200) -> Response:
    """Things as JSON."""
    return Response(_text(thing), status, media_type="application/json")


def _text(thing: Any) -> bytes:
    record = to_record(thing)
    return json.dumps(record, ensure_ascii=False, default=_plain).encode("utf-8", "replace")


def _plain(value: object) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"{type(value).__name__} is no plain value")


def tagged(request: Request, thing: Any) -> Response:
    """One thing with its ETag, or that it is as it was. Being looked at is no change."""
    digest = hashlib.sha256(_text(_lasting(to_record(thing)))).hexdigest()[:32]
    tag = f'W/"{digest}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    asked = request.headers.get("if-none-match", "")
    known = {one.strip().removeprefix("W/").strip('"') for one in asked.split(",")}
    if digest in known or asked.strip() == "*":
        return Response(status_code=304, headers=headers)
    response = said(thing)
    response.headers.update(headers)
    return response


def _lasting(record: Any) -> Any:
    if isinstance(record, dict):
        return {name: _lasting(one) for name, one in record.items() if name not in _FLEETING}
    return [_lasting(one) for one in record] if isinstance(record, list) else record


def page(
    fetch: Callable[[int], Sequence[T]],
    key: Callable[[T], str],
    limit: int,
    after: str | None,
) -> dict[str, Any]:
    """So many of a list, from behind a cursor; `fetch` gives so many of the first of them, or all."""
    begin, last = (0, None) if after is None else _place(after)
    wanted = min(begin + limit, MOST)
    found = fetch(wanted)
    at = next((number + 1 for number, one in enumerate(found) if key(one) == last), begin)
    items = found[at : at + limit]
    end = at + len(items)
    more = bool(items) and (end < len(found) or len(found) == wanted < MOST)
    return {"items": items, "next": _cursor(end, key(items[-1])) if more else None}


def _cursor(number: int, last: str) -> str:
    text = json.dumps([number, last], ensure_ascii=True)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str) -> tuple[int, str]:
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
    return StreamingResponse(
        _chunks(path),
        media_type=JSON_LINES,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
        background=BackgroundTask(folder.cleanup),
    )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk
