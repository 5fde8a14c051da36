"""Process: raw becomes findable, then readable (SPEC 4, phase 1).

First the passages, then what the mind makes of them: a job each, so that of an import all is found before
any of it is read, and a mind that is slow or away keeps nobody from finding anything. A step writes
everything at once: half of one is never seen. A long source is cut in slices, a step each; until it is
read it is found by its words as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import inf
from typing import Final

from remanent.core import index_entries
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.index_entries import source_lines
from remanent.core.model.event import SOURCE_PROCESSED, Event
from remanent.core.model.job import Job
from remanent.core.model.mind_types import Reading
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage, ProcessingStatus, RawSource, Source
from remanent.core.on_behalf import mind_for
from remanent.core.ports.index import Entry
from remanent.core.ports.mind import Mind
from remanent.core.records.access import User
from remanent.core.visibility import is_private
from remanent.errors import UnknownKey
from remanent.ingest.add import process_job
from remanent.ingest.rules import passages as cutting
from remanent.ingest.rules.passages import Piece
from remanent.ingest.rules.request import understood_context
from remanent.ingest.shared import BEHIND, extract_job, in_turn

Part = tuple[int, int]
_SELF: Final = ("user", "me", "i")  # what exports of chats call whoever they are of


def process_source(
    env: Env, scope: Scope, source_key: str, *, again: bool = False, part: Part | None = None
) -> None:
    """Clean, cut and index the source; once that is done, summarise it and promise its extraction. One step
    of these: what comes next, or that `part` (from which character, how many), unless it is done; the
    rest is promised.

    A processed source is left alone, unless `again`, which is all of it; the result is the same.
    """
    scope = scope.contributing
    source = env.graph.get(scope, source_key)
    raw = env.ledger.raw(scope, source_key)
    if not isinstance(source, Source) or raw is None:
        raise UnknownKey(source_key)
    if again:
        source = replace(source, read_to=None, characters=None)
        _write(env, scope, source, _step(env, scope, source, raw, inf, reads=True), again=True)
    elif source.processing_status is ProcessingStatus.RAW:
        stop = stop_of(env, part, source.read_to or 0)
        if stop is not None:
            _write(env, scope, source, _step(env, scope, source, raw, stop))


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Process once more, as far as it went, the source that the event names."""
    scope, source_key = scope.contributing, str(event.payload["source_key"])
    source = env.graph.get(scope, source_key)
    raw = env.ledger.raw(scope, source_key)
    if isinstance(source, Source) and raw is not None:
        to = event.payload.get("to")
        stop = inf if to is None else float(to)
        step = _step(env, scope, source, raw, stop, reads=to is None)
        _write(env, scope, source, step, first=False)


@dataclass(frozen=True, slots=True)
class _Step:
    """What comes of one step: passages behind so many others, up to character `end` of so many; and the
    source as it was `read`, if it was."""

    started: datetime
    passages: Sequence[Passage]
    behind: int
    end: int
    characters: int
    read: Source | None
    entries: Sequence[Entry]


def _step(
    env: Env, scope: Scope, source: Source, raw: RawSource, stop: float, *, reads: bool = False
) -> _Step:
    """From where the source has been cut to before character `stop` of its text. It is read if that was
    all of it before, or if this step `reads` as well."""
    started, start = env.clock.now(), source.read_to or 0
    mind = mind_for(env.mind, scope, "process", source_key=source.key, private=is_private(source))
    pieces = _pieces(env, raw, source)
    characters = source.characters or sum(len(one.text) for one in pieces)
    taken, end = cutting.slice_of(pieces, start, stop) if pieces else ([], characters)
    if end >= characters and env.caches.pieces[1] is pieces:
        env.caches.pieces = (None, ())
    before = env.graph.passages(scope, source.key) if start else []
    cleaned = mind.clean([piece.text for piece in taken], source.content_type)
    passages = cutting.passages(source.key, taken, cleaned, first=len(before))
    read = _read(env, mind, source, [*before, *passages]) if reads or not taken else None
    lines = source_lines(read or source, [*before[-1:], *passages])
    wanted = {one.key for one in passages} | ({source.key} if read else set())
    entries = index_entries.entries(env, scope, [one for one in lines if one.key in wanted])
    if read is None and end >= characters:  # its words are those of its passages now
        entries.append(index_entries.words_entry(source, source.title))
    return _Step(started, passages, len(before), end, characters, read, entries)


def _write(
    env: Env, scope: Scope, source: Source, step: _Step, *, first: bool = True, again: bool = False
) -> None:
    """Write what came of a step, and promise the next."""
    now = env.clock.now()
    stamped = _stamped(source, step, now)
    with env.atomic(scope):
        now_there = _still_there(env, scope, source.key)
        if first and not again and _how_far(now_there) != _how_far(source):
            return  # our lease ran out, and another has done it
        # Who was named may have been erased meanwhile, or have accepted.
        stamped = replace(stamped, participants=now_there.participants, accepted=now_there.accepted)
        if first and stamped != source:  # where in the order of all things this was done
            payload = {"source_key": source.key} | ({} if step.read else {"to": step.end})
            env.append(scope, SOURCE_PROCESSED, payload, now=now)
        env.graph.put(scope, stamped)
        if step.passages or not step.behind:
            env.graph.put_passages(scope, source.key, step.passages, first=step.behind)
        env.index.put([replace(one, readers=stamped.readers) for one in step.entries])
        if first and source.processing_status is not ProcessingStatus.EXTRACTED:
            env.queue.enqueue(_next_job(env, scope, source, step, now))


def _next_job(env: Env, scope: Scope, source: Source, step: _Step, now: datetime) -> Job:
    """The promise of what comes next: more of the text, to read the source, or to draw from it."""
    if step.read is not None:
        return extract_job(scope.user_id, source, now)
    if step.end >= step.characters:
        return _read_job(scope.user_id, source, step.end, now)
    job = process_job(scope.user_id, source.key, now)
    job = replace(job, created_at=source.created_at - BEHIND)
    taken = step.end - (source.read_to or 0)
    size = cutting.next_size(taken, now - step.started, env.config.passages)
    return slice_job(job, start=step.end, size=size, characters=step.characters)


def _read_job(user_id: str, source: Source, characters: int, now: datetime) -> Job:
    """The promise to read a source, all of whose passages are found by now."""
    job = in_turn(process_job(user_id, source.key, now), source)
    return _from(job, characters, size=0)


def _still_there(env: Env, scope: Scope, source_key: str) -> Source:
    source = env.graph.get(scope, source_key)
    if env.ledger.raw(scope, source_key) is None or not isinstance(source, Source):
        raise UnknownKey(source_key)  # erased while the mind read it
    return source


def _how_far(source: Source) -> tuple[ProcessingStatus, int | None]:
    return source.processing_status, source.read_to


def _pieces(env: Env, raw: RawSource, source: Source) -> tuple[Piece, ...]:
    if source.characters is not None and source.read_to == source.characters:
        return ()  # all of it has been cut
    known, pieces = env.caches.pieces
    this = (source.key, source.content_hash, source.started_at, env.config.passages)
    if known != this:
        pieces = cutting.cut(
            raw.content,
            is_json=raw.is_json,
            content_type=source.content_type,
            rules=env.config.passages,
            started_at=source.started_at,
        )
        if len(raw.content) > env.config.passages.slice_characters:
            env.caches.pieces = (this, pieces)
    return pieces


def stop_of(env: Env, part: Part | None, done: int) -> int | None:
    """Before which character the next slice of a source ends; None if that part is done."""
    start, size = part or (done, 0)
    return done + (size or env.config.passages.slice_characters) if start >= done else None


def slice_job(job: Job, *, start: int, size: int, characters: int) -> Job:
    """The same for the next `size` of the characters of a long source, as old as the source: what is
    newer has its turn before."""
    return _from(job, start, size=size, of=characters)


def _from(job: Job, start: int, **more: int) -> Job:
    payload = {**job.payload, "from": start, **more}
    return replace(job, key=f"{job.key}@{start}", payload=payload)


def _read(env: Env, mind: Mind, source: Source, passages: Sequence[Passage]) -> Source:
    """What a source is about; what a long one is about is said in its beginning."""
    head, _ = cutting.slice_of(passages, 0, env.config.passages.slice_characters)
    owner = env.registry.user(source.user_id)
    reading = reading_of(source, head, owner, owner)
    topics = mind.topics(reading)
    tags = tuple(dict.fromkeys((*source.provenance.get("tags", ()), *topics.tags)))
    return replace(
        source,
        summary=mind.summarize(reading),
        keywords=topics.keywords,
        tags=tags,
        context_type=understood_context(source, topics.context),
    )


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


def _stamped(before: Source, step: _Step, now: datetime) -> Source:
    """With the times of this step and how far it came; if nothing differs, as it was."""
    after = step.read or before
    if before.processing_status is not ProcessingStatus.RAW:
        return after if after == before else replace(after, updated_at=now)
    is_read = step.read is not None
    return replace(
        after,
        processing_status=ProcessingStatus.PROCESSED if is_read else ProcessingStatus.RAW,
        processing_started_at=before.processing_started_at or step.started,
        processing_completed_at=now if is_read else None,
        updated_at=now,
        read_to=None if is_read else step.end,
        characters=None if is_read else step.characters,
    )
