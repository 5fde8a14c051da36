"""What every store promises that carries a memory from one place to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

import numpy as np
import pytest

from remanent.core.model.codec import to_record
from remanent.core.model.job import JobState
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import Source
from remanent.core.ports.admin import ExportStore, Numbered
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import Records
from remanent.core.records.access import Role, Team
from remanent.core.records.export import EMBEDDER, ExportRecord, Mark, RecordKind
from remanent.core.registry import Registry
from remanent.errors import InvalidInput
from remanent_conformance.builders import (
    MOMENT,
    a_job,
    a_link,
    a_passage,
    a_person,
    a_scope,
    a_source,
    a_user,
    an_event,
    an_extraction,
)

DIMENSIONS = 8
ANN, BOB = a_scope("ann", "crew"), a_scope("bob", "crew")


class Stores(Protocol):
    """What is carried, and what carries it."""

    @property
    def export(self) -> ExportStore: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def index(self) -> Index: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def records(self) -> Records: ...
    @property
    def registry(self) -> Registry: ...


def numbered(records: Iterable[ExportRecord]) -> list[Numbered]:
    return list(enumerate(records, start=2))


def entry_of(source: Source, key: str) -> Entry:
    """The source's passage, which says something of tea."""
    vector = np.linspace(0.1, 1, DIMENSIONS, dtype=np.float32)
    return Entry(
        key=key,
        kind=Kind.PASSAGE,
        owner_key=source.key,
        text="Coffee and tea agreed with everybody.",
        vector=vector,
        readers=source.readers,
        team=source.team,
    )


def embedder_of(stores: Stores) -> Mark | None:
    """Whose the vectors are, as the memory notes it."""
    return stores.records.get(None, Mark, EMBEDDER)


def export_lines(records: Iterable[ExportRecord]) -> list[object]:
    return [(one.sort, one.user_id, one.elsewhere, to_record(one.value)) for one in records]


class ExportContract:
    """Override `new_stores`; vectors have `DIMENSIONS` (8) dimensions, of an embedder called `hash`."""

    @pytest.fixture
    def new_stores(self) -> Callable[[], Stores]:
        raise NotImplementedError("a function that makes empty stores of one memory")

    @pytest.fixture
    def stores(self, new_stores: Callable[[], Stores]) -> Stores:
        """Ann's source, which is the crew's, and what Bob's mind made of it."""
        made = new_stores()
        made.registry.put_team(Team(team_id="crew", name="Crew", created_at=MOMENT))
        for user in ("ann", "bob"):
            made.registry.put_user(a_user(user))
            made.registry.join("crew", user, Role.MEMBER, MOMENT)
            made.ledger.append(an_event(user=user))
        source = a_source(key="s1", user="ann", team_id="crew", participants=("ann",))
        passage = a_passage(source, key="s1#0")
        made.graph.put(ANN, source)
        made.graph.put_passages(ANN, "s1", [passage])
        made.index.put([entry_of(source, passage.key)])
        made.graph.put(BOB, a_person(key="p1", user="bob"))
        made.graph.put_extraction(BOB, an_extraction("s1"))
        made.graph.link(BOB, a_link("s1", "p1", kind=LinkKind.MENTIONS, user="bob"))
        made.queue.enqueue(a_job("j1", user="bob"))
        return made

    def test_all_of_it_comes_back_as_it_was(
        self, stores: Stores, new_stores: Callable[[], Stores]
    ) -> None:
        other = new_stores()
        records = list(stores.export.dump(None))
        done = other.export.restore(numbered(records), embedder="hash", dimensions=DIMENSIONS)
        assert export_lines(other.export.dump(None)) == export_lines(records)
        assert sum(done.counts.values()) == len(records)
        assert (done.left_out, done.shifted) == ({}, 0)
        assert embedder_of(other) == embedder_of(stores) is not None
        for scope in (ANN, BOB):
            assert list(other.graph.export(scope)) == list(stores.graph.export(scope))
        ours, theirs = (one.index.vectors(BOB, ["s1#0"])["s1#0"] for one in (stores, other))
        assert ours.tobytes() == theirs.tobytes()
        assert other.registry.memberships("bob") == stores.registry.memberships("bob")

    def test_records_come_in_their_order(self, stores: Stores) -> None:
        order = list(RecordKind)
        places = [order.index(one.sort) for one in stores.export.dump(None)]
        assert places == sorted(places)

    def test_one_users_records_are_theirs(self, stores: Stores) -> None:
        for scope in (ANN, BOB):
            whose = {one.user_id for one in stores.export.dump(scope)}
            assert whose == {scope.user_id, None}  # teams are nobody's

    def test_what_hangs_on_anothers_source_says_so(
        self, stores: Stores, new_stores: Callable[[], Stores]
    ) -> None:
        records = list(stores.export.dump(BOB))
        away = [one.sort for one in records if one.elsewhere]
        assert away == [RecordKind.LINK, RecordKind.EXTRACTION]
        other = new_stores()
        done = other.export.restore(numbered(records), embedder="hash", dimensions=DIMENSIONS)
        assert done.left_out == {"link": 1, "extraction": 1}
        assert not any(one.elsewhere for one in stores.export.dump(ANN))

    def test_what_the_caller_may_not_see_is_not_there(self, stores: Stores) -> None:
        left = replace(BOB, teams=frozenset(), left=frozenset({"crew"}))
        assert not any(one.elsewhere for one in stores.export.dump(left))

    def test_nothing_that_is_there_is_touched(self, stores: Stores) -> None:
        records = numbered(stores.export.dump(None))
        before = export_lines(stores.export.dump(None))
        with pytest.raises(InvalidInput, match="line 2"):
            stores.export.restore(records, embedder="hash", dimensions=DIMENSIONS)
        assert export_lines(stores.export.dump(None)) == before

    def test_all_or_nothing(self, stores: Stores, new_stores: Callable[[], Stores]) -> None:
        other = new_stores()
        records = list(stores.export.dump(None))
        twice = numbered([*records, records[-1]])
        with pytest.raises(InvalidInput, match=f"line {len(records) + 2}"):
            other.export.restore(twice, embedder="hash", dimensions=DIMENSIONS)
        assert list(other.export.dump(None)) == []

    def test_the_ledger_counts_on_where_others_have_events(
        self, stores: Stores, new_stores: Callable[[], Stores]
    ) -> None:
        other = new_stores()
        other.registry.put_user(a_user("eve"))
        other.ledger.append(an_event(user="eve"))
        records = list(stores.export.dump(None))
        done = other.export.restore(numbered(records), embedder="hash", dimensions=DIMENSIONS)
        assert done.shifted == 1
        ours = [one.seq for one in stores.ledger.replay(BOB)]
        assert [one.seq for one in other.ledger.replay(BOB)] == [one + 1 for one in ours]

    def test_without_an_embedder_vectors_stay_behind(
        self, stores: Stores, new_stores: Callable[[], Stores]
    ) -> None:
        other = new_stores()
        other.export.restore(numbered(stores.export.dump(None)), embedder=None)
        assert embedder_of(other) is None
        assert other.index.vectors(BOB, ["s1#0"]) == {}
        for word in ("tea", "coffee", "agreed", "everybody"):
            matches = stores.index.match(BOB, word, kinds=(), limit=5)
            assert matches
            assert other.index.match(BOB, word, kinds=(), limit=5) == matches

    def test_who_is_at_a_job_stays_behind(self, stores: Stores) -> None:
        stores.queue.claim("w", key="j1", now=MOMENT, lease=MOMENT - MOMENT)
        (job,) = [one.value for one in stores.export.dump(None) if one.sort is RecordKind.JOB]
        assert (job.state, job.worker, job.lease_until) == (JobState.READY, None, None)
