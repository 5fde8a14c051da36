"""A virtual environment for each system, made on first use and kept: `.peers/NAME` beside the sources."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.frame import ROOT

CACHE = ROOT / ".peers"
OURS = "ours"
FLOORS = ("fts5", "numpy_floor")
PINS: Mapping[str, Sequence[str]] = {
    "mem0": ("mem0ai==2.2.1", "qdrant-client==1.20.0"),
    "langgraph": (
        "langgraph==1.2.20",
        "langgraph-checkpoint-sqlite==3.1.2",
        "sqlite-vec==0.1.9",
        "pysqlite3-binary==0.5.4.post2",
    ),
    "chroma": ("chromadb==1.5.9",),
    "memori": ("memori==3.3.6",),
    "graphiti": ("graphiti-core[kuzu]==0.31.1", "kuzu==0.11.3", "httpx==0.28.1"),
}
NAMES = (OURS, *PINS, *FLOORS)


class NotThere(Exception):
    """Why a system cannot be measured here."""


def python_of(name: str) -> Path:
    """The interpreter that system runs in; made if need be."""
    pins = PINS.get(name)
    if pins is None:
        return Path(sys.executable)
    place = CACHE / name
    python = place / "bin" / "python"
    ready = place / f".ready-{hashlib.sha256(' '.join(pins).encode()).hexdigest()[:12]}"
    if not ready.exists():
        venv.create(place, with_pip=True, clear=True)
        _install(python, pins)
        ready.touch()
    return python


def _install(python: Path, pins: Sequence[str]) -> None:
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotThere(f"cannot be installed: {(said or ['pip failed'])[-1][:200]}")
