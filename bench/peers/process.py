"""One system in a process of its own, as the parent sees it: asked by lines of JSON, weighed from outside."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.frame import ROOT
from bench.peers.environments import OURS, NotThere, python_of

_CHILD = Path(__file__).with_name("child.py")
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
Texts = Sequence[str]
PATIENCE_S = 900.0


class Failed(Exception):
    """What a system answered instead of doing what it was asked."""


class Process:
    """Started at once; the system is opened with the first thing it is asked."""

    def __init__(
        self, name: str, folder: Path, *, words: bool = True, before: Sequence[str] = ()
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, **_ONE_THREAD}
        paths = [str(ROOT), str(ROOT / "src")] if name == OURS else []
        env["PYTHONPATH"] = os.pathsep.join(paths)
        self._log = (folder.parent / f"{folder.name}.log").open("ab")
        self.began = self.answered = time.perf_counter()
        self._process = subprocess.Popen(
            [
                *before,
                str(python_of(name)),
                str(_CHILD),
                name,
                str(folder),
                "words" if words else "built-in",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=env,
            cwd=folder,
            text=True,
        )

    def send(
        self,
        verb: str,
        *,
        texts: Texts = (),
        vectors: NDArray[np.float32] | None = None,
        **ask: Any,
    ) -> None:
        if vectors is not None:
            raw = np.ascontiguousarray(vectors, dtype=np.float32).tobytes()
            ask |= {"texts": list(texts), "vectors": base64.b64encode(raw).decode()}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"verb": verb, **ask}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed("its process is gone") from None

    def answer(self, seconds: float = PATIENCE_S) -> dict[str, Any]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self.kill()
            raise Failed(f"no answer within {seconds:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise Failed(f"its process ended ({self._process.wait()})")
        self.answered = time.perf_counter()
        found: dict[str, Any] = json.loads(line)
        if "failed" in found:
            raise Failed(found["failed"])
        return found

    def ask(self, verb: str, **ask: Any) -> dict[str, Any]:
        self.send(verb, **ask)
        return self.answer()

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text("ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1000

    def cpu_ms(self) -> float:
        """All it has used since it was started, by the clock that Linux keeps of a process."""
        return 1000 * time.clock_gettime((~self._process.pid << 3) | 2)

    def kill(self) -> None:
        """As `kill -9` does; what it had not yet given to the system is gone."""
        self._process.kill()
        self._end()

    def close(self) -> None:
        if self._process.poll() is not None:
            return
        with contextlib.suppress(Failed):
            self.ask("close")
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._log.close()


__all__ = ["Failed", "NotThere", "Process"]
