"""Views of one memory opened by its key: a source, an anchor, a belief, or anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from rich.console import Group, RenderableType
from rich.text import Text

from remanent.core.model.anchor import Anchor, Entity, Note
from remanent.core.model.belief import Belief, BeliefStatus, Change
from remanent.core.model.page import Evidence, Page, title_of
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.source import Passage, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.surfaces.cli.views.basics import clean, facts, read_up_to, section, short
from remanent.surfaces.cli.views.cards import CARDS, card, text_of
from remanent.surfaces.cli.views.retrieval import span

_HEADINGS: Mapping[LinkKind, tuple[str, str]] = {  # of links that lead away from here, and to it
    LinkKind.MENTIONS: ("Mentions", "Mentioned in"),
    LinkKind.ABOUT: ("About", "Said of it"),
    LinkKind.SUPPORTS: ("Beliefs drawn from it", "Episodes"),
    LinkKind.SUMMARIZES: ("Covers", "Told in short by"),
    LinkKind.SHORTCUT: ("Often asked for together", "Often asked for together"),
    LinkKind.INCLUDES: ("Sources", "Part of"),
    LinkKind.GROUPS: ("Storylines", "Part of"),
    LinkKind.ROOTED_IN: ("About", "Said of it"),
    LinkKind.NEIGHBOUR: ("Close to it", "Close to it"),
}
_MOST = 12  # links of one kind in one view; JSON has them all
_HEADING = (
    "[bold]{title}[/]\n"
    "- [magenta]{what}[/] · {life.state} · salience {life.salience:.2f} · changed {updated_at:day} · "
    "[cyan]{key}[/]"
)
_ANCHOR = (
    "- [bold]{?is_owner}you[/] · {?source_count}in {source_count} sources on {distinct_source_days} days · "
    "{first_mentioned_at:day} to {last_mentioned_at:day} · also {aliases}"
)
_SUMMARY = (
    "- [not dim]{level} of {event_count:,} events[/] · {covers_from} to {covers_to} · "
    "{?gone}{gone:,} in the ledger alone"
)
_RELATION = (
    "- {description} · since {valid_from:day} to {valid_to:day} | since {valid_from:day} · "
    "[cyan]{other:short}[/]"
)
_EVIDENCE = (
    "“{quote}”\n"
    "- [not dim green]{speaker}[/] · [yellow]from {support.contributed_by}[/] · {support.at} · "
    "[italic]{title}[/] · [not dim cyan]{support.source_key:short}[/]"
)


_BELIEF = (
    "- [magenta]{type}[/] · about {subject} · for {instructs} | {?is_for_all}for all · "
    "[yellow]from {contributed_by}[/] · since {since:day} to {until:day} | since {since:day} · "
    "[green]{?is_sure}confidence {confidence:.2f}[/] | [yellow]confidence {confidence:.2f}[/] · "
    "{?is_repeated}said {times} times · [red]{!status=active}{status}[/] · {?keyed}{key:short} · "
    "{score:.2f}"
)


def belief_line(
    belief: Belief, zone: ZoneInfo, *, score: float | None = None, keyed: bool = True
) -> Text:
    """The facts about a belief."""
    facts = {
        "is_for_all": belief.instructs == "",
        "is_sure": belief.confidence >= 0.5,
        "is_repeated": len(belief.supports) > 1,
        "times": len(belief.supports),
    }
    return text_of(_BELIEF, belief, zone, **facts, score=score, keyed=keyed)


def belief_entry(
    belief: Belief,
    zone: ZoneInfo,
    *,
    score: float | None = None,
    strike: bool = True,
    bold: bool = False,
) -> Group:
    """A belief and the facts about it; it is struck out when it no longer stands."""
    style = " ".join(("bold",) * bold + ("strike",) * (strike and not is_active(belief)))
    return Group(Text(clean(belief.statement), style=style), belief_line(belief, zone, score=score))


CARDS[Belief] = belief_entry


def is_active(belief: Belief) -> bool:
    """Whether it is held true now."""
    return belief.status is BeliefStatus.ACTIVE


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
    node = opened.node
    what = node.type if isinstance(node, Entity) else node.kind
    return card(_HEADING, node, zone, *body, *_links(opened), title=title_of(node), what=what)


def _source(source: Source, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    names = ("origin", "channel", "url", "confidence")
    came_by = [f"{one} {source.provenance[one]}" for one in names if one in source.provenance]
    rows = {
        "what": text_of("- [not dim]{content_type}[/] · {context_type}", source),
        "when": text_of("{started_at}", source, zone),
        "from": Text(clean(source.user_id)),
        "who": Text(clean(", ".join(source.participants))),
        "state": _state(source, opened),
    }
    more = {"came by": came_by, "keywords": source.keywords}
    rows |= {name: Text(clean(", ".join(words))) for name, words in more.items() if words}
    return [
        Text(),
        facts(rows.items()),
        *section("In short", [Text(clean(source.summary))] if source.summary else []),
        *section("Passages", (_passage(one, zone) for one in opened.passages)),
        *section("Noted from it", (_caused(one, opened) for one in opened.notes)),
    ]


_STATE = (
    "{?far}{processing_status}, {far} | {!is_read}{processing_status} | "
    "{?read.is_undone}processed; what came of it was undone (`remanent redo` reads it again) | "
    "{processing_status}, read by {read.mind}"
)


def _state(source: Source, opened: Page) -> Text:
    """How far it has come, and whose reading of it the graph has."""
    read = opened.extraction
    whole = source.characters or sum(len(one.text) for one in opened.passages)
    to = source.read_to or (read.read_to if read else None)
    is_read = read is not None and read.is_done
    far = read_up_to(to, whole) if to else ""
    if source.read_to == whole:
        far = "found, and to be read"
    return text_of(_STATE, source, far=far, read=read, is_read=is_read)


def _caused(note: Note, opened: Page) -> Text:
    about = opened.titles.get(note.on, "a relationship")
    by = "" if note.added_by == opened.node.user_id else note.added_by
    told = "[green]{about}: [/]{content}"
    return text_of(f"{told}[dim] (by {{by}})[/] | {told}", note, about=about, by=by)


def _passage(passage: Passage, zone: ZoneInfo) -> Group:
    text = Text(f"{clean(passage.text)}\n")
    return card("- [not dim green]{speaker}[/] · {at}", passage, zone, text)


def _anchor(anchor: Anchor, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    about = text_of(_ANCHOR, anchor, zone, is_owner=getattr(anchor, "is_owner", False))
    edges = (_relation(one, anchor, opened, zone) for one in opened.relationships)
    return [
        about,
        *([Text(), Text(clean(anchor.description))] if anchor.description else []),
        *section("Notes", (_note(one, zone) for one in opened.notes)),
        *section("Relationships", edges),
    ]


def _note(note: Note, zone: ZoneInfo) -> Text:
    about = text_of("- {date_added:day} · [cyan]{source_key:short}[/]", note, zone)
    return Text.assemble(clean(note.content), "  ", about)


def _summary(summary: Summary, opened: Page, zone: ZoneInfo) -> list[RenderableType]:
    gone = sum(one.is_gone for one in opened.covered)
    told = "- {at} · [cyan]{event_id}[/] · {?is_gone}let go"
    happened = (
        Text.assemble(clean(one.text), "  ", text_of(told, one, zone))
        for one in opened.covered[:_MOST]
    )
    return [text_of(_SUMMARY, summary, zone, gone=gone), *section("What happened", happened)]


def _relation(one: Relationship, seen_from: Anchor, opened: Page, zone: ZoneInfo) -> Text:
    other = one.dst if one.src == seen_from.key else one.src
    about = text_of(_RELATION, one, zone, other=other)
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
    after = "weakened by" if is_active(belief) else "replaced by"
    others = {"replaces": belief.supersedes, after: belief.superseded_by}
    told = (
        "[yellow]{word} [/]{title}[cyan]  {key:short}[/] | [yellow]{word} [/][cyan]  {key:short}[/]"
    )
    chain = (
        text_of(told, word=word, title=opened.titles.get(key, ""), key=key)
        for word, key in others.items()
        if key
    )
    return [
        belief_line(belief, zone, keyed=False),
        *([] if is_active(belief) else [Text("No longer believed.", style="red")]),
        *chain,
        *section("Why", (evidence(one, zone) for one in why)),
        *section("History", (change_line(change, zone) for change in belief.changes)),
    ]


def change_line(change: Change, zone: ZoneInfo) -> Text:
    """What happened to a belief, when and why."""
    at = "[dim]{recorded_at}  [/][yellow]{kind}[/]"
    return text_of(f"{at}  {{reason}} | {at}  ", change, zone)


def evidence(one: Evidence, zone: ZoneInfo) -> Group:
    """The words behind a belief, and where they were said."""
    return card(_EVIDENCE, one, zone)


def _links(opened: Page) -> list[RenderableType]:
    """What hangs on it, a section for each kind and direction of link."""
    here = opened.node.key
    ends: dict[str, dict[str, None]] = {}
    for link in sorted(opened.links, key=lambda link: link.kind.value):
        plain = link.kind.value.replace("_", " ").capitalize()
        away, to_here = _HEADINGS.get(link.kind, (plain, plain))
        outward = link.src == here
        name, key = (away, link.dst) if outward else (to_here, link.src)
        ends.setdefault(name, {})[key] = None
    return [row for name, keys in ends.items() for row in section(name, _far(list(keys), opened))]


def _far(keys: Sequence[str], opened: Page) -> Iterator[Text]:
    for key in keys[:_MOST]:
        yield Text.assemble(_named(key, opened), (f"  {short(key)}", "cyan"))
    if len(keys) > _MOST:
        yield Text(f"and {len(keys) - _MOST} more", style="dim")


def _named(key: str, opened: Page) -> str:
    return clean(opened.titles.get(key, "")) or short(key)
