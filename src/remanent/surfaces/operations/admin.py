"""Operations on teams, on work and sleep, and for whoever runs the whole memory: users, keys, health."""

from __future__ import annotations

from typing import Final

# fmt: off
from remanent.surfaces.operations.schema import (  # isort: skip
    DRY_RUN, LIMIT, NAME, SOURCE, TEAM, Choice, Day, Flag, Group, Json, Many, Moment, Null, OneOf,
    Param, Text, Whole, delete, get, keep, manage, patch, post, put, read, write,
)

ROLE: Final = Choice(("member", "admin", "owner"), "Role")
AUDIT_PARAMS: Final = (
    Param("after", Whole(0, 1 << 53), "Only deeds beyond this number.", 0, cli="--after NUMBER"),
    LIMIT.but(default=100),
)
_WHO: Final = Param("user_id", NAME, "A user id.", cli="WHO", example="tom")
_INVITATION: Final = Param("invitation_id", NAME, "The id of an invitation, from `team list`.",
    cli="INVITATION", example="inv-1")
_SETTINGS: Final = Param("settings", Json(100), "Whatever you keep with it.", None, cli=None)
_ONE_TEAM: Final = TEAM.but(type=OneOf((NAME, Null())),
    help="A team of yours: its name or id; null: no team in particular.", cli_default=None)

TEAMS: Final = Group(
    tag="teams",
    says="Who shares what: teams, members, invitations and what was done in them.",
    ops=(
        manage("create_team", "Make a team, and be its owner.",
            Param("name", NAME, "What to call the team.", cli="NAME", example="The band"),
            Param("team_id", NAME, "Its id; default: made up.", None, cli="--id ID", example="band"),
            _SETTINGS.but(http_default={}), post("/v1/teams", status=201)),
        read("teams", "The teams this user is in, with their place in each.",
            get("/v1/teams", "items")),
        manage("set_primary_team", "Say which of one's teams comes first, or that none does.",
            _ONE_TEAM, put("/v1/teams/primary", model="ChooseTeam")),
        manage("set_active_team",
            "See only this one of one's teams from now on; none in particular: all of them.",
            _ONE_TEAM, put("/v1/teams/active", model="ChooseTeam")),
        manage("change_team", "Give a team another name, or other settings.", TEAM,
            Param("name", NAME, "What to call it from now on.", None, cli="NAME", cli_default=...),
            _SETTINGS, patch("/v1/teams/{team}")),
        manage("delete_team", "End a team that holds no sources any more.", TEAM,
            delete("/v1/teams/{team}", "removed")),
        read("members", "Who is in a team, in order of joining.", TEAM,
            get("/v1/teams/{team}/members", "items")),
        manage("change_role", "Make a member owner, admin or member.", TEAM, _WHO,
            Param("role", ROLE, "{values}.", cli="ROLE"),
            put("/v1/teams/{team}/members/{user_id}")),
        manage("remove_member", "Put somebody out of a team; they lose all that it shares.", TEAM,
            _WHO, delete("/v1/teams/{team}/members/{user_id}", "removed")),
        manage("leave_team",
            "Leave a team, and lose all that it shares. The last one to leave ends it.", TEAM,
            post("/v1/teams/{team}/leave", "removed")),
        write("adopt", "Promise that every source of a team is read for this user.", TEAM,
            post("/v1/teams/{team}/adopt", "AdoptionPromise")),
        manage("invite", "Invite somebody by their user id. They need not be registered yet.", TEAM,
            _WHO, Param("role", ROLE, "{values}.", "member", cli="--role ROLE"),
            post("/v1/teams/{team}/invitations", status=201, name="invite_member")),
        read("invitations",
            "Invitations that wait for this user's answer, or those into a team that this user tends.",
            TEAM.but(help="Those into this team.", default=None), get("/v1/invitations", "items")),
        manage("accept", "Accept an invitation: be in the team, and see what it shares.",
            _INVITATION, post("/v1/invitations/{invitation_id}/accept")),
        manage("decline", "Decline an invitation.", _INVITATION,
            post("/v1/invitations/{invitation_id}/decline")),
        manage("revoke_invitation", "Take back an invitation that was not answered yet.",
            _INVITATION, delete("/v1/invitations/{invitation_id}")),
        manage("audit",
            "What this user did about teams, or what was done in a team that they tend; go on with "
            "`after`, the `seq` of the last.",
            TEAM.but(help="What was done in this team; for its owners and admins.", default=None,
                cli="--team ID"),
            *AUDIT_PARAMS, get("/v1/audit", "items")),
    ),
)

_BLOCKED: Final = _WHO.but(help="The id of another user.", http_name="user_id")
_SHARED: Final = SOURCE.but(help="The key of somebody else's source, or the beginning of one.")

CONSENTS: Final = Group(
    tag="consents",
    says="What others put before a user: accept it, decline it, hide it, block whoever sent it.",
    ops=(
        read("waiting",
            "Sources of others that name this user as a participant and wait for an answer, newest "
            "first. Till then nothing else of them is seen.",
            LIMIT.but(default=100), get("/v1/waiting", "items")),
        write("accept_source", "Accept to be named in somebody's source, and read it from now on.",
            _SHARED.but(mcp=True), post("/v1/waiting/{key}/accept")),
        write("decline_source", "Decline to be named in somebody's source; they are not told.",
            _SHARED, post("/v1/waiting/{key}/decline")),
        write("hide",
            "Take somebody else's source out of this user's memory, with all that came of it; nobody "
            "else notices.",
            _SHARED, post("/v1/sources/{key}/hide")),
        write("unhide", "See a hidden source again.", _SHARED, post("/v1/sources/{key}/unhide")),
        read("hidden", "The sources that this user hides, newest first.",
            get("/v1/hidden", "items")),
        write("block", "Decline all that another user names this one in, now and from now on.",
            _BLOCKED, put("/v1/blocks/{user_id}", "Changed", name="block_user")),
        write("unblock", "Let a blocked user ask again; what was declined stays so.", _BLOCKED,
            delete("/v1/blocks/{user_id}", "removed", name="unblock_user")),
        read("blocked", "The ids of those who are blocked, in order.", get("/v1/blocks", "items")),
    ),
)


# fmt: off
_JOB: Final = Param("key", NAME, "As `jobs list` shows it; the beginning is enough.", cli="KEY",
    cli_default=None)
WORK_PARAMS: Final = (
    Param("limit", Whole(1, 100_000), "Stop after so many jobs.", None, cli="--limit -n N"),
)
SLEEP_PARAMS: Final = (
    Param("until", Moment(),
        "Make up for every night up to then, one by one, and not only the last missed.", None,
        cli="--until DATE"),
    Param("only", Many(Choice((), "SleepJob"), 20), "This job, due or not.", (), cli="--only JOB"),
    DRY_RUN,
)
SINCE_DAY: Final = (
    Param("since", Day(), "From that day (UTC) on; default: all.", None, cli="--since DATE"),
)
RUNNING: Final = ("progress", "stop")

WORK: Final = Group(
    tag="work",
    says="What is done in the background: jobs, nights, and what they cost.",
    ops=(
        write("work",
            "Do what is due for this user, here and now, for as long as a request may take; ask again "
            "for more. With `Accept: text/event-stream` each job is told as it is done, for as long as it "
            "takes.",
            *WORK_PARAMS, post("/v1/work", bare=True, once=False, streams=True), python=RUNNING),
        write("sleep",
            "Do every job of the night that is due; `stopped` ones are left for the next time. With "
            "`Accept: text/event-stream` each is told as it begins.",
            *SLEEP_PARAMS, post("/v1/sleep", bare=True, once=False, streams=True), python=RUNNING),
        read("timetable",
            "Every job of the night: when, up to when it was done, and when it is due.",
            get("/v1/timetable", "items", name="get_timetable")),
        write("schedule", "Promise the sleep that is due, for `work` to do.",
            post("/v1/timetable/schedule", "SchedulePromise", once=False,
                name="schedule_sleep")),
        read("jobs", "Work for this user, oldest first.",
            Param("states", Many(Choice(("ready", "running", "done", "parked"), "JobState"), 4),
                "Only {values}.", (), cli="--state -s STATE",
                cli_help="Only {values}; default: all but done.", http_name="state"),
            LIMIT.but(default=100, http_default=50, cli_default=50), get("/v1/jobs", "Jobs"),
            get("/v1/jobs/stream", "stream", name="stream_jobs",
                says="This user's unfinished jobs, each told again whenever it changes. Ends when the "
                "caller goes, or with `until_idle` when nothing is ready or running any more.")),
        write("retry_job", "Give a parked job all its attempts again.", _JOB,
            post("/v1/jobs/{key}/retry")),
        write("drop_job",
            "Take a job that is not done away for good, a running one too; what it worked on stays as it is.",
            _JOB,
            delete("/v1/jobs/{key}")),
        read("status",
            "How much is known, and what is still to be done. Where the file is stays the server's.",
            get("/v1/status")),
        read("spending", "Calls, tokens and money by day (UTC), job, task and model.", *SINCE_DAY,
            get("/v1/spending")),
    ),
)
HEALTH: Final = Group(
    tag="health",
    says="Signs of life, and numbers for whoever watches.",
    ops=(
        keep("metrics", "Numbers of all users together, in the text format of Prometheus.",
            get("/metrics", "text")),
    ),
)
OFFLINE: Final = Param("offline", Flag(), "Send nothing: do not ask the language model.", False,
    cli="--offline")
DEEP: Final = Param("deep", Flag(),
    "Decode every row and compare raw texts with their digests: reads all there is.", False,
    cli="--deep")


# fmt: off
POWER: Final = Choice(("read", "write", "manage"), "Power")
_USER: Final = Param("user_id", NAME, "A user id.", cli="ID", example="ada")


ADMIN: Final = Group(
    tag="admin",
    says="The whole memory, for whoever runs it: users, keys, health, the embedder.",
    ops=(
        keep("users", "Everyone registered here.", get("/v1/users", "page", id="user_id")),
        keep("user", "Register a user, or update name and time zone where given.", _USER,
            Param("name", Text(500, 0), "The user's full name.", None, cli="--name TEXT",
                example="Ada Lindqvist"),
            Param("timezone", Text(100, 0), "Time zone, like Europe/Oslo; default: UTC.", None,
                cli="--timezone ZONE",
                cli_help="Time zone, like Europe/Oslo; default: this machine's.",
                example="Europe/Oslo"),
            post("/v1/users", "Registered", status=201, model="Register", name="register_user"),
            python=("create",)),
        keep("erase_user",
            "Erase a user and all that is theirs, for good, with a signed list of what went.",
            _USER, DRY_RUN, delete("/v1/users/{user_id}"), python=("progress",)),
        keep("work", "Do what is due for all users, for as long as a request may take.",
            *WORK_PARAMS, post("/v1/all/work", bare=True), python=RUNNING),
        keep("sleep", "Do every job of the night that is due, for all users.", *SLEEP_PARAMS,
            post("/v1/all/sleep", "items", bare=True), python=RUNNING),
        keep("schedule", "Promise, for all users, the sleep that is due.",
            post("/v1/all/timetable/schedule", "SchedulePromise")),
        keep("spending", "What each user's mind cost.", *SINCE_DAY,
            get("/v1/all/spending", "Accounts")),
        keep("audit",
            "What everybody did about teams, keys and whole memories; go on with `after`.",
            *AUDIT_PARAMS, get("/v1/all/audit", "items")),
        keep("doctor", "Look at mind, embedder, stores, clock, disk and work, and say what to do.",
            OFFLINE, DEEP, get("/v1/doctor", "DoctorReport", name="run_doctor")),
        keep("ready", "As `/readyz`, in words.", get("/v1/ready", "DoctorReport", name="check_ready")),
        keep("embedding",
            "Which embedder this memory has, and how far it is on the way to another.",
            get("/v1/embedding")),
        keep("reembed",
            "Promise to go over to another embedder, by name; `work` does it, and switches.",
            Param("embedder", NAME,
                "builtin, openai:MODEL, sentence-transformers:MODEL or fastembed:MODEL.",
                cli="NAME", example="builtin"),
            post("/v1/embedding", name="change_embedder"), python=("progress", "background")),
        keep("stop_reembedding",
            "Stay with the embedder in use, and drop what was made for another.",
            delete("/v1/embedding", "removed")),
        keep("verify_erasure",
            "Whether a list of what was erased is one that this memory has signed.",
            Param("certificate", Json(), "What an erasure was answered with.", cli="FILE",
                cli_help="The paper, as JSON."),
            post("/v1/erasures/verify", "Verdict", model="Certificate", power="read",
                audience="anyone")),
        keep("create_key",
            "Make a key, never a stronger one than one's own. Its secret is in the answer, and nowhere else; "
            "so no Idempotency-Key is taken.",
            Param("user_id", NAME, "Whose key; null, with a service's key: a service's.", cli=None,
                http_default=None),
            Param("name", NAME, "What to call the key.", cli="NAME", example="laptop"),
            Param("powers", Many(POWER, 3, 1), "{values}; default: read and write.",
                ("read", "write"), cli="--power POWER"),
            Param("team", NAME, "Let it see this team's things only.", None, cli="--team ID"),
            Param("expires_at", Moment(), "When it runs out; default: never.", None,
                cli="--expires DATE"),
            post("/v1/keys", status=201, audience="anyone"),
            form="With the key of a user, a key for that user; with a service's, for anyone."),
        keep("keys", "All keys, or those of one's own; revoked ones as well, oldest first.",
            get("/v1/keys", "page", id="key_id", audience="anyone")),
        keep("revoke_key", "Make a key worth nothing, at once and for good.",
            Param("key_id", NAME, "The id of a key, from `key list`.", cli="KEY", example="k7f3"),
            delete("/v1/keys/{key_id}", audience="anyone")),
    ),
)
