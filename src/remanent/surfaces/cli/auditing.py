"""Commands that look at what was done, and by whom."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session


def log(
    session: Session,
    mine: Annotated[bool, typer.Option("--mine", help="Only what the user of --user did.")] = False,
    team: Annotated[
        str | None,
        typer.Option(metavar="ID", help="What was done in this team; for its owners and admins."),
    ] = None,
    after: Annotated[
        int, typer.Option(metavar="NUMBER", help="Only deeds beyond this number.")
    ] = 0,
    limit: Annotated[int, typer.Option(metavar="N", help="How many at most.")] = 100,
) -> None:
    """Who did what to teams, keys and whole memories, and who was refused.

    Without --mine and --team it is everybody's: whoever runs the memory may see that.
    """
    from remanent.surfaces.cli import teamed
    from remanent.surfaces.cli.keys import zone_of

    if mine or team is not None:
        found = session.me.audit(team, after, limit)
    else:
        found = session.memory.audit(after, limit)
    session.screen.answer({"deeds": found}, lambda: teamed.deeds(found, zone_of()))


AUDIT = (log,)
