"""A memory with something in every table that can be exported, and ways to look at files of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import rebuilt as lives

from remanent import Memory, SteppedClock
from remanent.core.model.job import JobState
from remanent.core.model.scope import Scope
from remanent.core.records.export import RecordKind
from remanent.core.records.item import Put
from remanent.core.records.spending import Answer, Spent
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

DAYS = 10
NOW = lives.START + DAYS * lives.STEP


class OtherEmbedder(HashEmbedder):
    """The same vectors under another name."""

    @property
    def name(self) -> str:
        return "other-64"


def opened(path: Path | str, **hands: Any) -> Memory:
    return lives.opened(path, SteppedClock(NOW), **hands)


def lived(path: Path) -> None:
    """Six weeks of two people in a team, with what no rebuild needs: invitations, items, answers,
    spending, work that waits, is at hand and was parked."""
    clock = SteppedClock(lives.START)
    with lives.opened(path, clock) as memory:
        lives.live(memory, clock, days=DAYS)
        env, ada = memory.env, lives.ada_of(memory)
        team = ada.create_team("Rowers", team_id="rowers", settings={"colour": "blue"})
        ada.invite(team.team_id, "carl")
        memory.user("bob").accept(ada.invite(team.team_id, "bob").invitation_id)
        memory.user("bob").leave_team(team.team_id)
        memory.user("bob").accept(ada.invite(team.team_id, "bob").invitation_id)
        ada.set_primary_team(team.team_id)
        env.records.put(
            Scope(user_id="ada"),
            Answer(digest="d1", user_id="ada", mind="m", task="t", text="aha", answered_at=NOW),
        )
        env.records.add(
            Scope(user_id="ada"),
            Spent(user_id="ada", day=NOW.date(), job="extract", task="t", model="m", usd=0.1 + 0.2),
        )
        with_items(memory)
        for number in range(3):
            ada.add(f"A letter to Maria Berg that nobody has read yet, number {number}.")
        jobs = ada.jobs(["ready"])
        queue = env.queue
        queue.claim("w", key=jobs[0].key, now=NOW, lease=timedelta(hours=1))
        queue.claim("w", key=jobs[1].key, now=NOW, lease=timedelta(hours=1))
        queue.settle(jobs[1].key, "w", JobState.PARKED, at=NOW, error="no")


def with_items(memory: Memory) -> None:
    shelf = lives.ada_of(memory).shelf("kitchen")
    put = Put(namespace=("notes", "tea"), key="k1", value={"text": "oolong"}, paths=("text",))
    vectors = {"text": HashEmbedder().embed(["oolong"])[0]}
    shelf.put([put], lens=shelf.own_lens, vectors=[vectors])


def digests(memory: Memory, **how: Any) -> dict[str, str]:
    users = [one.user_id for one in memory.users()]
    return {one: digest(lives.exported(memory, one), **how) for one in users}


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def of_sort(path: Path, sort: RecordKind) -> list[dict[str, Any]]:
    return [one for one in records(path) if one.get("record") == sort.value]


def forged(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """The file with its lines changed, and an end that fits them."""
    lines = records(path)
    ending = lines.pop()
    change(lines)
    spelt = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in lines]
    counts: dict[str, int] = {}
    for one in lines[1:]:
        counts[str(one.get("record"))] = counts.get(str(one.get("record")), 0) + 1
    ending["counts"] = counts
    return sealed(path, spelt, ending)


def sealed(path: Path, lines: list[str], ending: Mapping[str, Any]) -> Path:
    text = "".join(f"{line}\n" for line in lines)
    told = {**ending, "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}
    place = path.with_name("forged.jsonl")
    place.write_bytes((text + json.dumps(told) + "\n").encode("utf-8", "surrogatepass"))
    return place


def untouched(memory: Memory) -> bool:
    """Whether there is nothing at all in it."""
    database = memory.env.stores.database
    tables = ("users", "teams", "events", "raws", "nodes", "links", "entries", "jobs", "deeds")
    return not any(database.execute(f"SELECT 1 FROM {one} LIMIT 1") for one in tables)
