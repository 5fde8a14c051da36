"""Env: the one bundle that every verb takes: the stores, the mind, the embedder, the clock, the settings.

A verb is a function of an `Env` and a scope. Another moment, another index or a second graph beside the
first is `replace(env, ...)`, and every verb called with it lives there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from remanent.clock import Clock, ReplayClock
from remanent.core.model.event import Event
from remanent.core.model.job import JobKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Rest, SleepJob
from remanent.core.ports.admin import (
    ErasureStore,
    ExportStore,
    HealthStore,
    ReembeddingStore,
    Shadow,
)
from remanent.core.ports.cypher import Cypher
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import (
    Answers,
    ApiKeys,
    AuditLog,
    IdempotencyKeys,
    Items,
    Registry,
    Spending,
)
from remanent.core.ports.transaction import Atomic

if TYPE_CHECKING:
    from remanent.config import Config

Share = Callable[[float], None]
Handler = Callable[["Env", Scope, Mapping[str, str]], object]
Apply = Callable[["Env", Scope, Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """All stores of one memory. `atomic` spans them; after `close` none can be used."""

    ledger: Ledger
    graph: Graph
    index: Index
    items: Items
    registry: Registry
    keyring: ApiKeys
    audit: AuditLog
    queue: Queue
    answers: Answers
    spending: Spending
    renewal: ReembeddingStore
    replays: IdempotencyKeys
    erasing: ErasureStore
    vitals: HealthStore
    cypher: Cypher
    carrying: ExportStore
    atomic: Atomic
    close: Callable[[], None]


class NightJob(Protocol):
    """One job of the night for one user. Run again for the same time it finds nothing to do; killed
    half-way and run again it ends where it would have ended."""

    def __call__(self, env: Env, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Do what is due at `at`, and tell `share` how far it is (0 to 1)."""
        ...


@dataclass(slots=True)
class Caches:
    """What verbs keep in memory between two calls; all of it can be lost at any time."""

    abbreviations: dict[str, Any] = field(default_factory=dict)
    phrasings: OrderedDict[Any, Any] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)


class Adapters(Protocol):
    """What only the bootstrap can make: an adapter by its name, and an `Env` with other adapters."""

    def embedder(self, env: Env, name: str) -> Embedder:
        """The embedder of that name; `ConfigError` if there is none. Nothing is loaded or asked yet."""
        ...

    def metered(self, env: Env, embedder: Embedder) -> Embedder:
        """The embedder behind the memory's meter, if it says what it is paid for; else as it is."""
        ...

    def probe(self, mind: Mind) -> None:
        """Ask the model behind a mind for one word; `ConfigError` or `MindError` if it cannot be had."""
        ...

    def with_embedder(self, env: Env, embedder: Embedder) -> Env:
        """The same memory with another embedder, whose vectors it has by now."""
        ...

    def shadow(
        self, env: Env, *, mind: Mind | str | None, embedder: Embedder | str | None
    ) -> tuple[Env, Shadow, ReplayClock]:
        """A second graph beside the first, with this mind and embedder and a clock of its own."""
        ...

    def adopted(self, env: Env, shadow: Env) -> Env:
        """The memory after a switch to the second graph: its own stores, the other's adapters."""
        ...

    def discard_shadow(self, env: Env) -> bool:
        """Remove what a rebuild left beside the memory; False if there is nothing."""
        ...


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
    def queue(self) -> Queue:
        """Promised work."""
        return self.stores.queue

    @property
    def atomic(self) -> Atomic:
        """Begins a transaction over all stores."""
        return self.stores.atomic

    def at(self, clock: Clock, *, index: Index | None = None) -> Env:
        """The same memory at another time, and with the index as it was then if one is given."""
        stores = self.stores if index is None else replace(self.stores, index=index)
        return replace(self, clock=clock, stores=stores)
