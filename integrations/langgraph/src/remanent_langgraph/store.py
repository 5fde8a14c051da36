"""RemanentStore and AsyncRemanentStore: LangGraph's `BaseStore` on one user's memory."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from os import environ
from pathlib import Path
from typing import Any, cast

from langgraph.store.base import BaseStore, Embeddings, IndexConfig, Op, Result, TTLConfig
from langgraph.store.base.batch import AsyncBatchedBaseStore

from remanent.clock import Clock
from remanent.config import Config
from remanent.core.ports.embedder import Embedder
from remanent.errors import InvalidInput
from remanent.memory import Memory, UserMemory
from remanent_langgraph.batch import Batch, GivenSight, Sight

ROOM = "langgraph"
NOBODY = "langgraph"  # whose memory it is where nobody says
_SWEEP_MINUTES = 5.0


class RemanentStore(BaseStore):
    """The items of one user. They are in the memory's file and its ledger, and in no other user's sight.

    Without an `index` configuration the memory's own embedder serves `search(query=...)`.
    """

    supports_ttl = True
    ttl_config: TTLConfig

    def __init__(
        self, user: UserMemory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> None:
        super().__init__()
        self.index_config = None if index is None else cast("IndexConfig", dict(index))
        # As LangGraph's SQLite store: reading prolongs a life only where somebody says so.
        self.ttl_config = cast("TTLConfig", {"refresh_on_read": False, **(ttl or {})})
        self._items = user.shelf(ROOM)
        self._sight = Sight(self._items) if index is None else GivenSight(index)
        self.embeddings: Embeddings | None = self._sight.embeddings
        self._stop_sweeping = threading.Event()
        self._sweeper: threading.Thread | None = None

    @classmethod
    @contextmanager
    def from_path(
        cls,
        path: str | Path | Config | None = None,
        *,
        user_id: str | None = None,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> Iterator[RemanentStore]:
        """A store on the memory at a path, closed at the end of the block.

        Whose items they are: `user_id`, else the setting `REMANENT_USER`, else "langgraph".
        """
        with Memory.open(path, clock=clock, embedder=embedder) as memory:
            user = memory.user(user_id or environ.get("REMANENT_USER") or NOBODY)
            store = cls(user, index=index, ttl=ttl)
            try:
                yield store
            finally:
                store.stop_ttl_sweeper()

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, **kwargs: Any) -> Iterator[RemanentStore]:
        """As `from_path`, under the name that LangGraph's own stores have for it."""
        with cls.from_path(conn_string.removeprefix("sqlite:///"), **kwargs) as store:
            yield store

    def setup(self) -> None:
        """There is nothing to set up: a memory's file is made when it is opened."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do these together: reads first, then all puts or none."""
        with _as_theirs():
            batch = self._batch(ops)
            return batch.results(self._sight.embed(batch.texts, batch.questions))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same without holding up the event loop."""
        with _as_theirs():
            batch = await asyncio.to_thread(self._batch, list(ops))
            vectors = await self._sight.aembed(batch.texts, batch.questions)
            return await asyncio.to_thread(batch.results, vectors)

    def sweep_ttl(self) -> int:
        """Take away what has expired; how many items that were."""
        return self._items.sweep()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweep every few minutes, in a thread of its own, until `stop_ttl_sweeper`."""
        done: Future[None] = Future()
        if self._sweeper is not None and self._sweeper.is_alive():
            return done
        every = self.ttl_config.get("sweep_interval_minutes")
        minutes = sweep_interval_minutes or every or _SWEEP_MINUTES
        self._stop_sweeping.clear()

        def sweep() -> None:
            while not self._stop_sweeping.wait(minutes * 60):
                self.sweep_ttl()
            done.set_result(None)

        self._sweeper = threading.Thread(target=sweep, name="sweep-items", daemon=True)
        self._sweeper.start()
        return done

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End the sweeping; False if it did not end in time."""
        self._stop_sweeping.set()
        if self._sweeper is None:
            return True
        self._sweeper.join(timeout)
        if self._sweeper.is_alive():
            return False
        self._sweeper = None
        return True

    def _batch(self, ops: Iterable[Op]) -> Batch:
        omit = bool(self.ttl_config.get("omit_expired", False))
        return Batch(self._items, self._sight, ops, omit_expired=omit)


@contextmanager
def _as_theirs() -> Iterator[None]:
    """Bad input is a `ValueError` to programs that were written for LangGraph's stores."""
    try:
        yield
    except InvalidInput as problem:
        raise ValueError(str(problem)) from problem


class AsyncRemanentStore(AsyncBatchedBaseStore):
    """`RemanentStore` for coroutines; `sync` is the one it speaks for. Make it inside an event loop."""

    supports_ttl = True

    def __init__(self, sync: RemanentStore) -> None:
        super().__init__()
        self.sync = sync
        self.index_config = sync.index_config
        self.ttl_config = sync.ttl_config
        self.embeddings = sync.embeddings

    @classmethod
    @asynccontextmanager
    async def from_path(
        cls, path: str | Path | None = None, **kwargs: Any
    ) -> AsyncIterator[AsyncRemanentStore]:
        """As `RemanentStore.from_path`."""
        opened = RemanentStore.from_path(path, **kwargs)
        sync = await asyncio.to_thread(opened.__enter__)
        try:
            yield cls(sync)
        finally:
            await asyncio.to_thread(opened.__exit__, None, None, None)

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, conn_string: str, **kwargs: Any
    ) -> AsyncIterator[AsyncRemanentStore]:
        """As `RemanentStore.from_conn_string`."""
        async with cls.from_path(conn_string.removeprefix("sqlite:///"), **kwargs) as store:
            yield store

    async def __aenter__(self) -> AsyncRemanentStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_ttl_sweeper()

    async def setup(self) -> None:
        """There is nothing to set up."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """From another thread than that of the event loop, which must not wait."""
        try:
            is_ours = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_ours = False
        if is_ours:
            raise asyncio.InvalidStateError(
                "a synchronous call in the event loop of this store; await its twin, like `aget`"
            )
        return self.sync.batch(ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do these together: reads first, then all puts or none."""
        return await self.sync.abatch(ops)

    async def sweep_ttl(self) -> int:
        """Take away what has expired; how many items that were."""
        return await asyncio.to_thread(self.sync.sweep_ttl)

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep every few minutes until `stop_ttl_sweeper`."""
        self.sync.start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - theirs
        """End the sweeping; False if it did not end in time."""
        return await asyncio.to_thread(self.sync.stop_ttl_sweeper, timeout)
