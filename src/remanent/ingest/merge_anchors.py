"""Merge and split: two anchors become one by hand, and two again.

A merge is one link, `same_as`; every source that spoke of the merged anchor is drawn again
through it. Splitting takes the link away and draws them once more: nothing is lost in between.
"""

from __future__ import annotations

from datetime import datetime

from remanent.anchors.relationships import redraw_hands
from remanent.anchors.resolve import final
from remanent.anchors.write import Changed, clear, write_extraction
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.event import ANCHOR_MERGED, ANCHOR_SPLIT, Event
from remanent.core.model.lifecycle import State
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest import extract
from remanent.ingest.correct import adopt_words, return_words
from remanent.stories.sources import attach_source, hand_over


def merge_anchors(env: Env, scope: Scope, key: str, into: str) -> Anchor:
    """File all that is known of `key` under `into`; the same again changes nothing."""
    now = env.clock.now()
    with env.atomic(durable=True):
        gone, kept = _anchor(env, scope, key), _anchor(env, scope, into)
        _check(env, scope, gone, kept)
        if final(env, scope, gone.key) == kept.key:
            return kept
        _note_down(env, scope, ANCHOR_MERGED, gone.key, kept.key, now)
        touched = _merged(env, scope, gone.key, kept.key, now)
    extract.make_findable(env, scope, touched)
    return _anchor(env, scope, into)


def split_anchor(env: Env, scope: Scope, key: str) -> Anchor:
    """Take back the merge of `key` into another; what was said of it is its own again."""
    now = env.clock.now()
    with env.atomic(durable=True):
        gone = _anchor(env, scope, key)
        links = env.graph.links(scope, gone.key, kinds=(LinkKind.SAME_AS,), outward=True)
        if not links:
            raise InvalidInput("key", f"{gone.name!r} is not merged into another")
        _note_down(env, scope, ANCHOR_SPLIT, gone.key, links[0].dst, now)
        touched = _split(env, scope, links[0], now)
    extract.make_findable(env, scope, touched)
    return _anchor(env, scope, key)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Merge or split once more what the event names, where both are there."""
    key, into = str(event.payload["key"]), str(event.payload["into"])
    if len(env.graph.get_many(scope, [key, into])) < len({key, into}):
        return
    with env.atomic():
        links = env.graph.links(scope, key, kinds=(LinkKind.SAME_AS,), outward=True)
        merged = [one for one in links if one.dst == into]
        if bool(merged) is (event.event_type == ANCHOR_MERGED):
            return
        at = event.recorded_at
        if merged:
            touched = _split(env, scope, merged[0], at)
        else:
            touched = _merged(env, scope, key, into, at)
    extract.make_findable(env, scope, touched)


def _merged(env: Env, scope: Scope, gone: str, kept: str, now: datetime) -> Changed:
    """What was drawn anew."""
    env.graph.link(scope, Link(scope.user_id, LinkKind.SAME_AS, gone, kept, now))
    adopt_words(env, scope, gone, kept)
    touched = write_extraction(env, scope, _mentioning(env, scope, gone))
    touched.relationships |= redraw_hands(env, scope, (gone, kept))
    touched.anchors.add(kept)
    hand_over(env, scope, gone, kept)
    attach_source(env, scope, [*touched.sources, *_mentioning(env, scope, kept)])
    touched.anchors.discard(gone)
    _retire(env, scope, gone, now)
    return touched


def _split(env: Env, scope: Scope, link: Link, now: datetime) -> Changed:
    env.graph.unlink(scope, link)
    _revive(env, scope, link.src, now)
    return_words(env, scope, link.src, link.dst)
    touched = write_extraction(env, scope, _mentioning(env, scope, link.dst))
    touched.relationships |= redraw_hands(env, scope, (link.src, link.dst))
    clear(env, scope, touched)
    attach_source(env, scope, touched.sources)
    return touched


def _anchor(env: Env, scope: Scope, key: str) -> Anchor:
    node = env.graph.get(scope, key)
    if not isinstance(node, Anchor):
        raise UnknownKey(key)
    return node


def _check(env: Env, scope: Scope, gone: Anchor, kept: Anchor) -> None:
    if gone.key == kept.key:
        raise InvalidInput("into", "an anchor cannot be merged into itself")
    if gone.kind is not kept.kind:
        raise InvalidInput("into", f"a {gone.kind} cannot be merged into a {kept.kind}")
    if isinstance(gone, Person) and gone.is_owner:
        raise InvalidInput("key", "the owner cannot be merged away; merge the other into the owner")
    for anchor, field in ((gone, "key"), (kept, "into")):
        links = env.graph.links(scope, anchor.key, kinds=(LinkKind.SAME_AS,), outward=True)
        if links and links[0].dst != kept.key:
            raise InvalidInput(field, f"{anchor.name!r} is merged into another; split it first")


def _note_down(env: Env, scope: Scope, event_type: str, key: str, into: str, now: datetime) -> None:
    env.append(scope, event_type, {"key": key, "into": into}, now=now)


def _mentioning(env: Env, scope: Scope, key: str) -> list[str]:
    links = env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)
    return sorted({link.src for link in links})


def _retire(env: Env, scope: Scope, key: str, now: datetime) -> None:
    anchor = _anchor(env, scope, key)
    life = replace(anchor.life, state=State.ARCHIVED)
    env.graph.put(scope, replace(anchor, life=life, line_digest="", updated_at=now))
    env.index.remove([key])


def _revive(env: Env, scope: Scope, key: str, now: datetime) -> None:
    anchor = _anchor(env, scope, key)
    life = replace(anchor.life, state=State.ACTIVE)
    env.graph.put(scope, replace(anchor, life=life, updated_at=now))
