"""The command that derives a memory again, shows what would differ, and switches or does not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from remanent.backup.rebuild_api import Rebuilt


def rebuild(
    session: Session,
    mind: Annotated[
        str | None, typer.Option("--mind", metavar="NAME", help="Derive with this mind.")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", metavar="NAME", help="Derive with this embedder.")
    ] = None,
    switch: Annotated[
        bool, typer.Option("--switch", help="Use the new graph from now on, without asking.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Throw away what an earlier rebuild left.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would differ; leave nothing behind.")
    ] = False,
) -> None:
    """Derive all graphs again from the ledger, beside those in use, and show what differs.

    Nothing changes until you switch; search goes on meanwhile. A rebuild that was broken off, or not
    switched to, is gone on with by the next.
    """
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import rebuilt as views

    if switch + discard + dry_run > 1:
        raise InvalidInput("switch", "only one of --switch, --discard and --dry-run can be meant")
    screen = session.screen
    if discard:
        gone = session.memory.discard_rebuild()
        screen.answer({"discarded": gone}, lambda: views.discarded(gone=gone))
        return
    with screen.bar("Living through it again") as share:
        rebuilt = session.memory.rebuild(
            mind=mind, embedder=embedder, progress=lambda one: share(one.share), dry_run=dry_run
        )
    with rebuilt:
        if not session.options.json:
            screen.answer({}, lambda: views.differences(rebuilt))
        if switch or _agreed(session, rebuilt):
            with screen.busy("Switching"):
                rebuilt.switch()
        screen.answer(views.record(rebuilt), lambda: views.ending(rebuilt, dry_run=dry_run))


def _agreed(session: Session, rebuilt: Rebuilt) -> bool:
    """Ask, where there is somebody to ask and something to ask about."""
    if session.options.json or not rebuilt.is_open or not rebuilt.changes_anything:
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm("Use the new graph from now on?", default=False)
