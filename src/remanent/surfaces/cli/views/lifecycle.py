"""Lives for people's eyes: what was changed, what would go first, and the curve of one memory."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.lifecycle_reports import Curve, Forgettable, LifecycleReport, Point
from remanent.surfaces.cli.views.basics import clean, line, numbered, short, when

_HEIGHT = 8
_MARGIN = 6  # for the scale at the left
_WIDEST = 100
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_PLAIN = "  ....:##"  # for a terminal that has no such characters


def changed(lives: Sequence[LifecycleReport], done: str) -> RenderableType:
    return Group(*(_living(one, done) for one in lives))


def _living(one: LifecycleReport, done: str) -> Group:
    word = done if one.changed else "Nothing to do"
    return Group(
        Text.assemble((f"{word}: ", "green" if one.changed else "dim"), (clean(one.name), "bold")),
        line(
            (one.kind.value, ""),
            ("pinned" if one.life.ttl_policy is TtlPolicy.KEEP_FOREVER else "", ""),
            (one.life.state.value, ""),
            (f"salience {one.life.salience:.2f}", ""),
            (short(one.key), "cyan"),
        ),
    )


def forgettable(found: Sequence[Forgettable], zone: ZoneInfo) -> RenderableType:
    if not found:
        return Text("No source that could go.")
    return numbered(_forgettable(one, zone) for one in found)


def _forgettable(one: Forgettable, zone: ZoneInfo) -> Group:
    return Group(
        Text(clean(one.name), style="bold"),
        line(
            (one.why, "not dim"),
            (when(one.started_at, zone, clock=False), ""),
            (f"worth {one.worth:.3f}", ""),
            (short(one.key), "cyan"),
        ),
    )


# --- the curve ---------------------------------------------------------------------------------


def curve(told: Curve, zone: ZoneInfo) -> Group:
    """The plot of one memory, and what it says in words."""
    return Group(
        Text(clean(told.name), style="bold"),
        line(
            (told.kind.value, "magenta"),
            (told.life.state.value, ""),
            (f"salience {told.life.salience:.2f}", ""),
            (f"accessed {_times(told.life.access_count)}", ""),
            (told.key, "cyan"),
        ),
        Text(),
        _Plot(told, zone),
        Text(),
        Text(_ahead(told, zone)),
        Text(_if_accessed(told, zone), style="dim"),
    )


@dataclass(frozen=True, slots=True)
class _Plot:
    """As wide as the terminal: bars for what will be, dots for what an access today would make of it."""

    told: Curve
    zone: ZoneInfo

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(10, min(options.max_width, _WIDEST) - _MARGIN)
        bars = _EIGHTHS if not options.ascii_only else _PLAIN
        dot = "·" if not options.ascii_only else "'"
        yield from self._rows(width, bars, dot)
        yield self._axis(width, ascii_only=options.ascii_only)
        yield self._days(width)

    def _rows(self, width: int, bars: str, dot: str) -> Iterator[Text]:
        now, then = _sampled(self.told.points, width), _sampled(self.told.if_accessed, width)
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
        place = self._place(self.told.archived_at, width)
        if place is not None:
            cells[place] = mark
        return Text(f"{'0':>{_MARGIN - 2}} {corner}{''.join(cells)}", style="dim")

    def _place(self, moment: datetime | None, width: int) -> int | None:
        first, last = self.told.points[0].at, self.told.points[-1].at
        if moment is None or not first <= moment <= last:
            return None
        return min(width - 1, int((moment - first) / (last - first) * width))

    def _days(self, width: int) -> Text:
        ends = (self.told.points[0].at, self.told.points[-1].at)
        begin, end = (when(one, self.zone, clock=False) for one in ends)
        return Text(f"{' ' * _MARGIN}{begin}{end:>{max(1, width - len(begin))}}", style="dim")


def _sampled(points: Sequence[Point], width: int) -> list[float]:
    """The salience in the middle of each column, on the line between the two points around it."""
    first, last = points[0].at, points[-1].at
    span = (last - first).total_seconds()
    times = [(one.at - first).total_seconds() for one in points]
    found = []
    for column in range(width):
        at = span * (column + 0.5) / width
        place = min(len(points) - 1, max(1, bisect_left(times, at)))
        before, after = points[place - 1], points[place]
        part = (at - times[place - 1]) / (times[place] - times[place - 1])
        found.append(before.salience + (after.salience - before.salience) * part)
    return found


def _ahead(told: Curve, zone: ZoneInfo) -> str:
    """What becomes of it if nobody asks for it."""
    life = told.life
    if life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        return "Pinned: it does not fade."
    if life.state is State.ARCHIVED:
        return "Archived: search passes it by. `remanent restore` calls it back."
    if told.half_life is None:
        fades = "Nobody has asked for it, but it is certain: it waits without fading"
    else:
        fades = f"If nobody asks for it, it is half as present every {_days(told.half_life)}"
    if told.archived_at is None:
        return f"{fades}, and is not archived."
    return f"{fades}, and archived on {when(told.archived_at, zone, clock=False)}."


def _if_accessed(told: Curve, zone: ZoneInfo) -> str:
    """What one access today would change."""
    if told.life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        return "`remanent unpin` lets it fade again."
    parts = [f"salience {told.if_accessed[0].salience:.2f}"]
    if told.half_life_if_accessed is not None:
        parts.append(f"half of it gone in {_days(told.half_life_if_accessed)}")
    if told.archived_if_accessed is not None:
        parts.append(f"archived on {when(told.archived_if_accessed, zone, clock=False)}")
    return f"An access today (the dots): {', '.join(parts)}."


def _days(days: float) -> str:
    return f"{days:,.0f} days" if round(days) != 1 else "day"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
