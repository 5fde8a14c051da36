"""What every queue promises."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from remanent.core.model.job import Job, JobKind, JobState
from remanent.core.ports.queue import Queue
from remanent_conformance.builders import MOMENT, a_job
from remanent_conformance.machine import drive

MINUTE = timedelta(minutes=1)
LATER = MOMENT + MINUTE


def claim(queue: Queue, worker: str = "w1", now: datetime = MOMENT) -> Job | None:
    return queue.claim(worker, now=now, lease=MINUTE)


class QueueContract:
    """Override `new_queue`."""

    @pytest.fixture
    def new_queue(self) -> Callable[[], Queue]:
        raise NotImplementedError("a function that makes an empty queue")

    @pytest.fixture
    def queue(self, new_queue: Callable[[], Queue]) -> Queue:
        return new_queue()

    def test_a_promised_job_is_there_as_it_was_given(self, queue: Queue) -> None:
        job = a_job(kind=JobKind.BELIEVE, payload={"event_id": "é", "n": [1]})
        assert queue.enqueue(job)
        assert queue.jobs() == [job]

    def test_asking_twice_is_once(self, queue: Queue) -> None:
        assert queue.enqueue(a_job(payload={"n": 1}))
        assert not queue.enqueue(a_job(payload={"n": 2}))
        assert queue.jobs() == [a_job(payload={"n": 1})]

    def test_running_and_parked_jobs_are_unfinished(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert not queue.enqueue(a_job())
        queue.settle("job-1", "w1", JobState.PARKED, at=MOMENT, error="no")
        assert not queue.enqueue(a_job())

    def test_what_was_finished_can_be_promised_again(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        assert queue.enqueue(a_job(payload={"again": True}))
        job = claim(queue)
        assert job is not None
        assert job.payload == {"again": True}
        assert job.attempts == 1

    def test_a_claim_is_a_lease_and_counts(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        leased = replace(
            a_job(), state=JobState.RUNNING, worker="w1", lease_until=LATER, attempts=1
        )
        assert claim(queue) == leased
        assert queue.jobs() == [leased]

    def test_a_leased_job_is_nobody_elses(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert claim(queue, "w2") is None
        assert queue.claim("w2", key="job-1", now=MOMENT, lease=MINUTE) is None

    def test_a_lease_that_ran_out_is_anyones(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert claim(queue, "w2", LATER - timedelta(microseconds=1)) is None
        taken = claim(queue, "w2", LATER)
        assert taken is not None
        assert (taken.worker, taken.attempts) == ("w2", 2)

    def test_who_lost_the_lease_can_do_nothing_with_the_job(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        claim(queue, "w2", LATER)
        assert not queue.renew("job-1", "w1", until=LATER + MINUTE)
        assert not queue.settle("job-1", "w1", JobState.DONE, at=LATER)
        assert not queue.settle("job-1", "w1", JobState.READY, at=LATER, error="x")
        assert not queue.settle("job-1", "w1", JobState.PARKED, at=LATER, error="x")
        assert queue.settle("job-1", "w2", JobState.DONE, at=LATER)

    def test_a_renewed_lease_lasts_longer(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert queue.renew("job-1", "w1", until=LATER + MINUTE)
        assert claim(queue, "w2", LATER) is None
        assert claim(queue, "w2", LATER + MINUTE) is not None

    def test_a_job_is_not_due_before_its_time(self, queue: Queue) -> None:
        queue.enqueue(a_job(run_at=LATER))
        assert claim(queue) is None
        assert queue.claim("w1", key="job-1", now=MOMENT, lease=MINUTE) is None
        assert claim(queue, now=LATER) is not None

    def test_the_newest_due_job_of_a_user_comes_first(self, queue: Queue) -> None:
        queue.enqueue(a_job("late", created_at=LATER, run_at=LATER + MINUTE))
        queue.enqueue(a_job("second"))
        queue.enqueue(a_job("first"))
        queue.enqueue(a_job("third", created_at=MOMENT - MINUTE, run_at=MOMENT))
        order = []
        while (job := claim(queue, now=LATER)) is not None:
            order.append(job.key)
        assert order == ["first", "second", "third"]

    def test_users_take_turns(self, queue: Queue) -> None:
        for key, user in (("a1", "ann"), ("a2", "ann"), ("a3", "ann"), ("b1", "bob")):
            queue.enqueue(a_job(key, user=user))
        order, served = [], ""
        while job := queue.claim("w1", now=MOMENT, lease=MINUTE, after_user=served):
            order.append(job.key)
            served = job.user_id
        assert order == ["a3", "b1", "a2", "a1"]

    def test_after_the_last_user_comes_the_first(self, queue: Queue) -> None:
        queue.enqueue(a_job("a", user="ann"))
        job = queue.claim("w1", now=MOMENT, lease=MINUTE, after_user="zoe")
        assert job is not None
        assert job.key == "a"

    def test_a_claim_can_be_for_one_user_and_some_kinds(self, queue: Queue) -> None:
        queue.enqueue(a_job("a", user="bob"))
        queue.enqueue(a_job("b", kind=JobKind.EXTRACT))
        queue.enqueue(a_job("c"))
        kinds = [JobKind.PROCESS, JobKind.BELIEVE]
        job = queue.claim("w1", now=MOMENT, lease=MINUTE, user_id="ann", kinds=kinds)
        assert job is not None
        assert job.key == "c"
        assert queue.claim("w1", now=MOMENT, lease=MINUTE, user_id="ann", kinds=kinds) is None

    def test_this_very_job_can_be_claimed(self, queue: Queue) -> None:
        queue.enqueue(a_job("a"))
        queue.enqueue(a_job("b"))
        job = queue.claim("w1", key="b", now=MOMENT, lease=MINUTE)
        assert job is not None
        assert (job.key, job.attempts) == ("b", 1)
        assert queue.claim("w1", key="nothing", now=MOMENT, lease=MINUTE) is None

    def test_a_finished_job_is_done(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        assert not queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        (job,) = queue.jobs()
        assert (job.state, job.worker, job.lease_until) == (JobState.DONE, None, None)
        assert claim(queue, now=LATER) is None

    def test_a_job_given_back_waits_for_its_time(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert queue.settle("job-1", "w1", JobState.READY, at=LATER, error="came to nothing")
        (job,) = queue.jobs()
        assert (job.state, job.error, job.worker) == (JobState.READY, "came to nothing", None)
        assert claim(queue) is None
        again = claim(queue, "w2", LATER)
        assert again is not None
        assert again.attempts == 2

    def test_a_parked_job_waits_for_a_hand(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert queue.settle("job-1", "w1", JobState.PARKED, at=MOMENT, error="hopeless")
        (job,) = queue.jobs()
        assert (job.state, job.error) == (JobState.PARKED, "hopeless")
        assert claim(queue, now=LATER) is None
        assert queue.wake(now=LATER, key="job-1")
        (job,) = queue.jobs()
        assert (job.state, job.error, job.attempts, job.run_at) == (JobState.READY, None, 0, LATER)

    def test_what_is_parked_until_a_time_wakes_then(self, queue: Queue) -> None:
        queue.enqueue(a_job("a"))
        queue.enqueue(a_job("b"))
        for key in ("a", "b"):
            queue.claim("w1", key=key, now=MOMENT, lease=MINUTE)
        queue.settle("a", "w1", JobState.PARKED, at=MOMENT, error="no budget", until=LATER)
        queue.settle("b", "w1", JobState.PARKED, at=MOMENT, error="hopeless")
        (job, _) = queue.jobs()
        assert (job.state, job.parked_until) == (JobState.PARKED, LATER)
        assert queue.wake(now=LATER - timedelta(microseconds=1)) == 0
        assert claim(queue, now=LATER) is None
        assert queue.wake(now=LATER) == 1
        (job, other) = queue.jobs()
        assert (job.state, job.error, job.attempts) == (JobState.READY, None, 0)
        assert job.parked_until is None
        assert other.state is JobState.PARKED
        assert queue.wake(now=LATER) == 0

    def test_a_hand_may_come_before_the_time(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        queue.settle("job-1", "w1", JobState.PARKED, at=MOMENT, error="no budget", until=LATER)
        assert queue.wake(now=MOMENT, key="job-1")
        (job,) = queue.jobs()
        assert (job.state, job.parked_until, job.run_at) == (JobState.READY, None, MOMENT)

    def test_only_what_is_parked_is_revived(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        assert not queue.wake(now=MOMENT, key="job-1")
        assert not queue.wake(now=MOMENT, key="nothing")

    def test_a_dropped_job_is_gone_and_can_be_promised_again(self, queue: Queue) -> None:
        queue.enqueue(a_job("ready"))
        queue.enqueue(a_job("parked"))
        queue.claim("w1", key="parked", now=MOMENT, lease=MINUTE)
        queue.settle("parked", "w1", JobState.PARKED, at=MOMENT, error="hopeless")
        assert queue.drop("ready")
        assert queue.drop("parked")
        assert queue.jobs() == []
        assert not queue.drop("ready")
        assert queue.enqueue(a_job("ready"))

    def test_what_runs_or_is_done_is_not_dropped(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert not queue.drop("job-1")
        queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        assert not queue.drop("job-1")
        assert not queue.drop("nothing")
        assert [job.key for job in queue.jobs()] == ["job-1"]

    def test_a_running_job_is_dropped_on_demand_and_its_worker_finds_it_gone(
        self, queue: Queue
    ) -> None:
        queue.enqueue(a_job())
        claim(queue)
        assert queue.renew("job-1", "w1")
        assert not queue.renew("job-1", "w2")
        assert queue.drop("job-1", running=True)
        assert not queue.renew("job-1", "w1")
        assert not queue.renew("job-1", "w1", until=MOMENT + MINUTE)
        assert not queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        assert queue.jobs() == []

    def test_what_is_done_is_not_dropped_even_on_demand(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        claim(queue)
        queue.settle("job-1", "w1", JobState.DONE, at=MOMENT)
        assert not queue.drop("job-1", running=True)
        assert not queue.renew("job-1", "w1")

    def test_a_job_handed_back_is_as_it_was(self, queue: Queue) -> None:
        queue.enqueue(a_job())
        before = queue.jobs()
        claim(queue)
        assert not queue.settle("job-1", "w2", JobState.READY, at=None)
        assert queue.settle("job-1", "w1", JobState.READY, at=None)
        assert not queue.settle("job-1", "w1", JobState.READY, at=None)
        assert queue.jobs() == before
        assert queue.claim("w2", now=MOMENT, lease=MINUTE) is not None

    def test_jobs_come_oldest_first_and_by_state_and_user(self, queue: Queue) -> None:
        queue.enqueue(a_job("b"))
        queue.enqueue(a_job("c", user="bob"))
        queue.enqueue(a_job("a", created_at=MOMENT - MINUTE))
        queue.claim("w1", key="b", now=MOMENT, lease=MINUTE)
        assert [job.key for job in queue.jobs()] == ["a", "b", "c"]
        assert [job.key for job in queue.jobs(limit=2)] == ["a", "b"]
        assert [job.key for job in queue.jobs(user_id="bob")] == ["c"]
        assert [job.key for job in queue.jobs(states=[JobState.READY])] == ["a", "c"]

    def test_counts_tell_every_state(self, queue: Queue) -> None:
        assert queue.counts() == dict.fromkeys(JobState, 0)
        for key in ("a", "b", "c", "d"):
            queue.enqueue(a_job(key))
        queue.enqueue(a_job("e", user="bob"))
        for key in ("a", "b", "c"):
            queue.claim("w1", key=key, now=MOMENT, lease=MINUTE)
        queue.settle("a", "w1", JobState.DONE, at=MOMENT)
        queue.settle("b", "w1", JobState.PARKED, at=MOMENT, error="x")
        assert queue.counts(user_id="ann") == dict.fromkeys(JobState, 1)
        assert queue.counts()[JobState.READY] == 2

    def test_two_workers_never_hold_one_job(self, queue: Queue) -> None:
        for number in range(40):
            queue.enqueue(a_job(f"job-{number}"))

        def work(worker: str) -> list[str]:
            done = []
            while (job := claim(queue, worker)) is not None:
                done.append(job.key)
            return done

        with ThreadPoolExecutor(4) as pool:
            lists = list(pool.map(work, ["w1", "w2", "w3", "w4"]))
        keys = [key for done in lists for key in done]
        assert sorted(keys) == sorted(f"job-{number}" for number in range(40))

    def test_it_behaves_as_a_dict_would(self, new_queue: Callable[[], Queue]) -> None:
        drive(lambda: _Machine(new_queue()))


class _Machine(RuleBasedStateMachine):
    """The queue beside a dict of jobs in the order they were promised."""

    keys = st.sampled_from(["a", "b", "c"])
    workers = st.sampled_from(["w1", "w2"])

    def __init__(self, queue: Queue) -> None:
        super().__init__()
        self.queue = queue
        self.now = MOMENT
        self.jobs: dict[str, Job] = {}

    def _change(self, key: str, by: str, **fields: object) -> bool:
        job = self.jobs.get(key)
        if job is None or job.state is not JobState.RUNNING or job.worker != by:
            return False
        self.jobs[key] = replace(job, **fields)  # type: ignore[arg-type]
        return True

    def _free(self, job: Job) -> bool:
        if job.run_at > self.now or job.state not in {JobState.READY, JobState.RUNNING}:
            return False
        return job.lease_until is None or job.lease_until <= self.now

    def _leased(self, job: Job, worker: str) -> Job:
        leased = self.jobs[job.key] = replace(
            job,
            state=JobState.RUNNING,
            worker=worker,
            lease_until=self.now + MINUTE,
            attempts=job.attempts + 1,
        )
        return leased

    @rule(seconds=st.integers(0, 90))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(key=keys, delay=st.integers(-60, 60))
    def enqueue(self, key: str, delay: int) -> None:
        job = a_job(key, created_at=self.now, run_at=self.now + timedelta(seconds=delay))
        known = self.jobs.get(key)
        is_new = known is None or known.state is JobState.DONE
        assert self.queue.enqueue(job) == is_new
        if is_new:
            self.jobs.pop(key, None)
            self.jobs[key] = job

    @rule(worker=workers)
    def claim(self, worker: str) -> None:
        free = sorted(filter(self._free, self.jobs.values()), key=lambda job: job.created_at)
        expected = self._leased(free[-1], worker) if free else None
        assert claim(self.queue, worker, self.now) == expected

    @rule(key=keys, worker=workers)
    def claim_key(self, key: str, worker: str) -> None:
        job = self.jobs.get(key)
        expected = self._leased(job, worker) if job is not None and self._free(job) else None
        assert self.queue.claim(worker, key=key, now=self.now, lease=MINUTE) == expected

    @rule(key=keys, worker=workers)
    def renew(self, key: str, worker: str) -> None:
        until = self.now + 2 * MINUTE
        expected = self._change(key, worker, lease_until=until)
        assert self.queue.renew(key, worker, until=until) == expected

    @rule(key=keys, worker=workers)
    def finish(self, key: str, worker: str) -> None:
        done = {"state": JobState.DONE, "worker": None, "lease_until": None, "error": None}
        expected = self._change(key, worker, **done)
        assert self.queue.settle(key, worker, JobState.DONE, at=self.now) == expected

    @rule(key=keys, worker=workers)
    def retry_later(self, key: str, worker: str) -> None:
        back = {"state": JobState.READY, "worker": None, "lease_until": None, "error": "x"}
        expected = self._change(key, worker, **back, run_at=self.now + MINUTE)
        assert (
            self.queue.settle(key, worker, JobState.READY, at=self.now + MINUTE, error="x")
            == expected
        )

    @rule(key=keys, worker=workers)
    def park_and_revive(self, key: str, worker: str) -> None:
        aside = {"state": JobState.PARKED, "worker": None, "lease_until": None, "error": "y"}
        expected = self._change(key, worker, **aside)
        assert self.queue.settle(key, worker, JobState.PARKED, at=self.now, error="y") == expected
        assert self.queue.wake(now=self.now, key=key) == expected
        if expected:
            self.jobs[key] = replace(
                self.jobs[key], state=JobState.READY, attempts=0, error=None, run_at=self.now
            )

    @rule(key=keys, worker=workers)
    def hand_back(self, key: str, worker: str) -> None:
        job = self.jobs.get(key)
        held = job is not None and job.state is JobState.RUNNING and job.worker == worker
        assert self.queue.renew(key, worker) == held
        attempts = max(job.attempts - 1, 0) if job is not None else 0
        back = {"state": JobState.READY, "worker": None, "lease_until": None, "attempts": attempts}
        assert (
            self.queue.settle(key, worker, JobState.READY, at=None)
            == self._change(key, worker, **back)
            == held
        )

    @rule(key=keys, running=st.booleans())
    def drop(self, key: str, running: bool) -> None:  # noqa: FBT001 - hypothesis gives it by name
        job = self.jobs.get(key)
        states = {JobState.READY, JobState.PARKED, *([JobState.RUNNING] if running else [])}
        expected = job is not None and job.state in states
        assert self.queue.drop(key, running=running) == expected
        if expected:
            del self.jobs[key]

    @rule()
    def look(self) -> None:
        expected = sorted(self.jobs.values(), key=lambda job: job.created_at)
        assert self.queue.jobs() == expected
        states = [job.state for job in expected]
        assert self.queue.counts() == {state: states.count(state) for state in JobState}
