"""The command line: parse, call one verb, render."""

from __future__ import annotations


def main() -> None:
    """What the `remanent` command runs. All is closed when it ends: to take weights and modules apart, as
    the interpreter does at its end, would only keep whoever waits for it, for seconds on a busy machine."""
    import os
    import sys

    from remanent.surfaces.cli.app import run

    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # whoever read it has gone
            code = code or 1
    os._exit(code)
