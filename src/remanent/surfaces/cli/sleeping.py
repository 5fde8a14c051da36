"""Commands about sleep: have it now, and see when it comes by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from remanent.core.model.sleep import Slept


def sleep(
    session: Session,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="DATE",
            help="Make up for every night up to then, one by one, and not only the last missed.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="JOB", help="This job, due or not; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    all_users: Annotated[
        bool, typer.Option("--all-users", help="For everyone in this memory.")
    ] = False,
) -> None:
    """Do what is due while nobody waits: fade, consolidate, tell stories, forget.

    `remanent work --follow` does it by itself; `remanent timetable` says when.
    """
    from remanent.surfaces.cli import slept as views
    from remanent.surfaces.cli.errors import FAILED, INTERRUPTED
    from remanent.surfaces.cli.stopping import Stop

    screen, moment = session.screen, _until(session, until, all_users=all_users)
    with Stop(screen.stopping) as stop, screen.night() as progress:
        who = session.memory if all_users else session.me
        found = who.sleep(moment, only=only or (), dry_run=dry_run, progress=progress, stop=stop)
    slept = found if isinstance(found, list) else [found]
    screen.answer(
        {"slept": slept},
        lambda: views.nights([(one, _zone(session, one)) for one in slept], named=all_users),
    )
    if any(one.failed for one in slept):
        raise typer.Exit(FAILED)
    if stop():
        raise typer.Exit(INTERRUPTED)


def timetable(session: Session) -> None:
    """When each job of the night is due, and up to when it was done."""
    from remanent.surfaces.cli import slept as views

    rounds, now = session.me.timetable(), session.me.status().now
    zone = session.zone
    session.screen.answer(
        {"timezone": zone.key, "timetable": rounds}, lambda: views.timetable(rounds, zone, now)
    )


def _until(session: Session, text: str | None, *, all_users: bool) -> datetime | None:
    """The end of a day that was named, or now if that day is today."""
    from zoneinfo import ZoneInfo

    from remanent.clock import SystemClock
    from remanent.surfaces.cli.inputs import local_timezone, moment

    if text is None:
        return None
    zone = ZoneInfo(local_timezone()) if all_users else session.zone
    begins, ends = (moment("until", text, zone, last=last) for last in (False, True))
    return max(begins, min(ends, SystemClock().now()))


def _zone(session: Session, slept: Slept) -> ZoneInfo:
    from zoneinfo import ZoneInfo

    return ZoneInfo(session.memory.user(slept.user_id, create=False).profile.timezone)
