"""Commands that take something away for good, and check the paper about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.agreeing import Yes
from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from remanent.core.records.erasure import Erased


def erase(
    session: Session,
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="KEY",
            help="Key of a source, person, artifact or belief, or its beginning; the id of an event "
            "or a session.",
        ),
    ] = None,
    user_and_all: Annotated[
        str | None,
        typer.Option("--user-and-all", metavar="ID", help="Erase this user with all of theirs."),
    ] = None,
    compact: Annotated[
        bool | None,
        typer.Option(
            "--compact/--no-compact",
            help="Write the file anew afterwards [default: unless it is larger than 1 GiB].",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Keep the signed paper in this file."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Yes = False,
) -> None:
    """Erase something for good, with all that came of it, from every store and for everyone.

    What would go is shown first. There is no way back; `undo` takes back what a source caused and
    keeps the source, `forget` puts a belief out of mind.
    """
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import erased as views

    if (key is None) == (user_and_all is None):
        raise InvalidInput("key", "say what to erase: a KEY, or --user-and-all ID")
    planned = _erased(session, key, user_and_all, compact, dry_run=True)
    if dry_run:
        session.screen.answer(planned, lambda: views.planned(planned))
        return
    _insist_agreed(session, planned, yes=yes)
    done = _erased(session, key, user_and_all, compact, dry_run=False)
    if certificate is not None:
        certificate.write_text(views.paper(done), encoding="utf-8")
    session.screen.answer(done, lambda: views.erased(done))


def verify_erasure(
    session: Session,
    certificate: Annotated[Path, typer.Argument(metavar="FILE", help="The paper, as JSON.")],
) -> None:
    """Say whether this memory signed a paper about an erasure, and nothing in it was changed since."""
    import json

    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import erased as views

    try:
        paper = json.loads(certificate.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InvalidInput("certificate", f"{certificate} cannot be read: {problem}") from None
    genuine = isinstance(paper, dict) and session.memory.verify_erasure(paper)
    session.screen.answer({"genuine": genuine}, lambda: views.verified(genuine=genuine))
    if not genuine:
        raise typer.Exit(1)


def _erased(
    session: Session,
    key: str | None,
    user_id: str | None,
    compact: bool | None,
    *,
    dry_run: bool,
) -> Erased:
    doing = "Looking at what would go" if dry_run else "Erasing"
    with session.screen.busy(doing):
        if user_id is not None:
            return session.memory.erase_user(user_id, dry_run=dry_run)
        return session.me.erase(key or "", dry_run=dry_run, compact=compact)


def _insist_agreed(session: Session, planned: Erased, *, yes: bool) -> None:
    from remanent.surfaces.cli import erased as views
    from remanent.surfaces.cli.agreeing import insist_agreed

    if not yes and not session.options.json:
        session.screen.answer({}, lambda: views.planned(planned))
    insist_agreed(session, "Erase all this for good?", yes=yes)
