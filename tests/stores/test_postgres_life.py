"""A whole life on PostgreSQL: added to, worked on, slept over, searched, derived anew, erased; and the
same as that of an embedded memory."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import on_postgres
import pytest
import rebuilt as lives

from remanent import Memory, SteppedClock
from remanent.config import load_config
from remanent.errors import BusyMemory, InvalidInput, StoreError, UnreachableMemory
from remanent_conformance.builders import digest

pytestmark = [pytest.mark.server, pytest.mark.slow]

DAYS = 2
QUESTIONS = ("Kestrel budget", "where does Maria live", "boats by the lake", "tea", "chess")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    schemas = on_postgres.Schemas()
    with schemas.given() as url:
        yield url
    schemas.drop()


def lived(where: Path | str, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """The life of two days, with the same ids for the same events wherever it is lived."""
    clock = SteppedClock(lives.START)
    memory = lives.opened(where, clock)
    monkeypatch.setattr(os, "urandom", random.Random(7).randbytes)
    lives.live(memory, clock, days=DAYS)
    return memory


def told(memory: Memory) -> dict[str, Any]:
    """What everybody has, and what Ada finds, place by place."""
    ada = lives.ada_of(memory)
    return {
        "graphs": {
            one.user_id: digest(lives.exported(memory, one.user_id)) for one in memory.users()
        },
        "found": [[one.key for one in ada.search(text, limit=10)] for text in QUESTIONS],
    }


def test_a_life_is_the_same_as_in_a_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        lived(url, monkeypatch) as memory,
        lived(tmp_path / "memory.db", monkeypatch) as embedded,
    ):
        assert told(memory) == told(embedded)
        for one in (memory, embedded):
            one.rebuild().switch()
        assert told(memory) == told(embedded)
        key = lives.ada_of(memory).sources()[0].key
        for one in (memory, embedded):
            erased = lives.ada_of(one).erase(key)
            assert erased.probe.found == 0
        assert told(memory)["found"] == told(embedded)["found"]
        assert not any(one.traces([key], truth=True) for one in memory.env.stores.erasing)
        assert memory.env.stores.health.examine(lambda _told, _raw: "").damages == ()


def test_a_server_that_is_not_there_is_told_of_without_the_password() -> None:
    on_postgres.server_url()
    with pytest.raises(UnreachableMemory) as away:
        Memory.open("postgresql://ada:hunter2@127.0.0.1:1/nowhere")
    assert "hunter2" not in str(away.value)


def test_a_machine_that_is_gone_is_not_waited_for_without_end(url: str) -> None:
    from remanent.stores.postgres.connection import Address

    def settings(extra: str) -> dict[str, str]:
        address = Address(f"{url}&{extra}")
        with address.connect(address.schema) as connection:
            return connection.info.get_parameters()

    assert settings("sslmode=disable")["tcp_user_timeout"] == "60000"
    told = settings("tcp_user_timeout=5000&connect_timeout=3")
    assert (told["tcp_user_timeout"], told["connect_timeout"]) == ("5000", "3")
    assert told["keepalives_idle"] == "30"


def test_what_text_cannot_hold_is_refused(url: str) -> None:
    with lives.opened(url) as memory:
        database = memory.env.stores.database
        with pytest.raises(InvalidInput), database.transaction():
            database.set_meta("odd", "a\x00b")
        with pytest.raises(InvalidInput), database.transaction():
            database.set_meta("odd", "a\ud800b")
        assert database.meta("odd") is None


KEPT = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE ?"


def test_a_statement_that_comes_again_is_kept_planned_and_means_the_same(url: str) -> None:
    with lives.opened(url) as memory:
        database = memory.env.stores.database
        asked = "SELECT 'often', :a, :a IS NULL OR :a = 'x', :b + 1, '100%' WHERE :b > 0"
        values = [("x", 1), ("y", 2), (None, 3), ("it's \\ %s", 4), (None, 5), ("x", 1.5)] * 3
        for a, b in values:
            row = ("often", a, a is None or a == "x", b + 1, "100%")
            assert database.execute(asked, {"a": a, "b": b}) == [row]
        # One for a text, one for nothing, one for a number that is not whole.
        assert database.execute(KEPT, ("%'often'%",)) == [(3,)]
        with pytest.raises(StoreError):
            database.execute("SELECT 1 / :zero", {"zero": 0})
        for a, b in values:  # whatever the server still had of them
            assert database.execute(asked, {"a": a, "b": b})[0][3] == b + 1
        assert database.execute(KEPT, ("%'often'%",)) == [(3,)]


def test_no_more_statements_are_kept_than_there_is_room_for(url: str) -> None:
    with lives.opened(url) as memory:
        database = memory.env.stores.database
        for number in range(500):
            for _ in range(2):
                assert database.execute(f"SELECT {number} + ?", (1,)) == [(number + 1,)]
        ((kept,),) = database.execute(KEPT, ("%AS SELECT % + $1%",))
        assert 0 < kept <= 400


def test_a_connection_that_was_cut_is_made_again_between_transactions(url: str) -> None:
    import psycopg

    server = on_postgres.server_url()
    with lives.opened(url) as memory, psycopg.connect(server, autocommit=True) as other:
        database = memory.env.stores.database

        def cut() -> None:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
                (f"remanent {database.schema}",),
            )

        def lose() -> None:
            with database.transaction():
                database.set_meta("lost", "yes")
                cut()
                database.set_meta("lost", "no")

        assert database.execute("SELECT 1") == [(1,)]
        cut()
        assert database.execute("SELECT 1") == [(1,)]
        cut()
        with database.transaction():
            database.set_meta("kept", "yes")
        with pytest.raises(StoreError):
            lose()
        assert (database.meta("kept"), database.meta("lost")) == ("yes", None)


def test_two_who_open_a_new_memory_at_once_make_one(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    schemas = on_postgres.Schemas()
    with schemas.given() as url, ThreadPoolExecutor(3) as pool:
        for memory in pool.map(lambda _: lives.opened(url), range(3)):
            memory.close()
    schemas.drop()


def test_whoever_waits_for_work_is_woken(url: str) -> None:
    clock = SteppedClock(lives.START)
    with lives.opened(url, clock) as waiter, lives.opened(url, clock) as other:
        wait = waiter.env.stores.wait_for_work
        assert wait is not None
        ada = other.user("ada")
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(wait, 60)
            for number in count():  # until somebody listens
                if waiting.done():
                    break
                ada.add(f"Note {number} of many.")
        assert waiting.result()


def impatient(url: str) -> Memory:
    return lives.opened(replace(load_config(url), lock_wait_seconds=0.05))


def test_two_users_write_at_once_and_two_writers_of_one_take_turns(url: str) -> None:
    with lives.opened(url) as memory, impatient(url) as other:
        gus, hal, his = memory.user("gus"), other.user("hal"), other.user("gus")
        with memory.env.atomic(gus.scope, durable=True):
            hal.add("Written while Gus writes.")
            with pytest.raises(BusyMemory):
                his.add("His turn is not over yet.")
            with pytest.raises(BusyMemory), other.env.atomic():  # for everybody
                pass
        his.add("Now it is.")


def test_a_transaction_for_one_user_writes_for_no_other(url: str) -> None:
    with lives.opened(url) as memory:
        gus, hal = memory.user("gus"), memory.user("hal")
        with memory.env.atomic(gus.scope):
            with pytest.raises(StoreError, match="for another"):
                hal.add("Not in his.")
            gus.add("In his own.")
        assert "Not in his." not in [one.text for one in hal.search("Not in his")]


def test_members_of_a_team_take_turns(url: str) -> None:
    with lives.opened(url) as memory, impatient(url) as other:
        eve, dan = memory.user("eve"), other.user("dan")
        team = eve.create_team("red").team_id
        dan.accept(eve.invite(team, "dan").invitation_id)
        with memory.env.atomic(eve.scope), pytest.raises(BusyMemory):
            dan.add("They may both write to what is the team's.")


def test_an_event_that_is_committed_late_is_replayed(url: str) -> None:
    """Its number is lower than that of one that was seen before it."""
    with lives.opened(url) as memory, lives.opened(url) as other, ThreadPoolExecutor(1) as pool:
        late, early = memory.user("gus"), other.user("hal")
        with memory.env.atomic(late.scope):
            late.add("Numbered first, seen last.")
            early.add("Numbered last, seen first.")
            rebuilding = pool.submit(other.rebuild)
            with pytest.raises(TimeoutError):
                rebuilding.result(0.5)
        rebuilding.result(120).switch()
        found = late.search("Numbered first, seen last.", limit=1)
        assert [one.text for one in found] == ["Numbered first, seen last."]
