"""A process for the tests of erasing: erases the named source, and tells how far it is.

`eraser.py PATH KEY`: the name of every stage, and `erased`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rebuilt as lives


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(path: str, key: str) -> None:
    with lives.opened(path) as memory:
        say("open")
        lives.ada_of(memory).erase(key, progress=lambda one: say(one.name))
        say("erased")


if __name__ == "__main__":
    main(*sys.argv[1:])
