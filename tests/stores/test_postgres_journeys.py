"""How often PostgreSQL is asked: a journey costs more than what is read on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import on_postgres
import pytest
import rebuilt as lives

from remanent import Memory
from remanent.core.model.scope import Scope
from remanent.stores.postgres.wall import EVERYBODY, eyes_of

pytestmark = [pytest.mark.server, pytest.mark.slow]

NAMES = "SELECT user_id FROM users WHERE user_id = ? ORDER BY 1"
ALL = "SELECT count(*) FROM users"
SEARCH = (
    5  # who asks; names, and what the index has; beliefs; what was found; what was learned from it
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    schemas = on_postgres.Schemas()
    with schemas.given() as url, lives.opened(url) as memory:
        for name in ("ada", "bob"):
            user = memory.user(name)
            user.add("Maria Holm moved to Bergen in May. She rows on the lake.", title="Maria")
            user.remember("Maria likes tea.")
        memory.work()
        yield memory
    schemas.drop()


@pytest.fixture
def journeys(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One for each journey from now on."""
    import psycopg

    made: list[int] = []
    wait = psycopg.Connection.wait

    def counted(*args: Any, **kwargs: Any) -> Any:
        made.append(1)
        return wait(*args, **kwargs)

    monkeypatch.setattr(psycopg.Connection, "wait", counted)
    return made


def test_a_search_takes_few_journeys(memory: Memory, journeys: list[int]) -> None:
    ada = memory.user("ada", create=False)
    assert ada.search("Where does Maria Holm live?", touch=False)
    journeys.clear()
    assert ada.search("Where does Maria Holm live?", touch=False)
    assert len(journeys) <= SEARCH
    ada.search("Where does Maria Holm live?")
    journeys.clear()
    assert ada.search("Where does Maria Holm live?")  # what was used within the hour is not written
    assert len(journeys) <= SEARCH + 1


def test_what_is_expected_comes_along_for_its_own_eyes(memory: Memory, journeys: list[int]) -> None:
    database = memory.env.stores.database
    ada = eyes_of(Scope(user_id="ada"))
    for name, found in (("ada", [("ada",)]), ("bob", [])):
        with database.seen_by(ada):
            database.expect(NAMES, (name,))
        journeys.clear()
        with database.seen_by(EVERYBODY):
            assert database.execute(ALL) == [(2,)]
        with database.seen_by(ada):
            assert database.execute(NAMES, (name,)) == found
        assert len(journeys) == 1
    with database.seen_by(ada):
        database.expect(NAMES, ("bob",))
    with database.seen_by(EVERYBODY):
        database.execute(ALL)
        assert database.execute(NAMES, ("bob",)) == [("bob",)]


def test_what_came_along_is_not_kept(memory: Memory, journeys: list[int]) -> None:
    database, rename = memory.env.stores.database, "UPDATE users SET name = ? WHERE user_id = 'ada'"
    name = "SELECT name FROM users WHERE user_id = 'ada'"

    def come(*, first: str) -> None:
        with database.transaction():
            database.execute(rename, (first,))
        database.expect(name)
        assert database.execute(ALL) == [(2,)]

    with database.seen_by(EVERYBODY):
        come(first="One")
        assert database.execute(name) == [("One",)]
        come(first="Two")
        database.execute(ALL)  # only the next one has it at hand
        with database.transaction():
            database.execute(rename, ("Three",))
        assert database.execute(name) == [("Three",)]
        come(first="Four")
        with database.transaction():
            database.execute_many(rename, [("Five",)])
        assert database.execute(name) == [("Five",)]
        database.expect(name)
        with database.transaction():
            database.execute(rename, ("Six",))
            assert database.execute(name) == [("Six",)]


def test_what_is_asked_at_once_is_told_apart(memory: Memory) -> None:
    database = memory.env.stores.database
    with database.seen_by(EVERYBODY), database.read():
        for _ in range(3):  # planned by the second time
            answers = database.together([(NAMES, ("ada",)), (NAMES, ("nobody",)), (ALL, ())])
            assert answers == [[("ada",)], [], [(2,)]]
    assert database.together([]) == []
