"""Consent: whoever is named is asked, and what was put before them can be declined, blocked and hidden; each
step once or twice, on an open memory, a rebuilt one, one that was moved, and one that somebody was erased from."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from two_people import TwoPeople

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.codec import to_record
from remanent.core.model.job import JobState
from remanent.core.model.source import Source
from remanent.core.records.admin import Comparison
from remanent.errors import Conflict, Forbidden, InvalidInput, UnknownKey
from remanent.ingest.process import process_source
from remanent.ingest.shared import extract_job
from remanent.testing import HashEmbedder

WORD = "Quixworth"  # is asked for
SECRET = "Brixelle"  # is not, and stands beside it
SAID = f"Ada Lind lives in {WORD} by {SECRET} now. Bob Ek: the {WORD} plan is {SECRET}."


class Town(TwoPeople):
    def named(self, number: int = 0, **more: Any) -> str:
        self.clock.advance(timedelta(minutes=1))
        text = f"{SAID} Number {number}."
        return self.bob.add(text, participants=["ada"], title=f"Of {SECRET}", **more)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with Town.living(tmp_path, embedder=HashEmbedder()) as town:
        yield town


def told(ada: UserMemory) -> str:
    """All that somebody comes upon who does not ask what waits."""
    found = [
        ada.search(f"{WORD} plan", limit=50, include_archived=True, touch=False),
        ada.recall(WORD),
        ada.context(f"Where is {WORD}?", touch=False),
        ada.explore(f"{WORD}", text_matches=[WORD], touch=False),
        ada.cypher("MATCH (n) RETURN n").rows,
        ada.sources(include_archived=True),
        ada.beliefs(),
        ada.anchors(),
        ada.stories(),
    ]
    return str([to_record(one) for one in found])


def events(user: UserMemory) -> list[str]:
    types = (one.event_type for one in user.env.ledger.replay(user.scope))
    return [one for one in types if one.startswith("source.") or "block" in one]


def same(memory: Memory) -> Comparison:
    with memory.rebuild() as rebuilt:
        return rebuilt.comparison


# -- waiting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["work", "name"])
def test_until_it_is_accepted_nothing_of_it_is_seen(town: Town, first: str) -> None:
    key = town.named()
    if first == "work":
        town.work()

    assert SECRET not in told(town.ada)
    with pytest.raises(UnknownKey):
        town.ada.read(key)
    (waiting,) = town.ada.waiting()
    assert (waiting.key, waiting.contributed_by, waiting.contributor) == (key, "bob", "Bob Ek")

    assert town.ada.accept_source(key[:8]) == waiting
    town.work()
    assert SECRET in told(town.ada)
    assert town.ada.read(key).node.key == key
    assert town.ada.waiting() == []
    assert not town.ada.beliefs()
    before = events(town.ada)
    assert town.ada.accept_source(key) == waiting
    assert events(town.ada) == before == ["source.accepted"]


def test_an_acceptance_while_it_is_read_holds(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader had the source in hand as it was before."""
    key, env = town.named(), town.bob.env
    clean = type(env.mind).clean

    def accepted_meanwhile(*given: Any, **more: Any) -> Any:
        assert SECRET not in told(town.ada)
        town.ada.accept_source(key)
        return clean(*given, **more)

    monkeypatch.setattr(type(env.mind), "clean", accepted_meanwhile)
    process_source(env, town.bob.scope, key)
    assert WORD in str(to_record(town.ada.search(f"{WORD} plan")))
    assert town.bob.read(key).node.accepted == ("ada",)


def test_who_shares_a_team_is_not_asked(town: Town) -> None:
    town.share_a_team()
    key = town.named(sensitivity="high")
    town.work()

    assert town.ada.waiting() == []
    assert town.ada.read(key).node.key == key
    with pytest.raises(Conflict):
        town.ada.decline_source(key)


def test_an_id_that_nobody_has_looks_like_one_that_somebody_has(town: Town) -> None:
    keys = [town.bob.add(f"{SAID} {one}", participants=[one]) for one in ("ada", "nobody")]
    town.work()
    seen = [to_record(town.bob.read(one).node) for one in keys]

    assert [one["accepted"] for one in seen] == [[], []]
    later = town.memory.user("nobody", name="Late Comer")
    assert [one.key for one in later.waiting()] == [keys[1]]


def test_who_else_accepted_is_for_the_contributor_to_know(town: Town) -> None:
    eve = town.memory.user("eve", name="Eve")
    key = town.bob.add(SAID, participants=["ada", "eve"])
    for one in (town.ada, eve):
        one.accept_source(key)
    town.work()

    query = "MATCH (s:Source) RETURN properties(s)"
    assert town.bob.read(key).node.accepted == ("ada", "eve")
    for one in (town.ada, eve):
        assert one.read(key).node.accepted == (one.user_id,)
        (row,) = one.cypher(query).rows
        assert row[0].get("accepted", [one.user_id]) == [one.user_id]


def test_declined_is_gone_and_can_be_accepted_still(town: Town) -> None:
    key = town.named()
    town.work()
    for _ in range(2):
        town.ada.decline_source(key)
        assert town.ada.waiting() == []
    assert events(town.ada) == ["source.declined"]
    assert WORD not in str(to_record(town.ada.search(WORD)))

    town.ada.accept_source(key)
    assert WORD in str(to_record(town.ada.search(WORD)))
    with pytest.raises(Conflict):
        town.ada.decline_source(key)


def test_a_block_declines_what_waits_and_what_comes(town: Town) -> None:
    town.named(1)
    assert [town.ada.block("bob"), town.ada.block("bob")] == [True, False]
    town.share_a_team()
    later = town.named(2)
    town.work()

    assert town.ada.waiting() == []
    assert town.ada.blocked() == ["bob"]
    assert WORD not in str(to_record(town.ada.search(WORD)))
    assert [town.ada.unblock("bob"), town.ada.unblock("bob")] == [True, False]
    assert town.ada.waiting() == []
    town.named(3)
    assert SECRET in str(to_record(town.ada.sources()))
    town.ada.accept_source(later)
    assert events(town.ada) == ["user.blocked", "user.unblocked", "source.accepted"]


def test_whom_one_blocks_is_checked(town: Town) -> None:
    with pytest.raises(InvalidInput):
        town.ada.block("ada")
    assert town.ada.block("nobody")
    town.share_a_team()
    with pytest.raises(Forbidden):
        town.ada.within("crew").block("bob")


def test_nobody_answers_for_somebody_else(town: Town) -> None:
    key = town.named()
    eve = town.memory.user("eve", name="Eve")
    verbs: list[Callable[[str], Any]] = [
        eve.accept_source, eve.decline_source, eve.hide, eve.unhide,
        town.bob.accept_source, town.bob.decline_source,
    ]  # fmt: skip
    for verb in verbs:
        with pytest.raises(UnknownKey):
            verb(key)
    with pytest.raises(Conflict):
        town.bob.hide(key)


# -- hiding -------------------------------------------------------------------------------------


def adopted(town: Town) -> str:
    """A source of a common team that Ada's beliefs rest on."""
    town.share_a_team()
    key = town.bob.add(
        f"Tom Vance lives in {WORD}. I like {SECRET} and {WORD}.", team="crew", title=SECRET
    )
    town.work()
    town.ada.read(key)
    town.work()
    assert [one for one in town.ada.beliefs() if WORD in one.statement]
    return key


def test_a_hidden_source_is_not_there(town: Town) -> None:
    key = adopted(town)
    hidden = town.ada.hide(key)
    assert town.ada.hide(key[:8]) == hidden
    town.work()

    assert SECRET not in told(town.ada)
    with pytest.raises(UnknownKey):
        town.ada.read(key)
    assert town.ada.adopt("crew") == 0
    assert [one.key for one in town.ada.hidden()] == [key]
    held = [one for one in town.ada.beliefs() if one.status is BeliefStatus.ACTIVE]
    assert not held
    assert [one for one in town.bob.beliefs() if WORD in one.statement]
    assert same(town.memory).is_same

    assert town.ada.unhide(key) == town.ada.unhide(key)
    assert WORD in str(to_record(town.ada.search(WORD)))
    town.ada.redo(key)
    assert [one for one in town.ada.beliefs() if WORD in one.statement]
    assert events(town.ada)[-3:] == ["source.hidden", "source.shown", "source.extracted"]
    assert same(town.memory).is_same


@pytest.mark.parametrize("state", ["hidden", "gone", "personal"])
def test_a_job_from_before_draws_nothing(town: Town, state: str) -> None:
    town.share_a_team()
    team = None if state == "personal" else "crew"
    key = town.bob.add(f"Tom Vance lives in {WORD}.", team=team, participants=["ada"])
    town.work()
    source = town.bob.env.graph.get(town.bob.scope, key)
    assert isinstance(source, Source)
    town.ada.env.queue.enqueue(extract_job("ada", source, town.clock.now()))
    if state == "hidden":
        town.ada.hide(key)
    elif state == "gone":
        town.bob.remove_member("crew", "ada")
    town.work()

    assert not town.ada.beliefs()
    assert [one.name for one in town.ada.anchors()] == ["Ada Lind"]
    assert {one.state for one in town.ada.env.queue.jobs(user_id="ada")} <= {JobState.DONE}


def test_what_is_drawn_while_it_is_hidden_is_taken_back(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.share_a_team()
    key = town.bob.add(f"Tom Vance lives in {WORD}.", team="crew")
    town.work()
    town.ada.read(key)
    beliefs = type(town.ada.env.mind).beliefs

    def hidden_meanwhile(*given: Any, **more: Any) -> Any:
        town.ada.hide(key)
        return beliefs(*given, **more)

    monkeypatch.setattr(type(town.ada.env.mind), "beliefs", hidden_meanwhile)
    town.work()
    assert not town.ada.beliefs()


def test_another_s_personal_source_is_not_drawn_on_request(town: Town) -> None:
    key = town.named()
    town.work()
    town.ada.accept_source(key)
    with pytest.raises(Forbidden):
        town.ada.redo(key)


# -- what is kept of it -------------------------------------------------------------------------


def test_it_is_moved_with_the_memory(town: Town, tmp_path: Path) -> None:
    answers = itertools.cycle(("accept", "decline", "hide", "wait"))
    for number, answer in zip(range(4), answers, strict=False):
        key = town.named(number)
        if answer in ("accept", "hide"):
            town.ada.accept_source(key)
        if answer == "hide":
            town.ada.hide(key)
        if answer == "decline":
            town.ada.decline_source(key)
    town.ada.block("eve")
    town.work()
    whole = io.StringIO()
    town.memory.export(whole)
    assert same(town.memory).is_same

    clock = SteppedClock(town.clock.now())
    with Memory.open(tmp_path / "other.db", clock=clock, embedder=HashEmbedder()) as other:
        other.import_memory(io.StringIO(whole.getvalue()))
        there = other.user("ada")
        for verb in ("waiting", "hidden", "blocked", "sources"):
            assert getattr(there, verb)() == getattr(town.ada, verb)()


def test_what_is_erased_and_comes_again_stays_hidden_and_declined(town: Town) -> None:
    keys = [town.named(number) for number in range(3)]
    town.ada.accept_source(keys[0])
    town.ada.hide(keys[0])
    town.ada.decline_source(keys[1])
    town.ada.accept_source(keys[2])
    town.work()
    for key in keys:
        town.bob.erase(key)
    before = events(town.ada)
    assert not any(key in str(town.ada.env.ledger.replay(town.ada.scope)) for key in keys)
    assert (town.ada.hidden(), town.ada.waiting()) == ([], [])

    assert [town.named(number) for number in range(3)] == keys
    town.work()
    assert SECRET not in told(town.ada)
    assert [one.key for one in town.ada.waiting()] == keys[2:]
    assert events(town.ada) == before
    assert same(town.memory).is_same
    town.ada.accept_source(keys[0])
    town.work()
    assert SECRET not in told(town.ada)
    assert [one.key for one in town.ada.hidden()] == keys[:1]
    town.ada.accept_source(keys[1])
    town.work()
    assert SECRET in told(town.ada)


def test_it_stays_hidden_where_the_memory_has_moved_to(town: Town, tmp_path: Path) -> None:
    key = town.named()
    town.ada.accept_source(key)
    town.ada.hide(key)
    town.bob.erase(key)
    whole = io.StringIO()
    town.memory.export(whole)
    clock = SteppedClock(town.clock.now())
    with Memory.open(tmp_path / "other.db", clock=clock, embedder=HashEmbedder()) as other:
        other.import_memory(io.StringIO(whole.getvalue()))
        bob, ada = other.user("bob"), other.user("ada")
        assert bob.add(f"{SAID} Number 0.", participants=["ada"], title=f"Of {SECRET}") == key
        ada.accept_source(key)
        assert SECRET not in told(ada)
        assert [one.key for one in ada.hidden()] == [key]


def test_erasing_a_user_takes_what_was_said_of_them(town: Town) -> None:
    keys = [town.named(number) for number in range(3)]
    town.ada.accept_source(keys[0])
    town.ada.hide(keys[0])
    town.ada.decline_source(keys[1])
    town.work()

    town.bob.erase(keys[0])
    town.ada.block("bob")
    town.memory.erase_user("bob")
    assert events(town.ada) == []
    assert (town.ada.waiting(), town.ada.hidden(), town.ada.blocked()) == ([], [], [])


def test_whoever_is_erased_is_named_no_more(town: Town) -> None:
    keys = [town.named(number) for number in range(2)]
    town.ada.accept_source(keys[0])
    town.work()

    town.memory.erase_user("ada")
    for key in keys:
        node = town.bob.read(key).node
        assert (node.participants, node.accepted) == (("bob",), ())
    assert town.memory.user("ada", name="Another Ada").waiting() == []
    assert same(town.memory).is_same
