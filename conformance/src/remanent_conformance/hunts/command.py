"""What `remanent audit leaks` and `remanent audit integrity` run: a hunt in a temporary memory of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from remanent.clock import SteppedClock
from remanent.memory import Memory
from remanent_conformance.hunts.hunt import Hunt, Plan, Tried, Way, hunt
from remanent_conformance.hunts.integrity import hunt_tampering

HUNTS: Final[Mapping[str, Hunt[Any]]] = {"leaks": hunt, "integrity": hunt_tampering}


def prepared(name: str, plan: Mapping[str, int], *, server: bool) -> Callable[..., Tried]:
    """A hunt by its name, ready to be run; one with a server needs the packages of a server."""
    ways: list[Way] = []
    if server:
        from remanent_conformance.hunts.web import Web  # noqa: PLC0415 - only it needs them

        ways.append(Web(attacking=name == "integrity"))
    return partial(_run, HUNTS[name], Plan(**plan), ways)


def _run(hunt: Hunt[Any], plan: Plan, ways: list[Way], **watched: Any) -> Tried:
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with (
        tempfile.TemporaryDirectory(prefix="remanent-hunt-") as folder,
        Memory.open(Path(folder) / "town.db", clock=clock) as memory,
    ):
        report: Tried = hunt(memory, clock, plan, ways=ways, **watched)
    return report
