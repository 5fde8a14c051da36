"""Views of one memory opened by its key: a source, an anchor, a belief, or anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity, Note, Person
from remanent.core.model.belief import Belief, Change
from remanent.core.model.page import CoveredEvent, Evidence, Page, title_of
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.source import Passage, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.surfaces.cli.views.basics import (
    belief_line,
    clean,
    entry,
    facts,
    given_by,
    is_active,
    line,
    read_up_to,
    section,
    short,
    since,
    when,
)
from remanent.surfaces.cli.views.retrieval import span

_HEADINGS: Mapping[tuple[LinkKind, bool], str] = {  # by kind, and whether it leads away from here
    (LinkKind.MENTIONS, True): "Mentions",
    (LinkKind.MENTIONS, False): "Mentioned in",
    (LinkKind.ABOUT, True): "About",
    (LinkKind.ABOUT, False): "Said of it",
    (LinkKind.SUPPORTS, True): "Beliefs drawn from it",
    (LinkKind.SUPPORTS, False): "Episodes",
    (LinkKind.SUMMARIZES, True): "Covers",
    (LinkKind.SUMMARIZES, False): "Told in short by",
    (LinkKind.SHORTCUT, True): "Often asked for together",
    (LinkKind.SHORTCUT, False): "Often asked for together",
    (LinkKind.INCLUDES, True): "Sources",
    (LinkKind.INCLUDES, False): "Part of",
    (LinkKind.GROUPS, True): "Storylines",
    (LinkKind.GROUPS, False): "Part of",
    (LinkKind.ROOTED_IN, True): "About",
    (LinkKind.ROOTED_IN, False): "Said of it",
    (LinkKind.NEIGHBOUR, True): "Close to it",
    (LinkKind.NEIGHBOUR, False): "Close to it",
}
_MOST = 12  # links of one kind in one view; JSON has them all


def page(opened: Page, why: Sequence[Evidence], zone: ZoneInfo) -> Group:
    """The view that suits the kind of the node."""
    match opened.node:
        case Source() as source:
            body = _source(source, opened, zone)
        case Belief() as belief:
            body = _belief(belief, opened, why, zone)
        case Anchor() as anchor:
            body = _anchor(anchor, opened, zone)
        case Storyline() | Macro() as story:
            body = [span(story, zone), Text(), Text(clean(story.description))]
        case Summary() as summary:
            body = _summary(summary, opened, zone)
        case other:
            body = [Text(clean(getattr(other, "description", "") or getattr(other, "text", "")))]
    return Group(_heading(opened, zone), *body, *_links(opened))


def _heading(opened: Page, zone: ZoneInfo) -> Group:
    node = opened.node
    kind = node.type if isinstance(node, Entity) else node.kind.value
    return entry(
        title_of(node),
        (kind, "magenta"),
        node.life.state.value,
        f"salience {node.life.salience:.2f}",
        f"changed {when(node.updated_at, zone, clock=False)}",
        (node.key, "cyan"),
    )


def _source(source: Source, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    rows: list[tuple[str, RenderableType]] = [
        ("what", line((source.content_type.value, "not dim"), (source.context_type.value, ""))),
        ("when", Text(when(source.started_at, zone))),
        ("from", Text(clean(source.user_id))),
        ("who", Text(clean(", ".join(source.participants)))),
        ("state", Text(_state(source, opened))),
    ]
    names = ("origin", "channel", "url", "confidence")
    came_by = [f"{one} {source.provenance[one]}" for one in names if one in source.provenance]
    if came_by:
        rows.append(("came by", Text(clean(", ".join(came_by)))))
    if source.keywords:
        rows.append(("keywords", Text(clean(", ".join(source.keywords)))))
    return [
        Text(),
        facts(rows),
        *section("In short", [Text(clean(source.summary))] if source.summary else []),
        *section("Passages", (_passage(one, zone) for one in opened.passages)),
        *section("Noted from it", (_caused(one, opened) for one in opened.notes)),
    ]


def _state(source: Source, opened: Page) -> str:
    """How far it has come, and whose reading of it the graph has."""
    read = opened.extraction
    whole = source.characters or sum(len(one.text) for one in opened.passages)
    if far := source.read_to or (read.read_to if read else None):
        return f"{source.processing_status.value}, {read_up_to(far, whole)}"
    if read is None or not read.is_done:
        return source.processing_status.value
    if read.is_undone:
        return "processed; what came of it was undone (`remanent redo` reads it again)"
    return f"{source.processing_status.value}, read by {clean(read.mind)}"


def _caused(note: Note, opened: Page) -> Text:
    about = opened.titles.get(note.on, "a relationship")
    by = "" if note.added_by == opened.node.user_id else f" (by {clean(note.added_by)})"
    return Text.assemble((f"{clean(about)}: ", "green"), clean(note.content), (by, "dim"))


def _passage(passage: Passage, zone: ZoneInfo) -> Group:
    speaker = line((passage.speaker or "", "not dim green"), when(passage.at, zone))
    text = Text(f"{clean(passage.text)}\n")
    return Group(speaker, text) if speaker.plain else Group(text)


def _anchor(anchor: Anchor, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    days = anchor.distinct_source_days
    first, last = (
        when(one, zone, clock=False)
        for one in (anchor.first_mentioned_at, anchor.last_mentioned_at)
    )
    seen = f"in {anchor.source_count} sources on {days} days" if anchor.source_count else ""
    return [
        line(
            ("you" if isinstance(anchor, Person) and anchor.is_owner else "", "bold"),
            seen,
            f"{first} to {last}" if first else "",
            f"also {', '.join(anchor.aliases)}" if anchor.aliases else "",
        ),
        *([Text(), Text(clean(anchor.description))] if anchor.description else []),
        *section("Notes", (_note(one, zone) for one in opened.notes)),
        *section("Relationships", (_relation(one, anchor, opened, zone) for one in opened.relationships)),
    ]  # fmt: skip


def _summary(summary: Summary, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    gone = sum(one.is_gone for one in opened.covered)
    first, last = when(summary.covers_from, zone), when(summary.covers_to, zone)
    return [
        line(
            (f"{summary.level.value} of {summary.event_count:,} events", "not dim"),
            f"{first} to {last}",
            f"{gone:,} in the ledger alone" if gone else "",
        ),
        *section("What happened", (_covered(one, zone) for one in opened.covered[:_MOST])),
    ]


def _covered(one: CoveredEvent, zone: ZoneInfo) -> Text:
    about = line((when(one.at, zone), ""), (one.event_id, "cyan"), ("let go" * one.is_gone, ""))
    return Text.assemble(clean(one.text), "  ", about)


def _note(note: Note, zone: ZoneInfo) -> Text:
    about = line(
        (when(note.date_added, zone, clock=False), ""), (short(note.source_key or ""), "cyan")
    )
    return Text.assemble(clean(note.content), "  ", about)


def _relation(one: Relationship, seen_from: Anchor, opened: Page, zone: ZoneInfo) -> Text:
    other = one.dst if one.src == seen_from.key else one.src
    about = line(
        one.description, since(one.valid_from, one.valid_to, zone, "to"), (short(other), "cyan")
    )
    word = clean(one.relationship_type.replace("_", " "))
    style = "strike" if one.valid_to else "green"
    ends = [
        seen_from.name if key == seen_from.key else _named(key, opened)
        for key in (one.src, one.dst)
    ]
    return Text.assemble(clean(ends[0]), (f" ─ {word} → ", style), clean(ends[1]), "  ", about)


def _belief(
    belief: Belief, opened: Page, why: Sequence[Evidence], zone: ZoneInfo
) -> list[RenderableType]:
    chain = [
        Text.assemble(
            (f"{word} ", "yellow"), clean(opened.titles.get(key, "")), (f"  {short(key)}", "cyan")
        )
        for word, key in (("replaces", belief.supersedes), ("replaced by", belief.superseded_by))
        if key
    ]
    history = (change_line(change, zone) for change in belief.changes)
    fallen = [] if is_active(belief) else [Text("No longer believed.", style="red")]
    return [
        belief_line(belief, zone, keyed=False),
        *fallen,
        *chain,
        *section("Why", (evidence(one, zone) for one in why)),
        *section("History", history),
    ]


def change_line(change: Change, zone: ZoneInfo) -> Text:
    """What happened to a belief, when and why."""
    at, kind = (f"{when(change.recorded_at, zone)}  ", "dim"), (change.kind.value, "yellow")
    return Text.assemble(at, kind, f"  {clean(change.reason)}")


def evidence(one: Evidence, zone: ZoneInfo) -> Group:
    """The words behind a belief, and where they were said."""
    return Group(
        Text(f"“{clean(one.quote)}”"),
        line(
            (one.speaker or "", "not dim green"),
            given_by(one.support.contributed_by),
            when(one.support.at, zone),
            (one.title, "italic"),
            (short(one.support.source_key or ""), "not dim cyan"),
        ),
    )


def _links(opened: Page) -> list[RenderableType]:
    """What hangs on it, a section for each kind and direction of link."""
    here = opened.node.key
    ends: dict[str, dict[str, None]] = {}
    for link in sorted(opened.links, key=lambda link: link.kind.value):
        outward = link.src == here
        name = _HEADINGS.get((link.kind, outward)) or link.kind.value.replace("_", " ").capitalize()
        ends.setdefault(name, {})[link.dst if outward else link.src] = None
    return [row for name, keys in ends.items() for row in section(name, _far(list(keys), opened))]


def _far(keys: Sequence[str], opened: Page) -> Iterator[Text]:
    for key in keys[:_MOST]:
        yield Text.assemble(_named(key, opened), (f"  {short(key)}", "cyan"))
    if len(keys) > _MOST:
        yield Text(f"and {len(keys) - _MOST} more", style="dim")


def _named(key: str, opened: Page) -> str:
    return clean(opened.titles.get(key, "")) or short(key)
