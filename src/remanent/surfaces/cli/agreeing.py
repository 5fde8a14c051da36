"""Asking once more before something is done that cannot be undone."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking once more.")]


def insist_agreed(session: Session, question: str, *, yes: bool) -> None:
    """Ask, where there is somebody to ask; elsewhere `--yes` has to be said."""
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.errors import FAILED

    if yes:
        return
    if session.options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("yes", f"{question} Say so with --yes")
    if not typer.confirm(question, default=False):
        session.screen.warn("Nothing was changed.")
        raise typer.Exit(FAILED)
