"""Blocks of shelves hold words and vectors a second time: what is erased goes from them, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from test_erase_all import World, bytes_of

from remanent.core.model.scope import Scope
from remanent.stores.engine import blocks
from remanent.stores.engine.planes import Planes
from remanent.stores.engine.vectors import unit_rows
from remanent.stores.sqlite.database import SqliteDatabase

CREW = frozenset({"crew"})


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LEAST", 2)
    monkeypatch.setattr(blocks, "_MOST", 8)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    one = World(tmp_path / "memory.db")
    yield one
    one.memory.close()


def again(world: World) -> World:
    """The memory in a process of its own, as it were: what it searches for comes of the file."""
    world.memory.close()
    return World(world.path)


def coarse(world: World, key: str) -> bytes:
    """The vector of its first passage as a block has it."""
    scope = Scope(user_id="bob", teams=CREW)
    (passage, *_) = world.memory.env.graph.passages(scope, key)
    (vector,) = world.memory.env.index.vectors(scope, [passage.key]).values()
    return Planes.of(unit_rows(vector[np.newaxis])).coarse.tobytes()


def kept(world: World) -> bytes:
    """What the blocks hold."""
    database = SqliteDatabase(world.path, read_only=True)
    found = database.execute("SELECT data FROM shelf_blocks")
    database.close()
    return b"".join(data for (data,) in found)


def test_no_byte_of_a_source_that_was_erased_is_in_a_block_or_anywhere(world: World) -> None:
    for number in range(6):
        world.bob.add(f"Maria Berg: likes tea number{number}", team="crew")
    key = world.bob.add("Maria Berg: keeps a zebracanary in Kestrelton", team="crew")
    world.memory.work()
    world = again(world)
    shape = coarse(world, key)
    for user in (world.bob, world.ada):
        user.search("who keeps what")
    words = (b"zebracanari", b"kestrelton", key.encode())
    assert all(one in kept(world) for one in (*words, shape))  # the stem, as blocks have it
    assert kept(world).count(b'"number3"') >= 3

    world.bob.erase(key)

    assert not [one for one in (*words, shape) if one in kept(world)]
    assert not [one for one in (*words, b"zebracanary", shape) if one in bytes_of(world.path)]
    world = again(world)
    for user in (world.bob, world.ada):
        assert user.search("tea number3")
    assert b'"number3"' in kept(world)  # written again, without it
    assert not [one for one in (*words, b"zebracanary", shape) if one in bytes_of(world.path)]
    world.memory.close()


def test_no_byte_of_a_user_who_was_erased_is_in_a_block(world: World) -> None:
    for number in range(6):
        world.bob.add(f"Maria Berg: likes zebracanary number{number}")
        world.ada.add(f"Maria Berg: likes tea number{number}")
    world.memory.work()
    world = again(world)
    for user in (world.bob, world.ada):
        user.search("who likes what")
    assert b"zebracanari" in kept(world)

    world.memory.erase_user("bob")

    assert b'"number3"' in kept(world)
    assert b"zebracanar" not in kept(world)
    assert b"zebracanar" not in bytes_of(world.path)
    world.memory.close()
