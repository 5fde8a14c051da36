"""Views of agents' events, sessions and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.event_text import text_of
from remanent.core.model.event import (
    Behind,
    EndedSession,
    Event,
    EventHit,
    Lag,
    Recorded,
    SessionOutcome,
)
from remanent.core.model.page import Worked
from remanent.core.model.story import Summary
from remanent.core.records.export import Position
from remanent.surfaces.cli.views.basics import (
    clean,
    counted,
    excerpt,
    line,
    listing,
    numbered,
    parts_of,
    plural,
    short,
    when,
)

_ENDINGS = {
    SessionOutcome.KEPT: ("Ended; what was said is a source now", "bold green"),
    SessionOutcome.KNOWN: ("Ended before; nothing changed", "dim"),
    SessionOutcome.SILENT: (
        "Ended; nobody said anything in it, so there is no source",
        "bold yellow",
    ),
}


def records(recorded: Sequence[Recorded]) -> RenderableType:
    """One event with its id, or how many."""
    if not recorded:
        return Text("No events.")
    new = sum(one.is_new for one in recorded)
    rest = Text("`remanent work` makes it part of the graph.", style="dim")
    if len(recorded) > 1:
        known = len(recorded) - new
        counts = line(
            (f"{new} recorded", "not dim green"), f"{known} known already" if known else ""
        )
        return Group(counts, rest) if new else counts
    one = recorded[0]
    word, style = ("Recorded ", "bold green") if one.is_new else ("Known already: ", "bold yellow")
    text = Text.assemble((word, style), (clean(one.event_id), "cyan"), f" at {one.seq}")
    return Group(text, rest) if one.is_new else text


def hits(events: Sequence[EventHit], zone: ZoneInfo, *, behind: int) -> RenderableType:
    """Events with their scores, best first; `behind` are not in the graph yet."""
    waits = f"{behind:,} more wait for `remanent work`." if behind else ""
    if not events:
        return Text(waits or "No event fits. `remanent record TYPE` keeps one.")
    shown = numbered(_hit(one, zone) for one in events)
    return Group(shown, Text(waits, style="dim")) if waits else shown


def entries(ledger: Sequence[Event], zone: ZoneInfo) -> RenderableType:
    """Entries of the ledger, each with its position, in order."""
    return listing(ledger, lambda one: _entry(one, zone), "Nothing lies beyond that position.")


def _entry(one: Event, zone: ZoneInfo) -> Text:
    said = excerpt(text_of(one.event_type, one.payload))
    about = (when(one.occurred_at, zone), one.agent_id, one.session_id, said)
    return line((f"{one.seq}", "not dim cyan"), (one.event_type, "magenta"), *about)


def position(one: Position) -> Text:
    return Text.assemble((clean(one.consumer), "green"), f" has handled all up to {one.seq}.")


def _hit(hit: EventHit, zone: ZoneInfo) -> Group:
    event = hit.event
    about = line(
        (event.event_type, "magenta"),
        when(event.occurred_at, zone),
        (event.agent_id, "not dim green"),
        event.session_id,
        f"importance {event.importance_score:g}",
        (short(event.key), "not dim cyan"),
        f"{hit.score:.2f}",
    )
    return Group(Text(excerpt(hit.text)), about, *parts_of(hit.parts))


def session_end(one: EndedSession, done: Worked | None) -> Group:
    """What became of the session."""
    outcome, style = _ENDINGS[one.outcome]
    rows: list[RenderableType] = [Text(outcome, style=style)]
    if one.source_key is not None:
        then = "reads it" if done is None else f"show {short(one.source_key)}` opens it"
        count = counted(one.messages, "message")
        rows.append(line((count, "not dim"), (one.source_key, "not dim cyan")))
        rows.append(Text(f"`remanent {'work` ' if done is None else ''}{then}.", style="dim"))
    if one.later:
        later = f"{counted(one.later, 'message')} came later; the source is without."
        rows.append(Text(later, style="yellow"))
    return Group(*rows)


def lag(state: Lag) -> Text:
    """How far the stages are behind, or that they are not."""
    stages = (("to be placed", state.projection), ("to be understood", state.enrichment))
    late = [(_behind(name, stage), "not dim yellow") for name, stage in stages if stage.events]
    return line(*late) if late else Text("up to date")


def _behind(name: str, one: Behind) -> str:
    return f"{one.events:,} {name}, the oldest for {_span(one.seconds)}"


def _span(seconds: float) -> str:
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {plural(count, unit)}"
    return f"{int(seconds)} s"


def summaries(shown: Sequence[Summary], zone: ZoneInfo) -> RenderableType:
    nothing = "No summaries yet: `remanent sleep` writes them once an episode is over."
    return listing(shown, lambda summary: _summary(summary, zone), nothing)


def _summary(one: Summary, zone: ZoneInfo) -> Group:
    return Group(
        Text(clean(one.text)),
        line(
            (one.level.value, "magenta"),
            counted(one.event_count, "event"),
            f"{when(one.covers_from, zone)} to {when(one.covers_to, zone)}",
            one.session_id or one.agent_id,
            (short(one.key), "not dim cyan"),
        ),
    )
