"""Views of backups and rebuilds, of spending, and of how a memory is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
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
from remanent.core.records.spending import Account, Budget, Cost, Estimate, Line, Spent
from remanent.surfaces.cli.views.basics import clean, counted, grid, per_user, table
from remanent.surfaces.cli.views.cards import card, message, text_of

discarded_rebuild = message(bool, "{?it}Thrown away. | There is no rebuild to throw away.")
embedding_stop = message(bool, "{?it}What was made is dropped. | No other embedder was to come.")
cancelled_migration = message(
    Move,
    "{!it}This memory moves nowhere. | "
    "This memory is written to again. What came to {place} is on its own: delete it.",
)
_MIGRATED = (
    "[bold green]{head}: {records:,} records ({resumed:,} of them from before), the same at both ends.[/]\n"
    "[dim]digest {digest}[/]\n"
    "Set `memory` (REMANENT_MEMORY) to it, and start servers and workers anew. This one can be "
    "read, but not be written to any more; `remanent migrate --cancel` takes it back."
)
_SALVAGED = (
    "{new} has {users:,} users, {events:,} events and {sources:,} raw texts; all else was derived again in "
    "{seconds:.1f} s."
)
_SORTS = ("event", "raw", "node", "relationship", "passage", "entry", "job")


_EXPORTED = (
    "{records:,} records of {people} are in {path}.\n"
    "[dim]{sorts}[/]\n"
    "[dim]{?elsewhere}{elsewhere:,} of them hang on sources of others, which are not in the file.[/]"
)
_IMPORTED = (
    "{?dry_run}{records:,} records of {people} would come in. | "
    "{records:,} records of {people} came in.\n"
    "[dim]{sorts}[/]\n"
    "[yellow]{?left}{left:,} hang on sources of others that are not here: left out.[/]\n"
    "[dim]{?renumbered}Others were here before: places in the ledger were counted on.[/]\n"
    "[yellow]{?reembedding}The vectors were another embedder's; `remanent work` makes new ones. Until then "
    "search goes by words.[/]\n"
    "[dim]{?dry_run}Nothing was changed.[/]"
)


def export_report(report: Exported, path: str) -> RenderableType:
    """How much was written, and where."""
    people, sorts = _people(report.users), _counted(report.counts)
    return card(_EXPORTED, report, people=people, sorts=sorts, path=path)


def import_report(report: Imported) -> RenderableType:
    """What came in, and what did not."""
    people, sorts = _people(report.users), _counted(report.counts)
    if report.already:
        return Text(f"Already here, just as the file says: {people}. Nothing was done.")
    left = sum(report.left_out.values())
    return card(_IMPORTED, report, people=people, sorts=sorts, left=left)


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
    names = ("added", "removed", "changed", "same")
    shown = table("sort", numbers=names)
    for sort, tally in compared.tallies.items():
        numbers = (f"{getattr(tally, name):,}" for name in names)
        shown.add_row(clean(sort), *numbers, style="" if tally.differ else "dim")
    return Group(head, Text(), shown, Text(), *_samples(compared.samples))


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
    return card(
        "[bold green]{?is_switched}Switched: this is the graph in use now.[/] | "
        "[dim]{?dry_run}Nothing was changed, and nothing is left of it.[/] | "
        "[dim]Nothing was changed. `remanent rebuild --switch` uses the new graph, `--discard` throws it "
        "away.[/]",
        rebuilt,
        dry_run=dry_run,
    )


def salvage_report(report: Salvaged, new: str) -> RenderableType:
    """How much came over, what could not be read, and where the new memory is."""
    lost = []
    for name, found in groupby(report.lost, key=lambda one: one.table):
        damages = list(found)
        names = [clean(f"{one.key or 'as a whole'} ({one.problem})") for one in damages[:_SHOWN]]
        more = f", and {len(damages) - _SHOWN:,} more" if len(damages) > _SHOWN else ""
        told = f"{clean(name)}: {len(damages):,} not as written: {', '.join(names)}{more}"
        lost.append(Text(told, style="red"))
    again = "[dim]{table}: {count:,} broken rows, derived again; how often they were called on is lost[/]"
    rows = [text_of(again, table=one, count=count) for one, count in report.rederived.items()]
    whole = card("[bold green]{?is_whole}Nothing that is true was lost.[/]", report)
    return card(_SALVAGED, report, None, *lost, *rows, whole, new=new)


def migration_report(report: Migrated) -> RenderableType:
    """How much came over, that it is the same, and what to do now."""
    head = (
        f"All was at {report.place} already" if report.already else f"All is at {report.place} now"
    )
    told = (
        _MIGRATED if report.resumed else _MIGRATED.replace(" ({resumed:,} of them from before)", "")
    )
    return card(told, report, head=head)


_EXPECTED = (
    "[yellow]Nothing was written: this is what it would cost.[/]\n"
    "{sources:#new source}, {words:#word}.\n"
    "[dim]{?known}{known:,} here already.[/]\n"
    "[dim]{?skipped}{skipped:,} cannot be taken in.[/]\n"
    "[dim]{?sources}{?asks}{?private}{private:,} are private and stay on this machine.[/]\n"
    "{?sources}{!asks}Cost: nothing. The mind is {mind}, and asks nobody."
)
_COLORS = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
_NUMBERS = ("calls", "tokens in", "tokens out", "cost")


def accounts(users: Sequence[Account], *, named: bool) -> RenderableType:
    """One table for each user, under their name where there are several."""
    return per_user(((one.user_id, account(one)) for one in users), named=named)


def account(spent: Account) -> RenderableType:
    """Day by day, the sum, and what is left of today's budget."""
    if not spent.rows:
        return Group(Text("Nothing was spent."), *_left(spent.budget))
    shown = table("day", "job", "task", "model", numbers=_NUMBERS)
    for row in spent.rows:
        names = (row.day.isoformat(), row.job, row.task, row.model)
        numbers = _numbers(row, money(row.usd, row.unpriced))
        shown.add_row(*(Text(clean(name)) for name in names), *numbers)
    total = Text(f"Total: {cost_line(spent.total)}.", style="bold")
    return Group(shown, total, *_left(spent.budget))


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
    head = card(_EXPECTED, expected, asks=bool(expected.lines))
    if not expected.lines or not expected.sources:
        return head
    shown = table("task", "model", numbers=_NUMBERS)
    for line in expected.lines:
        cost = "?" if line.usd is None else money(line.usd, 0)
        shown.add_row(Text(clean(line.task)), Text(clean(line.model)), *_numbers(line, cost))
    return Group(head, shown, Text(f"About {cost_line(expected.cost)}.", style="bold"))


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


def _numbers(row: Spent | Line, cost: str) -> tuple[str, ...]:
    return f"{row.calls:,}", f"{row.tokens_in:,}", f"{row.tokens_out:,}", cost


def embedding(state: Embedding, new: str = "") -> RenderableType:
    return card(
        "[bold]embedder [/]{embedder} | [bold]embedder [/]none yet\n"
        "[yellow]on the way to {towards}: {done:,} of {total:,} entries embedded; `remanent work` goes on "
        "with it[/] | "
        "[dim]{?new}{total:,} entries have its vectors. If it is elsewhere, or the settings name another, "
        "name it there, too: [/]embedder = '{new}' in remanent.toml, or REMANENT_EMBEDDER",
        state,
        new=new,
    )


_LISTENING = (
    "Listening on {url}   (the web: /, the API: /v1, its description: /openapi.json)\n"
    "{?dev}No key is asked for: --dev. Only programs on this machine get in.\n"
    "{!dev}{!keys}There is no key yet, so nobody gets in. Make one in another terminal:\n"
    "{!dev}{!keys}  remanent key create NAME --user ID\n"
    "{!is_near}This is plain HTTP: put something with TLS before it.\n"
    "{!workers}Nothing is read here: some other process has to run `remanent work --follow`."
)


def listening(state: Mapping[str, Any], *, is_near: bool) -> RenderableType:
    """Where a server listens, and what is still missing."""
    return card(_LISTENING, is_near=is_near, **state)


def hunted(summary: Sequence[str], findings: Sequence[str]) -> RenderableType:
    """What a hunt for leaks or tampering did, and what it found; its last line is the verdict."""
    *lines, verdict = summary
    found = [Text(clean(one), style="bold red") for one in findings]
    style = "bold red" if findings else "bold green"
    return Group(*map(Text, lines), *found, Text(verdict, style=style))
