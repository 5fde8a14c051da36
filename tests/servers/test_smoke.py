"""Each database server can be had, takes a write and gives it back (docs/adr/0007).

The features tried are those the adapters will stand on; whatever is missing should be known here.
"""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest

# One after the other, in one file: each test removes what bears the names that all of them use.
pytestmark = pytest.mark.server

ENV_FILE = Path(__file__).resolve().parents[2] / ".servers" / "env"


def absent(what: str) -> NoReturn:
    """Skip for want of something, or fail where everything has to be there (in CI)."""
    if os.environ.get("REMANENT_REQUIRE_SERVERS") == "1":
        pytest.fail(what)
    pytest.skip(what)


def driver(module: str, extra: str) -> Any:
    # Not `pytest.importorskip`: it would skip in CI as well.
    try:
        found = importlib.import_module(module)
    except ImportError:
        found = None
    # Without the driver, the folder `neo4j` beside this file is taken for an empty package.
    if found is None or found.__file__ is None:
        absent(f"no driver `{module}`: pip install 'remanent[{extra}]'")
    return found


def url_of(server: str) -> str:
    """Return the URL of a server that listens; the environment goes before `.servers/env`."""
    lines = ENV_FILE.read_text().splitlines() if ENV_FILE.is_file() else []
    known = dict(line.split("=", 1) for line in lines) | os.environ
    url = known.get(f"REMANENT_TEST_{server.upper()}")
    if not url:
        absent(f"{server} is not running: `make servers` starts it")
    address = urlsplit(url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except OSError as error:
        absent(f"{server} does not answer at {url} ({error}): `make servers` starts it")
    return url


def test_postgres_keeps_a_job_that_only_one_worker_can_claim() -> None:
    psycopg = driver("psycopg", "postgres")
    url = url_of("postgres")
    claim = "SELECT task FROM smoke_job ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("DROP TABLE IF EXISTS smoke_job")
        admin.execute("CREATE TABLE smoke_job (id serial PRIMARY KEY, task jsonb NOT NULL)")
        admin.execute("INSERT INTO smoke_job (task) VALUES (%s)", ['{"kind": "sleep — 眠る"}'])
        try:
            with psycopg.connect(url) as first, psycopg.connect(url) as second:
                assert first.execute(claim).fetchone() == ({"kind": "sleep — 眠る"},)
                assert second.execute(claim).fetchone() is None
        finally:
            admin.execute("DROP TABLE smoke_job")


def test_postgres_wakes_a_listener() -> None:
    psycopg = driver("psycopg", "postgres")
    with psycopg.connect(url_of("postgres"), autocommit=True) as connection:
        connection.execute("LISTEN smoke_wake")
        connection.execute("NOTIFY smoke_wake, 'up'")
        heard = connection.notifies(timeout=10, stop_after=1)
        assert [notice.payload for notice in heard] == ["up"]


def test_redis_gives_a_stream_back_in_order_and_keeps_it_on_disk() -> None:
    redis = driver("redis", "dev")
    with redis.Redis.from_url(url_of("redis"), decode_responses=True) as client:
        client.delete("smoke:stream")
        try:
            for text in ("first", "second — 二"):
                client.xadd("smoke:stream", {"text": text})
            entries = client.xrange("smoke:stream")
            assert [fields["text"] for _, fields in entries] == ["first", "second — 二"]
            assert client.info("persistence")["aof_enabled"] == 1
        finally:
            client.delete("smoke:stream")


@pytest.fixture
def graph() -> Iterator[Any]:
    """A session with Neo4j that holds nothing of ours before and after."""
    neo4j = driver("neo4j", "dev")
    with (
        neo4j.GraphDatabase.driver(url_of("neo4j"), auth=None) as client,
        client.session() as session,
    ):
        forget(session)
        yield session
        forget(session)


def forget(session: Any) -> None:
    session.run("DROP CONSTRAINT smoke_unique IF EXISTS").consume()
    session.run("DROP INDEX smoke_vector IF EXISTS").consume()
    session.run("DROP INDEX smoke_text IF EXISTS").consume()
    session.run("MATCH (n:Smoke) DETACH DELETE n").consume()


def test_neo4j_refuses_a_duplicate_under_a_constraint(graph: Any) -> None:
    neo4j_errors = driver("neo4j.exceptions", "dev")
    graph.run("CREATE CONSTRAINT smoke_unique FOR (n:Smoke) REQUIRE n.id IS UNIQUE").consume()
    graph.run("CREATE (:Smoke {id: $id})", id="a").consume()
    with pytest.raises(neo4j_errors.ConstraintError):
        graph.run("CREATE (:Smoke {id: $id})", id="a").consume()
    assert graph.run("MATCH (n:Smoke) RETURN count(n) AS nodes").single()["nodes"] == 1


def test_neo4j_finds_the_nearest_vector(graph: Any) -> None:
    graph.run(
        "CREATE VECTOR INDEX smoke_vector FOR (n:Smoke) ON (n.embedding) OPTIONS {indexConfig: "
        "{`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}"
    ).consume()
    write_nodes(graph)
    found = graph.run(
        "CALL db.index.vector.queryNodes('smoke_vector', 2, $near) YIELD node, score "
        "RETURN node.id AS id, score ORDER BY score DESC",
        near=[0.9, 0.1, 0.0],
    ).values()
    assert [identity for identity, _ in found] == ["tea", "harp"]
    assert found[0][1] == pytest.approx(0.9969, abs=0.001)  # (1 + cosine) / 2


def test_neo4j_finds_a_word_in_a_text(graph: Any) -> None:
    graph.run("CREATE FULLTEXT INDEX smoke_text FOR (n:Smoke) ON EACH [n.text]").consume()
    write_nodes(graph)
    found = graph.run(
        "CALL db.index.fulltext.queryNodes('smoke_text', $words) YIELD node RETURN node.id",
        words="harp",
    ).values()
    assert found == [["harp"]]


def write_nodes(graph: Any) -> None:
    # The indexes fill in the background; a query before they are online is refused.
    graph.run("CALL db.awaitIndexes(60)").consume()
    nodes = [
        {"id": "tea", "text": "Ana drinks green tea", "embedding": [1.0, 0.0, 0.0]},
        {"id": "harp", "text": "Ben plays the harp", "embedding": [0.0, 1.0, 0.0]},
        {"id": "boat", "text": "Cem sold a boat", "embedding": [0.0, 0.0, 1.0]},
    ]
    graph.run("UNWIND $nodes AS node CREATE (n:Smoke) SET n = node", nodes=nodes).consume()
