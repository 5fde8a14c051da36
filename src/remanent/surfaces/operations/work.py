"""Operations on work: do it, watch it, sleep; and how a memory is."""

from __future__ import annotations

from typing import Final

from remanent.surfaces.operations.shared import DRY_RUN, LIMIT, NAME
from remanent.surfaces.operations.words import (
    Choice,
    Day,
    Flag,
    Group,
    Many,
    Moment,
    Param,
    Whole,
    delete,
    get,
    keep,
    post,
    read,
    write,
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
    ops=(
        write(
            "work",
            "Do what is due for this user, here and now, for as long as a request may take; ask again "
            "for more. With `Accept: text/event-stream` each job is told as it is done, for as long as it "
            "takes.",
            *WORK_PARAMS,
            post("/v1/work", bare=True, once=False, streams=True),
            python=RUNNING,
        ),
        write(
            "sleep",
            "Do every job of the night that is due; `stopped` ones are left for the next time. With "
            "`Accept: text/event-stream` each is told as it begins.",
            *SLEEP_PARAMS,
            post("/v1/sleep", bare=True, once=False, streams=True),
            python=RUNNING,
        ),
        read("timetable",
            "Every job of the night: when, up to when it was done, and when it is due.",
            get("/v1/timetable", "items")),
        write("schedule", "Promise the sleep that is due, for `work` to do.",
            post("/v1/timetable/schedule", "Waits", once=False)),
        read(
            "jobs",
            "Work for this user, oldest first.",
            Param("states", Many(Choice(("ready", "running", "done", "parked"), "JobState"), 4),
                "Only {values}.", (), cli="--state -s STATE",
                cli_help="Only {values}; default: all but done.", http_name="state"),
            LIMIT.but(default=100, http_default=50, cli_default=50),
            get("/v1/jobs", "Jobs"),
            get(
                "/v1/jobs/stream",
                "stream",
                name="stream_jobs",
                says="This user's unfinished jobs, each told again whenever it changes. Ends when the "
                "caller goes, or with `until_idle` when nothing is ready or running any more.",
            ),
        ),
        write("retry_job", "Give a parked job all its attempts again.", _JOB,
            post("/v1/jobs/{key}/retry")),
        write("drop_job",
            "Take a parked or ready job away for good; what it worked on stays as it is.", _JOB,
            delete("/v1/jobs/{key}")),
        read(
            "status",
            "How much is known, and what is still to be done. Where the file is stays the server's.",
            get("/v1/status"),
        ),
        read("spending", "Calls, tokens and money by day (UTC), job, task and model.", *SINCE_DAY,
            get("/v1/spending")),
    ),
)
HEALTH: Final = Group(
    tag="health",
    ops=(
        keep("metrics", "Numbers of all users together, in the text format of Prometheus.",
            get("/metrics", "text")),
    ),
)
OFFLINE: Final = Param("offline", Flag(), "Send nothing: do not ask the language model.", False,
    cli="--offline")
