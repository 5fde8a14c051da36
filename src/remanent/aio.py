"""AsyncMemory: the same verbs, each run in a worker thread, so that an event loop is never held up."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from remanent.core.records.admin import Salvaged
from remanent.memory import Memory, UserMemory

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class _Twin(Protocol[S]):
    """What speaks for something synchronous."""

    sync: S


def _verb(
    verb: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[_Twin[S], P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def call(self: _Twin[S], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.sync, *args, **kwargs)

    return call


class AsyncUserMemory:
    """`UserMemory` for coroutines; `sync` is the one it speaks for."""

    def __init__(self, sync: UserMemory) -> None:
        self.sync = sync
        self.user_id = sync.user_id

    add = _verb(UserMemory.add)
    import_file = _verb(UserMemory.import_file)
    learned = _verb(UserMemory.learned)
    work = _verb(UserMemory.work)
    sleep = _verb(UserMemory.sleep)
    timetable = _verb(UserMemory.timetable)
    schedule = _verb(UserMemory.schedule)
    remember = _verb(UserMemory.remember)
    instruct = _verb(UserMemory.instruct)
    instructions = _verb(UserMemory.instructions)
    uninstruct = _verb(UserMemory.uninstruct)
    recall = _verb(UserMemory.recall)
    search = _verb(UserMemory.search)
    why_not = _verb(UserMemory.why_not)
    explore = _verb(UserMemory.explore)
    traverse = _verb(UserMemory.traverse)
    cypher = _verb(UserMemory.cypher)
    needs_memory = _verb(UserMemory.needs_memory)
    phrasings = _verb(UserMemory.phrasings)
    context = _verb(UserMemory.context)
    about_me = _verb(UserMemory.about_me)
    define = _verb(UserMemory.define)
    undefine = _verb(UserMemory.undefine)
    abbreviations = _verb(UserMemory.abbreviations)
    read = _verb(UserMemory.read)
    beliefs = _verb(UserMemory.beliefs)
    why = _verb(UserMemory.why)
    history = _verb(UserMemory.history)
    reflect = _verb(UserMemory.reflect)
    merge_beliefs = _verb(UserMemory.merge_beliefs)
    synthesize = _verb(UserMemory.synthesize)
    prune = _verb(UserMemory.prune)
    forget = _verb(UserMemory.forget)
    restate = _verb(UserMemory.restate)
    contradictions = _verb(UserMemory.contradictions)
    consolidate = _verb(UserMemory.consolidate)
    consolidation_due = _verb(UserMemory.consolidation_due)
    backfill_subjects = _verb(UserMemory.backfill_subjects)
    export_beliefs = _verb(UserMemory.export_beliefs)
    import_beliefs = _verb(UserMemory.import_beliefs)
    export = _verb(UserMemory.export)
    sources = _verb(UserMemory.sources)
    anchors = _verb(UserMemory.anchors)
    merge = _verb(UserMemory.merge)
    split = _verb(UserMemory.split)
    correct = _verb(UserMemory.correct)
    relate = _verb(UserMemory.relate)
    corrections = _verb(UserMemory.corrections)
    undo_correction = _verb(UserMemory.undo_correction)
    produce = _verb(UserMemory.produce)
    undo = _verb(UserMemory.undo)
    redo = _verb(UserMemory.redo)
    erase = _verb(UserMemory.erase)
    adopt = _verb(UserMemory.adopt)
    graph = _verb(UserMemory.graph)
    outlook = _verb(UserMemory.outlook)
    relationships = _verb(UserMemory.relationships)
    touch = _verb(UserMemory.touch)
    pin = _verb(UserMemory.pin)
    unpin = _verb(UserMemory.unpin)
    archive = _verb(UserMemory.archive)
    restore = _verb(UserMemory.restore)
    curve = _verb(UserMemory.curve)
    forgettable = _verb(UserMemory.forgettable)
    jobs = _verb(UserMemory.jobs)
    retry_job = _verb(UserMemory.retry_job)
    drop_job = _verb(UserMemory.drop_job)
    status = _verb(UserMemory.status)
    spending = _verb(UserMemory.spending)
    estimate = _verb(UserMemory.estimate)
    record = _verb(UserMemory.record)
    record_many = _verb(UserMemory.record_many)
    events = _verb(UserMemory.events)
    end_session = _verb(UserMemory.end_session)
    lag = _verb(UserMemory.lag)
    replay = _verb(UserMemory.replay)
    advance = _verb(UserMemory.advance)
    summaries = _verb(UserMemory.summaries)
    stories = _verb(UserMemory.stories)
    shelf = _verb(UserMemory.shelf)
    create_team = _verb(UserMemory.create_team)
    teams = _verb(UserMemory.teams)
    members = _verb(UserMemory.members)
    invite = _verb(UserMemory.invite)
    invitations = _verb(UserMemory.invitations)
    accept = _verb(UserMemory.accept)
    decline = _verb(UserMemory.decline)
    revoke_invitation = _verb(UserMemory.revoke_invitation)
    waiting = _verb(UserMemory.waiting)
    accept_source = _verb(UserMemory.accept_source)
    decline_source = _verb(UserMemory.decline_source)
    block = _verb(UserMemory.block)
    unblock = _verb(UserMemory.unblock)
    blocked = _verb(UserMemory.blocked)
    hide = _verb(UserMemory.hide)
    unhide = _verb(UserMemory.unhide)
    hidden = _verb(UserMemory.hidden)
    change_role = _verb(UserMemory.change_role)
    remove_member = _verb(UserMemory.remove_member)
    leave_team = _verb(UserMemory.leave_team)
    change_team = _verb(UserMemory.change_team)
    delete_team = _verb(UserMemory.delete_team)
    set_primary_team = _verb(UserMemory.set_primary_team)
    set_active_team = _verb(UserMemory.set_active_team)
    audit = _verb(UserMemory.audit)

    async def within(self, team: str | None) -> Self:
        """As `UserMemory.within`."""
        return type(self)(await asyncio.to_thread(self.sync.within, team))


class AsyncMemory:
    """`Memory` for coroutines; `sync` is the one it speaks for."""

    def __init__(self, sync: Memory) -> None:
        self.sync = sync

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> AsyncMemory:
        """As `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, *args, **kwargs))

    @staticmethod
    @functools.wraps(Memory.salvage)
    async def salvage(*args: Any, **kwargs: Any) -> Salvaged:
        return await asyncio.to_thread(Memory.salvage, *args, **kwargs)

    async def user(self, *args: Any, **kwargs: Any) -> AsyncUserMemory:
        """As `Memory.user`."""
        return AsyncUserMemory(await asyncio.to_thread(self.sync.user, *args, **kwargs))

    users = _verb(Memory.users)
    work = _verb(Memory.work)
    sleep = _verb(Memory.sleep)
    schedule = _verb(Memory.schedule)
    erase_user = _verb(Memory.erase_user)
    verify_erasure = _verb(Memory.verify_erasure)
    rebuild = _verb(Memory.rebuild)
    discard_rebuild = _verb(Memory.discard_rebuild)
    embedding = _verb(Memory.embedding)
    reembed = _verb(Memory.reembed)
    stop_reembedding = _verb(Memory.stop_reembedding)
    export = _verb(Memory.export)
    import_memory = _verb(Memory.import_memory)
    migrate = _verb(Memory.migrate)
    cancel_migration = _verb(Memory.cancel_migration)
    spending = _verb(Memory.spending)
    doctor = _verb(Memory.doctor)
    metrics = _verb(Memory.metrics)
    create_key = _verb(Memory.create_key)
    keys = _verb(Memory.keys)
    revoke_key = _verb(Memory.revoke_key)
    authenticate = _verb(Memory.authenticate)
    audit = _verb(Memory.audit)
    warm_up = _verb(Memory.warm_up)
    ready = _verb(Memory.ready)
    close = _verb(Memory.close)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
