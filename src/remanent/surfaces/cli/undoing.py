"""Commands that take back what a source caused, and read it again."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

SourceKey = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A source's key, or the beginning of one.")
]


def undo(
    session: Session,
    source: SourceKey,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be taken back.")
    ] = False,
) -> None:
    """Take back all that one source caused, and what depended on it.

    Notes, mentions, relationships and beliefs that came from it go; what it had replaced comes back.
    The source itself stays, and is not read again unless you say so: `remanent redo SOURCE`.
    """
    from remanent.surfaces.cli import undone as views

    with session.screen.busy("Taking it back"):
        undone = session.me.undo(source, dry_run=dry_run)
    session.screen.answer(undone, lambda: views.undone(undone, session.zone))


def redo(session: Session, source: SourceKey) -> None:
    """Read a source again, such as one that was undone."""
    from remanent.surfaces.cli import undone as views

    with session.screen.busy("Reading"):
        session.me.redo(source)
        opened = session.me.read(source)
    session.screen.answer(opened, lambda: views.redone(opened))
