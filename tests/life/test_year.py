"""A small year, lived day by day with sleep every night: what must hold, whatever the text."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import one_year
import pytest

from bench.life.living import USER, Year, opened, owner_of, size
from bench.life.people import measure_people
from bench.life.reading import Reader
from bench.life.stories import measure_stories
from bench.life.times import measure_times
from remanent import Memory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.sleep import SleepJob
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

pytestmark = [pytest.mark.slow, pytest.mark.torture, pytest.mark.usefixtures("encoded_once")]

QUIET = timedelta(days=800)
"""What was asked for two or three times fades a third as fast as what never was."""
KILL_WITHIN_S = 0.25  # of falling asleep: about one night


NIGHT = random.Random(11).randrange(40, one_year.DAYS - 20)  # in which it is killed


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Year]:
    path = tmp_path_factory.mktemp("year") / "year.db"
    year = one_year.small_year()
    one_year.live(path, year, kept=path.with_name("before.db"), night=NIGHT)
    return path, year


@pytest.fixture
def memory(lived: tuple[Path, Year]) -> Iterator[Memory]:
    path, year = lived
    with opened(path, year.end, embedder=HashEmbedder()) as memory:
        yield memory


@pytest.fixture
def reader(memory: Memory, lived: tuple[Path, Year]) -> Reader:
    return Reader(owner_of(memory), lived[1])


def told_by(memory: Memory) -> str:
    env = memory.env
    return digest(env.graph.export(env.registry.scope_of(USER)), without=CIRCUMSTANCES)


def test_every_source_was_read(memory: Memory, lived: tuple[Path, Year]) -> None:
    assert lived[1].parked == 0
    assert owner_of(memory).status().counts["source"] == len(lived[1].pieces)


def test_nothing_learned_later_is_known_before(reader: Reader) -> None:
    leaks = next(row for row in measure_times(reader) if row.unit == "leaks")

    assert leaks.value == 0


def test_no_two_people_are_made_one(reader: Reader) -> None:
    merged = next(row for row in measure_people(reader) if "wrongly merged" in row.what)

    assert merged.value == 0


def test_chatter_becomes_no_story(reader: Reader) -> None:
    rows = {row.what: row.value for row in measure_stories(reader)}

    assert rows["storylines about chatter"] == 0
    assert rows["storylines about projects"] > 0


def test_what_is_looked_through_does_not_grow_with_the_year(
    lived: tuple[Path, Year], tmp_path: Path
) -> None:
    """Fewer of the sources are in the way than came in, and most of them go when nobody asks."""
    path, year = lived
    months = year.months
    assert months[-1].unarchived < months[-1].sources
    assert months[-1].unarchived - months[-2].unarchived <= months[-1].sources - months[-2].sources
    with opened(_copy(path, tmp_path), year.end + QUIET, embedder=HashEmbedder()) as memory:
        ada = owner_of(memory)
        ada.sleep()

        assert size(ada, 0).unarchived < months[-1].sources / 2


def _copy(path: Path, folder: Path) -> Path:
    copy = folder / "copy.db"
    copy.write_bytes(path.read_bytes())
    return copy


def test_every_job_finds_nothing_to_do_the_second_time(
    lived: tuple[Path, Year], tmp_path: Path
) -> None:
    path, year = lived
    at = year.end + timedelta(hours=5)
    with opened(_copy(path, tmp_path), at, embedder=HashEmbedder()) as memory:
        ada = owner_of(memory)
        ada.sleep()
        for job in SleepJob:
            ada.sleep(only=[job])
            before = told_by(memory)
            again = ada.sleep(only=[job])

            assert [rest.job for rest in again.outcomes if not rest.is_idle] == []
            assert told_by(memory) == before


def test_killed_in_the_night_the_year_goes_on_as_if_nothing_had_been(
    lived: tuple[Path, Year], tmp_path: Path
) -> None:
    """From a random day on in other processes, killed in its night: the same memory in the end."""
    path = tmp_path / "killed.db"
    shutil.copy(lived[0].with_name("before.db"), path)
    seconds = random.Random(11).random() * KILL_WITHIN_S
    script = [sys.executable, str(Path(one_year.__file__)), str(path), str(NIGHT)]
    env = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}

    killed = subprocess.run([*script, str(seconds)], env=env, check=False)
    assert killed.returncode == -signal.SIGKILL
    subprocess.run(script, env=env, check=True)

    year = lived[1]
    with opened(lived[0], year.end, embedder=HashEmbedder()) as memory:
        expected = told_by(memory)
    with opened(path, year.end, embedder=HashEmbedder()) as memory:
        assert told_by(memory) == expected
