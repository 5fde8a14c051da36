"""Wiring of what a server needs."""

from __future__ import annotations

from remanent.clock import Clock
from remanent.config import Config
from remanent.jobs.idempotency import Once
from remanent.stores.sqlite import SqliteStores


def once_of(config: Config, stores: SqliteStores, clock: Clock) -> Once:
    """What does a named request once."""
    return Once(replays=stores.replays, registry=stores.registry, clock=clock, rules=config.server)
