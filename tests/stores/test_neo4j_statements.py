"""Each statement of graph and index has a Cypher, and none of them goes through all nodes to find a few."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import on_neo4j
import pytest

import remanent.stores.sql.graph_store
from remanent_conformance.builders import MOMENT

# Parts of statements, and those with a hole in them, which are asked for with it filled.
PARTS = re.compile(
    r"[{}]|\bTABLE\b|\bCONDITION\b|\bOUTWARD\b|^INSERT INTO nodes .*\)$|^WITH seen .*\)$"
)
# What is about everybody: exports, a switch of embedders, what is under way.
WHOLE = (" > :after", "reembedded", "'is_done'")

MADE = """
SHOW INDEXES YIELD name, entityType, labelsOrTypes, properties
WHERE (name STARTS WITH 'planned' OR entityType = 'RELATIONSHIP') AND labelsOrTypes IS NOT NULL
RETURN name, entityType, labelsOrTypes[0] AS on, properties
"""
# A plan is chosen by how much there is: where there is nothing, to go through all of it costs nothing.
MANY = {
    "NODE": "UNWIND range(1, 2000) AS i CREATE (x:`ON`) SET x.filled = true",
    "RELATIONSHIP": """
MATCH (s:planned) WITH s LIMIT 50
MATCH (d:planned) WITH s, d LIMIT 2000
CREATE (s)-[x:`ON`]->(d) SET x.filled = true
""",
}


def sql() -> Iterator[tuple[str, str]]:
    folder = remanent.stores.sql.graph_store
    names = [f"graph_store.{one.name}" for one in pkgutil.iter_modules(folder.__path__)]
    for name in [*names, "index", "cypher"]:
        module = importlib.import_module(f"remanent.stores.sql.{name}")
        for constant, text in vars(module).items():
            if isinstance(text, str) and re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", text):
                yield f"{name}.{constant}", text


def test_every_statement_has_a_cypher() -> None:
    pytest.importorskip("neo4j")
    from remanent.stores.neo4j.dialect import statements

    missing = [
        name
        for name, text in sql()
        if text not in statements() and not PARTS.search(" ".join(text.split()))
    ]

    assert missing == []


@pytest.mark.server
def test_each_is_understood_and_none_scans() -> None:
    url = on_neo4j.server_url()
    import neo4j

    from remanent.stores.neo4j.dialect import statements, translated
    from remanent.stores.neo4j.migrations import drop, migrate

    scanning = []
    with (
        on_neo4j.database("planned") as database,
        neo4j.GraphDatabase.driver(url, auth=None, notifications_min_severity="OFF") as client,
        client.session() as session,
    ):
        migrate(database, MOMENT)
        _fill(session)
        for text in statements():
            plan = session.run(f"EXPLAIN {translated(text, 'planned').text}").consume().plan
            if not any(one in text for one in WHOLE) and any(map(_is_scan, _steps(plan))):
                scanning.append(text)
        session.run("MATCH (x) WHERE x.filled DETACH DELETE x").consume()
        drop(database)

    assert scanning == []


def _fill(session: Any) -> None:
    """Give every index something to find, each value once, and let the planner know of it."""
    made = session.run(MADE).values()
    fields: dict[tuple[str, str], set[str]] = {}
    for name, entity, on, properties in made:
        session.run("CALL db.awaitIndex($name, 60)", name=name).consume()
        fields.setdefault((entity, on), set()).update(properties or ())
    for (entity, on), names in sorted(fields.items()):  # nodes first
        values = "".join(f", x.`{one}` = 'planned' + randomUUID()" for one in sorted(names))
        session.run(MANY[entity].replace("ON", on).replace("= true", f"= true{values}")).consume()
    session.run("CALL db.prepareForReplanning(120)").consume()


def _steps(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for one in plan.get("children", ()):
        yield from _steps(one)


def _is_scan(step: str) -> bool:
    return "Scan" in step and "IndexScan" not in step
