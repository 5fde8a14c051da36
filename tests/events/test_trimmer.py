"""A ledger with a ceiling: old events lose their words, and nothing else is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent import Config, Memory, SteppedClock, UserMemory
from remanent.core.event_text import is_trimmed
from remanent.core.model.event import RESERVED, Event, EventNode
from remanent.core.model.relationship import LinkKind
from remanent.core.model.sleep import SleepJob
from remanent.core.records.admin import Level
from remanent.errors import InvalidInput
from remanent.events import forget
from remanent.events.rules.episodes import TierRules
from remanent_conformance.builders import digest

NINE = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
LONG = "The crane on the quay stood still while the harbour master looked for its key. " * 5


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sessions, one a month, of which a pinned event stays; then a hundred days go by."""
    place, clock = tmp_path_factory.mktemp("year") / "memory.db", SteppedClock(NINE)
    with Memory.open(Config(memory=str(place)), clock=clock) as memory:
        ada = memory.user("ada", name="Ada Berg")
        for month in range(3):
            clock.move_to(NINE + month * 31 * DAY)
            first = ada.record(
                "message", {"text": f"Month {month}. {LONG}"}, session_id=f"s{month}"
            )
            for n in range(4):
                text = f"Crane {n} of month {month} stands still at the quay. {LONG}"
                fields: dict[str, Any] = {"session_id": f"s{month}", "agent_id": "helper"}
                fields["parent_event_id"] = first.event_id if month else None
                ada.record("tool.called", {"text": text}, **fields)
            ada.work()
            ada.pin(first.key)
        ada.remember("I live in Oslo.")
        for day in (1, 35):
            clock.move_to(NINE + (62 + day) * DAY)
            ada.env.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, clock.now())
    return place


@pytest.fixture
def lived(year: Path, tmp_path: Path) -> Iterator[Memory]:
    place = tmp_path / "memory.db"
    shutil.copyfile(year, place)
    with Memory.open(Config(memory=str(place)), clock=SteppedClock(NINE + 162 * DAY)) as memory:
        yield memory


def ceiling(memory: Memory, megabytes: float = 1e-6, **tiers: Any) -> Memory:
    """The same memory, opened with a ceiling; as it stands, one that cannot be reached."""
    place, clock = memory.env.config.memory, memory.env.clock
    rules = TierRules(ledger_megabytes=megabytes, **tiers)
    return Memory.open(Config(memory=place, tiers=rules), clock=clock)


def trim(user: UserMemory) -> dict[str, int]:
    outcome = user.env.do_night_job(SleepJob.RECONSOLIDATE, user.scope, user.env.clock.now())
    return dict(outcome.counts)


def words(user: UserMemory) -> dict[str, bool]:
    """Which events of agents still have their words, oldest first."""
    events = user.env.ledger.replay(user.scope, limit=10_000)
    recorded = [one for one in events if one.event_type not in RESERVED]
    return {one.event_id: not is_trimmed(one.payload) for one in recorded}


def trimmed(user: UserMemory) -> str:
    """The id of the first that has lost them."""
    return next(one for one, has in words(user).items() if not has)


def whole(user: UserMemory) -> str:
    return digest(user.env.graph.export(user.scope))


def truth(user: UserMemory) -> list[Event]:
    """What is not an agent's event, but for the entries of nights."""
    events = user.env.ledger.replay(user.scope, limit=10_000)
    return [one for one in events if one.event_type in RESERVED and "what" not in one.payload]


def test_without_a_ceiling_every_word_is_kept(lived: Memory) -> None:
    ada = lived.user("ada")
    assert "trimmed" not in trim(ada)
    assert all(words(ada).values())


def test_the_oldest_lose_their_words_until_the_ledger_is_under_its_ceiling(lived: Memory) -> None:
    ada = lived.user("ada")
    before, size = truth(ada), ada.env.ledger.size(ada.scope)
    with ceiling(lived, (size - 800) / 1024**2) as memory:
        user = memory.user("ada")
        assert trim(user)["trimmed"] == 4
        kept = list(words(user).values())
        assert kept == [True] + [False] * 4 + [True] * 10  # the pinned one is in the graph
        assert user.env.ledger.size(user.scope) <= size - 800
        assert truth(user) == before


def test_nothing_young_and_nothing_in_the_graph_is_trimmed(lived: Memory) -> None:
    with ceiling(lived, trim_after_days=1000) as memory:
        assert "trimmed" not in trim(memory.user("ada"))
    with ceiling(lived) as memory:
        trim(memory.user("ada"))
        assert sum(words(memory.user("ada")).values()) == 3  # the pinned ones


def test_killed_half_way_nothing_has_happened(lived: Memory) -> None:
    with ceiling(lived) as memory:
        user = memory.user("ada")
        before = list(user.env.ledger.replay(user.scope, limit=10_000))

        def die(decided: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            forget.trim(user.env, user.scope, user.env.clock.now(), die)
        assert list(user.env.ledger.replay(user.scope, limit=10_000)) == before


def test_twice_changes_nothing_and_a_rebuild_gives_the_same_graph(lived: Memory) -> None:
    before = whole(lived.user("ada"))
    with ceiling(lived) as memory:
        user = memory.user("ada")
        assert trim(user)["trimmed"] == 12
        after = user.env.ledger.last_seq(user.scope)
        assert trim(user) == {}
        assert user.env.ledger.last_seq(user.scope) == after
        assert whole(user) == before
        with memory.rebuild() as rebuilt:
            assert rebuilt.comparison.is_same, rebuilt.comparison
            rebuilt.switch()
        assert whole(memory.user("ada")) == before


def test_who_reads_the_ledger_is_told_and_an_id_is_still_known(lived: Memory) -> None:
    with ceiling(lived) as memory:
        user = memory.user("ada")
        trim(user)
        gone = trimmed(user)
        read = {one.event_id: one.payload for one in user.replay(consumer="mine", limit=100)}
        assert list(read[gone]) == ["remanent.trimmed"]
        assert not user.record("tool.called", {"text": "anew"}, event_id=gone).is_new
        page = user.read(gone)
        assert isinstance(page.node, EventNode)
        assert "trimmed on" in page.node.text
        assert [one.kind for one in page.links] == [LinkKind.SUMMARIZES]
        with pytest.raises(InvalidInput, match="left the ledger"):
            user.end_session("s0", agent_id="helper")


def test_what_is_erased_is_told_by_no_summary_either(lived: Memory) -> None:
    with ceiling(lived) as memory:
        user = memory.user("ada")
        trim(user)
        assert any("month 0" in one.text for one in user.summaries())
        user.erase(trimmed(user))
        said = [one.text for one in user.summaries()]
        said += [str(one.payload) for one in user.env.ledger.replay(user.scope)]
        assert not any("month 0" in one for one in said)
        with memory.rebuild() as rebuilt:
            assert rebuilt.comparison.is_same, rebuilt.comparison


def test_a_late_event_joins_what_stands_for_the_others(lived: Memory) -> None:
    with ceiling(lived) as memory:
        user = memory.user("ada")
        trim(user)
        before = next(one for one in user.summaries("episode", "s0") if one.agent_id == "helper")
        at = before.covers_to + timedelta(minutes=1)
        fields: dict[str, Any] = {"agent_id": "helper", "session_id": "s0", "occurred_at": at}
        user.record("tool.called", {"text": "The key was in the tea tin all along."}, **fields)
        user.work()
        assert isinstance(lived.env.clock, SteppedClock)
        lived.env.clock.move_to(lived.env.clock.now() + DAY)
        trim(user)
        told = next(one for one in user.summaries("episode", "s0") if one.key == before.key)
        assert (told.event_count, told.covers_to) == (before.event_count + 1, at)
        assert "month 0" in told.text
        with memory.rebuild() as rebuilt:
            assert rebuilt.comparison.is_same, rebuilt.comparison


def test_what_was_trimmed_moves_with_an_export(lived: Memory, tmp_path: Path) -> None:
    with ceiling(lived) as memory:
        user = memory.user("ada")
        trim(user)
        memory.export(tmp_path / "out.jsonl")
        target = Config(memory=str(tmp_path / "other.db"))
        with Memory.open(target, clock=memory.env.clock) as other:
            other.import_memory(tmp_path / "out.jsonl")
            assert words(other.user("ada")) == words(user)
            with other.rebuild() as rebuilt:
                assert rebuilt.comparison.is_same, rebuilt.comparison


def test_the_doctor_says_who_is_above_the_ceiling(lived: Memory) -> None:
    assert not [one for one in lived.doctor(offline=True).findings if one.part == "ledger"]
    with ceiling(lived) as memory:
        trim(memory.user("ada"))
        found = memory.doctor(offline=True).findings
        (ledger,) = [one for one in found if one.part == "ledger"]
        assert ledger.level is Level.WARN
        assert "ada" in ledger.told
    with ceiling(lived, 1.0) as memory:
        found = memory.doctor(offline=True).findings
        assert [one.level for one in found if one.part == "ledger"] == [Level.OK]
