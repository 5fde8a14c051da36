"""Commands that get something out of a memory: search, explore, walk, query, open, prepare."""

from __future__ import annotations

from typing import Any

from remanent.surfaces.cli.commands import command, forward
from remanent.surfaces.cli.session import Session, invalid
from remanent.surfaces.operations.schema import KEY, TEXT, Flag, Many, Param, Real, Whole

# fmt: off
_EXPLORE = (
    Param("query", Many(TEXT), "What to find by meaning.", None, cli="[QUERY]..."),
    Param("threshold", Real(), "How alike the queries have to be, from 0 to 1.", None,
        cli="--threshold SHARE"),
    Param("deep", Flag(), "Ask in other words as well, where that can be done.", False),
)
_SHOW = (
    KEY.but(help="A key, or the beginning of one."),
    Param("raw", Flag(), "A source's content exactly as it came in.", False),
    Param("curve", Flag(), "How it fades from now on, as a plot. No access.", False),
    Param("days", Whole(), "How far the curve reaches.", 365, cli="--days N"),
)
# fmt: on


# fmt: off
search = forward("search", "retrieval.hits", record="hits", echo=("query",), also=("reason", "next"),
    busy="Searching",
    says="Look through everything that was said.\n\n"
    "Best first, each result with who said it, when and where. Filters are hard.")
why_not = forward("why_not", "retrieval.explanation", record="explanation", echo=("query",),
    busy="Searching",
    says="Why a search does not return a memory, or where it does.\n\n"
    "Takes the options of `search`, and changes nothing.")
# fmt: on


@command("explore", *_EXPLORE)
def explore(
    session: Session, *, query: list[str] | None, threshold: float | None, deep: bool, **given: Any
) -> None:
    """What is known of something: people and things, how they stand, and what happened.

    In full detail (-g 1), as storylines (-g 2), or as the great lines of months and years (-g 3).
    """
    bound = {} if threshold is None else {"threshold": threshold}
    queries = [{"query": text, **bound} if bound else text for text in query or ()]
    with session.screen.busy("Exploring"):
        explored = session.me.explore(queries, mode="deep" if deep else "fast", **given)
    session.show(explored, "retrieval.exploration", explored)


# fmt: off
traverse = forward("traverse", "retrieval.traversal", busy="Walking",
    says="What hangs together with some memories, and by which way.")
# fmt: on


@command("cypher")
def cypher(session: Session, **given: Any) -> None:
    """Ask the graph in Cypher, read-only.

    Over all you may see and nothing else. `CALL db.labels()` and `CALL db.relationshipTypes()` say
    what there is.
    """
    with session.screen.busy("Asking"):
        table = session.me.cypher(**given)
    for notice in table.notices:
        session.screen.warn(notice)
    record = {name: getattr(table, name) for name in ("columns", "rows", "truncated", "notices")}
    session.show(record, "retrieval.rows", table)


@command("", *_SHOW)
def show(session: Session, *, key: str, raw: bool, curve: bool, days: int) -> None:
    """Open one memory by its key.

    A source with its passages, a person or thing with notes and relationships, a belief with the
    episodes behind it and its history.
    """
    from remanent.core.model.node import Kind

    if curve:
        forecast = session.me.curve(key, days)
        session.show({"curve": forecast}, "sources.curve", forecast)
        return
    page = session.me.read(key)
    kind = page.node.kind
    if raw:
        if page.raw is None:
            raise invalid("raw", f"a {kind.value} has no raw content")
        session.screen.raw({"key": page.node.key, "raw": page.raw}, page.raw)
        return
    why = session.me.why(page.node.key) if kind is Kind.BELIEF else []
    session.show({"kind": kind, "page": page, "why": why}, "pages.page", page, why)


# -- for an agent that holds a conversation -----------------------------------------------------


@command("context")
def context(session: Session, **given: Any) -> None:
    """What to know before answering a message, ready for a prompt.

    Every line ends with a key that `remanent show` opens.
    """
    with session.screen.busy("Remembering"):
        context = session.me.context(**given)
    session.screen.raw({"context": context}, context.text)


# fmt: off
profile = forward("about_me", "retrieval.profile", name="profile", record="profile",
    says="What is known about you, short.\n\n"
    "Health and safety first; surest and newest first. Every line has the key by which it is changed.")
need = forward("needs_memory", "retrieval.need", name="need", record="need", echo=("message",),
    says="Whether a message needs memory at all, and why.")
abbreviations = forward("abbreviations", "retrieval.abbreviations", record="abbreviations",
    says="Short forms and what they stand for: those that are set, and those that sources explain.")
# fmt: on


ABBREVIATIONS = (
    forward("define", "retrieval.abbreviation", name="set", record="abbreviation"),
    forward(
        "undefine",
        "retrieval.removed_abbreviation",
        name="remove",
        record="removed",
        echo=("short",),
        says="Take a short form as it stands, even where a source explains it.",
    ),
)


# -- people, things and stories -----------------------------------------------------------------


@command("relationships")
def relationships(session: Session, **given: Any) -> None:
    """How somebody or something stands to others: now, then, or through time."""
    edges = session.me.relationships(**given)
    names = {anchor.key: anchor.name for anchor in session.me.anchors(include_archived=True)}
    session.show({"relationships": edges}, "retrieval.relationships", edges, names)


anchors = forward("anchors", "retrieval.anchors", record="anchors")
graph = forward("graph", "retrieval.graph", says="People and things with every relationship there ever was "
    "between them.\n\nAround some, or around those most mentioned; --json gives nodes and edges to draw.")  # fmt: skip
# fmt: off
merge = forward("merge", "retrieval.anchor", record="anchor",
    says="File all that is known of one person or thing under another.\n\n"
    "`remanent split KEY` takes it back.")
# fmt: on
split = forward("split", "retrieval.anchor", record="anchor")
# fmt: off
stories = forward("stories", "retrieval.stories", record="stories",
    says="What has been going on: storylines, and the great lines over them, newest first.\n\n"
    "`remanent show KEY` opens one with its sources.")
summaries = forward("summaries", "events.summaries", record="summaries",
    says="What remains of events: summaries of episodes, sessions and agents, the newest first.\n\n"
    "`remanent show KEY` tells what a summary stands for, also what has left the graph.")
# fmt: on
