"""A process for the tests of consent: accepts what waits and hides what others gave, one after the other.

`answerer.py PATH VERB KEY...`: `open`, and the key of each source once it is answered.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rebuilt as lives


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(path: str, verb: str, *keys: str) -> None:
    with lives.opened(path) as memory:
        answer = getattr(lives.ada_of(memory), verb)
        say("open")
        for key in keys:
            answer(key)
            say(key)


if __name__ == "__main__":
    main(*sys.argv[1:])
