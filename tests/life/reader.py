"""A worker process for the kill test: drains a memory's queue and says each job it finished."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from plain_mind import PlainMind

from remanent import Memory, SteppedClock
from remanent.testing import HashEmbedder

if __name__ == "__main__":
    path, now = sys.argv[1:]
    clock = SteppedClock(datetime.fromisoformat(now))
    with Memory.open(path, clock=clock, mind=PlainMind(), embedder=HashEmbedder()) as memory:
        memory.work(progress=lambda step: os.write(1, f"{step.key}\n".encode()) and None)
