"""Export: a memory as lines of JSON, complete, to be taken in elsewhere to the same effect.

Everything of one moment, whoever writes meanwhile; and that it was taken is written down.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

from remanent.backup import rules as exporting
from remanent.core.env import Env
from remanent.core.jsonl import Place, writing
from remanent.core.model.scope import Scope
from remanent.core.records.access import OPERATOR, AuditAction
from remanent.core.records.export import (
    EMBEDDER,
    Ending,
    Exported,
    ExportRecord,
    Header,
    Mark,
    MoveProgress,
)
from remanent.errors import Forbidden, ReadOnlyMemory
from remanent.teams.audit import write_audit

Progress = Callable[[MoveProgress], None]

_TOLD_EVERY: Final = 500


def export_user(
    env: Env,
    scope: Scope,
    path: str | Path | TextIO,
    *,
    progress: Progress | None = None,
    with_answers: bool = True,
) -> Exported:
    """Write all that this user owns to a file or stream of JSON lines, as it is at one moment.

    `Memory.import_memory` takes it in elsewhere. A name that ends in .gz is compressed. Without
    answers, what a paid mind answered and cost is left out. Sources of others are not in it.
    """
    if scope.narrowed_to is not None:
        raise Forbidden("export: a handle that is narrowed to a team does not see all there is")
    done = _export(env, scope, (scope.user_id,), path, progress, answers=with_answers)
    with suppress(ReadOnlyMemory):  # there is no log to write to; a full disk is no excuse
        write_audit(env, scope.user_id, AuditAction.MEMORY_EXPORTED, subject=scope.user_id)
    return done


def export_all(
    env: Env,
    path: str | Path | TextIO,
    *,
    progress: Progress | None = None,
    with_answers: bool = True,
) -> Exported:
    """As `UserMemory.export`, for all users together, with teams and memberships."""
    users = tuple(one.user_id for one in env.registry.users())
    done = _export(env, None, users, path, progress, answers=with_answers)
    with suppress(ReadOnlyMemory):
        write_audit(env, OPERATOR, AuditAction.MEMORY_EXPORTED)
    return done


def _export(
    env: Env,
    scope: Scope | None,
    users: tuple[str, ...],
    to: Place,
    progress: Progress | None,
    *,
    answers: bool,
) -> Exported:
    header = _header(env, users, whole=scope is None, answers=answers)
    records = env.stores.export.dump(scope, answers=answers)
    tell = _progress_of(progress, about_how_many(env, users))
    return _write_records(header, records, to, tell)


def _header(env: Env, users: tuple[str, ...], *, whole: bool, answers: bool) -> Header:
    vectors = embedder_of(env)
    made_at, by = env.clock.now(), _version()
    return Header(made_at=made_at, by=by, users=users, whole=whole, answers=answers, **vectors)


def embedder_of(env: Env) -> dict[str, Any]:
    """Whose the vectors of this memory are, `embedder`, and how long, `dimensions`; nothing where there are none."""
    mark = env.records.get(None, Mark, EMBEDDER)
    made = {} if mark is None else json.loads(mark.value)
    return {"embedder" if name == "name" else name: one for name, one in made.items()}


def about_how_many(env: Env, users: Iterable[str]) -> int:
    """How many records there are of these users, more or less."""
    scopes = [Scope(user_id=one) for one in users]
    kept = sum(sum(env.graph.counts(one).values()) for one in scopes)
    return kept + sum(env.ledger.waiting(one, after=0).events for one in scopes)


def content_of(records: Iterator[ExportRecord]) -> str:
    """What the last line of a file with these records would call its content."""
    content = hashlib.sha256()
    for record in records:
        if not record.elsewhere:
            content.update(f"{exporting.record_line(record)}\n".encode())
    return content.hexdigest()


def _write_records(
    header: Header, records: Iterator[ExportRecord], to: Place, progress: Callable[[int], None]
) -> Exported:
    whole, content = hashlib.sha256(), hashlib.sha256()
    counts: Counter[str] = Counter()
    elsewhere = 0
    with writing(to) as write:
        first = exporting.header_line(header)
        write(first)
        whole.update(f"{first}\n".encode())
        for number, record in enumerate(records, start=1):
            line = exporting.record_line(record)
            write(line)
            spelt = f"{line}\n".encode()
            whole.update(spelt)
            counts[record.sort.value] += 1
            if record.elsewhere:
                elsewhere += 1
            else:
                content.update(spelt)
            if number % _TOLD_EVERY == 0:
                progress(number)
        ending = Ending(counts=dict(counts), sha256=whole.hexdigest(), content=content.hexdigest())
        write(exporting.ending_line(ending))
    progress(max(1, counts.total()))
    return Exported(
        users=header.users, counts=dict(counts), sha256=ending.sha256, elsewhere=elsewhere
    )


def _progress_of(progress: Progress | None, total: int) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if progress is not None:
            progress(MoveProgress(done=done, total=max(done, total)))

    return tell


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes long to load

    try:
        return version("remanent")
    except PackageNotFoundError:  # run from a folder that nobody installed
        return ""
