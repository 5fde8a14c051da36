"""Traverse: what hangs together, who may see it, and what being reached does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from remanent.clock import SteppedClock
from remanent.core.index_entries import entry_of
from remanent.core.model.anchor import Person
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind
from remanent.errors import InvalidInput, UnknownKey
from remanent.memory import Memory, UserMemory
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_person,
    a_relationship,
    a_scope,
    a_source,
)

ADA = a_scope("ada")
DAY = timedelta(days=1)


def person(name: str, **fields: Any) -> Person:
    return a_person(name, user="ada", **fields)


SARAH, TOM, EVE, FAR = (person(name) for name in ("Sarah", "Tom", "Eve", "Far"))
NOTE = a_source("Sarah met Eve.", user="ada", summary="Sarah met Eve.")


@pytest.fixture
def known(memory: Memory, ada: UserMemory) -> UserMemory:
    """Sarah - Tom - Far, and Sarah - note - Eve; a boss who was one only for a while."""
    graph = memory.env.graph
    old = person("Boss")
    for node in (SARAH, TOM, EVE, FAR, NOTE, old):
        graph.put(ADA, node)
    for relationship in (
        a_relationship(SARAH.key, TOM.key, user="ada", proximity=5),
        a_relationship(FAR.key, TOM.key, user="ada", type="neighbour"),
        a_relationship(SARAH.key, old.key, user="ada", type="boss", valid_to=MOMENT + 9 * DAY),
    ):
        graph.relate(ADA, relationship)
    for end in (SARAH, EVE):
        graph.link(ADA, a_link(NOTE.key, end.key, user="ada"))
    return ada


def names(me: UserMemory, *seeds: str, **given: Any) -> list[str]:
    return [one.title for one in me.traverse(seeds, touch=False, **given).reached]


def all_of(me: UserMemory) -> list[Any]:
    return list(me.env.graph.export(ADA))


def life(me: UserMemory, node: Node) -> Lifecycle:
    found = me.env.graph.get(ADA, node.key)
    assert found is not None
    return found.life


def test_what_hangs_together_is_reached(known: UserMemory) -> None:
    found = known.traverse(SARAH.key)

    assert {one.title: one.distance for one in found.reached} == {
        "Sarah": 0,
        "Tom": 1,
        "Sarah met Eve.": 1,
        "Far": 2,
        "Eve": 2,
    }
    assert found.reached[0].title == "Sarah"
    scores = [one.score for one in found.reached]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1)
    assert (found.seeds, found.within_reach, found.reason) == ((SARAH.key,), 5, "")


def test_every_way_explains_itself(known: UserMemory) -> None:
    found = known.traverse(SARAH.key)
    ways = {one.title: one.path for one in found.reached}

    assert ways["Sarah"] == ()
    to_far = [(leg.from_key, leg.word, leg.backward, leg.to_key) for leg in ways["Far"]]
    assert to_far == [
        (SARAH.key, "friend", False, TOM.key),
        (TOM.key, "neighbour", True, FAR.key),
    ]
    friend = known.relationships(SARAH.key, TOM.key)[0]
    assert ways["Far"][0].relationship_key == friend.key
    assert [leg.word for leg in ways["Eve"]] == ["mentions", "mentions"]
    assert ways["Eve"][0].relationship_key is None
    assert {key for way in ways.values() for leg in way for key in (leg.from_key, leg.to_key)} <= (
        found.titles.keys()
    )


def test_depth_links_and_number_narrow_it(known: UserMemory) -> None:
    assert set(names(known, SARAH.key, max_depth=1)) == {"Sarah", "Tom", "Sarah met Eve."}
    assert set(names(known, SARAH.key, include_links=False)) == {"Sarah", "Tom", "Far"}
    assert len(names(known, SARAH.key, top_k=2)) == 2
    assert names(known, SARAH.key, damping=0)[0] == "Sarah"


def test_beginnings_of_keys_and_several_seeds(known: UserMemory) -> None:
    found = known.traverse([SARAH.key[:8], FAR.key, SARAH.key], touch=False)

    assert found.seeds == (SARAH.key, FAR.key)
    assert {one.title for one in found.reached if one.distance == 0} == {"Sarah", "Far"}


def test_then(known: UserMemory) -> None:
    assert "Boss" not in names(known, SARAH.key)
    assert "Boss" in names(known, SARAH.key, as_of=MOMENT + DAY)
    assert names(known, SARAH.key, as_of=MOMENT - DAY) == ["Sarah"]


def test_beliefs_are_reached_while_they_stand(known: UserMemory) -> None:
    graph = known.env.graph
    for statement, status in (
        ("Sarah sings", BeliefStatus.ACTIVE),
        ("Sarah smokes", BeliefStatus.INVALIDATED),
    ):
        belief = a_belief(statement, user="ada", status=status)
        graph.put(ADA, belief)
        graph.link(ADA, a_link(belief.key, SARAH.key, kind=LinkKind.ABOUT, user="ada"))

    found = names(known, SARAH.key)

    assert "Sarah sings" in found
    assert "Sarah smokes" not in found


def test_being_reached_is_access(known: UserMemory, clock: SteppedClock) -> None:
    known.traverse(SARAH.key, max_depth=1)

    for node in (SARAH, TOM, NOTE):
        assert life(known, node).access_count == 1
        assert life(known, node).state is State.ACTIVE
        assert life(known, node).last_accessed_at == clock.now()
    assert life(known, EVE).access_count == 0
    friend = known.relationships(SARAH.key, TOM.key)[0]
    assert (friend.life.access_count, friend.life.salience) == (1, pytest.approx(0.55))
    (other,) = known.relationships(FAR.key)
    assert other.life.access_count == 0


def test_access_shows_in_the_next_walk(known: UserMemory) -> None:
    before = {one.title: one.score for one in known.traverse(SARAH.key).reached}
    after = {one.title: one.score for one in known.traverse(SARAH.key, touch=False).reached}

    assert after["Tom"] > before["Tom"]


def test_looking_without_touching_writes_nothing(known: UserMemory) -> None:
    before = all_of(known)
    known.traverse(SARAH.key, touch=False)

    assert all_of(known) == before


def test_what_is_archived_and_reached_comes_back(known: UserMemory) -> None:
    graph = known.env.graph
    graph.put(ADA, person("Tom", life=Lifecycle(state=State.ARCHIVED, salience=0.001)))
    known.traverse(SARAH.key)

    assert life(known, TOM).state is State.ACTIVE


def test_a_seed_without_edges_is_alone(known: UserMemory) -> None:
    graph = known.env.graph
    loner = person("Loner")
    graph.put(ADA, loner)
    found = known.traverse(loner.key)

    assert [(one.title, one.score) for one in found.reached] == [("Loner", 1.0)]
    assert "no edge" in found.reason
    assert life(known, loner).access_count == 1


def test_a_belief_that_fell_is_alone(known: UserMemory) -> None:
    fallen = a_belief("Sarah smokes", user="ada", status=BeliefStatus.INVALIDATED)
    known.env.graph.put(ADA, fallen)
    known.env.graph.link(ADA, a_link(fallen.key, SARAH.key, kind=LinkKind.ABOUT, user="ada"))

    found = known.traverse(fallen.key, touch=False)

    assert [one.kind for one in found.reached] == [Kind.BELIEF]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"seeds": []}, "seeds"),
        ({"seeds": [3]}, "seeds"),
        ({"seeds": ["x"] * 101}, "seeds"),
        ({"seeds": SARAH.key, "max_depth": 0}, "max_depth"),
        ({"seeds": SARAH.key, "damping": 1}, "damping"),
        ({"seeds": SARAH.key, "top_k": 0}, "top_k"),
        ({"seeds": SARAH.key, "as_of": datetime(2026, 1, 1)}, "as_of"),  # noqa: DTZ001
    ],
)
def test_what_is_off_is_named(known: UserMemory, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        known.traverse(**given)

    assert caught.value.field == field


def test_an_unknown_key(known: UserMemory) -> None:
    with pytest.raises(UnknownKey):
        known.traverse(["ffffffff-dead"])


def test_nobody_reaches_what_is_anothers(memory: Memory, known: UserMemory) -> None:
    bob = memory.user("bob")

    with pytest.raises(UnknownKey):
        bob.traverse(SARAH.key)
    (owner,) = bob.anchors()
    assert [one.key for one in bob.traverse(owner.key).reached] == [owner.key]


def test_a_shared_source_does_not_lead_into_anothers_graph(
    memory: Memory, known: UserMemory
) -> None:
    """Both link the same source; each walks on to their own anchors alone."""
    graph, bob = memory.env.graph, memory.user("bob")
    shared = a_source("Meeting", user="ada", participants=("ada", "bob"), summary="Meeting")
    graph.put(ADA, shared)
    graph.link(ADA, a_link(shared.key, SARAH.key, user="ada"))
    mine = a_person("Mine", user="bob")
    graph.put(a_scope("bob"), mine)
    graph.link(a_scope("bob"), a_link(shared.key, mine.key, user="bob"))

    assert {one.title for one in bob.traverse(mine.key).reached} == {"Mine", "Meeting"}
    assert "Mine" not in names(known, SARAH.key)
    # Bob has read it; it is Ada's, and fades by her use alone.
    assert life(known, shared).access_count == 0


def test_the_real_path(memory: Memory, clock: SteppedClock) -> None:
    """Through the front door, with nothing put by hand: the walk sees what was taken in."""
    me = memory.user("eva", name="Eva", timezone="UTC")
    key = me.add("Nothing in it.", started_at=datetime(2026, 5, 1, tzinfo=UTC))
    me.work()

    assert [one.key for one in me.traverse(key).reached] == [key]


def test_a_question_draws_the_walk_to_what_it_is_about(memory: Memory, known: UserMemory) -> None:
    embed = memory.env.embedder.embed
    for node, text in ((TOM, "Tom rows boats."), (EVE, "Eve bakes bread."), (NOTE, "bread")):
        (vector,) = embed([text], kind="passage")
        memory.env.index.put([entry_of(node, text, vector)])

    def score(name: str, query: str | None) -> float:
        reached = known.traverse([SARAH.key], touch=False, query=query).reached
        return next(one.score for one in reached if one.title == name)

    assert score("Eve", "Eve bakes bread.") > score("Eve", None)
    assert score("Eve", "Eve bakes bread.") > score("Eve", "Tom rows boats.")
    assert score("Tom", "Tom rows boats.") > score("Tom", "Eve bakes bread.")
    with pytest.raises(InvalidInput, match="query"):
        known.traverse([SARAH.key], query="  ")
