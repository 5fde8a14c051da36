"""AsyncMemory: the same verbs, each run in a worker thread, so that an event loop is never held up."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from remanent.core.records.admin import Salvaged
from remanent.memory import Memory, UserMemory

P = ParamSpec("P")
R = TypeVar("R")


def _user_verb(
    verb: Callable[Concatenate[UserMemory, P], R],
) -> Callable[Concatenate[AsyncUserMemory, P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def call(self: AsyncUserMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.sync, *args, **kwargs)

    return call


def _verb(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.sync, *args, **kwargs)

    return call


class AsyncUserMemory:
    """`UserMemory` for coroutines; `sync` is the one it speaks for."""

    def __init__(self, sync: UserMemory) -> None:
        self.sync = sync
        self.user_id = sync.user_id

    add = _user_verb(UserMemory.add)
    import_file = _user_verb(UserMemory.import_file)
    learned = _user_verb(UserMemory.learned)
    work = _user_verb(UserMemory.work)
    sleep = _user_verb(UserMemory.sleep)
    timetable = _user_verb(UserMemory.timetable)
    schedule = _user_verb(UserMemory.schedule)
    remember = _user_verb(UserMemory.remember)
    instruct = _user_verb(UserMemory.instruct)
    instructions = _user_verb(UserMemory.instructions)
    uninstruct = _user_verb(UserMemory.uninstruct)
    recall = _user_verb(UserMemory.recall)
    search = _user_verb(UserMemory.search)
    why_not = _user_verb(UserMemory.why_not)
    explore = _user_verb(UserMemory.explore)
    traverse = _user_verb(UserMemory.traverse)
    cypher = _user_verb(UserMemory.cypher)
    needs_memory = _user_verb(UserMemory.needs_memory)
    phrasings = _user_verb(UserMemory.phrasings)
    context = _user_verb(UserMemory.context)
    about_me = _user_verb(UserMemory.about_me)
    define = _user_verb(UserMemory.define)
    undefine = _user_verb(UserMemory.undefine)
    abbreviations = _user_verb(UserMemory.abbreviations)
    read = _user_verb(UserMemory.read)
    beliefs = _user_verb(UserMemory.beliefs)
    why = _user_verb(UserMemory.why)
    history = _user_verb(UserMemory.history)
    reflect = _user_verb(UserMemory.reflect)
    merge_beliefs = _user_verb(UserMemory.merge_beliefs)
    synthesize = _user_verb(UserMemory.synthesize)
    prune = _user_verb(UserMemory.prune)
    forget = _user_verb(UserMemory.forget)
    restate = _user_verb(UserMemory.restate)
    contradictions = _user_verb(UserMemory.contradictions)
    consolidate = _user_verb(UserMemory.consolidate)
    consolidation_due = _user_verb(UserMemory.consolidation_due)
    backfill_subjects = _user_verb(UserMemory.backfill_subjects)
    export_beliefs = _user_verb(UserMemory.export_beliefs)
    import_beliefs = _user_verb(UserMemory.import_beliefs)
    export = _user_verb(UserMemory.export)
    sources = _user_verb(UserMemory.sources)
    anchors = _user_verb(UserMemory.anchors)
    merge = _user_verb(UserMemory.merge)
    split = _user_verb(UserMemory.split)
    correct = _user_verb(UserMemory.correct)
    relate = _user_verb(UserMemory.relate)
    corrections = _user_verb(UserMemory.corrections)
    undo_correction = _user_verb(UserMemory.undo_correction)
    produce = _user_verb(UserMemory.produce)
    undo = _user_verb(UserMemory.undo)
    redo = _user_verb(UserMemory.redo)
    erase = _user_verb(UserMemory.erase)
    adopt = _user_verb(UserMemory.adopt)
    graph = _user_verb(UserMemory.graph)
    outlook = _user_verb(UserMemory.outlook)
    relationships = _user_verb(UserMemory.relationships)
    touch = _user_verb(UserMemory.touch)
    pin = _user_verb(UserMemory.pin)
    unpin = _user_verb(UserMemory.unpin)
    archive = _user_verb(UserMemory.archive)
    restore = _user_verb(UserMemory.restore)
    curve = _user_verb(UserMemory.curve)
    forgettable = _user_verb(UserMemory.forgettable)
    jobs = _user_verb(UserMemory.jobs)
    retry_job = _user_verb(UserMemory.retry_job)
    drop_job = _user_verb(UserMemory.drop_job)
    status = _user_verb(UserMemory.status)
    spending = _user_verb(UserMemory.spending)
    estimate = _user_verb(UserMemory.estimate)
    record = _user_verb(UserMemory.record)
    record_many = _user_verb(UserMemory.record_many)
    events = _user_verb(UserMemory.events)
    end_session = _user_verb(UserMemory.end_session)
    lag = _user_verb(UserMemory.lag)
    replay = _user_verb(UserMemory.replay)
    advance = _user_verb(UserMemory.advance)
    summaries = _user_verb(UserMemory.summaries)
    stories = _user_verb(UserMemory.stories)
    shelf = _user_verb(UserMemory.shelf)
    create_team = _user_verb(UserMemory.create_team)
    teams = _user_verb(UserMemory.teams)
    members = _user_verb(UserMemory.members)
    invite = _user_verb(UserMemory.invite)
    invitations = _user_verb(UserMemory.invitations)
    accept = _user_verb(UserMemory.accept)
    decline = _user_verb(UserMemory.decline)
    revoke_invitation = _user_verb(UserMemory.revoke_invitation)
    waiting = _user_verb(UserMemory.waiting)
    accept_source = _user_verb(UserMemory.accept_source)
    decline_source = _user_verb(UserMemory.decline_source)
    block = _user_verb(UserMemory.block)
    unblock = _user_verb(UserMemory.unblock)
    blocked = _user_verb(UserMemory.blocked)
    hide = _user_verb(UserMemory.hide)
    unhide = _user_verb(UserMemory.unhide)
    hidden = _user_verb(UserMemory.hidden)
    change_role = _user_verb(UserMemory.change_role)
    remove_member = _user_verb(UserMemory.remove_member)
    leave_team = _user_verb(UserMemory.leave_team)
    change_team = _user_verb(UserMemory.change_team)
    delete_team = _user_verb(UserMemory.delete_team)
    set_primary_team = _user_verb(UserMemory.set_primary_team)
    set_active_team = _user_verb(UserMemory.set_active_team)
    audit = _user_verb(UserMemory.audit)

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
