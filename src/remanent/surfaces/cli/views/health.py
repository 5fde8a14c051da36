"""Reports for people's eyes: what was spent, what would be, and how a memory is. Nothing here prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.records.admin import Diagnosis, Embedding, Level
from remanent.core.records.spending import Account, Budget, Cost, Estimate
from remanent.surfaces.cli.views.basics import clean

_COLORS = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}
_COLUMNS = ("day", "job", "task", "model")
_NUMBERS = ("calls", "tokens in", "tokens out", "cost")


def accounts(found: Sequence[Account], *, named: bool) -> RenderableType:
    """One table for each user, under their name where there are several."""
    if not found:
        return Text("Nobody is registered in this memory.")
    rows: list[RenderableType] = []
    for one in found:
        if named:
            rows.append(Text(f"{chr(10) if rows else ''}{clean(one.user_id)}", style="bold cyan"))
        rows.append(account(one))
    return Group(*rows)


def account(found: Account) -> RenderableType:
    """Day by day, the sum, and what is left of today's budget."""
    if not found.rows:
        return Group(Text("Nothing was spent."), *_left(found.budget))
    table = _table(*_COLUMNS)
    for one in found.rows:
        names = (one.day.isoformat(), one.job, one.task, one.model)
        cost = money(one.usd, one.unpriced)
        counts = (f"{one.calls:,}", f"{one.tokens_in:,}", f"{one.tokens_out:,}", cost)
        table.add_row(*(Text(clean(name)) for name in names), *counts)
    return Group(
        table, Text(f"Total: {cost_line(found.total)}.", style="bold"), *_left(found.budget)
    )


def _left(budget: Budget) -> list[RenderableType]:
    told = []
    if budget.usd_per_day is not None:
        told.append(f"${budget.usd_left or 0.0:.4f} of ${budget.usd_per_day:.2f}")
    if budget.tokens_per_day is not None:
        told.append(f"{budget.tokens_left or 0:,} of {budget.tokens_per_day:,} tokens")
    if not told or budget.renewed_at is None:
        return []
    again = f"renewed at {budget.renewed_at:%Y-%m-%d %H:%M} UTC"
    return [Text(f"Left of today's budget: {' and '.join(told)}; {again}.", style="dim")]


def estimate(found: Estimate) -> RenderableType:
    """How much would come in, and what reading it would cost."""
    rows: list[RenderableType] = [
        Text("Nothing was written: this is what it would cost.", style="yellow"),
        Text(f"{_count(found.sources, 'new source')}, {_count(found.words, 'word')}."),
    ]
    others = ((found.known, "here already"), (found.skipped, "cannot be taken in"))
    rows += [Text(f"{count:,} {what}.", style="dim") for count, what in others if count]
    if not found.sources:
        return Group(*rows)
    if found.private and found.lines:
        rows.append(Text(f"{found.private:,} are private and stay on this machine.", style="dim"))
    if not found.lines:
        rows.append(Text(f"Cost: nothing. The mind is {found.mind}, and asks nobody."))
        return Group(*rows)
    table = _table("task", "model")
    for one in found.lines:
        cost = "?" if one.usd is None else money(one.usd, 0)
        counts = (f"{one.calls:,}", f"{one.tokens_in:,}", f"{one.tokens_out:,}", cost)
        table.add_row(Text(clean(one.task)), Text(clean(one.model)), *counts)
    return Group(*rows, table, Text(f"About {cost_line(found.cost)}.", style="bold"))


def receipt(cost: Cost) -> RenderableType:
    """What a run has cost."""
    return Text(f"Spent: {cost_line(cost)}.", style="dim")


def diagnosis(found: Diagnosis) -> RenderableType:
    """One line for each part, and what to do under it."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for one in found.findings:
        told = Text(clean(one.told))
        if one.remedy:
            told.append(f"\n{clean(one.remedy)}", style="cyan")
        table.add_row(Text(one.level.value, style=_COLORS[one.level]), one.part, told)
    return table


def cost_line(cost: Cost) -> str:
    """Calls, tokens and money in one line."""
    tokens = f"{cost.tokens_in:,} tokens in, {cost.tokens_out:,} out"
    return f"{_count(cost.calls, 'call')}, {tokens}, {money(cost.usd, cost.unpriced)}"


def money(usd: float, unpriced: int) -> str:
    """Dollars; where the price of some tokens is not known, that is said."""
    if unpriced and not usd:
        return "price unknown"
    told = f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"
    return f"{told} and {unpriced:,} tokens of unknown price" if unpriced else told


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    for name in _NUMBERS:
        table.add_column(name, justify="right", no_wrap=name != "cost")
    return table


def embedding_record(found: Embedding) -> dict[str, Any]:
    """Which embedder there is, as programs read it."""
    return {**dataclasses.asdict(found), "share": round(found.share, 4)}


def embedding(found: Embedding, asked: str = "") -> RenderableType:
    text = Text.assemble(("embedder ", "bold"), clean(found.embedder) or "none yet")
    if found.towards is not None:
        text.append(
            f"\non the way to {clean(found.towards)}: {found.done:,} of {found.total:,} entries "
            "embedded; `remanent work` goes on with it",
            style="yellow",
        )
    elif asked:
        text.append(f"\n{found.total:,} entries have its vectors. ", style="dim")
        text.append(
            "If it is elsewhere, or the settings name another, name it there, too: ", style="dim"
        )
        text.append(f"embedder = {clean(asked)!r} in remanent.toml, or REMANENT_EMBEDDER")
    return text


def stayed(*, dropped: bool) -> RenderableType:
    return Text("What was made is dropped." if dropped else "No other embedder was to come.")
