"""Commands about agents' events: record, events, end-session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from remanent.surfaces.cli.commands import command, forward
from remanent.surfaces.cli.session import INTERRUPTED, Session, invalid
from remanent.surfaces.cli.work import WORK, drain
from remanent.surfaces.operations import operation
from remanent.surfaces.operations.schema import TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping


@command(
    "record", operation("record_many").param("events").but(name="file", type=TEXT, default=None)
)
def record(
    session: Session,
    *,
    event: str | None = None,
    payload: str | None = None,
    file: str | None,
    **given: Any,
) -> None:
    """Record what an agent did or saw.

    It is kept at once; `remanent work` then makes it part of the graph.
    """
    if "team" in given:
        given["team_id"] = given.pop("team")
    if file is not None:
        recorded = session.me.record_many(_events_in_file(session, file, (event, payload), given))
    else:
        recorded = [session.me.record({**_event_from_options(session, event, payload), **given})]
    new = sum(event.is_new for event in recorded)
    answer = {"recorded": recorded, "new": new, "known": len(recorded) - new}
    session.show(answer, "events.records", recorded)


@command("events")
def events(session: Session, **given: Any) -> None:
    """What happened, by how recent, important, relevant and near it is.

    Without a query: what matters most now. What is shown is strengthened.
    """
    with session.screen.busy("Looking"):
        hits = session.me.events(**given)
    behind = session.me.lag().projection.events
    session.show({"query": given.get("query"), "events": hits}, "events.hits", hits, behind=behind)


@command("end_session", WORK)
def end_session(session: Session, *, work: bool, **given: Any) -> None:
    """End a session: what was said in it becomes one source. Running it again is fine."""
    ended = session.me.end_session(**given)
    done, stopped = drain(session) if work and ended.source_key else (None, False)
    session.show({"ended": ended, "worked": done}, "events.session_end", ended, done)
    if stopped:
        raise Exit(INTERRUPTED)


REPLAY = forward("replay", "events.entries", record="events")
ADVANCE = forward("advance", "events.position", record="position")


def _event_from_options(session: Session, type_: str | None, payload: str | None) -> dict[str, Any]:
    """One event from the command line; a payload that is no JSON object is its text."""
    from remanent.core.decode import parsed_object

    if type_ is None:
        raise invalid("type", "say what happened, or name a --file of events")
    text = str(session.input("-").content) if payload == "-" else payload
    if text is None or not text.strip():
        return {"event_type": type_}
    if not text.lstrip().startswith("{"):
        return {"event_type": type_, "payload": {"text": text.strip()}}
    return {"event_type": type_, "payload": parsed_object("payload", text)}


def _events_in_file(
    session: Session, file: str, named: tuple[str | None, str | None], beside: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The events of a file; what was said beside it holds for those that do not say it themselves."""
    from pathlib import Path

    from remanent.core.decode import parsed_object
    from remanent.surfaces.cli import inputs

    if any(argument is not None for argument in named):
        raise invalid("file", "has the events; give no TYPE and no PAYLOAD")
    if "event_id" in beside:
        raise invalid("id", "is one event's; each line of a file has its own")
    limit = session.config.intake.max_characters
    text = str(session.input("-").content) if file == "-" else inputs.read_text(Path(file), limit)
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    return [{**beside, **_zoned(session, parsed_object(f"line {n}", line))} for n, line in lines]


def _zoned(session: Session, event: dict[str, Any]) -> dict[str, Any]:
    """A time without an offset is one of the user's own time zone."""
    at = event.get("occurred_at")
    if not isinstance(at, str):
        return event
    return {**event, "occurred_at": session.moment("occurred_at", at)}
