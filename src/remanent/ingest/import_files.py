"""Carry: the past, from files, through the one door; as often as one likes.

Every source is one durable transaction: whoever is killed half-way just begins again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never
from zoneinfo import ZoneInfo

from remanent.anchors.owner import owner_key
from remanent.clock import Clock
from remanent.core import tombstones
from remanent.core.env import Env
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
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
    Learned,
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
    items: Iterable[Item],
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
    sources: list[str] = []
    for item in items:
        match item:
            case ImportedSource():
                outcome = _import_source(env, scope, item, shelf, sources)
            case Skipped():
                outcome = item
            case _:
                assert_never(item)
        if isinstance(outcome, Skipped):
            skipped.append(outcome)
            outcome = ImportOutcome.SKIPPED
        fates[outcome] += 1
        if progress is not None:
            came = outcome not in (ImportOutcome.KNOWN, ImportOutcome.SKIPPED)
            named = item.request.origin_id if isinstance(item, ImportedSource) else None
            told = ImportProgress(where=item.where, fate=outcome, share=item.share)
            progress(replace(told, origin=named or (sources[-1] if came else "")))
    return ImportReport(
        added=fates[ImportOutcome.ADDED],
        grown=fates[ImportOutcome.GROWN],
        changed=fates[ImportOutcome.CHANGED],
        known=fates[ImportOutcome.KNOWN],
        skipped=tuple(skipped),
        reasons=dict(Counter(one.why for one in skipped).most_common()),
        sources=tuple(sources),
    )


def _import_source(
    env: Env,
    scope: Scope,
    imported: ImportedSource,
    known: _KnownSources | None,
    sources: list[str],
) -> ImportOutcome | Skipped:
    draft = _draft(env, scope, imported)
    if isinstance(draft, Skipped):
        return draft
    try:
        decision = _decision(env, scope, imported, draft, known)
        if isinstance(decision, Leave):
            return ImportOutcome.KNOWN
        _insist_not_erased(env, scope, decision)
        if known is not None:
            sources.append(_note_import(env, scope, decision, known))
            return decision.fate
        with env.atomic(durable=True):  # others may be carrying the same: look again
            decision = _decision(env, scope, imported, draft, None)
            if isinstance(decision, Leave):
                return ImportOutcome.KNOWN
            key = add_source(env, scope, decision.request)
        sources.append(key)
    except (InvalidInput, Forbidden) as problem:
        return Skipped(where=imported.where, why=str(problem))
    return decision.fate


def _draft(env: Env, scope: Scope, imported: ImportedSource) -> CheckedSource | Skipped:
    try:
        return add.check_request(env, scope, imported.request)
    except (InvalidInput, Forbidden) as problem:
        return Skipped(where=imported.where, why=str(problem))
    except Exception as problem:  # one odd letter among ten thousand must not stop the rest
        log.warning("could not be read", extra={"where": imported.where}, exc_info=True)
        why = f"a fault in Remanent itself: {type(problem).__name__}: {problem}"
        return Skipped(where=imported.where, why=why)


def _decision(
    env: Env,
    scope: Scope,
    imported: ImportedSource,
    draft: CheckedSource,
    known: _KnownSources | None,
) -> dedupe.Decision:
    chain = _chain(env, scope, imported, draft, known)
    if chain:
        decision = dedupe.decide(imported, draft, chain)
        if isinstance(decision, Leave):
            return decision
        draft = add.check_request(env, scope, decision.request)
    else:
        decision = Take(request=imported.request, fate=ImportOutcome.ADDED)
    return Leave() if _is_here(env, scope, draft, known) else decision


def _chain(
    env: Env,
    scope: Scope,
    imported: ImportedSource,
    draft: CheckedSource,
    known: _KnownSources | None,
) -> list[KnownSource]:
    """What is here of this origin: the first source, and its continuations or this version."""
    origin = draft.origin_id
    if origin is None:
        return []
    chain: list[KnownSource] = []
    following: str | None = origin
    while following is not None:
        kept = _known_source(
            env, scope, key_for(scope.user_id, Kind.SOURCE, "origin", following), known
        )
        if kept is None:
            break
        chain.append(kept)
        if imported.versioned:
            version = dedupe.version_origin(origin, draft.raw)
            following = version if len(chain) == 1 else None
        else:
            following = dedupe.next_origin(origin, chain)
    return chain


def _known_source(
    env: Env, scope: Scope, key: str, known: _KnownSources | None
) -> KnownSource | None:
    if known is not None and key in known.kept:
        return known.kept[key]
    raw = env.ledger.raw(scope, key)
    return None if raw is None else dedupe.known_source(raw.content, is_json=raw.is_json)


def _is_here(env: Env, scope: Scope, draft: CheckedSource, known: _KnownSources | None) -> bool:
    if known is not None and draft.digest in known.digests:
        return True
    return add.known_source(env, scope, draft) is not None


def _insist_not_erased(env: Env, scope: Scope, decision: Take) -> None:
    """What the user erased only they bring back, by hand."""
    marks = env.ledger.erased(scope)
    if marks:
        draft, secret = add.check_request(env, scope, decision.request), env.stores.erasing.secret()
        words = (draft.source_key, draft.digest)
        if tombstones.marks_of(marks, secret, scope.user_id, words):
            raise Forbidden(ERASED)


def _note_import(env: Env, scope: Scope, decision: Take, known: _KnownSources) -> str:
    draft = add.check_request(env, scope, decision.request)
    key = draft.source_key
    known.kept[key] = dedupe.known_source(draft.raw, is_json=draft.is_json)
    known.digests.add(draft.digest)
    if known.taken is not None:
        known.taken(draft)
    return key


def learned_from(env: Env, scope: Scope, keys: Sequence[str]) -> Learned:
    """What is known from these sources, those of them that the user may see. Looking is no access."""
    nodes = env.graph.get_many(scope, list(dict.fromkeys(keys))).values()
    sources = [one.key for one in nodes if isinstance(one, Source)]
    mentions = {
        link.dst
        for key in sources
        for link in env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=True)
    }
    named = env.graph.get_many(scope, sorted(mentions - {owner_key(scope.user_id)}))
    kinds = Counter(one.kind for one in named.values())
    beliefs, told = env.graph.beliefs_of(scope, sources), env.graph.relationships_of(scope, sources)
    return Learned(
        sources=len(sources),
        read=sum(env.graph.extraction(scope, key) is not None for key in sources),
        people=kinds[Kind.PERSON],
        concepts=kinds[Kind.CONCEPT],
        entities=kinds[Kind.ENTITY],
        beliefs=sum(one.status is BeliefStatus.ACTIVE for one in beliefs),
        relationships=len({one.key for _, one in told}),
    )


def found_in(
    path: Path,
    as_: str | None,
    *,
    zone: str,
    clock: Clock,
    only: Collection[str] | None = None,
) -> Iterator[Item]:
    """What the importers find in a file, an archive or a folder, or in these files `only` of it; they are
    loaded when first asked."""
    from remanent.ingest.importers import read  # noqa: PLC0415 - they are loaded when first asked

    return read(path, as_, zone=ZoneInfo(zone), now=clock.now(), only=only)
