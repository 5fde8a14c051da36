"""What was exported, imported and rebuilt, for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.backup.rebuild import Rebuilt
from remanent.core.records.admin import Difference, DifferenceKind
from remanent.core.records.export import Exported, Imported
from remanent.surfaces.cli.views.basics import clean

_TOLD = ("event", "raw", "node", "relationship", "passage", "entry", "job")


def exported(report: Exported, path: str) -> RenderableType:
    """How much was written, and where."""
    lines = [
        Text(f"{report.records:,} records of {_people(report.users)} are in {clean(path)}."),
        Text(_counted(report.counts), style="dim"),
    ]
    if report.elsewhere:
        lines.append(
            Text(
                f"{report.elsewhere:,} of them hang on sources of others, which are not in the file.",
                style="dim",
            )
        )
    return Group(*lines)


def export_record(report: Exported, path: str) -> Mapping[str, Any]:
    """The same for programs."""
    return {
        "path": path,
        "users": report.users,
        "records": report.records,
        "counts": report.counts,
        "elsewhere": report.elsewhere,
        "sha256": report.sha256,
    }


def imported(report: Imported) -> RenderableType:
    """What came in, and what did not."""
    return Group(*_imported(report))


def _imported(report: Imported) -> Iterator[RenderableType]:
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
    return ", ".join(f"{counts[one]:,} {one}" for one in _TOLD if counts.get(one))


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
    for sort, one in compared.tallies.items():
        numbers = (one.added, one.removed, one.changed, one.same)
        style = "" if one.differ else "dim"
        table.add_row(clean(sort), *(f"{number:,}" for number in numbers), style=style)
    return Group(head, Text(), table, Text(), *_samples(compared.samples))


def _samples(found: tuple[Difference, ...]) -> Iterator[RenderableType]:
    for (sort, how), some in groupby(found, key=lambda one: (one.sort, one.how)):
        mark, style = _MARKS[how]
        for one in list(some)[:_SHOWN]:
            told = Text.assemble(
                (f"{mark} ", style), (f"{sort} ", "bold"), clean(one.name or one.key)[:_WIDTH]
            )
            if one.fields:
                told.append(f"  ({', '.join(map(clean, one.fields))})", style="dim")
            yield Padding(told, (0, 0, 0, 2))


def ending(rebuilt: Rebuilt, *, dry_run: bool) -> RenderableType:
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


def discarded(*, gone: bool) -> RenderableType:
    """Whether there was anything to throw away."""
    return Text("Thrown away." if gone else "There is no rebuild to throw away.")


def record(rebuilt: Rebuilt) -> Mapping[str, Any]:
    """The same for programs."""
    return {
        "switched": rebuilt.is_switched,
        "same": rebuilt.comparison.is_same,
        "events": rebuilt.events,
        "seconds": round(rebuilt.seconds, 3),
        "mind": rebuilt.mind,
        "embedder": rebuilt.embedder,
        "comparison": rebuilt.comparison,
    }
