"""Env: the one bundle that every verb takes: the stores, the mind, the embedder, the clock, the settings.

A verb is a function of an `Env` and a scope. Another moment, another index or a second graph beside the
first is `replace(env, ...)`, and every verb called with it lives there. A job of the night takes a `Night`.
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar
from zoneinfo import ZoneInfo

from remanent.clock import Clock, ReplayClock
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.event import Event
from remanent.core.model.job import JobKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome, SleepJob
from remanent.core.new_event import new_event
from remanent.core.ports import admin
from remanent.core.ports.cypher import Cypher
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Atomic, Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import Records
from remanent.core.recent import Recent
from remanent.core.records.export import SIGNED_WITH, Mark, NightPosition
from remanent.core.registry import Registry

if TYPE_CHECKING:
    from remanent.config import Config

Share = Callable[[float], None]
Handler = Callable[["Env", Scope, Mapping[str, str]], object]
Apply = Callable[["Env", Scope, Event], None]
# One job of the night for one user. Run again for the same time it finds nothing to do; killed half-way and
# run again it ends where it would have ended.
NightJob = Callable[["Night"], JobOutcome]
T = TypeVar("T")
MOST_CHANGES: Final = 1000  # listed one by one
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE: Final = timedelta(minutes=1)
_NIGHT: Final = 1 << 32  # a place is the minute in which a night began, and what was done in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """All stores of one memory. `atomic` spans them; after `close` none can be used."""

    ledger: Ledger
    graph: Graph
    index: Index
    records: Records
    queue: Queue
    reembedding: admin.ReembeddingStore
    erasing: tuple[admin.ErasureStore, ...]
    health: admin.HealthStore
    cypher: Cypher
    export: admin.ExportStore
    atomic: Atomic
    close: Callable[[], None]
    wait_for_work: Callable[[float], object] | None = None
    """Rests until somebody promises a job, or for so many seconds; None where nobody would tell."""

    @property
    def registry(self) -> Registry:
        """Users, teams, memberships."""
        return Registry(self.records, self.ledger, self.atomic)


@dataclass(slots=True)
class Caches:
    """What verbs keep in memory between two calls; all of it can be lost at any time."""

    abbreviations: dict[str, Any] = field(default_factory=dict)
    backgrounds: dict[str, Any] = field(default_factory=dict)  # by embedder, of plain texts
    phrasings: Recent[Any, Any] = field(default_factory=lambda: Recent(512))
    # Of the long source that is read in slices just now.
    pieces: tuple[Any, tuple[Any, ...]] = (None, ())
    uses: dict[str, dict[str, datetime]] = field(default_factory=dict)  # not written yet, by user
    jobs_in_hand: dict[str, str] = field(default_factory=dict)  # key -> worker, of this process
    lock: threading.RLock = field(default_factory=threading.RLock)


class Adapters(Protocol):
    """What only the bootstrap can make: an adapter by its name, and an `Env` with other adapters."""

    def embedder(self, env: Env, name: str) -> Embedder:
        """The embedder of that name; `ConfigError` if there is none. Nothing is loaded or asked yet."""

    def metered(self, env: Env, embedder: Embedder) -> Embedder:
        """The embedder behind the memory's meter, if it says what it is paid for; else as it is."""

    def probe(self, mind: Mind) -> None:
        """Ask the model behind a mind for one word; `ConfigError` or `MindError` if it cannot be had."""

    def with_embedder(self, env: Env, embedder: Embedder) -> Env:
        """The same memory with another embedder, whose vectors it has by now."""

    def shadow(
        self, env: Env, *, mind: Mind | str | None, embedder: Embedder | str | None
    ) -> tuple[Env, admin.Shadow, ReplayClock]:
        """A second graph beside the first, with this mind and embedder and a clock of its own."""

    def adopted(self, env: Env, shadow: Env) -> Env:
        """The memory after a switch to the second graph: its own stores, the other's adapters."""

    def discard_shadow(self, env: Env) -> bool:
        """Remove what a rebuild left beside the memory; False if there is nothing."""

    def stores_at(self, env: Env, memory: str) -> Stores:
        """The stores of another memory, made if new, for vectors of the same embedder."""


class _TakenBack(Exception):
    """Ends a transaction without leaving a trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """Everything that a verb needs from outside, for one open memory.

    `handlers` do the queue's jobs by their kind, `nights` the jobs of a night, and `routes` do a ledger
    event again by its type.
    """

    config: Config
    clock: Clock
    mind: Mind
    embedder: Embedder
    stores: Stores
    adapters: Adapters
    handlers: Mapping[JobKind, Handler]
    routes: Mapping[str, Apply]
    nights: Mapping[SleepJob, NightJob]
    caches: Caches = field(default_factory=Caches)

    @property
    def ledger(self) -> Ledger:
        """The append-only truth."""
        return self.stores.ledger

    @property
    def graph(self) -> Graph:
        """What is derived from it."""
        return self.stores.graph

    @property
    def index(self) -> Index:
        """Words and vectors of what can be found."""
        return self.stores.index

    @property
    def registry(self) -> Registry:
        """Users, teams, memberships."""
        return self.stores.registry

    @property
    def records(self) -> Records:
        """What is kept beside the graph, by its key."""
        return self.stores.records

    @property
    def queue(self) -> Queue:
        """Promised work."""
        return self.stores.queue

    @property
    def atomic(self) -> Atomic:
        """Begins a transaction over all stores."""
        return self.stores.atomic

    @contextmanager
    def transaction(self, *, dry_run: bool) -> Iterator[None]:
        """A durable transaction; with `dry_run` one that does the work and takes it back, so that it tells
        just what would happen."""
        with suppress(_TakenBack), self.atomic(durable=not dry_run):
            yield
            if dry_run:
                raise _TakenBack

    def append(
        self, scope: Scope, event_type: str, payload: Mapping[str, Any], **more: Any
    ) -> Event:
        """The event, of now, as the ledger has it; `more` as `new_event` takes it."""
        more.setdefault("now", self.clock.now())
        return self.ledger.append(new_event(scope.user_id, event_type, payload, **more))[0]

    def done_until(self, scope: Scope, job: SleepJob) -> datetime | None:
        """The latest time for which that job of the night was done for the caller, if it ever was."""
        known = self.records.get(scope, NightPosition, job)
        return None if known is None else known.done_until

    def secret(self) -> bytes:
        """What the papers of this memory are signed with; made when first asked for, part of no export."""
        known = self.records.get(None, Mark, SIGNED_WITH)
        if known is None:
            known = self.records.claim(None, Mark(name=SIGNED_WITH, value=secrets.token_hex(32)))
        return bytes.fromhex(known.value)

    def zone_of(self, user_id: str) -> ZoneInfo:
        """The time zone that a user's days are counted in."""
        user = self.registry.user(user_id)
        return ZoneInfo("UTC" if user is None else user.timezone)

    def at(self, clock: Clock, *, index: Index | None = None, graph: Graph | None = None) -> Env:
        """The same memory at another time, and with the index and the graph as they were if these are given."""
        stores = replace(self.stores, index=index or self.index, graph=graph or self.graph)
        return replace(self, clock=clock, stores=stores)

    def do_night_job(
        self, job: SleepJob, scope: Scope, at: datetime, *, share: Share | None = None
    ) -> JobOutcome:
        """Do what is due at `at`, and tell `share` how far it is (0 to 1)."""
        return self.nights[job](Night(env=self, scope=scope, job=job, at=at, share=share))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What the limit of a job still lets it do in one night (SPEC 6, 7).

    Kept with the ledger, one number for each limit: a second run of a night and one after a crash
    go on where the first stopped, and the next night begins anew. What was done counts for the last
    night begun: going back in time gives nobody more than that.
    """

    env: Env
    scope: Scope
    mark: str
    begun: int
    most: int

    @property
    def left(self) -> int:
        """How much more may be done."""
        return max(0, self.most - self._done[1])

    def take(self, count: int) -> None:
        """So much was done: called in the transaction that does it."""
        begun, done = self._done
        place = begun * _NIGHT + min(done + count, _NIGHT - 1)
        self.env.ledger.position(self.scope, self.mark, to=place)

    @property
    def _done(self) -> tuple[int, int]:
        begun, done = divmod(self.env.ledger.position(self.scope, self.mark), _NIGHT)
        return (begun, done) if begun >= self.begun else (self.begun, 0)


@dataclass(slots=True, kw_only=True)
class Night:
    """One job of the night for one user at one time: its quotas, its progress and what it did so far.

    `left` is what its quota puts off to the next night.
    """

    env: Env
    scope: Scope
    job: SleepJob
    at: datetime
    share: Share | None = None
    left: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    def quota(self, most: int, *, of: str = "") -> Quota:
        """Up to `most` of something in the night of this job."""
        zone = self.env.zone_of(self.scope.user_id)
        night = self.env.config.timetable.night_of(self.job, zone, self.at)
        mark = f"sleep.{self.job.value}.{of}" if of else f"sleep.{self.job.value}"
        return Quota(
            env=self.env,
            scope=self.scope,
            mark=mark,
            begun=max(0, (night - _EPOCH) // _MINUTE),
            most=max(0, most),
        )

    def each(self, chosen: Sequence[T]) -> Iterator[T]:
        """One after another; after each, how far the job is."""
        for done, item in enumerate(chosen, 1):
            yield item
            self.tell(done / len(chosen))

    def batches(self, chosen: Sequence[T], size: int) -> Iterator[Sequence[T]]:
        """So many at a time; after each batch, how far the job is."""
        for start in range(0, len(chosen), size):
            yield chosen[start : start + size]
            self.tell(min(1.0, (start + size) / len(chosen)))

    def tell(self, part: float) -> None:
        """Say that so much of the job, from 0 to 1, lies behind us."""
        if self.share is not None:
            self.share(part)

    def event(self, kind: str, payload: Mapping[str, Any]) -> Event:
        """What the job decided, as the ledger is told of it."""
        user_id, now = self.scope.user_id, self.env.clock.now()
        return new_event(user_id, kind, payload, now=now, occurred_at=self.at)

    def note(self, what: str, key: str, name: str, why: str) -> None:
        """One more thing to which that was done."""
        self.counts[what] += 1
        if len(self.changes) < MOST_CHANGES:
            self.changes.append(Change(what=what, key=key, name=name, why=why))

    @property
    def outcome(self) -> JobOutcome:
        """What the job did."""
        return JobOutcome(
            job=self.job,
            at=self.at,
            counts=dict(self.counts),
            changes=tuple(self.changes),
            left=self.left,
        )
