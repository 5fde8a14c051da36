"""The set-ups that a memory may stand on, for the tests of whole lives: addresses of empty memories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import effort
import on_neo4j
import on_postgres

SET_UPS = ("postgres", "postgres+redis", "postgres+neo4j", "postgres+neo4j+redis")
# Those with a second server; what takes minutes is tried on two of them, and by `make torture` on all.
BESIDE = tuple(
    one for one in SET_UPS if "+" in one and (effort.IS_TORTURE or one != "postgres+neo4j")
)


class Places:
    """Gives addresses, and takes all that lies there away again."""

    def __init__(self) -> None:
        self._schemas = on_postgres.Schemas()

    @contextmanager
    def given(self, set_up: str) -> Iterator[str]:
        """The addresses of an empty memory for as long as the block runs; the test is skipped where one of
        its servers does not run."""
        others = set_up.split("+")[1:]
        servers = {one: on_postgres.url_of(one) for one in others}
        with self._schemas.given() as url:
            schema = url.rpartition("schema=")[2]
            try:
                yield " ".join([url, *servers.values()])
            finally:
                for one, server in servers.items():
                    _EMPTIED[one](server, schema)

    def drop(self) -> None:
        self._schemas.drop()
        on_neo4j.drop()


def _empty_redis(server: str, schema: str) -> None:
    import redis

    with redis.Redis.from_url(server) as client:
        for key in client.scan_iter(match=f"{{{schema}*}}:*", count=1000):
            client.unlink(key)


def _empty_neo4j(server: str, schema: str) -> None:
    del server
    for memory in (schema, f"{schema}_rebuild"):
        with on_neo4j.database(memory) as one:
            on_neo4j.empty(one)


_EMPTIED = {"redis": _empty_redis, "neo4j": _empty_neo4j}
