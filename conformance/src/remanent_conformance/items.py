"""What every store of items promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from remanent.core.ports.records import Items
from remanent.core.records.item import Item
from remanent.errors import Forbidden
from remanent_conformance.builders import MOMENT, a_scope

ANN, BOB = a_scope("ann"), a_scope("bob")
ROOM = "room"
MINUTE = timedelta(minutes=1)


def an_item(key: str = "k", *namespace: str, **fields: Any) -> Item:
    """An item of ann's; `at` minutes after the beginning."""
    at = MOMENT + MINUTE * fields.pop("at", 0)
    usual = Item(
        user_id="ann",
        room=ROOM,
        namespace=namespace or ("a",),
        key=key,
        value={"text": key},
        event_id=f"event-{namespace}-{key}-{at.isoformat()}",
        created_at=at,
        updated_at=at,
    )
    return replace(usual, **fields)


class ItemsContract:
    """Override `new_items`."""

    @pytest.fixture
    def new_items(self) -> Callable[[], Items]:
        raise NotImplementedError("a function that makes an empty store of items")

    @pytest.fixture
    def items(self, new_items: Callable[[], Items]) -> Items:
        return new_items()

    def test_an_item_comes_back_as_it_was_put(self, items: Items) -> None:
        kept = an_item(
            "«ключ» ",
            "a",
            "b\n",
            value={"n": 1.5, "list": [None, True, {"x": "\x00é🌍"}], "": {}},
            paths=("text", "list[*].x"),
            ttl_minutes=2.5,
            expires_at=MOMENT + MINUTE,
        )
        items.put(ANN, kept)
        assert items.item(ANN, ROOM, ("a", "b\n"), "«ключ» ") == kept
        assert items.item(ANN, ROOM, ("a", "b"), "«ключ» ") is None

    def test_a_second_put_takes_the_place_of_the_first(self, items: Items) -> None:
        items.put(ANN, an_item())
        items.put_vectors(ANN, an_item(), "lens", {"$": np.ones(2, dtype=np.float32)})
        items.put(ANN, an_item(value={"v": 2}, at=1))
        assert [one.value for one in items.within(ANN, ROOM)] == [{"v": 2}]
        assert items.vectors(ANN, ROOM, "lens") == {}

    def test_what_is_removed_is_gone(self, items: Items) -> None:
        items.put(ANN, an_item())
        assert items.remove(ANN, ROOM, ("a",), "k")
        assert not items.remove(ANN, ROOM, ("a",), "k")
        assert items.within(ANN, ROOM) == []

    def test_nobody_sees_or_writes_another_ones_items(self, items: Items) -> None:
        items.put(ANN, an_item(expires_at=MOMENT, ttl_minutes=1.0))
        items.put_vectors(ANN, an_item(), "lens", {"$": np.ones(2, dtype=np.float32)})
        assert items.item(BOB, ROOM, ("a",), "k") is None
        assert items.within(BOB, ROOM) == []
        assert items.namespaces(BOB, ROOM) == []
        assert items.expired(BOB, ROOM, MOMENT) == []
        assert items.vectors(BOB, ROOM, "lens") == {}
        assert not items.remove(BOB, ROOM, ("a",), "k")
        assert items.erase(BOB) == 0
        with pytest.raises(Forbidden):
            items.put(BOB, an_item())
        assert items.item(ANN, ROOM, ("a",), "k") is not None

    def test_rooms_are_apart(self, items: Items) -> None:
        items.put(ANN, an_item())
        items.put(ANN, an_item(room="other", event_id="other"))
        assert [one.room for one in items.within(ANN, "other")] == ["other"]
        assert items.item(ANN, "third", ("a",), "k") is None

    def test_a_prefix_is_whole_labels(self, items: Items) -> None:
        for path in (("foo",), ("foo", "x"), ("foobar",), ("Foo",), ('foo"',), ("foo,",), ("fo",)):
            items.put(ANN, an_item("k", *path))
        below = {one.namespace for one in items.within(ANN, ROOM, ("foo",))}
        assert below == {("foo",), ("foo", "x")}
        assert len(items.within(ANN, ROOM)) == 7
        assert items.within(ANN, ROOM, ("*",)) == []

    def test_the_newest_comes_first_page_by_page(self, items: Items) -> None:
        for number in range(5):
            items.put(ANN, an_item(str(number), at=number))
        keys = [one.key for one in items.within(ANN, ROOM, limit=2, offset=1)]
        assert keys == ["3", "2"]
        assert items.within(ANN, ROOM, limit=0) == []

    def test_namespaces_come_once_and_in_order(self, items: Items) -> None:
        for key, path in (("1", ("b",)), ("2", ("a", "x")), ("3", ("a",)), ("4", ("b",))):
            items.put(ANN, an_item(key, *path))
        assert items.namespaces(ANN, ROOM) == [("a",), ("a", "x"), ("b",)]

    def test_what_has_expired_can_be_left_out(self, items: Items) -> None:
        items.put(ANN, an_item("old", "x", expires_at=MOMENT))
        items.put(ANN, an_item("new", "y", expires_at=MOMENT + MINUTE))
        items.put(ANN, an_item("ever", "z"))
        assert [one.key for one in items.expired(ANN, ROOM, MOMENT)] == ["old"]
        assert {one.key for one in items.within(ANN, ROOM, alive_at=MOMENT)} == {"new", "ever"}
        assert items.namespaces(ANN, ROOM, alive_at=MOMENT) == [("y",), ("z",)]
        assert len(items.within(ANN, ROOM)) == 3

    def test_a_life_can_be_prolonged(self, items: Items) -> None:
        short = an_item("short", ttl_minutes=2.0, expires_at=MOMENT + MINUTE)
        for one in (short, an_item("ever")):
            items.put(ANN, one)
        items.prolong(ANN, [short, an_item("ever")], MOMENT + MINUTE)
        ends = {one.key: one.expires_at for one in items.within(ANN, ROOM)}
        assert ends == {"short": MOMENT + 3 * MINUTE, "ever": None}

    def test_vectors_come_back_by_lens_and_path(self, items: Items) -> None:
        one = an_item("one", "a", "b")
        items.put(ANN, one)
        items.put(ANN, an_item("blind"))
        items.put_vectors(ANN, one, "lens", {"x": np.array([1, 2], dtype=np.float32)})
        items.put_vectors(ANN, one, "lens", {"y": np.array([3, 4.5], dtype=np.float32)})
        items.put_vectors(ANN, an_item("blind"), "lens", {})
        vectors = items.vectors(ANN, ROOM, "lens")
        assert {key: list(made) for key, made in vectors.items()} == {
            one.event_id: ["y"],
            an_item("blind").event_id: [],
        }
        assert vectors[one.event_id]["y"].tolist() == [3.0, 4.5]
        assert items.vectors(ANN, ROOM, "lens", ("a", "b")).keys() == {one.event_id}
        assert items.vectors(ANN, ROOM, "other") == {}

    def test_what_was_written_anew_is_not_seen_as_it_was(self, items: Items) -> None:
        items.put(ANN, an_item(at=1))
        items.put_vectors(ANN, an_item(), "lens", {"x": np.ones(2, dtype=np.float32)})
        assert items.vectors(ANN, ROOM, "lens") == {}

    def test_erasure_takes_every_room(self, items: Items) -> None:
        items.put(ANN, an_item())
        items.put_vectors(ANN, an_item(), "lens", {"x": np.ones(2, dtype=np.float32)})
        items.put(ANN, an_item(room="other", event_id="other"))
        items.put(BOB, an_item(user_id="bob"))
        assert items.erase(ANN) == 2
        assert items.erase(ANN) == 0
        assert items.within(ANN, ROOM) == []
        assert items.vectors(ANN, ROOM, "lens") == {}
        assert len(items.within(BOB, ROOM)) == 1
