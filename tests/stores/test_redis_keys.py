"""What lies in Redis: streams of work with their consumers, what a crash leaves, whose key is whose."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta

import on_postgres
import on_redis
import pytest
import redis

from remanent.core.model.job import JobKind, JobState
from remanent.core.model.scope import Scope
from remanent.stores.combined import CombinedStores, open_stores
from remanent.stores.combined.block import APPLIED
from remanent.stores.redis.indexes import named
from remanent_conformance.builders import MOMENT, a_job, a_scope, an_event
from remanent_conformance.index import DIMENSIONS

pytestmark = pytest.mark.server

ANN = a_scope("ann")
MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()


@pytest.fixture
def place(schemas: on_postgres.Schemas) -> Iterator[str]:
    with on_redis.given(schemas) as place:
        yield place


@pytest.fixture
def stores(place: str) -> Iterator[CombinedStores]:
    with ExitStack() as ending:
        opened = open_stores(place, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
        ending.callback(opened.close)
        assert isinstance(opened, CombinedStores)
        yield opened


@pytest.fixture
def keys(place: str) -> Iterator[tuple[redis.Redis, str]]:
    """The server as anybody else sees it, and what all keys of the memory begin with."""
    schema = place.split()[0].rpartition("schema=")[2]
    with redis.Redis.from_url(on_redis.server_url(), decode_responses=True) as client:
        yield client, f"{{{schema}}}:"


def test_work_is_an_entry_of_its_stream_while_it_waits_and_runs(
    stores: CombinedStores, keys: tuple[redis.Redis, str]
) -> None:
    client, prefix = keys
    stream = f"{prefix}work:process"
    stores.queue.enqueue(a_job())
    assert [fields for _, fields in client.xrange(stream)] == [{"job": "job-1"}]

    def pending() -> list[str]:
        return [one["consumer"] for one in client.xpending_range(stream, "workers", "-", "+", 9)]

    def consumers() -> list[str]:
        return [one["name"] for one in client.xinfo_consumers(stream, "workers")]

    stores.queue.claim("w1", now=MOMENT, lease=MINUTE)
    assert pending() == consumers() == ["w1"]
    stores.queue.claim("w2", now=MOMENT + MINUTE, lease=MINUTE)  # the first is dead
    assert pending() == consumers() == ["w2"]
    later = MOMENT + 2 * MINUTE
    stores.queue.settle("job-1", "w2", JobState.READY, at=later, error="x")
    assert (pending(), client.xlen(stream)) == ([], 1)
    stores.queue.claim("w3", now=later, lease=MINUTE)
    stores.queue.settle("job-1", "w3", JobState.DONE, at=later)
    assert (pending(), consumers(), client.xlen(stream)) == ([], [], 0)


def test_what_was_done_is_forgotten_after_a_week(stores: CombinedStores) -> None:
    for key, at in (("old", MOMENT), ("new", MOMENT + timedelta(days=8))):
        stores.queue.enqueue(a_job(key, created_at=at, run_at=at))
        stores.queue.claim("w1", key=key, now=at, lease=MINUTE)
        assert stores.queue.settle(key, "w1", JobState.DONE, at=at)
    assert [one.key for one in stores.queue.jobs()] == ["new"]
    assert stores.queue.counts()[JobState.DONE] == 1


def test_who_claims_a_job_waits_until_what_it_is_about_is_written(
    stores: CombinedStores, keys: tuple[redis.Redis, str]
) -> None:
    client, prefix = keys
    order: list[str] = []

    def work() -> None:
        assert stores.queue.claim("w1", now=MOMENT, lease=MINUTE) is not None
        order.append("claimed")

    worker = threading.Thread(target=work)
    with stores.atomic(ANN):
        stores.queue.enqueue(a_job())
        stores.parts["redis"].member.promise()  # from now on others see it
        worker.start()
        while client.zcard(f"{prefix}running") == 0:
            pass
        order.append("written")
    worker.join()
    assert order == ["written", "claimed"]


def test_who_waits_for_work_hears_of_it(stores: CombinedStores) -> None:
    heard = threading.Event()

    def listen() -> None:
        while not heard.is_set():
            if stores.wait_for_work is not None and stores.wait_for_work(0.2):
                heard.set()

    listener = threading.Thread(target=listen)
    listener.start()
    for number in range(1000):
        stores.queue.enqueue(a_job(f"job-{number}", kind=JobKind.EXTRACT))
        if heard.wait(0.05):
            break
    listener.join()
    assert heard.is_set()


def test_whose_lease_ran_out_while_they_waited_does_not_begin(stores: CombinedStores) -> None:
    """The user is written for all the while; two workers wait, and the second has the job."""
    stores.queue.enqueue(a_job(user="ann"))
    claimed = []

    def claim(worker: str, later: timedelta) -> None:
        job = stores.queue.claim(worker, now=MOMENT + later, lease=timedelta(microseconds=1))
        claimed.append((worker, None if job is None else job.worker))

    workers = [threading.Thread(target=claim, args=("w1", timedelta())),
               threading.Thread(target=claim, args=("w2", MINUTE))]  # fmt: skip
    with stores.atomic(ANN):
        for number, one in enumerate(workers, start=1):
            one.start()
            while [job.worker for job in stores.queue.jobs(states=[JobState.RUNNING])] != [
                f"w{number}"
            ]:
                assert one.is_alive()
    for one in workers:
        one.join()
    assert sorted(claimed, key=str) == [("w1", None), ("w2", "w2")]


def test_a_lease_ends_by_the_clock_of_whoever_claimed(stores: CombinedStores) -> None:
    """However long they waited by any other: where that one stands still, a killed worker's job is free."""
    stores.queue.enqueue(a_job())
    job = stores.queue.claim("w1", now=MOMENT, lease=timedelta())
    assert job is not None
    assert stores.queue.jobs() == [job]
    assert job.lease_until == MOMENT
    assert stores.queue.claim("w2", now=MOMENT, lease=MINUTE) is not None


def test_the_hot_window_says_what_came_of_late_and_nobodys_words(
    stores: CombinedStores, keys: tuple[redis.Redis, str]
) -> None:
    client, prefix = keys
    events = [stores.ledger.append(an_event(f"event-{n}"))[0] for n in range(3)]
    found = [fields for _, fields in client.xrange(f"{prefix}ledger")]
    assert found == [{"seq": str(one.seq)} for one in events]


def test_what_was_written_before_a_crash_is_taken_away_after_it(stores: CombinedStores) -> None:
    member = stores.parts["redis"].member
    stores.ledger.append(an_event("old"))
    with stores.atomic(ANN):
        stores.ledger.erase(ANN, ["old"])
        told, _ = stores.ledger.append(an_event("told"))
        member.promise()
        member.begin()  # as after a crash: of the block, only what the graph was told is written
        stores.graph.position(ANN, APPLIED, to=told.seq)
    assert stores.ledger.event(ANN, "old") is not None
    assert member.unapplied("ann") == {"ann": told.seq}

    with stores.atomic(ANN):
        pass
    assert stores.ledger.event(ANN, "old") is None
    assert stores.ledger.event(ANN, "told") == told
    assert member.unapplied() == {}


def test_what_a_block_that_was_never_written_would_take_away_stays(stores: CombinedStores) -> None:
    """For all of whom it would have taken something, whoever of them writes first."""
    member = stores.parts["redis"].member
    event, _ = stores.ledger.append(an_event("old"))
    others, _ = stores.ledger.append(an_event("old", user="bob"))
    bob = Scope(user_id="bob")
    with suppress(ZeroDivisionError), stores.atomic():
        stores.ledger.erase(ANN, ["old"])
        stores.ledger.erase(bob, ["old"])
        stores.ledger.append(an_event("told"))
        member.promise()
        member.begin()
        raise ZeroDivisionError
    assert member.unapplied().keys() == {"ann", "bob"}
    for scope in (ANN, bob):
        with stores.atomic(scope):
            pass
    assert stores.ledger.event(ANN, "old") == event
    assert stores.ledger.event(bob, "old") == others
    assert member.unapplied() == {}


def test_who_was_paused_takes_nothing_away_a_second_time(stores: CombinedStores) -> None:
    """What was erased came in again while the process that erased it stood still."""
    member = stores.parts["redis"].member
    stores.ledger.append(an_event("old"))
    again = []

    def come_in_again() -> None:
        with stores.atomic(ANN):
            pass  # which finishes what the paused one left
        again.append(stores.ledger.append(an_event("old"))[0])

    with stores.atomic(ANN):
        stores.ledger.erase(ANN, ["old"])
        settle = member.settle

        def settle_late() -> None:
            del member.settle
            other = threading.Thread(target=come_in_again)
            other.start()
            other.join()
            settle()

        member.settle = settle_late  # type: ignore[method-assign]
    assert [stores.ledger.event(ANN, "old")] == again


def test_no_users_keys_are_anothers() -> None:
    assert named("{m}:", "session", "a", "b:c") != named("{m}:", "session", "a:b", "c")


def test_memories_on_one_server_know_nothing_of_each_other(
    schemas: on_postgres.Schemas, stores: CombinedStores
) -> None:
    with on_redis.given(schemas) as place:
        other = open_stores(place, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
        try:
            stores.ledger.append(an_event())
            stores.queue.enqueue(a_job())
            assert list(other.ledger.replay(ANN)) == []
            assert other.queue.jobs() == []
        finally:
            other.close()
