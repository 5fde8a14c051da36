"""Commands on sources and on how long memories stay: take in, take back, erase, pin, archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.commands import Command, Yes, command, insist_agreed, shown
from remanent.surfaces.cli.session import Session
from remanent.surfaces.cli.work import Work, drain
from remanent.surfaces.operations import operation

if TYPE_CHECKING:
    from remanent.core.records.admin import Erased


@command("user", face="Memory", without=("user_id",))
def init(session: Session, name: str | None = None, timezone: str | None = None) -> None:
    """Make the memory and register its user. Running it again is fine."""
    from remanent.surfaces.cli import start

    new = not session.path.exists()
    start.check(session.options.user, name, timezone)
    start.make_folder(session.path)
    memory = session.create()
    user = start.register(memory, session.options.user, name, timezone)
    session.screen.answer(
        {"memory": str(session.path), "created": new, "user": user},
        lambda: start.welcome(session.path, user, new=new, named=session.options.memory),
    )


@command("add")
def add(
    session: Session,
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH", help="A file, or - for standard input. .json and .jsonl hold turns."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", "-t", metavar="TEXT", help="The text itself.")
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Share it with your primary team.")
    ] = False,
    work: Work = True,
    **given: Any,
) -> None:
    """Take in a note, a conversation, a meeting or an e-mail."""
    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.errors import INTERRUPTED
    from remanent.surfaces.cli.views import basics

    limit = session.config.intake.max_characters
    read = inputs.read_content(path, text, max_characters=limit, zone=session.zone)
    given["title"] = given["title"] or read.title
    if shared:
        given["team"] = _primary(session, given.get("team"))
    key = session.me.add(read.content, **given)
    done, stopped = drain(session) if work else (None, False)
    session.screen.answer({"key": key, "worked": done}, lambda: basics.added(key, done))
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _primary(session: Session, named: str | None) -> str:
    """The team that is shared with where none is named."""
    from remanent.errors import InvalidInput

    if named is not None:
        raise InvalidInput("shared", "say --team or --shared, not both")
    primary = session.me.profile.primary_team
    if primary is None:
        raise InvalidInput(
            "shared", "you have no primary team; `remanent team primary TEAM` sets one"
        )
    return primary


sources = shown(
    "sources", "retrieval.sources", record="sources", says="The sources you may read, newest first."
)


@command("produce")
def produce(session: Session, source_key: str, output: str, name: str, **given: Any) -> None:
    """Keep a file that was made from a source, linked to it."""
    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import basics

    made = inputs.read_text(Path(output), session.config.intake.max_characters)
    key = session.me.produce(source_key, name or Path(output).name, made, **given)
    session.screen.answer({"key": key}, lambda: basics.added(key, None))


undo = shown(
    "undo",
    "sources.undone",
    busy="Taking it back",
    says="Take back all that one source caused, and what depended on it.\n\n"
    "Notes, mentions, relationships and beliefs that came from it go; what it had replaced comes back. "
    "The source itself stays, and is not read again unless you say so: `remanent redo SOURCE`.",
)


@command("redo")
def redo(session: Session, source_key: str) -> None:
    """Read a source again, such as one that was undone."""
    from remanent.surfaces.cli.views import sources as views

    with session.screen.busy("Reading"):
        session.me.redo(source_key)
        opened = session.me.read(source_key)
    session.screen.answer(opened, lambda: views.redone(opened))


@command()
def erase(
    session: Session,
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="KEY",
            help="Key of a source, person, artifact or belief, or its beginning; the id of an event "
            "or a session.",
        ),
    ] = None,
    user_and_all: Annotated[
        str | None,
        typer.Option("--user-and-all", metavar="ID", help="Erase this user with all of theirs."),
    ] = None,
    compact: Annotated[
        bool | None,
        typer.Option(
            "--compact/--no-compact",
            help="Write the file anew afterwards [default: unless it is larger than 1 GiB].",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Keep the signed paper in this file."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Yes = False,
) -> None:
    """Erase something for good, with all that came of it, from every store and for everyone.

    What would go is shown first. There is no way back; `undo` takes back what a source caused and
    keeps the source, `forget` puts a belief out of mind.
    """
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.views import sources as views

    if (key is None) == (user_and_all is None):
        raise InvalidInput("key", "say what to erase: a KEY, or --user-and-all ID")
    planned = _erased(session, key, user_and_all, compact, dry_run=True)
    if dry_run:
        session.screen.answer(planned, lambda: views.planned(planned))
        return
    if not yes and not session.options.json:
        session.screen.answer({}, lambda: views.planned(planned))
    insist_agreed(session, "Erase all this for good?", yes=yes)
    done = _erased(session, key, user_and_all, compact, dry_run=False)
    if certificate is not None:
        certificate.write_text(views.paper(done), encoding="utf-8")
    session.screen.answer(done, lambda: views.erased(done))


def _erased(
    session: Session,
    key: str | None,
    user_id: str | None,
    compact: bool | None,
    *,
    dry_run: bool,
) -> Erased:
    doing = "Looking at what would go" if dry_run else "Erasing"
    with session.screen.busy(doing):
        if user_id is not None:
            return session.memory.erase_user(user_id, dry_run=dry_run)
        return session.me.erase(key or "", dry_run=dry_run, compact=compact)


@command()
def verify_erasure(
    session: Session,
    certificate: Annotated[Path, typer.Argument(metavar="FILE", help="The paper, as JSON.")],
) -> None:
    """Say whether this memory signed a paper about an erasure, and nothing in it was changed since."""
    import json

    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.views import sources as views

    try:
        paper = json.loads(certificate.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InvalidInput("certificate", f"{certificate} cannot be read: {problem}") from None
    genuine = isinstance(paper, dict) and session.memory.verify_erasure(paper)
    session.screen.answer({"genuine": genuine}, lambda: views.verified(genuine=genuine))
    if not genuine:
        raise typer.Exit(1)


def _each(verb: str, done: str, says: str) -> Command:
    """Do it to every key, once all of them are known to lead to one memory each."""

    def run(session: Session, key: list[str], **given: Any) -> None:
        from remanent.surfaces.cli.views import sources as lifecycle

        whole = list(dict.fromkeys(session.me.curve(one, days=1).key for one in key))
        changed = [getattr(session.me, verb)(one, **given) for one in whole]
        session.screen.answer({"memories": changed}, lambda: lifecycle.changed(changed, done))

    return Command(name=verb, run=run, says=says, op=operation(verb))


LIFECYCLE = (
    _each("touch", "Touched", "Count one access, as if it had been asked for just now."),
    _each("pin", "Pinned", "Keep for ever: no fading, no archive. `remanent unpin KEY` ends it."),
    _each("unpin", "Unpinned", "Let what was pinned fade again, from now on."),
    _each(
        "archive",
        "Archived",
        "Take out of default search. The key still leads to it; `remanent restore KEY` calls it back.",
    ),
    _each("restore", "Restored", "Call back what was archived."),
    shown(
        "forgettable",
        "sources.forgettable",
        record="forgettable",
        says="The sources that would be missed least, and why.\n\n"
        "They would be the first to be archived if `lifecycle.keep_sources` or `lifecycle.keep_share` "
        "allowed fewer sources.",
    ),
)
