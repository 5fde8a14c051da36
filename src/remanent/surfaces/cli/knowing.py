"""Commands about people and things: anchors, relationships, merge, split, produce."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

Key = Annotated[str, typer.Argument(metavar="KEY", help="A key, or enough of its beginning.")]


def sources(
    session: Session,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many.")
    ] = 20,
    after: Annotated[
        str | None, typer.Option("--after", metavar="KEY", help="Go on behind this one.")
    ] = None,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Faded ones as well.")
    ] = False,
) -> None:
    """The sources you may read, newest first."""
    from remanent.surfaces.cli import known

    found = session.me.sources(limit, after=after, include_archived=include_archived)
    session.screen.answer({"sources": found}, lambda: known.sources(found, session.zone))


def anchors(
    session: Session,
    kind: Annotated[
        str | None,
        typer.Option("--kind", "-k", metavar="KIND", help="Only person, concept or entity."),
    ] = None,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Faded and merged ones as well.")
    ] = False,
) -> None:
    """The people, things and topics that are known, most mentioned first."""
    from remanent.surfaces.cli import known

    found = session.me.anchors(kind, include_archived=include_archived)
    session.screen.answer({"anchors": found}, lambda: known.anchors(found, session.zone))


def relationships(
    session: Session,
    key: Key,
    other: Annotated[
        str | None, typer.Argument(metavar="[OTHER]", help="Only with this one.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="What held then; a bare date is its end.")
    ] = None,
    known_at: Annotated[
        str | None, typer.Option(metavar="DATE", help="As this memory would have said it then.")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="All there ever were.")] = False,
) -> None:
    """How somebody or something stands to others: now, then, or through time."""
    from remanent.surfaces.cli import known

    found = session.me.relationships(
        key,
        other,
        as_of=session.moment("--as-of", as_of, last=True),
        known_at=session.moment("--known-at", known_at, last=True),
        history=history,
    )
    names = {one.key: one.name for one in session.me.anchors(include_archived=True)}
    session.screen.answer(
        {"relationships": found}, lambda: known.relationships(found, names, session.zone)
    )


def merge(
    session: Session,
    key: Key,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The one that stays.")],
) -> None:
    """File all that is known of one person or thing under another.

    `remanent split KEY` takes it back.
    """
    from remanent.surfaces.cli import known

    merged = session.me.merge(key, into)
    session.screen.answer({"anchor": merged}, lambda: known.anchors([merged], session.zone))


def split(session: Session, key: Key) -> None:
    """Make somebody or something that was merged its own again."""
    from remanent.surfaces.cli import known

    apart = session.me.split(key)
    session.screen.answer({"anchor": apart}, lambda: known.anchors([apart], session.zone))


def produce(
    session: Session,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The key of the source.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file that was made from it.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="What to call it.")] = "",
    description: Annotated[str, typer.Option(metavar="TEXT", help="One sentence on it.")] = "",
    sensitivity: Annotated[
        str, typer.Option(metavar="LEVEL", help="low, normal or high.")
    ] = "normal",
) -> None:
    """Keep a file that was made from a source, linked to it."""
    from pathlib import Path

    from remanent.surfaces.cli import inputs, views

    output = inputs.read_text(Path(path), session.config.intake.max_characters)
    key = session.me.produce(
        source, name or Path(path).name, output, description=description, sensitivity=sensitivity
    )
    session.screen.answer({"key": key}, lambda: views.added(key, None))
