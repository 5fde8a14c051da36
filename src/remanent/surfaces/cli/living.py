"""Commands about the lives of memories: touch, pin, unpin, archive, restore, forgettable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from remanent.core.model.lifecycle_reports import Living

Keys = Annotated[
    list[str],
    typer.Argument(metavar="KEY...", help="Keys, or enough of the beginning of each."),
]


def touch(session: Session, keys: Keys) -> None:
    """Count one access, as if it had been asked for just now."""
    _each(session, keys, session.me.touch, "Touched")


def pin(session: Session, keys: Keys) -> None:
    """Keep for ever: no fading, no archive. `remanent unpin KEY` ends it."""
    _each(session, keys, session.me.pin, "Pinned")


def unpin(session: Session, keys: Keys) -> None:
    """Let what was pinned fade again, from now on."""
    _each(session, keys, session.me.unpin, "Unpinned")


def archive(
    session: Session,
    keys: Keys,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, for the record.")] = "",
) -> None:
    """Take out of default search. The key still leads to it; `remanent restore KEY` calls it back."""
    _each(session, keys, lambda key: session.me.archive(key, reason), "Archived")


def restore(session: Session, keys: Keys) -> None:
    """Call back what was archived."""
    _each(session, keys, session.me.restore, "Restored")


def forgettable(
    session: Session,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many.")] = 20,
) -> None:
    """The sources that would be missed least, and why.

    They would be the first to be archived if `lifecycle.keep_sources` or `lifecycle.keep_share`
    allowed fewer sources.
    """
    from remanent.surfaces.cli import lived

    found = session.me.forgettable(limit)
    session.screen.answer({"forgettable": found}, lambda: lived.forgettable(found, session.zone))


def _each(session: Session, keys: Sequence[str], verb: Callable[[str], Living], done: str) -> None:
    """Do it to every key, once all of them are known to lead to one memory each."""
    from remanent.surfaces.cli import lived

    whole = list(dict.fromkeys(session.me.curve(key, days=1).key for key in keys))
    changed = [verb(key) for key in whole]
    session.screen.answer({"memories": changed}, lambda: lived.changed(changed, done))
