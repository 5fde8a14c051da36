"""Views of erasure and undo, and of the lifecycle: what was changed, what would go first, the curve of a memory."""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from remanent.core.dataclasses import dataclass
from remanent.core.model.belief import Belief
from remanent.core.model.lifecycle_reports import Curve, Forgettable, LifecycleReport, Point
from remanent.core.model.page import Page, Worked, title_of
from remanent.core.records.access import User
from remanent.core.records.admin import Erased, Removed
from remanent.erasure.model import Undone
from remanent.ingest.model import Corrected, StandingCorrection
from remanent.surfaces.cli.views.basics import clean, facts, section, when
from remanent.surfaces.cli.views.cards import card, cards, listing, message, text_of
from remanent.surfaces.cli.views.pages import belief_line

_MOST = 40
_VERIFIED = (
    "- [not dim]looked for {probe.keys} keys and {probe.phrases} phrases afterwards[/] · "
    "[green]{!probe.found}found 0[/] | [red]found {probe.found}[/] · "
    "{?probe.bytes}{probe.bytes:,} bytes gone through\n"
    "- {?is_compacted}the file was written anew | [yellow]the file is still to be written anew[/]\n"
    "- signed {signature}…"
)
verdict = message(
    bool,
    "[green]{?it}This memory signed it, word for word.[/] | [red]This memory did not sign that.[/]",
)


def erasure_plan(report: Erased) -> RenderableType:
    """What would go, by titles and by counts."""
    names = [Text(clean(title)) for title in report.titles[:_MOST]]
    if len(report.titles) > _MOST:
        names.append(Text(f"and {len(report.titles) - _MOST:,} more", style="dim"))
    return card(
        "[red]To be erased: [/][bold]{kind}[/] {key:short}",
        report,
        None,
        *section("By name", names, blank=False),
        *section("In all", _counts(report.removed), blank=False),
        Text("Nothing was erased yet. There is no way back from it.", style="dim"),
    )


def erasure_report(report: Erased) -> RenderableType:
    """What went, and how sure that is."""
    went = section("What went", _counts(report.removed), blank=False)
    verified = card(_VERIFIED, report, signature=report.signature[:16])
    return card("[green]Erased: [/][bold]{kind}[/] {key:short}", report, None, *went, verified)


def _counts(removed: Sequence[Removed]) -> list[RenderableType]:
    return [Text(f"{one.count:>7,}  {one.what} ({one.store})") for one in removed]


_DRY = "Nothing was written: this is what would be taken back."
_UNDONE = (
    "[green]Undone: [/][bold]{title}[/]\n"
    "- [not dim]{?mentions}{mentions:#mention}[/] · [not dim]{?notes}{notes:#note}[/] · "
    "[not dim]{?assertions}{assertions:#word} on relationships[/] · "
    "{?stories}{stories:#storyline} shorter · read by {mind} · {source_key:short}"
)


def undo_report(report: Undone, zone: ZoneInfo) -> RenderableType:
    """How much went, whose, and what became of beliefs."""
    if report.was_undone:
        return Group(Text(f"Undone before; nothing changed: {clean(report.title)}"))
    beliefs = {
        "No longer believed": report.beliefs.gone,
        "Held true again": report.beliefs.back,
        "Now on the word of others": report.beliefs.fresh,
        "Otherwise changed": report.beliefs.changed,
    }
    return card(
        _UNDONE,
        report,
        None,
        *section("No longer known", [Text(clean(name)) for name in report.anchors]),
        *(row for name, some in beliefs.items() for row in section(name, _beliefs(some, zone))),
        *([Text(_DRY, style="dim")] if report.dry_run else []),
    )


def redo_report(page: Page) -> RenderableType:
    return Text.assemble(("Read again: ", "green"), (clean(title_of(page.node)), "bold"))


def _beliefs(beliefs: Sequence[Belief], zone: ZoneInfo) -> list[RenderableType]:
    return [Group(Text(clean(one.statement)), belief_line(one, zone)) for one in beliefs]


_CHANGE = (
    "[green]{?changed}{done}: [/][bold]{name}[/] | [dim]Nothing to do: [/][bold]{name}[/]\n"
    "- {kind} · {?life.ttl_policy=keep_forever}pinned · {life.state} · "
    "salience {life.salience:.2f} · {key:short}"
)
_CORRECTION = (
    "[bold]{name}[/]\n"
    "- [not dim]{field}: {said}[/] · until {expires_at} · {at} · {key:short} · {correction_id}"
)
corrected = message(
    Corrected,
    "[bold]{name}[/]\n"
    "- [green]{?changed}Put right[/] | As it was · [magenta]{kind}[/] · {key:short} · "
    "{?changed}remanent undo-correction {correction_id}",
)
forgettable = cards(
    Forgettable,
    "[bold]{name}[/]\n- [not dim]{why}[/] · {started_at:day} · worth {worth:.3f} · {key:short}",
    "No source that could go.",
)


def changes(lives: Sequence[LifecycleReport], done: str) -> RenderableType:
    return Group(*(card(_CHANGE, one, done=done) for one in lives))


def corrections(shown: Sequence[StandingCorrection], zone: ZoneInfo) -> RenderableType:
    values = ("removed" if one.value is None else str(one.value) for one in shown)
    entries = (
        card(_CORRECTION, one, zone, said=value) for one, value in zip(shown, values, strict=True)
    )
    return listing(entries, "Nothing was put right by hand.")


# --- the curve ---------------------------------------------------------------------------------

_HEIGHT = 8
_MARGIN = 6  # for the scale at the left
_WIDEST = 100
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_PLAIN = "  ....:##"  # for a terminal that has no such characters
_CURVE = (
    "[bold]{name}[/]\n"
    "- [magenta]{kind}[/] · {life.state} · salience {life.salience:.2f} · accessed {times} · "
    "[cyan]{key}[/]"
)


def curve(forecast: Curve, zone: ZoneInfo) -> Group:
    """The plot of one memory, and what it says in words."""
    return card(
        _CURVE,
        forecast,
        None,
        Text(),
        _Plot(forecast, zone),
        Text(),
        _ahead(forecast, zone),
        times="once" if (count := forecast.life.access_count) == 1 else f"{count} times",
    )


@dataclass(frozen=True, slots=True)
class _Plot:
    """As wide as the terminal: bars for what will be, dots for what an access today would make of it."""

    forecast: Curve
    zone: ZoneInfo

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(10, min(options.max_width, _WIDEST) - _MARGIN)
        bars = _EIGHTHS if not options.ascii_only else _PLAIN
        dot = "·" if not options.ascii_only else "'"
        yield from self._rows(width, bars, dot)
        yield self._axis(width, ascii_only=options.ascii_only)
        yield self._days(width)

    def _rows(self, width: int, bars: str, dot: str) -> Iterator[Text]:
        now, then = (
            _sampled(self.forecast.points, width),
            _sampled(self.forecast.if_accessed, width),
        )
        for row in range(_HEIGHT - 1, -1, -1):
            scale = {_HEIGHT - 1: "1.0", _HEIGHT // 2 - 1: "0.5"}.get(row, "")
            text = Text(f"{scale:>{_MARGIN - 2}} ", style="dim")
            text.append("│" if bars is _EIGHTHS else "|")
            for height, other in zip(now, then, strict=True):
                cell = bars[max(0, min(8, round((height * _HEIGHT - row) * 8)))]
                if cell == " " and int(min(other, 0.999) * _HEIGHT) == row:
                    text.append(dot, style="not dim green")
                else:
                    text.append(cell, style="not dim cyan")
            yield text

    def _axis(self, width: int, *, ascii_only: bool) -> Text:
        """The line below, with a mark where it is archived."""
        plain, mark = ("-", "^") if ascii_only else ("─", "▲")
        corner = "+" if ascii_only else "└"
        cells = [plain] * width
        place = self._place(self.forecast.archived_at, width)
        if place is not None:
            cells[place] = mark
        return Text(f"{'0':>{_MARGIN - 2}} {corner}{''.join(cells)}", style="dim")

    def _place(self, moment: datetime | None, width: int) -> int | None:
        first, last = self.forecast.points[0].at, self.forecast.points[-1].at
        if moment is None or not first <= moment <= last:
            return None
        return min(width - 1, int((moment - first) / (last - first) * width))

    def _days(self, width: int) -> Text:
        ends = (self.forecast.points[0].at, self.forecast.points[-1].at)
        begin, end = (when(one, self.zone, clock=False) for one in ends)
        return Text(f"{' ' * _MARGIN}{begin}{end:>{max(1, width - len(begin))}}", style="dim")


def _sampled(points: Sequence[Point], width: int) -> list[float]:
    """The salience in the middle of each column, on the line between the two points around it."""
    first, last = points[0].at, points[-1].at
    span = (last - first).total_seconds()
    times = [(one.at - first).total_seconds() for one in points]
    saliences = []
    for column in range(width):
        at = span * (column + 0.5) / width
        place = min(len(points) - 1, max(1, bisect_left(times, at)))
        before, after = points[place - 1], points[place]
        part = (at - times[place - 1]) / (times[place] - times[place - 1])
        saliences.append(before.salience + (after.salience - before.salience) * part)
    return saliences


_FADES = (
    "{?half}If nobody asks for it, it is half as present every {half} | "
    "Nobody has asked for it, but it is certain: it waits without fading"
)
_AHEAD = (
    "{?life.ttl_policy=keep_forever}Pinned: it does not fade. | "
    "{?life.state=archived}Archived: search passes it by. `remanent restore` calls it back. | "
    "{fades}, and archived on {archived_at:day}. | {fades}, and is not archived."
)
_IF_ACCESSED = (
    "[dim]{?life.ttl_policy=keep_forever}`remanent unpin` lets it fade again.[/] | "
    "[dim]An access today (the dots): {parts}.[/]"
)


def _ahead(forecast: Curve, zone: ZoneInfo) -> Group:
    """What becomes of it if nobody asks for it, and what one access today would change."""
    half, half_then = (_days(one) for one in (forecast.half_life, forecast.half_life_if_accessed))
    ends = when(forecast.archived_if_accessed, zone, clock=False)
    parts = [f"salience {forecast.if_accessed[0].salience:.2f}"]
    parts += [f"half of it gone in {half_then}"] if half_then else []
    parts += [f"archived on {ends}"] if ends else []
    fades = text_of(_FADES, half=half).plain
    return card(f"{_AHEAD}\n{_IF_ACCESSED}", forecast, zone, fades=fades, parts=parts)


def _days(days: float | None) -> str:
    if days is None:
        return ""
    return f"{days:,.0f} days" if round(days) != 1 else "day"


def added(key: str, done: Worked | None) -> Group:
    then = (
        "[dim]{?done}`remanent show {key:short}` opens it.[/] | [dim]`remanent work` reads it.[/]"
    )
    return card(f"[bold green]Added [/][cyan]{{key}}[/]\n{then}", key=key, done=done is not None)


def welcome(place: str, user: User, *, new: bool, named: str | None, alone: bool) -> Group:
    """Where the memory is, whose it is, and three things to try; whoever is not alone in it has to say
    who they are."""
    command = f"remanent --memory {shlex.quote(named)}" if named else "remanent"
    command += "" if alone else f" --user {shlex.quote(user.user_id)}"
    tries = (
        'remember "I prefer tea in the morning."',
        "add notes.md",
        'search "what do I drink in the morning?"',
    )
    owner = text_of("- [not dim bold]{user_id}[/] · [not dim]{name}[/] · {timezone}", user)
    where = text_of("- [not dim]{place}[/] · {?new}new | was there", place=place, new=new)
    return Group(
        facts([("memory", where), ("user", owner)]),
        Text("\nNext", style="bold"),
        *(Text(f"  {clean(command)} {text}", style="cyan", overflow="fold") for text in tries),
    )
