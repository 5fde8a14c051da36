"""A process for the tests of rebuilding: derives a memory again with other hands, and tells.

`rebuilder.py PATH`: `event` for every event lived through, `ready`, and after a line on standard input
`switching`, `replaced` before that is committed, and `switched`. If the line was `stop`, it stands still
when it has said `replaced`, until it is killed.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rebuilt as lives

from remanent.stores.sql.admin import shadow
from remanent.stores.sql.database import Beside
from remanent.testing import HashEmbedder


class OtherMind(lives.QuickMind):
    """Says more of everything."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "other"

    def describe(self, name: str, description: str, notes: object) -> str:
        return f"{super().describe(name, description, notes)} And more."  # type: ignore[arg-type]


class OtherEmbedder(HashEmbedder):
    """Gives the same vectors under another name."""

    @property
    def name(self) -> str:
        return "other-64"


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def stop_when_replaced(stops: bool) -> None:
    real = shadow.replace_graph

    def replaced(seat: Beside) -> None:
        real(seat)
        say("replaced")
        if stops:
            threading.Event().wait()

    shadow.replace_graph = replaced


def main(path: str) -> None:
    with lives.opened(path) as memory:
        rebuilt = memory.rebuild(
            mind=OtherMind(), embedder=OtherEmbedder(), progress=lambda _: say("event")
        )
        say("ready")
        stop_when_replaced(sys.stdin.readline().strip() == "stop")
        say("switching")
        rebuilt.switch()
        say("switched")


if __name__ == "__main__":
    main(*sys.argv[1:])
