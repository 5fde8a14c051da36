"""Commands that get something out of a memory: recall, search, show, beliefs, status, users."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

Limit = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many results.")
]


def recall(
    session: Session,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to think of.")],
    limit: Limit = 10,
) -> None:
    """Beliefs that come to mind, best first.

    What is recalled is strengthened.
    """
    from remanent.surfaces.cli import views

    with session.screen.busy("Recalling"):
        found = session.me.recall(query, limit)
    session.screen.answer(
        {"query": query, "recollections": found}, lambda: views.recollections(found, session.zone)
    )


def search(
    session: Session,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")],
    limit: Limit = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            "-k",
            metavar="KIND",
            help="Only this kind (passage, person, concept, entity, source, belief); repeatable.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score.")
    ] = False,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Look among faded memories as well.")
    ] = False,
) -> None:
    """Look through everything that was said.

    Best first, each result with who said it, when and where.
    """
    from remanent.surfaces.cli import views

    with session.screen.busy("Searching"):
        found = session.me.search(query, limit, kinds=kind or (), include_archived=include_archived)
    session.screen.answer(
        {"query": query, "hits": found},
        lambda: views.hits(query, found, session.zone, explain=explain),
    )


def show(
    session: Session,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key, or the beginning of one.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="A source's content exactly as it came in.")
    ] = False,
) -> None:
    """Open one memory by its key.

    A source with its passages, a person or thing with notes and relationships, a belief with the
    episodes behind it and its history.
    """
    from remanent.errors import InvalidInput
    from remanent.model.node import Kind
    from remanent.surfaces.cli import pages

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


def beliefs(
    session: Session,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="What was true then; a bare date is the end of that day."
        ),
    ] = None,
) -> None:
    """What is held true now, or was at a given time."""
    from remanent.surfaces.cli import views

    moment = session.moment("--as-of", as_of, last=True)
    held = session.me.beliefs(moment)
    session.screen.answer(
        {"as_of": moment, "beliefs": held},
        lambda: views.beliefs(held, session.zone, now=moment is None),
    )


def status(session: Session) -> None:
    """How much is known, and what is still to be done."""
    from remanent.model.job import JobState
    from remanent.surfaces.cli import views

    state = session.me.status()
    parked = session.me.jobs([JobState.PARKED])
    session.screen.answer(
        {"status": state, "parked": parked}, lambda: views.status(state, parked, session.zone)
    )


def users(session: Session) -> None:
    """Who is registered in this memory."""
    from remanent.surfaces.cli import views

    registered = session.memory.users()
    session.screen.answer({"users": registered}, lambda: views.users(registered))
