"""Refer: people and things that become known after the events that name them (SPEC 2, stage 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from remanent.anchors.rules.query import calls
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.anchor_names import Name
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.events.enrich import Enrich, link_from
from remanent.events.project import ENRICHMENT

_MOST: Final = 1000  # events looked at for one name


@dataclass(frozen=True, slots=True, kw_only=True)
class Refer:
    """An event is linked to an anchor it names whichever of the two was there first."""

    ledger: Ledger
    graph: Graph
    index: Index
    atomic: Atomic
    enrich: Enrich

    def __call__(self, scope: Scope, source_key: str) -> int:
        """Link the events that name what this source mentions; how many links are new."""
        if not self.ledger.position(scope, ENRICHMENT):  # no agent has recorded anything
            return 0
        mentions = self.graph.links(scope, source_key, kinds=(LinkKind.MENTIONS,), outward=True)
        anchors = self.graph.get_many(scope, [one.dst for one in mentions]) if mentions else {}
        found = [
            (event, name.key)
            for anchor in anchors.values()
            if isinstance(anchor, Anchor) and not (name := _name(anchor)).is_owner
            for event in self._naming(scope, name)
        ]
        with self.atomic():
            return sum(self._linked(scope, event.key, anchor) for event, anchor in found)

    def _naming(self, scope: Scope, name: Name) -> Iterator[EventNode]:
        spelled = (name.name, *name.aliases)
        keys = dict.fromkeys(
            match.key
            for one in spelled
            for match in self.index.match(scope, one, kinds=(Kind.EVENT,), limit=_MOST)
        )
        for node in self.graph.get_many(scope, list(keys)).values():
            if isinstance(node, EventNode) and node.is_enriched and calls(node.text, name):
                yield node

    def _linked(self, scope: Scope, key: str, anchor: str) -> bool:
        node = self.graph.get(scope, key)
        if not isinstance(node, EventNode) or self.graph.get(scope, anchor) is None:
            return False
        if not self.graph.link(scope, link_from(node, LinkKind.REFERENCES, anchor)):
            return False
        event = self.ledger.event(scope, node.event_id)
        if event is not None:
            self.enrich.weigh(scope, node, event, before=node)
        return True


def _name(anchor: Anchor) -> Name:
    return Name(
        key=anchor.key,
        kind=anchor.kind,
        name=anchor.name,
        type=str(getattr(anchor, "type", "")),
        aliases=anchor.aliases,
        is_owner=isinstance(anchor, Person) and anchor.is_owner,
    )
