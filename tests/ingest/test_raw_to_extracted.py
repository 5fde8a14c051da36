"""The whole path, raw to extracted, with a mind whose answers we know."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.beliefs.remember import settle
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    Judgement,
    NoteDraft,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import ProcessingStatus, Source
from remanent.errors import MindError
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.testing import ScriptedMind
from remanent_conformance.builders import digest

TURNS = [
    {"speaker": "Ada", "text": "My sister Maria lives in Oslo.", "id": "t1"},
    {"speaker": "assistant", "text": "Nice city!", "id": "t2"},
    {"speaker": "Ada", "text": "She works at Telenor and loves skiing.", "id": "t3"},
]
SUBPOINTS = ("lives in Oslo", "works at Telenor", "loves skiing")


class Sister(ScriptedMind):
    """Finds Maria wherever she is named, and where she lives."""

    def extract(self, reading: Reading) -> list[Candidate]:
        if not any("Maria" in one.text for one in reading.passages):
            return []
        return [
            Candidate(kind=Kind.PERSON, name="Maria", confidence=8, subpoints=SUBPOINTS),
            Candidate(
                kind=Kind.ENTITY,
                name=self.town(reading),
                type="location",
                confidence=9,
                subpoints=SUBPOINTS,
            ),
            Candidate(kind=Kind.CONCEPT, name="skiing", confidence=5, subpoints=SUBPOINTS),
            Candidate(kind=Kind.ENTITY, name="Bus", confidence=9, subpoints=(), type="product"),
        ]

    def scripted_findings(self, reading: Reading, anchors: object) -> Findings:
        town = self.town(reading)
        if not any("Maria" in one.text for one in reading.passages):
            return Findings()
        return Findings(
            notes=(NoteDraft(anchor="Maria", content=f"Lives in {town}."),),
            relations=(
                RelationDraft(
                    src=town, dst="Maria", relationship_type="home", description=town, single=True
                ),
                RelationDraft(src="Maria", dst="Nobody", relationship_type="x", description="x"),
            ),
        )

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        return [
            BeliefDraft(statement=one.text, subject="maria", passage_key=one.key)
            for one in reading.passages
            if "Maria lives" in one.text
        ]

    @staticmethod
    def town(reading: Reading) -> str:
        return "Bergen" if any("Bergen" in one.text for one in reading.passages) else "Oslo"


@pytest.fixture
def mind() -> ScriptedMind:
    return Sister()


def person(ada: UserMemory, name: str) -> Person:
    return next(one for one in ada.anchors("person") if one.name == name)  # type: ignore[return-value]


def graph_digest(memory: Memory, user_id: str = "ada") -> str:
    env = memory.env
    return digest(env.graph.export(env.registry.scope_of(user_id)))


def test_a_source_becomes_extracted(ada: UserMemory) -> None:
    key = ada.add(TURNS)

    worked = ada.work()
    page = ada.read(key)

    assert (worked.done, worked.retried, worked.parked) == (3, 0, 0)
    assert isinstance(page.node, Source)
    assert page.node.processing_status is ProcessingStatus.EXTRACTED
    assert page.node.summary
    assert [(one.speaker, one.ref) for one in page.passages] == [
        ("Ada", "t1"),
        ("assistant", "t2"),
        ("Ada", "t3"),
    ]
    assert {page.titles[link.dst] for link in page.links if link.kind is LinkKind.MENTIONS} == {
        "Maria",
        "Oslo",
    }


def test_the_gates_hold(ada: UserMemory) -> None:
    ada.add(TURNS)
    ada.work()

    assert {one.name for one in ada.anchors()} == {"Ada Lindqvist", "Maria", "Oslo"}


def test_counters_move_with_sources_not_with_runs(memory: Memory, ada: UserMemory) -> None:
    oslo_evening = datetime(2026, 5, 1, 22, 30, tzinfo=UTC)  # already 2 May in Oslo
    key = ada.add(TURNS, started_at=oslo_evening)
    ada.work()
    ada.add([*TURNS, {"text": "More of Maria."}], started_at=oslo_evening + timedelta(hours=1))
    ada.work()
    env = memory.env
    extract_source(env, env.registry.scope_of("ada"), key, again=True)

    maria = person(ada, "Maria")

    assert maria.source_count == 2
    assert maria.distinct_days == (date(2026, 5, 2),)
    assert maria.first_mentioned_at == oslo_evening
    assert [note.content for note in ada.read(maria.key).notes] == ["Lives in Oslo."] * 2


def test_a_move_closes_one_edge_and_opens_another(ada: UserMemory, clock: SteppedClock) -> None:
    ada.add(TURNS)
    ada.work()
    moved = clock.advance(timedelta(days=9))
    ada.add("My sister Maria lives in Bergen.")
    ada.work()

    edges = ada.read(person(ada, "Maria").key).relationships

    assert [(one.description, one.valid_to) for one in edges] == [("Oslo", moved), ("Bergen", None)]
    assert {one.kind for one in edges} == {"associated_with"}


def test_a_move_told_late_takes_its_place_in_the_past(ada: UserMemory, clock: SteppedClock) -> None:
    ada.add("My sister Maria lives in Bergen.")
    ada.work()
    ada.add(TURNS, started_at=clock.now() - timedelta(days=30))
    ada.work()

    edges = ada.read(person(ada, "Maria").key).relationships

    assert [(one.description, one.valid_to) for one in edges] == [
        ("Oslo", clock.now()),
        ("Bergen", None),
    ]


def test_beliefs_are_drawn_from_sources(ada: UserMemory) -> None:
    key = ada.add(TURNS)
    ada.work()

    (belief,) = ada.beliefs()
    (evidence,) = ada.why(belief.key)

    assert belief.subject == "maria"
    assert (evidence.quote, evidence.speaker) == ("My sister Maria lives in Oslo.", "Ada")
    assert evidence.support.source_key == key
    about = [one for one in ada.read(belief.key).links if one.kind is LinkKind.ABOUT]
    assert [link.dst for link in about] == [person(ada, "Maria").key]


def test_every_phase_twice_changes_nothing(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    keys = [ada.add(TURNS), ada.add("A note of no importance.")]
    clock.advance(timedelta(days=1))
    keys.append(ada.add("My sister Maria lives in Bergen."))
    ada.work()
    ada.remember("Tom likes tea.", event_id="e1")
    before = graph_digest(memory)
    env = memory.env
    scope = env.registry.scope_of("ada")

    clock.advance(timedelta(days=3))
    for _ in range(2):
        for key in keys:
            process_source(env, scope, key)
            process_source(env, scope, key, again=True)
            extract_source(env, scope, key)
            extract_source(env, scope, key, again=True)
        ada.remember("Tom likes tea.", event_id="e1")
        settle(env, scope, "e1")
    ada.work()

    assert graph_digest(memory) == before


def test_a_failing_phase_is_retried_then_parked_and_says_why(
    memory: Memory, ada: UserMemory, clock: SteppedClock, mind: Sister
) -> None:
    broken = "the model fell over"

    def fail(reading: Reading) -> list[Candidate]:
        raise MindError(broken)

    key = ada.add(TURNS)
    mind.extract = fail  # type: ignore[method-assign]
    worked = ada.work()
    assert (worked.done, worked.retried) == (2, 1)
    for _ in range(10):
        clock.advance(timedelta(hours=1))
        ada.work()

    (parked,) = ada.jobs([JobState.PARKED])
    page = ada.read(key)

    assert broken in (parked.error or "")
    assert isinstance(page.node, Source)
    assert page.node.processing_status is ProcessingStatus.PROCESSED  # phase 1 stays usable
    assert ada.search("Telenor")[0].source_key == key

    del mind.extract
    assert memory.env.queue.wake(now=clock.now(), key=parked.key)
    assert ada.work().done == 1
    assert person(ada, "Maria")


def test_progress_tells_what_is_left(ada: UserMemory) -> None:
    ada.add(TURNS)
    steps = []

    ada.work(progress=steps.append)

    assert [(step.kind, step.remaining) for step in steps] == [
        ("process", 1),
        ("process", 1),
        ("extract", 0),
    ]


def test_a_limit_stops_the_work(memory: Memory, ada: UserMemory) -> None:
    ada.add(TURNS)

    assert memory.work(limit=1).done == 1
    assert memory.work().done == 2


@pytest.fixture
def bob(memory: Memory) -> UserMemory:
    return memory.user("bob")


def test_work_can_be_one_users(ada: UserMemory, bob: UserMemory) -> None:
    ada.add(TURNS)

    assert bob.work().done == 0
    assert ada.work().done == 3


def test_users_do_not_see_each_other(ada: UserMemory, bob: UserMemory) -> None:
    ada.add(TURNS)
    ada.remember("The safe opens with 4711.")
    ada.work()

    assert bob.search("Maria Oslo safe 4711") == []
    assert bob.recall("safe") == []
    assert bob.beliefs() == []
    assert [one.name for one in bob.anchors()] == ["bob"]


def test_a_late_belief_predates(ada: UserMemory, clock: SteppedClock, mind: Sister) -> None:
    mind.judgements = {("Maria lives in Oslo.", "Maria lives in Bergen."): Judgement.CONTRADICTS}
    ada.remember("Maria lives in Bergen.")

    settled = ada.remember("Maria lives in Oslo.", at=clock.now() - timedelta(days=60))

    assert settled.outcome == "predated"
    assert [one.statement for one in ada.beliefs()] == ["Maria lives in Bergen."]
    then = ada.beliefs(as_of=clock.now() - timedelta(days=30))
    assert [one.statement for one in then] == ["Maria lives in Oslo."]


def test_replaced_beliefs_keep_their_trail(
    ada: UserMemory, clock: SteppedClock, mind: Sister
) -> None:
    mind.judgements = {("Maria lives in Bergen.", "Maria lives in Oslo."): Judgement.CONTRADICTS}
    first = ada.remember("Maria lives in Oslo.")
    clock.advance(timedelta(days=10))

    settled = ada.remember("Maria lives in Bergen.")

    assert settled.outcome == "invalidated"
    assert settled.other is not None
    old = ada.read(first.belief.key).node
    assert isinstance(old, Belief)
    assert old.status is BeliefStatus.INVALIDATED
    assert old.superseded_by == settled.belief.key
    assert settled.belief.supersedes == old.key
    assert replace(old, life=settled.other.life) == settled.other
