"""The command about summaries: what remains of events that were gone over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from rich.console import Group, RenderableType

    from remanent.core.model.story import Summary


def summaries(
    session: Session,
    level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="episode, session or agent.")
    ] = None,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Only those of this session.")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 50,
) -> None:
    """What remains of events: summaries of episodes, sessions and agents, the newest first.

    `remanent show KEY` tells what a summary stands for, also what has left the graph.
    """
    found = session.me.summaries(level, session_id, limit)
    session.screen.answer({"summaries": found}, lambda: _view(found, session.zone))


def _view(found: Sequence[Summary], zone: ZoneInfo) -> RenderableType:
    from rich.text import Text

    from remanent.surfaces.cli.views import numbered

    if not found:
        return Text("No summaries yet: `remanent sleep` writes them once an episode is over.")
    return numbered(_one(one, zone) for one in found)


def _one(one: Summary, zone: ZoneInfo) -> Group:
    from rich.console import Group
    from rich.text import Text

    from remanent.surfaces.cli.views import clean, line, short, when

    events = "1 event" if one.event_count == 1 else f"{one.event_count:,} events"
    return Group(
        Text(clean(one.text)),
        line(
            (one.level.value, "magenta"),
            (events, ""),
            (f"{when(one.covers_from, zone)} to {when(one.covers_to, zone)}", ""),
            (one.session_id or one.agent_id, ""),
            (short(one.key), "not dim cyan"),
        ),
    )
