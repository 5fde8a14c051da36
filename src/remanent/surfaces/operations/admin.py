"""Operations for whoever keeps the whole memory: users, keys, work for all, how it is."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.shared import DRY_RUN, NAME
from remanent.surfaces.operations.teams import AUDIT_PARAMS
from remanent.surfaces.operations.words import (
    Choice,
    Group,
    Json,
    Many,
    Moment,
    Param,
    Text,
    delete,
    get,
    keep,
    post,
)
from remanent.surfaces.operations.work import OFFLINE, RUNNING, SINCE_DAY, SLEEP_PARAMS, WORK_PARAMS

# fmt: off
POWER: Final = Choice(("read", "write", "manage"), "Power")
_USER: Final = Param("user_id", NAME, "A user id.", cli="ID")


ADMIN: Final = Group(
    tag="keeping",
    ops=(
        keep("users", "Everyone registered here.", get("/v1/users", "page", id="user_id")),
        keep(
            "user",
            "Register a user, or update name and time zone where given.",
            _USER,
            Param("name", Text(500, 0), "The user's full name.", None, cli="--name TEXT"),
            Param("timezone", Text(100, 0), "Time zone, like Europe/Oslo; default: UTC.", None,
                cli="--timezone ZONE",
                cli_help="Time zone, like Europe/Oslo; default: this machine's.",
                example="Europe/Oslo"),
            post("/v1/users", "Registered", status=201, model="Register", name="register"),
            python=("create",),
        ),
        keep("erase_user",
            "Erase a user and all that is theirs, for good, with a signed list of what went.",
            _USER, DRY_RUN, delete("/v1/users/{user_id}"), python=("progress",)),
        keep("work", "Do what is due for all users, for as long as a request may take.",
            *WORK_PARAMS, post("/v1/all/work", bare=True), python=RUNNING),
        keep("sleep", "Do every job of the night that is due, for all users.", *SLEEP_PARAMS,
            post("/v1/all/sleep", "items", bare=True), python=RUNNING),
        keep("schedule", "Promise, for all users, the sleep that is due.",
            post("/v1/all/timetable/schedule", "Waits")),
        keep("spending", "What each user's mind cost.", *SINCE_DAY,
            get("/v1/all/spending", "Accounts")),
        keep("audit",
            "What everybody did about teams, keys and whole memories; go on with `after`.",
            *AUDIT_PARAMS, get("/v1/all/audit", "items")),
        keep("doctor", "Look at mind, embedder, stores, clock, disk and work, and say what to do.",
            OFFLINE, get("/v1/doctor", "Doctored")),
        keep("ready", "As `/readyz`, in words.", get("/v1/ready", "Doctored")),
        keep("embedding",
            "Which embedder this memory has, and how far it is on the way to another.",
            get("/v1/embedding")),
        keep(
            "reembed",
            "Promise to go over to another embedder, by name; `work` does it, and switches.",
            Param("embedder", NAME,
                "granite, openai:MODEL, sentence-transformers:MODEL or fastembed:MODEL.",
                cli="NAME"),
            post("/v1/embedding"),
            python=("progress", "background"),
        ),
        keep("stop_reembedding",
            "Stay with the embedder in use, and drop what was made for another.",
            delete("/v1/embedding", "removed")),
        keep(
            "verify_erasure",
            "Whether a list of what was erased is one that this memory has signed.",
            Param("certificate", Json(), "What an erasure was answered with.", cli="FILE",
                cli_help="The paper, as JSON."),
            post("/v1/erasures/verify", "Verdict", model="Certificate"),
        ),
        keep(
            "create_key",
            "Make a key, never a stronger one than one's own. Its secret is in the answer, and nowhere else; "
            "so no Idempotency-Key is taken.",
            Param("user_id", NAME, "Whose key; null, with a service's key: a service's.", cli=None,
                http_default=None),
            Param("name", NAME, "What to call the key.", cli="NAME"),
            Param("powers", Many(POWER, 3, 1), "{values}; default: read and write.",
                ("read", "write"), cli="--power POWER"),
            Param("team", NAME, "Let it see this team's things only.", None, cli="--team ID"),
            Param("expires_at", Moment(), "When it runs out; default: never.", None,
                cli="--expires DATE"),
            post("/v1/keys", status=201, whom="anyone"),
            form="With the key of a user, a key for that user; with a service's, for anyone.",
        ),
        keep("keys", "All keys, or those of one's own; revoked ones as well, oldest first.",
            get("/v1/keys", "page", id="key_id", whom="anyone")),
        keep("revoke_key", "Make a key worth nothing, at once and for good.",
            Param("key_id", NAME, "The id of a key, from `key list`.", cli="KEY"),
            delete("/v1/keys/{key_id}", whom="anyone")),
    ),
)
