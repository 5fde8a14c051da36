"""Lists of people, things and how they stand to one another, for people's eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import Source
from remanent.surfaces.cli.views import clean, line, numbered, short, when


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
