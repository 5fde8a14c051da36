"""Views of what search, explore, traverse, cypher and need found, of anchors, relationships and stories."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.page import AnchorGraph, GraphEdge, title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.search import Abbreviation, Explanation, Hit, Hits, Need, Rows
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story
from remanent.retrieval import model as explored
from remanent.retrieval.rules.profile import Profile
from remanent.surfaces.cli.views.basics import (
    clean,
    counted,
    excerpt,
    grid,
    numbered,
    section,
    short,
    table,
)
from remanent.surfaces.cli.views.cards import CARDS, card, card_of, listing, message, text_of

_SOME_NOTES = 3  # the rest is in the JSON, and in `show`
_FROM = "[yellow]from {contributed_by}[/]"
_SPAN = "since {valid_from:day} until {valid_to:day} | since {valid_from:day}"
_KEY = "[not dim cyan]{key:short}[/]"
_HIT = (
    f"- [magenta]{{!kind=passage}}{{kind}}[/] · [not dim green]{{speaker}}[/] · {_FROM} · {{at}} · "
    "[italic]{?is_titled}{title}[/] · [red]{outdated} since {superseded_at:day}[/] | "
    f"[red]{{outdated}}[/] · [blue]{{?cold}}archived[/] · {_KEY} · {{score:.2f}}"
)


def hits(page: Hits, zone: ZoneInfo, asked: Mapping[str, Any]) -> RenderableType:
    reason = f" ({clean(page.reason)})" if page.reason else ""
    nothing = f"Nothing found{reason}. Other words may help; `remanent status` says what is known."
    query, explain = asked["query"], asked["explain"]
    return listing((_hit(hit, query, zone, explain=explain) for hit in page), nothing)


def _hit(hit: Hit, query: str, zone: ZoneInfo, *, explain: bool) -> Group:
    text = Text(excerpt(hit.text), style="strike" if hit.holds is False else "")
    words = {word for word in re.findall(r"\w+", query) if len(word) > 3}
    text.highlight_words([re.escape(word) for word in words], style="bold", case_sensitive=False)
    is_outdated = hit.superseded_at is not None or hit.superseded_by is not None
    outdated = ("disputed" if hit.holds is None else "no longer so") if is_outdated else ""
    about = text_of(_HIT, hit, zone, is_titled=hit.title != hit.text, outdated=outdated)
    if not explain:
        return Group(text, about)
    reason = "" if hit.explanation is None else hit.explanation.reason
    return Group(text, about, card("- [yellow]{signals:.2f}[/]\n- {reason}", hit, reason=reason))


explanation = message(
    Explanation,
    "[bold green]{?returned}Returned at rank {rank}[/] | [bold yellow]Not returned[/]\n"
    "{reason}\n"
    "- {state}",
)

# -- explore and traverse -----------------------------------------------------------------------

_NAMED = "[bold]{name}[/]: {description} | [bold]{name}[/]"
_SCORE = "{relevance_score:.2f}"
_WHY = "- [yellow]{explanation:.2f}[/]"
_REACHED = "{title:excerpt}\n- [magenta]{kind}[/] · {way} | a seed · " + _KEY + " · {score:.3f}"
_RELATIONSHIP = (
    "[bold]{source}[/] ─ {relationship_type} → [bold]{target}[/]\n"
    f"- {{description}} · attitude {{attitude}}, proximity {{proximity}} · {_SPAN} · {_KEY} · {_SCORE}\n"
    f"{_WHY}"
)


def _relationship(one: explored.RelationshipHit, zone: ZoneInfo) -> Group:
    source = one.from_name or short(one.from_entity_key)
    target = one.to_name or short(one.to_entity_key)
    return card(_RELATIONSHIP, one, zone, source=source, target=target)


CARDS.update(
    {
        explored.SemanticNodeHit: f"{_NAMED}\n"
        f"{_SOME_NOTES}> notes_snippets\n"
        "- [magenta]{type}[/] | [magenta]{node_type:lower}[/] · {state} · {entity_key:short} · "
        f"{_SCORE}\n{_WHY}",
        explored.RelationshipHit: _relationship,
        explored.PassageHit: "“{text:excerpt}” {speaker} | “{text:excerpt}”",
        explored.SourceHit: "[bold]{?passages}{summary:excerpt}[/] | [bold]{?passages}{title:excerpt}[/] | "
        "{summary:excerpt} | {title:excerpt}\n"
        "> passages\n"
        f"- [magenta]{{context_type}}[/] · {{started_at}} · {_FROM} · {{mentioned_nodes.name}} · "
        "[italic]{storyline_refs.name}[/] · [italic]{macro_refs.name}[/] · {entity_key:short} · "
        f"{_SCORE}\n{_WHY}",
        explored.SourcePreview: "[dim]{started_at:day}  {summary:excerpt}[/]",
        explored.StorylineHit: "[bold]{name}[/]\n"
        "{?is_full}{description:excerpt}\n"
        "> preview_sources\n"
        "- {started_at:day} to {last_source_at:day} · {?is_full}{source_count} sources · "
        "{top_people.name} · {top_entities.name} · {top_concepts.name} · {storyline_id:short} · "
        f"{{?is_full}}{_SCORE}\n{_WHY}",
        explored.StorylinePreview: "[dim]{name}: {one_liner:excerpt}[/]",
        explored.MacroHit: "[bold]{name}[/]\n"
        "{?is_full}{description:excerpt}\n"
        "> storylines\n"
        "- {started_at:day} to {last_event_at:day} · "
        "{?is_full}{storyline_count} storylines, {total_source_count} sources · {macro_id:short} · "
        f"{{?is_full}}{_SCORE}\n{_WHY}",
        explored.ArtifactHit: f"{_NAMED}\n"
        "- [magenta]{content_type}[/] · {created_at} · {related_nodes.name} · {entity_key:short}\n"
        f"{_WHY}",
    }
)


def exploration(answer: explored.Explored, zone: ZoneInfo) -> RenderableType:
    semantic, episodic = answer.semantic, answer.episodic
    remarks = [Text(f"note: {remark}", style="yellow") for remark in answer.meta.remarks]
    if answer.meta.reason:
        nothing = f"Nothing found: {answer.meta.reason}. `remanent status` says what is known."
        return Group(Text(nothing), *remarks)
    parts: Mapping[str, Sequence[Any]] = {
        "macros": episodic.macros,
        "storylines": episodic.storylines,
        "people and things": semantic.nodes,
        "relationships": semantic.relationships,
        "sources": episodic.sources,
        "artifacts": episodic.artifacts,
    }
    shown: list[RenderableType] = []
    for title, things in parts.items():
        if things:
            bodies = numbered(card_of(one, zone) for one in things)
            shown += [Text(title, style="bold"), Padding(bodies, (0, 0, 1, 1))]
    return Group(*shown, *remarks)


def traversal(answer: explored.Traversal) -> RenderableType:
    bodies = numbered(
        card(_REACHED, one, way=_way(one.path, answer.titles)) for one in answer.reached
    )
    foot = f"{len(answer.reached)} of {answer.within_reach} within reach"
    return Group(bodies, Text(f"{foot}; {answer.reason}" if answer.reason else foot, style="dim"))


def _way(path: Sequence[explored.Leg], titles: Mapping[str, str]) -> str:
    """`Sarah ─ friend → Tom ← neighbour ─`: how one gets there."""
    steps = []
    for leg in path:
        name = excerpt(titles.get(leg.from_key, short(leg.from_key)))[:40]
        steps.append(f"{name} ← {leg.word} ─" if leg.backward else f"{name} ─ {leg.word} →")
    return " ".join(steps)


# -- rows of a query ----------------------------------------------------------------------------


def rows(result: Rows) -> RenderableType:
    """One line for each row, and whether there are more."""
    if not result.rows:
        return Text("No rows.")
    shown = table(*result.columns)
    for row in result.rows:
        shown.add_row(*(Text(clean(_cell(value))) for value in row))
    more = ", and there are more" if result.truncated else ""
    return Group(shown, Text(f"{counted(len(result.rows), 'row')}{more}.", style="dim"))


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


# -- for an agent that holds a conversation -----------------------------------------------------

_PROFILE = f"- {_FROM} · since {{since:day}} · {{?kind=belief}}{{confidence:.0%}} sure · {_KEY}"


def profile(known: Profile, zone: ZoneInfo) -> RenderableType:
    """What is known about the owner, under headings, and how to change a line."""
    if not known.lines:
        return Text('Nothing is known about you. `remanent remember "I ..."` begins.')
    rows: list[RenderableType] = []
    for part, inside in groupby(known.lines, lambda one: one.section):
        heading = part.value.replace("_", " ").capitalize().replace(" i ", " I ")
        lines = (
            Text.assemble(clean(one.text), "  ", text_of(_PROFILE, one, zone)) for one in inside
        )
        rows += section(heading, lines, blank=bool(rows))
    left = f" {known.omitted} more: --limit N --budget N." if known.omitted else ""
    change = (
        "To change a line: `remanent beliefs restate KEY TEXT`, `remanent beliefs forget KEY`, "
        f"`remanent remember TEXT`; `remanent show KEY` says why it is believed.{left}"
    )
    return Group(*rows, Text(), Text(change, style="dim"))


def need(answer: Need) -> RenderableType:
    """Yes or no, and the reasons."""
    sure = "" if answer.is_sure else ", but not for sure"
    head = f"[green]{{?needs_search}}Needs memory{sure}[/] | [dim]Needs no memory{sure}[/]"
    return card(head, answer, None, *(text_of("[dim]  {it}[/]", one) for one in answer.reasons))


def abbreviations(known: Sequence[Abbreviation]) -> RenderableType:
    """One line each."""
    if not known:
        return Text("No abbreviations are known.", style="dim")
    cells = ("[bold]{short}[/]", "{long}", "[dim]{?is_learned}from a source[/] | [dim]set[/]")
    return grid(((text_of(cell, one) for cell in cells) for one in known), {}, {}, {})


def removed_abbreviation(changed: bool, asked: Mapping[str, Any]) -> RenderableType:
    told = "{?changed}{short} stands for itself now. | [dim]{short} stood for itself already.[/]"
    return text_of(told, changed=changed, **asked)


def abbreviation(one: Abbreviation) -> RenderableType:
    return abbreviations([one])


# -- sources, people, things and stories --------------------------------------------------------

_SOURCE_ENTRY = (
    "[bold]{called}[/]\n"
    "- {content_type} · {started_at} · team {team_id} · "
    "{!processing_status=extracted}{processing_status} · [cyan]{key:short}[/]"
)
_ANCHOR = (
    "[bold]{name}[/]\n"
    "- {what} · {aliases} · {source_count:#source} · last on {last_mentioned_at:day} · "
    "[cyan]{key:short}[/]"
)
_EDGE = (
    f"[bold]{{source}}[/] ─ {{how}} → [bold]{{target}}[/]\n"
    f"- {_SPAN} · {{description}} · [cyan]{{key:short}}[/]"
)
_STORY = (
    "[magenta]{?is_macro}◆ [/][bold]{name}[/][cyan]  {key:short}[/] | "
    "[green]{?is_open}● [/][bold]{name}[/][cyan]  {key:short}[/] | "
    "[dim]● [/][bold]{name}[/][cyan]  {key:short}[/]"
)
_TAIL = (
    "[yellow]{?life.state=archived}archived[/] · team {team_id} · "
    "[yellow]{?is_dirty}news since it was told[/]"
)
_STORYLINE_SPAN = (
    "- {started_at:day} to {last_source_at:day} · {source_count:#source} · {?is_open}open | over · "
)
_MACRO_SPAN = (
    "- {started_at:day} to {last_event_at:day} · {storyline_count:#storyline} · "
    "{total_source_count:#source} · "
)
NOTHING = (
    "No stories yet: what comes up in five sources on three days becomes one, the night after. "
    "`remanent sleep` does what the nights have missed."
)


def sources(shown: Sequence[Source], zone: ZoneInfo) -> RenderableType:
    entries = (card(_SOURCE_ENTRY, one, zone, called=title_of(one)) for one in shown)
    return listing(entries, "No sources.")


def anchors(shown: Sequence[Anchor], zone: ZoneInfo) -> RenderableType:
    kinds = ((one, one.type if isinstance(one, Entity) else one.kind) for one in shown)
    entries = (card(_ANCHOR, one, zone, what=what) for one, what in kinds)
    return listing(entries, "Nobody and nothing yet.")


def anchor(one: Anchor, zone: ZoneInfo) -> RenderableType:
    return anchors([one], zone)


def relationships(
    edges: Sequence[Relationship], names: Mapping[str, str], zone: ZoneInfo
) -> RenderableType:
    return listing((_edge(one, one.relationship_type, names, zone) for one in edges), "None.")


def _edge(
    one: Relationship | GraphEdge, how: str, names: Mapping[str, str], zone: ZoneInfo
) -> Group:
    source, target = (names.get(key, short(key)) for key in (one.src, one.dst))
    return card(_EDGE, one, zone, source=source, how=how, target=target)


def graph(drawn: AnchorGraph, zone: ZoneInfo) -> RenderableType:
    """Its relationships, one below the other, and who stands alone."""
    names = {one.key: one.name for one in drawn.nodes}
    alone = names.keys() - {end for one in drawn.edges for end in (one.src, one.dst)}
    rows: list[RenderableType] = [_edge(one, one.type, names, zone) for one in drawn.edges]
    if alone:
        told = ", ".join(clean(one.name) for one in drawn.nodes if one.key in alone)
        rows.append(Text(f"Without any: {told}", style="dim"))
    return Group(*rows) if rows else Text("Nobody and nothing yet.")


def stories(shown: Sequence[Story], zone: ZoneInfo) -> RenderableType:
    """A timeline, newest first."""
    if not shown:
        return Text(NOTHING)
    return Group(*(_story(one, zone) for one in shown))


def _story(story: Story, zone: ZoneInfo) -> Group:
    head = text_of(_STORY, story, is_macro=isinstance(story, Macro))
    text = Text(clean(story.description) or "not told yet")
    return Group(head, Padding(Group(span(story, zone), text), (0, 0, 1, 2)))


def span(story: Story, zone: ZoneInfo) -> Text:
    """From when to when, of how much, and how it is with it."""
    own = _MACRO_SPAN if isinstance(story, Macro) else _STORYLINE_SPAN
    return text_of(own + _TAIL, story, zone)
