"""A Redis of a test's own, which it may kill, stop and start again as it likes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import own_server
import run as servers


class OwnRedis(own_server.OwnServer):
    """One server in a folder of its own, with these settings."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self._settings = settings
        super().__init__(folder)
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str]:
        return [*servers.redis_command(self.folder, self.port), *self._settings]

    def is_ready(self) -> bool:
        return servers.redis_ready(self.port)


def own_redis(*settings: str, disk: Path | None = None) -> AbstractContextManager[OwnRedis]:
    """A server for as long as the block runs, or this test is skipped (in CI: fails)."""
    return own_server.running("redis", lambda folder: OwnRedis(folder, *settings), disk)
