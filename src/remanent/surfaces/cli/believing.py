"""Commands about beliefs: look at them, and keep them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AsOf = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="What was true then; a bare date is the end of that day."),
]
KnownAt = Annotated[
    str | None, typer.Option(metavar="DATE", help="As this memory would have said it then.")
]
Key = Annotated[str, typer.Argument(metavar="KEY", help="A belief's key, or the beginning of one.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


def beliefs(session: Session, as_of: AsOf = None, known_at: KnownAt = None) -> None:
    """What is held true, and how it is kept in order.

    Without a command: what is held true now, or was at a given time.
    """
    from remanent.surfaces.cli import views

    then = session.moment("--as-of", as_of, last=True)
    known = session.moment("--known-at", known_at, last=True)
    held = session.me.beliefs(then, known)
    session.screen.answer(
        {"as_of": then, "known_at": known, "beliefs": held},
        lambda: views.beliefs(held, session.zone, now=then is None and known is None),
    )


def list_(session: Session, as_of: AsOf = None, known_at: KnownAt = None) -> None:
    """What is held true now, or was at a given time; most important first."""
    beliefs(session, as_of, known_at)


def show(session: Session, key: Key) -> None:
    """One belief: what is left of its confidence, why it is held, and what happened to it."""
    from remanent.core.model.belief import Belief
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli import upkeep

    opened = session.me.read(key)
    if not isinstance(opened.node, Belief):
        raise InvalidInput("key", f"{key!r} is a {opened.node.kind.value}, not a belief")
    why = session.me.why(opened.node.key)
    left = _left(session, opened.node)
    session.screen.answer(
        {"belief": opened.node, "effective_confidence": left, "why": why, "page": opened},
        lambda: upkeep.shown(opened, why, session.zone, left),
    )


def history(session: Session, key: Key) -> None:
    """All that a belief replaced or gave way to, oldest first, and why."""
    from remanent.surfaces.cli import upkeep

    told = session.me.history(key)
    session.screen.answer(told, lambda: upkeep.history(told, session.zone))


def reflect(session: Session) -> None:
    """What is believed twice, what contradicts itself, what has faded. Changes nothing."""
    from remanent.surfaces.cli import upkeep

    with session.screen.bar("Comparing beliefs") as progress:
        report = session.me.reflect(progress=progress)
    session.screen.answer(report, lambda: upkeep.reflection(report, session.zone))


def merge(session: Session, dry_run: DryRun = False) -> None:
    """Make one belief of each group that says the same."""
    from remanent.surfaces.cli import upkeep

    with session.screen.bar("Comparing beliefs") as progress:
        report = session.me.merge_beliefs(dry_run=dry_run, progress=progress)
    session.screen.answer(report, lambda: upkeep.unions(report, session.zone))


def synthesize(session: Session, dry_run: DryRun = False) -> None:
    """Draw a principle from beliefs that belong together, for up to five themes."""
    from remanent.surfaces.cli import upkeep

    with session.screen.bar("Looking for themes") as progress:
        report = session.me.synthesize(dry_run=dry_run, progress=progress)
    session.screen.answer(report, lambda: upkeep.synthesis(report, session.zone))


def prune(
    session: Session,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", metavar="X", help="Let go of what has less left. [default: 0.05]"
        ),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Let go of beliefs of which next to nothing is left."""
    from remanent.surfaces.cli import upkeep

    report = session.me.prune(threshold, dry_run=dry_run)
    session.screen.answer(report, lambda: upkeep.pruning(report, session.zone))


def forget(
    session: Session,
    key: Key,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Put one belief out of mind, for good. Its trail stays."""
    from remanent.surfaces.cli import upkeep

    report = session.me.forget(key, reason, dry_run=dry_run)
    session.screen.answer(report, lambda: upkeep.forgetting(report, session.zone))


def restate(
    session: Session,
    key: Key,
    statement: Annotated[
        str, typer.Argument(metavar="STATEMENT", help="What it says from now on.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Put one belief in other words. It stays the same belief."""
    from remanent.surfaces.cli import upkeep

    report = session.me.restate(key, statement, dry_run=dry_run)
    session.screen.answer(report, lambda: upkeep.restating(report, session.zone))


def contradictions(
    session: Session,
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Settle them: the newer takes the older's place.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Beliefs that cannot both be so."""
    from remanent.surfaces.cli import upkeep

    with session.screen.bar("Comparing beliefs") as progress:
        report = session.me.contradictions(resolve=resolve, dry_run=dry_run, progress=progress)
    session.screen.answer(report, lambda: upkeep.contradictions(report, session.zone))


def backfill(session: Session, dry_run: DryRun = False) -> None:
    """File beliefs that stand under you by default under whom they are about."""
    from remanent.surfaces.cli import upkeep

    with session.screen.bar("Reading beliefs") as progress:
        report = session.me.backfill_subjects(dry_run=dry_run, progress=progress)
    session.screen.answer(report, lambda: upkeep.assignment(report, session.zone))


def consolidate(
    session: Session,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="Turns as .json or .jsonl, or a transcript; - is standard input."
        ),
    ],
    session_id: Annotated[
        str, typer.Option("--session", metavar="ID", help="The session it belongs to.")
    ] = "",
    at: Annotated[str | None, typer.Option(metavar="DATE", help="When it took place.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Keep what a conversation leaves behind: an episode, not a belief."""
    from remanent.surfaces.cli import inputs, upkeep

    limit = session.config.intake.max_characters
    given = inputs.read_content(path, None, max_characters=limit, zone=session.zone)
    with session.screen.busy("Reading"):
        report = session.me.consolidate(
            _turns(given.content),
            session_id=session_id,
            at=session.moment("--at", at),
            dry_run=dry_run,
        )
    session.screen.answer(report, lambda: upkeep.consolidation(report))


def export(
    session: Session,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="Where to; - is standard output.")
    ] = "-",
) -> None:
    """Write all beliefs of every status, with their trail, as lines of JSON."""
    import io
    import json

    from remanent.surfaces.cli import inputs, upkeep

    if path != inputs.STDIN:
        report = session.me.export_beliefs(path)
        session.screen.answer(
            {"path": path, "beliefs": report.beliefs, "active": report.active},
            lambda: upkeep.exported(report, path),
        )
        return
    stream = io.StringIO()
    session.me.export_beliefs(stream)
    lines = stream.getvalue()
    records = [json.loads(line) for line in lines.splitlines()] if session.screen.json else []
    session.screen.raw({"beliefs": records}, lines)


def import_(
    session: Session,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="What `export` wrote; - is standard input.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Take in exported beliefs that are not here yet. One bad line, and nothing comes in."""
    import io

    from remanent.surfaces.cli import inputs, upkeep

    with session.screen.bar("Importing beliefs") as progress:
        if path == inputs.STDIN:
            limit = session.config.intake.max_characters
            given = inputs.read_content(path, None, max_characters=limit, zone=session.zone)
            stream = io.StringIO(str(given.content))
            report = session.me.import_beliefs(stream, dry_run=dry_run, progress=progress)
        else:
            report = session.me.import_beliefs(path, dry_run=dry_run, progress=progress)
    session.screen.answer(report, lambda: upkeep.imported(report))


BELIEFS = (
    list_,
    show,
    history,
    reflect,
    merge,
    synthesize,
    prune,
    forget,
    restate,
    contradictions,
    backfill,
    consolidate,
    export,
    import_,
)


def _left(session: Session, belief: Any) -> float:
    """What is left of a belief's confidence today."""
    from remanent.beliefs.rules.belief import effective_confidence

    now = session.me.status().now
    return effective_confidence(belief, now, session.config.belief)


def _turns(content: str | Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    """Turns as they are; a transcript becomes turns."""
    if not isinstance(content, str):
        return content
    from remanent.core.model.source import ContentType
    from remanent.ingest import formats

    parsed = formats.read(content, is_json=False, content_type=ContentType.CONVERSATION)
    return [
        {"speaker": one.speaker, "text": one.text, "at": one.at}
        for one in parsed.pieces
        if one.text.strip()
    ]
