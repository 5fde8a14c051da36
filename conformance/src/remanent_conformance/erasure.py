"""What everybody promises who takes things away for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import pytest

from remanent.core.model.event import (
    SOURCE_ACCEPTED,
    SOURCE_DECLINED,
    SOURCE_HIDDEN,
    USER_BLOCKED,
    ForgottenEvent,
)
from remanent.core.model.relationship import LinkKind
from remanent.core.ports.admin import ErasureStore
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import Records, Select
from remanent.core.records.access import AuditEntry
from remanent.core.registry import Registry
from remanent.core.visibility import Consents
from remanent_conformance.builders import (
    MOMENT,
    a_job,
    a_link,
    a_note,
    a_person,
    a_scope,
    a_source,
    a_user,
    an_entry,
    an_event,
    an_extraction,
)

ANN, BOB = a_scope("ann"), a_scope("bob")
SAID = (
    (SOURCE_ACCEPTED, "one"),
    (SOURCE_HIDDEN, "two"),
    (SOURCE_DECLINED, "one"),
    (USER_BLOCKED, "ann"),
)


class LedgerErasure:
    """Part of `LedgerContract`: the one way in which a ledger loses anything."""

    def test_erased_events_are_gone_and_no_other_moves(self, ledger: Ledger) -> None:
        events = [ledger.append(an_event(f"event-{n}", user="ann"))[0] for n in range(3)]
        theirs, _ = ledger.append(an_event("event-1", user="bob"))
        assert ledger.erase(ANN, ["event-1", "event-9"]) == 1
        assert ledger.erase(ANN, ["event-1"]) == 0
        assert ledger.event(ANN, "event-1") is None
        assert list(ledger.replay(ANN)) == [events[0], events[2]]
        assert ledger.event(BOB, "event-1") == theirs
        later, is_new = ledger.append(an_event("event-1", user="ann"))
        assert is_new
        assert later.seq > theirs.seq  # no place is given twice

    def test_a_payload_can_be_amended_and_nothing_else(self, ledger: Ledger) -> None:
        event, _ = ledger.append(an_event("event-1", user="ann", payload={"sources": ["a", "b"]}))
        fresh = replace(event, payload={"sources": ["b"]}, occurred_at=MOMENT - timedelta(days=9))
        assert ledger.amend(ANN, fresh)
        amended = ledger.event(ANN, "event-1")
        assert amended == replace(event, payload={"sources": ["b"]})
        assert not ledger.amend(BOB, fresh)
        assert not ledger.amend(ANN, replace(event, event_id="event-9"))

    def test_events_are_told_by_their_types(self, ledger: Ledger) -> None:
        kinds = ("source.erased", "message", "source.erased", "isn't ours")
        events = [
            ledger.append(an_event(f"event-{n}", user="ann", event_type=kind))[0]
            for n, kind in enumerate(kinds)
        ]
        assert list(ledger.replay(ANN, types=("source.erased",))) == [events[0], events[2]]
        assert list(ledger.replay(ANN, types=kinds[1:])) == events
        assert list(ledger.replay(ANN, types=kinds[2:], after=events[0].seq)) == events[2:]
        assert list(ledger.replay(BOB, types=("source.erased",))) == []


class Stores(Protocol):
    """Stores of one memory, and who may take things from all of them."""

    @property
    def graph(self) -> Graph: ...
    @property
    def index(self) -> Index: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def records(self) -> Records: ...
    @property
    def erasing(self) -> tuple[ErasureStore, ...]: ...


def traces(stores: Stores, words: list[str], *, truth: bool = False) -> Counter[str]:
    """What is left of these words, wherever it lies."""
    found = (store.traces(words, truth=truth) for store in stores.erasing)
    return sum(map(Counter, found), Counter())


class ErasureContract:
    """Override `new_stores`."""

    @pytest.fixture
    def new_stores(self) -> Callable[[], Stores]:
        raise NotImplementedError("a function that makes empty stores")

    @pytest.fixture
    def stores(self, new_stores: Callable[[], Stores]) -> Stores:
        return new_stores()

    def test_readers_are_all_who_have_something_of_a_source(self, stores: Stores) -> None:
        source = a_source(user="ann", participants=("ann", "bob"))
        stores.graph.put(ANN, source)
        assert stores.graph.readers(source.key) == ["ann"]
        stores.graph.put_extraction(BOB, an_extraction(source.key))
        assert stores.graph.readers(source.key) == ["ann", "bob"]
        assert stores.graph.readers("nothing") == []

    def test_what_was_said_of_it_goes_with_it(self, stores: Stores) -> None:
        seqs = []
        for kind, about in SAID:
            payload = {"user_id" if kind == USER_BLOCKED else "source_key": about}
            event = an_event(f"{kind} {about}", user="bob", event_type=kind, payload=payload)
            seqs.append(stores.ledger.append(event)[0].seq)
        known = stores.registry.consents("bob")
        assert (known.hidden, known.declined) == (frozenset({"two"}), frozenset({"one"}))
        assert known.blocked_now == {"ann"}
        assert stores.registry.consents("bob", before=seqs[1]).hidden == set()
        assert stores.ledger.change_consents(["one", "ann"]) == 3
        assert stores.registry.consents("bob") == Consents(hidden=frozenset({"two"}))
        assert stores.ledger.change_consents(["two"], "a mark") > 0
        assert stores.registry.consents("bob") == Consents(hidden=frozenset({"a mark"}))
        assert stores.ledger.change_consents(["two"], "three") == 0
        assert stores.registry.consents("nobody") == Consents()

    def test_keys_are_the_callers_own(self, stores: Stores) -> None:
        mine, theirs = a_person(user="ann"), a_person(user="bob")
        stores.graph.put(ANN, mine)
        stores.graph.put(BOB, theirs)
        assert stores.graph.dates(ANN).kinds == {mine.key: "person"}

    def test_dates_come_back_as_they_were(self, stores: Stores) -> None:
        source, person = a_source(user="ann"), a_person(user="ann")
        stores.graph.put(ANN, source)
        stores.graph.put(ANN, person)
        stores.graph.link(ANN, a_link(source.key, person.key, kind=LinkKind.MENTIONS, user="ann"))
        before = stores.graph.dates(ANN)
        later = person.updated_at + timedelta(days=3)
        stores.graph.put(ANN, replace(person, updated_at=later))
        assert stores.graph.dates(ANN) != before
        stores.graph.redate(ANN, before)
        assert stores.graph.dates(ANN) == before
        stores.graph.redate(BOB, replace(before, things={person.key: (later, later)}))
        assert stores.graph.dates(ANN) == before

    def test_the_trace_of_what_is_let_go_can_be_struck(self, stores: Stores) -> None:
        trace = ForgottenEvent(key="event", event_id="e1", summary_key="summary")
        for one in (replace(trace, summary_key="earlier"), trace):
            stores.records.put(ANN, one)

        assert stores.records.get(ANN, ForgottenEvent, "event") == trace
        begins = Select(ForgottenEvent, {"key >=": "eve", "key <": "eve~"})
        assert stores.records.find(ANN, begins) == [trace]
        assert stores.records.find(BOB, begins) == []
        here = Select(ForgottenEvent, {"key": ["event", "unknown"]})
        assert stores.records.delete(BOB, here) == 0
        assert stores.records.delete(ANN, here) == 1

    def test_jobs_that_name_it_are_struck(self, stores: Stores) -> None:
        stores.queue.enqueue(a_job("process:s-1", user="ann", payload={"source_key": "s-1"}))
        stores.queue.enqueue(a_job("extract:s-2", user="ann", payload={"source_key": "s-2"}))
        assert stores.queue.strike(["s-1"]) == 1
        assert [one.key for one in stores.queue.jobs()] == ["extract:s-2"]

    def test_a_user_goes_with_all_of_theirs_and_nothing_else(self, stores: Stores) -> None:
        for user, scope in (("ann", ANN), ("bob", BOB)):
            person = a_person(user=user)
            stores.registry.put_user(a_user(user))
            stores.graph.put(scope, person)
            stores.graph.add_note(scope, a_note(person.key, user=user))
            stores.index.put([an_entry(person.key, "cello", readers=person.readers)])
            stores.ledger.append(an_event("event-1", user=user))
            stores.queue.enqueue(a_job(f"job-{user}", user=user))
        entry = AuditEntry(
            seq=0, at=MOMENT, actor="ann", act="joined", subject="ann", detail={"by": "ann"}
        )
        stores.records.put(None, entry)
        gone = Counter[str]()
        for store in stores.erasing:
            gone.update(store.strike_user(ANN, "somebody"))
        assert gone["nodes"] == gone["events"] == gone["users"] == gone["jobs"] == 1
        assert stores.registry.user("ann") is None
        (entry,) = stores.records.find(None, Select(AuditEntry))
        assert (entry.actor, entry.subject) == ("somebody", "somebody")
        assert entry.detail == {"by": "somebody"}
        assert stores.graph.dates(ANN).kinds == {}
        assert stores.ledger.last_seq(ANN) == 0
        assert stores.index.match(ANN, "cello", kinds=(), limit=5) == []
        assert len(stores.graph.dates(BOB).kinds) == 1
        assert stores.ledger.event(BOB, "event-1") is not None
        assert len(stores.index.match(BOB, "cello", kinds=(), limit=5)) == 1
        assert traces(stores, ["ann"]) == {}

    def test_traces_are_found_wherever_they_are(self, stores: Stores) -> None:
        assert traces(stores, ["zebracanary"]) == {}
        event = an_event("event-1", user="ann", payload={"text": "zebracanary in the yard"})
        stores.ledger.append(event)
        stores.graph.put(ANN, a_person("Maria", user="ann", description="likes zebracanary"))
        assert traces(stores, ["zebracanary"]).total() == 2
        assert traces(stores, ["zebracanary"], truth=True).total() == 1

    def test_no_byte_is_left_of_what_was_taken_away(self, stores: Stores) -> None:
        person = a_person("Zebracanary", user="ann")
        stores.graph.put(ANN, person)
        stores.index.put([an_entry(person.key, "zebracanary", readers=person.readers)])
        stores.graph.remove(ANN, person.key)
        stores.index.remove([person.key])
        words = ["Zebracanary", "zebracanari", "zebracanary"]
        assert [one for one in stores.erasing if not one.compact()] == []
        assert [one.files(words).places for one in stores.erasing] == [0] * len(stores.erasing)
