"""Rebuilding: the ledger lived through once more gives the same graph, and takes its place at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
import rebuilt as lives
import storied
from night_life import NIGHT, NightMind
from night_life import lived as lived_through
from night_life import night as night_of
from numpy.typing import NDArray

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rebuild import Rebuilt
from remanent.backup.rules import CIRCUMSTANCES
from remanent.clock import ReplayClock
from remanent.core.model import event as told
from remanent.core.model.event import RESERVED
from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.mind_types import Judgement
from remanent.core.model.sleep import SleepJob
from remanent.core.records.admin import DifferenceKind, Replayed
from remanent.errors import BusyMemory, EmbedderError, InvalidInput, RebuiltMemory, StoreError
from remanent.minds.offline import OfflineMind
from remanent.stores.sql.admin.adopt_rebuild import KEPT, TAKEN
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import digest

PAUSE_S = (
    0.02  # of who writes meanwhile: a rebuild lives through whatever they write, and ends sooner
)
LIVES = {"life", "stability"}
OF_STORIES = {
    told.STORYLINE_OPENED,
    told.STORYLINE_CLOSED,
    told.STORYLINE_RETOLD,
    told.MACRO_OPENED,
    told.MACRO_RETOLD,
}


class Backward(HashEmbedder):
    """Another embedder: what the first one has in front it has at the end."""

    @property
    def name(self) -> str:
        return "backward-64"

    def embed(self, texts: Any, *, kind: str = "passage") -> NDArray[np.float32]:
        return np.ascontiguousarray(super().embed(texts)[:, ::-1])


class Long(HashEmbedder):
    """Another embedder, with twice as many dimensions."""

    @property
    def name(self) -> str:
        return "long-128"

    @property
    def dimensions(self) -> int:
        return 128

    def embed(self, texts: Any, *, kind: str = "passage") -> NDArray[np.float32]:
        short = super().embed(texts)
        return np.hstack([short, np.zeros_like(short)])


class Grown(NightMind):
    """Sees that statements are alike from its first night on."""

    slept = False

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        self.slept = True
        return super().describe(name, description, notes)

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        if not self.slept:
            return [Judgement.DIFFERENT for _ in believed]
        return super().judge(statement, believed)


def types_of(memory: Memory) -> set[str]:
    rows = memory.env.stores.database.execute("SELECT DISTINCT event_type FROM events")
    return {kind for (kind,) in rows}


def whole(memory: Memory) -> dict[str, list[Any]]:
    return {user.user_id: lives.exported(memory, user.user_id) for user in memory.users()}


def derived(rebuilt: Rebuilt, *, without: frozenset[str] | set[str]) -> dict[str, str]:
    """A digest for each user of what is in the shadow."""
    registry, graph = rebuilt.env.registry, rebuilt.shadow_env.graph
    return {
        user.user_id: digest(graph.export(registry.scope_of(user.user_id)), without=without)
        for user in registry.users()
    }


def in_use(memory: Memory, *, without: frozenset[str] | set[str]) -> dict[str, str]:
    return {user: digest(records, without=without) for user, records in whole(memory).items()}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was lived in; to be copied, not touched."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    clock = SteppedClock(lives.START)
    with lives.opened(path, clock) as memory:
        lives.live(memory, clock)
    return path


@pytest.fixture
def copy(lived: Path, tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    return copied(lived, path)


def copied(path: Path, to: Path) -> Path:
    with (
        apsw.Connection(str(to)) as there,
        apsw.Connection(str(path)) as here,
        there.backup("main", here, "main") as backup,
    ):
        backup.step()
    return to


@pytest.fixture
def memory(copy: Path) -> Iterator[Memory]:
    with lives.opened(copy, SteppedClock(lives.START + 12 * lives.STEP)) as opened:
        yield opened


# --- the same again ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("encoded_once")
def test_the_offline_mind_gives_the_same_graph_to_the_date(tmp_path: Path) -> None:
    clock, embedder = SteppedClock(lives.START), HashEmbedder()
    hands = {"mind": OfflineMind(), "embedder": embedder}
    with lives.opened(tmp_path / "memory.db", clock, **hands) as memory:
        lives.live(memory, clock, days=4)
        insist_same(memory)


def test_all_that_may_happen_comes_out_the_same_to_the_date(memory: Memory) -> None:
    elsewhere = {told.SOURCES_DISTILLED, told.SOURCE_ERASED}  # test_erase has lives of its own
    assert RESERVED - types_of(memory) <= OF_STORIES | elsewhere
    insist_same(memory)


def insist_same(memory: Memory) -> None:
    before = whole(memory)

    rebuilt = memory.rebuild()

    assert rebuilt.comparison.is_same, rebuilt.comparison.samples
    assert rebuilt.comparison.tallies["belief"].same == len(
        [one for records in before.values() for one in records if one.get("kind") == "belief"]
    )
    assert derived(rebuilt, without=LIVES) == in_use(memory, without=LIVES)
    rebuilt.switch()
    assert whole(memory) == before


def test_twice_is_the_same_again(memory: Memory) -> None:
    before = whole(memory)
    memory.rebuild().switch()
    memory.rebuild().switch()

    assert whole(memory) == before
    assert memory.rebuild().comparison.is_same


def test_what_is_found_stays_found(memory: Memory) -> None:
    ada, bob = lives.ada_of(memory), memory.user("bob")

    def found() -> Any:
        hits = [
            [(hit.key, round(hit.score, 9)) for hit in user.search(words, limit=50, touch=False)]
            for user in (ada, bob)
            for words in ("Kestrel budget", "boat", "where does Maria live")
        ]
        return hits, [one.statement for one in ada.recall("where do I live", touch=False)]

    before = found()
    memory.rebuild().switch()

    assert found() == before


def test_a_night_after_it_finds_no_more_to_do_than_it_would_have(
    copy: Path, tmp_path: Path
) -> None:
    """Positions and the timetable go on where they were."""
    untouched = copied(copy, tmp_path / "other.db")
    after = []
    for path, rebuild in ((copy, True), (untouched, False)):
        clock = SteppedClock(lives.START + 12 * lives.STEP)
        with lives.opened(path, clock) as memory:
            if rebuild:
                memory.rebuild().switch()
            lives.day(lives.ada_of(memory), 11)
            memory.sleep()
            after.append(in_use(memory, without=CIRCUMSTANCES))

    assert after[0] == after[1]


def test_stories_come_out_the_same(tmp_path: Path) -> None:
    clock = SteppedClock(storied.START)
    memory = Memory.open(
        tmp_path / "memory.db", clock=clock, mind=storied.a_mind(), embedder=HashEmbedder()
    )
    with memory:
        life = storied.Life(memory.user("ada", name="Ada", timezone="Europe/Oslo"), clock)
        for number in range(70):
            if number < 5 or 10 < number < 14 or 50 <= number < 56:
                life.burst([number], "Kestrel")
            if number % 3 == 0:
                life.day(number, f"@Thing{number} was seen.")
            life.night(number)
        before = whole(memory)
        assert types_of(memory) >= OF_STORIES

        rebuilt = memory.rebuild()

        assert rebuilt.comparison.is_same, rebuilt.comparison.samples
        assert derived(rebuilt, without=LIVES) == in_use(memory, without=LIVES)
        rebuilt.switch()
        assert whole(memory) == before


def test_what_nights_make_of_notes_sources_and_beliefs_comes_out_the_same(tmp_path: Path) -> None:
    clock, mind = SteppedClock(NIGHT - 50 * storied.DAY), Grown()
    with Memory.open(
        tmp_path / "memory.db", clock=clock, mind=mind, embedder=HashEmbedder()
    ) as memory:
        ada = memory.user("ada", name="Ada Lindqvist", timezone="UTC")
        lived_through(ada, mind)
        clock.move_to(NIGHT)
        for job in (SleepJob.DESCRIBE, SleepJob.EXPIRE, SleepJob.DISTIL, SleepJob.UPKEEP):
            night_of(ada, job)
        before = whole(memory)
        assert {told.DESCRIBED, told.SOURCES_DISTILLED, told.BELIEFS_MERGED} <= types_of(memory)

        rebuilt = memory.rebuild(mind=Grown())

        assert rebuilt.comparison.is_same, rebuilt.comparison.samples
        assert derived(rebuilt, without=LIVES) == in_use(memory, without=LIVES)
        rebuilt.switch()
        assert whole(memory) == before


def test_a_memory_in_memory_can_be_rebuilt() -> None:
    clock = SteppedClock(lives.START)
    with lives.opened(":memory:", clock, mind=ScriptedMind()) as memory:
        lives.live(memory, clock, days=2)
        before = whole(memory)

        rebuilt = memory.rebuild()
        place = Path(rebuilt.replay.shadow.place)  # type: ignore[attr-defined]
        assert place.exists()
        assert rebuilt.comparison.is_same
        rebuilt.switch()

        assert whole(memory) == before
        assert not place.parent.exists()
        assert lives.ada_of(memory).search("Kestrel")


# --- every event has its way -------------------------------------------------------------------


def test_every_type_of_event_has_a_way(memory: Memory) -> None:
    rebuilt = memory.rebuild()
    replay = rebuilt.replay

    assert replay.env.routes.keys() == RESERVED
    for kind in RESERVED:
        routes = {name: way for name, way in replay.env.routes.items() if name != kind}
        with pytest.raises(StoreError, match=kind):
            replace(replay, env=replace(replay.env, routes=routes))


# What is derived, and keeps something of what it was.
MINDFUL = frozenset({
    "nodes", "relationships", "links", "assertions", "vector_readers", "token_versions",
    "edge_versions", "items", "reembedded", "shelf_blocks",
})  # fmt: skip


def test_every_table_is_kept_or_taken(memory: Memory) -> None:
    rows = memory.env.stores.database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )

    assert {name for (name,) in rows} == KEPT | set(TAKEN) | MINDFUL


# --- what is carried over ----------------------------------------------------------------------


def test_lives_are_carried_over(memory: Memory) -> None:
    ada = lives.ada_of(memory)
    people = {one.name: one for one in ada.anchors("person")}
    ada.pin(people["Sarah Lund"].key)
    held = ada.beliefs()[0].key
    ada.pin(held)
    source = ada.search("Kestrel", kinds=["source"])[0].key
    ada.archive(source)
    for _ in range(3):
        ada.touch(people["Maria Berg"].key)
        ada.recall("where do I live")
    before = whole(memory)
    rebuilt = memory.rebuild()
    assert rebuilt.comparison.tallies["belief"].changed == 0
    ada.touch(people["Maria Berg"].key)  # also what happens after it was derived
    count = node(ada, people["Maria Berg"].key).life.access_count

    rebuilt.switch()

    assert node(ada, people["Maria Berg"].key).life.access_count == count
    assert node(ada, people["Sarah Lund"].key).life.ttl_policy is TtlPolicy.KEEP_FOREVER
    assert node(ada, held).is_pinned
    assert node(ada, source).life.state is State.ARCHIVED
    assert len(whole(memory)["ada"]) == len(before["ada"])
    steadier = [one for one in ada.beliefs() if one.stability > 1.0]
    assert steadier


def node(user: UserMemory, key: str) -> Any:
    return user.env.graph.get(user.scope, key)


def test_what_changed_keeps_its_life_and_its_birthday(tmp_path: Path) -> None:
    """Another mind says something else of the same source, under the same key."""
    clock = SteppedClock(storied.START)
    embedder = HashEmbedder()
    with Memory.open(
        tmp_path / "memory.db", clock=clock, mind=storied.a_mind(), embedder=embedder
    ) as memory:
        ada = memory.user("ada")
        key = ada.add("@Kestrel is a project.")
        ada.work()
        ada.touch(key)
        lived = node(ada, key)
        clock.advance(storied.DAY)

        rebuilt = memory.rebuild(mind=ScriptedMind(candidates=lambda _: []))

        changed = {(one.sort, one.how) for one in rebuilt.comparison.samples}
        assert ("entity", DifferenceKind.REMOVED) in changed
        assert ("extraction", DifferenceKind.CHANGED) in changed
        assert ("link", DifferenceKind.REMOVED) in changed
        sample = next(one for one in rebuilt.comparison.samples if one.sort == "entity")
        assert sample.name == "Kestrel"
        rebuilt.switch()
        assert node(ada, key) == lived
        assert ada.anchors("entity") == []
        assert memory.env.mind is ada.env.mind
        ada.add("@Kestrel again.")
        ada.work()
        assert ada.anchors("entity") == []


# --- nothing happens unasked -------------------------------------------------------------------


def test_without_a_switch_nothing_changes(memory: Memory, copy: Path) -> None:
    before = whole(memory)
    place = Path(f"{copy}.rebuild")

    rebuilt = memory.rebuild()
    assert place.exists()
    rebuilt.close()
    assert place.exists()
    rebuilt.close()
    with pytest.raises(StoreError, match="ended"):
        rebuilt.switch()

    assert whole(memory) == before
    assert memory.discard_rebuild()
    assert not memory.discard_rebuild()
    assert sorted(one.name for one in copy.parent.glob("*rebuild*")) == []


def test_discard_and_dry_run_leave_nothing_behind(memory: Memory, copy: Path) -> None:
    before = whole(memory)
    assert memory.rebuild(dry_run=True).comparison.is_same
    assert list(copy.parent.glob("*rebuild*")) == []

    memory.rebuild().discard()

    assert list(copy.parent.glob("*rebuild*")) == []
    assert whole(memory) == before


def test_a_rebuild_goes_on_where_it_was_left(memory: Memory) -> None:
    seen: list[Replayed] = []
    first = memory.rebuild(progress=seen.append)
    assert first.events == len(seen) == seen[-1].total
    assert seen[-1].share == 1.0
    first.close()
    lives.ada_of(memory).remember("I own a red kite")

    second = memory.rebuild()

    assert second.events == 1
    second.switch()
    assert any("red kite" in one.statement for one in lives.ada_of(memory).beliefs())


def test_another_mind_does_not_go_on_with_it(memory: Memory) -> None:
    memory.rebuild().close()

    rebuilt = memory.rebuild(mind=Failing(-1))

    assert rebuilt.events == rebuilt.replay.shadow.count()[1]
    rebuilt.discard()


def test_only_one_rebuilds_at_a_time(memory: Memory, copy: Path) -> None:
    rebuilt = memory.rebuild()
    with lives.opened(copy) as other:
        with pytest.raises(BusyMemory, match="rebuilt already"):
            other.rebuild()
        with pytest.raises(BusyMemory, match="rebuilt already"):
            other.discard_rebuild()
    rebuilt.discard()


# --- while others go on ------------------------------------------------------------------------


def test_what_is_written_meanwhile_is_not_lost(copy: Path) -> None:
    clock = SteppedClock(lives.START + 12 * lives.STEP)
    said: list[str] = []
    over = threading.Event()

    def write() -> None:
        with lives.opened(copy, clock, mind=ScriptedMind()) as other:
            ada = lives.ada_of(other)
            while not over.is_set() or len(said) < 5:
                words = f"The number {len(said)} was written meanwhile"
                ada.add(words)
                ada.remember(f"I counted {len(said)} kites")
                ada.work(limit=1)
                said.append(words)
                over.wait(PAUSE_S)

    with lives.opened(copy, clock, mind=ScriptedMind()) as memory:
        thread = threading.Thread(target=write)
        thread.start()
        try:
            rebuilt = memory.rebuild()
            rebuilt.switch()
        finally:
            over.set()
            thread.join()
        ada = lives.ada_of(memory)
        ada.work()
        kept = {hit.text for hit in ada.search("written meanwhile", limit=1000, kinds=["passage"])}
        assert set(said) <= kept
        assert memory.rebuild().comparison.tallies["source"].differ == 0


class Pausing(lives.QuickMind):
    """Is interrupted while it judges the second belief of a source."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__()
        self.meanwhile = meanwhile
        self.calls = 0

    def judge(self, statement: str, believed: Sequence[str]) -> list[Judgement]:
        self.calls += 1
        if self.calls == 1:
            self.meanwhile()
        return super().judge(statement, believed)


@pytest.mark.parametrize("embedder", [None, Backward()])
def test_who_is_in_the_middle_of_a_source_goes_on(
    tmp_path: Path, clock: SteppedClock, embedder: HashEmbedder | None
) -> None:
    """What an extraction has written before the switch is there after it, and so is the rest."""
    text = (
        "Maria Berg: Sings.\nMaria Berg > home > Oslo\n"
        "It is so that Maria owns seven big dogs.\nIt is so that Maria owns seven small dogs."
    )

    def all_of(path: Path, meanwhile: Callable[[Memory], None]) -> str:
        with lives.opened(path, clock) as memory:
            mind = Pausing(lambda: meanwhile(memory))
            with lives.opened(path, clock, mind=mind) as other:
                ada = lives.ada_of(other)
                ada.add(text)
                worked = ada.work()
                assert mind.calls
                if worked.retried:
                    clock.advance(storied.DAY)
                    lives.ada_of(memory).work()
            user = lives.ada_of(memory)
            assert user.status().jobs.get("parked", 0) == 0
            assert user.search("Maria owns seven big dogs")
            return digest(lives.exported(memory, "ada"), without=CIRCUMSTANCES)

    quiet = all_of(tmp_path / "quiet.db", lambda _: None)
    turned = all_of(
        tmp_path / "turned.db", lambda memory: memory.rebuild(embedder=embedder).switch()
    )

    assert turned == quiet


def test_with_another_embedder_search_works_throughout_and_after(
    memory: Memory, copy: Path
) -> None:
    ada = lives.ada_of(memory)
    during: list[int] = []

    def look(step: Replayed) -> None:
        if step.done % 25 == 0:
            during.append(len(ada.search("Kestrel budget", touch=False)))

    with lives.opened(copy) as other:
        theirs = lives.ada_of(other)
        before = len(theirs.search("Kestrel budget", touch=False))
        rebuilt = memory.rebuild(embedder=Long(), progress=look)
        assert during
        assert set(during) == {before}
        assert theirs.search("Kestrel budget", touch=False)
        rebuilt.switch()

        assert ada.search("Kestrel budget", touch=False)
        assert memory.user("bob").search("boat")
        assert ada.recall("where do I live")
        ada.remember("I own a red kite")
        ada.add("The kite is red")
        ada.work()
        assert ada.search("red kite")[0].text
        for ask in (
            lambda: theirs.search("Kestrel budget"),
            lambda: theirs.recall("where do I live"),
            lambda: theirs.remember("I own a blue kite"),
            lambda: theirs.explore("Maria"),
        ):
            with pytest.raises(RebuiltMemory, match="long-128 meanwhile; open it again"):
                ask()

    with pytest.raises(EmbedderError, match="was written with embedder long-128"):
        lives.opened(copy)
    with lives.opened(copy, embedder=Long()) as again:
        assert lives.ada_of(again).search("Kestrel budget")


def test_an_embedder_of_the_same_length_is_told_apart_too(memory: Memory, copy: Path) -> None:
    with lives.opened(copy) as other:
        memory.rebuild(embedder=Backward()).switch()

        with pytest.raises(RebuiltMemory, match="backward-64"):
            lives.ada_of(other).search("Kestrel budget")
    assert lives.ada_of(memory).search("Kestrel budget")


def test_others_with_the_same_embedder_notice_nothing(memory: Memory, copy: Path) -> None:
    with lives.opened(copy) as other:
        theirs = lives.ada_of(other)

        def seen() -> Any:
            hits = theirs.search("Kestrel budget", limit=50, touch=False)
            return [hit.key for hit in hits], theirs.traverse(hits[0].key)

        before = seen()
        memory.rebuild().switch()

        assert seen() == before
        theirs.remember("I own a red kite")
        assert lives.ada_of(memory).recall("red kite")


def test_a_name_that_is_none_is_refused(memory: Memory) -> None:
    for hands in ({"mind": "nobody"}, {"embedder": "nothing"}):
        with pytest.raises(Exception, match="is not one of"):
            memory.rebuild(**hands)  # type: ignore[arg-type]


# --- what fails --------------------------------------------------------------------------------


class Failing(ScriptedMind):
    """Fails at its call number `at`."""

    def __init__(self, at: int) -> None:
        super().__init__(name="failing")
        self.left = at

    def summarize(self, reading: Any) -> str:
        self.left -= 1
        if not self.left:
            raise InvalidInput("mind", "broke down")
        return super().summarize(reading)


def test_a_replay_that_fails_is_gone_on_with(copy: Path) -> None:
    with lives.opened(copy, mind=ScriptedMind()) as memory:
        before = whole(memory)
        with pytest.raises(InvalidInput, match="broke down"):
            memory.rebuild(mind=Failing(9))
        assert whole(memory) == before

        rebuilt = memory.rebuild(mind=Failing(-1))
        broken = rebuilt.events
        once = derived(rebuilt, without=frozenset())
        rebuilt.discard()
        rebuilt = memory.rebuild(mind=Failing(-1))

        assert broken < rebuilt.events
        assert derived(rebuilt, without=frozenset()) == once


def test_a_switch_that_fails_changes_nothing(memory: Memory) -> None:
    before = whole(memory)
    rebuilt = memory.rebuild()

    def fail() -> None:
        raise InvalidInput("test", "the last moment")

    with pytest.raises(InvalidInput, match="the last moment"):
        rebuilt.replay.shadow.switch(fail)

    assert whole(memory) == before
    rebuilt.switch()
    assert whole(memory) == before


def test_a_clock_for_replaying_goes_both_ways() -> None:
    clock = ReplayClock(lives.START)
    clock.show(lives.START + lives.STEP)
    clock.show(lives.START)
    assert clock.now() == lives.START
