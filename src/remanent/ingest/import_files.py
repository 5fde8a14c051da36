"""Carry: the past, from files, through the one door; as often as one likes.

Some sources at a time are one durable transaction: whoever is killed half-way just begins again.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from remanent.anchors.owner import owner_key
from remanent.clock import Clock
from remanent.core import event_lookup, tombstones
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.errors import Forbidden, InvalidInput
from remanent.ingest import add
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
)
from remanent.ingest.rules.request import AddRequest, CheckedSource

Progress = Callable[[ImportProgress], None]
Taken = Callable[[CheckedSource], None]
_Outcome = ImportOutcome | Skipped
_Drafted = tuple[Item, CheckedSource | Skipped]
_MOST_AT_ONCE: Final = 50
_CHARACTERS_AT_ONCE: Final = 200_000
ERASED = "it was erased; add it by hand to have it back"

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; the report has it too


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
    run = _Import(env, scope, dry_run, taken)
    fates: Counter[ImportOutcome] = Counter()
    skipped: list[Skipped] = []
    for item, outcome in run.take(items):
        if isinstance(outcome, Skipped):
            skipped.append(outcome)
            outcome = ImportOutcome.SKIPPED
        fates[outcome] += 1
        if progress is not None:
            came = outcome not in (ImportOutcome.KNOWN, ImportOutcome.SKIPPED)
            named = item.request.origin_id if isinstance(item, ImportedSource) else None
            told = ImportProgress(where=item.where, fate=outcome, share=item.share)
            progress(replace(told, origin=named or (run.sources[-1] if came else "")))
    return ImportReport(
        added=fates[ImportOutcome.ADDED],
        grown=fates[ImportOutcome.GROWN],
        changed=fates[ImportOutcome.CHANGED],
        known=fates[ImportOutcome.KNOWN],
        skipped=tuple(skipped),
        reasons=dict(Counter(one.why for one in skipped).most_common()),
        sources=tuple(run.sources),
    )


@dataclass(slots=True)
class _Import:
    """One run: the keys of what came in, and of a dry run all that it would have written by now."""

    env: Env
    scope: Scope
    dry_run: bool
    taken: Taken | None
    sources: list[str] = field(default_factory=list)
    kept: dict[str, KnownSource] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)

    def take(self, items: Iterable[Item]) -> Iterator[tuple[Item, _Outcome]]:
        """Take in what is new; each with what became of it, once that is on the disk."""
        for batch in _batches((item, self._draft(item)) for item in items):
            known = 0 if self.dry_run else sum(1 for _ in takewhile(self._is_known, batch))
            outcomes: list[_Outcome] = [ImportOutcome.KNOWN] * known
            if known < len(batch):
                outcomes += self._taken(batch[known:])
            yield from zip([item for item, _ in batch], outcomes, strict=True)

    def _taken(self, batch: Sequence[_Drafted]) -> list[_Outcome]:
        if self.dry_run:
            return [self._outcome(*one) for one in batch]
        with self.env.atomic(
            self.scope, durable=True
        ):  # others may be carrying the same: look again
            return [self._outcome(*one) for one in batch]

    def _is_known(self, drafted: _Drafted) -> bool:
        """Whether all of it is here: nothing has to be written for that."""
        item, draft = drafted
        if isinstance(item, Skipped) or isinstance(draft, Skipped):
            return False
        with suppress(InvalidInput, Forbidden):
            return self._fresh(item, draft) is None
        return False

    def _outcome(self, item: Item, draft: CheckedSource | Skipped) -> _Outcome:
        if isinstance(item, Skipped):
            return item
        if isinstance(draft, Skipped):
            return draft
        try:
            new = self._fresh(item, draft)
            if new is None:
                return ImportOutcome.KNOWN
            fate, fresh = new
            self._insist_not_erased(fresh)
            if self.dry_run:
                self._note(fresh)
            else:
                with self.env.atomic(self.scope):
                    add.write_new(self.env, self.scope, fresh)
        except (InvalidInput, Forbidden) as problem:
            return Skipped(where=item.where, why=str(problem))
        self.sources.append(fresh.source_key)
        return fate

    def _checked(self, request: AddRequest) -> CheckedSource:
        return add.check_request(self.env, self.scope, request)

    def _draft(self, imported: Item) -> CheckedSource | Skipped:
        if isinstance(imported, Skipped):
            return imported
        try:
            return self._checked(imported.request)
        except (InvalidInput, Forbidden) as problem:
            return Skipped(where=imported.where, why=str(problem))
        except Exception as problem:  # one odd letter among ten thousand must not stop the rest
            log.warning("could not be read", extra={"where": imported.where}, exc_info=True)
            why = f"a fault in Remanent itself: {type(problem).__name__}: {problem}"
            return Skipped(where=imported.where, why=why)

    def _fresh(
        self, imported: ImportedSource, draft: CheckedSource
    ) -> tuple[ImportOutcome, CheckedSource] | None:
        """As what it comes in, and what of it is new; None if all of it is here."""
        chain, fate, fresh = self._chain(imported, draft), ImportOutcome.ADDED, draft
        if chain:
            decision = dedupe.decide(imported, draft, chain)
            if isinstance(decision, Leave):
                return None
            fate, fresh = decision.fate, self._checked(decision.request)
        if fresh.digest in self.digests:
            return None
        if add.known_source(self.env, self.scope, fresh) is None:
            return fate, fresh
        # It may have come since `chain` was read, by another import that had less of it.
        return None if self._chain(imported, draft) == chain else self._fresh(imported, draft)

    def _chain(self, imported: ImportedSource, draft: CheckedSource) -> list[KnownSource]:
        """What is here of this origin: the first source, and its continuations or this version."""
        chain, following = list[KnownSource](), draft.origin_id
        while following is not None and (kept := self._known_source(following)) is not None:
            chain.append(kept)
            if imported.versioned:
                version = dedupe.version_origin(draft.origin_id or "", draft.raw)
                following = version if len(chain) == 1 else None
            else:
                following = dedupe.next_origin(draft.origin_id or "", chain)
        return chain

    def _known_source(self, origin: str) -> KnownSource | None:
        key = key_for(self.scope.user_id, Kind.SOURCE, "origin", origin)
        if key in self.kept:
            return self.kept[key]
        raw = self.env.ledger.raw(self.scope, key)
        return None if raw is None else dedupe.known_source(raw.content, is_json=raw.is_json)

    def _insist_not_erased(self, fresh: CheckedSource) -> None:
        """What the user erased only they bring back, by hand."""
        marks = event_lookup.tombstones(self.env, self.scope)
        words = (fresh.source_key, fresh.digest)
        if marks and tombstones.marks_of(marks, self.env.secret(), self.scope.user_id, words):
            raise Forbidden(ERASED)

    def _note(self, fresh: CheckedSource) -> None:
        """What a dry run would have written."""
        self.kept[fresh.source_key] = dedupe.known_source(fresh.raw, is_json=fresh.is_json)
        self.digests.add(fresh.digest)
        if self.taken is not None:
            self.taken(fresh)


def _batches(drafted: Iterable[_Drafted]) -> Iterator[list[_Drafted]]:
    """Some at a time: few enough that who else writes hardly waits for them."""
    batch, characters = list[_Drafted](), 0
    for one in drafted:
        batch.append(one)
        characters += len(one[1].raw) if isinstance(one[1], CheckedSource) else 0
        if len(batch) >= _MOST_AT_ONCE or characters > _CHARACTERS_AT_ONCE:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def learned_from(env: Env, scope: Scope, keys: Sequence[str]) -> Learned:
    """What is known from these sources, those of them that the user may see. Looking is no access."""
    nodes = env.graph.get_many(scope, list(dict.fromkeys(keys))).values()
    sources = [one.key for one in nodes if isinstance(one, Source)]
    links = env.graph.links(scope, *sources, kinds=(LinkKind.MENTIONS,), outward=True)
    mentions = {link.dst for link in links}
    named = env.graph.get_many(scope, sorted(mentions - {owner_key(scope.user_id)}))
    kinds = Counter(one.kind for one in named.values())
    beliefs, told = env.graph.learned_from(scope, sources)
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
    path: Path, as_: str | None, *, zone: str, clock: Clock, only: Collection[str] | None = None
) -> Iterator[Item]:
    """What the importers find in a file, an archive or a folder, or in these files `only` of it; they are
    loaded when first asked."""
    from remanent.ingest.importers import read  # noqa: PLC0415 - they are loaded when first asked

    return read(path, as_, zone=ZoneInfo(zone), now=clock.now(), only=only)
