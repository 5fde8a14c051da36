"""Commands on backups: write a memory down whole, take one in, rebuild its graphs from the ledger, and
salvage a damaged file."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

from remanent.surfaces.cli.commands import command
from remanent.surfaces.cli.session import Session, invalid
from remanent.surfaces.operations.schema import NAME, TEXT, Flag, Param

if TYPE_CHECKING:
    from remanent.backup.rebuild import Rebuilt
    from remanent.memory import Memory

# fmt: off
_EXPORT = (
    Param("everyone", Flag(), "All users, with teams and memberships.", False, cli="--all"),
    Param("with_answers", Flag(), "What a paid mind answered and cost, too.", True,
        cli="--with-answers/--without-answers"),
)
_REBUILD = (
    Param("mind", NAME, "Derive with this mind.", None, cli="--mind NAME"),
    Param("embedder", NAME, "Derive with this embedder.", None, cli="--embedder NAME"),
    Param("switch", Flag(), "Use the new graph from now on, without asking.", False),
    Param("discard", Flag(), "Throw away what an earlier rebuild left.", False),
    Param("dry_run", Flag(), "Only say what would differ; leave nothing behind.", False),
)
_SALVAGE = (
    Param("old", TEXT, "The damaged memory; nothing in it is changed.", cli="OLD"),
    Param("new", TEXT, "The file to make; it must not be there yet.", cli="NEW"),
)
_MIGRATE = (
    Param("to", TEXT, "A new file, or postgresql://...; nothing else in it.", "", cli="--to PLACE"),
    Param("cancel", Flag(), "Let this memory be written to again, and stay here.", False),
)
# fmt: on


@command("export", *_EXPORT)
def export(session: Session, *, path: str, everyone: bool, with_answers: bool) -> None:
    """Write a memory down whole, as lines of JSON that `import-memory` takes in elsewhere."""
    from remanent.surfaces.cli import inputs

    to_stdout = path == inputs.STDIN
    if to_stdout and session.options.json:
        raise invalid("path", "with --json, name a file: the lines are no single document")
    whose = session.memory if everyone else session.me
    with session.screen.bar("Exporting") as share, _utf8(sys.stdout) as stdout:
        report = whose.export(
            stdout if to_stdout else path, progress=share, with_answers=with_answers
        )
    if not to_stdout:
        fields = ("users", "records", "counts", "elsewhere", "sha256")
        record = {"path": path, **{name: getattr(report, name) for name in fields}}
        session.show(record, "admin.export_report", report, path)


@command("import_memory", face="Memory")
def import_memory(session: Session, path: str, *, dry_run: bool) -> None:
    """Take in a memory that `export` wrote: all of it, or nothing. Its users must not be here yet."""
    from remanent.surfaces.cli import inputs

    is_new = session.path is not None and not session.path.exists()
    memory = _target(session, dry_run=dry_run)
    with (
        _gone_if_refused(session, is_new=is_new),
        session.screen.bar("Importing") as share,
        _utf8(sys.stdin) as stdin,
    ):
        report = memory.import_memory(
            stdin if path == inputs.STDIN else path, progress=share, dry_run=dry_run
        )
    session.show(report, "admin.import_report", report)


@contextmanager
def _gone_if_refused(session: Session, *, is_new: bool) -> Iterator[None]:
    """A file that was made for what did not come in is not left behind."""
    try:
        yield
    except BaseException:
        path = session.path
        if is_new and path and path.exists():
            session.create().close()
            for end in ("", "-wal", "-shm"):
                path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
        raise


@contextmanager
def _utf8(stream: TextIO) -> Iterator[TextIO]:
    """The stream as UTF-8, whatever the terminal speaks: the lines are data, to the last byte."""
    raw = getattr(stream, "buffer", None)
    if raw is None:
        yield stream
        return
    stream.flush()
    exact = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    try:
        yield exact
    finally:
        exact.detach()


def _target(session: Session, *, dry_run: bool) -> Memory:
    """The memory, made if it is new; a dry run makes no file."""
    if session.path is None or session.path.exists() or not dry_run:
        return session.create()
    from dataclasses import replace

    from remanent.config import IN_MEMORY
    from remanent.memory import Memory

    return Memory.open(replace(session.config, memory=IN_MEMORY))


@command("", *_REBUILD)
def rebuild(session: Session, *, switch: bool, discard: bool, dry_run: bool, **names: str) -> None:
    """Derive all graphs again from the ledger, beside those in use, and show what differs.

    Nothing changes until you switch; search goes on meanwhile. A rebuild that was broken off, or not
    switched to, is gone on with by the next.
    """
    if switch + discard + dry_run > 1:
        raise invalid("switch", "only one of --switch, --discard and --dry-run can be meant")
    screen = session.screen
    if discard:
        gone = session.memory.discard_rebuild()
        session.show({"discarded": gone}, "admin.discarded_rebuild", gone)
        return
    with screen.bar("Living through it again") as share:
        rebuilt = session.memory.rebuild(**names, progress=share, dry_run=dry_run)
    with rebuilt:
        if not session.options.json:
            session.show({}, "admin.differences", rebuilt)
        if switch or _is_agreed(session, rebuilt):
            with screen.busy("Switching"):
                rebuilt.switch()
        fields = ("events", "mind", "embedder", "comparison")
        record = {
            "switched": rebuilt.is_switched,
            "same": rebuilt.comparison.is_same,
            "seconds": round(rebuilt.seconds, 3),
            **{name: getattr(rebuilt, name) for name in fields},
        }
        session.show(record, "admin.rebuild_end", rebuilt, dry_run=dry_run)


@command("", *_SALVAGE)
def salvage(session: Session, *, old: str, new: str) -> None:
    """Make a new memory of all that can still be read in a damaged one, and say what could not.

    Ledger and raw texts come over, everything else is derived again from them. End all programs that
    write to the old one first.
    """
    from dataclasses import asdict

    from remanent.memory import Memory

    with session.screen.bar("Living through what is left") as share:
        report = Memory.salvage(old, new, progress=share)
    record = {"old": old, "new": new, "whole": report.is_whole, **asdict(report)}
    session.show(record, "admin.salvage_report", report, new)


@command("", *_MIGRATE)
def migrate(session: Session, *, to: str, cancel: bool) -> None:
    """Move the whole memory to another place, as it is, and compare both by digest.

    Nobody can write to this one from then on: servers and workers go on with the new place once their
    settings name it. Broken off, run it again; it goes on where it was.
    """
    if bool(to) == cancel:
        raise invalid("to", "say where to with --to PLACE, or --cancel")
    if cancel:
        move = session.memory.cancel_migration()
        session.show({"cancelled": move is not None}, "admin.cancelled_migration", move)
        return
    with session.screen.bar("Moving") as share:
        report = session.memory.migrate(to, progress=share)
    fields = ("place", "records", "counts", "digest", "resumed", "already")
    record = {name: getattr(report, name) for name in fields}
    session.show(record, "admin.migration_report", report)


def _is_agreed(session: Session, rebuilt: Rebuilt) -> bool:
    """Ask, where there is somebody to ask and something to ask about."""
    if session.options.json or not rebuilt.is_open or not rebuilt.changes_anything:
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return click.confirm("Use the new graph from now on?", default=False)
