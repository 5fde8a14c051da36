"""Episodic to semantic: old sources are distilled into notes and archived (SPEC 7).

One event and one transaction for a cluster; the mind is asked before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np

from remanent.anchors.owner import owner_key
from remanent.anchors.rules import resolution
from remanent.beliefs.rules import belief as rule
from remanent.core import visibility
from remanent.core.dataclasses import replace
from remanent.core.env import Env, Night, Quota
from remanent.core.model.anchor import Anchor, Lifetime, Note
from remanent.core.model.event import SOURCES_DISTILLED, Event
from remanent.core.model.lifecycle import State
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome, WornSource
from remanent.core.model.source import Passage, Source
from remanent.core.new_event import effective_at
from remanent.core.on_behalf import mind_for
from remanent.errors import MindError
from remanent.ingest.process import reading_of
from remanent.sleep import rules
from remanent.sleep.descriptions import MOST_TOLD
from remanent.sleep.rules import Alike, Cluster

BY_SLEEP = "sleep"  # who added a note that a night distilled: drawing its source again keeps it
_LOOKED_AT = 3000  # sources of which clusters are made in one night
_PASSAGES = 40  # of one part, shared out among its sources


def episodes_to_notes(night: Night) -> JobOutcome:
    """Distil what is worn, and groups that tell of the same."""
    quota = night.quota(night.env.config.distil.most)
    while _go_over(night, quota):
        night.share = None  # what is looked at after the first so many is told as one with them
    return night.outcome


def _go_over(night: Night, quota: Quota) -> bool:
    """As many as are looked at together; whether there may be more to do."""
    env, scope, at, counts = night.env, night.scope, night.at, night.counts
    worn, total = env.graph.worn_sources(
        scope, rules.worn_source_query(at, env.config.distil), limit=_LOOKED_AT
    )
    alike, owner = _alike(env, scope, worn), owner_key(scope.user_id)
    clusters = list(rules.clusters(worn, alike, env.config.distil, without=owner))
    before, night.left = counts["distilled"], total - sum(source.is_worn for source in worn)
    for number, cluster in enumerate(clusters, start=1):
        notes = _distil(night, cluster, quota) if quota.left else None
        if notes is None:
            night.left += len(cluster.sources)
            continue
        counts["distilled"] += len(cluster.sources)
        counts["noted"] += notes
        night.changes += _changes(env, scope, cluster, notes, MOST_TOLD - len(night.changes))
        night.tell(number / len(clusters))
    return len(worn) >= _LOOKED_AT and counts["distilled"] > before and quota.left > 0


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Note and put away once more what the event names."""
    parts = event.payload["parts"]
    notes = [note for part in parts for note in _notes(env, scope, effective_at(event), part)]
    with env.atomic():
        _write(env, scope, parts, notes)


def note_again(env: Env, scope: Scope, event: Event) -> None:
    """Note once more what the event tells of, inside the caller's transaction; lives stay."""
    for part in event.payload["parts"]:
        for note in _notes(env, scope, effective_at(event), part):
            env.graph.add_note(scope, note)


def _distil(night: Night, cluster: Cluster, quota: Quota) -> int | None:
    """How many notes it gave; None when it has to wait."""
    env, scope, at = night.env, night.scope, night.at
    owner = owner_key(scope.user_id)
    parts = [
        {"sources": [one.key for one in part], "anchors": rules.shared(part, owner) or [owner]}
        for part in cluster.parts(env.config.distil.together_most)
    ]
    try:
        notes = [note for part in parts for note in _notes(env, scope, at, part)]
    except MindError:
        return None
    with env.atomic(durable=True):
        if not _is_untouched(env, scope, at, cluster):
            return None
        payload = {
            "at": at.isoformat(),
            "why": cluster.why,
            "sources": len(cluster.sources),
            "notes": len(notes),
            "parts": parts,
        }
        env.ledger.append(night.event(SOURCES_DISTILLED, payload))
        _write(env, scope, parts, notes)
        quota.take(len(cluster.sources))
    return len(notes)


def _notes(env: Env, scope: Scope, at: datetime, part: Mapping[str, Any]) -> list[Note]:
    """What the mind makes of these sources, noted on the anchors they share."""
    nodes = env.graph.get_many(scope, [str(key) for key in part["sources"]])
    sources = [one for key in part["sources"] if isinstance(one := nodes.get(key), Source)]
    if not sources:
        return []
    read = {one.key: _passages(env, scope, one, len(sources)) for one in sources}
    owner = env.registry.user(scope.user_id)
    passages = [passage for one in sources for passage in read[one.key]]
    reading = reading_of(sources[0], passages, owner, owner)
    texts = [(one.key, " ".join(each.text for each in read[one.key])) for one in sources]
    begun = {one.key: one.started_at for one in sources}
    shared = _anchors(env, scope, part)
    notes: list[Note] = []
    private = any(visibility.is_private(one) for one in sources)
    mind = mind_for(env.mind, scope, "distil", private=private)
    for insight in rules.insights(mind.gist(reading)):
        source_key = rules.source_of_insight(insight, texts)
        note = Note(
            on="",
            content=insight,
            added_by=BY_SLEEP,
            date_added=begun[source_key],
            source_key=source_key,
            expires_at=resolution.expires(at, Lifetime.YEAR, env.config.resolution),
        )
        places = rules.noted_on(insight, list(shared), shared.__getitem__, env.config.distil)
        notes += [replace(note, on=key) for key in places]
    return notes


def _passages(env: Env, scope: Scope, source: Source, among: int) -> list[Passage]:
    return env.graph.passages(scope, source.key)[: max(1, _PASSAGES // among)]


def _anchors(env: Env, scope: Scope, part: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What each shared anchor is called; the owner stands in where there is none."""
    keys = [str(key) for key in part["anchors"]]
    nodes = env.graph.get_many(scope, [*keys, owner_key(scope.user_id)])
    names = {
        key: (one.name, *one.aliases)
        for key in keys
        if isinstance(one := nodes.get(key), Anchor) and one.user_id == scope.user_id
    }
    return names or {owner_key(scope.user_id): ()}


def _is_untouched(env: Env, scope: Scope, at: datetime, cluster: Cluster) -> bool:
    """Whether nobody called on any of them, or put it away, while the mind thought."""
    nodes = env.graph.get_many(scope, [one.key for one in cluster.sources])
    query = rules.worn_source_query(at, env.config.distil)
    return len(nodes) == len(cluster.sources) and all(
        one.life.state is not State.ARCHIVED
        and (one.life.last_accessed_at is None or one.life.last_accessed_at < query.untouched)
        for one in nodes.values()
    )


def _write(
    env: Env, scope: Scope, parts: Sequence[Mapping[str, Any]], notes: Sequence[Note]
) -> None:
    for note in notes:
        env.graph.add_note(scope, note)
    worn = [str(key) for part in parts for key in part["sources"]]
    env.graph.touch(scope, worn, partial(replace, state=State.ARCHIVED))


def _alike(env: Env, scope: Scope, worn: Sequence[WornSource]) -> Alike:
    vectors = env.index.vectors(scope, [one.key for one in worn])

    def alike(one: str, other: str) -> float | None:
        if one not in vectors or other not in vectors:
            return None
        cosine = float(np.dot(vectors[one], vectors[other]))
        return rule.similarity(cosine, env.embedder.scale)

    return alike


def _changes(env: Env, scope: Scope, cluster: Cluster, notes: int, room: int) -> list[Change]:
    left = {0: "nothing to keep", 1: "1 note of it"}.get(notes, f"{notes} notes of it")
    nodes = env.graph.get_many(scope, [one.key for one in cluster.sources[:room]])
    return [
        Change(what="distilled", key=key, name=title_of(node), why=f"{cluster.why}; {left}")
        for key, node in nodes.items()
    ]
