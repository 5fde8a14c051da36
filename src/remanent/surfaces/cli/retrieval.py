"""Commands that get something out of a memory: search, explore, walk, query, open, prepare."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from remanent.surfaces.cli.commands import command, shown
from remanent.surfaces.cli.session import Session


@command("search")
def search(session: Session, **given: Any) -> None:
    """Look through everything that was said.

    Best first, each result with who said it, when and where. Filters are hard.
    """
    from remanent.surfaces.cli.views import basics

    with session.screen.busy("Searching"):
        found = session.me.search(**given)
    query, explain = given["query"], given["explain"]
    session.screen.answer(
        {"query": query, "hits": found, "reason": found.reason, "next": found.next},
        lambda: basics.hits(query, found, session.zone, explain=explain),
    )


why_not = shown(
    "why_not",
    "basics.explanation",
    record="explanation",
    echo="query",
    busy="Searching",
    says="Why a search does not return a memory, or where it does.\n\n"
    "Takes the options of `search`, and changes nothing.",
)


@command("explore")
def explore(
    session: Session,
    query: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="What to find by meaning.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="How alike the queries have to be, from 0 to 1."),
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Ask in other words as well, where that can be done.")
    ] = False,
    **given: Any,
) -> None:
    """What is known of something: people and things, how they stand, and what happened.

    In full detail (-g 1), as storylines (-g 2), or as the great lines of months and years (-g 3).
    """
    from remanent.surfaces.cli.views import retrieval

    queries = [
        one if threshold is None else {"query": one, "threshold": threshold} for one in query or ()
    ]
    with session.screen.busy("Exploring"):
        found = session.me.explore(queries, mode="deep" if deep else "fast", **given)
    session.screen.answer(found, lambda: retrieval.answer(found, session.zone))


traverse = shown(
    "traverse",
    "retrieval.traversal",
    busy="Walking",
    says="What hangs together with some memories, and by which way.",
)


@command("cypher")
def cypher(session: Session, **given: Any) -> None:
    """Ask the graph in Cypher, read-only.

    Over all you may see and nothing else. `CALL db.labels()` and `CALL db.relationshipTypes()` say
    what there is.
    """
    from remanent.surfaces.cli.views import retrieval

    with session.screen.busy("Asking"):
        found = session.me.cypher(**given)
    for notice in found.notices:
        session.screen.warn(notice)
    session.screen.answer(
        {
            "columns": found.columns,
            "rows": found.rows,
            "truncated": found.truncated,
            "notices": found.notices,
        },
        lambda: retrieval.rows(found),
    )


@command()
def show(
    session: Session,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key, or the beginning of one.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="A source's content exactly as it came in.")
    ] = False,
    curve: Annotated[
        bool, typer.Option("--curve", help="How it fades from now on, as a plot. No access.")
    ] = False,
    days: Annotated[int, typer.Option(metavar="N", help="How far the curve reaches.")] = 365,
) -> None:
    """Open one memory by its key.

    A source with its passages, a person or thing with notes and relationships, a belief with the
    episodes behind it and its history.
    """
    if curve:
        from remanent.surfaces.cli.views import sources

        told = session.me.curve(key, days)
        session.screen.answer({"curve": told}, lambda: sources.curve(told, session.zone))
        return
    from remanent.core.model.node import Kind
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.views import pages

    opened = session.me.read(key)
    if raw:
        if opened.raw is None:
            raise InvalidInput("raw", f"a {opened.node.kind.value} has no raw content")
        session.screen.raw({"key": opened.node.key, "raw": opened.raw}, opened.raw)
        return
    why = session.me.why(opened.node.key) if opened.node.kind is Kind.BELIEF else []
    session.screen.answer(
        {"kind": opened.node.kind, "page": opened, "why": why},
        lambda: pages.page(opened, why, session.zone),
    )


# -- for an agent that holds a conversation -----------------------------------------------------


@command("context")
def context(session: Session, **given: Any) -> None:
    """What to know before answering a message, ready for a prompt.

    Every line ends with a key that `remanent show` opens.
    """
    with session.screen.busy("Remembering"):
        found = session.me.context(**given)
    session.screen.raw({"context": found}, found.text)


need = shown(
    "needs_memory",
    "retrieval.need",
    name="need",
    record="need",
    echo="message",
    says="Whether a message needs memory at all, and why.",
)
abbreviations = shown(
    "abbreviations",
    "retrieval.abbreviations",
    record="abbreviations",
    says="Short forms and what they stand for: those that are set, and those that sources explain.",
)


@command("undefine")
def remove(session: Session, short: str) -> None:
    """Take a short form as it stands, even where a source explains it."""
    from remanent.surfaces.cli.views import retrieval

    changed = session.me.undefine(short)
    session.screen.answer(
        {"short": short, "removed": changed}, lambda: retrieval.removed(short, changed=changed)
    )


ABBREVIATIONS = (
    shown("define", "retrieval.abbreviation", name="set", record="abbreviation"),
    remove,
)


# -- people, things and stories -----------------------------------------------------------------


@command("relationships")
def relationships(session: Session, **given: Any) -> None:
    """How somebody or something stands to others: now, then, or through time."""
    from remanent.surfaces.cli.views import retrieval as anchors

    found = session.me.relationships(**given)
    names = {one.key: one.name for one in session.me.anchors(include_archived=True)}
    session.screen.answer(
        {"relationships": found}, lambda: anchors.relationships(found, names, session.zone)
    )


anchors = shown("anchors", "retrieval.anchors", record="anchors")
merge = shown(
    "merge",
    "retrieval.anchor",
    record="anchor",
    says="File all that is known of one person or thing under another.\n\n"
    "`remanent split KEY` takes it back.",
)
split = shown("split", "retrieval.anchor", record="anchor")
stories = shown(
    "stories",
    "retrieval.stories",
    record="stories",
    says="What has been going on: storylines, and the great lines over them, newest first.\n\n"
    "`remanent show KEY` opens one with its sources.",
)
summaries = shown(
    "summaries",
    "events.summaries",
    record="summaries",
    says="What remains of events: summaries of episodes, sessions and agents, the newest first.\n\n"
    "`remanent show KEY` tells what a summary stands for, also what has left the graph.",
)
