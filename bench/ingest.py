"""How fast sources are taken in, and whether it stays so: cost per source from 1,000 to 10,000.

The sources are made up, the same every time: notes and short conversations; two in five speak of a
few people and projects that come back all the time, the others of people who are named once or a few
times. Growth is measured of the stores alone, with a mind that names exactly the people who were put
in, and vectors of the right length that cost nothing. The speed with the real mind and embedder is
measured beside it, on fewer.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from bench.frame import Report, Row, Setting
from remanent import Memory, SteppedClock, UserMemory
from remanent.anchors.rules.nicknames import GIVEN_NAMES
from remanent.core.model.anchor import Anchor
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    NoteDraft,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.core.ports.embedder import TextKind
from remanent.embedders.builtin import BuiltinEmbedder
from remanent.ingest.rules.request import Content
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2024, 1, 1, 8, tzinfo=UTC)
PHASES = ("add", "find", "understand")
MOST_GROWTH = 1.5
LEAST_FOUND = 100  # notes a second


def _listed(text: str) -> list[str]:
    return text.split()


CAST = (
    "Sarah Chen",
    "Tom Lie",
    "Maria Berg",
    "Priya Patel",
    "Karen Lee",
    "Henrik Dahl",
    "Omar Haddad",
    "Julia Weber",
)
PROJECTS = ("Harbour Light", "Blue Falcon", "North Star", "Silver Birch")
GIVEN = tuple(sorted(name.title() for name in GIVEN_NAMES if len(name) > 2))
FAMILY = tuple(
    f"{first}{last}"
    for first in _listed(
        "Abel Bak Cost Dietz Engel Fab Gall Holm Ivan Jans Kov Lund Mor Nils Ols Pohl"
    )
    for last in _listed("berg sen ova etti mann sson quist ner ic ard elli ski dal heim wick ton")
)
SENTENCES = (
    "{a} called about {p} and wants the plan by Friday.",
    "Had lunch with {a}, who has moved to {t} with the children.",
    "{a} works with {b} on {p} now, and it goes well.",
    "{a} prefers tea and hates early meetings in {t}.",
    "We met {a} and {b} in {t} to talk about the budget of {p}.",
    "{a} said that {b} is on holiday until the end of the month.",
    "The report on {p} is late because {a} was ill last week.",
    "{a} is learning Spanish and plays chess every Sunday.",
)
TOWNS = _listed("Oslo Bergen Lisbon Berlin Madrid Krakow Dublin Ghent Turin Malmo Porto Graz")
NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


@dataclass
class Cost:
    """What one batch of sources took in each phase, in seconds."""

    sources: int
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def run(setting: Setting) -> Report:
    small, large, batch = (200, 1_000, 50) if setting.quick else (1_000, 10_000, 250)
    costs = list(_grow(setting, total=large, batch=batch))
    early, late = _middle(costs[small // batch - 2 :][:4]), _middle(costs[-4:])
    rows: list[Row] = []
    for number, phase in enumerate(PHASES):
        rows += _speeds(f"{phase}, at {small:,}, stores alone", early, number)
        rows += _speeds(f"{phase}, at {large:,}, stores alone", late, number)
        growth = late.cpu[number] / early.cpu[number]
        rows.append(
            Row(
                what=f"{phase}, CPU per source at {large:,} over {small:,}",
                value=growth,
                unit="x",
                aim=f"<= {MOST_GROWTH}",
                met=growth <= MOST_GROWTH,
            )
        )
    real = _real(20 if setting.quick else 100)
    for number, phase in enumerate(PHASES):
        rows += _speeds(f"{phase}, offline mind and embedder", real, number)
    rows += _until_found(1, 500 if setting.quick else 10_000)
    rows += _until_found(5, 100 if setting.quick else 2_000)
    curve = [f"{1000 * sum(cost.cpu) / cost.sources:.1f}" for cost in costs]
    return Report(
        name="ingest",
        rows=rows,
        notes=[
            f"stores alone, CPU ms per source, all phases, every {batch}: {' '.join(curve)}",
            f"with the offline mind: {real.sources} sources",
        ],
    )


def _middle(costs: Sequence[Cost]) -> Cost:
    """The median batch of each phase: others use this machine too."""
    return Cost(
        sources=costs[0].sources,
        wall=[statistics.median(taken) for taken in zip(*(c.wall for c in costs), strict=True)],
        cpu=[statistics.median(taken) for taken in zip(*(c.cpu for c in costs), strict=True)],
    )


def _speeds(what: str, cost: Cost, phase: int) -> Iterator[Row]:
    yield Row(what=what, value=cost.sources / cost.wall[phase], unit="sources/s")
    yield Row(what=f"{what}, CPU", value=1000 * cost.cpu[phase] / cost.sources, unit="ms/source")


# --- measuring ---------------------------------------------------------------------------------


def _grow(setting: Setting, *, total: int, batch: int) -> Iterator[Cost]:
    """The cost of every batch, on the way to so many sources."""
    made = sources(total)
    mind = scripted()
    with tempfile.TemporaryDirectory() as folder:
        clock = SteppedClock(START + timedelta(days=total))
        path = Path(folder) / "memory.db"
        with Memory.open(path, clock=clock, mind=mind, embedder=WideEmbedder()) as memory:
            user = memory.user("ada", name="Ada Holm", timezone="UTC")
            numbers = range(0, total, batch)
            for _ in track(numbers, description="growing", console=setting.console):
                mind.asked.clear()
                yield _batch(user, [next(made) for _ in range(batch)])


def _real(count: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        clock = SteppedClock(START + timedelta(days=count))
        with Memory.open(Path(folder) / "memory.db", clock=clock) as memory:
            user = memory.user("ada", name="Ada Holm", timezone="UTC")
            made = sources(count + 2, seed=1)
            _batch(user, [next(made), next(made)])  # loads the weights
            return _batch(user, [next(made) for _ in range(count)])


def _until_found(sentences: int, count: int) -> Iterator[Row]:
    """A folder of notes, from its import to where all of them are found by their meaning, with the offline
    mind and embedder; nothing has been understood by then."""
    texts = _notes(sentences, count)
    with tempfile.TemporaryDirectory() as name:
        folder, clock = Path(name) / "notes", SteppedClock(START + timedelta(days=3 * 365))
        folder.mkdir()
        for number, text in enumerate(texts):
            day = START + timedelta(hours=2 * number)
            (folder / f"{day:%Y-%m-%d} {number}.md").write_text(text, "utf-8")
        with Memory.open(Path(name) / "memory.db", clock=clock) as memory:
            user = memory.user("ada", name="Ada Holm", timezone="UTC")
            user.search("Who plays chess?")  # loads the weights
            cost = Cost(sources=count)
            with _timed(cost):
                report = user.import_file(folder)
                found = user.work(limit=count)
            if (report.added, found.done) != (count, count):
                raise SystemExit(f"bench: of {count} notes {report.added} came in: {found}")
    what = f"import of {count:,} notes of {sentences} sentence{'s' * (sentences > 1)} until found"
    speed = count / cost.wall[0]
    aims = {"aim": f">= {LEAST_FOUND}", "met": speed >= LEAST_FOUND} if sentences == 1 else {}
    yield Row(what=what, value=speed, unit="sources/s", **aims)
    yield Row(what=f"{what}, CPU", value=1000 * cost.cpu[0] / count, unit="ms/source")


def _notes(sentences: int, count: int) -> list[str]:
    """So many different notes."""
    rng, lately, texts = random.Random(2), deque[str](maxlen=60), dict[str, None]()
    while len(texts) < count:
        lines = [_sentence(rng, _people(rng, lately)) for _ in range(sentences)]
        texts[" ".join(lines)] = None
    return list(texts)


def _batch(user: UserMemory, contents: Sequence[tuple[Content, datetime]]) -> Cost:
    """Every phase for all of them, one phase after the other: a job to make each findable, and two to
    read it and to draw from it."""
    cost, count = Cost(sources=len(contents)), len(contents)
    with _timed(cost):
        for content, at in contents:
            user.add(content, started_at=at)
    for jobs in (count, 2 * count):
        with _timed(cost):
            done = user.work(limit=jobs)
        if done.done != jobs:
            raise SystemExit(f"bench: {jobs} jobs were due, but this was done: {done}")
    user.work()
    return cost


class _timed:  # noqa: N801 - reads as a statement
    def __init__(self, cost: Cost) -> None:
        self._cost = cost

    def __enter__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self._cost.wall.append(time.perf_counter() - self._wall)
        self._cost.cpu.append(time.process_time() - self._cpu)


# --- the sources -------------------------------------------------------------------------------


def sources(count: int, *, seed: int = 0) -> Iterator[tuple[Content, datetime]]:
    """That many sources, an hour and a half apart."""
    rng = random.Random(seed)
    lately: deque[str] = deque(maxlen=60)
    for number in range(count):
        at = START + timedelta(minutes=90 * number)
        people = _people(rng, lately)
        lines = [_sentence(rng, people) for _ in range(rng.randint(3, 6))]
        if rng.random() < 0.5:
            yield f"{at:%d %B %Y, %H:%M}. {' '.join(lines)}", at
        else:
            speakers = ("Ada Holm", people[0])
            yield (
                [
                    {"speaker": speakers[place % 2], "text": line, "id": f"{number}-{place}"}
                    for place, line in enumerate(lines)
                ],
                at,
            )


def _people(rng: random.Random, lately: deque[str]) -> tuple[str, str]:
    """Two of the usual cast, or others: half of them are new, half were named not long ago."""
    if rng.random() < 0.4:
        first, second = rng.sample(CAST, 2)
        return first, second
    if len(lately) < 2 or rng.random() < 0.5:
        lately.extend(f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}" for _ in range(2))
        return lately[-2], lately[-1]
    first, second = rng.sample(list(lately), 2)
    return first, second


def _sentence(rng: random.Random, people: tuple[str, str]) -> str:
    first, second = rng.sample(people, 2)
    chosen = rng.choice(SENTENCES)
    return chosen.format(a=first, b=second, p=rng.choice(PROJECTS), t=rng.choice(TOWNS))


# --- a mind and an embedder that cost nothing --------------------------------------------------


def scripted() -> ScriptedMind:
    """Names exactly the people who were put in."""
    return ScriptedMind(candidates=_candidates, findings=_findings, drafts=_believed)


def _sentences_by_name(reading: Reading) -> dict[str, list[str]]:
    """By name, the sentences it stands in."""
    names: dict[str, list[str]] = {}
    for passage in reading.passages:
        for sentence in passage.text.split(". "):
            for name in NAME.findall(sentence):
                names.setdefault(name, []).append(sentence)
    return names


def _candidates(reading: Reading) -> list[Candidate]:
    return [
        Candidate(
            kind=Kind.ENTITY if name in PROJECTS else Kind.PERSON,
            name=name,
            confidence=9,
            subpoints=(*sentences, f"{name} is named", f"{name} is known"),
            type="project" if name in PROJECTS else "",
        )
        for name, sentences in _sentences_by_name(reading).items()
    ]


def _findings(reading: Reading, anchors: Sequence[Anchor]) -> Findings:
    named = [one.name for one in anchors if one.name in _sentences_by_name(reading)]
    notes = [NoteDraft(anchor=name, content=_sentences_by_name(reading)[name][0]) for name in named]
    relations = [
        RelationDraft(
            src=named[0], dst=other, relationship_type="knows", description=f"{named[0]}, {other}"
        )
        for other in named[1:]
    ]
    return Findings(notes=tuple(notes), relations=tuple(relations))


def _believed(reading: Reading) -> list[BeliefDraft]:
    passage = reading.passages[0]
    return [BeliefDraft(statement=passage.text.split(". ")[-1], passage_key=passage.key)]


class WideEmbedder(HashEmbedder):
    """Hashed words, in vectors as long as those of the real embedder."""

    @property
    def name(self) -> str:
        return f"hash-{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return BuiltinEmbedder().dimensions

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        short = super().embed(texts, kind=kind)
        times = self.dimensions // short.shape[1]
        wide: NDArray[np.float32] = np.tile(short, times) / np.float32(np.sqrt(times))
        return wide
