"""Words and lists that all views share. Views draw for people's eyes; only the screen prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.core.model.job import Job, JobKind

# What comes out of a memory was written by others: it must not steer the terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_EXCERPT = 500


def clean(text: str) -> str:
    """`text` without characters that a terminal obeys."""
    return _CONTROL.sub("\ufffd", text)


def short(key: str) -> str:
    """The beginning of a key, enough to find it again; a passage is read in its source."""
    return key.partition("#")[0][:8]


def job_name(job: Job) -> str:
    """The short name that `jobs retry` and `jobs drop` understand."""
    if job.kind is JobKind.SLEEP:
        return job.key
    return f"{job.kind.value}:{short(job.key.rpartition(':')[2])}"


def read_up_to(read: int, characters: int) -> str:
    """How far the reading of a long source has come."""
    return f"read up to {read:,} of {characters:,} characters"


def excerpt(text: str) -> str:
    """A passage as one paragraph, cut at a word when it is long: `show` has all of it."""
    words = " ".join(clean(text).split())
    return words if len(words) <= _EXCERPT else f"{words[:_EXCERPT].rpartition(' ')[0]} …"


def when(moment: datetime | None, zone: ZoneInfo, *, clock: bool = True) -> str:
    """A moment in the user's day."""
    if moment is None:
        return ""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M" if clock else "%Y-%m-%d")


def plural(count: int, what: str) -> str:
    """The word for so many."""
    return what if count == 1 else f"{what}s"


def counted(count: int, what: str) -> str:
    """So many of them, in figures."""
    return f"{count:,} {plural(count, what)}"


def section(
    name: str, rows: Iterable[RenderableType], *, blank: bool = True
) -> list[RenderableType]:
    """Rows under a heading, after a blank line; nothing where there are none."""
    inside = list(rows)
    if not inside:
        return []
    heading = Text(name, style="bold blue")
    return [*[Text()] * blank, heading, Padding(Group(*inside), (0, 0, 0, 2))]


def numbered(bodies: Iterable[RenderableType]) -> Table:
    """Bodies under one another, each with its number in the margin."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(ratio=1)
    for number, body in enumerate(bodies, start=1):
        if number > 1:
            grid.add_row()
        grid.add_row(str(number), body)
    return grid


def grid(
    rows: Iterable[Iterable[RenderableType]], *columns: Mapping[str, Any], more: str = ""
) -> Table:
    """Rows in columns, each as Rich takes it; at the end, that there are `more`."""
    table = Table.grid(padding=(0, 2))
    for column in columns:
        table.add_column(**column)
    for row in rows:
        table.add_row(*row)
    if more:
        table.add_row(Text(more, style="dim"), "")
    return table


def table(*names: str, numbers: Iterable[str] = ()) -> Table:
    """A table with these headings, to which rows are added; numbers stand at the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        made.add_column(Text(clean(name)), overflow="fold")
    for name in numbers:
        made.add_column(
            name, justify="right", no_wrap=name != "cost"
        )  # a price may be told in words
    return made


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """Names on the left, what they stand for on the right."""
    return grid(rows, {"style": "bold", "no_wrap": True}, {"ratio": 1, "overflow": "fold"})


def per_user(reports: Iterable[tuple[str, RenderableType]], *, named: bool) -> RenderableType:
    """A report for each user, under their name where there may be several."""
    rows: list[RenderableType] = []
    for user_id, report in reports:
        if named:
            rows.append(Text(f"{chr(10) if rows else ''}{clean(user_id)}", style="bold cyan"))
        rows.append(report)
    return Group(*rows) if rows else Text("Nobody is registered in this memory.")
