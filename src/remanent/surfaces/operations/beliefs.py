"""Operations on beliefs: hold, recall, explain, keep in order."""

from __future__ import annotations

from typing import Any, Final

from remanent.surfaces.operations.common import (
    BELIEF,
    DRY_RUN,
    EXPLAIN,
    LIMIT,
    NAME,
    QUERY,
    TEXT,
    THE_PAST,
    TOUCH,
    TURN,
)
from remanent.surfaces.operations.words import (
    Flag,
    Group,
    Many,
    Moment,
    Param,
    Real,
    Text,
    get,
    post,
    read,
    write,
)

_BARE: Final[dict[str, Any]] = {"model": "DryRunning", "bare": True}

BELIEFS: Final = Group(
    tag="beliefs",
    ops=(
        write(
            "remember",
            "Hold a statement true, and settle it against what is believed.",
            Param(
                "text",
                TEXT,
                "One statement, as plain as can be.",
                cli="TEXT",
                cli_help="One statement, like 'Maria lives in Bergen.'",
                mcp=True,
                example="I moved to Oslo.",
            ),
            Param(
                "at",
                Moment(),
                "From when on it is so; default: now.",
                None,
                cli="--at DATE",
                mcp=True,
            ),
            Param(
                "event_id", NAME, "Your own id: the same id again changes nothing.", None, cli=None
            ),
            post("/v1/remember"),
            form="A statement to hold true.",
        ),
        read(
            "recall",
            "Beliefs that come to mind, best first. What is recalled is strengthened.",
            QUERY.but(example="Where do I live?"),
            LIMIT,
            EXPLAIN,
            TOUCH.but(help="Whether what comes to mind is strengthened."),
            *THE_PAST,
            post("/v1/recall", "Recollections"),
            get(
                "/v1/recall",
                "Recollections",
                name="recall_simply",
                says="The same, by the address alone.",
            ),
        ),
        read(
            "beliefs",
            "What is held true now, or was at `as_of`; most important first.",
            *THE_PAST,
            get("/v1/beliefs", "page"),
        ),
        read(
            "reflect",
            "What is believed twice, what contradicts itself and what has faded. Changes nothing.",
            get("/v1/beliefs/reflection"),
            python=("progress",),
        ),
        read(
            "contradictions",
            "Beliefs that cannot both be so.",
            Param(
                "resolve",
                Flag(),
                "Settle them: the newer takes the older's place.",
                False,
                http_default=True,
            ),
            DRY_RUN,
            get("/v1/beliefs/contradictions", only=()),
            post(
                "/v1/beliefs/contradictions",
                model="Resolve",
                name="settle",
                power="write",
                says="Let the newer of two beliefs that cannot both be so take the older one's place.",
            ),
            python=("progress",),
        ),
        read(
            "export_beliefs",
            "All beliefs of every status, with their trail, as JSON lines.",
            Param(
                "path",
                TEXT,
                "Where to; - is standard output.",
                cli="PATH",
                cli_default="-",
                http=False,
            ),
            get("/v1/beliefs/export", "lines"),
        ),
        write(
            "import_beliefs",
            "Take in exported beliefs that are not here yet; one bad line, and nothing comes in.",
            Param(
                "path", TEXT, "What `export` wrote; - is standard input.", cli="PATH", http=False
            ),
            DRY_RUN,
            post("/v1/beliefs/import", takes="application/jsonl"),
            python=("progress",),
        ),
        write(
            "merge_beliefs",
            "Make one belief of each group that says the same.",
            DRY_RUN,
            post("/v1/beliefs/merge", **_BARE),
            python=("progress",),
        ),
        write(
            "synthesize",
            "Draw a principle from beliefs of one subject that belong together.",
            DRY_RUN,
            post("/v1/beliefs/synthesize", **_BARE),
            python=("progress",),
        ),
        write(
            "prune",
            "Let go of beliefs with little effective confidence left.",
            Param(
                "threshold",
                Real(),
                "Let go of what has less left; default: 0.05.",
                None,
                cli="--threshold X",
            ),
            DRY_RUN,
            post("/v1/beliefs/prune", bare=True),
        ),
        write(
            "backfill_subjects",
            "File beliefs that stand under the owner by default under whom they are about.",
            DRY_RUN,
            post("/v1/beliefs/subjects", **_BARE),
            python=("progress",),
        ),
        write(
            "consolidate",
            "Keep what a conversation of four turns or more leaves behind.",
            Param(
                "turns",
                Many(TURN, 10_000, 1, heavy=True),
                "The conversation, turn by turn.",
                cli="PATH",
                cli_help="Turns as .json or .jsonl, or a transcript; - is standard input.",
            ),
            Param("session_id", Text(500, 0), "The session it belongs to.", "", cli="--session ID"),
            Param("at", Moment(), "When it took place.", None, cli="--at DATE"),
            DRY_RUN,
            post("/v1/consolidate"),
            form="A conversation of four turns or more.",
        ),
        read(
            "read",
            "One belief with the episodes behind it. Looking is an access.",
            BELIEF,
            get("/v1/beliefs/{key}", "Opened", name="belief"),
        ),
        read(
            "why",
            "The episodes behind a belief, oldest first, in the words of the source.",
            BELIEF,
            get("/v1/beliefs/{key}/why", "items"),
        ),
        read(
            "history",
            "All that a belief replaced or gave way to, oldest first.",
            BELIEF,
            get("/v1/beliefs/{key}/history"),
        ),
        write(
            "restate",
            "Put one belief in other words. It stays the same belief.",
            BELIEF,
            Param("statement", TEXT, "What it says from now on.", cli="STATEMENT"),
            DRY_RUN,
            post("/v1/beliefs/{key}/restate"),
        ),
        write(
            "forget",
            "Put one belief out of mind, for good. Its trail stays; to leave none, erase it.",
            BELIEF,
            Param(
                "reason",
                Text(2000, 0),
                "Why, for its history.",
                "",
                cli="--reason TEXT",
                mcp=Text(500, 0),
            ),
            DRY_RUN,
            post("/v1/beliefs/{key}/forget", bare=True),
        ),
    ),
)
