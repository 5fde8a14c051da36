"""Views of what search, explore, traverse, cypher and need found, of anchors, relationships and stories."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.page import AnchorGraph, GraphEdge, title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import Abbreviation, Explanation, Hit, Hits, Need, Rows
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story
from remanent.retrieval import model as explored
from remanent.retrieval.rules.profile import Profile, ProfileLine
from remanent.surfaces.cli.views.basics import (
    clean,
    days,
    entry,
    excerpt,
    given_by,
    line,
    listing,
    numbered,
    plural,
    section,
    short,
    since,
    when,
)

_SOME_NOTES = 3  # the rest is in the JSON, and in `show`


def hits(query: str, page: Hits, zone: ZoneInfo, *, explain: bool) -> RenderableType:
    reason = f" ({clean(page.reason)})" if page.reason else ""
    nothing = f"Nothing found{reason}. Other words may help; `remanent status` says what is known."
    return listing(page, lambda hit: _hit(hit, query, zone, explain=explain), nothing)


def _hit(hit: Hit, query: str, zone: ZoneInfo, *, explain: bool) -> Group:
    text = Text(excerpt(hit.text), style="strike" if hit.holds is False else "")
    words = {word for word in re.findall(r"\w+", query) if len(word) > 3}
    text.highlight_words([re.escape(word) for word in words], style="bold", case_sensitive=False)
    kind = None if hit.kind is Kind.PASSAGE else (hit.kind.value, "magenta")
    about = line(
        kind,
        (hit.speaker or "", "not dim green"),
        given_by(hit.contributed_by),
        when(hit.at, zone),
        (hit.title if hit.title != hit.text else "", "italic"),
        (_outdated(hit, zone), "red"),
        ("archived" if hit.cold else "", "blue"),
        (short(hit.key), "not dim cyan"),
        f"{hit.score:.2f}",
    )
    if not explain:
        return Group(text, about)
    reason = [] if hit.explanation is None else [line(hit.explanation.reason)]
    return Group(text, about, line(*_signals(hit.signals)), *reason)


def _outdated(hit: Hit, zone: ZoneInfo) -> str:
    """That something newer stands against it, and since when."""
    if hit.superseded_at is None and hit.superseded_by is None:
        return ""
    since = when(hit.superseded_at, zone, clock=False)
    what = "disputed" if hit.holds is None else "no longer so"
    return f"{what} since {since}" if since else what


def _signals(signals: Mapping[str, float]) -> list[tuple[str, str]]:
    return [(f"{name} {value:.2f}", "yellow") for name, value in signals.items() if value]


def explanation(result: Explanation) -> RenderableType:
    verdict = f"Returned at rank {result.rank}" if result.returned else "Not returned"
    style = "bold green" if result.returned else "bold yellow"
    state = [line(result.state)] if result.state else []
    return Group(Text(verdict, style=style), Text(clean(result.reason)), *state)


def exploration(answer: explored.Explored, zone: ZoneInfo) -> RenderableType:
    semantic, episodic = answer.semantic, answer.episodic
    remarks = [Text(f"note: {remark}", style="yellow") for remark in answer.meta.remarks]
    if answer.meta.reason:
        nothing = f"Nothing found: {answer.meta.reason}. `remanent status` says what is known."
        return Group(Text(nothing), *remarks)
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


def _node(one: explored.SemanticNodeHit) -> Group:
    name = _named(one.name, one.description)
    notes = [Text(excerpt(note)) for note in one.notes_snippets[:_SOME_NOTES]]
    about = line(
        (one.type or one.node_type.value.lower(), "magenta"),
        one.state.value,
        (short(one.entity_key), "not dim cyan"),
        f"{one.relevance_score:.2f}",
    )
    return Group(name, *notes, about, *_why(one.explanation))


def _relationship(one: explored.RelationshipHit, zone: ZoneInfo) -> Group:
    ends = Text.assemble(
        (clean(one.from_name) or short(one.from_entity_key), "bold"),
        f" ─ {clean(one.relationship_type)} → ",
        (clean(one.to_name) or short(one.to_entity_key), "bold"),
    )
    about = line(
        one.description,
        f"attitude {one.attitude}, proximity {one.proximity}",
        since(one.valid_from, one.valid_to, zone),
        (short(one.key), "not dim cyan"),
        f"{one.relevance_score:.2f}",
    )
    return Group(ends, about, *_why(one.explanation))


def _source(one: explored.SourceHit, zone: ZoneInfo) -> Group:
    quotes = [
        Text(
            f"“{excerpt(passage.text)}”" + (f" {clean(passage.speaker)}" if passage.speaker else "")
        )
        for passage in one.passages
    ]
    stories = [ref.name for ref in one.storyline_refs] + [ref.name for ref in one.macro_refs]
    about = line(
        (one.context_type, "magenta"),
        when(one.started_at, zone),
        given_by(one.contributed_by),
        _names(one.mentioned_nodes),
        (", ".join(stories), "italic"),
        (short(one.entity_key), "not dim cyan"),
        f"{one.relevance_score:.2f}",
    )
    head = Text(excerpt(one.summary or one.title), style="bold" if quotes else "")
    return Group(head, *quotes, about, *_why(one.explanation))


def _storyline(one: explored.StorylineHit, zone: ZoneInfo) -> Group:
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
    about = line(
        days(one.started_at, one.last_source_at, zone),
        f"{one.source_count} sources",
        _names((*one.top_people, *one.top_entities, *one.top_concepts)),
        key,
        f"{one.relevance_score:.2f}",
    )
    return Group(head, Text(excerpt(one.description)), *previews, about, *_why(one.explanation))


def _macro(one: explored.MacroHit, zone: ZoneInfo) -> Group:
    head = Text(clean(one.name), style="bold")
    key = (short(one.macro_id), "not dim cyan")
    if not one.is_full:
        return Group(head, line(key))
    stories = [
        Text(f"{clean(story.name)}: {excerpt(story.one_liner)}", style="dim")
        for story in one.storylines
    ]
    about = line(
        days(one.started_at, one.last_event_at, zone),
        f"{one.storyline_count} storylines, {one.total_source_count} sources",
        key,
        f"{one.relevance_score:.2f}",
    )
    return Group(head, Text(excerpt(one.description)), *stories, about, *_why(one.explanation))


def _artifact(one: explored.ArtifactHit, zone: ZoneInfo) -> Group:
    name = _named(one.name, one.description)
    about = line(
        (one.content_type, "magenta"),
        when(one.created_at, zone),
        _names(one.related_nodes),
        (short(one.entity_key), "not dim cyan"),
    )
    return Group(name, about, *_why(one.explanation))


def _named(name: str, description: str | None) -> Text:
    about = f": {clean(description)}" if description else ""
    return Text.assemble((clean(name), "bold"), about)


def _names(nodes: Iterable[explored.NodeRef]) -> str:
    return ", ".join(one.name for one in nodes)


def _why(explanation: Mapping[str, float]) -> list[Text]:
    signals = _signals(explanation)
    return [line(*signals)] if signals else []


def traversal(answer: explored.Traversal) -> RenderableType:
    bodies = numbered(_reached(one, answer.titles) for one in answer.reached)
    foot = f"{len(answer.reached)} of {answer.within_reach} within reach"
    return Group(bodies, Text(f"{foot}; {answer.reason}" if answer.reason else foot, style="dim"))


def _reached(one: explored.Reached, titles: Mapping[str, str]) -> Group:
    about = line(
        (one.kind.value, "magenta"),
        _way(one.path, titles) if one.path else "a seed",
        (short(one.key), "not dim cyan"),
        f"{one.score:.3f}",
    )
    return Group(Text(excerpt(one.title)), about)


def _way(path: Sequence[explored.Leg], titles: Mapping[str, str]) -> str:
    """`Sarah ─ friend → Tom ← neighbour ─`: how one gets there."""
    steps = []
    for leg in path:
        name = excerpt(titles.get(leg.from_key, short(leg.from_key)))[:40]
        steps.append(f"{name} ← {leg.word} ─" if leg.backward else f"{name} ─ {leg.word} →")
    return " ".join(steps)


def rows(result: Rows) -> RenderableType:
    """One line for each row, and whether there are more."""
    if not result.rows:
        return Text("No rows.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in result.columns:
        table.add_column(Text(clean(name)), overflow="fold")
    for row in result.rows:
        table.add_row(*(Text(clean(_cell(value))) for value in row))
    count = f"{len(result.rows)} {plural(len(result.rows), 'row')}"
    more = ", and there are more" if result.truncated else ""
    return Group(table, Text(f"{count}{more}.", style="dim"))


def _cell(value: Any) -> str:
    """Nodes and relationships by what people call them, other things as they are written in JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and "properties" in value:
        return _thing(value)
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return json.dumps(value, ensure_ascii=False)


def _thing(value: dict[str, Any]) -> str:
    properties = value["properties"]
    if "type" in value:
        return f"[:{value['type']} {properties.get('relationship_type', '')}".rstrip() + "]"
    names = ("name", "title", "statement", "text", "summary")
    called = next((properties[one] for one in names if properties.get(one)), value.get("key", ""))
    return f"(:{':'.join(value['labels'])} {called})"


def profile(known: Profile, zone: ZoneInfo) -> RenderableType:
    """What is known about the owner, under headings, and how to change a line."""
    if not known.lines:
        return Text('Nothing is known about you. `remanent remember "I ..."` begins.')
    rows: list[RenderableType] = []
    for part, inside in groupby(known.lines, lambda one: one.section):
        heading = part.value.replace("_", " ").capitalize().replace(" i ", " I ")
        rows += section(heading, (_profile_line(one, zone) for one in inside), blank=bool(rows))
    left = f" {known.omitted} more: --limit N --budget N." if known.omitted else ""
    change = (
        "To change a line: `remanent beliefs restate KEY TEXT`, `remanent beliefs forget KEY`, "
        f"`remanent remember TEXT`; `remanent show KEY` says why it is believed.{left}"
    )
    return Group(*rows, Text(), Text(change, style="dim"))


def _profile_line(one: ProfileLine, zone: ZoneInfo) -> RenderableType:
    about = line(
        given_by(one.contributed_by),
        f"since {when(one.since, zone, clock=False)}",
        "" if one.kind is not Kind.BELIEF else f"{one.confidence:.0%} sure",
        (short(one.key), "not dim cyan"),
    )
    return Text.assemble(clean(one.text), "  ", about)


def need(answer: Need) -> RenderableType:
    """Yes or no, and the reasons."""
    sure = "" if answer.is_sure else ", but not for sure"
    verdict = "Needs memory" if answer.needs_search else "Needs no memory"
    style = "green" if answer.needs_search else "dim"
    reasons = [Text(f"  {clean(reason)}", style="dim") for reason in answer.reasons]
    return Group(Text(f"{verdict}{sure}", style=style), *reasons)


def abbreviations(known: Sequence[Abbreviation]) -> RenderableType:
    """One line each."""
    if not known:
        return Text("No abbreviations are known.", style="dim")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for abbreviation in known:
        origin = "from a source" if abbreviation.is_learned else "set"
        table.add_row(
            Text(clean(abbreviation.short), style="bold"),
            Text(clean(abbreviation.long)),
            Text(origin, style="dim"),
        )
    return table


def removed_abbreviation(short: str, *, changed: bool) -> RenderableType:
    if changed:
        return Text(f"{clean(short)} stands for itself now.")
    return Text(f"{clean(short)} stood for itself already.", style="dim")


def abbreviation(one: Abbreviation) -> RenderableType:
    return abbreviations([one])


def sources(shown: Sequence[Source], zone: ZoneInfo) -> RenderableType:
    return listing(shown, lambda source: _source_entry(source, zone), "No sources.")


def _source_entry(one: Source, zone: ZoneInfo) -> Group:
    return entry(
        title_of(one),
        one.content_type.value,
        when(one.started_at, zone, clock=True),
        f"team {one.team_id}" if one.team_id else "",
        "" if one.processing_status.value == "extracted" else one.processing_status.value,
        (short(one.key), "cyan"),
    )


def anchors(shown: Sequence[Anchor], zone: ZoneInfo) -> RenderableType:
    return listing(shown, lambda anchor: _anchor(anchor, zone), "Nobody and nothing yet.")


def anchor(one: Anchor, zone: ZoneInfo) -> RenderableType:
    return anchors([one], zone)


def _anchor(one: Anchor, zone: ZoneInfo) -> Group:
    kind = one.type if isinstance(one, Entity) else one.kind.value
    count = f"{one.source_count} {plural(one.source_count, 'source')}"
    last = when(one.last_mentioned_at, zone, clock=False)
    return entry(
        one.name,
        kind,
        ", ".join(one.aliases),
        count,
        f"last on {last}" if last else "",
        (short(one.key), "cyan"),
    )


def relationships(
    edges: Sequence[Relationship], names: Mapping[str, str], zone: ZoneInfo
) -> RenderableType:
    return listing(edges, lambda edge: _relationship_entry(edge, names, zone), "None.")


def _relationship_entry(
    one: Relationship | GraphEdge, names: Mapping[str, str], zone: ZoneInfo
) -> Group:
    src, dst = (clean(names.get(key, short(key))) for key in (one.src, one.dst))
    how = one.type if isinstance(one, GraphEdge) else one.relationship_type
    return Group(
        Text.assemble((src, "bold"), " ─ ", clean(how), " → ", (dst, "bold")),
        line(since(one.valid_from, one.valid_to, zone), one.description, (short(one.key), "cyan")),
    )


def graph(drawn: AnchorGraph, zone: ZoneInfo) -> RenderableType:
    """Its relationships, one below the other, and who stands alone."""
    names = {one.key: one.name for one in drawn.nodes}
    alone = names.keys() - {end for one in drawn.edges for end in (one.src, one.dst)}
    rows: list[RenderableType] = [_relationship_entry(one, names, zone) for one in drawn.edges]
    if alone:
        told = ", ".join(clean(one.name) for one in drawn.nodes if one.key in alone)
        rows.append(Text(f"Without any: {told}", style="dim"))
    return Group(*rows) if rows else Text("Nobody and nothing yet.")


NOTHING = (
    "No stories yet: what comes up in five sources on three days becomes one, the night after. "
    "`remanent sleep` does what the nights have missed."
)


def stories(shown: Sequence[Story], zone: ZoneInfo) -> RenderableType:
    """A timeline, newest first."""
    if not shown:
        return Text(NOTHING)
    return Group(*(_story(one, zone) for one in shown))


def _story(story: Story, zone: ZoneInfo) -> Group:
    mark = ("◆ ", "magenta") if isinstance(story, Macro) else ("● ", "green" if story.is_open else "dim")  # fmt: skip
    head = Text.assemble(mark, (clean(story.name), "bold"), (f"  {short(story.key)}", "cyan"))
    text = Text(clean(story.description) or "not told yet")
    return Group(head, Padding(Group(span(story, zone), text), (0, 0, 1, 2)))


def span(story: Story, zone: ZoneInfo) -> Text:
    """From when to when, of how much, and how it is with it."""
    tail = (
        ("archived", "yellow") if story.life.state is State.ARCHIVED else None,
        f"team {story.team_id}" if story.team_id else None,
        ("news since it was told", "yellow") if story.is_dirty else None,
    )
    if isinstance(story, Macro):
        lines, sources = story.storyline_count, story.total_source_count
        counts = (f"{lines} {plural(lines, 'storyline')}", f"{sources} {plural(sources, 'source')}")
        return line(days(story.started_at, story.last_event_at, zone), *counts, *tail)
    count = f"{story.source_count} {plural(story.source_count, 'source')}"
    span = days(story.started_at, story.last_source_at, zone)
    return line(span, count, "open" if story.is_open else "over", *tail)
