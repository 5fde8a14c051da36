"""A memory for the tests of nights, and one night of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.belief import OWNER
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.mind_types import BeliefDraft, Judgement, Reading
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import digest

sys.path.insert(0, str(Path(__file__).parent))
from plain_mind import PlainMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
NIGHT = START + 60 * DAY


class NightMind(PlainMind):
    """Says what it was given, and may call somebody before each answer."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        super().__init__(judgements=_alike)
        self.before = before

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        self.before()
        return f"{name}: {' / '.join(notes)}" if notes else description

    def gist(self, reading: Reading) -> str:
        self.before()
        return f"{reading.passages[0].text.split(': ')[-1]} {len(reading.passages)} in all."

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        self.before()
        about = "Tom" if text.startswith("Tom") else OWNER
        return [BeliefDraft(statement=text, subject=about)]


def _alike(new: str, old: str) -> Judgement:
    """What differs in its last word says the same."""
    same = new.split()[:-1] == old.split()[:-1]
    return Judgement.SAME if same else Judgement.DIFFERENT


@contextmanager
def opened(path: Path, clock: SteppedClock, mind: ScriptedMind) -> Iterator[UserMemory]:
    with Memory.open(path, clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        yield memory.user("ada", name="Ada Lindqvist", timezone="UTC")


def lived(ada: UserMemory, mind: ScriptedMind) -> list[str]:
    """Two months ago: sources on Sarah and Tom and where they live, all of them worn by now, and
    beliefs of which some say the same."""
    keys = []
    for number in range(60):
        text = f"Sarah: Likes number {number}.\nTom{number % 30}: Knows her.\nTom > home > City{number // 4}"
        keys.append(ada.add(text, started_at=START + number * DAY / 10))
    ada.work()
    judge, mind.judgements = mind.judgements, lambda _new, _old: Judgement.DIFFERENT
    for number in range(12):
        ada.remember(f"I have kept the big blue house number {number // 2} since day {number}")
        ada.remember(f"Tom owns boat {number} by the lake")
    mind.judgements = judge
    graph = ada.env.graph
    graph.touch(ada.scope, keys, lambda life: replace(life, salience=0.1))
    return keys


def night(ada: UserMemory, job: SleepJob, at: datetime = NIGHT) -> JobOutcome:
    return ada.env.do_night_job(job, ada.scope, at)


def told(ada: UserMemory) -> str:
    return digest(ada.env.graph.export(ada.scope), without=CIRCUMSTANCES)


def faint(life: Lifecycle) -> Lifecycle:
    return replace(life, salience=0.1)
