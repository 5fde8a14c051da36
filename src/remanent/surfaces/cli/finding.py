"""Commands that get something out of a memory: recall, search, why-not, show, status, users."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

Limit = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many results.")
]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        "-k",
        metavar="KIND",
        help="Only this kind (passage, source, belief, person, concept, entity, relationship, "
        "storyline, macro, artifact); repeatable.",
    ),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="Only from this time on.")
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="DATE", help="Only up to then; a bare date is its end."),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type", metavar="TYPE", help="Only of this type, such as email or preference; repeatable."
    ),
]
TeamOption = Annotated[
    str | None, typer.Option("--team", metavar="ID", help="Only what belongs to this team.")
]
Speaker = Annotated[
    str | None, typer.Option("--speaker", metavar="NAME", help="Only what this person said.")
]
AnchorOption = Annotated[
    str | None,
    typer.Option("--anchor", metavar="KEY", help="Only what concerns this person or thing."),
]
States = Annotated[
    list[str] | None,
    typer.Option(
        "--state", metavar="STATE", help="Only candidate, active, core or archived; repeatable."
    ),
]
Sensitivities = Annotated[
    list[str] | None,
    typer.Option("--sensitivity", metavar="LEVEL", help="Only low, normal or high; repeatable."),
]
Archived = Annotated[
    bool, typer.Option("--include-archived", help="Look among faded memories as well.")
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="DATE", help="What was true then; a bare date is its end."),
]
KnownAt = Annotated[
    str | None,
    typer.Option("--known-at", metavar="DATE", help="As this memory would have said it then."),
]


def recall(
    session: Session,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to think of.")],
    limit: Limit = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score.")
    ] = False,
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Strengthen what comes to mind (default).")
    ] = True,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Beliefs that come to mind, best first.

    What is recalled is strengthened, but for a question about the past.
    """
    from remanent.surfaces.cli import views

    with session.screen.busy("Recalling"):
        found = session.me.recall(
            query,
            limit,
            explain=explain,
            touch=touch,
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
        )
    session.screen.answer(
        {"query": query, "recollections": found}, lambda: views.recollections(found, session.zone)
    )


def search(
    session: Session,
    query: Query,
    limit: Limit = 10,
    kind: Kinds = None,
    since: Since = None,
    until: Until = None,
    type_: Types = None,
    team: TeamOption = None,
    speaker: Speaker = None,
    anchor: AnchorOption = None,
    state: States = None,
    sensitivity: Sensitivities = None,
    include_archived: Archived = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score, and what became of it.")
    ] = False,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="CURSOR", help="Go on behind this hit; JSON has cursors."),
    ] = None,
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Whether finding may leave a trace.")
    ] = True,
    mode: Annotated[
        str, typer.Option("--mode", metavar="MODE", help="fast, or deep: in other words as well.")
    ] = "fast",
) -> None:
    """Look through everything that was said.

    Best first, each result with who said it, when and where. Filters are hard.
    """
    from remanent.surfaces.cli import views

    with session.screen.busy("Searching"):
        found = session.me.search(
            query,
            limit,
            kinds=kind or (),
            since=session.moment("--since", since),
            until=session.moment("--until", until, last=True),
            types=type_ or (),
            team=team,
            speaker=speaker,
            anchor=anchor,
            states=state or (),
            sensitivity=sensitivity or (),
            include_archived=include_archived,
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
            explain=explain,
            after=after,
            touch=touch,
            mode=mode,
        )
    session.screen.answer(
        {"query": query, "hits": found, "reason": found.reason, "next": found.next},
        lambda: views.hits(query, found, session.zone, explain=explain),
    )


def why_not(
    session: Session,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The memory that is missed.")],
    query: Query,
    limit: Limit = 10,
    kind: Kinds = None,
    since: Since = None,
    until: Until = None,
    type_: Types = None,
    team: TeamOption = None,
    speaker: Speaker = None,
    anchor: AnchorOption = None,
    state: States = None,
    sensitivity: Sensitivities = None,
    include_archived: Archived = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Why a search does not return a memory, or where it does.

    Takes the options of `search`, and changes nothing.
    """
    from remanent.surfaces.cli import views

    with session.screen.busy("Searching"):
        told = session.me.why_not(
            key,
            query,
            limit,
            kinds=kind or (),
            since=session.moment("--since", since),
            until=session.moment("--until", until, last=True),
            types=type_ or (),
            team=team,
            speaker=speaker,
            anchor=anchor,
            states=state or (),
            sensitivity=sensitivity or (),
            include_archived=include_archived,
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
        )
    session.screen.answer({"query": query, "explanation": told}, lambda: views.explanation(told))


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
        from remanent.surfaces.cli import lived

        told = session.me.curve(key, days)
        session.screen.answer({"curve": told}, lambda: lived.curve(told, session.zone))
        return
    from remanent.core.model.node import Kind
    from remanent.errors import InvalidInput
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


def status(session: Session) -> None:
    """How much is known, and what is still to be done."""
    from remanent.core.model.job import JobState
    from remanent.surfaces.cli import recorded, views

    state = session.me.status()
    parked = session.me.jobs([JobState.PARKED])
    session.screen.answer(
        {"status": state, "parked": parked},
        lambda: views.status(state, parked, session.zone, lag=recorded.lag(state.lag)),
    )


def users(session: Session) -> None:
    """Who is registered in this memory."""
    from remanent.surfaces.cli import views

    registered = session.memory.users()
    session.screen.answer({"users": registered}, lambda: views.users(registered))
