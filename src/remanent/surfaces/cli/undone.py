"""What was taken back with a source, for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.belief import Belief
from remanent.core.model.page import Page, title_of
from remanent.erasure.model import Undone
from remanent.surfaces.cli.views import belief_line, clean, line, short

_DRY = "Nothing was written: this is what would be taken back."


def undone(report: Undone, zone: ZoneInfo) -> RenderableType:
    """How much went, whose, and what became of beliefs."""
    title = Text.assemble(("Undone: ", "green"), (clean(report.title), "bold"))
    if report.was_undone:
        return Group(Text(f"Undone before; nothing changed: {clean(report.title)}"))
    counts = line(
        (_many(report.mentions, "mention"), "not dim"),
        (_many(report.notes, "note"), "not dim"),
        (_many(report.assertions, "word on relationships", "words on relationships"), "not dim"),
        (_many(report.stories, "storyline shorter", "storylines shorter"), ""),
        (f"read by {report.mind}" if report.mind else "", ""),
        (short(report.source_key), "cyan"),
    )
    names = [Text(clean(name)) for name in report.anchors]
    sections = [
        *_section("No longer known", names),
        *_section("No longer believed", _beliefs(report.beliefs.gone, zone)),
        *_section("Held true again", _beliefs(report.beliefs.back, zone)),
        *_section("Now on the word of others", _beliefs(report.beliefs.fresh, zone)),
        *_section("Otherwise changed", _beliefs(report.beliefs.changed, zone)),
    ]
    tail = [Text(_DRY, style="dim")] if report.dry_run else []
    return Group(title, counts, *sections, *tail)


def redone(opened: Page) -> RenderableType:
    return Text.assemble(("Read again: ", "green"), (clean(title_of(opened.node)), "bold"))


def _many(count: int, one: str, many: str = "") -> str:
    if not count:
        return ""
    return f"1 {one}" if count == 1 else f"{count:,} {many or f'{one}s'}"


def _beliefs(beliefs: Sequence[Belief], zone: ZoneInfo) -> list[RenderableType]:
    return [Group(Text(clean(one.statement)), belief_line(one, zone)) for one in beliefs]


def _section(name: str, rows: Sequence[RenderableType]) -> list[RenderableType]:
    if not rows:
        return []
    return [Text(), Text(name, style="bold blue"), Padding(Group(*rows), (0, 0, 0, 2))]
