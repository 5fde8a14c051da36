"""kill -9 while a memory is taken in: there is all of it, or nothing at all."""

from __future__ import annotations

import contextlib
import random
import time
from pathlib import Path

import apsw
import exported as files
import forks
import pytest
from effort import times

KILLS = times(4, 30)


@pytest.mark.slow
@pytest.mark.torture
def test_killed_at_any_moment_it_is_all_or_nothing(tmp_path: Path) -> None:
    dice = random.Random(11)
    lived, file, place = (tmp_path / name for name in ("lived.db", "a.jsonl", "memory.db"))
    files.lived(lived)
    with files.opened(lived) as memory:
        memory.export(file)
        wanted = files.digests(memory)
    with files.opened(place) as memory:
        memory.user("eve", name="Eve").remember("I was here before")
        before = files.digests(memory)

    seen = set()
    for number in range(KILLS):
        script = Path(__file__).with_name("importer.py")
        told = dice.randint(1, 3)  # somewhere between the first record and the last
        stop = "0" if number % 2 else str(told)  # there, or as far as it gets meanwhile
        with forks.start(script, place, file, stop) as process:
            for _ in range(told):
                process.stdout.readline()
            if number % 2:
                time.sleep(dice.random() * 0.2)
            process.kill()
        with contextlib.closing(apsw.Connection(str(place))) as connection:
            assert list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
            assert list(connection.execute("PRAGMA foreign_key_check")) == []
        with files.opened(place) as memory:
            found = files.digests(memory)
            seen.add(len(found))
            assert found["eve"] == before["eve"]
            if len(found) > 1:  # it was done already
                break
            assert found == before
    assert 1 in seen
    with files.opened(place) as memory:
        if len(memory.users()) == 1:
            memory.import_memory(file)
        told = files.digests(memory, without=("seq",))
    with files.opened(lived) as memory:
        assert {one: told[one] for one in wanted} == files.digests(memory, without=("seq",))
