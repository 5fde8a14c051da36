"""Commands about work: do it, look at it, try it again, let it go. And the past, from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from remanent.surfaces.cli.commands import command, forward
from remanent.surfaces.cli.session import FAILED, INTERRUPTED, Session, invalid
from remanent.surfaces.operations import operation
from remanent.surfaces.operations.schema import Flag, Param, Whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from remanent.core.model.job import Job
    from remanent.core.model.page import Worked
    from remanent.core.model.sleep import NightReport
    from remanent.core.records.spending import Cost

UNFINISHED = ("ready", "running", "parked")

# fmt: off
WORK = Param("work", Flag(), "Read and understand it now, or later.", True, cli="--work/--no-work")
ALL_USERS = Param("all_users", Flag(), "For everyone in this memory.", False)
_IMPORT = (
    WORK,
    Param("estimate", Flag(), "Only say what it would cost; send and write nothing.", False),
)
_WORK = (
    Param("workers", Whole(1, 64), "So many processes.", 1, cli="--workers -w N"),
    Param("follow", Flag(), "Go on when all is done, night after night, until Ctrl-C.", False,
        cli="--follow -f"),
)
# fmt: on


@command("work", *_WORK, face="Memory")
def work(session: Session, *, limit: int | None = None, workers: int, follow: bool) -> None:
    """Do the work that waits, and the sleep that is due.

    For everyone in this memory, or for one --user. What was added with --no-work, or failed before, is
    read, understood and settled. Ctrl-C stops after the job in hand, a second one at once.
    """
    everyone = session.options.user is None
    before, known = cost_so_far(session, everyone=everyone), _known(session)
    done, stopped = labour(session, limit, workers=workers, follow=follow)
    cost = cost_so_far(session, everyone=everyone).minus(before)
    counts = {"done": done.done, "retried": done.retried, "parked": done.parked}
    learned = {kind: count - known[kind] for kind, count in _known(session).items()}
    told = {"learned": learned} if done.done and learned else {}
    session.show(
        {**counts, **told, **_receipt(cost)}, "work.work", done, cost, learned=told.get("learned")
    )
    if done.parked:
        raise Exit(FAILED)
    if stopped and not follow:
        raise Exit(INTERRUPTED)


@command("import_file", *_IMPORT)
def import_(
    session: Session,
    *,
    path: str,
    as_: str | None = None,
    dry_run: bool,
    work: bool,
    estimate: bool,
) -> None:
    """Take in your past from a file or a folder.

    Importing the same again adds nothing; what has grown adds only what is new.
    """
    from remanent.core.model.codec import to_record

    if estimate:
        cost = session.me.estimate(path, as_)
        session.show({"estimate": {**to_record(cost), "cost": cost.cost}}, "admin.estimate", cost)
        return
    before = cost_so_far(session, everyone=False)
    with session.screen.bar("Importing", counts=True) as progress:
        report = session.me.import_file(path, as_, dry_run=dry_run, progress=progress)
    done, stopped = drain(session) if work and not dry_run else (None, False)
    spent = cost_so_far(session, everyone=False).minus(before)
    counts = {name: getattr(report, name) for name in ("added", "grown", "changed", "known")}
    skipped = [{"where": file.where, "why": file.why} for file in report.skipped]
    learned = None if done is None else session.me.learned(report.sources)
    told = {"skipped": skipped, "reasons": report.reasons, "worked": done, "learned": learned}
    record = {"dry_run": dry_run, **counts, **told, **_receipt(spent)}
    session.show(record, "work.import_report", report, spent, dry_run=dry_run, known=learned)
    if stopped:
        raise Exit(INTERRUPTED)


@command("jobs")
def list_(session: Session, limit: int, states: Sequence[str] = UNFINISHED) -> None:
    """What waits, what runs and what was parked, with its error; oldest first."""
    jobs = session.me.jobs(states, limit)
    counts = session.me.status().jobs
    session.show({"jobs": jobs, "counts": counts}, "work.jobs", jobs, counts)


@command("retry_job", Param("all_", Flag(), "Every parked job.", False, cli="--all"))
def retry(session: Session, *, key: str | None = None, all_: bool) -> None:
    """Give parked jobs all their attempts again; `remanent work` then does them."""
    jobs = _each(session, key, session.me.retry_job, option="--all", every=all_)
    session.show({"retried": jobs}, "work.changed_jobs", "To be tried again", jobs)


@command("drop_job", Param("all_parked", Flag(), "Every parked job.", False))
def drop(session: Session, *, key: str | None = None, all_parked: bool) -> None:
    """Let go of a job that is not done, also of one that is running. What it was to work on stays as it is."""
    jobs = _each(session, key, session.me.drop_job, option="--all-parked", every=all_parked)
    session.show({"dropped": jobs}, "work.changed_jobs", "Dropped", jobs)


learned = forward("learned", "work.learned", record="learned")
JOBS = (list_, retry, drop)


@command("sleep", operation("sleep").param("until"), ALL_USERS)
def sleep(session: Session, *, until: str | None, all_users: bool, **given: Any) -> None:
    """Do what is due while nobody waits: fade, consolidate, tell stories, forget.

    `remanent work --follow` does it by itself; `remanent timetable` says when.
    """
    from remanent.surfaces.cli.worker import Stop

    screen, moment = session.screen, _until(session, until, all_users=all_users)
    with Stop(screen.stopping, session.memory) as stop, screen.bar("Sleeping") as progress:
        who = session.memory if all_users else session.me
        result = who.sleep(moment, progress=progress, stop=stop, **given)
    nights = result if isinstance(result, list) else [result]
    zoned = [(night, _zone(session, night)) for night in nights]
    session.show({"slept": nights}, "work.nights", zoned, named=all_users)
    if any(night.failed for night in nights):
        raise Exit(FAILED)
    if stop():
        raise Exit(INTERRUPTED)


@command("timetable")
def timetable(session: Session) -> None:
    """When each job of the night is due, and up to when it was done."""
    table, now = session.me.timetable(), session.me.status().now
    record = {"timezone": session.zone.key, "timetable": table}
    session.show(record, "work.timetable", table, now=now)


@command("status")
def status(session: Session) -> None:
    """How much is known, and what is still to be done."""
    state, parked = session.me.status(), session.me.jobs(["parked"])
    session.show({"status": state, "parked": parked}, "work.status", state, parked)


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


def _zone(session: Session, slept: NightReport) -> ZoneInfo:
    from zoneinfo import ZoneInfo

    return ZoneInfo(session.memory.user(slept.user_id, create=False).profile.timezone)


def cost_so_far(session: Session, *, everyone: bool) -> Cost:
    """All that was ever spent for this user, or for everyone: a receipt tells what it has grown by."""
    from remanent.core.records.spending import Cost

    accounts = session.memory.spending() if everyone else [session.me.spending()]
    cost = Cost()
    for account in accounts:
        cost = cost.plus(account.total)
    return cost


def _known(session: Session) -> dict[str, int]:
    """How much is known of what is learned, where it is one user's work that is done; else nothing."""
    if session.options.user is None and len(session.memory.users()) != 1:
        return {}
    counts = session.me.status().counts
    return {kind: counts[kind] for kind in ("person", "belief", "relationships")}


def drain(session: Session) -> tuple[Worked, bool]:
    """Do what waits for this user under a progress bar; what was done, and whether somebody stopped it."""
    from remanent.surfaces.cli.worker import Stop

    screen = session.screen
    with Stop(screen.stopping, session.memory) as stop, screen.bar("Working", None) as progress:
        done = session.me.work(progress=progress, stop=stop)
    screen.worked(done)
    return done, stop()


def labour(
    session: Session, limit: int | None, *, workers: int, follow: bool
) -> tuple[Worked, bool]:
    """Do what is due for everyone, or for the user named, by day and by night."""
    from remanent.surfaces.cli.worker import Crew, Stop, shared, work_and_sleep

    named, screen = session.options.user, session.screen
    who = session.memory if named is None else session.me
    with Stop(screen.stopping, session.memory) as stop, screen.bar("Working", None) as progress:
        if workers > 1:
            limits = shared(limit, workers)
            crew = Crew(memory=session.config.memory, user=named, follow=follow, limits=limits)
            done = crew.work(progress=progress, stop=stop)
            screen.lost(crew.failed)
        else:
            rest = stop.wait if follow else None
            done = work_and_sleep(who, limit=limit, progress=progress, stop=stop, rest=rest)
    screen.worked(done)
    return done, stop()


def _receipt(cost: Cost) -> dict[str, Any]:
    """What a run cost, for programs; nothing where nobody was asked."""
    return {"cost": cost} if cost.calls else {}


def _each(
    session: Session, key: str | None, act: Callable[[str], Job], *, option: str, every: bool
) -> list[Job]:
    """What `act` does to the job named, or to every parked one."""
    from remanent.errors import UnknownKey
    from remanent.surfaces.cli.errors import NoJob

    if every == (key is not None):
        raise invalid("key", f"name one job, or say {option}")
    named = [job.key for job in session.me.jobs(["parked"], 1_000_000)] if key is None else [key]
    try:
        return [act(name) for name in named]
    except UnknownKey as problem:
        raise NoJob(problem.key) from None
