"""Merge and split: two anchors become one by hand, and two again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from remanent.anchors.write import Draw, Touched
from remanent.clock import Clock
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.event import ANCHOR_MERGED, ANCHOR_SPLIT, Event
from remanent.core.model.lifecycle import State
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.extract import Extract


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A merge is one link, `same_as`; every source that spoke of the merged anchor is drawn again
    through it. Splitting takes the link away and draws them once more: nothing is lost in between."""

    graph: Graph
    index: Index
    ledger: Ledger
    draw: Draw
    extract: Extract
    atomic: Atomic
    clock: Clock

    def __call__(self, scope: Scope, key: str, into: str) -> Anchor:
        """File all that is known of `key` under `into`; the same again changes nothing."""
        now = self.clock.now()
        with self.atomic(durable=True):
            gone, kept = self._anchor(scope, key), self._anchor(scope, into)
            self._check(scope, gone, kept)
            touched = self._merged(scope, gone.key, kept.key, now)
            if touched is None:
                return kept
            self._note_down(scope, ANCHOR_MERGED, gone.key, kept.key, now)
        self.extract.make_findable(scope, touched)
        return self._anchor(scope, into)

    def split(self, scope: Scope, key: str) -> Anchor:
        """Take back the merge of `key` into another; what was said of it is its own again."""
        now = self.clock.now()
        with self.atomic(durable=True):
            gone = self._anchor(scope, key)
            links = self.graph.links(scope, gone.key, kinds=(LinkKind.SAME_AS,), outward=True)
            if not links:
                raise InvalidInput("key", f"{gone.name!r} is not merged into another")
            touched = self._split(scope, links[0], now)
            self._note_down(scope, ANCHOR_SPLIT, gone.key, links[0].dst, now)
        self.extract.make_findable(scope, touched)
        return self._anchor(scope, key)

    def apply(self, scope: Scope, event: Event) -> None:
        """Merge or split once more what the event names, where both are there."""
        key, into = str(event.payload["key"]), str(event.payload["into"])
        if len(self.graph.get_many(scope, [key, into])) < len({key, into}):
            return
        with self.atomic():
            if event.event_type == ANCHOR_MERGED:
                touched = self._merged(scope, key, into, event.recorded_at)
            else:
                links = self.graph.links(scope, key, kinds=(LinkKind.SAME_AS,), outward=True)
                found = [one for one in links if one.dst == into]
                touched = self._split(scope, found[0], event.recorded_at) if found else None
        if touched is not None:
            self.extract.make_findable(scope, touched)

    def _merged(self, scope: Scope, gone: str, kept: str, now: datetime) -> Touched | None:
        """What was drawn anew; None where they are one already."""
        if not self.graph.link(scope, _same_as(scope, gone, kept, now)):
            return None
        touched = self.draw(scope, self._mentioning(scope, gone))
        self.extract.attach.hand_over(scope, gone, kept)
        self.extract.attach(scope, [*touched.sources, *self._mentioning(scope, kept)])
        touched.anchors.discard(gone)
        self._retire(scope, gone, now)
        return touched

    def _split(self, scope: Scope, link: Link, now: datetime) -> Touched:
        self.graph.unlink(scope, link)
        self._revive(scope, link.src, now)
        touched = self.draw(scope, self._mentioning(scope, link.dst))
        self.extract.attach(scope, touched.sources)
        return touched

    def _anchor(self, scope: Scope, key: str) -> Anchor:
        node = self.graph.get(scope, key)
        if not isinstance(node, Anchor):
            raise UnknownKey(key)
        return node

    def _check(self, scope: Scope, gone: Anchor, kept: Anchor) -> None:
        if gone.key == kept.key:
            raise InvalidInput("into", "an anchor cannot be merged into itself")
        if gone.kind is not kept.kind:
            raise InvalidInput("into", f"a {gone.kind} cannot be merged into a {kept.kind}")
        if isinstance(gone, Person) and gone.is_owner:
            raise InvalidInput(
                "key", "the owner cannot be merged away; merge the other into the owner"
            )
        for anchor, field in ((gone, "key"), (kept, "into")):
            links = self.graph.links(scope, anchor.key, kinds=(LinkKind.SAME_AS,), outward=True)
            if links and links[0].dst != kept.key:
                raise InvalidInput(field, f"{anchor.name!r} is merged into another; split it first")

    def _note_down(self, scope: Scope, event_type: str, key: str, into: str, now: datetime) -> None:
        payload = {"key": key, "into": into}
        self.ledger.append(happening(scope.user_id, event_type, payload, now=now))

    def _mentioning(self, scope: Scope, key: str) -> list[str]:
        links = self.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
        return sorted({link.src for link in links})

    def _retire(self, scope: Scope, key: str, now: datetime) -> None:
        anchor = self._anchor(scope, key)
        life = replace(anchor.life, state=State.ARCHIVED)
        self.graph.put(scope, replace(anchor, life=life, line_digest="", updated_at=now))
        self.index.remove([key])

    def _revive(self, scope: Scope, key: str, now: datetime) -> None:
        anchor = self._anchor(scope, key)
        life = replace(anchor.life, state=State.ACTIVE)
        self.graph.put(scope, replace(anchor, life=life, updated_at=now))


def _same_as(scope: Scope, src: str, dst: str, now: datetime) -> Link:
    return Link(user_id=scope.user_id, kind=LinkKind.SAME_AS, src=src, dst=dst, created_at=now)
