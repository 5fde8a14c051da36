"""A question in full and in other words; deep search by all of them."""

import pytest

from remanent import Memory, UserMemory
from remanent.core.model.node import Kind
from remanent.core.model.search import Rephrased, Way
from remanent.errors import InvalidInput
from remanent.minds.offline import OfflineMind
from remanent.testing import ScriptedMind
from remanent_conformance.builders import an_entity

BEFORE = ["What did Maria say about the flat?", "She wants to move out."]


def test_the_first_phrasing_says_it_in_full(ada: UserMemory) -> None:
    ada.define("CRM", "Customer Relationship Management")
    found = ada.phrasings("what about the CRM plan?", before=["When did Tom pay?", "In May."])

    assert found.best.startswith("When did Tom pay")
    assert "Customer Relationship Management" in found.best
    assert [one.way for one in found.phrasings] == [Way.EXPANDED, Way.FOLLOWED, Way.ASKED]
    assert found.phrasings[-1].text == found.query == "what about the CRM plan?"


def test_other_names_of_a_thing_are_written_out(ada: UserMemory) -> None:
    entity = an_entity("Y Combinator", user="ada", aliases=("YC",))
    ada.env.graph.put(ada.scope, entity)

    assert ada.phrasings("YC deadline").best == "YC (Y Combinator) deadline"


def test_the_mind_adds_other_words_and_a_step_back(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.rephrasings = {
        "job": Rephrased(phrasings=("offer of work", "Should I take the job?"), step_back="career")
    }
    found = ada.phrasings("Should I take the job?")

    assert [(one.text, one.way) for one in found.phrasings] == [
        ("Should I take the job?", Way.ASKED),
        ("offer of work", Way.REWORDED),
        ("career", Way.STEP_BACK),
    ]


def test_the_mind_is_asked_once_per_user_and_question(
    memory: Memory, ada: UserMemory, mind: ScriptedMind
) -> None:
    for _ in range(3):
        ada.phrasings("Where is the boat?")
    ada.phrasings("Where is the boat?", before=BEFORE)
    memory.user("tom").phrasings("Where is the boat?")

    assert mind.asked.count("rephrase") == 3


def test_what_is_kept_is_bounded(ada: UserMemory) -> None:
    for number in range(600):
        ada.phrasings(f"Where is boat {number}?")

    assert len(ada.env.caches.phrasings) <= 512


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("When did Maria move to Bergen?", "Maria moved to Bergen"),
        ("Where did I leave my keys?", "I left my keys"),
        ("How long has Caroline been painting?", "Caroline has been painting"),
    ],
)
def test_the_offline_mind_states_a_question(question: str, stated: str) -> None:
    said = OfflineMind().rephrase(question, ())

    assert said.phrasings[0] == stated
    assert question not in said.phrasings


def test_the_offline_mind_takes_any_text() -> None:
    mind = OfflineMind()

    for text in ("", "?", "x" * 5000, "¿Qué tal?", "\n\n", "Tom"):
        assert mind.rephrase(text, ()) == mind.rephrase(text, ())


# --- deep search -------------------------------------------------------------------------------


@pytest.fixture
def told(ada: UserMemory) -> UserMemory:
    ada.add([
        {"speaker": "Ada", "text": "The copper kettle stands in the kitchen.", "id": "1"},
        {"speaker": "Tom", "text": "My bicycle was stolen at the harbour.", "id": "2"},
    ])  # fmt: skip
    ada.add("The dentist moved my appointment to Tuesday.")
    ada.work()
    return ada


def test_deep_search_finds_by_other_words(told: UserMemory, mind: ScriptedMind) -> None:
    mind.rephrasings = {"bike": Rephrased(phrasings=("stolen bicycle harbour",))}
    fast = told.search("bike theft", kinds=[Kind.PASSAGE], limit=1)
    deep = told.search("bike theft", kinds=[Kind.PASSAGE], limit=1, mode="deep")

    assert [hit.ref for hit in deep] == ["2"]
    assert deep[0].score > 0
    assert any(name.endswith("reworded") for name in deep[0].signals)
    assert not any(hit.ref == "2" and hit.score == deep[0].score for hit in fast)


def test_without_other_words_deep_is_fast(told: UserMemory) -> None:
    fast = told.search("copper kettle", limit=3)
    deep = told.search("copper kettle", limit=3, mode="deep")

    assert [hit.key for hit in deep] == [hit.key for hit in fast]


def test_a_step_back_comes_last(told: UserMemory, mind: ScriptedMind) -> None:
    mind.rephrasings = {"kettle": Rephrased(step_back="dentist appointment Tuesday")}
    keys = [hit.text for hit in told.search("copper kettle", kinds=[Kind.PASSAGE], mode="deep")]

    assert "kettle" in keys[0]


def test_filters_hold_in_deep_mode(told: UserMemory, mind: ScriptedMind) -> None:
    mind.rephrasings = {"kettle": Rephrased(phrasings=("stolen bicycle",))}

    hits = told.search("kettle", kinds=["passage"], speaker="Ada", mode="deep")

    assert {hit.speaker for hit in hits} == {"Ada"}


def test_deep_search_has_no_pages_and_modes_are_two(told: UserMemory) -> None:
    cursor = told.search("kettle")[0].cursor
    with pytest.raises(InvalidInput, match="after"):
        told.search("kettle", mode="deep", after=cursor)
    with pytest.raises(InvalidInput, match="mode"):
        told.search("kettle", mode="thorough")


def test_nothing_found_has_a_reason_in_deep_mode(ada: UserMemory) -> None:
    hits = ada.search("kettle", mode="deep")

    assert hits == []
    assert hits.reason
