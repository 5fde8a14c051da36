"""The block of writes over several servers, in PostgreSQL with a member that keeps a diary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import on_postgres
import pytest

from remanent.config import load_config, servers_beside, strange_address
from remanent.core.model.scope import Scope
from remanent.errors import BusyMemory, ConfigError, StoreError, UnreachableMemory
from remanent.stores.combined.part import Member, Ticket
from remanent_conformance.builders import MOMENT, an_event

ADA = Scope(user_id="ada")


class Diary(Member):
    """Writes down what it is told, and what the block has appended."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.fails_at = ""
        self.left: dict[str, int] = {}
        self.has_appended = {"ada": 7}
        self.tickets: list[Ticket] = []
        self.is_written: list[bool] = []

    def _told(self, what: str) -> None:
        self.told.append(what)
        if what == self.fails_at:
            raise UnreachableMemory("diary", f"fails at {what}")

    def begin(self) -> None:
        self._told("begin")

    def mark(self) -> Any:
        return len(self.told)

    def take_back(self, mark: Any) -> None:
        self._told(f"back to {mark}")

    def appended(self) -> Mapping[str, int]:
        return self.has_appended

    def promise(self) -> None:
        self._told("promise")

    def derive(self) -> None:
        self._told("derive")

    def finish(self, is_written: Callable[[Ticket], bool]) -> None:
        self.is_written = [is_written(one) for one in self.tickets]

    def settle(self) -> None:
        self._told("settle")

    def end(self) -> None:
        self._told("end")

    def unapplied(self, user_id: str | None = None) -> Mapping[str, int]:
        return {one: seq for one, seq in self.left.items() if user_id in (None, one)}


class Told(Member):
    """A server that keeps a position, for good when what is derived is."""

    def __init__(self) -> None:
        self.kept = self.now = 0

    def position(self, scope: Scope, consumer: str, *, to: int | None = None) -> int:
        self.now = max(self.now, to or 0)
        return self.now

    def derive(self) -> None:
        self.kept = self.now

    def end(self) -> None:
        self.now = self.kept


@pytest.fixture
def url() -> Iterator[str]:
    on_postgres.server_url()
    schemas = on_postgres.Schemas()
    with schemas.given() as given:
        yield given
    schemas.drop()


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def block(url: str, diary: Diary) -> Iterator[Any]:
    from remanent.stores.combined.block import Block
    from remanent.stores.postgres import open_stores

    stores = open_stores(url, now=MOMENT, embedder_name="hash", dimensions=8)
    made = Block(stores.database)
    made.members = (diary,)
    yield made
    stores.close()


def test_addresses_of_one_memory_stand_in_one_line() -> None:
    line = "postgresql://a/b redis://c neo4j://d"

    assert servers_beside(line) == {"redis": "redis://c", "neo4j": "neo4j://d"}
    assert load_config(line, environ={}).memory == line
    assert servers_beside("postgresql://a/b") == {}
    assert not strange_address("a file with blanks.db")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("redis://c postgresql://a/b", "name postgresql://... before it"),
        ("postgresql://a/b redis://c redis://d", "a second redis"),
        ("postgresql://a/b mysql://c", "mysql:// is not known"),
    ],
)
def test_what_does_not_go_together_is_named(line: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as refused:
        load_config(line, environ={})

    assert refused.value.field == "memory"


@pytest.mark.server
class TestBlock:
    def test_all_write_in_their_order(self, block: Any, diary: Diary) -> None:
        with block.atomic(ADA):
            assert block.is_open
            diary.told.append("work")

        assert not block.is_open
        assert diary.told == [
            "begin", "work", "promise", "derive", "settle", "end",
        ]  # fmt: skip

    def test_what_fails_is_nowhere(self, block: Any, diary: Diary) -> None:
        with pytest.raises(ZeroDivisionError), block.atomic(ADA):
            raise ZeroDivisionError

        assert diary.told == ["begin", "end"]

    def test_an_inner_block_is_taken_back_alone(self, block: Any, diary: Diary) -> None:
        with block.atomic(ADA):
            with pytest.raises(ZeroDivisionError), block.atomic(ADA):
                raise ZeroDivisionError
            with block.atomic(ADA):
                pass

        assert diary.told == [
            "begin", "back to 1", "promise", "derive", "settle", "end",
        ]  # fmt: skip

    def test_what_cannot_be_promised_is_not_derived(self, block: Any, diary: Diary) -> None:
        diary.fails_at = "promise"
        with pytest.raises(UnreachableMemory), block.atomic(ADA):
            pass

        assert diary.told == ["begin", "promise", "end"]

    def test_what_is_not_settled_is_written_all_the_same(self, block: Any, diary: Diary) -> None:
        diary.fails_at = "settle"
        with block.atomic(ADA):
            pass

        assert diary.told[-1] == "end"

    def test_what_a_crash_left_is_mended_first(self, block: Any, diary: Diary) -> None:
        mended: list[tuple[str, int, int]] = []
        block.mend = lambda *which: mended.append(which)
        with block.atomic(ADA):
            pass
        diary.left = {"ada": 9, "eve": 4}
        with block.atomic(ADA), block.atomic(ADA):
            diary.told.append("work")
        block.catch_up()

        assert mended == [("ada", 7, 9), ("eve", 0, 4)]

    def test_a_block_is_known_by_its_ticket(self, block: Any, diary: Diary) -> None:
        """Written, taken back, and of a server that was restored to before it."""
        with block.atomic(ADA):
            written = block.ticket()
        with suppress(ZeroDivisionError), block.atomic(ADA):
            lost = block.ticket()
            raise ZeroDivisionError
        diary.tickets = [written, lost, [str(10**12), "ada", 9]]
        with block.atomic(ADA):
            pass

        assert written[1:] == ["ada", 7]
        assert diary.is_written == [True, False, False]


@pytest.mark.server
def test_a_memory_in_postgresql_alone_is_not_taken_for_one_on_several(url: str) -> None:
    from remanent.stores.combined import open_stores

    how: dict[str, Any] = {"now": MOMENT, "embedder_name": "hash", "dimensions": 8}
    stores = open_stores(url, **how)
    with stores.database.for_everybody(), stores.database.transaction():
        stores.database.set_meta("parts", "neo4j redis abc")
    stores.close()

    with pytest.raises(StoreError, match="is kept in PostgreSQL and neo4j and redis"):
        open_stores(url, **how)


class TestLedgerFirst:
    """PostgreSQL has the ledger, and another server the graph."""

    pytestmark = pytest.mark.server

    @pytest.fixture
    def stores(self, url: str) -> Iterator[Any]:
        from remanent.stores.postgres import open_stores

        opened = open_stores(url, now=MOMENT, embedder_name="hash", dimensions=8)
        yield opened
        opened.close()

    @pytest.fixture
    def block(self, stores: Any, diary: Diary) -> Any:
        from remanent.stores.combined.block import Block
        from remanent.stores.combined.notes import LedgerNotes

        made = Block(stores.database)
        made.is_ledger_first = True
        made.positions = told = Told()
        made.members = (LedgerNotes(stores.database, stores.ledger), told, diary)
        diary.has_appended = {}
        return made

    def test_what_is_derived_waits_for_the_ledger(
        self, block: Any, stores: Any, diary: Diary
    ) -> None:
        block.members = (
            block.members[0],
            diary,
            block.members[1],
        )  # which fails before that one writes
        diary.fails_at = "derive"
        with pytest.raises(UnreachableMemory), block.atomic(ADA):
            stores.ledger.append(an_event("e1", user="ada"))
        mended: list[tuple[str, int, int]] = []
        block.mend = lambda *which: mended.append(which)
        diary.fails_at = ""
        assert stores.ledger.last_seq(ADA) == 1
        with block.atomic(ADA):
            pass
        with block.atomic(ADA):
            pass

        assert mended == [("ada", 0, 1)]

    def test_what_appends_nothing_is_derived_first(
        self, block: Any, stores: Any, diary: Diary
    ) -> None:
        """Nobody could apply it later: what cannot be derived is not written."""
        diary.fails_at = "derive"
        with pytest.raises(UnreachableMemory), block.atomic(ADA):
            stores.ledger.append(an_event("e1", user="ada"))
        diary.fails_at = ""
        with block.atomic(ADA):
            pass
        diary.fails_at = "derive"
        with pytest.raises(UnreachableMemory), block.atomic(ADA):
            stores.ledger.erase(ADA, ["e1"])

        assert stores.ledger.event(ADA, "e1") is not None

    def test_nobody_comes_between(self, block: Any, stores: Any, url: str) -> None:
        from remanent.stores.postgres.database import PostgresDatabase

        other = PostgresDatabase(url, busy_timeout_s=0.01)

        class Looks(Member):
            def derive(self) -> None:
                with pytest.raises(BusyMemory), other.transaction(ADA):
                    pass
                assert other.execute("SELECT count(*) FROM events") == [(0,)]  # behind the wall
                with other.for_everybody():
                    assert other.execute("SELECT count(*) FROM events") == [(1,)]

        block.members = (*block.members, Looks())
        with block.atomic(ADA):
            stores.ledger.append(an_event("e1", user="ada"))
        with other.transaction(ADA):
            pass
        other.close()
