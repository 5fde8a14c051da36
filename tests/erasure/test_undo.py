"""Undoing: a memory from which a source was taken back is one that never read it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import rebuilt
from effort import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plain_mind import PlainMind

from remanent import Memory, SteppedClock
from remanent.backup.rules import CIRCUMSTANCES, LIVED, stripped
from remanent.beliefs.believe import infer
from remanent.beliefs.believe import infer as _infer
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import SOURCE_UNDONE
from remanent.core.model.keys import key_for
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.read import every
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.process import process_source
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
WITHOUT = (
    CIRCUMSTANCES | LIVED | {"mind"}
)  # who read the source is told on the mark of an undone one


def judged(new: str, old: str) -> Judgement:
    """Statements that differ in their last word contradict each other; `anew` says the same."""
    one, other = (text.removesuffix(" anew").split() for text in (new, old))
    if one == other:
        return Judgement.SAME
    return Judgement.CONTRADICTS if one[:-1] == other[:-1] else Judgement.DIFFERENT


class Mind(PlainMind):
    def __init__(self) -> None:
        super().__init__(judgements=judged)

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        return [BeliefDraft(statement=one) for one in text.split("; ")]

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        told = [one for one in notes if one not in description]
        return " / ".join(filter(None, [description, *told]))


def brought(statement: str, number: int) -> str:
    """A belief as another memory wrote it, without a word of who said so."""
    at = (START + timedelta(hours=number)).isoformat()
    key = key_for("ada", "brought", str(number))
    times = dict.fromkeys(("since", "created_at", "updated_at"), at)
    return json.dumps({"key": key, "user_id": "ada", "statement": statement, **times})


class Life:
    """Ada's memory on a clock of its own; a step is a source, something to remember, or a belief that is
    brought from elsewhere."""

    def __init__(self, place: str = ":memory:") -> None:
        self.clock = SteppedClock(START)
        self.memory = Memory.open(place, clock=self.clock, mind=Mind(), embedder=HashEmbedder())
        self.ada = self.memory.user("ada", name="Ada Lindqvist")

    def live(self, steps: Sequence[str], *, unread: int | None = None) -> list[str]:
        keys = []
        for number, step in enumerate(steps):
            self.clock.move_to(START + timedelta(hours=number))
            if step.startswith("remember "):
                self.ada.remember(step.removeprefix("remember "), event_id=f"said-{number}")
                keys.append("")
                continue
            if step.startswith("bring "):
                self.ada.import_beliefs(io.StringIO(brought(step.removeprefix("bring "), number)))
                keys.append("")
                continue
            keys.append(self.ada.add(step, title=f"Step {number}"))
            if number == unread:
                self.ada.undo(keys[-1])
            self.memory.work()
        self.clock.move_to(START + timedelta(days=2))
        return keys

    def records(self) -> list[Mapping[str, Any]]:
        env = self.memory.env
        return list(env.graph.export(env.registry.scope_of("ada")))

    def digest(self) -> str:
        return digest(self.records(), without=WITHOUT)

    def found(self, text: str) -> set[str]:
        return {one.title for one in self.ada.search(text, limit=50)}


@pytest.fixture
def life() -> Iterator[Life]:
    one = Life()
    yield one
    one.memory.close()


def same_without(steps: Sequence[str], number: int) -> None:
    """Undone after all, or never read: the same memory."""
    one, other = Life(), Life()
    try:
        keys = one.live(steps)
        one.ada.undo(keys[number])
        other.live(steps, unread=number)
        assert _told(one) == _told(other)
        assert one.digest() == other.digest()
    finally:
        one.memory.close()
        other.memory.close()


def _told(life: Life) -> list[str]:
    return sorted(map(str, (stripped(one, WITHOUT) for one in life.records())))


OSLO = "It is so that Maria Berg lives near Oslo"
BERGEN = "It is so that Maria Berg lives near Bergen"
HAMAR, LYON = (BERGEN.replace("Bergen", place) for place in ("Hamar", "Lyon"))
TOM = "It is so that Tom Vance lives near Hamar"
NOTE = "Maria Berg: plays chess"


@pytest.mark.parametrize(
    ("steps", "number"),
    [
        pytest.param([NOTE, "Maria Berg: sings"], 0, id="a note and a mention"),
        pytest.param([NOTE, "Tom Vance: rows"], 0, id="somebody whom nothing else mentions"),
        pytest.param(
            ["Maria: sings", "Maria Berg: rows"], 1, id="a full name that settled another"
        ),
        pytest.param(["Maria Berg: rows", "Maria: sings"], 0, id="a name that another leant on"),
        pytest.param(
            ["Maria: sings", "Maria Berg: rows", "Maria Lund: swims"], 2, id="a name in the way"
        ),
        pytest.param(
            ["Maria: sings", "Maria Berg: rows", "Maria: swims"], 1, id="a full name two leant on"
        ),
        pytest.param(
            ["Sal: sings", "Maria Berg: rows", "Maria Berg aka Sal: swims", "Sal: runs"],
            2,
            id="another name",
        ),
        pytest.param(["Tom > home > Oslo", "Tom > home > Bergen"], 1, id="a move"),
        pytest.param(
            ["Tom > home > Oslo", "Tom > home > Bergen", "Tom > home > Hamar"], 1, id="between"
        ),
        pytest.param(["Tom > home > Oslo", "Tom > home > Oslo!"], 1, id="an end"),
        pytest.param([OSLO, NOTE], 0, id="the only word for a belief"),
        pytest.param([OSLO, f"{OSLO} anew"], 0, id="the first of two"),
        pytest.param([OSLO, f"{OSLO} anew"], 1, id="the second of two"),
        pytest.param([OSLO, BERGEN], 1, id="a replacement"),
        pytest.param([OSLO, BERGEN], 0, id="what was replaced"),
        pytest.param([OSLO, BERGEN, f"{OSLO} anew"], 1, id="what came between two of a mind"),
        pytest.param([OSLO, BERGEN, f"{BERGEN} anew"], 1, id="replaced by the second as well"),
        pytest.param(
            [f"remember {OSLO}", BERGEN, f"remember {OSLO} anew"],
            1,
            id="between what was remembered",
        ),
        pytest.param(
            [BERGEN, f"remember {OSLO}", f"bring {HAMAR} anew", f"remember {LYON} anew"],
            0,
            id="beside one that was brought and replaced",
        ),
        pytest.param(
            [f"remember {OSLO}; {TOM}", BERGEN, f"remember {TOM} anew; {OSLO} anew"],
            1,
            id="between what was remembered at once",
        ),
        pytest.param([OSLO, f"{OSLO} anew", f"remember {OSLO}", BERGEN], 3, id="a doubt"),
        pytest.param([OSLO, f"{OSLO} anew", f"remember {OSLO}", BERGEN], 0, id="doubt or end"),
    ],
)
def test_undone_is_never_read(steps: list[str], number: int) -> None:
    same_without(steps, number)


PLACES = st.sampled_from(["Oslo", "Bergen", "Hamar"])
PEOPLE = st.sampled_from(["Maria Berg", "Maria", "Tom Vance", "Dr Vance"])
LINES = st.one_of(
    st.builds("{}: likes {}".format, PEOPLE, PLACES),
    st.builds("{} > home > {}".format, PEOPLE, PLACES),
    st.builds("{} > friend > {}!".format, PEOPLE, PLACES),
    st.builds("It is so that {} lives near {}".format, PEOPLE, PLACES),
    st.builds("It is so that {} lives near {} anew".format, PEOPLE, PLACES),
)
SOURCES = st.lists(LINES, min_size=1, max_size=3, unique=True).map("\n".join)
TOLD = st.builds("It is so that {} lives near {}".format, PEOPLE, PLACES)
STEPS = st.one_of(
    SOURCES,
    st.builds("remember {}".format, TOLD),
    st.builds("remember {}; {}".format, TOLD, TOLD),
    st.builds("bring It is so that {} lives near {} anew".format, PEOPLE, PLACES),
)


@pytest.mark.slow
@settings(max_examples=times(20, 300), suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, max_size=4), SOURCES, st.lists(STEPS, max_size=4))
def test_undone_is_never_read_in_any_small_life(
    before: list[str], source: str, after: list[str]
) -> None:
    steps = [*before, source, *after]
    if steps.count(source) == 1:  # the same text again is the same source
        same_without(steps, len(before))


def test_it_takes_back_what_the_source_caused_and_leaves_the_source(life: Life) -> None:
    keys = life.live([f"{NOTE}\n{OSLO}\nMaria Berg > home > Oslo", "Maria Berg: sings"])
    undone = life.ada.undo(keys[0][:8])
    assert (undone.mentions, undone.notes, undone.assertions) == (2, 1, 1)
    assert undone.anchors == ("Oslo",)
    assert [one.statement for one in undone.beliefs.gone] == [OSLO]
    page = life.ada.read(keys[0])
    assert isinstance(page.node, Source)
    assert page.node.processing_status is ProcessingStatus.PROCESSED
    assert page.passages
    assert page.notes == ()
    assert page.extraction is not None
    assert page.extraction.is_undone
    assert life.ada.beliefs() == []
    assert [one.name for one in life.ada.anchors("entity")] == []
    (maria,) = (one for one in life.ada.anchors("person") if one.name == "Maria Berg")
    assert maria.source_count == 1
    assert not any("chess" in one.text for one in life.ada.search("chess", kinds=["person"]))


def test_a_page_tells_who_read_a_source_and_what_came_of_it(life: Life) -> None:
    (key,) = life.live([NOTE])
    page = life.ada.read(key)
    assert page.extraction is not None
    assert page.extraction.mind == life.memory.env.mind.name
    assert [one.content for one in page.notes] == ["plays chess"]


def test_what_was_replaced_is_held_true_again(life: Life) -> None:
    keys = life.live([OSLO, BERGEN])
    undone = life.ada.undo(keys[1])
    assert [one.statement for one in undone.beliefs.back] == [OSLO]
    (held,) = life.ada.beliefs()
    assert (held.statement, held.superseded_by, held.until) == (OSLO, None, None)
    assert [one.belief.statement for one in life.ada.recall("Where does Maria Berg live near")] == [
        OSLO
    ]


def test_what_was_to_be_forgotten_stays_forgotten_in_the_words_of_another(life: Life) -> None:
    keys = life.live([OSLO, f"{OSLO} anew"])
    life.ada.forget(life.ada.beliefs()[0].key, reason="none of your business")
    undone = life.ada.undo(keys[0])
    assert [one.status for one in undone.beliefs.fresh] == [BeliefStatus.FORGOTTEN]
    assert life.ada.beliefs() == []


def test_inferences_go_with_what_they_were_drawn_from(life: Life) -> None:
    keys = life.live([OSLO, "It is so that Tom Vance keeps nine bees"])
    env = life.memory.env
    believed = [one.key for one in life.ada.beliefs()]
    infer(env, life.ada.scope, "They all live in Norway", believed)
    undone = life.ada.undo(keys[0])
    assert {one.statement for one in undone.beliefs.gone} == {OSLO, "They all live in Norway"}


def test_an_inference_stands_again_with_its_grounds(life: Life) -> None:
    keys = life.live([OSLO])
    env = life.memory.env
    infer = partial(_infer, env)
    inferred = infer(life.ada.scope, "Somebody is in the east", [life.ada.beliefs()[0].key])
    life.clock.advance(timedelta(hours=1))
    keys.append(life.ada.add(BERGEN))
    life.memory.work()
    fallen = life.ada.read(inferred.belief.key).node
    assert isinstance(fallen, Belief)
    assert fallen.status is BeliefStatus.INVALIDATED
    life.ada.undo(keys[1])
    again = life.ada.read(inferred.belief.key).node
    assert isinstance(again, Belief)
    assert (again.status, again.confidence) == (BeliefStatus.ACTIVE, inferred.belief.confidence)


def test_a_dry_run_tells_the_same_and_changes_nothing(life: Life) -> None:
    keys = life.live([f"{NOTE}\n{OSLO}", BERGEN])
    before = life.digest()
    told = life.ada.undo(keys[1], dry_run=True)
    assert life.digest() == before
    done = life.ada.undo(keys[1])
    assert told.dry_run
    assert (told.mentions, len(told.beliefs.gone)) == (done.mentions, len(done.beliefs.gone))


def test_twice_changes_nothing_and_work_leaves_it(life: Life) -> None:
    keys = life.live([f"{NOTE}\n{OSLO}", BERGEN])
    life.ada.undo(keys[0])
    before, events = life.digest(), _undone_events(life)
    assert life.ada.undo(keys[0]).was_undone
    process_source(life.memory.env, life.ada.scope, keys[0], again=True)
    life.memory.work()
    assert life.digest() == before
    assert _undone_events(life) == events == 1


def _undone_events(life: Life) -> int:
    told = life.memory.env.ledger.replay(life.ada.scope)
    return sum(one.event_type == SOURCE_UNDONE for one in told)


def test_redo_reads_it_again(life: Life) -> None:
    keys = life.live([f"{NOTE}\n{OSLO}\nTom > home > Oslo", "Maria: sings"])
    before = life.digest()
    life.ada.undo(keys[0])
    assert life.digest() != before
    life.ada.redo(keys[0])
    assert life.digest() == before


def test_another_user_keeps_what_is_theirs(life: Life) -> None:
    bob = life.memory.user("bob", name="Bob Hale")
    bob.add(f"{NOTE}\n{OSLO}")
    keys = life.live([f"{NOTE}\n{OSLO}"])
    env = life.memory.env

    def bobs() -> str:
        return digest(env.graph.export(env.registry.scope_of("bob")))

    before = bobs()
    life.ada.undo(keys[0])
    assert bobs() == before
    with pytest.raises(UnknownKey):
        bob.undo(keys[0])


def test_only_a_source_can_be_undone(life: Life) -> None:
    life.live([NOTE])
    with pytest.raises(InvalidInput, match="source_key"):
        life.ada.undo(life.ada.anchors("person")[0].key)
    with pytest.raises(UnknownKey):
        life.ada.undo("no such key at all")


def test_a_rebuild_undoes_it_again(life: Life) -> None:
    keys = life.live([f"{NOTE}\n{OSLO}\nTom > home > Oslo", BERGEN, "Maria: sings", f"{OSLO} anew"])
    life.ada.undo(keys[1])
    with life.memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        assert derived.comparison.is_same
        derived.discard()


def test_what_a_night_made_of_it_is_made_again_of_the_others(life: Life) -> None:
    keys = life.live([NOTE, "Maria Berg: sings"])
    life.memory.sleep()
    (maria,) = (one for one in life.ada.anchors("person") if one.name == "Maria Berg")
    assert "chess" in maria.description
    life.ada.undo(keys[0])
    told = str([stripped(one, frozenset({"raw"})) for one in life.records() if _is_derived(one)])
    assert "chess" not in told
    life.clock.advance(timedelta(days=1))
    life.memory.sleep()
    (maria,) = (one for one in life.ada.anchors("person") if one.name == "Maria Berg")
    assert "sings" in maria.description


def _is_derived(record: Mapping[str, Any]) -> bool:
    """All but the source and its passages, which stay."""
    kind = str(record["record"])
    return (
        kind != "passage"
        and record["value"].get("kind") != "source"
        and "title" not in record["value"]
    )


@pytest.mark.slow
def test_six_weeks_with_all_that_may_happen_in_them_can_be_undone_and_rebuilt() -> None:
    clock = SteppedClock(rebuilt.START)
    with rebuilt.opened(":memory:", clock) as memory:
        rebuilt.live(memory, clock, days=9)
        ada, env = rebuilt.ada_of(memory), memory.env
        scope, graph = ada.scope, env.graph
        sources = [one for one in every(graph, scope, Source) if one.user_id == "ada"]
        for source in sorted(sources, key=lambda one: one.created_at)[2::6]:
            clock.advance(timedelta(minutes=1))
            ada.undo(source.key)
        for record in graph.export(scope):
            for end in ("src", "dst", "on", "anchor_key"):
                key = record["value"].get(end)
                if isinstance(key, str) and key:
                    assert graph.get(scope, key) or graph.relationship(scope, key), record
        with memory.rebuild() as derived:
            assert derived.comparison.samples == ()
            derived.discard()
