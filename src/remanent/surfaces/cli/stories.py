"""The command about stories."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session


def stories(
    session: Session,
    anchor: Annotated[
        str | None,
        typer.Argument(metavar="[ANCHOR]", help="Whom or what they are about: a name or a key."),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", "-k", metavar="KIND", help="Only storyline or macro.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Only active, core or archived; else all but archived."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most so many.")] = 20,
) -> None:
    """What has been going on: storylines, and the great lines over them, newest first.

    `remanent show KEY` opens one with its sources.
    """
    from remanent.surfaces.cli import tales

    found = session.me.stories(kind=kind, anchor=anchor, state=state, limit=limit)
    session.screen.answer({"stories": found}, lambda: tales.stories(found, session.zone))
