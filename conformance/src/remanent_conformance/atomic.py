"""What every block of all or nothing promises, over the stores that it spans."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

import numpy as np
import pytest

from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Atomic, Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import Records
from remanent_conformance.builders import a_job, a_person, a_scope, an_entry, an_event
from remanent_conformance.index import DIMENSIONS

ANN = a_scope("ann")
VECTOR = np.ones(DIMENSIONS, dtype=np.float32)


class Spanned(Protocol):
    """The stores that one `atomic` covers."""

    @property
    def atomic(self) -> Atomic: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def index(self) -> Index: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def records(self) -> Records: ...


class Oops(Exception):
    """What the tests break off with."""


def write_all(stores: Spanned, number: int = 1) -> None:
    """One write to each store."""
    person = a_person(f"Person {number}")
    stores.ledger.append(an_event(f"event-{number}"))
    stores.graph.put(ANN, person)
    stores.index.put([an_entry(person.key, "tea", VECTOR)])
    stores.queue.enqueue(a_job(f"job-{number}"))


def row_counts(stores: Spanned) -> tuple[int, int, int, int, int]:
    """How much is in each store."""
    return (
        len(list(stores.ledger.replay(ANN))),
        stores.graph.counts(ANN)["person"],
        len(stores.index.near(ANN, VECTOR, kinds=(), limit=99)),
        len(stores.index.match(ANN, "tea", kinds=(), limit=99)),
        len(stores.queue.jobs()),
    )


def break_off(stores: Spanned, step: Callable[[], None], *, durable: bool = False) -> None:
    """A block that fails after `step`."""
    with stores.atomic(durable=durable):
        step()
        raise Oops


class AtomicContract:
    """Override `new_stores`; the index has 8 dimensions."""

    @pytest.fixture
    def new_stores(self) -> Callable[[], Spanned]:
        raise NotImplementedError("a function that makes empty stores")

    @pytest.fixture
    def stores(self, new_stores: Callable[[], Spanned]) -> Spanned:
        return new_stores()

    @pytest.mark.parametrize("durable", [True, False])
    def test_a_block_that_ends_well_has_written_all(
        self, stores: Spanned, *, durable: bool
    ) -> None:
        with stores.atomic(durable=durable):
            write_all(stores)
        assert row_counts(stores) == (1, 1, 1, 1, 1)

    @pytest.mark.parametrize("durable", [True, False])
    def test_a_block_that_fails_has_written_nothing(
        self, stores: Spanned, *, durable: bool
    ) -> None:
        write_all(stores, 1)
        with pytest.raises(Oops):
            break_off(stores, lambda: write_all(stores, 2), durable=durable)
        assert row_counts(stores) == (1, 1, 1, 1, 1)
        write_all(stores, 3)
        assert row_counts(stores) == (2, 2, 2, 2, 2)

    def test_inside_the_block_its_own_writes_are_seen(self, stores: Spanned) -> None:
        inside = []

        def step() -> None:
            write_all(stores)
            inside.append(row_counts(stores))

        with pytest.raises(Oops):
            break_off(stores, step)
        assert inside == [(1, 1, 1, 1, 1)]
        assert row_counts(stores) == (0, 0, 0, 0, 0)

    def test_an_inner_block_joins_the_outer(self, stores: Spanned) -> None:
        def step() -> None:
            with stores.atomic(durable=True):
                write_all(stores, 1)
            write_all(stores, 2)

        with pytest.raises(Oops):
            break_off(stores, step)
        assert row_counts(stores) == (0, 0, 0, 0, 0)
        with stores.atomic():
            step()
        assert row_counts(stores) == (2, 2, 2, 2, 2)

    def test_an_inner_block_that_fails_leaves_nothing_of_itself(self, stores: Spanned) -> None:
        with stores.atomic():
            write_all(stores, 1)
            with pytest.raises(Oops):
                break_off(stores, lambda: write_all(stores, 2))
            assert row_counts(stores) == (1, 1, 1, 1, 1)
        assert row_counts(stores) == (1, 1, 1, 1, 1)

    def test_what_was_found_in_an_inner_block_that_fails_is_not_found_again(
        self, stores: Spanned
    ) -> None:
        def step() -> None:
            write_all(stores, 2)
            assert row_counts(stores) == (2, 2, 2, 2, 2)

        def near_keys() -> set[str]:
            return {one.key for one in stores.index.near(ANN, VECTOR, kinds=(), limit=99)}

        with stores.atomic():
            write_all(stores, 1)
            with pytest.raises(Oops):
                break_off(stores, step)
            write_all(stores, 3)  # it comes where the second was
            assert near_keys() == {a_person(f"Person {number}").key for number in (1, 3)}
        assert near_keys() == {a_person(f"Person {number}").key for number in (1, 3)}

    def test_what_a_failed_block_removed_is_still_there(self, stores: Spanned) -> None:
        write_all(stores)
        key = a_person("Person 1").key
        inside = []

        def step() -> None:
            stores.graph.remove(ANN, key)
            stores.index.remove([key])
            inside.append(row_counts(stores))

        with pytest.raises(Oops):
            break_off(stores, step)
        assert inside == [(1, 0, 0, 0, 1)]
        assert row_counts(stores) == (1, 1, 1, 1, 1)

    def test_a_position_stands_with_what_it_tells_of(self, stores: Spanned) -> None:
        def step() -> None:
            stores.graph.position(ANN, "in the graph", to=5)
            stores.ledger.position(ANN, "in the ledger", to=5)

        with pytest.raises(Oops):
            break_off(stores, step)
        assert stores.graph.position(ANN, "in the graph") == 0
        assert stores.ledger.position(ANN, "in the ledger") == 0
        step()
        assert stores.graph.position(ANN, "in the graph") == 5
        assert stores.ledger.position(ANN, "in the ledger") == 5

    def test_blocks_of_several_threads_do_not_mix(self, stores: Spanned) -> None:
        def write_or_break(number: int) -> None:
            with suppress(Oops):
                if number % 2:
                    break_off(stores, lambda: write_all(stores, number))
                else:
                    write_all(stores, number)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(write_or_break, range(24)))
        assert row_counts(stores) == (12, 12, 12, 12, 12)
