"""People, things, how they stand to one another, and stories, for people's eyes. Nothing here prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.lifecycle import State
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.surfaces.cli.views.basics import clean, line, numbered, short, when


def sources(found: Sequence[Source], zone: ZoneInfo) -> RenderableType:
    if not found:
        return Text("No sources.")
    return numbered(_source(one, zone) for one in found)


def _source(one: Source, zone: ZoneInfo) -> Group:
    return Group(
        Text(clean(title_of(one)), style="bold"),
        line(
            (one.content_type.value, ""),
            (when(one.started_at, zone, clock=True), ""),
            (f"team {one.team_id}" if one.team_id else "", ""),
            ("" if one.processing_status.value == "extracted" else one.processing_status.value, ""),
            (short(one.key), "cyan"),
        ),
    )


def anchors(found: Sequence[Anchor], zone: ZoneInfo) -> RenderableType:
    if not found:
        return Text("Nobody and nothing yet.")
    return numbered(_anchor(one, zone) for one in found)


def anchor(one: Anchor, zone: ZoneInfo) -> RenderableType:
    return anchors([one], zone)


def _anchor(one: Anchor, zone: ZoneInfo) -> Group:
    kind = one.type if isinstance(one, Entity) else one.kind.value
    count = f"{one.source_count} source{'' if one.source_count == 1 else 's'}"
    last = when(one.last_mentioned_at, zone, clock=False)
    return Group(
        Text(clean(one.name), style="bold"),
        line(
            (kind, ""),
            (", ".join(one.aliases), ""),
            (count, ""),
            (f"last on {last}" if last else "", ""),
            (short(one.key), "cyan"),
        ),
    )


def relationships(
    found: Sequence[Relationship], names: Mapping[str, str], zone: ZoneInfo
) -> RenderableType:
    if not found:
        return Text("None.")
    return numbered(_relationship(one, names, zone) for one in found)


def _relationship(one: Relationship, names: Mapping[str, str], zone: ZoneInfo) -> Group:
    src, dst = (clean(names.get(key, short(key))) for key in (one.src, one.dst))
    until = "" if one.valid_to is None else f" until {when(one.valid_to, zone, clock=False)}"
    return Group(
        Text.assemble((src, "bold"), " ─ ", clean(one.relationship_type), " → ", (dst, "bold")),
        line(
            (f"since {when(one.valid_from, zone, clock=False)}{until}", ""),
            (one.description, ""),
            (short(one.key), "cyan"),
        ),
    )


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
