"""Descriptions of anchors and relationships, written anew from their notes every night (SPEC 7).

The mind is asked outside the transaction; what got another note meanwhile stays dirty.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from remanent.anchors.owner import owner_key
from remanent.core import by_hand, index_entries
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env, Night, Quota
from remanent.core.index_entries import ALL_NOTES, ANCHOR_NOTES, IndexLine, anchor_line, line_digest
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.event import DESCRIBED, Event
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome
from remanent.core.new_event import effective_at
from remanent.core.on_behalf import mind_for_words_of
from remanent.core.ports.index import Entry
from remanent.errors import MindError
from remanent.sleep import rules

_BATCH = 25  # described and embedded together, in one transaction
_LONGEST = 400  # characters of a note that has to do for a description
MOST_TOLD = 100  # changes that a night tells of one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """An anchor or a relationship, the notes on it, and what the mind made of them."""

    thing: Anchor | Relationship
    name: str
    notes: tuple[Note, ...]
    text: str

    @property
    def sources(self) -> list[str]:
        return sorted({one.source_key or "" for one in self.notes})

    @property
    def is_news(self) -> bool:
        return self.text != self.thing.description


def describe_things(night: Night) -> JobOutcome:
    """Describe what has new notes, what has most of them first."""
    env, counts = night.env, night.counts
    since = rules.accessed_since(night.at, env.config.nightly)
    quota = night.quota(env.config.nightly.describe_most)
    keys, total = env.graph.dirty(night.scope, limit=quota.left, accessed_since=since)
    for batch in night.batches(keys, _BATCH):
        for description in _describe(night, batch, quota):
            counts["described" if description.is_news else "unchanged"] += 1
            if description.is_news and len(night.changes) < MOST_TOLD:
                night.changes.append(_change(description))
    night.left = total - counts.total()
    return night.outcome


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Describe again what the event names, from the notes of the sources it names."""
    at = effective_at(event)
    things = [(str(one["key"]), frozenset(one["sources"])) for one in event.payload["things"]]
    descriptions = [
        one
        for key, sources in things
        if (one := _description_of(env, scope, key, at, sources)) is not None
    ]
    entries = _entries(env, scope, descriptions)
    with env.atomic():
        _write(env, scope, at, descriptions, entries)


def _describe(night: Night, keys: Sequence[str], quota: Quota) -> list[Description]:
    """Describe the things of these keys anew, in one event."""
    env, scope, at = night.env, night.scope, night.at
    descriptions = [
        one for key in keys if (one := _description_of(env, scope, key, at)) is not None
    ]
    entries = _entries(env, scope, descriptions)
    with env.atomic(durable=True):
        same = [one for one in descriptions if _is_same(env, scope, one)]
        if same:
            things = [{"key": one.thing.key, "sources": one.sources} for one in same]
            payload = {"at": at.isoformat(), "things": things}
            env.ledger.append(night.event(DESCRIBED, payload))
            _write(env, scope, at, same, entries)
            quota.take(len(same))
    return same


def _description_of(
    env: Env, scope: Scope, key: str, at: datetime, sources: Collection[str] | None = None
) -> Description | None:
    """What the mind says; None where it can say nothing now, or there is no such thing."""
    thing = load_thing(env, scope, key)
    if thing is None:
        return None
    notes, text = _notes(env, scope, key, sources), thing.description
    if not by_hand.has_word(thing, "description"):
        # A relationship keeps all its notes: what they say now does not depend on what was said.
        before = thing.description if isinstance(thing, Anchor) else ""
        try:
            text = described_text(env, scope, thing, before, notes, at)
        except MindError:
            return None
        text = text or thing.description or newest_words(notes)
    return Description(thing=thing, name=_name(env, scope, thing), notes=notes, text=text)


def described_text(
    env: Env,
    scope: Scope,
    thing: Anchor | Relationship,
    before: str,
    notes: Sequence[Note],
    at: datetime,
) -> str:
    """What the mind makes of these notes at `at`, knowing what was said `before`."""
    read = [one.content for one in rules.in_reading_order(notes, at)]
    if not read:
        return ""
    mind = mind_for_words_of(env.mind, scope, "describe", env.graph, _anchors_shown(scope, thing))
    return " ".join(mind.describe(_name(env, scope, thing), before, read).split())


def load_thing(env: Env, scope: Scope, key: str) -> Anchor | Relationship | None:
    """The caller's own anchor or relationship of that key."""
    node = env.graph.get(scope, key)
    if node is None:
        return env.graph.relationship(scope, key)
    return node if isinstance(node, Anchor) and node.user_id == scope.user_id else None


def _notes(
    env: Env, scope: Scope, key: str, sources: Collection[str] | None = None
) -> tuple[Note, ...]:
    """The newest notes on it, oldest of them first; where given, of those that these sources gave."""
    most = max(1, env.config.nightly.describe_notes)
    if sources is None:
        return tuple(env.graph.notes(scope, key, limit=most))
    every = env.graph.notes(scope, key, limit=ALL_NOTES)
    return tuple(rules.notes_of_sources(every, sources)[-most:])


def _name(env: Env, scope: Scope, thing: Anchor | Relationship) -> str:
    if isinstance(thing, Anchor):
        return thing.name
    ends = env.graph.get_many(scope, [thing.src, thing.dst])
    names = [one.name for one in ends.values() if isinstance(one, Anchor)]
    return " and ".join(names)


def _anchors_shown(scope: Scope, thing: Anchor | Relationship) -> list[str]:
    """Keys of those whose words the mind is shown. The owner's name is in the profile anyway."""
    if isinstance(thing, Anchor):
        return [thing.key]
    owner = owner_key(scope.user_id)
    return [thing.key, *(end for end in (thing.src, thing.dst) if end != owner)]


def _entries(
    env: Env, scope: Scope, descriptions: Sequence[Description]
) -> dict[str, tuple[Entry, str]]:
    """What anchors are to be found by from now on, where that changes, with its digest."""
    lines = [
        line
        for one in descriptions
        if (line := _line(one)) is not None and line_digest([line]) != one.thing.line_digest
    ]
    entries = index_entries.entries(env, scope, lines) if lines else []
    return {
        line.key: (entry, line_digest([line])) for line, entry in zip(lines, entries, strict=True)
    }


def _is_same(env: Env, scope: Scope, description: Description) -> bool:
    """Whether it is dirty as it was when the mind was asked, with the notes it had."""
    now = load_thing(env, scope, description.thing.key)
    if now is None or now.description != description.thing.description:
        return False
    if now.description and not now.is_dirty:
        return False
    return _notes(env, scope, now.key) == description.notes


def _write(
    env: Env,
    scope: Scope,
    at: datetime,
    descriptions: Sequence[Description],
    entries: dict[str, tuple[Entry, str]],
) -> None:
    for written in descriptions:
        now = load_thing(env, scope, written.thing.key)
        if now is None:
            continue
        when = max(at, now.updated_at) if written.is_news else now.updated_at
        fresh = replace(now, description=written.text, is_dirty=False, updated_at=when)
        if isinstance(fresh, Relationship):
            env.graph.relate(scope, fresh)
            continue
        entry, digest = entries.get(fresh.key, (None, fresh.line_digest))
        env.graph.put(scope, replace(fresh, line_digest=digest))
        if entry is not None:
            env.index.put([entry])


def _line(description: Description) -> IndexLine | None:
    if not isinstance(description.thing, Anchor):
        return None
    return anchor_line(
        replace(description.thing, description=description.text), description.notes[-ANCHOR_NOTES:]
    )


def newest_words(notes: Sequence[Note]) -> str:
    """The newest words there are, for something that the mind has nothing to say of."""
    texts = (" ".join(one.content.split())[:_LONGEST] for one in reversed(notes))
    return next(filter(None, texts), "")


def _change(description: Description) -> Change:
    count, key = len(description.notes), description.thing.key
    notes = "1 note" if count == 1 else f"{count} notes"
    why = f"from {notes}: {description.text}"
    return Change(what="described", key=key, name=description.name, why=why)
