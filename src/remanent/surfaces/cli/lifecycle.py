"""Commands about the lives of memories: touch, pin, unpin, archive, restore, forgettable."""

from __future__ import annotations

from typing import Any

from remanent.surfaces.cli.commands import Command, shown
from remanent.surfaces.cli.session import Session
from remanent.surfaces.operations import operation


def _each(verb: str, done: str, says: str) -> Command:
    """Do it to every key, once all of them are known to lead to one memory each."""

    def run(session: Session, key: list[str], **given: Any) -> None:
        from remanent.surfaces.cli.views import lifecycle

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
        "lifecycle.forgettable",
        record="forgettable",
        says="The sources that would be missed least, and why.\n\n"
        "They would be the first to be archived if `lifecycle.keep_sources` or `lifecycle.keep_share` "
        "allowed fewer sources.",
    ),
)
