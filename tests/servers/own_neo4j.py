"""A Neo4j of a test's own, which it may kill, stop and start again as it likes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import own_server
import run as servers


class OwnNeo4j(own_server.OwnServer):
    """One server in a folder of its own."""

    starts_within_s = 180  # on a machine with much else to do

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.url = f"bolt://127.0.0.1:{self.port}"

    def command(self) -> Sequence[str]:
        return servers.neo4j_command(self.folder, self.port)

    def is_ready(self) -> bool:
        return servers.neo4j_ready(self.port)


def own_neo4j(disk: Path | None = None) -> AbstractContextManager[OwnNeo4j]:
    """A server for as long as the block runs, or this test is skipped (in CI: fails)."""
    return own_server.running("neo4j", OwnNeo4j, disk)
