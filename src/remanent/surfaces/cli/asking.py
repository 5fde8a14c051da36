"""The command that asks in a query language: cypher."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from remanent.surfaces.cli.session import Session


def cypher(
    session: Session,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Such as: MATCH (p:Person) RETURN p.name")
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUE",
            help="What $NAME stands for in the query; JSON where it reads as such; repeatable.",
        ),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="What held then; a bare date is its end.")
    ] = None,
    known_at: Annotated[
        str | None, typer.Option(metavar="DATE", help="As this memory would have said it then.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many rows.")
    ] = None,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Faded and merged ones as well.")
    ] = False,
) -> None:
    """Ask the graph in Cypher, read-only.

    Over all you may see and nothing else. `CALL db.labels()` and `CALL db.relationshipTypes()` say
    what there is.
    """
    from remanent.surfaces.cli import tables

    given = _parameters(param or ())
    with session.screen.busy("Asking"):
        found = session.me.cypher(
            query,
            given,
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
            limit=limit,
            include_archived=include_archived,
        )
    for notice in found.notices:
        session.screen.warn(notice)
    session.screen.answer(
        {
            "columns": found.columns,
            "rows": found.rows,
            "truncated": found.truncated,
            "notices": found.notices,
        },
        lambda: tables.rows(found),
    )


def _parameters(pairs: Sequence[str]) -> dict[str, Any]:
    from remanent.errors import InvalidInput

    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise InvalidInput("--param", f"{pair!r} is not NAME=VALUE")
        found[name.strip().removeprefix("$")] = _value(value)
    return found


def _value(text: str) -> Any:
    """A number, a list, true or null where it reads as such, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
