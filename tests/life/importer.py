"""A process for the tests of import: takes a file into a memory, and tells how far it is.

`importer.py MEMORY FILE STOP`: `share X` as it goes on, `done` at the end. Once it has told its share so
many times it stands still until it is killed; with 0, never.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import exported as files

from remanent.core.records.export import MoveProgress


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(memory: str, path: str, stop: str) -> None:
    told = count(1)

    def tell(one: MoveProgress) -> None:
        say(f"share {one.share:.3f}")
        if next(told) == int(stop):
            threading.Event().wait()

    with files.opened(memory) as opened:
        opened.import_memory(path, progress=tell)
        say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
