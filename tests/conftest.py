"""Fixtures shared by all suites: a clock that stands still, and memories on it."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import effort
import pytest

from remanent.clock import SteppedClock
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind
from remanent.weights.encoder import Encoder, Floats

effort.load_profile()

BEGINNING = datetime(2026, 5, 4, 9, tzinfo=UTC)
HERE = Path(__file__).resolve().parent
# Files and folders, by the time they take. A file is one piece of work: it goes to one worker, whole.
LONGEST = (
    "llm/",
    "life/",
    "erasure/",
    "surfaces/",
    "web/",
    "backup/",
    "sleep/",
    "stories/",
    "stores/test_sqlite_contracts.py",
    "golden/",
)


def pytest_configure() -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and whoever that starts inherits it:
    the processes that our tests interrupt would not hear it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever hypothesis tries has a long form: more examples. And what takes longest comes first, or
    at the end one worker would be busy with it while the others have nothing left."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.torture)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    inside = item.path.relative_to(HERE).as_posix()
    return next((n for n, one in enumerate(LONGEST) if inside.startswith(one)), len(LONGEST))


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have a memory of their own; it is not ours to touch."""
    for name in ("REMANENT_MEMORY", "REMANENT_CONFIG", "REMANENT_USER", "REMANENT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def encoded_once() -> Iterator[None]:
    """For files that live the same life more than once: an encoder runs each text once in such a file, and
    gives the same states again, which nobody may change. What is tested there is what is made of them."""
    states: dict[tuple[int, tuple[int, ...], tuple[int, ...]], Floats] = {}
    run = Encoder.states

    def known(
        encoder: Encoder, rows: Iterable[tuple[Sequence[int], Sequence[int]]]
    ) -> list[Floats]:
        found = []
        for numbers, kinds in rows:
            key = id(encoder), tuple(numbers), tuple(kinds)
            if key not in states:
                (states[key],) = run(encoder, [(numbers, kinds)])
                states[key].setflags(write=False)
            found.append(states[key])
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Encoder, "states", known)
        yield


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(BEGINNING)


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind()


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory in which nothing is yet, to be copied: to make one takes three times as long."""
    path = tmp_path_factory.mktemp("blank") / "memory.db"
    clock = SteppedClock(BEGINNING)
    Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()).close()
    return path


@pytest.fixture
def memory(
    tmp_path: Path, clock: SteppedClock, mind: ScriptedMind, blank: Path
) -> Iterator[Memory]:
    path = tmp_path / "memory.db"
    if clock.now() == BEGINNING:
        shutil.copy(blank, path)
    with Memory.open(path, clock=clock, mind=mind, embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    return memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
