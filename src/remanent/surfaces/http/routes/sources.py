"""Routes about sources: take in, list, read, undo, erase."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response

from remanent.core.model.node import Kind
from remanent.core.model.source import Source
from remanent.core.records.api_key import Power
from remanent.core.records.erasure import Erased
from remanent.erasure.model import Undone
from remanent.errors import InvalidInput
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import said, tagged
from remanent.surfaces.http.caller import Acting, Caller
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Added, Opened, Paged

router = new_router("sources")


@route(
    router,
    "POST",
    "/v1/sources",
    Route(verb="UserMemory.add", power=Power.WRITE, once=True, status=201),
    Added,
)
def add(caller: Acting, ask: asks.AddSource) -> Response:
    """Take in one source. It is on the disk when its key comes back; `work` then reads it."""
    given = ask.given("content")
    if isinstance(ask.content, list):
        content: Any = [one.model_dump(exclude_none=True) for one in ask.content]
    else:
        content = ask.content
    return said({"key": caller.user.add(content, **given)}, 201)


@route(router, "GET", "/v1/sources", Route(verb="UserMemory.sources"), Paged[Source])
def sources(caller: Acting, ask: Annotated[asks.ListSources, Query()]) -> Response:
    """The sources this user may see, newest first."""
    return said(_newest(caller, ask))


def _newest(caller: Caller, ask: asks.ListSources) -> dict[str, Any]:
    found = caller.user.sources(
        min(ask.limit + 1, 1000), after=ask.after, include_archived=ask.include_archived
    )
    items = found[: ask.limit]
    more = len(found) > ask.limit or len(found) == 1000
    return {"items": items, "next": items[-1].key if more else None}


@route(
    router,
    "GET",
    "/v1/sources/{key}",
    Route(verb="UserMemory.read", may_be_unchanged=True),
    Opened,
)
def source(request: Request, caller: Acting, key: str) -> Response:
    """One source with its passages; `key` may be the beginning of one. Looking is an access."""
    return tagged(request, opened(caller, key, Kind.SOURCE))


@route(
    router,
    "GET",
    "/v1/memories/{key}",
    Route(verb="UserMemory.read", may_be_unchanged=True),
    Opened,
)
def memory(request: Request, caller: Acting, key: str) -> Response:
    """One memory of any kind; `key` may be the beginning of one. Looking is an access."""
    return tagged(request, opened(caller, key))


def opened(caller: Caller, key: str, kind: Kind | None = None) -> dict[str, Any]:
    """A memory and all that hangs on it, as `remanent show` has it."""
    found = caller.user.read(key)
    if kind is not None and found.node.kind is not kind:
        raise InvalidInput("key", f"this is a {found.node.kind.value}, no {kind.value}")
    why = caller.user.why(found.node.key) if found.node.kind is Kind.BELIEF else []
    return {"kind": found.node.kind, "page": found, "why": why}


@route(
    router,
    "DELETE",
    "/v1/sources/{key}",
    Route(verb="UserMemory.erase", power=Power.WRITE, once=True),
    Erased,
)
@route(
    router,
    "DELETE",
    "/v1/memories/{key}",
    Route(verb="UserMemory.erase", power=Power.WRITE, once=True),
    Erased,
)
def erase(caller: Acting, key: str, ask: Annotated[asks.DryRunning, Query()]) -> Response:
    """Erase a memory and all that was drawn from it, for good, with a signed list of what went."""
    return said(caller.user.erase(key, dry_run=ask.dry_run))


@route(
    router,
    "POST",
    "/v1/sources/{key}/undo",
    Route(verb="UserMemory.undo", power=Power.WRITE, once=True),
    Undone,
)
def undo(caller: Acting, key: str, ask: asks.DryRunning | None = None) -> Response:
    """Take back all that one source caused; the source stays."""
    return said(caller.user.undo(key, dry_run=ask is not None and ask.dry_run))


@route(
    router,
    "POST",
    "/v1/sources/{key}/redo",
    Route(verb="UserMemory.redo", power=Power.WRITE, once=True),
    Added,
)
def redo(caller: Acting, key: str) -> Response:
    """Read a source again, as if it had just come in."""
    caller.user.redo(key)
    return said({"key": key})


@route(
    router,
    "POST",
    "/v1/sources/{key}/artifacts",
    Route(verb="UserMemory.produce", power=Power.WRITE, once=True, status=201),
    Added,
)
def produce(caller: Acting, key: str, ask: asks.Produce) -> Response:
    """Keep something that was made from a source; the artifact's key."""
    return said({"key": caller.user.produce(key, **ask.given())}, 201)
