"""Commands for an agent that holds a conversation: context, need, abbreviations."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session

Message = Annotated[str, typer.Argument(metavar="MESSAGE", help="What was said to the agent.")]
Before = Annotated[
    list[str] | None,
    typer.Option(
        "--before",
        metavar="TEXT",
        help="A turn of the conversation so far; repeatable, oldest first.",
    ),
]
Short = Annotated[str, typer.Argument(metavar="SHORT", help="The short form, such as CRM.")]


def context(
    session: Session,
    message: Message,
    budget: Annotated[
        int, typer.Option("--budget", "-b", metavar="N", help="At most so many tokens.")
    ] = 1500,
    before: Before = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="What was true then; a bare date is its end.")
    ] = None,
    known_at: Annotated[
        str | None, typer.Option(metavar="DATE", help="As this memory would have said it then.")
    ] = None,
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Strengthen what is recalled for it.")
    ] = True,
) -> None:
    """What to know before answering a message, ready for a prompt.

    Every line ends with a key that `remanent show` opens.
    """
    with session.screen.busy("Remembering"):
        found = session.me.context(
            message,
            budget,
            before=before or (),
            as_of=session.moment("--as-of", as_of, last=True),
            known_at=session.moment("--known-at", known_at, last=True),
            touch=touch,
        )
    session.screen.raw({"context": found}, found.text)


def need(session: Session, message: Message, before: Before = None) -> None:
    """Whether a message needs memory at all, and why."""
    from remanent.surfaces.cli import minded

    found = session.me.needs_memory(message, before or ())
    session.screen.answer({"message": message, "need": found}, lambda: minded.need(found))


def abbreviations(session: Session) -> None:
    """Short forms and what they stand for: those that are set, and those that sources explain."""
    from remanent.surfaces.cli import minded

    known = session.me.abbreviations()
    session.screen.answer({"abbreviations": known}, lambda: minded.abbreviations(known))


def set_(
    session: Session,
    short: Short,
    long: Annotated[str, typer.Argument(metavar="LONG", help="What it stands for.")],
) -> None:
    """Let a short form stand for a long one in questions."""
    from remanent.surfaces.cli import minded

    made = session.me.define(short, long)
    session.screen.answer({"abbreviation": made}, lambda: minded.abbreviations([made]))


def remove(session: Session, short: Short) -> None:
    """Take a short form as it stands, even where a source explains it."""
    from remanent.surfaces.cli import minded

    changed = session.me.undefine(short)
    session.screen.answer(
        {"short": short, "removed": changed}, lambda: minded.removed(short, changed=changed)
    )


ABBREVIATIONS = (set_, remove)
