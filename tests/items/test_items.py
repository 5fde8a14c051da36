"""Items: kept by namespace and key, in the ledger first, and in nobody else's sight."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.ports.records import Select
from remanent.core.records.item import Item, Put
from remanent.errors import EmbedderError, InvalidInput
from remanent.items.api import ItemStore
from remanent.items.read import ItemQuery
from remanent.items.rules import NamespaceQuery
from remanent.testing import HashEmbedder, ScriptedMind

MINUTE = timedelta(minutes=1)


def put(shelf: ItemStore, key: str, value: dict[str, Any] | None, **fields: Any) -> None:
    shelf.put([Put(namespace=fields.pop("at", ("a",)), key=key, value=value, **fields)])


def keys(shelf: ItemStore, **asked: Any) -> list[str]:
    return [one.item.key for one in shelf.search(ItemQuery(**asked))]


def test_an_item_outlives_the_process(memory: Memory, ada: UserMemory, tmp_path: Path) -> None:
    put(ada.shelf(), "k", {"theme": "dark"})
    memory.close()
    with Memory.open(tmp_path / "memory.db", mind=ScriptedMind(), embedder=HashEmbedder()) as again:
        found = again.user("ada").shelf().get(("a",), "k")
    assert found is not None
    assert found.value == {"theme": "dark"}


def test_an_item_keeps_its_birthday(ada: UserMemory, clock: SteppedClock) -> None:
    put(ada.shelf(), "k", {"v": 1})
    born = clock.now()
    clock.advance(MINUTE)
    put(ada.shelf(), "k", {"v": 2})
    found = ada.shelf().get(("a",), "k")
    assert found is not None
    assert (found.created_at, found.updated_at) == (born, clock.now())


def test_all_of_a_batch_happens_or_nothing(ada: UserMemory) -> None:
    good = Put(namespace=("a",), key="good", value={})
    with pytest.raises(InvalidInput, match="value"):
        ada.shelf().put([good, Put(namespace=("a",), key="bad", value={"x": {1j}})])
    assert keys(ada.shelf()) == []
    assert ada.status().events == 1  # her registration


def test_deleting_what_is_not_there_writes_nothing(ada: UserMemory) -> None:
    before = ada.status().events
    put(ada.shelf(), "k", None)
    assert ada.status().events == before


def test_items_are_one_users_and_one_rooms(memory: Memory, ada: UserMemory) -> None:
    put(ada.shelf(), "k", {"text": "secret canary"})
    bob = memory.user("bob").shelf()
    assert bob.get(("a",), "k") is None
    assert keys(bob) == []
    assert bob.namespaces(NamespaceQuery()) == []
    assert keys(ada.shelf("other")) == []


def test_items_are_no_part_of_what_is_remembered(ada: UserMemory) -> None:
    put(ada.shelf(), "k", {"text": "The kettle is green"})
    ada.work()
    assert ada.search("kettle") == []
    assert ada.recall("kettle") == []
    assert ada.jobs() == []


def test_what_expired_is_swept_and_told_to_the_ledger(ada: UserMemory, clock: SteppedClock) -> None:
    shelf = ada.shelf()
    put(shelf, "short", {}, ttl_minutes=1)
    put(shelf, "long", {}, ttl_minutes=3)
    put(shelf, "ever", {})
    clock.advance(MINUTE)
    assert keys(shelf, omit_expired=True) == ["ever", "long"]
    assert shelf.get(("a",), "short", omit_expired=True) is None
    assert shelf.get(("a",), "short") is not None
    before = ada.status().events
    assert shelf.sweep() == 1
    assert shelf.sweep() == 0
    assert ada.status().events == before + 1
    assert keys(shelf) == ["ever", "long"]


def test_reading_prolongs_a_life_where_that_is_asked(ada: UserMemory, clock: SteppedClock) -> None:
    shelf = ada.shelf()
    for key in ("read", "found", "left"):
        put(shelf, key, {"key": key}, ttl_minutes=2)
    clock.advance(MINUTE)
    shelf.get(("a",), "read", prolong=True)
    shelf.get(("a",), "left")
    shelf.search(ItemQuery(filter={"key": "found"}, prolong=True))
    clock.advance(MINUTE)
    assert shelf.sweep() == 1
    assert sorted(keys(shelf)) == ["found", "read"]


def test_what_was_put_without_a_lens_can_be_seen_later(ada: UserMemory) -> None:
    shelf = ada.shelf()
    put(shelf, "one", {"text": "red apple"})
    put(shelf, "hidden", {"text": "red pear"}, paths=())
    (unseen,) = shelf.unseen("lens")
    assert unseen.key == "one"
    shelf.see("lens", [(unseen, {"text": np.array([1, 0], dtype=np.float32)})])
    assert shelf.unseen("lens") == []
    question = np.array([3, 4], dtype=np.float32)
    found = shelf.search(ItemQuery(lens="lens", vector=question))
    assert [(one.item.key, one.score) for one in found] == [("one", 0.6), ("hidden", None)]
    with pytest.raises(EmbedderError):
        shelf.search(ItemQuery(lens="lens", vector=np.ones(3, dtype=np.float32)))


@pytest.mark.parametrize("field", ["limit", "offset"])
def test_how_many_is_a_whole_number(ada: UserMemory, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        ada.shelf().search(ItemQuery(**{field: -1}))


class TestRebuilding:
    def test_items_are_derived_again(
        self, memory: Memory, ada: UserMemory, clock: SteppedClock
    ) -> None:
        shelf = ada.shelf()
        put(shelf, "kept", {"text": "red"}, paths=("text",), ttl_minutes=9)
        put(shelf, "gone", {})
        put(shelf, "swept", {}, ttl_minutes=1)
        clock.advance(MINUTE)
        put(shelf, "kept", {"text": "blue"}, paths=("text",), ttl_minutes=9)
        put(shelf, "gone", None)
        shelf.sweep()
        clock.advance(MINUTE)
        shelf.get(("a",), "kept", prolong=True)
        (seen,) = shelf.unseen("lens")
        shelf.see("lens", [(seen, {"text": np.array([1, 0], dtype=np.float32)})])
        before = shelf.search(ItemQuery())
        rebuilt = memory.rebuild()
        assert rebuilt.comparison.is_same, rebuilt.comparison.samples
        assert rebuilt.comparison.tallies["item"].same == 1
        rebuilt.switch()
        assert shelf.search(ItemQuery()) == before
        assert shelf.unseen("lens") == []

    def test_an_item_that_is_lost_comes_back(self, memory: Memory, ada: UserMemory) -> None:
        put(ada.shelf(), "k", {"v": 1})
        stores = memory.env.stores
        stores.records.delete(ada.scope, Select(Item))
        assert keys(ada.shelf()) == []
        rebuilt = memory.rebuild()
        assert rebuilt.comparison.tallies["item"].added == 1
        rebuilt.switch()
        assert keys(ada.shelf()) == ["k"]
