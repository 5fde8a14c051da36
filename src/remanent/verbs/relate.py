"""Relate: what a source says of two anchors becomes a bi-temporal relationship (SPEC 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.clock import Clock
from remanent.model.anchor import Note
from remanent.model.keys import key_for
from remanent.model.reading import RelationDraft
from remanent.model.relationship import Relationship
from remanent.model.scope import Scope
from remanent.model.source import Source
from remanent.ports.graph import Graph
from remanent.rules import relation, resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Relate:
    """A change closes the old edge and opens a new one; what a source said once is not said twice.

    Runs inside the caller's transaction.
    """

    graph: Graph
    clock: Clock

    def __call__(
        self, scope: Scope, source: Source, src: str, dst: str, draft: RelationDraft
    ) -> None:
        """Open, confirm or close the relationship that `draft` tells of."""
        ends = self.graph.get_many(scope, [src, dst])
        if src == dst or len(ends) < 2:
            return
        kind, swapped = relation.kind_of(ends[src].kind, ends[dst].kind)
        if swapped:
            src, dst = dst, src
        known = [
            one
            for one in self.graph.relationships(scope, src, history=True)
            if one.kind is kind and one.relationship_type == draft.relationship_type
        ]
        same = [one for one in known if {one.src, one.dst} == {src, dst}]
        at = source.started_at
        if draft.ended:
            self._close([one for one in same if one.holds_at(at)], scope, at)
            return
        now = self.clock.now()
        confirmed = next((one for one in same if one.holds_at(at)), None)
        if confirmed is not None:
            self._confirm(scope, source, confirmed, draft)
            return
        rivals = [one for one in known if one not in same] if draft.single else []
        self._close([one for one in rivals if one.holds_at(at)], scope, at)
        later = [one.valid_from for one in (*rivals, *same) if one.valid_from > at]
        self.graph.relate(
            scope,
            Relationship(
                key=key_for(
                    scope.user_id,
                    "relationship",
                    kind,
                    src,
                    dst,
                    draft.relationship_type,
                    at.isoformat(),
                ),
                user_id=scope.user_id,
                kind=kind,
                src=src,
                dst=dst,
                relationship_type=draft.relationship_type,
                description=draft.description,
                attitude=relation.clamped(draft.attitude),
                proximity=relation.clamped(draft.proximity),
                confidence=draft.confidence,
                notes=(_note(scope, source, draft),),
                is_dirty=True,
                recorded_by=scope.user_id,
                recorded_at=now,
                valid_from=at,
                valid_to=min(later, default=None),  # told late: it held until the next one began
                created_at=now,
                updated_at=now,
            ),
        )

    def _confirm(
        self, scope: Scope, source: Source, known: Relationship, draft: RelationDraft
    ) -> None:
        noted = resolution.with_note(known, _note(scope, source, draft))
        if noted is not known:
            self.graph.relate(scope, replace(noted, updated_at=self.clock.now()))

    def _close(self, open_ones: Sequence[Relationship], scope: Scope, at: datetime) -> None:
        for one in open_ones:
            if one.valid_from < at:
                self.graph.relate(scope, replace(one, valid_to=at, updated_at=self.clock.now()))


def _note(scope: Scope, source: Source, draft: RelationDraft) -> Note:
    return Note(
        content=draft.description,
        added_by=scope.user_id,
        date_added=source.started_at,
        source_key=source.key,
    )
