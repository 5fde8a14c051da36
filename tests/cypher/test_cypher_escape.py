"""Attempts to get more out of a query than it may give: to write, to read files or others' data, to hog.

After each of them the memory is what it was, and nobody else's word has come out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from remanent.clock import SteppedClock
from remanent.config import Config
from remanent.core.model.scope import Scope
from remanent.core.model.source import Sensitivity
from remanent.core.records.access import Role, Team
from remanent.cypher.language import CypherRules
from remanent.errors import BadQuery, CypherError, ForbiddenQuery, QueryLimit, RemanentError
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import (
    a_belief,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_entity,
)

CANARY = "CANARY"
NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
BOBS = a_person(f"{CANARY} Bob's friend", user="bob")
BOBS_PLACE = an_entity(f"{CANARY} Bob's place", user="bob")
BOBS_SOURCE = a_source(f"{CANARY} bob", user="bob", title=f"{CANARY} bob's diary")
BLUE = a_source(f"{CANARY} blue", user="cyd", team_id="blue", participants=("cyd", "ada"),
                title=f"{CANARY} blue")  # fmt: skip
HIGH = a_source(f"{CANARY} high", user="cyd", team_id="red", title=f"{CANARY} high",
                sensitivity=Sensitivity.HIGH, participants=("cyd",))  # fmt: skip
SHARED = a_source(
    "shared in red", user="cyd", team_id="red", title="the team's", participants=("cyd",)
)
GUEST = a_source("guest of green", user="cyd", team_id="green", title="the guest's",
                 participants=("cyd", "ada"))  # fmt: skip
BELIEF = a_belief(f"{CANARY} bob believes", user="bob")
LINK_KEY = f"{BOBS_SOURCE.key}-MENTIONS-{BOBS.key}"


@dataclass(frozen=True)
class Place:
    memory: Memory
    ada: UserMemory
    path: Path

    @property
    def digest(self) -> str:
        """Over every row of every table."""
        whole = hashlib.sha256()
        with apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY) as connection:
            tables = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name")
            for name, sql in list(tables):
                whole.update(repr((name, sql)).encode())
                if sql and sql.startswith("CREATE TABLE") and not name.startswith("entry_text"):
                    rows = sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"')))
                    whole.update("".join(rows).encode())
        return whole.hexdigest()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    path = tmp_path_factory.mktemp("escape") / "memory.db"
    config = Config(memory=str(path), cypher=CypherRules(seconds=600.0, megabytes=256))
    with Memory.open(
        config, clock=SteppedClock(NOW), mind=ScriptedMind(), embedder=HashEmbedder()
    ) as memory:
        ada = memory.user("ada", name="Ada")
        for other in ("bob", "cyd"):
            memory.user(other)
        _teams(memory)
        _others(memory)
        ada.remember("I live in Oslo")
        yield Place(memory, ada, path)


def _teams(memory: Memory) -> None:
    registry = memory.env.registry
    for team in ("red", "blue", "green"):
        registry.put_team(Team(team_id=team, name=team, created_at=NOW))
        registry.join(team, "cyd", Role.OWNER, NOW)
    registry.join("red", "ada", Role.MEMBER, NOW)
    registry.join("blue", "ada", Role.MEMBER, NOW)
    registry.leave("blue", "ada", NOW)


def _others(memory: Memory) -> None:
    graph = memory.env.graph
    bob, cyd = a_scope("bob"), Scope(user_id="cyd", teams=frozenset({"red", "blue", "green"}))
    for node in (BOBS, BOBS_PLACE, BOBS_SOURCE, BELIEF):
        graph.put(bob, node)
    friend = a_person(f"{CANARY} another", user="bob")
    graph.put(bob, friend)
    graph.relate(bob, a_relationship(BOBS.key, friend.key, user="bob", description=CANARY))
    graph.link(bob, a_link(BOBS_SOURCE.key, BOBS.key, user="bob"))
    graph.add_note(bob, a_note(BOBS.key, f"{CANARY} note", user="bob"))
    graph.put_passages(bob, BOBS_SOURCE.key, [a_passage(BOBS_SOURCE, 0, f"{CANARY} said")])
    for source in (BLUE, HIGH, SHARED, GUEST):
        graph.put(cyd, source)
    mine = a_person(f"{CANARY} cyd's view", user="cyd")
    graph.put(cyd, mine)
    graph.link(cyd, a_link(SHARED.key, mine.key, user="cyd"))


# -- what must be refused, whatever it says ----------------------------------------------------

WRITING = [
    "CREATE (n:Person {name: 'x'})",
    "CREATE (n:Person {name: 'x'}) RETURN n",
    "MATCH (n) CREATE (n)-[:KNOWS]->(:Person) RETURN n",
    "MERGE (n:Person {name: 'x'}) ON CREATE SET n.x = 1 RETURN n",
    "MATCH (n:Person) SET n.name = 'owned' RETURN n",
    "MATCH (n:Person) SET n += {name: 'owned'}",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) NODETACH DELETE n",
    "MATCH (n:Person) REMOVE n.name RETURN n",
    "DROP INDEX x",
    "CREATE INDEX FOR (n:Person) ON (n.name)",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    "MATCH (n) WITH collect(n) AS ns FOREACH (n IN ns | DELETE n)",
    "CALL { CREATE (n) RETURN n } RETURN 1",
    "CALL { MATCH (n) DELETE n RETURN 1 AS x } RETURN x",
    "MATCH (n) WHERE EXISTS { MATCH (m) DELETE m } RETURN n",
    "MATCH (n) CALL { WITH n SET n.x = 1 } IN TRANSACTIONS OF 10 ROWS RETURN n",
    "mErGe (n:Person {name: 'x'}) rEtUrN n",
    "/**/CREATE/**/(n)/**/RETURN/**/n",
    "RETURN 1; CREATE (n)",
    "RETURN 1; DROP TABLE nodes",
    "RETURN 1 UNION CREATE (n) RETURN n",
    "INSERT (n:Person)",
    "GRANT ROLE admin TO ada",
    "ALTER USER bob SET PASSWORD 'x'",
    "TERMINATE TRANSACTIONS '1'",
]
FILES = [
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV WITH HEADERS FROM 'file:///etc/hostname' AS line RETURN line",
    "load csv from 'http://127.0.0.1:1/' as line return line",
    "LOAD/* c */CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LOAD // c\nCSV FROM 'file:///etc/passwd' AS l RETURN l",
    "`LOAD` CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LO\\u0041D CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "ＬＯＡＤ ＣＳＶ FROM 'file:///etc/passwd' AS l RETURN l",
    "MATCH (n) LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "UNWIND [1] AS x LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "CALL { LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l } RETURN l",
    "USING PERIODIC COMMIT LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "CALL apoc.load.json('file:///etc/passwd')",
    "CALL apoc.export.csv.all('/tmp/out.csv', {})",
    "CALL dbms.listConfig()",
    "CALL dbms.security.listUsers()",
    "CALL db.index.fulltext.queryNodes('x', 'CANARY') YIELD node RETURN node",
    "CALL gds.graph.project('g', '*', '*')",
    "CALL db.labels.x()",
    "CALL `db.labels`.evil()",
    "RETURN readfile('/etc/passwd')",
    "RETURN writefile('/tmp/x', 'y')",
    "RETURN load_extension('/tmp/x.so')",
    "RETURN fts5('x')",
    "RETURN apoc.util.sha1(['x'])",
    "RETURN __import__('os')",
    "RETURN eval('1')",
]
INJECTION = [
    "MATCH (n) WHERE n.name = 'x' OR 1=1 -- RETURN n",
    "MATCH (n:Person') UNION SELECT * FROM nodes --) RETURN n",
    "MATCH (n:`Person' UNION SELECT body FROM nodes --`) RETURN n",
    "MATCH (n {`name' = '' OR 1=1 --`: 'x'}) RETURN n",
    "MATCH (n) RETURN n.`name'), (SELECT group_concat(body) FROM nodes) --`",
    'MATCH (n) RETURN n["x\') UNION SELECT body FROM store.nodes --"]',
    "MATCH (n)-[r:`MENTIONS'] UNION SELECT sql FROM sqlite_master --`]->(m) RETURN m",
    "MATCH (n) WHERE n.name = '\\'; ATTACH DATABASE \\'/tmp/x\\' AS y; --' RETURN n",
    "MATCH (n:sqlite_master) RETURN n",
    "MATCH (n:nodes) RETURN n",
    "MATCH (n:node_readers) RETURN n.token",
    "MATCH (n) RETURN n.rowid, n.body, n.user_id, n.natural_key, n._rest, n.__class__",
    "RETURN pragma_table_info('nodes')",
    "SELECT * FROM sqlite_master",
    "PRAGMA database_list",
    "ATTACH DATABASE '/tmp/x' AS y",
    "MATCH (n) RETURN properties(n).__dict__, keys(n)",
]
OTHERS = [
    "MATCH (n) RETURN n",
    "MATCH (n)-[r]-(m) RETURN n, r, m",
    "MATCH (n {key: $bobs}) RETURN n",
    "MATCH (n) WHERE n.key = $bobs OR elementId(n) = $bobs RETURN n",
    "MATCH (n) WHERE n.user_id = 'bob' RETURN n",
    "MATCH (n) WHERE NOT n.user_id = 'ada' RETURN n",
    "MATCH (n) WHERE n.key STARTS WITH $start RETURN n",
    "MATCH (n) WHERE id(n) IN range(0, 5000) RETURN properties(n)",
    "MATCH (s:Source)-[:MENTIONS]->(p) RETURN s, p",
    'MATCH (s:Source {title: "the team\'s"})-[*1..4]-(x) RETURN x',
    "MATCH (s:Source)-[:HAS_PASSAGE]->(p:Passage) RETURN p.text",
    "MATCH (p:Passage) RETURN p",
    "MATCH (b:Belief) RETURN b",
    "MATCH ()-[r]->() WHERE r.key = $link RETURN r, startNode(r), endNode(r)",
    "MATCH p = shortestPath((a)-[*]-(b)) WHERE a.key = $bobs RETURN p",
    "OPTIONAL MATCH (n {key: $bobs}) RETURN n.name, labels(n)",
    "MATCH (n) RETURN collect(n.notes), collect(n.description)",
    "CALL { MATCH (n) RETURN n } RETURN collect(n)",
    "MATCH (n) RETURN COUNT { (n)--({key: $bobs}) } AS c, n.title",
    "UNWIND $tokens AS t MATCH (n) WHERE n.team_id = t RETURN n.title",
]
HOGS = [
    "RETURN range(1, 1000000000)",
    "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)",
    "MATCH (a), (b), (c), (d), (e), (f), (g), (h), (i), (j), (k), (l) RETURN count(*)",
    "RETURN reduce(s = 'x', i IN range(1, 60) | s + s)",
    "RETURN reduce(l = [1], i IN range(1, 60) | l + l)",
    "RETURN reduce(l = [1], i IN range(1, 60) | [l, l])",
    "RETURN reduce(l = [], i IN range(1, 50000) | [l])",
    "RETURN reduce(m = {}, i IN range(1, 50000) | {m: m})",
    "RETURN reduce(n = 2, i IN range(1, 100) | n * n)",
    "RETURN replace('aaaaaaaaaa', 'a', reduce(s = 'x', i IN range(1, 19) | s + s))",
    "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a|a)*(a+)+$'",
    "WITH range(1, 1000) AS l RETURN [x IN l | [y IN l | [z IN l | x + y + z]]]",
    "UNWIND range(1, 900000) AS x WITH collect(range(1, 900000)) AS l RETURN size(l)",
    "RETURN all(x IN range(1, 999999) WHERE all(y IN range(1, 999999) WHERE y > 0))",
    f"RETURN {'(' * 5000}1{')' * 5000}",
    f"RETURN {'[' * 3000}{']' * 3000}",
    f"RETURN {'NOT ' * 4000}true",
    f"RETURN {'-' * 4000}1",
    f"RETURN {'+'.join(['1'] * 9000)}",
    f"MATCH {'(n {a: ' * 60}1{'})' * 60} RETURN 1",
    f"RETURN {'(n {a: ' * 30}1{'})' * 30}",
    f"RETURN {'CASE WHEN true THEN ' * 500}1{' END' * 500}",
    f"RETURN '{'x' * 1_000_000}'",
    f"MATCH (n) RETURN n /* {'x' * 1_000_000} */",
    "RETURN 99999999999999999999999999",
    "RETURN 1\x00",
    "\x00",
    "RETURN '\\uD800'",
    "RETURN 1e999 AS inf, -1e999, 0.0 / 0.0",
    "",
    "   ",
    ";",
]
GIVEN: dict[str, Any] = {
    "bobs": BOBS.key,
    "start": BOBS.key[:8],
    "link": LINK_KEY,
    "tokens": ["blue", "red", "green", "user:bob", "team:blue"],
}


def _tried(place: Place, query: str, seconds: float = 600.0) -> tuple[Any, RemanentError | None]:
    """What came of it; nothing of anybody else's, and no change, for certain."""
    before = place.digest
    rows: Any = ()
    problem: RemanentError | None = None
    try:
        rows = place.ada.cypher(query, GIVEN, timeout=seconds).rows
    except RemanentError as error:
        problem = error
    assert CANARY not in repr(rows)
    assert CANARY not in repr(problem) or CANARY in query
    assert "root:" not in repr(rows)
    assert type(problem) is not CypherError  # that would be a fault of ours, not a refusal
    assert place.digest == before
    return rows, problem


@pytest.mark.parametrize("query", WRITING)
def test_nothing_is_written(place: Place, query: str) -> None:
    _, problem = _tried(place, query)

    assert isinstance(problem, (ForbiddenQuery, BadQuery))


@pytest.mark.parametrize("query", FILES)
def test_no_file_no_line_and_no_procedure_is_reached(place: Place, query: str) -> None:
    _, problem = _tried(place, query)

    assert isinstance(problem, (ForbiddenQuery, BadQuery))


@pytest.mark.parametrize("query", INJECTION)
def test_a_query_is_never_sql(place: Place, query: str) -> None:
    rows, problem = _tried(place, query)

    assert isinstance(problem, CypherError) or all(
        value in (None, [], {}) or not _tells_of_tables(value) for row in rows for value in row
    )


def _tells_of_tables(value: Any) -> bool:
    return any(word in repr(value) for word in ("CREATE TABLE", "sqlite_", "node_readers", "user:"))


@pytest.mark.parametrize("query", OTHERS)
def test_others_are_out_of_reach(place: Place, query: str) -> None:
    _tried(place, query)


@pytest.mark.parametrize("query", HOGS, ids=[query[:60] for query in HOGS])
def test_no_query_takes_more_than_it_is_given(place: Place, query: str) -> None:
    rows, problem = _tried(place, query, seconds=0.5)

    assert isinstance(problem, (QueryLimit, BadQuery)) or len(rows) <= 1
    assert place.ada.cypher("RETURN 1").rows == ((1,),)  # and the next one is served


def test_there_are_enough_attempts() -> None:
    assert len([*WRITING, *FILES, *INJECTION, *OTHERS, *HOGS]) >= 60


def test_a_team_a_guest_and_a_leaver_see_what_is_theirs(place: Place) -> None:
    titles = "MATCH (s:Source) RETURN s.title ORDER BY s.title"

    assert place.ada.cypher(titles).rows == (("the guest's",), ("the team's",))
    mine = {title for (title,) in place.memory.user("cyd").cypher(titles).rows}
    assert mine == {"the guest's", "the team's", f"{CANARY} blue", f"{CANARY} high"}
    assert place.memory.user("bob").cypher(titles).rows == ((f"{CANARY} bob's diary",),)


def test_another_view_of_a_shared_source_is_not_seen(place: Place) -> None:
    around = 'MATCH (s:Source {title: "the team\'s"}) OPTIONAL MATCH (s)--(n) RETURN n'

    assert place.ada.cypher(around).rows == ((None,),)


@pytest.mark.parametrize(
    "given",
    [
        {"x": "' OR 1=1 --"},
        {"x": "\x00"},
        {"x": ["LOAD CSV FROM 'file:///etc/passwd' AS l"]},
        {"x": {"key": BOBS.key}},
        {"x; DROP TABLE nodes": 1, "x": 2},
    ],
)
def test_a_parameter_is_a_value_and_nothing_else(place: Place, given: dict[str, Any]) -> None:
    before = place.digest

    assert place.ada.cypher("RETURN $x", given).rows == ((given["x"],),)
    assert place.digest == before
