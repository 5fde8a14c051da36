"""The commands that write a memory down whole, and take one in."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from remanent.surfaces.cli.commands import command
from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from remanent.memory import Memory


@command("export")
def export(
    session: Session,
    path: str,
    everyone: Annotated[
        bool, typer.Option("--all", help="All users, with teams and memberships.")
    ] = False,
    with_answers: Annotated[
        bool,
        typer.Option(
            "--with-answers/--without-answers",
            help="What a paid mind answered and cost, too.",
        ),
    ] = True,
) -> None:
    """Write a memory down whole, as lines of JSON that `import-memory` takes in elsewhere."""
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import admin as views

    to_stdout = path == inputs.STDIN
    if to_stdout and session.options.json:
        raise InvalidInput("path", "with --json, name a file: the lines are no single document")
    whose = session.memory if everyone else session.me
    with session.screen.bar("Exporting") as share, _utf8(sys.stdout) as stdout:
        report = whose.export(
            stdout if to_stdout else path,
            progress=lambda one: share(one.share),
            with_answers=with_answers,
        )
    if not to_stdout:
        told = views.export_record(report, path)
        session.screen.answer(told, lambda: views.exported(report, path))


@command("import_memory", face="Memory")
def import_memory(session: Session, path: str, *, dry_run: bool) -> None:
    """Take in a memory that `export` wrote: all of it, or nothing. Its users must not be here yet."""
    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import admin as views

    is_new = not session.path.exists()
    memory = _target(session, dry_run=dry_run)
    with (
        _gone_if_refused(session, is_new=is_new),
        session.screen.bar("Importing") as share,
        _utf8(sys.stdin) as stdin,
    ):
        report = memory.import_memory(
            stdin if path == inputs.STDIN else path,
            progress=lambda one: share(one.share),
            dry_run=dry_run,
        )
    session.screen.answer(report, lambda: views.imported(report))


@contextmanager
def _gone_if_refused(session: Session, *, is_new: bool) -> Iterator[None]:
    """A file that was made for what did not come in is not left behind."""
    try:
        yield
    except BaseException:
        if is_new and session.path.exists():
            session.create().close()
            for end in ("", "-wal", "-shm"):
                session.path.with_name(f"{session.path.name}{end}").unlink(missing_ok=True)
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
    if session.path.exists() or not dry_run:
        return session.create()
    from dataclasses import replace

    from remanent.config import IN_MEMORY
    from remanent.memory import Memory

    return Memory.open(replace(session.config, memory=IN_MEMORY))


EXPORTING = (export, import_memory)
