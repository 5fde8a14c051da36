"""What is of high sensitivity never leaves this machine: not a word of it reaches a mind or an embedder
elsewhere, on whatever way. The same life with normal sensitivity shows that the ways are walked."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import remanent
from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.mind_types import BeliefDraft, Judgement, OnBehalf, Reading, StoryText
from remanent.core.model.node import Kind
from remanent.testing import HashEmbedder

sys.path.insert(0, str(Path(__file__).parent.parent))
from plain_mind import PlainMind

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAY = timedelta(days=1)
SECRETS = ("zibrolin", "vexmoor", "quillon")  # words of the private sources alone


class Here(PlainMind):
    """The mind on this machine. All it says repeats what it was shown, so that words travel far."""

    def __init__(self) -> None:
        super().__init__(name="here", judgements=_judged, principles=_principle)

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        return f"{name}: {description} {' '.join(notes)}"[-400:]

    def tell(self, tale: StoryText) -> str:
        return f"{tale.name}: {tale.told} {' '.join(one.text for one in tale.chapters)}"[-400:]

    def gist(self, reading: Reading) -> str:
        return " ".join(passage.text for passage in reading.passages)[:300]

    def summarize(self, reading: Reading) -> str:
        return " ".join(passage.text for passage in reading.passages)[:200]

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        return [BeliefDraft(statement=text, subject="sarah" if "Sarah" in text else "owner")]


def _judged(new: str, old: str) -> Judgement:
    same = new.split()[:-1] == old.split()[:-1] and new.split()[-1][-1] == old.split()[-1][-1]
    return Judgement.SAME if same else Judgement.DIFFERENT


def _principle(statements: Sequence[str], subject: str) -> str:
    return f"In short, {statements[0]} and {statements[-1]}"


class Elsewhere:
    """A mind on another machine: `seen` fills with every text that went there, by intent."""

    name = "elsewhere"

    def __init__(self, here: Any) -> None:
        self._here = here
        self.seen: list[tuple[str, str]] = []

    def on(self, errand: OnBehalf) -> Any:
        return self._here if errand.private else self

    def __getattr__(self, intent: str) -> Any:
        answer = getattr(self._here, intent)

        def ask(*shown: Any, **named: Any) -> Any:
            anchors = [one.anchors for one in shown if hasattr(one, "anchors")]
            self.seen.append((intent, repr((shown, named, anchors)).casefold()))
            return answer(*shown, **named)

        return ask


class Afar(HashEmbedder):
    """An embedder on another machine."""

    is_local = False

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: str = "passage") -> NDArray[np.float32]:
        self.seen += [text.casefold() for text in texts]
        return super().embed(texts)


class FurtherAfar(Afar):
    name = "further"


def lived(
    mind: Elsewhere, embedder: Afar, sensitivity: str, path: Path
) -> tuple[UserMemory, Memory, SteppedClock]:
    """Three months in which every verb has something to do with what is private."""
    clock = SteppedClock(START)
    memory = Memory.open(path, clock=clock, mind=mind, embedder=embedder)
    me = memory.user("ada", name="Ada Byron", timezone="UTC")
    memory.user("bob", name="Bob Moss", timezone="UTC")
    for number in range(8):
        clock.move_to(START + 2 * number * DAY)
        me.add(
            f"Sarah: plays chess, game {number}.\nTom > home > Oslo{number}\n"
            f"It is so that Sarah plays chess on board number {number}",
            started_at=clock.now(),
        )
        key = me.add(
            f"Sarah: takes zibrolin, box {number}.\nQuillon: is her doctor, visit {number}.\n"
            f"Sarah > home > Vexmoor{number}\nAda Byron: pays for zibrolin {number}.\n"
            f"It is so that Sarah takes zibrolin from box number {number}",
            started_at=clock.now(),
            title=f"zibrolin {number}",
            participants=["bob"],
            sensitivity=sensitivity,
        )
        memory.work()
    me.produce(key, "letter", "About zibrolin and Quillon.")
    return me, memory, clock


def live_on(me: UserMemory, memory: Memory, clock: SteppedClock) -> None:
    me.remember("I like Sarah and chess")
    me.remember("It is so that Sarah takes the bus number 7")
    me.consolidate([{"speaker": "Ada", "text": f"Sarah plays chess {n}"} for n in range(12)])
    for number in range(6):
        me.record(
            "message", {"role": "user", "text": f"Tell Sarah about chess {number}"}, session_id="s"
        )
    memory.work()
    me.end_session("s")
    memory.work()
    me.reflect()
    me.merge_beliefs()
    me.synthesize()
    me.contradictions(resolve=True)
    me.backfill_subjects()
    for weeks in range(1, 13):
        clock.move_to(START + 7 * (weeks + 2) * DAY)
        memory.sleep()
        memory.work()


def ask(me: UserMemory, memory: Memory) -> None:
    """Questions, whose words are the user's own to send; none has a secret in it."""
    for mode in ("fast", "deep"):
        me.search("what does Sarah take?", mode=mode)
        me.explore("Sarah and her doctor", mode=mode, multi_query=True)
    bob = memory.user("bob")
    bob.search("what does Sarah take?")
    memory.work()
    bob.recall("what does Sarah take?")
    me.search("Sarah", include_archived=True, kinds=[Kind.STORYLINE, Kind.MACRO, Kind.PERSON])
    me.recall("what does Sarah take from the box?")
    me.events("what about Sarah?")
    me.context("How is Sarah, and what does she take?", before=["Who is her doctor?"])
    me.needs_memory("How is she?", before=["Sarah is ill"])


def secret(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if any(word in text for word in SECRETS)]


@pytest.fixture(scope="module")
def private_life(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return _whole_life("high", tmp_path_factory.mktemp("high") / "memory.db")


@pytest.fixture(scope="module")
def open_life(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return _whole_life("normal", tmp_path_factory.mktemp("normal") / "memory.db")


def _whole_life(sensitivity: str, path: Path) -> tuple[Elsewhere, list[Afar], UserMemory]:
    mind, embedder, further = Elsewhere(Here()), Afar(), FurtherAfar()
    me, memory, clock = lived(mind, embedder, sensitivity, path)
    live_on(me, memory, clock)
    ask(me, memory)
    memory.rebuild().switch()
    memory.reembed(further)
    ask(me, memory)
    taken_back = [
        me.add(f"Sarah: has {what} 3.\nIt is so that Sarah takes {what} 3", sensitivity=how)
        for what, how in (("tea", "normal"), ("zibrolin", sensitivity))
    ]
    memory.work()
    for key in taken_back:
        me.undo(key)
    memory.work()
    return mind, [embedder, further], me


def test_not_a_word_reaches_a_mind_elsewhere(private_life: Any) -> None:
    mind, _, _ = private_life
    assert secret([text for _, text in mind.seen]) == []
    assert {"extract", "beliefs", "describe", "believe", "gist"} <= {one for one, _ in mind.seen}


def test_not_a_word_reaches_an_embedder_elsewhere(private_life: Any) -> None:
    _, embedders, _ = private_life
    for embedder in embedders:
        assert secret(embedder.seen) == []
        assert len(embedder.seen) > 50


def test_what_is_not_private_reaches_both_on_every_way(open_life: Any) -> None:
    mind, embedders, _ = open_life
    ways = {intent for intent, text in mind.seen if secret([text])}
    reading = {"clean", "topics", "summarize", "extract", "relate", "beliefs"}
    assert ways >= reading | {"judge", "principle", "gist", "tell", "describe", "believe"}
    assert all(secret(embedder.seen) for embedder in embedders)


def test_what_is_private_is_found_by_its_words(private_life: Any) -> None:
    _, _, me = private_life
    hits = me.search("zibrolin", touch=False, include_archived=True)
    assert {Kind.PASSAGE, Kind.BELIEF, Kind.SOURCE} & {one.kind for one in hits}
    assert any("zibrolin" in one.belief.statement for one in me.recall("zibrolin box"))
    keys = [one.key for one in hits]
    assert me.env.stores.index.vectors(me.scope, keys) == {}


def test_a_mind_and_an_embedder_here_see_it_all(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Memory.open(tmp_path / "m.db", mind=Here(), embedder=embedder) as memory:
        me = memory.user("ada")
        key = me.add("Sarah: takes zibrolin.", sensitivity="high")
        memory.work()
        assert key in me.env.stores.index.vectors(me.scope, [key])


def test_no_verb_asks_the_mind_without_an_errand() -> None:
    """`self.mind` is only ever handed to `sent` or `sent_about`."""
    found = []
    # These are what is asked, or they ask a verb; so does the part of UserMemory in each package.
    outside = {"embedders", "minds", "stores", "surfaces", "testing"}
    home = Path(remanent.__path__[0])
    verbs = [
        one
        for one in sorted(home.glob("*/**/*.py"))
        if one.relative_to(home).parts[0] not in outside and not one.name.endswith("api.py")
    ]
    assert len(verbs) > 200
    for path in verbs:
        found.extend(
            f"{path.name}:{node.lineno} {node.attr}"
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "mind"
            and node.attr not in {"on", "name"}
        )
    assert found == []
