"""Us and the others on the same data: every system in a virtual environment and a process of its own.

`python -m bench peers [--only mem0,chroma] [--sizes 1000,10000] [--cap SECONDS] [--write]`. The first run
installs the others from the package index, in `.peers`; measuring needs no network. `--write` keeps what was
found in `bench/peers.json`, beside what is kept there of the systems and sizes that were left out.
"""

from __future__ import annotations

from bench.frame import Report, Setting


def run(setting: Setting) -> Report:
    from bench.peers.compare import (
        compare,
    )  # the processes of other systems import this package too

    return compare(setting)
