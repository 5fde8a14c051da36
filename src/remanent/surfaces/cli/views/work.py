"""Views of nights, timetables, imports, jobs and the status of a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.core.model.job import Job, JobState
from remanent.core.model.page import Status, Worked
from remanent.core.model.sleep import Change, NightReport, ScheduledJob, Skipped, SkipReason
from remanent.core.records.spending import Cost
from remanent.ingest.rules.dedupe import ImportReport, Learned
from remanent.surfaces.cli.views.admin import cost_line
from remanent.surfaces.cli.views.basics import (
    clean,
    facts,
    grid,
    job_name,
    per_user,
    read_up_to,
    short,
    when,
)
from remanent.surfaces.cli.views.cards import card, text_of
from remanent.surfaces.cli.views.events import lag

_PLURALS = {"person": "people", "entity": "entities", "summary": "summaries"} | {
    state: state for state in ("ready", "running", "done", "parked")
}

_MOST_SHOWN = 5
_MOST_SKIPPED = 8
_NAME = 60  # characters; what is named after its text is cut at a word
_WEEK = timedelta(days=7)
# The order in which a night is told; what is not named here comes after, by name.
_ORDER = ("promoted", "refreshed", "described", "faded", "archived", "merged", "forgotten", "pruned", "expired")  # fmt: skip
_LOSSES = {"faded", "archived", "forgotten", "pruned", "expired", "closed", "weakened"}
_WHY = {
    SkipReason.OFF: "switched off in the settings",
    SkipReason.HELD: "another worker has it in hand",
    SkipReason.DONE: "another worker has just done it",
    SkipReason.WAITS: "comes after what another worker has in hand",
    SkipReason.STOPPED: "stopped before it",
    SkipReason.FAILED: "failed before",
}


def nights(slept: Sequence[tuple[NightReport, ZoneInfo]], *, named: bool) -> RenderableType:
    """One report for each user, under their name where there are several."""
    return per_user(((one.user_id, night(one, zone)) for one, zone in slept), named=named)


def night(slept: NightReport, zone: ZoneInfo) -> RenderableType:
    """What was done, grouped; or that there was nothing to do."""
    failed = slept.worked.parked + slept.worked.retried
    rows: list[RenderableType] = list(card(_BEFORE, slept, failed=failed).renderables)
    rows += [*_groups(slept), *_left(slept), *_skipped(slept, zone)]
    if not any(sum(one.counts.values()) for one in slept.outcomes):
        skipped = any(one.because is not SkipReason.OFF for one in slept.skipped)
        rows.insert(0, Text("Nothing was done." if skipped else _idle(slept, zone)))
        return Group(*rows)
    if slept.next is not None and not slept.dry_run:
        rows.append(Text(f"Next: {_coming(slept.next, slept.at, zone)}.", style="dim"))
    return Group(*rows)


def _idle(slept: NightReport, zone: ZoneInfo) -> str:
    if slept.next is None:
        return "Nothing to do, and nothing will be: every job is switched off."
    return f"Nothing to do; next: {_coming(slept.next, slept.at, zone)}."


def _coming(one: ScheduledJob, now: datetime, zone: ZoneInfo) -> str:
    job = one.job.value
    if one.due is not None:
        return f"{job}, due since {soon(one.due, now, zone)}"
    return f"{job} at {soon(one.next, now, zone)}" if one.next is not None else job


def soon(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    """A moment as one says it: with the day only where it is not today, the date where it is far."""
    local, today = moment.astimezone(zone), now.astimezone(zone)
    if local.date() == today.date():
        return f"{local:%H:%M}"
    if abs(local - today) < _WEEK:
        return f"{local:%a %H:%M}"
    form = "%d %b %H:%M" if local.year == today.year else "%d %b %Y"
    return local.strftime(form).lstrip("0")


_BEFORE = (  # what the night began with
    "[yellow]{?dry_run}Nothing was written: this is what would be done.[/]\n"
    "[dim]{?waiting}{waiting:#job} that waited would be done first.[/]\n"
    "[dim]{?worked.done}{worked.done:#job} that waited done first.[/]\n"
    "[yellow]{?failed}{failed:#job} that waited failed; `remanent jobs list` says why.[/]"
)


def _groups(slept: NightReport) -> Iterable[RenderableType]:
    counts: Counter[str] = Counter()
    for rest in slept.outcomes:
        counts.update(rest.counts)
    changes = [change for rest in slept.outcomes for change in rest.changes]
    order = {what: number for number, what in enumerate(_ORDER)}
    for what in sorted(counts, key=lambda one: (order.get(one, len(order)), one)):
        if counts[what]:
            yield _group(what, counts[what], [one for one in changes if one.what == what])


def _group(what: str, count: int, changes: Sequence[Change]) -> RenderableType:
    """The first few by name, each with its reason beneath or beside, as the screen is wide."""
    style = "yellow" if what in _LOSSES else "green"
    head = Text.assemble((what.capitalize(), f"bold {style}"), (f"  {count:,}", "bold"))
    shown, more = changes[:_MOST_SHOWN], count - len(changes[:_MOST_SHOWN])
    table = grid(
        ((Text(_name(change)), Text(clean(change.why))) for change in shown),
        {"overflow": "fold", "ratio": 2},
        {"overflow": "fold", "ratio": 3, "style": "dim"},
        more=f"and {more:,} more" if more > 0 else "",
    )
    return Group(head, Padding(table, (0, 0, 0, 2))) if shown else head


def _name(one: Change) -> str:
    name = " ".join(clean(one.name or one.key).split())
    return name if len(name) <= _NAME else f"{name[:_NAME].rpartition(' ')[0] or name[:_NAME]} …"


def _left(slept: NightReport) -> list[RenderableType]:
    """Only what the last run of a job left is still to be done."""
    last = {rest.job: rest.left for rest in slept.outcomes}
    left = ", ".join(f"{count:,} ({job.value})" for job, count in last.items() if count)
    return [Text(f"Left for the next night: {left}.")] if left else []


def _skipped(slept: NightReport, zone: ZoneInfo) -> list[RenderableType]:
    if not slept.skipped:
        return []
    more = len(slept.skipped) - _MOST_SKIPPED
    table = grid(
        (
            (Text(skip.job.value), _why(skip, slept.at, zone))
            for skip in slept.skipped[:_MOST_SKIPPED]
        ),
        {"overflow": "fold", "no_wrap": True},
        {"overflow": "fold", "ratio": 1},
        more=f"and {more:,} more" if more > 0 else "",
    )
    return [Text("Passed over", style="bold"), Padding(table, (0, 0, 0, 2))]


def _why(one: Skipped, now: datetime, zone: ZoneInfo) -> Text:
    reason = clean(one.error) or _WHY[one.because]
    when = f" ({soon(one.at, now, zone)})" if one.at is not None else ""
    return Text(f"{reason}{when}", style="red" if one.because is SkipReason.FAILED else "dim")


def timetable(rounds: Sequence[ScheduledJob], zone: ZoneInfo, now: datetime) -> RenderableType:
    """One line for each job, and whose clock it goes by."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("job", "when", "done", "next"):
        table.add_column(name, overflow="fold")
    for due in rounds:
        done = soon(due.done_until, now, zone) if due.done_until is not None else "never"
        table.add_row(due.job.value, due.expression or "off", Text(done, style="dim"), _next(due, now, zone))  # fmt: skip
    clock = f"In the time of {zone.key}, where it is {now.astimezone(zone):%a %H:%M}."
    return Group(table, Text(clock, style="dim"))


def _next(one: ScheduledJob, now: datetime, zone: ZoneInfo) -> Text:
    if one.due is not None:
        return Text(f"due {soon(one.due, now, zone)}", style="yellow")
    if one.next is None:
        return Text("never", style="dim")
    return Text(soon(one.next, now, zone))


_MOST_LISTED = 20
_STYLES = {JobState.PARKED: "red", JobState.RUNNING: "green", JobState.DONE: "dim"}


def import_report(
    done: ImportReport, cost: Cost, *, dry_run: bool, known: Learned | None
) -> RenderableType:
    """How much came in, and what did not."""
    new = done.added + done.grown + done.changed
    if not new and not done.known and not done.skipped:
        return Group(Text("Nothing to import was found in it."), *_receipt(cost))
    dry = Text("Nothing was written: this is what would come in.", style="yellow")
    rows: list[RenderableType] = [
        dry if dry_run else Text("Imported", style="bold green"),
        _counts(done),
    ]
    if done.skipped:
        rows += [Text("\nSkipped", style="bold"), _left_out(done)]
    if new and known is None and not dry_run:
        rows.append(Text("`remanent work` reads it.", style="dim"))
    elif new and known is not None:
        rows += [Text(), learned(known)]
    return Group(*rows, *_receipt(cost))


def learned(known: Learned) -> RenderableType:
    """What is known from some sources."""
    names = {"person": "people", "concept": "concepts", "entity": "entities"}
    names |= {"belief": "beliefs", "relationship": "relationships"}
    counts = _kinds({kind: getattr(known, name) for kind, name in names.items()})
    about = "- from {read:#source} · {?waiting}{waiting:,} still to be read"
    return Group(
        Text.assemble(("Learned  ", "bold green"), counts),
        text_of(about, known, waiting=known.sources - known.read),
    )


def _receipt(cost: Cost) -> list[RenderableType]:
    """What a run has cost; nothing where nobody was asked."""
    return [Text(f"Spent: {cost_line(cost)}.", style="dim")] if cost.calls else []


def _counts(done: ImportReport) -> Table:
    counts = (
        (done.added, "added", "new sources"),
        (done.grown, "grown", "went on; only what is new came in"),
        (done.changed, "changed", "rewritten; the new version came in beside the old one"),
        (done.known, "known", "here already, left alone"),
        (len(done.skipped), "skipped", _reasons(done.reasons)),
    )
    return grid(
        ((f"{count:,}", *words) for count, *words in counts if count or words[0] == "added"),
        {"justify": "right", "no_wrap": True},
        {"style": "bold", "no_wrap": True},
        {"style": "dim", "overflow": "fold"},
    )


def _reasons(reasons: Mapping[str, int]) -> str:
    """How many cannot be taken in for which reason, the most frequent of them."""
    told = [f"{count:,}: {clean(why)}" for why, count in [*reasons.items()][:_MOST_SHOWN]]
    return f"cannot be taken in ({'; '.join(told)}{'; ...' * (len(reasons) > len(told))})"


def _left_out(done: ImportReport) -> Table:
    skipped, more = done.skipped[:_MOST_LISTED], len(done.skipped) - _MOST_LISTED
    return grid(
        ((Text(clean(file.where)), Text(clean(file.why))) for file in skipped),
        {"overflow": "fold", "ratio": 1},
        {"overflow": "fold", "ratio": 1, "style": "yellow"},
        more=f"and {more:,} more; --json lists all" if more > 0 else "",
    )


def jobs(shown: Sequence[Job], counts: Mapping[str, int], zone: ZoneInfo) -> RenderableType:
    """Jobs under one another, and how many there are in all."""
    total = text_of(
        f"- {' · '.join(f'{count:,} {name}' for name, count in counts.items() if count)}"
    )
    if not shown:
        return Group(Text("No such jobs."), total) if total.plain else Text("No jobs.")
    return Group(*(_job(job, zone) for job in shown), total)


_JOB = (
    "- [not dim cyan]{name}[/] · {styled} · {?attempts}{attempts:#attempt} · "
    "{?state=ready}due {run_at} · until {parked_until} · {read}\n"
    "[red]  {error}[/]"
)
_WORKED = (
    "{?is_idle}Nothing was waiting.\n"
    "- [not dim green]{!is_idle}{done} done[/] · "
    "[not dim yellow]{?retried}{retried} to be tried again[/] · [not dim red]{?parked}{parked} parked[/]"
)


def changed_jobs(what: str, done: Sequence[Job], zone: ZoneInfo) -> RenderableType:
    """The jobs that something was done to."""
    if not done:
        return Text("Nothing is parked.")
    return Group(Text(what, style="bold"), *(_job(one, zone) for one in done))


def _job(job: Job, zone: ZoneInfo) -> Group:
    reading = job.reading
    read = read_up_to(reading.read_to, reading.characters) if reading else ""
    template = _JOB.replace("{styled}", f"[not dim {_STYLES.get(job.state, 'yellow')}]{{state}}[/]")
    return card(template, job, zone, name=job_name(job), read=read)


def work(done: Worked, cost: Cost, learned: Mapping[str, int] | None = None) -> Group:
    is_idle = not (done.done or done.retried or done.parked)
    more = {kind: count for kind, count in (learned or {}).items() if count > 0}
    known = [Text.assemble(("Learned  ", "bold green"), _kinds(more))] if more else []
    return card(_WORKED, done, None, *known, *_receipt(cost), is_idle=is_idle)


def status(state: Status, parked: Sequence[Job], zone: ZoneInfo) -> Group:
    known = {name: count for name, count in state.counts.items() if count}
    jobs = {name: count for name, count in state.jobs.items() if count}
    user = text_of("- [not dim bold]{user_id}[/] · [not dim]{name}[/] · {timezone}", state)
    rows: list[tuple[str, RenderableType]] = [
        ("memory", Text(clean(state.place))),
        ("user", user),
        ("now", Text(when(state.now, zone))),
        ("mind", Text(state.mind)),
        ("embedder", Text(state.embedder)),
        ("ledger", Text(f"{state.events:,} events")),
        ("recorded", lag(state.lag)),
        ("known", _kinds(known) if known else Text("nothing yet", style="dim")),
        ("work", _kinds(jobs) if jobs else Text("nothing waits", style="dim")),
    ]
    for one in state.reading:
        told = read_up_to(one.read_to, one.characters)
        rows.append((one.kind.value, Text(f"{short(one.source_key)} {told}")))
    failures = (
        Text(f"parked: {job_name(job)}: {clean(job.error or '')}", style="red") for job in parked
    )
    ready = state.jobs.get("ready", 0)
    advice = [Text("`remanent work` does what waits.", style="dim")] if ready else []
    return Group(facts(rows), *failures, *advice)


def _kinds(counts: Mapping[str, int]) -> Text:
    """How many there are of each kind or state, by its name in the singular or plural."""
    words = []
    for name, count in counts.items():
        one = name.removesuffix("s")
        words.append(f"{count:,} {one if count == 1 else _PLURALS.get(one, f'{one}s')}")
    return text_of(f"- {' · '.join(f'[not dim]{word}[/]' for word in words)}")
