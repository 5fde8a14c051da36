"""A process that loads the real mind and embedder once and forks writers for the kill test.

Loading weights takes a second; two hundred real processes would spend minutes on it. Each line on
standard input, `PATH SEED`, forks one writer that opens the memory itself and writes until it is
killed. A writer acknowledges only what a verb has returned.
"""

from __future__ import annotations

import os
import random
import sys
from datetime import UTC, datetime

from remanent import Memory
from remanent.embedders.builtin import BuiltinEmbedder
from remanent.minds.offline import OfflineMind

TOWNS = ("Oslo", "Bergen", "Trondheim", "Tromsø", "Stavanger", "Kristiansand")
PEOPLE = ("Maria Chen", "Tom Berg", "Nina Dahl", "Jonas Lie")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one write: a line is whole or not there


def write_until_killed(memory: Memory, seed: int) -> None:
    dice = random.Random(seed)
    ada = memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
    number = 0
    while True:
        number += 1
        mark = f"{seed}-{number}"
        who, town = dice.choice(PEOPLE), dice.choice(TOWNS)
        match dice.randrange(4):
            case 0:
                turns = [
                    {
                        "speaker": "Ada",
                        "text": f"{who} moved to {town}. Ticket {mark}.",
                        "id": mark,
                    },
                    {"speaker": who, "text": f"I work at Telenor in {town} and I love it."},
                ]
                say(f"added {ada.add(turns)} {mark}")
            case 1:
                say(f"added {ada.add(f'Note {mark}: {who} lives in {town}.')} {mark}")
            case 2:
                ada.remember(f"{who} lives in {town}.", event_id=mark)
                say(f"remembered {mark}")
            case _:
                ada.work(limit=2)


def main() -> None:
    embedder = BuiltinEmbedder()
    mind = OfflineMind()
    mind.believe("Tom lives in Oslo.", owner_names=("Ada",))
    embedder.embed(["warm"])
    say("ready")
    for line in sys.stdin:
        path, seed = line.rsplit(maxsplit=1)
        child = os.fork()
        if child == 0:
            say(f"pid {os.getpid()} {datetime.now(UTC).isoformat()}")  # noqa: TID251 - a test may look
            write_until_killed(Memory.open(path, mind=mind, embedder=embedder), int(seed))
        os.waitpid(child, 0)
        say("gone")


if __name__ == "__main__":
    main()
