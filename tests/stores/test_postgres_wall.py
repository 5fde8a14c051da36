"""The second wall: PostgreSQL itself shows a call its own user's rows, and one that names nobody none."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, get_type_hints

import on_postgres
import pytest
import rebuilt as lives

from remanent.core.env import Stores
from remanent.core.model.scope import Scope
from remanent.core.records.admin import Level
from remanent.errors import StoreError

pytestmark = [pytest.mark.server, pytest.mark.slow]

UNWALLED = {"meta", "migrations"}  # nobody's rows
RED = Scope(user_id="ada", teams=frozenset({"red"}))
ADA = Scope(user_id="ada")
# A text that tells whose a row is, and how.
WHOSE = {"user_id": "{}", "actor": "{}", "subject": "{}", "token": "user:{}", "team_id": "of {}"}
JSON = {"body", "payload", "called", "settings", "detail", "paths"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    schemas = on_postgres.Schemas()
    with schemas.given() as url:
        yield url
    schemas.drop()


@pytest.fixture(scope="module")
def database(url: str) -> Iterator[Any]:
    """Two rows in every table, one of Ada's and one of Bob's."""
    import psycopg

    with lives.opened(url) as memory:
        database = memory.env.stores.database
        with psycopg.connect(on_postgres.server_url(), autocommit=True) as other:
            other.execute("SET session_replication_role = replica")  # no row needs another
            other.execute(f"SET search_path = {database.schema}")
            for number, user in enumerate(("ada", "bob"), 1):
                for table in tables(database):
                    fill(other, database.schema, table, user, number)
        yield database


def tables(database: Any) -> list[str]:
    return sorted(set(database.text_columns()) - UNWALLED)


def fill(other: Any, schema: str, table: str, user: str, number: int) -> None:
    columns = other.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_schema = %s AND table_name = %s",
        (schema, table),
    ).fetchall()
    values = {name: value(name, kind, user, number) for name, kind in columns}
    if table == "notes":
        values["relationship_id"] = None
    names, places = ", ".join(values), ", ".join(f"%({name})s" for name in values)
    other.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", values)


def value(name: str, kind: str, user: str, number: int) -> Any:
    if kind == "bytea":
        return user.encode()
    if kind != "text":
        return 0 if name == "shared" else number
    return "{}" if name in JSON else WHOSE.get(name, "{}").format(user)


def count(database: Any, table: str) -> int:
    ((found,),) = database.execute(f"SELECT count(*) FROM {table}")
    return int(found)


def eyes(scope: Scope) -> Any:
    from remanent.stores.postgres.wall import eyes_of

    return eyes_of(scope)


def test_every_table_with_anybodys_rows_has_a_wall(database: Any) -> None:
    rows = database.execute(
        "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class AS c"
        " JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname = ? AND relkind = 'r'",
        (database.schema,),
    )
    assert {name for name, *walls in rows if not all(walls)} == UNWALLED


def test_a_call_sees_its_users_rows_and_a_careless_one_none(database: Any) -> None:
    seen = dict[str, tuple[int, int, int]]()
    for table in tables(database):
        careless = count(database, table)
        with database.seen_by(eyes(ADA)):
            own = count(database, table)
        with database.for_everybody():
            seen[table] = (careless, own, count(database, table))
    common = {"teams", "reembedded"}  # nobody's alone
    assert seen == {table: (0, 0 if table in common else 1, 2) for table in seen}
    assert len(seen) > 30


def test_no_row_can_be_written_for_somebody_else(database: Any) -> None:
    for table in ("events", "items", "answers", "relationships", "nodes", "notes", "assertions"):
        with database.seen_by(eyes(ADA)), database.transaction():
            assert not database.execute(
                f"UPDATE {table} SET user_id = user_id WHERE user_id = 'bob' RETURNING 1"
            )
            assert not database.execute(f"DELETE FROM {table} WHERE user_id = 'bob' RETURNING 1")
        with (
            pytest.raises(StoreError, match="row-level security"),
            database.seen_by(eyes(ADA)),
            database.transaction(),
        ):
            database.execute(f"UPDATE {table} SET user_id = 'bob' WHERE user_id = 'ada'")


@contextmanager
def undone(database: Any) -> Iterator[None]:
    """A block of which nothing stays."""
    with suppress(_Undone), database.transaction():
        yield
        raise _Undone


class _Undone(Exception):
    """What was done shall not stay."""


def test_a_team_sees_what_it_shares_with_all_that_hangs_on_it(database: Any) -> None:
    with undone(database):
        with database.for_everybody():
            database.execute("UPDATE nodes SET shared = 1 WHERE user_id = 'bob'")
            for table in ("node_readers", "vector_readers"):
                database.execute(f"UPDATE {table} SET token = 'team:red' WHERE token = 'user:bob'")
        for scope, many in ((ADA, 1), (RED, 2)):
            with database.seen_by(eyes(scope)):
                for table in ("nodes", "passages", "links", "entries"):
                    assert count(database, table) == many, (scope, table)
                assert count(database, "relationships") == 1


def test_what_was_told_of_a_call_ends_with_it(database: Any) -> None:
    assert count(database, "nodes") == 0
    with database.seen_by(eyes(ADA)), database.transaction():
        assert count(database, "nodes") == 1
        with undone(database), database.for_everybody():
            assert count(database, "nodes") == 2
        assert count(database, "nodes") == 1
        with database.for_everybody(), database.transaction():
            assert count(database, "nodes") == 2
        assert count(database, "nodes") == 1
    assert count(database, "nodes") == 0
    with database.for_everybody(), database.read():
        assert count(database, "nodes") == 2
    with database.read():
        assert count(database, "nodes") == 0


@pytest.mark.parametrize(
    "user", ["o'neil", 'a"b', "back\\slash", "100%", "{x,y}", "zoë", "$1 :x ?"]
)
def test_an_odd_name_is_its_own(database: Any, user: str) -> None:
    with database.seen_by(eyes(Scope(user_id=user, teams=frozenset({user})))):
        told = database.execute("SELECT wall_user(), wall_tokens()")
    assert told == [(user, [f"user:{user}", f"named:{user}", f"team:{user}"])]


def test_what_works_for_everybody_is_declared() -> None:
    on_postgres.server_url()
    from remanent.stores.postgres.wall import ALL, FOR_EVERYBODY

    ports = get_type_hints(Stores)
    undeclared = []
    for name, port in ports.items():
        methods = inspect.getmembers(port, inspect.isfunction) if inspect.isclass(port) else []
        declared = FOR_EVERYBODY.get(name, ())
        known = {method for method, _ in methods}
        assert declared is ALL or known >= set(declared), name
        for method, function in methods:
            hints = [one for part, one in get_type_hints(function).items() if part != "return"]
            names_its_user = hints and (hints[0] is Scope or "user_id" in dir(hints[0]))
            if not (method.startswith("_") or names_its_user or declared is ALL):
                undeclared += [] if method in declared else [f"{name}.{method}"]
    assert undeclared == []


def test_doctor_says_whom_no_wall_holds() -> None:
    schemas = on_postgres.Schemas()
    with schemas.given() as url:
        with lives.opened(url) as memory:
            assert memory.env.stores.health.health().unwalled == ""
        as_superuser = f"{on_postgres.server_url()}?{url.partition('?')[2]}"
        with lives.opened(as_superuser) as memory:
            (wall,) = [one for one in memory.doctor(offline=True).findings if one.part == "wall"]
            assert "'remanent'" in wall.told
            assert wall.level is Level.WARN
    schemas.drop()
