"""Commands about work: do it, look at it, try it again, let it go. And the past, from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.session import Session
from remanent.surfaces.cli.watching import cost_so_far

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

    from remanent.core.model.job import Job
    from remanent.core.model.page import Worked
    from remanent.core.records.spending import Cost

UNFINISHED = ("ready", "running", "parked")

KeyArgument = Annotated[
    str | None,
    typer.Argument(metavar="KEY", help="As `jobs list` shows it; the beginning is enough."),
]


def work(
    session: Session,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", metavar="N", min=1, help="Stop after so many jobs."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", "-w", metavar="N", min=1, max=64, help="So many processes.")
    ] = 1,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", "-f", help="Go on when all is done, night after night, until Ctrl-C."
        ),
    ] = False,
) -> None:
    """Do the work that waits, and the sleep that is due.

    For everyone in this memory, or for one --user. What was added with --no-work, or failed before, is
    read, understood and settled. Ctrl-C stops after the job in hand, a second one at once.
    """
    from remanent.surfaces.cli import views
    from remanent.surfaces.cli.errors import FAILED, INTERRUPTED

    everyone = session.options.user is None
    before = cost_so_far(session, everyone=everyone)
    done, stopped = labour(session, limit, workers=workers, follow=follow)
    cost = cost_so_far(session, everyone=everyone).minus(before)
    session.screen.answer(
        {**_record(done), **_receipt(cost)}, lambda: _with_receipt(views.work(done), cost)
    )
    if done.parked:
        raise typer.Exit(FAILED)
    if stopped and not follow:
        raise typer.Exit(INTERRUPTED)


def import_(
    session: Session,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="An export, a mailbox, a transcript or a folder.")
    ],
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="chatgpt, claude, mail, slack, transcripts, markdown or jsonl. "
            "[default: told from the file]",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would come in.")
    ] = False,
    work: Annotated[
        bool, typer.Option("--work/--no-work", help="Read and understand it now, or later.")
    ] = True,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only say what it would cost; send and write nothing."),
    ] = False,
) -> None:
    """Take in your past from a file or a folder.

    Importing the same again adds nothing; what has grown adds only what is new.
    """
    from remanent.surfaces.cli import reports
    from remanent.surfaces.cli.errors import INTERRUPTED

    if estimate:
        _estimated(session, path, as_)
        return
    before = cost_so_far(session, everyone=False)
    with session.screen.share("Importing") as progress:
        carried = session.me.import_file(path, as_, dry_run=dry_run, progress=progress)
    done, stopped = drain(session) if work and not dry_run else (None, False)
    cost = cost_so_far(session, everyone=False).minus(before)
    session.screen.answer(
        {"dry_run": dry_run, **reports.record(carried), "worked": done, **_receipt(cost)},
        lambda: _with_receipt(
            reports.carried(carried, dry_run=dry_run, worked=done is not None), cost
        ),
    )
    if stopped:
        raise typer.Exit(INTERRUPTED)


def list_(
    session: Session,
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            "-s",
            metavar="STATE",
            help="ready, running, done or parked; repeatable. [default: all but done]",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many.")
    ] = 50,
) -> None:
    """What waits, what runs and what was parked, with its error; oldest first."""
    from remanent.surfaces.cli import reports

    found = session.me.jobs(state or UNFINISHED, limit)
    counts = session.me.status().jobs
    session.screen.answer(
        {"jobs": found, "counts": counts}, lambda: reports.jobs(found, counts, session.zone)
    )


def retry(
    session: Session,
    key: KeyArgument = None,
    all_: Annotated[bool, typer.Option("--all", help="Every parked job.")] = False,
) -> None:
    """Give parked jobs all their attempts again; `remanent work` then does them."""
    from remanent.surfaces.cli import reports

    tried = _each(session, key, session.me.retry_job, option="--all", every=all_)
    session.screen.answer(
        {"retried": tried}, lambda: reports.tended("To be tried again", tried, session.zone)
    )


def drop(
    session: Session,
    key: KeyArgument = None,
    all_parked: Annotated[bool, typer.Option("--all-parked", help="Every parked job.")] = False,
) -> None:
    """Let go of a parked or waiting job. What it was to work on stays as it is."""
    from remanent.surfaces.cli import reports

    dropped = _each(session, key, session.me.drop_job, option="--all-parked", every=all_parked)
    session.screen.answer(
        {"dropped": dropped}, lambda: reports.tended("Dropped", dropped, session.zone)
    )


JOBS = (list_, retry, drop)


def drain(session: Session) -> tuple[Worked, bool]:
    """Do what waits for this user under a progress bar; what was done, and whether somebody stopped it."""
    from remanent.surfaces.cli.stopping import Stop

    screen = session.screen
    with Stop(screen.stopping) as stop, screen.progress("Working") as progress:
        done = session.me.work(progress=progress, stop=stop)
    screen.worked(done)
    return done, stop()


def labour(
    session: Session, limit: int | None, *, workers: int, follow: bool
) -> tuple[Worked, bool]:
    """Do what is due for everyone, or for the user named, by day and by night."""
    from remanent.surfaces.cli.crew import Crew, Order, shared
    from remanent.surfaces.cli.stopping import Stop
    from remanent.surfaces.cli.worker import rounds

    named, screen = session.options.user, session.screen
    who = session.memory if named is None else session.me
    with Stop(screen.stopping) as stop, screen.progress("Working") as progress:
        if workers > 1:
            limits = shared(limit, workers)
            order = Order(memory=session.config.memory, user=named, follow=follow, limits=limits)
            crew = Crew(order)
            done = crew.work(progress=progress, stop=stop)
            screen.lost(crew.failed)
        else:
            rest = stop.wait if follow else None
            done = rounds(who, limit=limit, progress=progress, stop=stop, rest=rest)
    screen.worked(done)
    return done, stop()


def _estimated(session: Session, path: str, as_: str | None) -> None:
    from remanent.core.model.codec import to_record
    from remanent.surfaces.cli import watched

    found = session.me.estimate(path, as_)
    record = {**to_record(found), "cost": found.cost}
    session.screen.answer({"estimate": record}, lambda: watched.estimate(found))


def _record(done: Worked) -> dict[str, Any]:
    return {"done": done.done, "retried": done.retried, "parked": done.parked}


def _receipt(cost: Cost) -> dict[str, Any]:
    """What a run cost, for programs; nothing where nobody was asked."""
    return {"cost": cost} if cost.calls else {}


def _with_receipt(view: RenderableType, cost: Cost) -> RenderableType:
    from rich.console import Group

    from remanent.surfaces.cli import watched

    return Group(view, watched.receipt(cost)) if cost.calls else view


def _each(
    session: Session, key: str | None, tend: Callable[[str], Job], *, option: str, every: bool
) -> list[Job]:
    """What `tend` does to the job named, or to every parked one."""
    from remanent.errors import InvalidInput, UnknownKey
    from remanent.surfaces.cli.errors import NoJob

    if every == (key is not None):
        raise InvalidInput("key", f"name one job, or say {option}")
    named = [one.key for one in session.me.jobs(["parked"], 1_000_000)] if key is None else [key]
    try:
        return [tend(one) for one in named]
    except UnknownKey as problem:
        raise NoJob(problem.key) from None
