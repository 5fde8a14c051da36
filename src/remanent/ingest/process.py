"""Process: raw becomes readable and findable (SPEC 4, phase 1).

Reads with the mind first, then writes everything at once: half a source is never seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from remanent.core import index_entries
from remanent.core.env import Env
from remanent.core.index_entries import source_lines
from remanent.core.model.event import SOURCE_PROCESSED, Event
from remanent.core.model.job import Job, JobKind, new_job
from remanent.core.model.mind_types import Reading
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage, ProcessingStatus, RawSource, Source
from remanent.core.new_event import new_event
from remanent.core.on_behalf import mind_for
from remanent.core.ports.mind import Mind
from remanent.core.records.access import User
from remanent.core.visibility import is_private
from remanent.errors import UnknownKey
from remanent.ingest.rules import passages as cutting

_SELF: Final = ("user", "me", "i")  # what exports of chats call whoever they are of


def process_source(env: Env, scope: Scope, source_key: str, *, again: bool = False) -> None:
    """Clean, cut, summarise and index the source, then promise its extraction.

    A source that has been processed is left alone, unless `again`; the result is the same.
    """
    scope = scope.contributing
    source = env.graph.get(scope, source_key)
    raw = env.ledger.raw(scope, source_key)
    if not isinstance(source, Source) or raw is None:
        raise UnknownKey(source_key)
    if source.processing_status is not ProcessingStatus.RAW and not again:
        return
    _process(env, scope, source, raw, first=True)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Process once more the source that the event names."""
    scope, source_key = scope.contributing, str(event.payload["source_key"])
    source = env.graph.get(scope, source_key)
    raw = env.ledger.raw(scope, source_key)
    if isinstance(source, Source) and raw is not None:
        _process(env, scope, source, raw, first=False)


def _process(env: Env, scope: Scope, source: Source, raw: RawSource, *, first: bool) -> None:
    started = env.clock.now()
    mind = mind_for(env.mind, scope, "process", source_key=source.key, private=is_private(source))
    passages = _passages(env, mind, raw, source)
    done = _read(mind, source, passages, env.registry.user(scope.user_id))
    entries = index_entries.entries(env, scope, source_lines(done, passages))
    now = env.clock.now()
    stamped = _stamped(source, done, started, now)
    with env.atomic():
        now_there = env.graph.get(scope, source.key)
        if env.ledger.raw(scope, source.key) is None or not isinstance(now_there, Source):
            raise UnknownKey(source.key)  # erased while the mind read it
        stamped = replace(  # who was named may have been erased meanwhile, or have accepted
            stamped, participants=now_there.participants, accepted=now_there.accepted
        )
        entries = [replace(one, readers=stamped.readers) for one in entries]
        env.graph.put(scope, stamped)
        env.graph.put_passages(scope, source.key, passages)
        env.index.put(entries)
        if first and stamped != source:  # where in the order of all things this was done
            payload = {"source_key": source.key}
            env.ledger.append(new_event(scope.user_id, SOURCE_PROCESSED, payload, now=now))
        if first and source.processing_status is not ProcessingStatus.EXTRACTED:
            env.queue.enqueue(extract_job(scope.user_id, source.key, now))


def _passages(env: Env, mind: Mind, raw: RawSource, source: Source) -> list[Passage]:
    pieces = cutting.cut(
        raw.content,
        is_json=raw.is_json,
        content_type=source.content_type,
        rules=env.config.passages,
        started_at=source.started_at,
    )
    cleaned = mind.clean([piece.text for piece in pieces], source.content_type)
    return cutting.passages(source.key, pieces, cleaned)


def _read(mind: Mind, source: Source, passages: Sequence[Passage], owner: User | None) -> Source:
    reading = reading_of(source, passages, owner, owner)
    topics = mind.topics(reading)
    tags = tuple(dict.fromkeys((*source.provenance.get("tags", ()), *topics.tags)))
    return replace(source, summary=mind.summarize(reading), keywords=topics.keywords, tags=tags)


def reading_of(
    source: Source, passages: Sequence[Passage], owner: User | None, contributor: User | None
) -> Reading:
    """The source as the mind of `owner` is to read it.

    What somebody else contributed is in that one's voice: whoever speaks there as nobody, or as "me",
    is the contributor, and a speaker with the owner's name is somebody of whom it is told.
    """
    names = () if owner is None else (owner.name, owner.user_id, owner.name.split()[0])
    owner_speaks = owner is None or source.user_id == owner.user_id
    if not owner_speaks:
        by = source.user_id if contributor is None else contributor.name
        passages = [_told_by(one, by) for one in passages]
    return Reading(
        content_type=source.content_type,
        started_at=source.started_at,
        passages=tuple(passages),
        owner_names=tuple(dict.fromkeys((*names, *(_SELF if owner_speaks else ())))),
        owner_speaks=owner_speaks,
    )


def _told_by(passage: Passage, contributor: str) -> Passage:
    speaker = (passage.speaker or _SELF[0]).casefold().strip()
    return replace(passage, speaker=contributor) if speaker in _SELF else passage


def extract_job(user_id: str, source_key: str, now: datetime) -> Job:
    """The promise to extract one source for one user."""
    return new_job(JobKind.EXTRACT, user_id, now, user_id, source_key, source_key=source_key)


def _stamped(before: Source, after: Source, started: datetime, now: datetime) -> Source:
    """With the times of this run; when nothing came out differently, with those it had."""
    if before.processing_status is not ProcessingStatus.RAW:
        return after if after == before else replace(after, updated_at=now)
    return replace(
        after,
        processing_status=ProcessingStatus.PROCESSED,
        processing_started_at=started,
        processing_completed_at=now,
        updated_at=now,
    )
