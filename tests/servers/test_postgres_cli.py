"""What a newcomer sees with `postgresql://...`: it works, or says what to do; passwords are shown nowhere."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from on_postgres import Schemas

pytestmark = [pytest.mark.server, pytest.mark.slow]

RUN = "from remanent.surfaces.cli import main; main()"
WITHOUT_DRIVER = f"import sys; sys.modules['psycopg'] = None; {RUN}"
AWAY = "postgresql://remanent:hunter2@127.0.0.1:1/nothing"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    schemas = Schemas()
    with schemas.given() as one:
        yield one
    schemas.drop()


def remanent(url: str, *words: str, run: str = RUN) -> tuple[int, str]:
    """The exit code, and all that was said."""
    environ = {name: text for name, text in os.environ.items() if "REMANENT" not in name}
    done = subprocess.run(
        [sys.executable, "-c", run, *words],
        capture_output=True,
        text=True,
        env={**environ, "REMANENT_MEMORY": url, "COLUMNS": "300"},
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_first_steps_are_those_of_a_file(url: str) -> None:
    assert remanent(url, "users")[0] == 0
    code, said = remanent(url, "init", "--user", "ada", "--name", "Ada")
    assert code == 0, said
    assert "new" in said
    assert "was there" in remanent(url, "init", "--user", "ada")[1]
    assert remanent(url, "remember", "I live in Oslo")[0] == 0
    assert "Oslo" in remanent(url, "recall", "where do I live")[1]
    assert remanent(url, "work", "--workers", "2")[0] == 0
    code, said = remanent(url, "doctor", "--offline", "--deep")
    assert code == 0, said
    assert remanent(url, "status", "--json")[0] == 0


@pytest.mark.parametrize(
    "words", [("users",), ("doctor", "--json"), ("init",), ("serve", "--json"), ("work",)]
)
def test_a_server_that_is_away_is_named_and_its_password_is_not(words: tuple[str, ...]) -> None:
    code, said = remanent(AWAY, *words)
    assert code == 1, said
    assert "127.0.0.1" in said
    assert "REMANENT_MEMORY" in said
    assert "hunter2" not in said


def test_a_database_that_is_not_there_is_named(url: str) -> None:
    code, said = remanent(url.replace("/postgres?", "/nowhere?"), "users")
    assert code == 1
    assert 'database "nowhere" does not exist' in said


def test_a_wrong_password_is_called_that() -> None:
    """The servers of the tests ask for none: one that says no is a socket with two sentences."""
    no = b'SFATAL\0C28P01\0Mpassword authentication failed for user "remanent"\0\0'
    with socket.create_server(("127.0.0.1", 0)) as door:

        def answer() -> None:
            line, _ = door.accept()
            with line:
                while line.recv(4096)[4:7] == b"\x04\xd2\x16":  # may this be encrypted?
                    line.sendall(b"N")
                line.sendall(b"E" + struct.pack("!I", 4 + len(no)) + no)

        asked = threading.Thread(target=answer)
        asked.start()
        code, said = remanent(AWAY.replace(":1/", f":{door.getsockname()[1]}/"), "users")
        asked.join()
    assert code == 1
    assert "does not let us in: check user and password" in said
    assert "hunter2" not in said


def test_without_the_driver_the_extra_is_named() -> None:
    code, said = remanent(AWAY, "users", run=WITHOUT_DRIVER)
    assert code == 2
    assert "remanent[postgres]" in said
    assert "hunter2" not in said
