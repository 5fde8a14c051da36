"""The command line: parse, call one verb, render."""

from __future__ import annotations

_NEW_OBJECTS = 200_000  # some 20 MB


def main() -> None:
    """What the `remanent` command runs. All is closed when it ends: to take weights and modules apart, as
    the interpreter does at its end, would only keep whoever waits for it, for seconds on a busy machine."""
    import gc
    import os
    import sys

    # To look for cycles after each 700 new objects, as is usual, took a tenth of a search: there are none.
    gc.set_threshold(_NEW_OBJECTS)
    # One thread for numpy's products, as for the encoders: each more took 40 ms to make, before any work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from remanent.surfaces.cli.app import run

    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # whoever read it has gone
            code = code or 1
    os._exit(code)
