"""Commands about beliefs: hold and recall them, look at them, and keep them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remanent.surfaces.cli.commands import command, shown
from remanent.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

remember = shown(
    "remember",
    "basics.settled",
    busy="Settling",
    says="Hold a statement true.\n\n"
    "It is settled against what is believed: new, confirmed, or in place of another belief.",
)
recall = shown(
    "recall",
    "basics.recollections",
    record="recollections",
    echo="query",
    busy="Recalling",
    says="Beliefs that come to mind, best first.\n\n"
    "What is recalled is strengthened, but for a question about the past.",
)


def _held(session: Session, **given: Any) -> None:
    from remanent.surfaces.cli.views import basics

    held = session.me.beliefs(**given)
    then, known = given.get("as_of"), given.get("known_at")
    session.screen.answer(
        {"as_of": then, "known_at": known, "beliefs": held},
        lambda: basics.beliefs(held, session.zone, now=not given),
    )


@command("beliefs")
def beliefs(session: Session, **given: Any) -> None:
    """What is held true, and how it is kept in order.

    Without a command: what is held true now, or was at a given time.
    """
    _held(session, **given)


@command("beliefs")
def list_(session: Session, **given: Any) -> None:
    """What is held true now, or was at a given time; most important first."""
    _held(session, **given)


@command("why")
def show(session: Session, key: str) -> None:
    """One belief: what is left of its confidence, why it is held, and what happened to it."""
    from remanent.beliefs.rules.belief import effective_confidence
    from remanent.core.model.belief import Belief
    from remanent.errors import InvalidInput
    from remanent.surfaces.cli.views import beliefs as views

    opened = session.me.read(key)
    if not isinstance(opened.node, Belief):
        raise InvalidInput("key", f"{key!r} is a {opened.node.kind.value}, not a belief")
    why = session.me.why(opened.node.key)
    left = effective_confidence(opened.node, session.me.status().now, session.config.belief)
    session.screen.answer(
        {"belief": opened.node, "effective_confidence": left, "why": why, "page": opened},
        lambda: views.shown(opened, why, session.zone, left),
    )


@command("consolidate")
def consolidate(session: Session, turns: str, **given: Any) -> None:
    """Keep what a conversation leaves behind: an episode, not a belief."""
    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import beliefs as views

    limit = session.config.intake.max_characters
    content = inputs.read_content(turns, None, max_characters=limit, zone=session.zone).content
    with session.screen.busy("Reading"):
        report = session.me.consolidate(_turns(content), **given)
    session.screen.answer(report, lambda: views.consolidation(report))


@command("export_beliefs")
def export(session: Session, path: str) -> None:
    """Write all beliefs of every status, with their trail, as lines of JSON."""
    import io
    import json

    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import beliefs as views

    if path != inputs.STDIN:
        report = session.me.export_beliefs(path)
        session.screen.answer(
            {"path": path, "beliefs": report.beliefs, "active": report.active},
            lambda: views.exported(report, path),
        )
        return
    stream = io.StringIO()
    session.me.export_beliefs(stream)
    lines = stream.getvalue()
    records = [json.loads(line) for line in lines.splitlines()] if session.screen.json else []
    session.screen.raw({"beliefs": records}, lines)


@command("import_beliefs")
def import_(session: Session, path: str, **given: Any) -> None:
    """Take in exported beliefs that are not here yet. One bad line, and nothing comes in."""
    import io

    from remanent.surfaces.cli import inputs
    from remanent.surfaces.cli.views import beliefs as views

    with session.screen.bar("Importing beliefs") as progress:
        source: str | io.StringIO = path
        if path == inputs.STDIN:
            limit = session.config.intake.max_characters
            read = inputs.read_content(path, None, max_characters=limit, zone=session.zone)
            source = io.StringIO(str(read.content))
        report = session.me.import_beliefs(source, progress=progress, **given)
    session.screen.answer(report, lambda: views.imported(report))


_COMPARING = "Comparing beliefs"
BELIEFS = (
    list_,
    show,
    shown("history", "beliefs.history", says="All that a belief replaced or gave way to, oldest first, and why."),
    shown("reflect", "beliefs.reflection", bar=_COMPARING),
    shown("merge_beliefs", "beliefs.unions", name="merge", bar=_COMPARING),
    shown("synthesize", "beliefs.synthesis", bar="Looking for themes"),
    shown("prune", "beliefs.pruning"),
    shown("forget", "beliefs.forgetting"),
    shown("restate", "beliefs.restating"),
    shown("contradictions", "beliefs.contradictions", bar=_COMPARING),
    shown("backfill_subjects", "beliefs.assignment", name="backfill", bar="Reading beliefs"),
    consolidate,
    export,
    import_,
)  # fmt: skip


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
