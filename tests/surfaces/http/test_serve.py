"""`remanent serve`: one process that answers, works and ends in good order; several on one file."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from remanent.core.model.source import ProcessingStatus
from remanent.memory import Memory
from remanent.surfaces.cli.app import run

pytestmark = pytest.mark.slow
REMANENT = (sys.executable, "-c", "from remanent.surfaces.cli import main; main()")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.user("ada", name="Ada")
    return path


@pytest.fixture
def secret(place: Path) -> str:
    with Memory.open(place) as memory:
        return memory.create_key("ada", name="test", powers=("read", "write")).secret


class Running:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], told: dict[str, Any]) -> None:
        self.process = process
        self.told = told
        self.url: str = told["url"]

    def client(self, secret: str | None = None) -> httpx.Client:
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=600)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=600)


@contextmanager
def served(place: Path, *options: str) -> Iterator[Running]:
    command = [*REMANENT, "--memory", str(place), "serve", "--json"]
    environ = {name: value for name, value in os.environ.items() if "REMANENT" not in name}
    process = subprocess.Popen(
        [*command, "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    try:
        yield Running(process, _told(process))
    finally:
        process.kill()
        process.communicate()


def _told(process: subprocess.Popen[str]) -> dict[str, Any]:
    text = ""
    for line in process.stdout or ():
        text += line
        if line == "}\n":
            return dict(json.loads(text))
    raise AssertionError((process.stderr or sys.stdin).read())


def test_what_was_acknowledged_outlives_a_kill(place: Path, secret: str) -> None:
    with served(place, "--no-worker") as server, server.client(secret) as ada:
        key = ada.post("/v1/sources", json={"content": "The mat hides it."}).json()["key"]
        settled = ada.post("/v1/remember", json={"text": "I like tea."}).json()
        server.process.kill()
        server.process.wait()
    with Memory.open(place) as memory:
        found = memory.user("ada")
        assert found.read(key).raw == "The mat hides it."
        assert [one.key for one in found.beliefs()] == [settled["belief"]["key"]]


def test_two_servers_on_one_file_are_one_memory(place: Path, secret: str) -> None:
    named = {"Idempotency-Key": "once"}
    with (
        served(place, "--no-worker") as one,
        served(place, "--no-worker") as two,
        one.client(secret) as here,
        two.client(secret) as there,
    ):
        body = {"text": "I moved to Oslo."}
        first = here.post("/v1/remember", json=body, headers=named)
        again = there.post("/v1/remember", json=body, headers=named)
        seen = there.get("/v1/beliefs").json()["items"]
    assert first.status_code == 200
    assert again.headers["idempotent-replay"] == "true"
    assert again.content == first.content
    assert [one["statement"] for one in seen] == ["I moved to Oslo."]


def test_servers_that_share_a_port_answer_for_each_other(place: Path, secret: str) -> None:
    with served(place, "--share-port", "--no-worker") as one:
        port = one.url.rpartition(":")[2]
        with (
            pytest.raises(AssertionError, match="taken by another program"),
            served(place, "--port", port),
        ):
            pass
        with served(place, "--share-port", "--no-worker", "--port", port) as two:
            with one.client(secret) as ada:
                key = ada.post("/v1/sources", json={"content": "The mat hides it."}).json()["key"]
            assert one.end() == 0
            with two.client(secret) as ada:
                assert ada.get(f"/v1/sources/{key}").json()["page"]["raw"] == "The mat hides it."


def test_it_works_by_itself_and_ends_in_good_order(place: Path, secret: str) -> None:
    with served(place) as server, server.client(secret) as ada:
        assert server.told["keys"] == 1
        assert server.told["workers"] == 1
        ada.post("/v1/sources", json={"content": "I met Sarah Chen in Oslo."})
        with ada.stream("GET", "/v1/jobs/stream", params={"until_idle": True}) as stream:
            lines = list(stream.iter_lines())
        assert any('"state": "done"' in one for one in lines)
        with ada.stream("GET", "/v1/jobs/stream") as endless:
            assert server.end() == 0
            list(endless.iter_lines())
    with Memory.open(place) as memory:
        (source,) = memory.user("ada").sources()
        assert source.processing_status is ProcessingStatus.EXTRACTED


def test_it_says_where_it_listens_and_that_there_is_no_key(place: Path) -> None:
    command = [*REMANENT, "--memory", str(place), "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-worker"], stdout=subprocess.PIPE, text=True
    ) as process:
        lines = [process.stdout.readline() for _ in range(4)]  # type: ignore[union-attr]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=600) == 0
    text = "".join(lines)
    assert "Listening on http://127.0.0.1:" in text
    assert "no key yet" in text
    assert "remanent key create" in text


def test_dev_needs_no_key(place: Path) -> None:
    with served(place, "--no-worker", "--dev") as server, server.client() as anyone:
        assert server.told["user"] == "ada"
        assert anyone.get("/v1/status").json()["user_id"] == "ada"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org"])
def test_dev_is_for_this_machine_only(
    place: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--memory", str(place), "serve", "--dev", "--host", host]) == 2
    assert "dev" in capsys.readouterr().err


def test_a_taken_port_is_said_kindly(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["--memory", str(place), "serve", "--port", str(port)]) == 2
    told = capsys.readouterr().err
    assert f"{port} is taken" in told
    assert "Traceback" not in told


def test_without_the_extra_it_says_what_to_install(place: Path) -> None:
    script = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from remanent.surfaces.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--memory", str(place), "serve"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'remanent[server]'" in done.stderr
