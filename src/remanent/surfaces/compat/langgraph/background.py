"""AsyncRemanentStore: calls of one turn of the event loop become one batch, and equal ones one call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.store.base import Op, Result
from langgraph.store.base.batch import AsyncBatchedBaseStore
from remanent.surfaces.compat.langgraph.store import RemanentStore


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
