"""Memories in PostgreSQL and Redis for the tests: each has a schema, and in Redis the keys of its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import on_postgres


def server_url() -> str:
    """The URL of the server, or this test is skipped."""
    return on_postgres.url_of("redis")


@contextmanager
def given(schemas: on_postgres.Schemas, server: str = "") -> Iterator[str]:
    """The addresses of an empty memory, on that Redis or ours, for as long as the block runs."""
    import redis

    server = server or server_url()
    with schemas.given() as url:
        try:
            yield f"{url} {server}"
        finally:
            schema = url.rpartition("schema=")[2]
            with redis.Redis.from_url(server) as client:
                for key in client.scan_iter(match=f"{{{schema}*}}:*", count=1000):
                    client.unlink(key)
