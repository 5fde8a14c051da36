"""Views of agents' events, sessions and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.event_text import text_of as event_text
from remanent.core.model.event import EndedSession, Event, EventHit, Lag, Recorded, SessionOutcome
from remanent.core.model.page import Worked
from remanent.core.model.story import Summary
from remanent.core.records.export import Position
from remanent.surfaces.cli.views.basics import counted, excerpt, numbered
from remanent.surfaces.cli.views.cards import card, cards, listing, message, text_of

_WORK = "`remanent work` makes it part of the graph."
_ENDINGS = {
    SessionOutcome.KEPT: "[bold green]Ended; what was said is a source now[/]",
    SessionOutcome.KNOWN: "[dim]Ended before; nothing changed[/]",
    SessionOutcome.SILENT: "[bold yellow]Ended; nobody said anything in it, so there is no source[/]",
}
_ENDED = (
    "- [not dim]{?source_key}{messages:#message}[/] · [not dim cyan]{source_key}[/]\n"
    "[dim]{?done}`remanent show {source_key:short}` opens it.[/] | "
    "[dim]{?source_key}`remanent work` reads it.[/]\n"
    "[yellow]{?later}{later:#message} came later; the source is without.[/]"
)
_HIT = (
    "{text:excerpt}\n"
    "- [magenta]{event.event_type}[/] · {event.occurred_at} · [not dim green]{event.agent_id}[/] · "
    "{event.session_id} · importance {event.importance_score:g} · "
    "{event.key:short} · {score:.2f}\n"
    "> parts"
)
_ENTRY = (
    "- [not dim cyan]{seq}[/] · [magenta]{event_type}[/] · {occurred_at} · {agent_id} · "
    "{session_id} · {said}"
)
position = message(Position, "[green]{consumer}[/] has handled all up to {seq}.")
summaries = cards(
    Summary,
    "{text}\n"
    "- [magenta]{level}[/] · {event_count:#event} · {covers_from} to {covers_to} · "
    "{session_id} | {agent_id} · [not dim cyan]{key:short}[/]",
    "No summaries yet: `remanent sleep` writes them once an episode is over.",
)


def records(recorded: Sequence[Recorded]) -> RenderableType:
    """One event with its id, or how many."""
    if not recorded:
        return Text("No events.")
    new = sum(one.is_new for one in recorded)
    if len(recorded) > 1:
        counts = f"- [not dim green]{new} recorded[/] · {{?known}}{{known}} known already"
        return card(f"{counts}\n[dim]{{?new}}{_WORK}[/]", new=new, known=len(recorded) - new)
    head = (
        "[bold green]{?is_new}Recorded [/][cyan]{event_id}[/] at {seq} | "
        "[bold yellow]Known already: [/][cyan]{event_id}[/] at {seq}"
    )
    return card(f"{head}\n[dim]{{?is_new}}{_WORK}[/]", recorded[0])


def hits(events: Sequence[EventHit], zone: ZoneInfo, *, behind: int) -> RenderableType:
    """Events with their scores, best first; `behind` are not in the graph yet."""
    waits = f"{behind:,} more wait for `remanent work`." if behind else ""
    if not events:
        return Text(waits or "No event fits. `remanent record TYPE` keeps one.")
    shown = numbered(card(_HIT, one, zone) for one in events)
    return Group(shown, Text(waits, style="dim")) if waits else shown


def entries(ledger: Sequence[Event], zone: ZoneInfo) -> RenderableType:
    """Entries of the ledger, each with its position, in order."""
    told = ((one, excerpt(event_text(one.event_type, one.payload))) for one in ledger)
    lines = (text_of(_ENTRY, one, zone, said=said) for one, said in told)
    return listing(lines, "Nothing lies beyond that position.")


def session_end(one: EndedSession, done: Worked | None) -> Group:
    """What became of the session."""
    return card(f"{_ENDINGS[one.outcome]}\n{_ENDED}", one, done=done and one.source_key)


def lag(state: Lag) -> Text:
    """How far the stages are behind, or that they are not."""
    stages = {"to be placed": state.projection, "to be understood": state.enrichment}
    late = (
        f"[not dim yellow]{one.events:,} {name}, the oldest for {_span(one.seconds)}[/]"
        for name, one in stages.items()
        if one.events
    )
    return text_of(f"- {' · '.join(late)}") or Text("up to date")


def _span(seconds: float) -> str:
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return counted(int(seconds // size), unit)
    return f"{int(seconds)} s"
