"""Commands that put something into a memory: init, add, remember."""

from __future__ import annotations

from typing import Annotated

import typer

from remanent.surfaces.cli.session import Session
from remanent.surfaces.cli.working import drain


def init(
    session: Session,
    name: Annotated[str | None, typer.Option(metavar="TEXT", help="The user's full name.")] = None,
    timezone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Time zone, like Europe/Oslo. [default: this machine's]"),
    ] = None,
) -> None:
    """Make the memory and register its user. Running it again is fine."""
    from remanent.surfaces.cli import starting

    new = not session.path.exists()
    starting.check(session.options.user, name, timezone)
    starting.make_folder(session.path)
    memory = session.create()
    user = starting.register(memory, session.options.user, name, timezone)
    session.screen.answer(
        {"memory": str(session.path), "created": new, "user": user},
        lambda: starting.welcome(session.path, user, new=new, named=session.options.memory),
    )


def add(
    session: Session,
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="A file, or - for standard input. .json and .jsonl hold turns."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", "-t", metavar="TEXT", help="The text itself.")
    ] = None,
    type_: Annotated[
        str | None,
        typer.Option(
            "--type",
            metavar="TYPE",
            help="conversation, voice-memo, meeting, email, slack-thread or text-note. "
            "[default: turns are a conversation, text is a note]",
        ),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(
            metavar="CONTEXT",
            help="work-session, team-meeting, phone-call, personal-reflection, planning, "
            "brainstorming, email-thread or slack-discussion.",
        ),
    ] = None,
    started_at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it began. [default: now]")
    ] = None,
    ended_at: Annotated[str | None, typer.Option(metavar="DATE", help="When it ended.")] = None,
    participant: Annotated[
        list[str] | None,
        typer.Option(
            "--participant",
            "-p",
            metavar="USER",
            help="User id of someone who took part and may read it.",
        ),
    ] = None,
    team: Annotated[
        str | None, typer.Option(metavar="TEAM", help="Share it with this team of yours.")
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Share it with your primary team.")
    ] = False,
    origin_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Your own id of it; the same id is the same source."),
    ] = None,
    sensitivity: Annotated[
        str, typer.Option(metavar="LEVEL", help="low, normal or high.")
    ] = "normal",
    title: Annotated[str, typer.Option(metavar="TEXT", help="What to call it.")] = "",
    work: Annotated[
        bool, typer.Option("--work/--no-work", help="Read and understand it now, or later.")
    ] = True,
) -> None:
    """Take in a note, a conversation, a meeting or an e-mail."""
    from remanent.surfaces.cli import inputs, views
    from remanent.surfaces.cli.errors import INTERRUPTED

    limit = session.config.intake.max_characters
    given = inputs.read_content(path, text, max_characters=limit, zone=session.zone)
    key = session.me.add(
        given.content,
        type_,
        context,
        session.moment("--started-at", started_at),
        session.moment("--ended-at", ended_at),
        participants=participant or (),
        team=_team(session, team, shared=shared),
        origin_id=origin_id,
        sensitivity=sensitivity,
        title=title or given.title,
    )
    done, stopped = drain(session) if work else (None, False)
    session.screen.answer({"key": key, "worked": done}, lambda: views.added(key, done))
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _team(session: Session, named: str | None, *, shared: bool) -> str | None:
    """The team to share with: the one that was named, or else the primary one if that is wished."""
    from remanent.errors import InvalidInput

    if not shared:
        return None if named is None else session.team(named)
    if named is not None:
        raise InvalidInput("shared", "say --team or --shared, not both")
    primary = session.me.profile.primary_team
    if primary is None:
        raise InvalidInput(
            "shared", "you have no primary team; `remanent team primary TEAM` sets one"
        )
    return primary


def remember(
    session: Session,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="One statement, like 'Maria lives in Bergen.'")
    ],
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="From when on it is true. [default: now]")
    ] = None,
) -> None:
    """Hold a statement true.

    It is settled against what is believed: new, confirmed, or in place of another belief.
    """
    from remanent.surfaces.cli import views

    moment = session.moment("--at", at)
    with session.screen.busy("Settling"):
        result = session.me.remember(text, moment)
    session.screen.answer(result, lambda: views.settled(result, session.zone))
