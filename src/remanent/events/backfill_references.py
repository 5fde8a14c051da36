"""Refer: people and things that become known after the events that name them (SPEC 2, stage 2).

An event is linked to an anchor it names whichever of the two was there first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from remanent.anchors.rules.query import calls
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.anchor_names import Name
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.events import enrich
from remanent.events.enrich import link_from
from remanent.events.project import ENRICHMENT

_MOST: Final = 1000  # events looked at for one name


def backfill_references(env: Env, scope: Scope, source_key: str) -> int:
    """Link the events that name what this source mentions; how many links are new."""
    if not env.ledger.position(scope, ENRICHMENT):  # no agent has recorded anything
        return 0
    mentions = env.graph.links(scope, source_key, kinds=(LinkKind.MENTIONS,), outward=True)
    anchors = env.graph.get_many(scope, [one.dst for one in mentions]) if mentions else {}
    found = [
        (event, name.key)
        for anchor in anchors.values()
        if isinstance(anchor, Anchor) and not (name := _name(anchor)).is_owner
        for event in _naming(env, scope, name)
    ]
    with env.atomic():
        return sum(_linked(env, scope, event.key, anchor) for event, anchor in found)


def _naming(env: Env, scope: Scope, name: Name) -> Iterator[EventNode]:
    spelled = (name.name, *name.aliases)
    keys = dict.fromkeys(
        match.key
        for one in spelled
        for match in env.index.match(scope, one, kinds=(Kind.EVENT,), limit=_MOST)
    )
    for node in env.graph.get_many(scope, list(keys)).values():
        if isinstance(node, EventNode) and node.is_enriched and calls(node.text, name):
            yield node


def _linked(env: Env, scope: Scope, key: str, anchor: str) -> bool:
    node = env.graph.get(scope, key)
    if not isinstance(node, EventNode) or env.graph.get(scope, anchor) is None:
        return False
    if not env.graph.link(scope, link_from(node, LinkKind.REFERENCES, anchor)):
        return False
    event = env.ledger.event(scope, node.event_id)
    if event is not None:
        enrich.weigh(env, scope, node, event, before=node)
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
