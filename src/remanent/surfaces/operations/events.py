"""Operations on agents' events."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.shared import EXPLAIN, LIMIT, NAME, SINCE, TEXT, TOUCH, UNTIL
from remanent.surfaces.operations.words import (
    Form,
    Group,
    Json,
    Many,
    Moment,
    Param,
    Text,
    Whole,
    get,
    post,
    read,
    write,
)

# fmt: off
_AGENT: Final = Param("agent_id", NAME, "Which agent it was.", None, cli="--agent ID")
_SESSION: Final = Param("session_id", NAME, "The run it belongs to.", None, cli="--session ID")
_TOLD: Final = (
    _AGENT.but(default="", http_default=None, mcp=True, cli_default=None),
    _SESSION.but(default="", http_default=None, mcp=True, cli_default=None),
    Param("parent_event_id", NAME, "The event that brought this one about.", None,
        cli="--parent ID", mcp=True),
    Param("occurred_at", Moment(), "When it happened; default: now.", None, cli="--at DATE",
        mcp=True),
    Param("event_id", NAME, "Your own id: the same id again changes nothing.", None, cli="--id ID",
        mcp=True),
    Param("importance_hint", Whole(1, 10), "How much it matters, you think, from 1 to 10.", None,
        cli="--importance N", mcp=True),
    Param("team", NAME, "It is this team's.", None, cli="--team ID", http_name="team_id"),
)
_EVENT: Final = (
    Param("event", Text(200), 'What happened, like "tool.called".', cli="TYPE", cli_default=None,
        http_name="event_type", mcp=True, example="tool.called"),
    Param("payload", Json(), "What belongs to it.", None, cli="PAYLOAD",
        cli_help="A JSON object, plain text, or - for standard input.", http_default={}, mcp=True),
    *_TOLD,
)
RECORD_EVENT: Final = Form("RecordEvent", _EVENT)

EVENTS: Final = Group(
    tag="events",
    ops=(
        write("record", "Append one event; it is on the disk when it comes back.", *_EVENT,
            post("/v1/events", status=201, model="RecordEvent"),
            form="Something that an agent lived through."),
        write(
            "record_many",
            "Append many events in their order, all in one write or none.",
            Param("events", Many(RECORD_EVENT, 1000, 1, heavy=True), "The events, in their order.",
                cli="--file PATH",
                cli_help="Many events, one JSON record a line; - for standard input."),
            post("/v1/events/batch", "items", status=201),
        ),
        read(
            "events",
            "What happened, by recency, importance, relevance to `query` and affinity, best first. "
            "Further pages strengthen nothing.",
            Param("query", TEXT, "What they should be about.", None, cli="QUERY"),
            LIMIT.but(http_default=50),
            _SESSION.but(help="Only of this run."),
            _AGENT.but(help="Only of this agent."),
            Param("event_type", NAME, "Only events of this type.", None, cli="--type TYPE"),
            SINCE,
            UNTIL,
            Param("current_session", NAME, "The session that asks.", None,
                cli="--current-session ID", also="its events come nearest"),
            EXPLAIN,
            TOUCH,
            get("/v1/events", "page", name="events_simply"),
            post("/v1/events/search", "page", says="The same, with a body."),
        ),
        write(
            "end_session",
            "End a session: what was said in it becomes one source.",
            Param("session_id", NAME, "The session.", cli="ID"),
            Param("agent_id", Text(500, 0), "Which agent it was.", "", cli="--agent ID",
                also="where several have a session of that id"),
            post("/v1/sessions/{session_id}/end", bare=True),
        ),
        read("lag", "How far projection and enrichment are behind what was recorded.",
            get("/v1/lag")),
    ),
)
