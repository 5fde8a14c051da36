"""The command line: parse, call one verb, render."""

from __future__ import annotations


def main() -> None:
    """What the `remanent` command runs."""
    import sys

    from remanent.surfaces.cli.app import run

    sys.exit(run(sys.argv[1:]))
