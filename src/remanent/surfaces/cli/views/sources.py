"""What was erased and what was taken back, for people's eyes. Nothing here prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.belief import Belief
from remanent.core.model.codec import to_record
from remanent.core.model.page import Page, title_of
from remanent.core.records.admin import Erased, Removed
from remanent.erasure.model import Undone
from remanent.surfaces.cli.views.basics import belief_line, clean, line, short

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
        *_spaced("No longer known", names),
        *_spaced("No longer believed", _beliefs(report.beliefs.gone, zone)),
        *_spaced("Held true again", _beliefs(report.beliefs.back, zone)),
        *_spaced("Now on the word of others", _beliefs(report.beliefs.fresh, zone)),
        *_spaced("Otherwise changed", _beliefs(report.beliefs.changed, zone)),
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


def _spaced(name: str, rows: Sequence[RenderableType]) -> list[RenderableType]:
    section = _section(name, rows)
    return [Text(), *section] if section else []
