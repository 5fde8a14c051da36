"""Expired notes are removed, once the description says what they said (SPEC 7).

A note on something that is still to be described stays until it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from remanent.core import index_entries
from remanent.core.env import Env, Night
from remanent.core.index_entries import ALL_NOTES, Stale, stale_lines
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import NOTES_EXPIRED, Event
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome
from remanent.core.new_event import effective_at
from remanent.core.ports.index import Entry
from remanent.sleep.descriptions import MOST_TOLD

_BATCH = 100  # anchors and relationships of one transaction
_PAGE = 10_000  # of which the store tells at a time


def expire_notes(night: Night) -> JobOutcome:
    """Take away what has expired by `at`."""
    env, scope = night.env, night.scope
    while expired := env.graph.expired(scope, night.at, limit=_PAGE):
        for keys in night.batches(list(expired), _BATCH):
            night.counts["expired"] += _expire(night, {key: expired[key] for key in keys})
            listed = keys[: MOST_TOLD - len(night.changes)]
            night.changes += _changes(env, scope, expired, listed)
    return night.outcome


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Take away once more what the event says had expired."""
    at, keys = effective_at(event), [str(key) for key in event.payload["on"]]
    changed = _without_expired(env, scope, at, keys)
    with env.atomic():
        _take_away(env, scope, at, keys, changed)


def _expire(night: Night, expired: Mapping[str, int]) -> int:
    """Take away the notes of these keys, of which each has so many."""
    env, scope, at, keys = night.env, night.scope, night.at, list(expired)
    changed = _without_expired(env, scope, at, keys)
    with env.atomic(durable=True):
        payload = {"at": at.isoformat(), "notes": sum(expired.values()), "on": expired}
        env.ledger.append(night.event(NOTES_EXPIRED, payload))
        return _take_away(env, scope, at, keys, changed)


def _without_expired(
    env: Env, scope: Scope, at: datetime, keys: Sequence[str]
) -> list[tuple[Stale, Entry]]:
    """What these are to be found by without the notes that go."""
    stale = stale_lines(scope, env.graph, keys, at=at)
    lines = [line for line, _ in stale]
    return list(zip(stale, index_entries.entries(env, scope, lines), strict=True)) if stale else []


def _take_away(
    env: Env,
    scope: Scope,
    at: datetime,
    keys: Sequence[str],
    changed: Sequence[tuple[Stale, Entry]],
) -> int:
    notes = env.graph.notes(scope, *keys, limit=ALL_NOTES)
    over = (one for one in notes if one.expires_at is not None and one.expires_at <= at)
    gone = sum(env.graph.drop_note(scope, one) for one in over)
    # Whoever wrote a note meanwhile makes it findable too, by what it says then.
    now = {line.key: line.text for line, _ in stale_lines(scope, env.graph, keys, at=at)}
    same = [(mark, entry) for (line, mark), entry in changed if now.get(line.key) == line.text]
    for mark, _ in same:
        mark()
    env.index.put([entry for _, entry in same])
    return gone


def _changes(
    env: Env, scope: Scope, expired: Mapping[str, int], keys: Sequence[str]
) -> list[Change]:
    nodes = env.graph.get_many(scope, keys)
    return [
        Change(what="expired", key=key, name=name, why=_why(expired[key]))
        for key in keys
        for node in [nodes.get(key)]
        for name in [node.name if isinstance(node, Anchor) else "a relationship"]
    ]


def _why(count: int) -> str:
    return "1 note was past its time" if count == 1 else f"{count} notes were past their time"
