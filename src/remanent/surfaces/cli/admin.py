"""Commands for whoever runs a memory: users, keys, the audit log, leaks, spending, health, the embedder."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from remanent.surfaces.cli.commands import YES, command, confirm, forward
from remanent.surfaces.cli.session import FAILED, Session, needing
from remanent.surfaces.cli.work import ALL_USERS
from remanent.surfaces.operations import operation
from remanent.surfaces.operations.schema import Flag, Param, Whole

if TYPE_CHECKING:
    from remanent.core.records.admin import Diagnosis, Embedding, Finding
    from remanent.errors import RemanentError
    from remanent.memory import Memory

# fmt: off
_CREATE = (
    Param("service", Flag(), "For any user, not only for the one of --user.", False),
    operation("create_key", "Memory").param("expires_at"),
)
# fmt: on


users = forward(
    "users", "teams.users", record="users", face="Memory", says="Who is registered in this memory."
)


@command("spending", ALL_USERS)
def spending(session: Session, *, all_users: bool, **given: Any) -> None:
    """What a language model was asked and what it cost, by day, job, task and model.

    Days are those of UTC, and so is the day of a budget. The offline mind costs nothing.
    """
    accounts = session.memory.spending(**given) if all_users else [session.me.spending(**given)]
    session.show({"spending": accounts}, "admin.accounts", accounts, named=all_users)


@command("doctor", face="Memory")
def doctor(session: Session, *, offline: bool, deep: bool) -> None:
    """Look at mind, embedder, stores, clock, disk and work, and say what to do.

    A language model is asked for one word. Ends with exit code 1 if anything fails.
    """
    with session.screen.busy("Looking"):
        diagnosis = _diagnosis(session, offline=offline, deep=deep)
    record = {"sound": diagnosis.is_sound, "findings": diagnosis.findings}
    session.show(record, "admin.diagnosis", diagnosis)
    if not diagnosis.is_sound:
        raise Exit(FAILED)


@command("metrics", face="Memory")
def metrics(session: Session) -> None:
    """Numbers of all users together, in the text format of Prometheus."""
    text = session.memory.metrics()
    session.screen.raw({"metrics": text}, text)


def _diagnosis(session: Session, *, offline: bool, deep: bool) -> Diagnosis:
    """What a doctor finds; a memory that cannot be opened as the settings say is a finding, too."""
    from remanent.core.records.admin import Diagnosis
    from remanent.errors import ConfigError, RemanentError
    from remanent.surfaces.cli.errors import NoMemory

    try:
        return session.memory.doctor(offline=offline, deep=deep)
    except NoMemory:
        raise
    except RemanentError as problem:
        rest: tuple[Finding, ...] = ()
        if isinstance(problem, ConfigError) and problem.field.startswith("mind"):
            rest = _findings_without_mind(session)
        return Diagnosis(findings=(_finding(problem), *rest))


def _findings_without_mind(session: Session) -> tuple[Finding, ...]:
    """The rest of a memory whose mind cannot be had."""
    from remanent.memory import Memory

    with Memory.open(dataclasses.replace(session.config, mind="offline")) as memory:
        findings = memory.doctor(offline=True).findings
        return tuple(finding for finding in findings if finding.part != "mind")


def _finding(problem: RemanentError) -> Finding:
    from remanent.core.records.admin import Finding, Level
    from remanent.errors import ConfigError, EmbedderError, StoreError
    from remanent.surfaces.cli.errors import explain

    part = "memory"
    if isinstance(problem, ConfigError):
        part = "mind" if problem.field.startswith("mind") else "settings"
    elif isinstance(problem, EmbedderError):
        part = "embedder"
    elif isinstance(problem, StoreError):
        part = "stores"
    advice = explain(problem, "doctor")
    return Finding(part=part, level=Level.FAIL, told=advice.message, remedy=advice.hint)


# -- keys and the audit log ---------------------------------------------------------------------


@command("create_key", *_CREATE, face="Memory")
def create(session: Session, *, service: bool, expires_at: str | None, **given: Any) -> None:
    """Make an API key. Its secret is shown this once."""
    from remanent.surfaces.cli.inputs import moment

    ends = None if expires_at is None else moment("--expires", expires_at, session.local_zone)
    whose = None if service else session.me.user_id
    key = session.memory.create_key(whose, expires_at=ends, **given)
    session.show(key, "teams.new_key", key, zone=session.local_zone)


@command("revoke_key", YES, face="Memory")
def revoke(session: Session, *, key_id: str, yes: bool) -> None:
    """Make an API key worth nothing, at once and for good."""
    confirm(session, f"Revoke the key {key_id}? It cannot be brought back.", yes=yes)
    key = session.memory.revoke_key(key_id)
    session.show({"key": key}, "teams.revoked_key", key)


# fmt: off
KEY = (
    create,
    forward("keys", "teams.keys", name="list", record="keys", face="Memory",
        says="All API keys, revoked ones as well. Secrets are not known."),
    revoke,
)
# fmt: on


@command("audit", Param("mine", Flag(), "Only what the user of --user did.", False))
def log(session: Session, *, mine: bool, team: str | None = None, **given: Any) -> None:
    """Who did what to teams, keys and whole memories, and who was refused.

    Without --mine and --team it is everybody's: whoever runs the memory may see that.
    """
    own = mine or team is not None
    entries = session.me.audit(team, **given) if own else session.memory.audit(**given)
    session.show({"deeds": entries}, "teams.audit", entries, zone=session.local_zone)


def _dice(calls: int, users: int, teams: int) -> tuple[Param, ...]:
    """What a hunt takes, and how much of it is usual."""
    return (
        Param("calls", Whole(1), "So many random calls.", calls, cli="--calls N"),
        Param("users", Whole(2), "So many users.", users, cli="--users N"),
        Param("teams", Whole(1), "So many teams, all of one name.", teams, cli="--teams N"),
        Param("seed", Whole(), "Which dice.", 1, cli="--seed N"),
        Param("no_server", Flag(), "Ask from Python alone, not over HTTP and MCP.", False),
    )


@command("", *_dice(10_000, 50, 10))
def leaks(session: Session, *, no_server: bool, **plan: int) -> None:
    """Look for leaks: can anybody learn what they may not know, by any way of asking?

    Makes a temporary memory with made-up users whose secrets are known, asks it in every way there is
    while people join, leave and are forgotten, and reads every answer. Your own memory is not touched.
    """
    _hunt(session, "leaks", plan, no_server=no_server)


@command("", *_dice(1_000, 12, 2))
def integrity(session: Session, *, no_server: bool, **plan: int) -> None:
    """Look for tampering: can anybody change what somebody else believes, sees or is told?

    Makes a temporary memory with made-up users who lie about one another in every way there is, over every
    surface, and compares what the others hold and hear. Your own memory is not touched.
    """
    _hunt(session, "integrity", plan, no_server=no_server)


def _hunt(session: Session, name: str, plan: dict[str, int], *, no_server: bool) -> None:
    """A hunt, which is of another distribution, and what it saw; whatever it found is a failure."""
    import importlib

    with needing("remanent-conformance", "audit"):
        hunts = importlib.import_module("remanent_conformance.hunts.command")
    with needing("remanent[server]", "server", ", or ask with --no-server"):
        hunt = hunts.prepared(name, plan, server=not no_server)
    with session.screen.bar("Hunting") as bar:
        report = hunt(tell=session.screen.warn, progress=lambda done, total: bar(done / total))
    seen = {one.name: getattr(report, one.name) for one in dataclasses.fields(report)}
    session.show(seen, "admin.hunted", report.summary, report.findings)
    if not report.is_clean:
        raise Exit(FAILED)


# -- the embedder -------------------------------------------------------------------------------


@command("embedding", face="Memory")
def embedder(session: Session) -> None:
    """The embedder of this memory, and how far it is on the way to another."""
    state = _memory(session).embedding()
    session.show(_embedding(state), "admin.embedding", state)


_BACKGROUND = Param("background", Flag(), "Only promise it; `remanent work` does it.", False)


@command("reembed", _BACKGROUND, face="Memory")
def use(session: Session, *, embedder: str, background: bool) -> None:
    """Go over to another embedder: embed everything anew, then switch at once.

    Search goes on with the old vectors meanwhile. What was broken off is gone on with.
    """
    memory = _memory(session)
    if background:
        state = memory.reembed(embedder, background=True)
    else:
        with session.screen.bar("Embedding") as share:
            state = memory.reembed(embedder, progress=share)
    session.show(_embedding(state), "admin.embedding", state, new=embedder)


@command("stop_reembedding", face="Memory")
def stay(session: Session) -> None:
    """Stay with the embedder in use, and drop what was made for another."""
    dropped = _memory(session).stop_reembedding()
    session.show({"dropped": dropped}, "admin.embedding_stop", dropped)


EMBEDDER = (use, stay)


def _embedding(state: Embedding) -> dict[str, Any]:
    return {**dataclasses.asdict(state), "share": round(state.share, 4)}


def _memory(session: Session) -> Memory:
    """The memory with the embedder that it has, whatever the settings say: that is the question."""
    from remanent.errors import EmbedderMismatch

    try:
        return session.memory
    except EmbedderMismatch as problem:
        session.config = dataclasses.replace(session.config, embedder=problem.theirs)
        return session.memory
