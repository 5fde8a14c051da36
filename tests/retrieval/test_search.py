"""Search and read: one ranked list with provenance, and pages by key."""

from collections.abc import Sequence
from typing import Any

import pytest

from remanent import Memory, UserMemory
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.source import Source
from remanent.errors import InvalidInput, UnknownKey
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_concept

TALK = [
    {"speaker": "Ada", "text": "We need a new kettle for the office.", "id": "d1:1"},
    {"speaker": "Tom", "text": "I ordered one in copper.", "id": "d1:2"},
    {"speaker": "Ada", "text": "The lease of the boat ends in June.", "id": "d1:3"},
]


@pytest.fixture
def told(ada: UserMemory) -> UserMemory:
    ada.add(TALK, title="Kitchen talk")
    ada.add("The dentist moved my appointment to Tuesday.")
    ada.work()
    ada.remember("Tom likes green tea.")
    return ada


def texts(hits: Sequence[object]) -> list[str]:
    return [hit.text for hit in hits]  # type: ignore[attr-defined]


def test_a_passage_is_found_with_where_it_was_said(told: UserMemory) -> None:
    hit = told.search("who ordered a copper kettle?", kinds=["passage"])[0]

    assert hit.kind is Kind.PASSAGE
    assert hit.ref in ("d1:1", "d1:2")
    assert hit.title == "Kitchen talk"
    assert hit.at is not None
    source = told.read(hit.source_key or "").node
    assert isinstance(source, Source)
    assert set(hit.signals) >= {"lexical", "around", "session", "dense", "session_dense"}


def test_the_best_comes_first_and_the_list_is_stable(told: UserMemory) -> None:
    first = told.search("dentist appointment")

    assert "dentist" in first[0].text
    assert first == told.search("dentist appointment")
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)


def test_beliefs_are_in_the_list(told: UserMemory) -> None:
    assert "Tom likes green tea." in texts(told.search("green tea", kinds=[Kind.BELIEF]))


def test_what_a_belief_was_read_from_is_found_by_it(ada: UserMemory, mind: ScriptedMind) -> None:
    """Six say the same, with no word of the question; the belief read from one of them has them all."""
    mind.drafts = lambda reading: [
        BeliefDraft(statement="My dog is called Biscuit", passage_key=one.key)
        for one in reading.passages
        if one.ref == "told-3"
    ]
    for number in range(6):
        turn = {"speaker": "Ada", "text": "We got one from the shelter.", "id": f"told-{number}"}
        ada.add([turn], origin_id=str(number))
    ada.work()

    def found(**asked: Any) -> list[tuple[str | None, bool]]:
        hits = ada.search("how is my dog called?", kinds=["passage"], touch=False, **asked)
        return [(hit.ref, "believed" in hit.signals) for hit in hits]

    assert [one for one in found() if one[1]] == found()[:1] == [("told-3", True)]
    assert found(limit=2) == found(limit=2, explain=True) == found()[:2]
    then = found(as_of=ada.env.clock.now())  # beliefs of today know nothing of the past
    assert not any(is_believed for _, is_believed in then)


def test_it_is_the_very_passage_that_a_belief_was_read_from(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    mind.drafts = lambda reading: [
        BeliefDraft(statement="My dog is called Biscuit", passage_key=reading.passages[1].key)
    ]
    turns = [
        ("told-0", "How is my dog called?"),
        ("told-1", "The one from the shelter is Biscuit."),
    ]
    ada.add([{"speaker": "Ada", "text": text, "id": ref} for ref, text in turns])
    ada.work()

    def lifted(kind: str) -> list[tuple[str | None, bool]]:
        hits = ada.search("how is my dog called?", kinds=[kind], touch=False)
        return [(hit.ref, "believed" in hit.signals) for hit in hits]

    assert set(lifted("passage")) == {("told-0", False), ("told-1", True)}
    assert [is_believed for _, is_believed in lifted("source")] == [True]


def test_a_limit_cuts_the_same_list(told: UserMemory) -> None:
    assert told.search("kettle", limit=2) == told.search("kettle", limit=10)[:2]


def test_nothing_in_a_query_is_an_operator(told: UserMemory) -> None:
    for query in ('"', "AND OR NOT", "a:b*", "NEAR(x y)", "scope:x", "';--", "(((", "%_", "\\"):
        told.search(query)


def test_a_page_by_the_beginning_of_its_key(told: UserMemory) -> None:
    key = told.search("kettle")[0].source_key or ""

    assert told.read(key[:13]).node.key == key
    assert told.read(f"{key}#2").node.key == key
    with pytest.raises(UnknownKey):
        told.read("no-such-key")
    with pytest.raises(UnknownKey):
        told.read("ab")


def test_an_ambiguous_beginning_is_refused(memory: Memory, ada: UserMemory) -> None:
    env = memory.env
    for key in ("abcd-1", "abcd-2"):
        env.graph.put(
            env.registry.scope_of("ada"), a_concept(key=key, user_id="ada", name=f"Topic {key}")
        )

    with pytest.raises(InvalidInput, match="could be any of abcd-1, abcd-2"):
        ada.read("abcd")


def test_reading_is_access(told: UserMemory) -> None:
    key = told.search("kettle", touch=False)[0].source_key or ""

    told.read(key)

    assert told.read(key).node.life.access_count == 2


def test_why_asks_for_a_belief(told: UserMemory) -> None:
    with pytest.raises(InvalidInput, match="not a belief"):
        told.why(told.search("kettle")[0].source_key or "")


def test_status_counts(told: UserMemory) -> None:
    status = told.status()

    assert status.counts["source"] == 2
    assert status.counts["belief"] == 1
    assert status.jobs.get("ready", 0) == 0
    assert (status.name, status.timezone) == ("Ada Lindqvist", "Europe/Oslo")
