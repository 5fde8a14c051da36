"""Commands on sources and on how long memories stay: take in, take back, erase, pin, archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from remanent.surfaces.cli.commands import YES, Command, command, confirm, forward
from remanent.surfaces.cli.session import INTERRUPTED, Session, invalid
from remanent.surfaces.cli.work import WORK, drain
from remanent.surfaces.operations import operation
from remanent.surfaces.operations.schema import NAME, TEXT, Flag, Param

if TYPE_CHECKING:
    from remanent.core.records.access import User
    from remanent.core.records.admin import Erased
    from remanent.memory import Memory

# fmt: off
_ADD = (
    Param("path", TEXT, "A file, or - for standard input. .json and .jsonl hold turns, .eml a letter.", None,
        cli="PATH"),
    Param("text", TEXT, "The text itself.", None, cli="--text -t TEXT"),
    WORK,
)
_ERASE = (
    Param("key", NAME,
        "Key of a source, person, artifact or belief, or its beginning; the id of an event or a session.",
        None, cli="KEY"),
    Param("user_and_all", NAME, "Erase this user with all of theirs.", None, cli="--user-and-all ID"),
    Param("compact", Flag(),
        "Write the file anew afterwards [default: unless it is larger than 1 GiB].", None,
        cli="--compact/--no-compact"),
    Param("certificate", TEXT, "Keep the signed paper in this file.", None, cli="--certificate FILE"),
    Param("dry_run", Flag(), "Only say what would go.", False),
    YES,
)
# fmt: on


@command("user", face="Memory", without=("user_id",))
def init(session: Session, name: str | None = None, timezone: str | None = None) -> None:
    """Make the memory and register its user. Running it again is fine."""
    from remanent.core import checks
    from remanent.errors import ReadOnlyMemory

    named, path = session.options.user, session.path
    new = path is not None and not path.exists()
    for field, value in (("user", named), ("name", name)):  # before a file is made for it
        if value is not None:
            checks.identifier(field, value)
    if timezone is not None:
        checks.timezone("timezone", timezone)
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ReadOnlyMemory(str(path), f"its folder cannot be made: {problem.strerror}") from None
    memory = session.create()
    new = new or (path is None and not memory.users())
    user = _registered(memory, named, name, timezone)
    place = session.place if path is None else str(path)
    typed = session.options.memory if path else None  # the password of a server is not repeated
    record = {"memory": place, "created": new, "user": user}
    alone = len(memory.users()) == 1
    session.show(record, "sources.welcome", place, user, new=new, named=typed, alone=alone)


def _registered(memory: Memory, named: str | None, name: str | None, timezone: str | None) -> User:
    """The user named, or the only one there is, or in an empty memory whoever is typing."""
    from remanent.surfaces.cli.errors import which_user
    from remanent.surfaces.cli.inputs import local_timezone, login_name

    known = [user.user_id for user in memory.users()]
    user_id = named or (which_user(known) if known else login_name())
    if user_id not in known:
        timezone = timezone or local_timezone()
    return memory.user(user_id, name, timezone).profile


@command("add", *_ADD)
def add(session: Session, *, path: str | None, text: str | None, work: bool, **given: Any) -> None:
    """Take in a note, a conversation, a meeting or an e-mail."""
    content = session.input(path, text)
    given = {"type": content.type, **given, "title": given["title"] or content.title}
    key = session.me.add(content.content, **given)
    done, stopped = drain(session) if work else (None, False)
    session.show({"key": key, "worked": done}, "sources.added", key, done)
    if stopped:
        raise Exit(INTERRUPTED)


# fmt: off
sources = forward("sources", "retrieval.sources", record="sources",
    says="The sources you may read, newest first.")
# fmt: on


@command("produce")
def produce(session: Session, source_key: str, output: str, name: str, **given: Any) -> None:
    """Keep a file that was made from a source, linked to it."""
    from remanent.surfaces.cli import inputs

    made = inputs.read_text(Path(output), session.config.intake.max_characters)
    key = session.me.produce(source_key, name or Path(output).name, made, **given)
    session.show({"key": key}, "sources.added", key, None)


# fmt: off
undo = forward("undo", "sources.undo_report", busy="Taking it back",
    says="Take back all that one source caused, and what depended on it.\n\n"
    "Notes, mentions, relationships and beliefs that came from it go; what it had replaced comes back. "
    "The source itself stays, and is not read again unless you say so: `remanent redo SOURCE`.")
# fmt: on


@command("redo")
def redo(session: Session, source_key: str) -> None:
    """Read a source again, such as one that was undone."""
    with session.screen.busy("Reading"):
        session.me.redo(source_key)
        page = session.me.read(source_key)
    session.show(page, "sources.redo_report", page)


@command("", *_ERASE)
def erase(
    session: Session, *, certificate: str | None, dry_run: bool, yes: bool, **what: Any
) -> None:
    """Erase something for good, with all that came of it, from every store and for everyone.

    What would go is shown first. There is no way back; `undo` takes back what a source caused and
    keeps the source, `forget` puts a belief out of mind.
    """
    from remanent.core.model.codec import to_record

    plan = _erased(session, **what, dry_run=True)
    if dry_run or (not yes and not session.options.json):
        session.show(plan if dry_run else {}, "sources.erasure_plan", plan)
    if dry_run:
        return
    confirm(session, "Erase all this for good?", yes=yes)
    report = _erased(session, **what, dry_run=False)
    if certificate is not None:
        text = json.dumps(to_record(report), ensure_ascii=False, indent=2)
        Path(certificate).write_text(f"{text}\n", encoding="utf-8")
    session.show(report, "sources.erasure_report", report)


def _erased(
    session: Session,
    *,
    key: str | None,
    user_and_all: str | None,
    compact: bool | None,
    dry_run: bool,
) -> Erased:
    if (key is None) == (user_and_all is None):
        raise invalid("key", "say what to erase: a KEY, or --user-and-all ID")
    doing = "Looking at what would go" if dry_run else "Erasing"
    with session.screen.busy(doing):
        if user_and_all is not None:
            return session.memory.erase_user(user_and_all, dry_run=dry_run)
        return session.me.erase(key or "", dry_run=dry_run, compact=compact)


@command("verify_erasure", face="Memory")
def verify_erasure(session: Session, *, certificate: str) -> None:
    """Say whether this memory signed a paper about an erasure, and nothing in it was changed since."""
    try:
        paper = json.loads(Path(certificate).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise invalid("certificate", f"{certificate} cannot be read: {problem}") from None
    genuine = isinstance(paper, dict) and session.memory.verify_erasure(paper)
    session.show({"genuine": genuine}, "sources.verdict", genuine)
    if not genuine:
        raise Exit(1)


@command("correct")
def correct(session: Session, key: str, field: str, **given: Any) -> None:
    """Put one field of a memory right by hand; no inference overwrites it.

    A person, concept or entity has name, alias, description, note, ttl_policy, an entity a type too; a
    relationship type, description, attitude, proximity, confidence, since, until, denied, note, ttl_policy; a
    story name, description, ttl_policy; a source context_type, ttl_policy. `remanent corrections` lists them.
    """
    if field in ("since", "until") and given.get("value"):
        given["value"] = session.moment("value", given["value"], last=False)
    done = session.me.correct(key, field, **given)
    session.show(done, "sources.corrected", done)


# fmt: off
relate = forward("relate", "sources.corrected",
    says="Say by hand how two people or things stand to each other.")
corrections = forward("corrections", "sources.corrections", record="corrections",
    says="What you put right by hand, newest first. `remanent undo-correction ID` takes one back.")
undo_correction = forward("undo_correction", "sources.corrected")
# fmt: on


def _each(verb: str, done: str, says: str) -> Command:
    """Do it to every key, once all of them are known to lead to one memory each."""

    def run(session: Session, key: list[str], **given: Any) -> None:
        whole = list(dict.fromkeys(session.me.curve(prefix, days=1).key for prefix in key))
        changed = [getattr(session.me, verb)(whole_key, **given) for whole_key in whole]
        session.show({"memories": changed}, "sources.changes", changed, done)

    return Command(name=verb, run=run, says=says, op=operation(verb))


# fmt: off
LIFECYCLE = (
    _each("touch", "Touched", "Count one access, as if it had been asked for just now."),
    _each("pin", "Pinned", "Keep for ever: no fading, no archive. `remanent unpin KEY` ends it."),
    _each("unpin", "Unpinned", "Let what was pinned fade again, from now on."),
    _each("archive", "Archived",
        "Take out of default search. The key still leads to it; `remanent restore KEY` calls it back."),
    _each("restore", "Restored", "Call back what was archived."),
    forward("forgettable", "sources.forgettable", record="forgettable",
        says="The sources that would be missed least, and why.\n\n"
        "They would be the first to be archived if `lifecycle.keep_sources` or `lifecycle.keep_share` "
        "allowed fewer sources."),
)
# fmt: on
