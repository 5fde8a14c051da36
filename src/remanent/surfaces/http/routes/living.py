"""Routes about how long memories stay."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from remanent.core.model.lifecycle_reports import Curve, Forgettable, Living
from remanent.core.records.api_key import Power
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import page, said
from remanent.surfaces.http.caller import Acting
from remanent.surfaces.http.routing import Route, new_router, route
from remanent.surfaces.http.shapes import Paged

router = new_router("living")


def _write(verb: str) -> Route:
    return Route(verb=f"UserMemory.{verb}", power=Power.WRITE, once=True)


@route(router, "POST", "/v1/memories/{key}/touch", _write("touch"), Living)
def touch(caller: Acting, key: str) -> Response:
    """Count one access to a memory or relationship."""
    return said(caller.user.touch(key))


@route(router, "POST", "/v1/memories/{key}/pin", _write("pin"), Living)
def pin(caller: Acting, key: str) -> Response:
    """Keep a memory or relationship for ever."""
    return said(caller.user.pin(key))


@route(router, "POST", "/v1/memories/{key}/unpin", _write("unpin"), Living)
def unpin(caller: Acting, key: str) -> Response:
    """Let what was pinned fade again, from now on."""
    return said(caller.user.unpin(key))


@route(router, "POST", "/v1/memories/{key}/archive", _write("archive"), Living)
def archive(caller: Acting, key: str, ask: asks.Archive | None = None) -> Response:
    """Take a memory or relationship out of default search; its key still leads to it."""
    return said(caller.user.archive(key, "" if ask is None else ask.reason))


@route(router, "POST", "/v1/memories/{key}/restore", _write("restore"), Living)
def restore(caller: Acting, key: str) -> Response:
    """Call an archived memory or relationship back."""
    return said(caller.user.restore(key))


@route(router, "GET", "/v1/memories/{key}/curve", Route(verb="UserMemory.curve"), Curve)
def curve(caller: Acting, key: str, ask: Annotated[asks.Ahead, Query()]) -> Response:
    """How present a memory will be if nobody asks for it. Looking ahead is no access."""
    return said(caller.user.curve(key, ask.days))


@route(router, "GET", "/v1/forgettable", Route(verb="UserMemory.forgettable"), Paged[Forgettable])
def forgettable(caller: Acting, ask: Annotated[asks.Paging, Query()]) -> Response:
    """The sources that would be missed least, least first, each with the reason."""
    return said(page(caller.user.forgettable, lambda one: one.key, ask.limit, ask.after))
