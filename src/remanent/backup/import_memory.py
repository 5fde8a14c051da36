"""Import of a memory: what an export wrote, taken in whole, or not at all.

The file is read twice: once to see that it is whole and unaltered, before anything is written;
then record by record, inside one transaction. `embedder` is the name of this memory's own, and
`dimensions` says how long its vectors are. `reembed` makes them at once; where it is None, a job
does so later.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from remanent.backup import reembed
from remanent.backup import rules as exporting
from remanent.backup.export import Progress, content_of
from remanent.backup.reembed import reembed_job
from remanent.core.decode import on_line
from remanent.core.env import Env
from remanent.core.jsonl import JsonLines, reading
from remanent.core.ports.admin import Numbered
from remanent.core.records.access import OPERATOR, AuditAction
from remanent.core.records.export import (
    Ending,
    ExportRecord,
    Header,
    Imported,
    MoveProgress,
    Restored,
)
from remanent.core.registry import Registry
from remanent.errors import ConfigError, InvalidInput
from remanent.teams.audit import write_audit

_TOLD_EVERY: Final = 500


def import_memory(
    env: Env, path: str | Path | TextIO, *, progress: Progress | None = None, dry_run: bool = False
) -> Imported:
    """Take in what `export` wrote: all of it in one transaction, or nothing.

    None of its users or teams may be here; a file that is here already, unchanged, is left alone.
    One line that is not as it should be, and nothing comes in.
    """
    with reading(path) as lines:
        header, ending, last = _checked(lines)
        there = [one for one in header.users if env.registry.user(one) is not None]
        if there:
            return _already_imported(env, header, ending, there, dry_run=dry_run)
        with env.transaction(dry_run=dry_run):
            records = _with_progress(_records(lines, header, ending, last), lines, progress)
            restored = _restored(env, header, records)
            _insist_users(env.registry, header)
            anew = _reembedding(env, header, restored)
            for one in header.users:
                write_audit(env, OPERATOR, AuditAction.MEMORY_IMPORTED, subject=one)
    later = _has_a_name(env)
    if anew and not later and not dry_run:
        reembed.reembed_and_switch(env)
    return Imported(
        users=header.users,
        counts=restored.counts,
        left_out=restored.left_out,
        renumbered=restored.shifted > 0,
        reembedding=anew and (dry_run or later),
        dry_run=dry_run,
    )


def _restored(env: Env, header: Header, records: Iterator[Numbered]) -> Restored:
    if header.embedder != env.embedder.name:
        return env.stores.export.restore(records, embedder=None)
    if header.dimensions != env.embedder.dimensions:
        raise InvalidInput(
            "line 1: dimensions",
            f"{header.dimensions!r} is not how long vectors of {env.embedder.name!r} are here",
        )
    return env.stores.export.restore(
        records, embedder=env.embedder.name, dimensions=env.embedder.dimensions
    )


def _already_imported(
    env: Env, header: Header, ending: Ending, there: list[str], *, dry_run: bool
) -> Imported:
    """Nothing to do where all of the file is here as it says; else nothing can be done."""
    everyone = len(there) == len(header.users)
    if everyone and content_of(_records_here(env, header)) == ending.content:
        return Imported(users=header.users, counts={}, left_out={}, already=True, dry_run=dry_run)
    raise InvalidInput(
        "users", f"{there[0]!r} is in this memory already; take the file into another one"
    )


def _records_here(env: Env, header: Header) -> Iterator[ExportRecord]:
    if header.whole:
        return env.stores.export.dump(None, answers=header.answers)
    scope = env.registry.scope_of(header.users[0])
    return env.stores.export.dump(scope, answers=header.answers)


def _reembedding(env: Env, header: Header, restored: Restored) -> bool:
    """Promise vectors of this memory's own embedder, where the file's are another's."""
    if header.embedder == env.embedder.name or not restored.counts.get("entry"):
        return False
    env.stores.reembedding.begin(env.embedder.name, env.embedder.dimensions)
    if _has_a_name(env):
        env.queue.enqueue(reembed_job(header.users[0], env.embedder.name, env.clock.now()))
    return True


def _has_a_name(env: Env) -> bool:
    """Whether a job can find the embedder again; one that was brought along is not in any settings."""
    try:
        return env.adapters.embedder(env, env.embedder.name).name == env.embedder.name
    except ConfigError:
        return False


def _checked(lines: JsonLines) -> tuple[Header, Ending, int]:
    """First and last line, and the number of the last, if the lines before it are those it speaks of."""
    whole = hashlib.sha256()
    header: Header | None = None
    last, number = b"", 0
    for line in lines:
        number += 1
        if header is None:
            with on_line(1):
                header = exporting.read_header(_decoded(line))
        else:
            whole.update(last + b"\n")
        last = line
    if header is None or number == 1:
        raise InvalidInput("path", "is no exported memory: there is nothing after the first line")
    with on_line(number):
        ending = exporting.read_ending(_decoded(last))
    if ending.sha256 != whole.hexdigest():
        raise InvalidInput("sha256", "is not that of these lines: one was altered or lost")
    return header, ending, number


def _records(lines: JsonLines, header: Header, ending: Ending, last: int) -> Iterator[Numbered]:
    """All records, each read with suspicion; at the end, that they were those of the first reading."""
    users, place = frozenset(header.users), 0
    whole: Any = hashlib.sha256()
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        if number == last:
            break
        whole.update(line + b"\n")
        if number == 1:
            continue
        with on_line(number):
            one = exporting.read_record(_decoded(line), users)
            if exporting.ORDER[one.sort] < place:
                raise InvalidInput("record", f"{one.sort.value!r} comes too late")
            if one.elsewhere and header.whole:
                raise InvalidInput("elsewhere", "in a whole memory nothing is")
        place = exporting.ORDER[one.sort]
        counts[one.sort.value] += 1
        yield number, one
    if whole.hexdigest() != ending.sha256:
        raise InvalidInput("path", "was changed while it was read")
    if dict(counts) != {name: count for name, count in ending.counts.items() if count}:
        raise InvalidInput(f"line {last}: counts", "are not those of the records")


def _with_progress(
    records: Iterator[Numbered], lines: JsonLines, progress: Progress | None
) -> Iterator[Numbered]:
    for count, record in enumerate(records):
        if progress is not None and count % _TOLD_EVERY == 0:
            progress(MoveProgress(done=lines.place, total=lines.size))
        yield record
    if progress is not None:
        progress(MoveProgress(done=lines.size, total=lines.size))


def _insist_users(registry: Registry, header: Header) -> None:
    for user_id in header.users:
        if registry.user(user_id) is None:
            raise InvalidInput("line 1: users", f"there is no record of the user {user_id!r}")


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput("line", f"is not UTF-8 text at byte {problem.start:,}") from None
