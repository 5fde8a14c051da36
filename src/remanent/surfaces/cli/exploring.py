"""Commands that follow what hangs together: explore, traverse."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

AsOf = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="What was so then; a bare date is the end of that day."),
]
KnownAt = Annotated[
    str | None, typer.Option(metavar="DATE", help="As this memory would have said it then.")
]
NoTouch = Annotated[
    bool, typer.Option("--no-touch", help="Only look: what is returned is not strengthened.")
]
Grade = Annotated[int | None, typer.Option(metavar="N", help="A grade from 1 to 5.")]


def explore(
    session: Session,
    query: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="What to find by meaning.")
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option("--text", "-t", metavar="TEXT", help="A name or words; repeatable."),
    ] = None,
    granularity: Annotated[
        int,
        typer.Option("--granularity", "-g", metavar="1|2|3", help="Sources, storylines or macros."),
    ] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="How alike the queries have to be, from 0 to 1."),
    ] = None,
    min_attitude: Grade = None,
    max_attitude: Grade = None,
    min_proximity: Grade = None,
    max_proximity: Grade = None,
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only such relationships; repeatable."),
    ] = None,
    exclude_type: Annotated[
        list[str] | None,
        typer.Option("--exclude-type", metavar="TYPE", help="No such relationships; repeatable."),
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Ask in other words as well, where that can be done.")
    ] = False,
    multi_query: Annotated[
        bool, typer.Option("--multi-query", help="The same, in fast mode.")
    ] = False,
    time_weight: Annotated[float | None, typer.Option(metavar="W")] = None,
    salience_weight: Annotated[float | None, typer.Option(metavar="W")] = None,
    semantic_weight: Annotated[float | None, typer.Option(metavar="W")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score.")
    ] = False,
    no_touch: NoTouch = False,
) -> None:
    """What is known of something: people and things, how they stand, and what happened.

    In full detail (-g 1), as storylines (-g 2), or as the great lines of months and years (-g 3).
    """
    from remanent.surfaces.cli import explored

    filters = {
        "min_attitude": min_attitude,
        "max_attitude": max_attitude,
        "min_proximity": min_proximity,
        "max_proximity": max_proximity,
        "relationship_types": type_,
        "exclude_relationship_types": exclude_type,
    }
    weights = {"time": time_weight, "salience": salience_weight, "semantic": semantic_weight}
    queries = [
        one if threshold is None else {"query": one, "threshold": threshold} for one in query or ()
    ]
    with session.screen.busy("Exploring"):
        found = session.me.explore(
            queries,
            text or (),
            filters,
            granularity,
            multi_query=multi_query,
            mode="deep" if deep else "fast",
            weights={name: one for name, one in weights.items() if one is not None},
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
            return_explanations=explain,
            touch=not no_touch,
        )
    session.screen.answer(found, lambda: explored.answer(found, session.zone))


def traverse(
    session: Session,
    seeds: Annotated[
        list[str], typer.Argument(metavar="KEY...", help="Where to begin: keys, or beginnings.")
    ],
    max_depth: Annotated[
        int | None,
        typer.Option("--max-depth", "-d", metavar="N", help="At most so many edges away."),
    ] = None,
    damping: Annotated[
        float | None, typer.Option(metavar="SHARE", help="How far the walk strays, 0 to 0.99.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-n", metavar="N", help="At most so many results.")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    no_links: Annotated[
        bool,
        typer.Option(
            "--no-links", help="Only along relationships, not through sources or beliefs."
        ),
    ] = False,
    no_touch: NoTouch = False,
) -> None:
    """What hangs together with some memories, and by which way."""
    from remanent.surfaces.cli import explored

    with session.screen.busy("Walking"):
        found = session.me.traverse(
            seeds,
            max_depth=max_depth,
            damping=damping,
            top_k=top_k,
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
            touch=not no_touch,
            include_links=not no_links,
        )
    session.screen.answer(found, lambda: explored.traversal(found))
