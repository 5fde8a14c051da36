"""A process that does one thing in a memory on several servers, and is killed as it writes.

`dying.py ADDRESSES THING STEP NUMBER`: at the end of the `NUMBER`th block that has written anything, behind
`STEP`, the process kills itself; one that gets through ends with 0.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import rebuilt as lives

from remanent import Memory, SteppedClock
from remanent.config import load_config
from remanent.core.records.item import Put
from remanent.errors import UnknownKey, UnknownUser

STEPS = ("promise", "commit", "derive", "settle")


def _register(memory: Memory) -> None:
    memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")


def _add(memory: Memory) -> None:
    lives.ada_of(memory).add(
        "I met my friend Maria Berg in Oslo about the Kestrel launch. Maria Berg lives in Oslo.\n"
        "Maria Berg > home > Oslo\nIt is so that Maria Berg has 2 dogs.",
        title="Day 1",
    )


def _work(memory: Memory) -> None:
    memory.work()


def _remember(memory: Memory) -> None:
    lives.ada_of(memory).remember("I live in Oslo near the river")


def _items(memory: Memory) -> None:
    lives.ada_of(memory).shelf().put([Put(namespace=("prefs",), key="theme", value={"is": "dark"})])


def _record(memory: Memory) -> None:
    ada = lives.ada_of(memory)
    ada.record({"event_id": "e1", "event_type": "agent.said", "payload": {"text": "Oslo it is"}})


def _sleep(memory: Memory) -> None:
    memory.sleep()


def _erase(memory: Memory) -> None:
    ada = lives.ada_of(memory)
    for source in ada.sources():
        ada.erase(source.key)


THINGS: dict[str, Callable[[Memory], None]] = {
    "register": _register, "add": _add, "work": _work, "remember": _remember, "items": _items,
    "record": _record, "work again": _work, "sleep": _sleep, "work at last": _work,
    "erase": _erase,
}  # fmt: skip


def _erase_event(memory: Memory) -> None:
    with suppress(UnknownKey):
        lives.ada_of(memory).erase("e1")


def _erase_user(memory: Memory) -> None:
    with suppress(UnknownUser):
        memory.erase_user("ada")


ERASURES: dict[str, Callable[[Memory], None]] = {
    "erase an event": _erase_event, "erase a user": _erase_user,
}  # fmt: skip
"""What appends nothing, so that no event tells of it whether it was done."""


def opened(where: str, thing: str) -> Memory:
    """The memory at the time of that thing, whose ids are the same whoever does it; a lease is over at once."""
    is_late = thing in ("sleep", "work at last") or thing.startswith("erase")
    hours = timedelta(hours=13 if is_late else 0)
    config = load_config(where, environ={})
    jobs = replace(config.jobs, lease_seconds=0.0)
    memory = lives.opened(replace(config, jobs=jobs), SteppedClock(lives.START + hours))
    os.urandom = random.Random(thing).randbytes
    return memory


class Dying:
    """A member of a block, as it is, but for the step at which it dies. Blocks that keep a lease are not
    counted: how many there are depends on how long a job takes."""

    def __init__(self, member: Any, step: str, number: int) -> None:
        self._member, self._step, self._left = member, step, number

    def __getattr__(self, name: str) -> Any:
        return getattr(self._member, name)

    def _dies(self, step: str) -> None:
        if step != self._step or threading.current_thread() is not threading.main_thread():
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def promise(self) -> None:
        self._member.promise()
        self._dies("promise")

    def derive(self) -> None:
        self._dies("commit")  # where PostgreSQL keeps the ledger, it has written by now
        self._member.derive()
        self._dies("derive")

    def settle(self) -> None:
        self._dies("settle")
        self._member.settle()


def main(where: str, thing: str, step: str, number: str) -> None:
    memory = opened(where, thing)
    block = memory.env.stores.opening.block
    *others, last = block.members
    if thing.startswith(("work", "sleep")):  # who goes on does something else, which has another id
        os.urandom = random.Random(thing + number).randbytes
    block.members = (*others, Dying(last, step, int(number)))
    (THINGS | ERASURES)[thing](memory)
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
