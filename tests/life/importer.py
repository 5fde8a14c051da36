"""A process for the tests of import: takes a file into a memory, and tells how far it is.

`importer.py MEMORY FILE`: `share X` as it goes on, `done` at the end.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import exported as files


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(memory: str, path: str) -> None:
    with files.opened(memory) as opened:
        opened.import_memory(path, progress=lambda one: say(f"share {one.share:.3f}"))
        say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
