"""Carry: the past, from files, through the one door; as often as one likes.

Every source is one durable transaction: whoever is killed half-way just begins again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never
from zoneinfo import ZoneInfo

from remanent.clock import Clock
from remanent.core import tombstones
from remanent.core.env import Env
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden, InvalidInput
from remanent.ingest import add
from remanent.ingest.add import add_source
from remanent.ingest.rules import dedupe
from remanent.ingest.rules.dedupe import (
    ImportedSource,
    ImportOutcome,
    ImportProgress,
    ImportReport,
    Item,
    KnownSource,
    Leave,
    Skipped,
    Take,
)
from remanent.ingest.rules.request import CheckedSource

Progress = Callable[[ImportProgress], None]
Taken = Callable[[CheckedSource], None]
ERASED = "it was erased; add it by hand to have it back"

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; the report has it too


@dataclass(slots=True)
class _KnownSources:
    """What a dry run would have written by now; `taken` is told of each."""

    taken: Taken | None = None
    kept: dict[str, KnownSource] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)


def import_items(
    env: Env,
    scope: Scope,
    found: Iterable[Item],
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    taken: Taken | None = None,
) -> ImportReport:
    """Take in what is new; a dry run writes nothing, counts the same, and tells `taken` of every
    source that would come in."""
    shelf = _KnownSources(taken=taken) if dry_run else None
    fates: Counter[ImportOutcome] = Counter()
    skipped: list[Skipped] = []
    for item in found:
        match item:
            case ImportedSource():
                outcome = _carried(env, scope, item, shelf)
            case Skipped():
                outcome = item
            case _:
                assert_never(item)
        if isinstance(outcome, Skipped):
            skipped.append(outcome)
            outcome = ImportOutcome.SKIPPED
        fates[outcome] += 1
        if progress is not None:
            progress(ImportProgress(where=item.where, fate=outcome, share=item.share))
    return ImportReport(
        added=fates[ImportOutcome.ADDED],
        grown=fates[ImportOutcome.GROWN],
        changed=fates[ImportOutcome.CHANGED],
        known=fates[ImportOutcome.KNOWN],
        skipped=tuple(skipped),
    )


def _carried(
    env: Env, scope: Scope, found: ImportedSource, shelf: _KnownSources | None
) -> ImportOutcome | Skipped:
    draft = _draft(env, scope, found)
    if isinstance(draft, Skipped):
        return draft
    try:
        decision = _decision(env, scope, found, draft, shelf)
        if isinstance(decision, Leave):
            return ImportOutcome.KNOWN
        _insist_not_erased(env, scope, decision)
        if shelf is not None:
            return _noted(env, scope, decision, shelf)
        with env.atomic(durable=True):  # others may be carrying the same: look again
            decision = _decision(env, scope, found, draft, None)
            if isinstance(decision, Leave):
                return ImportOutcome.KNOWN
            add_source(env, scope, decision.request)
    except (InvalidInput, Forbidden) as problem:
        return Skipped(where=found.where, why=str(problem))
    return decision.fate


def _draft(env: Env, scope: Scope, found: ImportedSource) -> CheckedSource | Skipped:
    try:
        return add.check_request(env, scope, found.request)
    except (InvalidInput, Forbidden) as problem:
        return Skipped(where=found.where, why=str(problem))
    except Exception as problem:  # one odd letter among ten thousand must not stop the rest
        log.warning("could not be read", extra={"where": found.where}, exc_info=True)
        why = f"a fault in Remanent itself: {type(problem).__name__}: {problem}"
        return Skipped(where=found.where, why=why)


def _decision(
    env: Env, scope: Scope, found: ImportedSource, draft: CheckedSource, shelf: _KnownSources | None
) -> dedupe.Decision:
    chain = _chain(env, scope, found, draft, shelf)
    if chain:
        decision = dedupe.decide(found, draft, chain)
        if isinstance(decision, Leave):
            return decision
        draft = add.check_request(env, scope, decision.request)
    else:
        decision = Take(request=found.request, fate=ImportOutcome.ADDED)
    return Leave() if _is_here(env, scope, draft, shelf) else decision


def _chain(
    env: Env, scope: Scope, found: ImportedSource, draft: CheckedSource, shelf: _KnownSources | None
) -> list[KnownSource]:
    """What is here of this origin: the first source, and its continuations or this version."""
    origin = draft.origin_id
    if origin is None:
        return []
    chain: list[KnownSource] = []
    following: str | None = origin
    while following is not None:
        kept = _kept(env, scope, key_for(scope.user_id, Kind.SOURCE, "origin", following), shelf)
        if kept is None:
            break
        chain.append(kept)
        if found.versioned:
            version = dedupe.version_origin(origin, draft.raw)
            following = version if len(chain) == 1 else None
        else:
            following = dedupe.next_origin(origin, chain)
    return chain


def _kept(env: Env, scope: Scope, key: str, shelf: _KnownSources | None) -> KnownSource | None:
    if shelf is not None and key in shelf.kept:
        return shelf.kept[key]
    raw = env.ledger.raw(scope, key)
    return None if raw is None else dedupe.kept(raw.content, is_json=raw.is_json)


def _is_here(env: Env, scope: Scope, draft: CheckedSource, shelf: _KnownSources | None) -> bool:
    if shelf is not None and draft.digest in shelf.digests:
        return True
    return add.known_source(env, scope, draft) is not None


def _insist_not_erased(env: Env, scope: Scope, decision: Take) -> None:
    """What the user erased only they bring back, by hand."""
    marks = env.ledger.erased(scope)
    if marks:
        draft, secret = add.check_request(env, scope, decision.request), env.stores.erasing.secret()
        words = (draft.source_key, draft.digest)
        if tombstones.is_marked(marks, secret, scope.user_id, words):
            raise Forbidden(ERASED)


def _noted(env: Env, scope: Scope, decision: Take, shelf: _KnownSources) -> ImportOutcome:
    draft = add.check_request(env, scope, decision.request)
    key = draft.source_key
    shelf.kept[key] = dedupe.kept(draft.raw, is_json=draft.is_json)
    shelf.digests.add(draft.digest)
    if shelf.taken is not None:
        shelf.taken(draft)
    return decision.fate


def found_in(path: Path, as_: str | None, *, zone: str, clock: Clock) -> Iterator[Item]:
    """What the importers find in a file, an archive or a folder; they are loaded when first asked."""
    from remanent.ingest.importers import read  # noqa: PLC0415 - they are loaded when first asked

    return read(path, as_, zone=ZoneInfo(zone), now=clock.now())
