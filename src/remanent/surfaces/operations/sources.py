"""Operations on sources and agents' events: take in, list, read, undo, erase; on how long memories stay; on backup."""

from __future__ import annotations

from typing import Final

# fmt: off
from remanent.surfaces.operations.schema import (  # isort: skip
    AFTER, DRY_RUN, EXPLAIN, INCLUDE_ARCHIVED, KEY, LIMIT, LONG, NAME, REMARK, SENSITIVITY, SINCE,
    SOURCE, TEXT, TOUCH, TURN, UNTIL, Choice, Flag, Form, Group, Json, Many, Moment, Null, OneOf,
    Param, Real, Text, Whole, delete, get, keep, post, put, read, write,
)

BYTES: Final = "application/octet-stream"
JSON_LINES: Final = "application/jsonl"
_TYPES: Final = Choice(
    ("conversation", "voice-memo", "meeting", "email", "slack-thread", "text-note"))
_CONTEXTS: Final = Choice(
    ("work-session", "team-meeting", "phone-call", "personal-reflection", "planning",
     "brainstorming", "email-thread", "slack-discussion"),
    "ContextType")
_SENSITIVITY: Final = Param("sensitivity", SENSITIVITY, "How private it is: {values}.", "normal",
    cli="--sensitivity LEVEL")
_FORMAT: Final = Param("as_",
    Choice(("chatgpt", "claude", "mail", "slack", "transcripts", "markdown", "jsonl")),
    "{values}; default: told from the file.", None, cli="--as FORMAT", http_name="format")
_FILE: Final = Param("path", Text(100, 0, pattern=r"^[\w][\w.\- ]{0,99}$"),
    "Its name; it tells what the file is where its content does not.", cli="PATH",
    cli_help="An export, a mailbox, a transcript or a folder.", http_name="name",
    http_default="upload.jsonl")
PROVENANCE: Final = Form("Provenance", (
    Param("origin", Text(2000), "The program or person it came from.", None, cli="--origin TEXT"),
    Param("channel", Text(2000), "The channel, list or folder.", None, cli="--channel NAME"),
    Param("url", Text(2000), "Where it stands.", None, cli="--url URL"),
    Param("confidence", Real(), "How sure it is, from 0 to 1.", None, cli="--confidence X"),
))
_SHARED: Final = Param("shared", Flag(), "Share it with your primary team.", False, mcp=True)
ADD: Final = write(
    "add",
    "Take in one source. It is on the disk when its key comes back; `work` then reads it.",
    Param(
        "content",
        OneOf((LONG, Many(TURN, heavy=True), Json())),
        "Text; a list of turns `{speaker, text, at, id}` of which only `text` is needed; or a record.",
        cli=None,
        example="Met Sarah at the café. She starts at Acme on Monday.",
    ),
    Param("type", _TYPES, "{values}; default: text is a note, turns are a conversation.", None,
        cli="--type TYPE", mcp=True),
    Param("context", _CONTEXTS, "What it was for: {values}; default: what is usual for the type.",
        None, cli="--context CONTEXT"),
    Param("started_at", Moment(), "When it began; default: the first turn's time, else now.", None,
        cli="--started-at DATE", mcp=True),
    Param("ended_at", Moment(), "When it ended.", None, cli="--ended-at DATE"),
    Param("participants", Many(NAME, 200), "User id of someone who took part and may read it.", (),
        cli="--participant -p USER"),
    Param("team", NAME, "Share it with this team of yours.", None, cli="--team TEAM", mcp=True),
    _SHARED,
    Param("origin_id", NAME, "Your own id of it: the same id again is the same source.", None,
        cli="--origin-id ID", mcp=True),
    _SENSITIVITY.but(mcp=Choice(("low", "normal", "high"))),
    Param("title", REMARK, "What to call it.", "", cli="--title TEXT",
        also="default: what its first line, its record or its file is called", mcp=Text(300, 0)),
    Param("provenance", PROVENANCE, "Where it came from: origin, channel, url, confidence.", None,
        mcp=Json(4)),
    post("/v1/sources", "key", status=201, model="AddSource", name="add_source"),
    form="One experience: text, turns, or a raw record.",
)
_ERASE_SAYS: Final = (
    "Erase a memory and all that was drawn from it, for good, with a signed list of what went."
)

SOURCES: Final = Group(
    tag="sources",
    says="What was said, written and done, as it came in: take it in, list it, read it, undo it, erase it.",
    ops=(
        ADD,
        read("sources", "The sources this user may see, newest first.",
            LIMIT.but(default=100, http_default=50, cli_default=20),
            AFTER.but(cli="--after KEY", cli_help="Go on behind this one."), INCLUDE_ARCHIVED,
            get("/v1/sources", "page")),
        read("read",
            "One memory of any kind; `key` may be the beginning of one. Looking is an access.", KEY,
            get("/v1/sources/{key}", "OpenedMemory", name="get_source",
                says="One source with its passages; `key` may be the beginning of one. Looking is an "
                "access."),
            get("/v1/memories/{key}", "OpenedMemory", name="get_memory")),
        write("erase", _ERASE_SAYS, KEY, DRY_RUN, delete("/v1/memories/{key}"),
            delete("/v1/sources/{key}"), python=("compact", "progress")),
        write("undo", "Take back all that one source caused; the source stays.", SOURCE, DRY_RUN,
            post("/v1/sources/{key}/undo", model="DryRunning", bare=True)),
        write("redo", "Read a source again, as if it had just come in.", SOURCE,
            post("/v1/sources/{key}/redo", "key")),
        write("produce", "Keep something that was made from a source; the artifact's key.", SOURCE,
            Param("name", NAME, "What to call it.", cli="--name NAME", cli_default="", example="Minutes",
                also="default: the file's name"),
            Param("output", OneOf((LONG, Json())), "What was made: text, or an object.", cli="PATH", example="Sarah starts on Monday."),
            Param("content_type", Text(100), "What it is.", "md_file", cli=None),
            Param("description", Text(20_000, 0), "One sentence on it.", "",
                cli="--description TEXT"),
            _SENSITIVITY, post("/v1/sources/{key}/artifacts", "key", status=201,
                name="add_artifact"),
            form="Something that was made from a source."),
    ),
)

_TIMES: Final = Choice(("week", "month", "year", "forever"))
_GRADE: Final = Whole(1, 5)
CORRECTIONS: Final = Group(
    tag="corrections",
    says="What a user puts right by hand: it outranks every inference, and can be undone.",
    ops=(
        write("correct", "Put one field of a memory or relationship right by hand; no inference overwrites it.",
            KEY.but(help="A key, the beginning of one, or the name of a person or thing."),
            Param("field",
                Choice(("name", "alias", "type", "description", "note", "ttl_policy", "context_type",
                    "attitude", "proximity", "confidence", "since", "until", "denied")),
                "Which one: {values}.", cli="FIELD", mcp=True, example="note"),
            Param("value", OneOf((Text(20_000, 0), Real(0, 5), Null())),
                "What it says from now on.", None, cli="[VALUE]", mcp=Text(20_000, 0),
                example="Her birthday is on 3 May.",
                also="without one, the note or alias `was` goes, and `until` opens a relationship again"),
            Param("was", Text(20_000, 0), "The alias, or the beginning of the note, that this replaces.", None,
                cli="--was TEXT", mcp=True),
            Param("lifetime", _TIMES, "How long a note stays: {values}.", None, cli="--lifetime TIME",
                mcp=True, also="default: forever"),
            Param("expires_at", Moment(), "Until when a note stays.", None, cli="--expires DATE", mcp=True),
            post("/v1/memories/{key}/correct", model="Correct", name="correct_memory"),
            form="What to put right."),
        write("relate", "Say by hand how two people or things stand to each other.",
            Param("src", NAME, "A person or thing: a name, a key or the beginning of one.", cli="SRC", mcp=True,
                example="Ada Lindqvist"),
            Param("dst", NAME, "The other one.", cli="DST", mcp=True, example="Sarah Chen"),
            Param("type", NAME, "In one word, like friend or works_at.", cli="TYPE", mcp=True, example="friend"),
            Param("description", Text(2000, 0), "One sentence on it.", None, cli="--description TEXT", mcp=True),
            Param("attitude", _GRADE, "How it feels, from 1 to 5.", None, cli="--attitude N", mcp=True),
            Param("proximity", _GRADE, "How near it is, from 1 to 5.", None, cli="--proximity N", mcp=True),
            Param("confidence", Real(), "How sure it is.", None, cli="--confidence X"),
            Param("since", Moment(), "Since when; default: now.", None, cli="--since DATE", mcp=True),
            Param("until", Moment(), "Until when, if it is over.", None, cli="--until DATE", mcp=True),
            post("/v1/relationships", model="Relate", name="add_relationship"),
            form="A relationship."),
        read("corrections", "What was put right by hand and stands, newest first.",
            Param("key", NAME, "Only in this: a key or a name.", None, cli="[KEY]", mcp=True),
            LIMIT.but(default=100, http_default=50), get("/v1/corrections", "items")),
        write("undo_correction",
            "Take a correction back: what was put right before it, or is inferred, holds again.",
            Param("correction_id", NAME, "As `corrections` gives it, or its beginning.", cli="ID", mcp=True),
            delete("/v1/corrections/{correction_id}")),
    ),
)

_THIS: Final = KEY.but(help="The key of a memory or relationship, or the beginning of one.")
_ONE: Final = (_THIS.but(cli="KEY..."),)

LIFECYCLE: Final = Group(
    tag="lifecycle",
    says="How long memories stay: touch, pin, archive, restore, and what would be missed least.",
    ops=(
        write("touch", "Count one access to a memory or relationship.", *_ONE,
            post("/v1/memories/{key}/touch")),
        write("pin", "Keep a memory or relationship for ever.", *_ONE,
            post("/v1/memories/{key}/pin"), python=("forever",)),
        write("unpin", "Let what was pinned fade again, from now on.", *_ONE,
            post("/v1/memories/{key}/unpin")),
        write("archive",
            "Take a memory or relationship out of default search; its key still leads to it.",
            *_ONE, Param("reason", REMARK, "Why, for the record.", "", cli="--reason TEXT"),
            post("/v1/memories/{key}/archive", bare=True)),
        write("restore", "Call an archived memory or relationship back.", *_ONE,
            post("/v1/memories/{key}/restore")),
        read("curve",
            "How present a memory will be if nobody asks for it. Looking ahead is no access.",
            _THIS, Param("days", Whole(1, 3650), "How far the curve reaches.", 365, cli="--days N"),
            get("/v1/memories/{key}/curve")),
        read("forgettable",
            "The sources that would be missed least, least first, each with the reason.",
            LIMIT.but(default=20, http_default=50), get("/v1/forgettable", "page")),
    ),
)

_LINES: Final = Param("path", TEXT, "What `export` wrote.", cli="PATH", http=False,
    cli_help="What `export` wrote; - is standard input.")  # fmt: skip
_WITH_ANSWERS: Final = "with_answers"
BACKUP: Final = Group(
    tag="backup",
    says="In and out: import files, export and import whole memories.",
    ops=(
        write("import_file",
            "Take in a file of an export, a mailbox or a transcript; what is known already is left "
            "alone.",
            _FILE, _FORMAT, DRY_RUN, post("/v1/imports", takes=BYTES), python=("progress", "only")),
        read("learned",
            "What is known from some sources: how many people, beliefs and relationships.",
            Param("sources", Many(NAME, 100_000), "Keys of sources, as an import hands them back.",
                cli="SOURCE...", mcp=Many(NAME, 1000)),
            post("/v1/imports/learned")),
        read("estimate", "What an import of this would cost with the mind in use.", _FILE, _FORMAT,
            post("/v1/imports/estimate", takes=BYTES, name="estimate_import")),
        read("export",
            "All that is this user's, as JSON lines that `import-memory` takes in again.",
            Param("path", TEXT, "Where to; - is standard output, a name in .gz is compressed.",
                cli="PATH", cli_default="-", http=False),
            get("/v1/export", "lines", name="export_memory"), python=("progress", _WITH_ANSWERS)),
        keep("export", "The whole memory, of all users, as JSON lines.",
            _LINES.but(help="Where to."), get("/v1/all/export", "lines", name="export_all"),
            python=("progress", _WITH_ANSWERS)),
        keep("import_memory", "Take in what `export` wrote; all of it or nothing.", _LINES, DRY_RUN,
            post("/v1/all/import", takes=JSON_LINES, name="import_memory"), python=("progress",)),
    ),
)


_AGENT: Final = Param("agent_id", NAME, "Which agent it was.", None, cli="--agent ID", example="planner")
_SESSION: Final = Param("session_id", NAME, "The run it belongs to.", None, cli="--session ID",
    example="run-7")
_CONSUMER: Final = Param("consumer", NAME, "A consumer's name, yours to choose.", cli="CONSUMER",
    example="my-projection")
_EVENT_FIELDS: Final = (
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
    _SHARED,
)
_EVENT: Final = (
    Param("event", Text(200), 'What happened, like "tool.called".', cli="TYPE", cli_default=None,
        http_name="event_type", mcp=True, example="tool.called"),
    Param("payload", Json(), "What belongs to it.", None, cli="PAYLOAD",
        cli_help="A JSON object, plain text, or - for standard input.", http_default={}, mcp=True),
    *_EVENT_FIELDS,
)
RECORD_EVENT: Final = Form("RecordEvent", _EVENT)

EVENTS: Final = Group(
    tag="events",
    says="What agents live through, event by event, and their sessions.",
    ops=(
        write("record", "Append one event; it is on the disk when it comes back.", *_EVENT,
            post("/v1/events", status=201, model="RecordEvent", name="record_event"),
            form="Something that an agent lived through."),
        write("record_many", "Append many events in their order, all in one write or none.",
            Param("events", Many(RECORD_EVENT, 1000, 1, heavy=True), "The events, in their order.",
                cli="--file PATH",
                cli_help="Many events, one JSON record a line; - for standard input."),
            post("/v1/events/batch", "items", status=201, name="record_events")),
        read("events",
            "What happened, by recency, importance, relevance to `query` and affinity, best first. "
            "Further pages strengthen nothing.",
            Param("query", TEXT, "What they should be about.", None, cli="QUERY"),
            LIMIT.but(http_default=50), _SESSION.but(help="Only of this run."),
            _AGENT.but(help="Only of this agent."),
            Param("event_type", NAME, "Only events of this type.", None, cli="--type TYPE"), SINCE,
            UNTIL,
            Param("current_session", NAME, "The session that asks.", None,
                cli="--current-session ID", also="its events come nearest"),
            EXPLAIN, TOUCH, get("/v1/events", "page", name="list_events"),
            post("/v1/events/search", "page", name="search_events",
                says="The same, with a body.")),
        write("end_session", "End a session: what was said in it becomes one source.",
            Param("session_id", NAME, "The session.", cli="ID", example="run-7"),
            Param("agent_id", Text(500, 0), "Which agent it was.", "", cli="--agent ID",
                also="where several have a session of that id"),
            post("/v1/sessions/{session_id}/end", bare=True)),
        read("replay", "What agents recorded beyond a position, in the order of the ledger.",
            Param("after", Whole(0, 2**63 - 1), "Beyond this position; 0 is the beginning.", None,
                cli="--after SEQ"),
            _CONSUMER.but(help="Go on where this consumer stands.", default=None, cli="--consumer NAME"),
            LIMIT.but(default=100), get("/v1/ledger", "items", name="read_ledger")),
        write("advance", "Let a consumer of your own naming have handled the ledger up to a position.",
            _CONSUMER,
            Param("seq", Whole(0, 2**63 - 1), "The position of the last event that it handled.",
                cli="SEQ", example=120),
            put("/v1/consumers/{consumer}", model="Handled")),
        read("lag", "How far projection and enrichment are behind what was recorded.",
            get("/v1/lag")),
    ),
)
