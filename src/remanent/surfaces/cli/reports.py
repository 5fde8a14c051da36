"""Reports for people's eyes: what an import did, which jobs there are. Nothing here prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.model.job import Job, JobState
from remanent.ingest.model import Carried
from remanent.surfaces.cli.views import clean, job_name, line, when

_MOST_SHOWN = 20
_STYLES = {JobState.PARKED: "red", JobState.RUNNING: "green", JobState.DONE: "dim"}


def record(carried: Carried) -> dict[str, Any]:
    """What an import did, as programs read it."""
    skipped = [{"where": one.where, "why": one.why} for one in carried.skipped]
    return {
        "added": carried.added,
        "grown": carried.grown,
        "changed": carried.changed,
        "known": carried.known,
        "skipped": skipped,
    }


def carried(done: Carried, *, dry_run: bool, worked: bool) -> RenderableType:
    """How much came in, and what did not."""
    new = done.added + done.grown + done.changed
    if not new and not done.known and not done.skipped:
        return Text("Nothing to import was found in it.")
    rows: list[RenderableType] = [
        Text("Nothing was written: this is what would come in.", style="yellow")
        if dry_run
        else Text("Imported", style="bold green"),
        _counts(done),
    ]
    if done.skipped:
        rows += [Text("\nSkipped", style="bold"), _skipped(done)]
    if new and not worked and not dry_run:
        rows.append(Text("`remanent work` reads it.", style="dim"))
    return Group(*rows)


def _counts(done: Carried) -> Table:
    told = (
        (done.added, "added", "new sources"),
        (done.grown, "grown", "went on; only what is new came in"),
        (done.changed, "changed", "rewritten; the new version came in beside the old one"),
        (done.known, "known", "here already, left alone"),
        (len(done.skipped), "skipped", "cannot be taken in"),
    )
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for count, name, meaning in told:
        if count or name == "added":
            table.add_row(f"{count:,}", name, meaning)
    return table


def _skipped(done: Carried) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", ratio=1)
    table.add_column(style="yellow", overflow="fold", ratio=1)
    for one in done.skipped[:_MOST_SHOWN]:
        table.add_row(Text(clean(one.where)), Text(clean(one.why)))
    more = len(done.skipped) - _MOST_SHOWN
    if more > 0:
        table.add_row(Text(f"and {more:,} more; --json lists all", style="dim"), "")
    return table


def jobs(found: Sequence[Job], counts: Mapping[str, int], zone: ZoneInfo) -> RenderableType:
    """Jobs under one another, and how many there are in all."""
    told = line(*((f"{count:,} {name}", "") for name, count in counts.items() if count))
    if not found:
        return Group(Text("No such jobs."), told) if told.plain else Text("No jobs.")
    return Group(*(_job(one, zone) for one in found), told)


def tended(what: str, done: Sequence[Job], zone: ZoneInfo) -> RenderableType:
    """The jobs that something was done to."""
    if not done:
        return Text("Nothing is parked.")
    return Group(Text(what, style="bold"), *(_job(one, zone) for one in done))


def _job(job: Job, zone: ZoneInfo) -> Group:
    attempts = f"{job.attempts} attempts" if job.attempts != 1 else "1 attempt"
    told = line(
        (job_name(job), "not dim cyan"),
        (job.state.value, f"not dim {_STYLES.get(job.state, 'yellow')}"),
        (attempts if job.attempts else "", ""),
        (f"due {when(job.run_at, zone)}" if job.state is JobState.READY else "", ""),
        (f"until {when(job.parked_until, zone)}" if job.parked_until else "", ""),
    )
    error = [Text(f"  {clean(job.error)}", style="red", overflow="fold")] if job.error else []
    return Group(told, *error)
