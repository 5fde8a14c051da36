"""A memory goes over to another embedder, and is searched with the one it has until it is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.reembed import index_texts
from remanent.config import Config
from remanent.core.model.mind_types import BeliefDraft, Judgement, Reading
from remanent.core.model.node import Kind
from remanent.errors import EmbedderError, EmbedderMismatch, InvalidInput, RebuiltMemory
from remanent.stores.sql.words import stems
from remanent.testing import HashEmbedder

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "embedders"))
from embedding_server import KEY, MODEL, Served, serving
from plain_mind import PlainMind

from remanent.jobs.work import work_jobs

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAY = timedelta(days=1)
WIDTH = 48


class Next(HashEmbedder):
    """Another embedder: other vectors, of another length."""

    name = "next-48"
    dimensions = WIDTH

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.texts = 0

    def embed(self, texts: Sequence[str], *, kind: str = "passage") -> NDArray[np.float32]:
        self.before()
        self.texts += len(texts)
        turned = super().embed(texts)[:, ::-1][:, :WIDTH] + 0.05
        unit: NDArray[np.float32] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return unit


class Mind(PlainMind):
    def __init__(self) -> None:
        super().__init__(judgements=lambda new, old: Judgement.DIFFERENT)

    def gist(self, reading: Reading) -> str:
        return "They spoke of Sarah."

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        return [BeliefDraft(statement=text)]


def opened(path: Path | Config, embedder: Any = None, at: datetime = START) -> Memory:
    embedder = HashEmbedder() if embedder is None else embedder
    return Memory.open(path, clock=SteppedClock(at), mind=Mind(), embedder=embedder)


def lived(memory: Memory) -> UserMemory:
    """A few weeks that leave entries of every kind."""
    me, clock = memory.user("ada", name="Ada Byron", timezone="UTC"), memory.env.clock
    assert isinstance(clock, SteppedClock)
    for number in range(14):
        clock.move_to(START + 5 * number * DAY)
        key = me.add(
            f"Sarah: plays chess, game {number}.\nTom > home > Oslo{number % 3}\n"
            f"It is so that Sarah plays chess on board number {number}. And so it goes on and on."
        )
        memory.work()
    me.produce(key, "letter", "About chess and Sarah.")
    me.remember("I like tea")
    me.forget(me.remember("I like ale").belief.key)
    me.consolidate([{"speaker": "Ada", "text": f"Sarah plays chess {n}"} for n in range(12)])
    for number in range(6):
        payload = {"role": "user", "text": f"Tell Sarah about chess {number}"}
        me.record("message", payload, session_id="s")
    memory.work()
    for weeks in range(1, 6):
        clock.move_to(START + (70 + 7 * weeks) * DAY)
        memory.sleep()
        memory.work()
    for number in range(40):
        me.remember(f"I own book number {number}")
    return me


@pytest.fixture(scope="module")
def alive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("alive") / "memory.db"
    with opened(path) as memory:
        lived(memory)
    return path


@pytest.fixture
def path(alive: Path, tmp_path: Path) -> Path:
    """A copy of that memory."""
    copy = tmp_path / "memory.db"
    copy.write_bytes(alive.read_bytes())
    return copy


def rows(memory: Memory) -> list[Any]:
    database = memory.env.stores.database
    return database.execute("SELECT key, kind, words, vector, parts FROM entries ORDER BY key")


def behind(me: UserMemory) -> set[str]:
    """Anchors with notes that they are not found by yet: the next night sees to that."""
    return {one.key for one in me.anchors(include_archived=True) if one.is_dirty}


def found(me: UserMemory) -> list[str]:
    return [one.key for one in me.search("what does Sarah play?", limit=20, touch=False)]


LATE = START + 200 * DAY


def test_the_text_of_every_entry_is_found_again_to_the_word(path: Path) -> None:
    with opened(path, at=LATE) as memory:
        me = memory.user("ada")
        renewal = memory.env.stores.reembedding
        renewal.begin("next", WIDTH)
        dues = renewal.waiting(0, 10_000)
        lines = index_texts(memory.env, me.scope, dues)
        words = {key: said for key, _, said, _, _ in rows(memory)}
        again = {key: " ".join(stems(line.text)) for key, line in lines.items()}
        assert again.keys() == words.keys()
        assert {key for key, said in words.items() if said != again[key]} <= behind(me)
        kinds = {Kind(kind) for _, kind, *_ in rows(memory)}
        assert kinds >= {
            Kind.SOURCE,
            Kind.PASSAGE,
            Kind.PERSON,
            Kind.ENTITY,
            Kind.RELATIONSHIP,
            Kind.BELIEF,
            Kind.EVENT,
            Kind.STORYLINE,
            Kind.ARTIFACT,
        }


def test_every_entry_gets_the_vector_it_would_have_had(path: Path, tmp_path: Path) -> None:
    """As a rebuild with that embedder makes them."""
    copy = tmp_path / "other.db"
    copy.write_bytes(path.read_bytes())
    with opened(path, at=LATE) as memory, opened(copy, at=LATE) as second:
        before = found(memory.user("ada"))
        told = memory.reembed(Next())
        assert (told.embedder, told.towards, told.share) == ("next-48", None, 1.0)
        second.rebuild(embedder=Next()).switch()
        ours, theirs = rows(memory), rows(second)
        assert [row[:3] for row in ours] == [row[:3] for row in theirs]
        differ = {
            one[0]
            for one, other in zip(ours, theirs, strict=True)
            if not (_near(one[3], other[3]) and _near(one[4], other[4]))
        }
        assert differ <= behind(memory.user("ada"))
        assert set(found(memory.user("ada"))) & set(before)


def _near(one: bytes | None, other: bytes | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.allclose(np.frombuffer(one, "<f4"), np.frombuffer(other, "<f4"), atol=1e-5)


def test_search_and_writing_go_on_meanwhile(path: Path) -> None:
    with opened(path, at=LATE) as memory:
        me = memory.user("ada")
        before, heard, added = found(me), [], []

        def look(state: Any) -> None:
            heard.append((state.done, found(me) == before or bool(added)))
            if not added:
                added.append(me.add("Sarah: moved to Bergen for chess."))
                work_jobs(memory.env)
                me.remember("Sarah swims")

        memory.reembed(Next(), progress=look)
        assert len(heard) > 2
        assert all(same for _, same in heard)
        assert added[0] in {one.source_key for one in me.search("Sarah moved to Bergen", limit=5)}
        assert me.recall("Sarah swims")[0].belief.statement == "Sarah swims"
        assert not [key for key, _, _, vector, _ in rows(memory) if vector is None]
        assert {len(vector) for *_, vector, _ in rows(memory)} == {4 * WIDTH}


def test_what_is_broken_off_is_gone_on_with(path: Path) -> None:
    calls: list[int] = []

    def before() -> None:
        calls.append(1)
        if len(calls) == 3:  # a batch takes one call for each kind of text
            raise EmbedderError("gone fishing")

    with opened(path, at=LATE) as memory:
        total = memory.embedding().total
        with pytest.raises(EmbedderError):
            memory.reembed(Next(before))
        state = memory.embedding()
        assert (state.embedder, state.towards) == ("hash-64", "next-48")
        assert 0 < state.done < total
        assert found(memory.user("ada"))  # and nothing has changed yet
    with opened(path, at=LATE) as memory:
        hand = Next()
        memory.reembed(hand)
        assert 0 < hand.texts < total * 2
        assert memory.embedding().embedder == "next-48"
        whole = Next()
        memory.reembed(HashEmbedder())
        memory.reembed(whole)
        assert whole.texts > hand.texts


def test_killed_at_any_time_nothing_is_lost(path: Path) -> None:
    for calls in ("1", "2", "99"):
        done = subprocess.run([sys.executable, __file__, str(path), calls], check=False)
        assert done.returncode in (-signal.SIGKILL, 0)
        embedder = Next() if done.returncode == 0 else HashEmbedder()
        with opened(path, embedder, at=LATE) as memory:
            assert found(memory.user("ada"))
    assert done.returncode == 0


def test_opened_with_another_embedder_it_names_both_and_the_way(path: Path) -> None:
    with pytest.raises(EmbedderMismatch, match=r"remanent embedder use next-48") as caught:
        opened(path, Next())
    assert (caught.value.theirs, caught.value.ours) == ("hash-64", "next-48")


def test_whoever_has_it_open_is_told(path: Path) -> None:
    with opened(path, at=LATE) as memory, opened(path, at=LATE) as other:
        them = other.user("ada")
        memory.reembed(Next())
        with pytest.raises(RebuiltMemory):
            them.search("Sarah")
        with pytest.raises(RebuiltMemory):
            them.remember("I like milk")
        other.work()  # no settings name the one that came: it stays so until it is opened anew
        with pytest.raises(RebuiltMemory):
            them.search("Sarah")


def test_one_may_stay_with_what_one_has(path: Path) -> None:
    with opened(path, at=LATE) as memory:
        assert not memory.stop_reembedding()
        memory.env.stores.reembedding.begin("next-48", WIDTH)
        assert memory.embedding().towards == "next-48"
        assert memory.stop_reembedding()
        assert memory.reembed(HashEmbedder()).embedder == "hash-64"


def test_a_memory_without_anything_in_it_goes_over_at_once() -> None:
    with Memory.open(":memory:", mind=Mind(), embedder=HashEmbedder()) as memory:
        assert memory.embedding().embedder == "hash-64"
        assert memory.reembed(Next()).embedder == "next-48"
        me = memory.user("ada")
        me.remember("I like tea")
        assert me.recall("tea")


# -- in the background ---------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("REMANENT_EMBEDDER_KEY", KEY)
    with serving() as served:
        yield served


def test_in_the_background_work_does_it_and_switches(path: Path, server: Served) -> None:
    config = Config(memory=str(path), embedder_url=server.url)
    with opened(config, at=LATE) as memory, opened(config, at=LATE) as worker:
        me, before = memory.user("ada"), found(memory.user("ada"))
        state = memory.reembed(f"openai:{MODEL}", background=True)
        assert (state.towards, state.done) == (f"openai:{MODEL}", 0)
        assert memory.reembed(f"openai:{MODEL}", background=True) == state  # twice is once
        assert found(me) == before
        server.plan = ["400"]  # the first attempt fails, and is made again
        worker.work()
        worker.env.clock.advance(timedelta(hours=1))
        worker.work()
        assert worker.embedding().embedder == f"openai:{MODEL}"
        assert worker.user("ada").search("Sarah")
        memory.work()  # and whoever comes to work goes on with it
        assert found(me)
        assert memory.env.embedder.name == f"openai:{MODEL}"


def test_in_the_background_it_has_to_be_a_name(path: Path) -> None:
    with opened(path, at=LATE) as memory, pytest.raises(InvalidInput, match="embedder"):
        memory.reembed(Next(), background=True)


def main(path: str, calls: str) -> None:
    left = int(calls)

    def before() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with opened(Path(path), at=LATE) as memory:
        memory.reembed(Next(before))


if __name__ == "__main__":
    main(*sys.argv[1:])
