"""Routes that carry things in and out: uploads of exports, a whole memory as a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from fastapi import Body, Query, Response

from remanent.core.records.api_key import Power
from remanent.core.records.export import Imported
from remanent.core.records.spending import Estimate
from remanent.errors import InvalidInput
from remanent.ingest.model import Carried
from remanent.surfaces.http import asks
from remanent.surfaces.http.answers import JSON_LINES, lines, said
from remanent.surfaces.http.caller import Acting, Keeping, Whom
from remanent.surfaces.http.routes.beliefs import LINES
from remanent.surfaces.http.routing import Route, new_router, route

router = new_router("carrying")
BYTES: Final = "application/octet-stream"
Sent = Annotated[bytes, Body(media_type=BYTES)]


@contextmanager
def _file(name: str, content: bytes) -> Iterator[Path]:
    """What was sent, as a file for as long as it is read. Where that was is not told."""
    with TemporaryDirectory(prefix="remanent-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            yield path
        except InvalidInput as error:
            problem = error.problem.replace(f"{folder}{os.sep}", "")
            raise InvalidInput(error.field, problem) from None


@route(
    router,
    "POST",
    "/v1/imports",
    Route(verb="UserMemory.import_file", power=Power.WRITE, once=True, takes=BYTES),
    Carried,
)
def import_file(caller: Acting, ask: Annotated[asks.Upload, Query()], body: Sent) -> Response:
    """Take in a file of an export, a mailbox or a transcript; what is known already is left alone."""
    with _file(ask.name, body) as path:
        return said(caller.user.import_file(path, ask.format, dry_run=ask.dry_run))


@route(
    router,
    "POST",
    "/v1/imports/estimate",
    Route(verb="UserMemory.estimate", takes=BYTES),
    Estimate,
)
def estimate(caller: Acting, ask: Annotated[asks.Upload, Query()], body: Sent) -> Response:
    """What an import of this would cost with the mind in use."""
    with _file(ask.name, body) as path:
        return said(caller.user.estimate(path, ask.format))


@route(router, "GET", "/v1/export", Route(verb="UserMemory.export", content=LINES))
def export(caller: Acting) -> Response:
    """All that is this user's, as JSON lines that `import-memory` takes in again."""
    return lines(caller.user.export, "memory.jsonl")


@route(
    router,
    "GET",
    "/v1/all/export",
    Route(verb="Memory.export", power=Power.MANAGE, whom=Whom.SERVICE, content=LINES),
)
def export_all(keeper: Keeping) -> Response:
    """The whole memory, of all users, as JSON lines."""
    return lines(keeper.memory.export, "memory.jsonl")


@route(
    router,
    "POST",
    "/v1/all/import",
    Route(verb="Memory.import_memory", power=Power.MANAGE, whom=Whom.SERVICE, takes=JSON_LINES),
    Imported,
)
def import_memory(
    keeper: Keeping,
    ask: Annotated[asks.DryRunning, Query()],
    body: Annotated[bytes, Body(media_type=JSON_LINES)],
) -> Response:
    """Take in what `export` wrote; all of it or nothing."""
    with _file("memory.jsonl", body) as path:
        return said(keeper.memory.import_memory(path, dry_run=ask.dry_run))
