"""The command line as a person meets it: arguments and input in, exit code and two streams out."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from remanent.surfaces.cli.app import run


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What came out, which must be one JSON document and nothing else."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        return dict(json.loads(self.err)["error"])


class Interrupted(io.BytesIO):
    """Standard input of somebody who presses Ctrl-C instead of typing."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise KeyboardInterrupt


def remanent(*arguments: str, stdin: bytes | io.BytesIO = b"") -> Done:
    """Run one command line in this process."""
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(
        io.BytesIO(stdin) if isinstance(stdin, bytes) else stdin, encoding="utf-8"
    )
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
    finally:
        sys.stdin = before
    return Done(code, out.getvalue(), err.getvalue())
