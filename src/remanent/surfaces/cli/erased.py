"""What goes for good, for people's eyes. Nothing here prints."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.codec import to_record
from remanent.core.records.erasure import Erased, Removed
from remanent.surfaces.cli.views import clean, line, short

_MOST = 40


def planned(report: Erased) -> RenderableType:
    """What would go, by titles and by counts."""
    named = [Text(clean(one)) for one in report.titles[:_MOST]]
    if len(report.titles) > _MOST:
        named.append(Text(f"and {len(report.titles) - _MOST:,} more", style="dim"))
    return Group(
        Text.assemble(
            ("To be erased: ", "red"), (report.kind.value, "bold"), f" {short(report.key)}"
        ),
        *_section("By name", named),
        *_section("In all", _counts(report.removed)),
        Text("Nothing was erased yet. There is no way back from it.", style="dim"),
    )


def erased(report: Erased) -> RenderableType:
    """What went, and how sure that is."""
    probe = report.probe
    looked = line(
        (f"looked for {probe.keys} keys and {probe.phrases} phrases afterwards", "not dim"),
        (f"found {probe.found}", "green" if not probe.found else "red"),
        (f"{probe.bytes:,} bytes gone through" if probe.bytes else "", ""),
    )
    written = (
        "the file was written anew"
        if report.is_compacted
        else "the file is still to be written anew"
    )
    return Group(
        Text.assemble(("Erased: ", "green"), (report.kind.value, "bold"), f" {short(report.key)}"),
        *_section("What went", _counts(report.removed)),
        looked,
        line((written, "" if report.is_compacted else "yellow")),
        line((f"signed {report.signature[:16]}…", "dim")),
    )


def paper(report: Erased) -> str:
    """The signed paper as a file."""
    return json.dumps(to_record(report), ensure_ascii=False, indent=2) + "\n"


def verified(*, genuine: bool) -> RenderableType:
    if genuine:
        return Text("This memory signed it, word for word.", style="green")
    return Text("This memory did not sign that.", style="red")


def _counts(removed: Sequence[Removed]) -> list[RenderableType]:
    return [Text(f"{one.count:>7,}  {one.what} ({one.store})") for one in removed]


def _section(name: str, rows: Sequence[RenderableType]) -> list[RenderableType]:
    if not rows:
        return []
    return [Text(name, style="bold blue"), Padding(Group(*rows), (0, 0, 0, 2))]
