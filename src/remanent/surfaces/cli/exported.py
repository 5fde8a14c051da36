"""What was exported or taken in, for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.records.export import Exported, Imported
from remanent.surfaces.cli.views import clean

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
