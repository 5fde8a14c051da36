"""Stories for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.lifecycle import State
from remanent.core.model.story import Macro, Story, Storyline
from remanent.surfaces.cli.views import clean, line, short, when

NOTHING = (
    "No stories yet: what comes up in five sources on three days becomes one, the night after. "
    "`remanent sleep` does what the nights have missed."
)


def stories(found: Sequence[Story], zone: ZoneInfo) -> RenderableType:
    """A timeline, newest first."""
    if not found:
        return Text(NOTHING)
    return Group(*(_story(one, zone) for one in found))


def _story(story: Story, zone: ZoneInfo) -> Group:
    mark = ("◆ ", "magenta") if isinstance(story, Macro) else ("● ", "green" if story.is_open else "dim")  # fmt: skip
    head = Text.assemble(mark, (clean(story.name), "bold"), (f"  {short(story.key)}", "cyan"))
    told = clean(story.description) or "not told yet"
    return Group(head, Padding(Group(span(story, zone), Text(told)), (0, 0, 1, 2)))


def span(story: Story, zone: ZoneInfo) -> Text:
    """From when to when, of how much, and how it is with it."""
    is_macro = isinstance(story, Macro)
    last = story.last_event_at if isinstance(story, Macro) else story.last_source_at
    sources = story.total_source_count if isinstance(story, Macro) else story.source_count
    return line(
        (f"{when(story.started_at, zone, clock=False)} to {when(last, zone, clock=False)}", ""),
        (_many(story.storyline_count, "storyline"), "") if isinstance(story, Macro) else None,
        (_many(sources, "source"), ""),
        None if is_macro else ("open" if _is_open(story) else "over", ""),
        ("archived", "yellow") if story.life.state is State.ARCHIVED else None,
        (f"team {story.team_id}", "") if story.team_id else None,
        ("news since it was told", "yellow") if story.is_dirty else None,
    )


def _is_open(story: Story) -> bool:
    return isinstance(story, Storyline) and story.is_open


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
