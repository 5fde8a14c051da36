"""Commands for whoever keeps a memory: users, keys, what was done, what it costs, how it is."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.agreeing import Yes, insist_agreed
from remanent.surfaces.cli.commands import command, shown
from remanent.surfaces.cli.session import Session
from remanent.surfaces.cli.work import AllUsers

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from remanent.backup.rebuild import Rebuilt
    from remanent.core.records.admin import Diagnosis, Finding
    from remanent.errors import RemanentError
    from remanent.memory import Memory

users = shown(
    "users", "basics.users", record="users", face="Memory", says="Who is registered in this memory."
)


@command("spending")
def spending(session: Session, all_users: AllUsers = False, **given: Any) -> None:
    """What a language model was asked and what it cost, by day, job, task and model.

    Days are those of UTC, and so is the day of a budget. The offline mind costs nothing.
    """
    from remanent.surfaces.cli.views import health

    found = session.memory.spending(**given) if all_users else [session.me.spending(**given)]
    session.screen.answer({"spending": found}, lambda: health.accounts(found, named=all_users))


@command("doctor", face="Memory")
def doctor(session: Session, *, offline: bool) -> None:
    """Look at mind, embedder, stores, clock, disk and work, and say what to do.

    A language model is asked for one word. Ends with exit code 1 if anything fails.
    """
    from remanent.surfaces.cli.errors import FAILED
    from remanent.surfaces.cli.views import health

    with session.screen.busy("Looking"):
        found = _examined(session, offline=offline)
    record = {"sound": found.is_sound, "findings": found.findings}
    session.screen.answer(record, lambda: health.diagnosis(found))
    if not found.is_sound:
        raise typer.Exit(FAILED)


@command("metrics", face="Memory")
def metrics(session: Session) -> None:
    """Numbers of all users together, in the text format of Prometheus."""
    text = session.memory.metrics()
    session.screen.raw({"metrics": text}, text)


def _examined(session: Session, *, offline: bool) -> Diagnosis:
    """What a doctor finds; a memory that cannot be opened as the settings say is a finding, too."""
    from remanent.core.records.admin import Diagnosis
    from remanent.errors import ConfigError, RemanentError
    from remanent.surfaces.cli.errors import NoMemory

    try:
        return session.memory.doctor(offline=offline)
    except NoMemory:
        raise
    except RemanentError as problem:
        finding = _finding(problem)
        rest: tuple[Finding, ...] = ()
        if isinstance(problem, ConfigError) and problem.field.startswith("mind"):
            rest = _without_mind(session)
        return Diagnosis(findings=(finding, *rest))


def _without_mind(session: Session) -> tuple[Finding, ...]:
    """The rest of a memory whose mind cannot be had."""
    import dataclasses

    from remanent.memory import Memory

    with Memory.open(dataclasses.replace(session.config, mind="offline")) as memory:
        return tuple(one for one in memory.doctor(offline=True).findings if one.part != "mind")


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
    told = explain(problem, "doctor")
    return Finding(part=part, level=Level.FAIL, told=told.message, remedy=told.hint)


# -- keys, and what was done --------------------------------------------------------------------


def zone_of() -> ZoneInfo:
    """Of whoever looks on; keys concern everybody, so nobody has to be named."""
    from zoneinfo import ZoneInfo

    from remanent.surfaces.cli.inputs import local_timezone

    return ZoneInfo(local_timezone())


@command("create_key", face="Memory", without=("expires_at",))
def create(
    session: Session,
    service: Annotated[
        bool, typer.Option("--service", help="For any user, not only for the one of --user.")
    ] = False,
    expires: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it runs out. [default: never]")
    ] = None,
    **given: Any,
) -> None:
    """Make an API key. Its secret is shown this once."""
    from remanent.surfaces.cli.inputs import moment
    from remanent.surfaces.cli.views import teams

    ends = None if expires is None else moment("--expires", expires, zone_of())
    whose = None if service else session.me.user_id
    made = session.memory.create_key(whose, expires_at=ends, **given)
    session.screen.answer(made, lambda: teams.new_key(made, zone_of()))


@command("keys", face="Memory")
def list_(session: Session) -> None:
    """All API keys, revoked ones as well. Secrets are not known."""
    from remanent.surfaces.cli.views import teams

    found = session.memory.keys()
    session.screen.answer({"keys": found}, lambda: teams.keys(found, zone_of()))


@command("revoke_key", face="Memory")
def revoke(session: Session, key_id: str, yes: Yes = False) -> None:
    """Make an API key worth nothing, at once and for good."""
    from remanent.surfaces.cli.views import teams

    insist_agreed(session, f"Revoke the key {key_id}? It cannot be brought back.", yes=yes)
    revoked = session.memory.revoke_key(key_id)
    session.screen.answer({"key": revoked}, lambda: teams.revoked(revoked))


KEY = (create, list_, revoke)


@command("audit")
def log(
    session: Session,
    mine: Annotated[bool, typer.Option("--mine", help="Only what the user of --user did.")] = False,
    team: str | None = None,
    **given: Any,
) -> None:
    """Who did what to teams, keys and whole memories, and who was refused.

    Without --mine and --team it is everybody's: whoever runs the memory may see that.
    """
    from remanent.surfaces.cli.views import teams

    if mine or team is not None:
        found = session.me.audit(team, **given)
    else:
        found = session.memory.audit(**given)
    session.screen.answer({"deeds": found}, lambda: teams.deeds(found, zone_of()))


# -- the embedder -------------------------------------------------------------------------------


@command("embedding", face="Memory")
def embedder(session: Session) -> None:
    """The embedder of this memory, and how far it is on the way to another."""
    from remanent.surfaces.cli.views import health

    found = _memory(session).embedding()
    session.screen.answer(health.embedding_record(found), lambda: health.embedding(found))


@command("reembed", face="Memory")
def use(
    session: Session,
    embedder: str,
    background: Annotated[
        bool, typer.Option("--background", help="Only promise it; `remanent work` does it.")
    ] = False,
) -> None:
    """Go over to another embedder: embed everything anew, then switch at once.

    Search goes on with the old vectors meanwhile. What was broken off is gone on with.
    """
    from remanent.surfaces.cli.views import health

    memory = _memory(session)
    if background:
        found = memory.reembed(embedder, background=True)
    else:
        with session.screen.bar("Embedding") as share:
            found = memory.reembed(embedder, progress=lambda one: share(one.share))
    session.screen.answer(
        health.embedding_record(found), lambda: health.embedding(found, asked=embedder)
    )


@command("stop_reembedding", face="Memory")
def stay(session: Session) -> None:
    """Stay with the embedder in use, and drop what was made for another."""
    from remanent.surfaces.cli.views import health

    dropped = _memory(session).stop_reembedding()
    session.screen.answer({"dropped": dropped}, lambda: health.stayed(dropped=dropped))


EMBEDDER = (use, stay)


def _memory(session: Session) -> Memory:
    """The memory with the embedder that it has, whatever the settings say: that is the question."""
    from remanent.errors import EmbedderMismatch

    try:
        return session.memory
    except EmbedderMismatch as problem:
        session.config = dataclasses.replace(session.config, embedder=problem.theirs)
        return session.memory


# -- rebuilding ---------------------------------------------------------------------------------


@command()
def rebuild(
    session: Session,
    mind: Annotated[
        str | None, typer.Option("--mind", metavar="NAME", help="Derive with this mind.")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", metavar="NAME", help="Derive with this embedder.")
    ] = None,
    switch: Annotated[
        bool, typer.Option("--switch", help="Use the new graph from now on, without asking.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Throw away what an earlier rebuild left.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would differ; leave nothing behind.")
    ] = False,
) -> None:
    """Derive all graphs again from the ledger, beside those in use, and show what differs.

    Nothing changes until you switch; search goes on meanwhile. A rebuild that was broken off, or not
    switched to, is gone on with by the next.
    """
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.views import backup as views

    if switch + discard + dry_run > 1:
        raise InvalidInput("switch", "only one of --switch, --discard and --dry-run can be meant")
    screen = session.screen
    if discard:
        gone = session.memory.discard_rebuild()
        screen.answer({"discarded": gone}, lambda: views.discarded(gone=gone))
        return
    with screen.bar("Living through it again") as share:
        rebuilt = session.memory.rebuild(
            mind=mind, embedder=embedder, progress=lambda one: share(one.share), dry_run=dry_run
        )
    with rebuilt:
        if not session.options.json:
            screen.answer({}, lambda: views.differences(rebuilt))
        if switch or _agreed(session, rebuilt):
            with screen.busy("Switching"):
                rebuilt.switch()
        screen.answer(views.record(rebuilt), lambda: views.ending(rebuilt, dry_run=dry_run))


def _agreed(session: Session, rebuilt: Rebuilt) -> bool:
    """Ask, where there is somebody to ask and something to ask about."""
    if session.options.json or not rebuilt.is_open or not rebuilt.changes_anything:
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm("Use the new graph from now on?", default=False)
