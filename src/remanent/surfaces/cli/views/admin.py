"""Views of backups and rebuilds, of spending, and of how a memory is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.backup.rebuild import Rebuilt
from remanent.core.records.admin import (
    Diagnosis,
    Difference,
    DifferenceKind,
    Embedding,
    Finding,
    Level,
    Salvaged,
)
from remanent.core.records.export import Exported, Imported, Migrated, Move
from remanent.core.records.spending import Account, Budget, Cost, Estimate
from remanent.surfaces.cli.views.basics import clean, counted, grid, per_user

_SORTS = ("event", "raw", "node", "relationship", "passage", "entry", "job")


def export_report(report: Exported, path: str) -> RenderableType:
    """How much was written, and where."""
    head = f"{report.records:,} records of {_people(report.users)} are in {clean(path)}."
    lines = [_counted(report.counts)]
    if report.elsewhere:
        others = (
            f"{report.elsewhere:,} of them hang on sources of others, which are not in the file."
        )
        lines.append(others)
    return Group(Text(head), *(Text(text, style="dim") for text in lines))


def import_report(report: Imported) -> RenderableType:
    """What came in, and what did not."""
    return Group(*_import_rows(report))


def _import_rows(report: Imported) -> Iterator[RenderableType]:
    people = _people(report.users)
    if report.already:
        yield Text(f"Already here, just as the file says: {people}. Nothing was done.")
        return
    would = "would come" if report.dry_run else "came"
    yield Text(f"{report.records:,} records of {people} {would} in.")
    yield Text(_counted(report.counts), style="dim")
    if report.left_out:
        left = sum(report.left_out.values())
        yield Text(
            f"{left:,} hang on sources of others that are not here: left out.", style="yellow"
        )
    if report.renumbered:
        yield Text("Others were here before: places in the ledger were counted on.", style="dim")
    if report.reembedding:
        yield Text(
            "The vectors were another embedder's; `remanent work` makes new ones. Until then search "
            "goes by words.",
            style="yellow",
        )
    if report.dry_run:
        yield Text("Nothing was changed.", style="dim")


def _people(users: tuple[str, ...]) -> str:
    return clean(users[0]) if len(users) == 1 else f"{len(users):,} users"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[one]:,} {one}" for one in _SORTS if counts.get(one))


_SHOWN = 5  # of each sort and way, by name
_MARKS = {
    DifferenceKind.ADDED: ("+", "green"),
    DifferenceKind.REMOVED: ("-", "red"),
    DifferenceKind.CHANGED: ("~", "yellow"),
}
_WIDTH = 80


def differences(rebuilt: Rebuilt) -> RenderableType:
    """How many things of each sort differ, and the first few of them."""
    compared = rebuilt.comparison
    head = Text(
        f"{rebuilt.events:,} events lived through in {rebuilt.seconds:.1f} s "
        f"with mind {clean(rebuilt.mind)} and embedder {clean(rebuilt.embedder)}.",
        style="dim",
    )
    if compared.is_same:
        return Group(head, Text("Nothing differs from the graph in use."))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("sort")
    for name in ("added", "removed", "changed", "same"):
        table.add_column(name, justify="right")
    for sort, tally in compared.tallies.items():
        numbers = (tally.added, tally.removed, tally.changed, tally.same)
        style = "" if tally.differ else "dim"
        table.add_row(clean(sort), *(f"{number:,}" for number in numbers), style=style)
    return Group(head, Text(), table, Text(), *_samples(compared.samples))


def _samples(differences: tuple[Difference, ...]) -> Iterator[RenderableType]:
    for (sort, how), some in groupby(differences, key=lambda one: (one.sort, one.how)):
        mark, style = _MARKS[how]
        for difference in list(some)[:_SHOWN]:
            fields = f"  ({', '.join(map(clean, difference.fields))})" if difference.fields else ""
            name = clean(difference.name or difference.key)[:_WIDTH]
            text = Text.assemble((f"{mark} ", style), (f"{sort} ", "bold"), name, (fields, "dim"))
            yield Padding(text, (0, 0, 0, 2))


def rebuild_end(rebuilt: Rebuilt, *, dry_run: bool) -> RenderableType:
    """What became of it."""
    if rebuilt.is_switched:
        return Text("Switched: this is the graph in use now.", style="bold green")
    if dry_run:
        return Text("Nothing was changed, and nothing is left of it.", style="dim")
    return Text(
        "Nothing was changed. `remanent rebuild --switch` uses the new graph, `--discard` throws it "
        "away.",
        style="dim",
    )


def discarded_rebuild(*, gone: bool) -> RenderableType:
    """Whether there was anything to throw away."""
    return Text("Thrown away." if gone else "There is no rebuild to throw away.")


def salvage_report(report: Salvaged, new: str) -> RenderableType:
    """How much came over, what could not be read, and where the new memory is."""
    lines = [
        Text(
            f"{clean(new)} has {report.users:,} users, {report.events:,} events and "
            f"{report.sources:,} raw texts; all else was derived again in {report.seconds:.1f} s."
        )
    ]
    for table, found in groupby(report.lost, key=lambda one: one.table):
        damages = list(found)
        names = [clean(f"{one.key or 'as a whole'} ({one.problem})") for one in damages[:_SHOWN]]
        more = f", and {len(damages) - _SHOWN:,} more" if len(damages) > _SHOWN else ""
        told = f"{clean(table)}: {len(damages):,} not as written: {', '.join(names)}{more}"
        lines.append(Text(told, style="red"))
    for table, count in report.rederived.items():
        told = f"{clean(table)}: {count:,} broken rows, derived again"
        lines.append(Text(f"{told}; how often they were called on is lost", style="dim"))
    if report.is_whole:
        lines.append(Text("Nothing that is true was lost.", style="bold green"))
    return Group(*lines)


def migration_report(report: Migrated) -> RenderableType:
    """How much came over, that it is the same, and what to do now."""
    place = clean(report.place)
    told = f"All was at {place} already" if report.already else f"All is at {place} now"
    went_on = f" ({report.resumed:,} of them from before)" if report.resumed else ""
    return Group(
        Text(
            f"{told}: {report.records:,} records{went_on}, the same at both ends.",
            style="bold green",
        ),
        Text(f"digest {report.digest}", style="dim"),
        Text(
            "Set `memory` (REMANENT_MEMORY) to it, and start servers and workers anew. This one can be "
            "read, but not be written to any more; `remanent migrate --cancel` takes it back."
        ),
    )


def cancelled_migration(move: Move | None) -> RenderableType:
    """Whether there was anything to give up."""
    if move is None:
        return Text("This memory moves nowhere.")
    place = clean(move.place)
    return Text(f"This memory is written to again. What came to {place} is on its own: delete it.")


_COLORS = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
_COLUMNS = ("day", "job", "task", "model")
_NUMBERS = ("calls", "tokens in", "tokens out", "cost")


def accounts(users: Sequence[Account], *, named: bool) -> RenderableType:
    """One table for each user, under their name where there are several."""
    return per_user(((one.user_id, account(one)) for one in users), named=named)


def account(spent: Account) -> RenderableType:
    """Day by day, the sum, and what is left of today's budget."""
    if not spent.rows:
        return Group(Text("Nothing was spent."), *_left(spent.budget))
    table = _table(*_COLUMNS)
    for row in spent.rows:
        names = (row.day.isoformat(), row.job, row.task, row.model)
        cost = money(row.usd, row.unpriced)
        counts = (f"{row.calls:,}", f"{row.tokens_in:,}", f"{row.tokens_out:,}", cost)
        table.add_row(*(Text(clean(name)) for name in names), *counts)
    return Group(
        table, Text(f"Total: {cost_line(spent.total)}.", style="bold"), *_left(spent.budget)
    )


def _left(budget: Budget) -> list[RenderableType]:
    left = []
    if budget.usd_per_day is not None:
        left.append(f"${budget.usd_left or 0.0:.4f} of ${budget.usd_per_day:.2f}")
    if budget.tokens_per_day is not None:
        left.append(f"{budget.tokens_left or 0:,} of {budget.tokens_per_day:,} tokens")
    if not left or budget.renewed_at is None:
        return []
    again = f"renewed at {budget.renewed_at:%Y-%m-%d %H:%M} UTC"
    return [Text(f"Left of today's budget: {' and '.join(left)}; {again}.", style="dim")]


def estimate(expected: Estimate) -> RenderableType:
    """How much would come in, and what reading it would cost."""
    rows: list[RenderableType] = [
        Text("Nothing was written: this is what it would cost.", style="yellow"),
        Text(f"{counted(expected.sources, 'new source')}, {counted(expected.words, 'word')}."),
    ]
    others = ((expected.known, "here already"), (expected.skipped, "cannot be taken in"))
    rows += [Text(f"{count:,} {what}.", style="dim") for count, what in others if count]
    if not expected.sources:
        return Group(*rows)
    if expected.private and expected.lines:
        rows.append(
            Text(f"{expected.private:,} are private and stay on this machine.", style="dim")
        )
    if not expected.lines:
        rows.append(Text(f"Cost: nothing. The mind is {expected.mind}, and asks nobody."))
        return Group(*rows)
    table = _table("task", "model")
    for line in expected.lines:
        cost = "?" if line.usd is None else money(line.usd, 0)
        counts = (f"{line.calls:,}", f"{line.tokens_in:,}", f"{line.tokens_out:,}", cost)
        table.add_row(Text(clean(line.task)), Text(clean(line.model)), *counts)
    return Group(*rows, table, Text(f"About {cost_line(expected.cost)}.", style="bold"))


def diagnosis(report: Diagnosis) -> RenderableType:
    """One line for each part, and what to do under it."""
    return grid(
        (
            (Text(one.level.value, style=_COLORS[one.level]), one.part, _advice(one))
            for one in report.findings
        ),
        {"no_wrap": True},
        {"style": "bold", "no_wrap": True},
        {"overflow": "fold"},
    )


def _advice(finding: Finding) -> Text:
    remedy = f"\n{clean(finding.remedy)}" if finding.remedy else ""
    return Text.assemble(clean(finding.told), (remedy, "cyan"))


def cost_line(cost: Cost) -> str:
    """Calls, tokens and money in one line."""
    tokens = f"{cost.tokens_in:,} tokens in, {cost.tokens_out:,} out"
    return f"{counted(cost.calls, 'call')}, {tokens}, {money(cost.usd, cost.unpriced)}"


def money(usd: float, unpriced: int) -> str:
    """Dollars; where the price of some tokens is not known, that is said."""
    if unpriced and not usd:
        return "price unknown"
    price = f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"
    return f"{price} and {unpriced:,} tokens of unknown price" if unpriced else price


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    for name in _NUMBERS:
        table.add_column(name, justify="right", no_wrap=name != "cost")
    return table


def embedding(state: Embedding, new: str = "") -> RenderableType:
    text = Text.assemble(("embedder ", "bold"), clean(state.embedder) or "none yet")
    if state.towards is not None:
        text.append(
            f"\non the way to {clean(state.towards)}: {state.done:,} of {state.total:,} entries "
            "embedded; `remanent work` goes on with it",
            style="yellow",
        )
    elif new:
        text.append(f"\n{state.total:,} entries have its vectors. ", style="dim")
        text.append(
            "If it is elsewhere, or the settings name another, name it there, too: ", style="dim"
        )
        text.append(f"embedder = {clean(new)!r} in remanent.toml, or REMANENT_EMBEDDER")
    return text


def embedding_stop(*, dropped: bool) -> RenderableType:
    return Text("What was made is dropped." if dropped else "No other embedder was to come.")


def hunted(summary: Sequence[str], findings: Sequence[str]) -> RenderableType:
    """What a hunt for leaks or tampering did, and what it found; its last line is the verdict."""
    *lines, verdict = summary
    found = [Text(clean(one), style="bold red") for one in findings]
    style = "bold red" if findings else "bold green"
    return Group(*map(Text, lines), *found, Text(verdict, style=style))
