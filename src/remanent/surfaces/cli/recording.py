"""Commands about agents' events: record, events, end-session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.session import Session
from remanent.surfaces.cli.working import drain

if TYPE_CHECKING:
    from collections.abc import Mapping

AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="ID", help="Which program it was.")
]
SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The run of that program.")
]


def record(
    session: Session,
    type_: Annotated[
        str | None,
        typer.Argument(metavar="TYPE", help="What happened, like message or tool.called."),
    ] = None,
    payload: Annotated[
        str | None,
        typer.Argument(
            metavar="PAYLOAD", help="A JSON object, plain text, or - for standard input."
        ),
    ] = None,
    agent: AgentOption = None,
    session_id: SessionOption = None,
    parent: Annotated[
        str | None, typer.Option(metavar="ID", help="The event that brought this one about.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it happened. [default: now]")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Your own id; the same id is once.")
    ] = None,
    importance: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=10, help="How much it matters, you think.")
    ] = None,
    team: Annotated[str | None, typer.Option(metavar="ID", help="It is this team's.")] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="PATH",
            help="Many events, one JSON record a line; - for standard input.",
        ),
    ] = None,
) -> None:
    """Record what an agent did or saw.

    It is kept at once; `remanent work` then makes it part of the graph.
    """
    from remanent.surfaces.cli import recorded

    said = {
        "agent_id": agent,
        "session_id": session_id,
        "parent_event_id": parent,
        "occurred_at": session.moment("--at", at),
        "event_id": id_,
        "importance_hint": importance,
        "team_id": team,
    }
    beside = {name: value for name, value in said.items() if value is not None}
    if file is not None:
        found = session.me.record_many(_many(session, file, (type_, payload), beside))
    else:
        found = [session.me.record({**_one(session, type_, payload), **beside})]
    new = sum(one.is_new for one in found)
    session.screen.answer(
        {"recorded": found, "new": new, "known": len(found) - new},
        lambda: recorded.recorded(found),
    )


def events(
    session: Session,
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="What they should be about.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many results.")
    ] = 10,
    agent: AgentOption = None,
    session_id: SessionOption = None,
    type_: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Only events of this type.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only from this time on.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="DATE", help="Only up to then; a bare date is its end."),
    ] = None,
    current_session: Annotated[
        str | None,
        typer.Option("--current-session", metavar="ID", help="The session that asks."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score.")
    ] = False,
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Strengthen what is shown (default).")
    ] = True,
) -> None:
    """What happened, by how recent, important, relevant and near it is.

    Without a query: what matters most now. What is shown is strengthened.
    """
    from remanent.surfaces.cli import recorded

    with session.screen.busy("Looking"):
        found = session.me.events(
            query,
            limit=limit,
            session_id=session_id,
            agent_id=agent,
            event_type=type_,
            since=session.moment("--since", since),
            until=session.moment("--until", until, last=True),
            current_session=current_session,
            explain=explain,
            touch=touch,
        )
    behind = session.me.lag().projection.events
    session.screen.answer(
        {"query": query, "events": found},
        lambda: recorded.hits(found, session.zone, behind=behind),
    )


def end_session(
    session: Session,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The session.")],
    agent: AgentOption = None,
    work: Annotated[
        bool, typer.Option("--work/--no-work", help="Read and understand it now, or later.")
    ] = True,
) -> None:
    """End a session: what was said in it becomes one source. Running it again is fine."""
    from remanent.surfaces.cli import recorded
    from remanent.surfaces.cli.errors import INTERRUPTED

    ended = session.me.end_session(id_, agent_id=agent or "")
    done, stopped = drain(session) if work and ended.source_key else (None, False)
    session.screen.answer({"ended": ended, "worked": done}, lambda: recorded.ended(ended, done))
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _one(session: Session, type_: str | None, payload: str | None) -> dict[str, Any]:
    """One event from the command line; a payload that is no JSON object is its text."""
    from remanent.errors import InvalidInput

    if type_ is None:
        raise InvalidInput("type", "say what happened, or name a --file of events")
    text = _standard_input(session) if payload == "-" else payload
    if text is None or not text.strip():
        return {"event_type": type_}
    if not text.lstrip().startswith("{"):
        return {"event_type": type_, "payload": {"text": text.strip()}}
    return {"event_type": type_, "payload": _parsed("payload", text)}


def _many(
    session: Session,
    file: str,
    named: tuple[str | None, str | None],
    beside: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """The events of a file; what was said beside it holds for those that do not say it themselves."""
    from pathlib import Path

    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import inputs

    if any(one is not None for one in named):
        raise InvalidInput("file", "has the events; give no TYPE and no PAYLOAD")
    if "event_id" in beside:
        raise InvalidInput("id", "is one event's; each line of a file has its own")
    limit = session.config.intake.max_characters
    text = _standard_input(session) if file == "-" else inputs.read_text(Path(file), limit)
    lines = [(n, one) for n, one in enumerate(text.splitlines(), 1) if one.strip()]
    return [{**beside, **_zoned(session, _parsed(f"line {n}", one))} for n, one in lines]


def _standard_input(session: Session) -> str:
    from remanent.surfaces.cli import inputs

    limit = session.config.intake.max_characters
    given = inputs.read_content("-", None, max_characters=limit, zone=session.zone)
    return str(given.content)


def _parsed(field: str, text: str) -> dict[str, Any]:
    import json

    from remanent.errors import InvalidInput

    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        raise InvalidInput(field, f"is not JSON (column {problem.colno}: {problem.msg})") from None
    except RecursionError:
        raise InvalidInput(field, "is nested too deeply") from None
    if not isinstance(found, dict):
        raise InvalidInput(field, "must be a JSON object")
    return found


def _zoned(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """A time without an offset is one of the user's own time zone."""
    at = given.get("occurred_at")
    return given if not isinstance(at, str) else {**given, "occurred_at": session.moment("occurred_at", at)}  # fmt: skip
