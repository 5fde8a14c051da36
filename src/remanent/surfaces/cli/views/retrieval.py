"""Views of what search, explore, traverse, cypher and need found, of anchors, relationships and stories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.lifecycle import State
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import Abbreviation, Need, Rows
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.retrieval.model.exploration import (
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


def sources(found: Sequence[Source], zone: ZoneInfo) -> RenderableType:
    if not found:
        return Text("No sources.")
    return numbered(_source_of_anchors(one, zone) for one in found)


def _source_of_anchors(one: Source, zone: ZoneInfo) -> Group:
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
    return numbered(_relationship_of_anchors(one, names, zone) for one in found)


def _relationship_of_anchors(one: Relationship, names: Mapping[str, str], zone: ZoneInfo) -> Group:
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
