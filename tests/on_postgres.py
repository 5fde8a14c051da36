"""Memories on a PostgreSQL server for the tests: each has a schema of its own, used again when empty."""

from __future__ import annotations

import functools
import itertools
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest

ENV_FILE = Path(__file__).resolve().parents[1] / ".servers" / "env"
# Only what is not empty is emptied: that is some milliseconds instead of a tenth of a second.
_EMPTY = """
DO $$ DECLARE t record; is_full boolean; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR t IN SELECT table_name AS name FROM information_schema.tables
             WHERE table_schema = '{schema}' AND table_name NOT IN ('migrations')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM {schema}.%I)', t.name) INTO is_full;
        IF is_full THEN EXECUTE format('DELETE FROM {schema}.%I', t.name); END IF;
    END LOOP;
    IF to_regclass('{schema}.events') IS NOT NULL THEN
        PERFORM setval('{schema}.events_seq_seq', 1, false);
    END IF;
END $$
"""
_ORDINARY = """
DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(1);
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ordinary') THEN
        CREATE ROLE ordinary LOGIN;
        EXECUTE format('GRANT CREATE ON DATABASE %I TO ordinary', current_database());
    END IF;
END $$
"""
_NUMBERS = itertools.count(1)


def _absent(what: str) -> NoReturn:
    if os.environ.get("REMANENT_REQUIRE_SERVERS") == "1":
        pytest.fail(what)
    pytest.skip(what)


@functools.cache
def _reachable(url: str) -> bool:
    address = urlsplit(url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except OSError:
        return False
    return True


def server_url() -> str:
    """The URL of the server, or this test is skipped."""
    return url_of("postgres")


def url_of(name: str) -> str:
    """The URL of the server of that name, or this test is skipped."""
    lines = ENV_FILE.read_text().splitlines() if ENV_FILE.is_file() else []
    known = dict(line.split("=", 1) for line in lines) | os.environ
    url = known.get(f"REMANENT_TEST_{name.upper()}", "")
    if not url or not _reachable(url):
        _absent(f"{name} is not running: `make servers` starts it")
    return url


@functools.cache
def ordinary_url() -> str:
    """The URL as a user of the database whom its walls hold: `server_url` is a superuser's."""
    import psycopg

    url = server_url()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_ORDINARY)
    return url.replace("//remanent@", "//ordinary@")


class Schemas:
    """URLs of empty memories; those that were given back are emptied and given again."""

    def __init__(self) -> None:
        self._free: list[str] = []

    @contextmanager
    def given(self) -> Iterator[str]:
        """The URL of an empty memory for as long as the block runs."""
        url = server_url()
        schema = self._free.pop() if self._free else f"test_{os.getpid()}_{next(_NUMBERS)}"
        try:
            yield f"{ordinary_url()}?schema={schema}"
        finally:
            self._empty(url, schema)

    def _empty(self, url: str, schema: str) -> None:
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_EMPTY.format(schema=schema))
        self._free.append(schema)

    def drop(self) -> None:
        """Take all of them away."""
        import psycopg

        if self._free:
            with psycopg.connect(server_url(), autocommit=True) as connection:
                connection.execute("SET client_min_messages = warning")
                for schema in self._free:
                    connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
                    connection.execute(f"DROP SCHEMA IF EXISTS {schema}_rebuild CASCADE")
