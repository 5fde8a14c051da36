"""What explore, traverse, cypher and need found, for people's eyes. Nothing here prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.core.model.search import Abbreviation, Need, Rows
from remanent.retrieval.model import (
    ArtifactHit,
    Explored,
    Leg,
    MacroHit,
    NodeRef,
    Reached,
    RelationshipHit,
    SemanticNodeHit,
    SourceHit,
    StorylineHit,
    Traversal,
)
from remanent.surfaces.cli.views.basics import clean, excerpt, line, numbered, short, when

_SOME_NOTES = 3  # the rest is in the JSON, and in `show`


def answer(found: Explored, zone: ZoneInfo) -> RenderableType:
    semantic, episodic = found.semantic, found.episodic
    remarks = [Text(f"note: {one}", style="yellow") for one in found.meta.remarks]
    if found.meta.reason:
        told = f"Nothing found: {found.meta.reason}. `remanent status` says what is known."
        return Group(Text(told), *remarks)
    parts: Sequence[tuple[str, Iterable[RenderableType]]] = (
        ("macros", [_macro(one, zone) for one in episodic.macros]),
        ("storylines", [_storyline(one, zone) for one in episodic.storylines]),
        ("people and things", [_node(one) for one in semantic.nodes]),
        ("relationships", [_relationship(one, zone) for one in semantic.relationships]),
        ("sources", [_source(one, zone) for one in episodic.sources]),
        ("artifacts", [_artifact(one, zone) for one in episodic.artifacts]),
    )
    shown: list[RenderableType] = []
    for title, bodies in parts:
        if bodies:
            shown += [Text(title, style="bold"), Padding(numbered(bodies), (0, 0, 1, 1))]
    return Group(*shown, *remarks)


def _node(one: SemanticNodeHit) -> Group:
    name = Text.assemble((clean(one.name), "bold"), f": {clean(one.description)}" if one.description else "")  # fmt: skip
    about = line(
        (one.type or one.node_type.value.lower(), "magenta"),
        (one.state.value, ""),
        (short(one.entity_key), "not dim cyan"),
        (f"{one.relevance_score:.2f}", ""),
    )
    return Group(name, *_notes(one.notes_snippets), about, *_why(one.explanation))


def _relationship(one: RelationshipHit, zone: ZoneInfo) -> Group:
    until = "" if one.valid_to is None else f" until {when(one.valid_to, zone, clock=False)}"
    ends = Text.assemble(
        (clean(one.from_name) or short(one.from_entity_key), "bold"),
        f" ─ {clean(one.relationship_type)} → ",
        (clean(one.to_name) or short(one.to_entity_key), "bold"),
    )
    about = line(
        (one.description, ""),
        (f"attitude {one.attitude}, proximity {one.proximity}", ""),
        (f"since {when(one.valid_from, zone, clock=False)}{until}", ""),
        (short(one.key), "not dim cyan"),
        (f"{one.relevance_score:.2f}", ""),
    )
    return Group(ends, about, *_why(one.explanation))


def _source(one: SourceHit, zone: ZoneInfo) -> Group:
    quotes = [
        Text(
            f"“{excerpt(passage.text)}”" + (f" {clean(passage.speaker)}" if passage.speaker else "")
        )
        for passage in one.passages
    ]
    stories = [ref.name for ref in one.storyline_refs] + [ref.name for ref in one.macro_refs]
    about = line(
        (one.context_type, "magenta"),
        (when(one.started_at, zone), ""),
        (_names(one.mentioned_nodes), ""),
        (", ".join(stories), "italic"),
        (short(one.entity_key), "not dim cyan"),
        (f"{one.relevance_score:.2f}", ""),
    )
    head = Text(excerpt(one.summary or one.title), style="bold" if quotes else "")
    return Group(head, *quotes, about, *_why(one.explanation))


def _storyline(one: StorylineHit, zone: ZoneInfo) -> Group:
    head = Text(clean(one.name), style="bold")
    key = (short(one.storyline_id), "not dim cyan")
    if not one.is_full:
        return Group(head, line(key))
    previews = [
        Text(
            f"{when(source.started_at, zone, clock=False)}  {excerpt(source.summary)}", style="dim"
        )
        for source in one.preview_sources
    ]
    span = f"{when(one.started_at, zone, clock=False)} to {when(one.last_source_at, zone, clock=False)}"
    about = line(
        (span, ""),
        (f"{one.source_count} sources", ""),
        (_names((*one.top_people, *one.top_entities, *one.top_concepts)), ""),
        key,
        (f"{one.relevance_score:.2f}", ""),
    )
    return Group(head, Text(excerpt(one.description)), *previews, about, *_why(one.explanation))


def _macro(one: MacroHit, zone: ZoneInfo) -> Group:
    head = Text(clean(one.name), style="bold")
    key = (short(one.macro_id), "not dim cyan")
    if not one.is_full:
        return Group(head, line(key))
    stories = [
        Text(f"{clean(story.name)}: {excerpt(story.one_liner)}", style="dim")
        for story in one.storylines
    ]
    span = (
        f"{when(one.started_at, zone, clock=False)} to {when(one.last_event_at, zone, clock=False)}"
    )
    about = line(
        (span, ""),
        (f"{one.storyline_count} storylines, {one.total_source_count} sources", ""),
        key,
        (f"{one.relevance_score:.2f}", ""),
    )
    return Group(head, Text(excerpt(one.description)), *stories, about, *_why(one.explanation))


def _artifact(one: ArtifactHit, zone: ZoneInfo) -> Group:
    name = Text.assemble((clean(one.name), "bold"), f": {clean(one.description)}" if one.description else "")  # fmt: skip
    about = line(
        (one.content_type, "magenta"),
        (when(one.created_at, zone), ""),
        (_names(one.related_nodes), ""),
        (short(one.entity_key), "not dim cyan"),
    )
    return Group(name, about, *_why(one.explanation))


def _notes(snippets: Sequence[str]) -> list[Text]:
    return [Text(excerpt(one)) for one in snippets[:_SOME_NOTES]]


def _names(nodes: Iterable[NodeRef]) -> str:
    return ", ".join(one.name for one in nodes)


def _why(explanation: Mapping[str, float]) -> list[Text]:
    told = [(f"{name} {value:.2f}", "yellow") for name, value in explanation.items() if value]
    return [line(*told)] if told else []


def traversal(found: Traversal) -> RenderableType:
    bodies = numbered(_reached(one, found.titles) for one in found.reached)
    foot = f"{len(found.reached)} of {found.within_reach} within reach"
    told = f"{foot}; {found.reason}" if found.reason else foot
    return Group(bodies, Text(told, style="dim"))


def _reached(one: Reached, titles: Mapping[str, str]) -> Group:
    about = line(
        (one.kind.value, "magenta"),
        (_way(one.path, titles) if one.path else "a seed", ""),
        (short(one.key), "not dim cyan"),
        (f"{one.score:.3f}", ""),
    )
    return Group(Text(excerpt(one.title)), about)


def _way(path: Sequence[Leg], titles: Mapping[str, str]) -> str:
    """`Sarah ─ friend → Tom ← neighbour ─`: how one gets there."""
    steps = []
    for leg in path:
        name = excerpt(titles.get(leg.from_key, short(leg.from_key)))[:40]
        steps.append(f"{name} ← {leg.word} ─" if leg.backward else f"{name} ─ {leg.word} →")
    return " ".join(steps)


def rows(found: Rows) -> RenderableType:
    """One line for each row, and whether there are more."""
    if not found.rows:
        return Text("No rows.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in found.columns:
        table.add_column(Text(clean(name)), overflow="fold")
    for row in found.rows:
        table.add_row(*(Text(clean(_told(value))) for value in row))
    count = f"{len(found.rows)} row{'' if len(found.rows) == 1 else 's'}"
    return Group(
        table, Text(f"{count}{', and there are more' if found.truncated else ''}.", style="dim")
    )


def _told(value: Any) -> str:
    """Nodes and relationships by what people call them, other things as they are written in JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and "properties" in value:
        return _thing(value)
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    return json.dumps(value, ensure_ascii=False)


def _thing(value: dict[str, Any]) -> str:
    properties = value["properties"]
    if "type" in value:
        return f"[:{value['type']} {properties.get('relationship_type', '')}".rstrip() + "]"
    names = ("name", "title", "statement", "text", "summary")
    called = next((properties[one] for one in names if properties.get(one)), value.get("key", ""))
    return f"(:{':'.join(value['labels'])} {called})"


def need(found: Need) -> RenderableType:
    """Yes or no, and the reasons."""
    sure = "" if found.is_sure else ", but not for sure"
    said = "Needs memory" if found.needs_search else "Needs no memory"
    style = "green" if found.needs_search else "dim"
    reasons = [Text(f"  {clean(one)}", style="dim") for one in found.reasons]
    return Group(Text(f"{said}{sure}", style=style), *reasons)


def abbreviations(known: Sequence[Abbreviation]) -> RenderableType:
    """One line each."""
    if not known:
        return Text("No abbreviations are known.", style="dim")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for one in known:
        origin = "from a source" if one.is_learned else "set"
        table.add_row(
            Text(clean(one.short), style="bold"), Text(clean(one.long)), Text(origin, style="dim")
        )
    return table


def removed(short: str, *, changed: bool) -> RenderableType:
    if changed:
        return Text(f"{clean(short)} stands for itself now.")
    return Text(f"{clean(short)} stood for itself already.", style="dim")


def abbreviation(one: Abbreviation) -> RenderableType:
    return abbreviations([one])
