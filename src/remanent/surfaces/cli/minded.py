"""Needs and abbreviations for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remanent.core.model.query_types import Abbreviation, Need
from remanent.surfaces.cli.views import clean


def need(found: Need) -> RenderableType:
    """Yes or no, and the reasons."""
    sure = "" if found.is_sure else ", but not for sure"
    said = "Needs memory" if found.needs_search else "Needs no memory"
    style = "green" if found.needs_search else "dim"
    reasons = [Text(f"  {clean(one)}", style="dim") for one in found.reasons]
    return Group(Text(f"{said}{sure}", style=style), *reasons)


def abbreviations(known: Sequence[Abbreviation]) -> RenderableType:
    """One line each."""
    if not known:
        return Text("No abbreviations are known.", style="dim")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for one in known:
        origin = "from a source" if one.is_learned else "set"
        table.add_row(
            Text(clean(one.short), style="bold"), Text(clean(one.long)), Text(origin, style="dim")
        )
    return table


def removed(short: str, *, changed: bool) -> RenderableType:
    if changed:
        return Text(f"{clean(short)} stands for itself now.")
    return Text(f"{clean(short)} stood for itself already.", style="dim")
