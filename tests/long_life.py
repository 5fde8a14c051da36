"""A memory in which every job of the night finds more than its limit allows, for tests of nights that are
had twice and of nights that are killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from night_life import NightMind, faint

from remanent import Config, Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.beliefs.rules.belief import BeliefRules
from remanent.beliefs.rules.maintenance import UpkeepRules
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.event import event_key
from remanent.core.model.mind_types import Judgement, StoryText
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.events.rules.episodes import EpisodeRules
from remanent.sleep.rules import DistilRules, NightlyRules
from remanent.stories.rules import StoryRules
from remanent.testing import HashEmbedder
from remanent_conformance.builders import a_note, a_person, digest

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
SUNDAY = datetime(2026, 7, 12, 5, 30, tzinfo=UTC)  # after the last job of the night
PEOPLE = ("Ann", "Ben", "Cat", "Dan", "Eve")
BUSY = 130  # people on whom there is a note: more than one transaction of `expire` takes
LIMITED = Config(
    story=StoryRules(promote_most=3, refresh_most=2, macros_most=2),
    nightly=NightlyRules(describe_most=30),
    distil=DistilRules(most=10),
    episodes=EpisodeRules(events_a_run=7, shortcuts_a_run=2, episode_events=2),
    upkeep=UpkeepRules(nightly_most=8),
    belief=BeliefRules(clusters_most=2),
    lifecycle=LifecycleRules(keep_share=0.1),
)
UNHURRIED = Config(episodes=EpisodeRules(reflect_above=1e9))  # what happens waits for the night
UNLIMITED = (SleepJob.FADE, SleepJob.EXPIRE)  # what these have to do is done in one night


class LongMind(NightMind):
    """Tells stories and draws principles too."""

    def tell(self, tale: StoryText) -> str:
        return f"{tale.name}: {len(tale.chapters)} chapters."

    def principle(self, statements: Sequence[str], subject: str) -> str:
        return f"{subject} always does: {statements[0]}"


@contextmanager
def opened(path: Path, at: datetime = SUNDAY, config: Config = LIMITED) -> Iterator[UserMemory]:
    with Memory.open(
        replace(config, memory=str(path)),
        clock=SteppedClock(at),
        mind=LongMind(),
        embedder=HashEmbedder(),
    ) as memory:
        yield memory.user("ada", name="Ada Lindqvist", timezone="UTC")


def night(ada: UserMemory, job: SleepJob, at: datetime = SUNDAY) -> JobOutcome:
    return ada.env.do_night_job(job, ada.scope, at)


def told(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope), without=CIRCUMSTANCES)


# --- a life ------------------------------------------------------------------------------------


def lived(ada: UserMemory) -> None:
    """Two bursts of work with everybody, all of it worn by now; beliefs, and what agents did."""
    days = (*range(5), *range(50, 55))
    keys = [
        ada.add(f"{name}: Does thing {day}.\n{name} > home > {name}{day}", started_at=START + day * DAY)
        for name in PEOPLE
        for day in days
    ]  # fmt: skip
    ada.work()
    _remember(ada)
    for n in range(12):
        told = {"event_id": f"e{n}", "event_type": "message", "payload": {"text": f"Event {n}."}}
        weight = (
            10 if n == 0 else 6 if n % 3 else 1
        )  # only the beginning of the first session counts
        ada.record({**told, "session_id": f"s{n % 3}", "importance_hint": weight})
    ada.work()
    graph, scope = ada.env.graph, ada.scope
    graph.touch(scope, keys, faint)
    with ada.env.atomic():
        for number in range(BUSY):
            who = a_person(f"Guest {number}", user="ada", is_dirty=True)
            graph.put(scope, who)
            soon = START + 58 * DAY
            graph.add_note(scope, a_note(who.key, f"Came {number}.", user="ada", expires_at=soon))
    # Two calls, each for four events that are often asked for: pairs without an edge between them.
    for four in (range(4), range(4, 8)):
        events = [event_key("ada", f"e{n}") for n in four]
        when = START + (56 + four[0]) * DAY
        graph.touch(scope, events, lambda life, at=when: replace(life, access_count=5, last_accessed_at=at))  # type: ignore[misc]  # fmt: skip


def _remember(ada: UserMemory) -> None:
    mind, clock = ada.env.mind, ada.env.clock
    assert isinstance(mind, LongMind)
    assert isinstance(clock, SteppedClock)
    houses = [
        f"I have kept the big blue house number {number} since {since}"
        for number in range(6)
        for since in ("spring", "summer")
    ]
    themes = ("green tea in the garden", "long walks by the sea", "old maps of the north")
    joys = [
        f"I enjoy {theme} every {when}" for theme in themes for when in ("day", "night", "week")
    ]
    judge, mind.judgements = mind.judgements, lambda _new, _old: Judgement.DIFFERENT
    for statement in (*houses, *joys):
        ada.remember(statement)
        clock.advance(timedelta(minutes=1))
    mind.judgements = judge


def with_stories(ada: UserMemory) -> None:
    """All is described, every arc has its storyline, and something has come to each since."""
    night(ada, SleepJob.DESCRIBE, START + 57 * DAY)
    night(ada, SleepJob.PROMOTE, START + 57 * DAY)
    _news(ada, 58)


def with_macros(ada: UserMemory) -> None:
    """And every person has a macro."""
    night(ada, SleepJob.PROMOTE_MACROS, START + 58 * DAY)
    _news(ada, 59)


def _news(ada: UserMemory, day: int) -> None:
    for name in PEOPLE:
        ada.add(f"{name}: Has news on day {day}.", started_at=START + day * DAY)
    ada.work()


FINDS: dict[SleepJob, int] = {  # which of the worlds below gives each job more than enough to do
    SleepJob.RECONSOLIDATE: 0,
    SleepJob.FADE: 0,
    SleepJob.PROMOTE_MACROS: 1,
    SleepJob.REFRESH_MACROS: 2,
    SleepJob.DESCRIBE: 0,
    SleepJob.PROMOTE: 0,
    SleepJob.REFRESH: 1,
    SleepJob.EXPIRE: 1,
    SleepJob.DISTIL: 0,
    SleepJob.UPKEEP: 0,
}


def worlds(folder: Path) -> list[Path]:
    """A life; the same with stories; the same with macros."""
    paths = [folder / f"world{number}.db" for number in range(3)]
    steps: list[Callable[[UserMemory], None]] = [lived, with_stories, with_macros]
    for number, (path, step) in enumerate(zip(paths, steps, strict=True)):
        if number:
            shutil.copy(paths[number - 1], path)
        with opened(path, START + (57 + number) * DAY, UNHURRIED) as ada:
            step(ada)
    return paths


# --- killed ------------------------------------------------------------------------------------


def rows_written(ada: UserMemory, act: Callable[[], object], *, dies_at: int = 0) -> int:
    """How many rows it writes; with `dies_at`, the process is gone as that one is written."""
    written = 0

    def count(*_row: object) -> None:
        nonlocal written
        written += 1
        if written == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    connection = ada.env.stores.database._connection()._connection
    assert connection is not None
    connection.set_update_hook(count)
    try:
        act()
    finally:
        connection.set_update_hook(None)
    return written


def killed(path: Path, job: SleepJob, dies_at: int, at: datetime = SUNDAY) -> None:
    """Another process does the job, and is killed as it writes its row number `dies_at`."""
    child = os.fork()
    if child == 0:
        try:
            with opened(path, at) as ada:
                rows_written(ada, lambda: night(ada, job, at), dies_at=dies_at)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
