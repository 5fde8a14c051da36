"""A belief that was imported goes with whom it tells of, and what it had replaced stands again."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief
from remanent.core.read import own

KEY = "11111111-1111-4111-8111-111111111111"


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))


@pytest.fixture
def ada(tmp_path: Path, clock: SteppedClock) -> Iterator[UserMemory]:
    with Memory.open(tmp_path / "memory.db", clock=clock) as memory:
        ada = memory.user("ada", name="Ada Lind")
        ada.add("Ana Costa lives in Bergen.", type="text-note")
        ada.remember("I live in Oslo.")
        memory.work()
        clock.advance(timedelta(hours=7))
        yield ada


def imported(ada: UserMemory, statement: str, clock: SteppedClock) -> None:
    at = clock.now().isoformat()
    line = {"statement": statement, "key": KEY, "user_id": "bob", "subject": "owner"}
    times = {"since": at, "created_at": at, "updated_at": at}
    ada.import_beliefs(io.StringIO(json.dumps({**line, **times}) + "\n"))
    clock.advance(timedelta(hours=7))


def person(ada: UserMemory, name: str) -> str:
    return next(one.key for one in own(ada.env, ada.scope, Person) if one.name == name)


def test_an_imported_belief_goes_with_the_person_it_tells_of(
    ada: UserMemory, clock: SteppedClock
) -> None:
    imported(ada, "Actually Ana Costa sold it all in Oslo.", clock)
    ada.erase(person(ada, "Ana Costa"))

    assert [one.statement for one in own(ada.env, ada.scope, Belief)] == ["I live in Oslo."]
    assert "sold it all" not in str([hit.text for hit in ada.search("who sold it all in Oslo?")])


def test_what_names_nobody_who_goes_stays_as_it_was_imported(
    ada: UserMemory, clock: SteppedClock
) -> None:
    imported(ada, "My boat lies in Hamar.", clock)
    ada.erase(person(ada, "Ana Costa"))

    held = sorted(one.statement for one in own(ada.env, ada.scope, Belief))
    assert held == ["I live in Oslo.", "My boat lies in Hamar."]
