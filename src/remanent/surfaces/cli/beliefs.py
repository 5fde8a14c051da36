"""Commands about beliefs: hold and recall them, look at them, and maintain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from remanent.core.dataclasses import replace
from remanent.surfaces.cli.commands import command, forward
from remanent.surfaces.cli.session import Session, invalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# fmt: off
remember = forward("remember", "beliefs.settlement", busy="Settling",
    says="Hold a statement true, or several.\n\n"
    "Each is settled against what is believed: new, confirmed, or in place of another belief.")
recall = forward("recall", "beliefs.recollections", record="recollections", echo=("query",),
    busy="Recalling",
    says="Beliefs that come to mind, best first.\n\n"
    "What is recalled is strengthened, but for a question about the past.")
beliefs = forward("beliefs", "beliefs.beliefs", record="beliefs", echo=("as_of", "known_at"),
    says="What is held true, and how it is kept in order.\n\n"
    "Without a command: what is held true now, or was at a given time.")
instructions = forward("instructions", "beliefs.instructions", record="instructions",
    says="Standing instructions: what every agent, or one, has to heed.\n\n"
    "They stand first in every context.")
INSTRUCTIONS = (
    forward("instruct", "beliefs.settlement", name="set"),
    forward("uninstruct", "beliefs.forgetting", name="remove"),
)
# fmt: on


@command("why")
def show(session: Session, key: str) -> None:
    """One belief: what is left of its confidence, why it is held, and what happened to it."""
    from remanent.beliefs.rules.belief import effective_confidence
    from remanent.core.model.belief import Belief

    page = session.me.read(key)
    if not isinstance(page.node, Belief):
        raise invalid("key", f"{key!r} is a {page.node.kind.value}, not a belief")
    why = session.me.why(page.node.key)
    left = effective_confidence(page.node, session.me.status().now, session.config.belief)
    record = {"belief": page.node, "effective_confidence": left, "why": why, "page": page}
    session.show(record, "beliefs.belief_page", page, why, left=left)


@command("consolidate")
def consolidate(session: Session, turns: str, **given: Any) -> None:
    """Keep what a conversation leaves behind: an episode, not a belief."""
    content = session.input(turns).content
    with session.screen.busy("Reading"):
        report = session.me.consolidate(_turns(content), **given)
    session.show(report, "beliefs.consolidation", report)


@command("export_beliefs")
def export(session: Session, path: str) -> None:
    """Write all beliefs of every status, with their trail, as lines of JSON."""
    import io
    import json

    from remanent.surfaces.cli import inputs

    if path != inputs.STDIN:
        report = session.me.export_beliefs(path)
        record = {"path": path, "beliefs": report.beliefs, "active": report.active}
        session.show(record, "beliefs.export_report", report, path)
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

    with session.screen.bar("Importing beliefs") as progress:
        source = io.StringIO(str(session.input(path).content)) if path == inputs.STDIN else path
        report = session.me.import_beliefs(source, progress=progress, **given)
    session.show(report, "beliefs.import_report", report)


_COMPARING = "Comparing beliefs"
BELIEFS = (
    replace(beliefs, name="list", says="What is held true now, or was at a given time; most important first."),
    show,
    forward("outlook", "beliefs.outlook", record="outlook"),
    forward("history", "beliefs.history", says="All that a belief replaced or gave way to, oldest first, and why."),
    forward("reflect", "beliefs.reflection", bar=_COMPARING),
    forward("merge_beliefs", "beliefs.merges", name="merge", bar=_COMPARING),
    forward("synthesize", "beliefs.synthesis", bar="Looking for themes"),
    forward("prune", "beliefs.pruning"),
    forward("forget", "beliefs.forgetting"),
    forward("restate", "beliefs.restatement"),
    forward("contradictions", "beliefs.contradictions", bar=_COMPARING),
    forward("backfill_subjects", "beliefs.assignment", name="backfill", bar="Reading beliefs"),
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

    pieces = formats.read(content, is_json=False, content_type=ContentType.CONVERSATION).pieces
    return [
        {"speaker": turn.speaker, "text": turn.text, "at": turn.at}
        for turn in pieces
        if turn.text.strip()
    ]
