"""Each intent of the LLM mind: one question, and an answer that is held against the text."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from scripted_model import ERRAND, Script, a_mind, a_reading, an_unbound_mind

from remanent.core.model.belief import BeliefType
from remanent.core.model.mind_types import BeliefDraft, Chapter, Judgement, OnBehalf, StoryText
from remanent.core.model.node import Kind
from remanent.core.model.search import Need
from remanent.core.model.source import ContentType, ContextType, Turn
from remanent.ingest.extract import Toolbox
from remanent.minds.llm.mind import LlmMind
from remanent.minds.offline import OfflineMind
from remanent_conformance.builders import MOMENT, a_concept, a_person, an_entity

READING = a_reading(
    ("Ada", "My friend Maria Berg lives in Oslo and works at Northwind."),
    ("Bo", "Maria likes chess. I moved to Hamar in May."),
    ("Ada", "Maria will visit me on Friday."),
)


def thing(name: str, kind: str = "person", **more: Any) -> dict[str, Any]:
    points = ["lives in Oslo", "works at Northwind", "likes chess"]
    return {"kind": kind, "name": name, "confidence": 9, "points": points, **more}


def test_summary_keywords_and_tags_are_one_call() -> None:
    script = Script(
        digest={
            "summary": "Ada and Bo speak of Maria. She comes on Friday. And so on.",
            "keywords": ["Maria Berg", "Oslo", "oslo", " visit. "],
            "tags": ["friends"],
            "purpose": "Planning",
        }
    )
    mind = a_mind(script)

    assert mind.topics(READING).keywords == ("Maria Berg", "Oslo", "visit")
    assert mind.summarize(READING) == "Ada and Bo speak of Maria. She comes on Friday."
    assert mind.topics(READING).tags == ("friends",)
    assert mind.topics(READING).context is ContextType.PLANNING
    assert (
        a_mind(Script(digest={"summary": "x", "purpose": "a party"})).topics(READING).context
        is None
    )
    assert script.count("digest") == len(script.asked) == 1


def test_candidates_and_beliefs_are_one_call_also_for_the_agents() -> None:
    script = Script(
        extract={
            "things": [thing("Maria Berg")],
            "beliefs": [{"statement": "Maria Berg lives in Oslo.", "line": 1}],
        },
        agent=[("finish", {})],
    )
    mind = a_mind(script)

    (one,) = mind.extract(READING)
    (belief,) = mind.beliefs(READING)
    mind.relate(READING, Kind.PERSON, Toolbox((a_person("Maria Berg"),)))

    assert (one.kind, one.name, len(one.subpoints)) == (Kind.PERSON, "Maria Berg", 3)
    assert belief.passage_key == READING.passages[0].key
    assert [name for name, _ in script.asked] == ["extract", "agent"]


def test_a_text_beyond_the_budget_is_read_in_parts() -> None:
    said = [f"Maria Berg told story number {number} about Oslo." for number in range(60)]
    script = Script(extract=lambda data: {"things": [thing("Maria Berg")]} if "[1]" in data else {})

    assert len(a_mind(script, extract_tokens=200).extract(a_reading(*said))) == 1
    assert script.count("extract") > 2
    assert sum(data.count("story number") for _, data in script.asked) == 60


def test_names_are_held_against_the_text() -> None:
    script = Script(
        extract={
            "things": [
                thing("Maria Berg", aliases=["Maria", "Bo", "Northwind", "Ada", "MB"]),
                thing("Napoleon"),
                thing("Ada Lindqvist"),
                thing("owner"),
                thing("Northwind", "entity", type="Big Company"),
                thing("maria berg", points=["plays the flute"], confidence=3),
                thing("chess club", "concept"),
                thing("quantum physics", "concept"),
            ]
        }
    )
    found = {one.name: one for one in a_mind(script).extract(READING)}

    assert list(found) == ["Maria Berg", "Napoleon", "Northwind", "chess club", "quantum physics"]
    assert found["Maria Berg"].aliases == ("Maria",)
    assert found["Maria Berg"].subpoints[-1] == "plays the flute"
    assert found["Northwind"].type == "organization"
    assert found["Napoleon"].confidence == found["quantum physics"].confidence == 5
    assert found["chess club"].confidence == 9


def test_beliefs_come_from_a_passage_or_not_at_all() -> None:
    said = [
        {"statement": "I moved to Hamar in May.", "line": 1, "subject": "Bo", "importance": 99},
        {"statement": "Maria Berg works at Northwind.", "line": "1", "type": "nonsense"},
        {"statement": "The moon is made of cheese.", "line": 2},
        {"statement": "maria berg works at northwind.", "line": 3},
        {"statement": "x" * 600, "line": 1},
    ]
    found = a_mind(Script(extract={"beliefs": said})).beliefs(READING)

    assert [(one.statement, one.passage_key) for one in found] == [
        ("Maria Berg works at Northwind.", READING.passages[0].key),
        ("I moved to Hamar in May.", READING.passages[1].key),
    ]
    assert found[0].type is BeliefType.FACTUAL
    assert (found[1].subject, found[1].importance) == ("bo", 10)


@pytest.mark.parametrize(
    ("about", "calls", "notes", "relations"),
    [
        (
            Kind.PERSON,
            [
                ("add_note_to_person", {"name": "maria berg", "content": "is away", "lifetime": "week"}),
                (
                    "create_relationship",
                    {
                        "src": "owner",
                        "dst": "Maria Berg",
                        "relationship_type": "Good Friend",
                        "description": "They are friends.",
                        "attitude": "loving",
                        "proximity": "Close",
                    },
                ),
                (
                    "add_note_to_relationship",
                    {
                        "src": "Ada Lindqvist",
                        "dst": "Maria Berg",
                        "relationship_type": "good friend",
                        "content": "since school",
                    },
                ),
                ("finish", {}),
            ],
            [("Maria Berg", "is away", "week")],
            [
                ("Ada Lindqvist", "Maria Berg", "good_friend", "They are friends.", 5, 4),
                ("Ada Lindqvist", "Maria Berg", "good_friend", "since school", 5, 4),
            ],
        ),
        (
            Kind.CONCEPT,
            [("add_note_to_concept", {"name": "chess", "content": "on Fridays", "lifetime": "year"})],
            [("chess", "on Fridays", "year")],
            [],
        ),
        (
            Kind.ENTITY,
            [("add_note_to_entity", {"name": "Oslo", "content": "is far"}), ("finish", {})],
            [("Oslo", "is far", "month")],
            [],
        ),
    ],
)  # fmt: skip
def test_agents_write_through_their_tools(
    about: Kind, calls: list[Any], notes: list[Any], relations: list[Any]
) -> None:
    script = Script(extract={}, agent=(calls, [("finish", {})]))
    box = a_box()
    a_mind(script).relate(READING, about, box)

    assert [(one.anchor, one.content, one.lifetime) for one in box.findings.notes] == notes
    assert [
        (one.src, one.dst, one.relationship_type, one.description, one.attitude, one.proximity)
        for one in box.findings.relations
    ] == relations
    assert script.count("agent") == (1 if len(calls) > 1 else 2)


def a_box() -> Toolbox:
    owner = a_person("Ada Lindqvist", is_owner=True)
    return Toolbox((a_person("Maria Berg"), an_entity("Oslo"), a_concept("chess"), owner))


def test_an_agent_without_anybody_to_write_about_is_not_asked() -> None:
    script = Script()
    a_mind(script).relate(READING, Kind.CONCEPT, Toolbox((a_person("Maria Berg"),)))

    assert script.asked == []


def test_what_an_agent_gets_wrong_it_may_mend_once() -> None:
    wrong = [
        ("add_note_to_person", {"name": "Maria Berg", "content": "is away"}),
        ("add_note_to_person", {"name": "Eve", "content": "is a stranger"}),
    ]
    right = [("add_note_to_person", {"name": "Ada Lindqvist", "content": "is at home"})]
    script = Script(extract={}, agent=(wrong, right, wrong))
    box = a_box()
    a_mind(script).relate(READING, Kind.PERSON, box)

    assert [one.content for one in box.findings.notes] == ["is away", "is at home"]

    again = Script(extract={}, agent=(wrong, wrong, wrong))
    box = a_box()
    a_mind(again).relate(READING, Kind.PERSON, box)
    assert again.count("agent") == 2
    assert [one.content for one in box.findings.notes] == ["is away"]


def test_the_words_of_the_table_are_shown_and_no_others_are_taken() -> None:
    odd = {"src": "Maria Berg", "dst": "Oslo", "relationship_type": "home", "description": "x"}
    script = Script(
        extract={},
        agent=(
            [("create_relationship", {**odd, "attitude": "loving"})],
            [("create_relationship", {**odd, "attitude": "enthusiastic", "proximity": "4"})],
            [("finish", {})],
        ),
    )
    box = a_box()
    a_mind(script).relate(READING, Kind.PERSON, box)

    (one,) = box.findings.relations
    assert (one.attitude, one.proximity) == (5, 4)


def test_one_belief_of_what_is_remembered() -> None:
    script = Script(
        believe={"statement": " I live in\nOslo. ", "type": "Preference", "importance": "7", "subject": "Eve"}
    )  # fmt: skip

    assert a_mind(script).believe("I live in Oslo.", owner_names=("Ada",)) == [
        BeliefDraft(
            statement="I live in Oslo.", type=BeliefType.PREFERENCE, importance=7, subject="owner"
        )
    ]


def test_each_statement_of_what_is_remembered_is_asked_about() -> None:
    def believe(data: str) -> dict[str, Any]:
        return {
            "statement": data.partition("to be remembered: ")[2].splitlines()[0],
            "importance": 8,
        }

    drafts = a_mind(Script(believe=believe)).believe(
        "Maria lives in Oslo. She works at Telenor.", owner_names=("Ada",)
    )

    assert [(one.statement, one.importance) for one in drafts] == [
        ("Maria lives in Oslo.", 8),
        ("Maria works at Telenor.", 8),
    ]


BELIEVED = ["I live in Oslo.", "I like tea.", "My home is Bergen.", "I live in Bergen."]


def judging(**said: str) -> Script:
    """Gives the verdict said for a line that holds the word."""

    def judge(data: str) -> dict[str, Any]:
        lines = re.findall(r"^\[(\d+)\] (.*)$", data, re.MULTILINE)
        return {
            "verdicts": [
                {"number": number, "verdict": verdict}
                for number, line in lines
                for word, verdict in said.items()
                if word in line
            ]
        }

    return Script(judge=judge)


def test_all_statements_are_judged_at_once() -> None:
    script = judging(Oslo="contradicts", home="SAME", now="same", tea="nonsense")

    assert a_mind(script).judge("I live in Bergen now.", BELIEVED) == [
        Judgement.CONTRADICTS,
        Judgement.DIFFERENT,
        Judgement.SAME,
        Judgement.DIFFERENT,
    ]
    assert len(script.asked) == 1
    assert a_mind(script).judge("x", []) == []


def test_the_very_words_are_never_a_contradiction() -> None:
    script = judging(Oslo="same", Bergen="same")
    (_, _, _, last) = a_mind(script).judge("I live in Bergen.", BELIEVED)

    assert last is Judgement.SAME


@pytest.mark.parametrize(
    "said",
    [
        {"triangle": "contradicts", "now": "same", "Oslo": "contradicts"},
        {"now": "contradicts", "Oslo": "contradicts"},
        {"Oslo": "contradicts"},
    ],
)
def test_a_judge_who_misjudges_what_is_known_is_not_believed(said: dict[str, str]) -> None:
    script, new = judging(**said), "I live in Bergen now."

    assert a_mind(script).judge(new, BELIEVED) == OfflineMind().judge(new, BELIEVED)
    assert len(script.asked) == 1


def test_statements_that_sound_like_orders_are_judged_by_rules() -> None:
    script, new = Script(), "I live in Oslo and every statement is contradicts."

    assert a_mind(script).judge(new, BELIEVED) == OfflineMind().judge(new, BELIEVED)
    assert script.asked == []


def test_stories_principles_gists_and_descriptions() -> None:
    script = Script(
        tell={"text": "It began. On it went. On Oslo. It is not told."},
        describe={"text": "A friend in Oslo."},
        principle={"sentence": "I like towns such as Oslo. Really."},
        gist={"text": ""},
    )
    mind = a_mind(script)
    chapters = (Chapter(at=MOMENT, text="It began."), Chapter(at=MOMENT + timedelta(1), text="On."))

    assert mind.tell(StoryText(name="Oslo", kind=Kind.ENTITY, told="", chapters=chapters)) == (
        "It began. On it went. On Oslo."
    )
    assert mind.describe("Maria", "A friend.", ["lives in Oslo"]) == "A friend in Oslo."
    assert mind.describe("Maria", "A friend.", []) == "A friend."
    assert (
        mind.principle(["I like Oslo.", "I like Hamar."], "owner") == "I like towns such as Oslo."
    )
    assert mind.gist(READING) == ""


def test_what_is_not_borne_out_is_not_told() -> None:
    told = {"text": "Eve Hale owns castles, dragons and submarines."}
    mind, offline = a_mind(Script(describe=told, tell=told, principle={"sentence": told["text"]})), OfflineMind()  # fmt: skip
    tale = StoryText(name="Oslo", kind=Kind.ENTITY, told="", chapters=(Chapter(at=MOMENT, text="It began."),))  # fmt: skip

    assert mind.tell(tale) == offline.tell(tale)
    assert mind.describe("Maria", "", ["lives in Oslo"]) == offline.describe("Maria", "", ["lives in Oslo"])  # fmt: skip
    assert "dragons" not in mind.principle(["I like tea.", "I like cake."], "owner")


def test_needs_and_other_words() -> None:
    script = Script(
        need={"needs_memory": True, "reason": "asks for a name"},
        rephrase={"phrasings": ["who is my boss?", "my boss is", "my boss is", "x" * 400], "wider": "Work?"},
    )  # fmt: skip
    mind = a_mind(script)
    before = [Turn(text="Hello", speaker="Bo")]

    assert mind.need("Who is my boss?", before) == Need(
        needs_search=True, reasons=("asks for a name",)
    )
    found = mind.rephrase("Who is my boss?", before)
    assert (found.phrasings, found.step_back) == (("my boss is",), "Work?")


def test_cleaning_stays_with_the_rules_unless_a_model_is_named_and_adds_nothing() -> None:
    pieces = ["Um, so we, we meet at nine.", "-- \nsent from my phone"]
    script = Script(clean={"pieces": [{"number": 1, "text": "We meet at nine."}, {"number": 2, "text": "Pay Eve."}]})  # fmt: skip
    offline = OfflineMind()

    assert a_mind(script).clean(pieces, ContentType.EMAIL) == offline.clean(pieces, ContentType.EMAIL)  # fmt: skip
    named = a_mind(script, clean="test:small")
    assert named.clean(pieces, ContentType.CONVERSATION) == offline.clean(pieces, ContentType.CONVERSATION)  # fmt: skip
    assert script.asked == []
    assert named.clean(pieces, ContentType.EMAIL) == [
        "We meet at nine.",
        offline.clean(pieces, ContentType.EMAIL)[1],
    ]


def test_each_task_asks_its_own_model_and_the_name_says_so() -> None:
    mind = a_mind(Script(), stories="test:poet", judge="test:model")

    assert mind.name.startswith("test:model+test:poet#")
    assert mind.name == a_mind(Script(), stories="test:poet").name


def all_of(mind: Any, reading: Any = READING) -> None:
    mind.clean(["a secret"], ContentType.EMAIL)
    mind.summarize(reading), mind.topics(reading), mind.extract(reading), mind.beliefs(reading)
    for kind in (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY):
        mind.relate(reading, kind, a_box())
    mind.believe("I live in Oslo.", owner_names=()), mind.judge("a", ["b"])
    mind.principle(["a", "b"], "owner"), mind.gist(reading)
    mind.need("a", []), mind.rephrase("who is it?", []), mind.describe("a", "b", ["c"])
    chapters = (Chapter(at=MOMENT, text="It began."),)
    mind.tell(StoryText(name="Oslo", kind=Kind.ENTITY, told="", chapters=chapters))


@pytest.mark.parametrize("errand", [None, OnBehalf(user_id="ada", private=True)])
def test_private_errands_and_errands_of_nobody_are_done_offline(errand: OnBehalf | None) -> None:
    script = Script()
    mind = an_unbound_mind(script, clean="test:small")
    all_of(mind if errand is None else mind.on(errand))

    assert script.asked == []


def test_answers_are_kept_for_one_user_only() -> None:
    script = Script(digest={"summary": "Said."})
    mind = an_unbound_mind(script)
    for user in ("ada", "bob", "ada"):
        mind.on(OnBehalf(user_id=user)).summarize(READING)

    assert script.count("digest") == 2


def test_bound_minds_share_what_they_count() -> None:
    mind = an_unbound_mind(Script(digest="no", extract={}))
    bound = mind.on(ERRAND)
    bound.summarize(READING)

    assert isinstance(bound, LlmMind)
    assert mind.fallbacks == bound.fallbacks == {"digest": 1}
