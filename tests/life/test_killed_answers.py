"""kill -9 while sources are accepted or hidden: what was acknowledged holds, each is answered whole or not at
all, and answering again ends as a quiet run does."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import forks
import pytest
import rebuilt as lives
from effort import times

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.event import SOURCE_ACCEPTED, SOURCE_HIDDEN
from remanent_conformance.builders import digest

KILLS = times(2, 24)
SOURCES = 24
LONGEST_S = 0.03  # from one answer to the kill: about as long as one takes
EVENTS = {"accept_source": SOURCE_ACCEPTED, "hide": SOURCE_HIDDEN}


def lived(place: Path, verb: str) -> list[str]:
    """Bob names Ada, whom he shares no team with, or gives to a team whose sources Ada has drawn from."""
    clock = SteppedClock(lives.START)
    with lives.opened(place, clock) as memory:
        ada, bob = lives.ada_of(memory), memory.user("bob", name="Bob Hale")
        team = None
        if verb == "hide":
            team = bob.create_team("Crew", "crew").team_id
            ada.accept(bob.invite(team, "ada").invitation_id)
        keys = [
            bob.add(
                f"Tom Vance: did thing {number}\nIt is so that Tom Vance bought apple {number}.",
                participants=["ada"],
                team=team,
                origin_id=str(number),
            )
            for number in range(SOURCES)
        ]
        memory.work()
        if team is not None:
            ada.adopt(team)
            memory.work()
    return keys


def told(memory: Memory) -> str:
    env = memory.env
    graphs = [env.graph.export(env.registry.scope_of(user)) for user in ("ada", "bob")]
    return digest([one for graph in graphs for one in graph], without=CIRCUMSTANCES)


def answered(ada: UserMemory, verb: str) -> list[str]:
    """What the ledger says was answered, and the rest of the memory with it."""
    events = ada.env.ledger.replay(ada.scope, limit=10_000)
    keys = [one.payload["source_key"] for one in events if one.event_type == EVENTS[verb]]
    seen = {one.key for one in ada.sources()}
    drawn = {s.source_key for one in ada.beliefs() for s in one.supports}
    if verb == "hide":
        assert {one.key for one in ada.hidden()} == set(keys)
        assert not (seen | drawn) & set(keys)
    else:
        assert seen == set(keys)
        found = ada.search("Tom Vance apple", limit=100, touch=False)
        assert {one.source_key or one.key for one in found} == set(keys)
        assert not set(keys) & {one.key for one in ada.waiting()}
    return keys


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("verb", sorted(EVENTS))
def test_killed_at_any_moment_each_is_answered_or_not(tmp_path: Path, verb: str) -> None:
    path, quiet = tmp_path / "memory.db", tmp_path / "quiet.db"
    keys = lived(path, verb)
    shutil.copy(path, quiet)
    with lives.opened(quiet) as memory:
        for key in keys:
            getattr(lives.ada_of(memory), verb)(key)
        memory.work()
        expected = told(memory)
    dice, script = random.Random(7), Path(__file__).with_name("answerer.py")
    for number in range(KILLS):
        place = tmp_path / f"{number}.db"
        shutil.copy(path, place)
        with forks.start(script, place, verb, *keys) as process:
            heard = [process.stdout.readline() for _ in range(dice.randrange(1, SOURCES))]
            time.sleep(dice.uniform(0, LONGEST_S))
            process.kill()
            heard += process.stdout.readlines()
        sure = [one.strip() for one in heard[1:] if one.endswith("\n")]
        with lives.opened(place) as memory:
            ada = lives.ada_of(memory)
            found = answered(ada, verb)
            assert found[: len(sure)] == sure
            assert len(found) <= len(sure) + 1
            for _ in range(2):
                for key in keys:
                    getattr(ada, verb)(key)
                memory.work()
                assert answered(ada, verb) == keys
                assert told(memory) == expected
