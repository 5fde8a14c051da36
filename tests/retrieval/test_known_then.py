"""Traverse, Cypher and recall on both axes of time: what was so then, and what was known then.

Four ways of learning late: about an earlier time, by a correction, by another source, and by a belief
that replaces another. None of it may show in what was known before.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from plain_mind import PlainMind

from remanent import SteppedClock, UserMemory
from remanent.beliefs.recall import POOL, recall_beliefs
from remanent.beliefs.rules.as_of import When
from remanent.core.index_entries import belief_entry
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.mind_types import Judgement
from remanent.core.model.relationship import RelationshipKind
from remanent.errors import EmbedderError, InvalidInput
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import a_belief, digest

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
OSLO, BERGEN = "It is so that Maria lives in Oslo", "It is so that Maria lives in Bergen"
WHERE = "where does Maria live"
RELATED = "|".join(kind.value.upper() for kind in RelationshipKind)


def judged(one: str, other: str) -> Judgement:
    """Who lives here does not live there; nothing else has to do with anything."""
    if one == other:
        return Judgement.SAME
    homes = "Maria lives in" in one and "Maria lives in" in other
    return Judgement.CONTRADICTS if homes else Judgement.DIFFERENT


@pytest.fixture
def mind() -> ScriptedMind:
    mind = PlainMind()
    mind.judgements = judged
    return mind


def tell(user: UserMemory, text: str, at: datetime) -> str:
    key = user.add(text, started_at=at)
    user.work()
    return key


def anchor(user: UserMemory, name: str) -> str:
    return next(
        one.key
        for one in user.anchors(include_archived=True)
        if name == one.name or name in one.aliases
    )


def homes(user: UserMemory, **when: Any) -> set[str]:
    """Where Tom lives, by Cypher, which has to agree with `relationships` and with `traverse`."""
    query = f"MATCH (:Person {{name: 'Tom'}})-[r:{RELATED}]->(e) RETURN e.name, r.key"
    rows = user.cypher(query, **when).rows
    tom = anchor(user, "Tom")
    assert {key for _, key in rows} == {one.key for one in user.relationships(tom, **when)}
    found = user.traverse(tom, include_links=False, **when)
    walked = {found.titles[one.key] for one in found.reached if one.distance == 1}
    assert walked == {name for name, _ in rows}
    return walked


def reached(user: UserMemory, key: str, **when: Any) -> set[str]:
    return {one.title for one in user.traverse(key, **when).reached}


def statements(user: UserMemory, **when: Any) -> set[str]:
    """All beliefs there are, by Cypher."""
    return {row[0] for row in user.cypher("MATCH (b:Belief) RETURN b.statement", **when).rows}


def recalled(user: UserMemory, query: str = WHERE, **when: Any) -> set[str]:
    return {one.statement for one in user.recall(query, **when)}


def everything(user: UserMemory, **when: Any) -> str:
    """All that Cypher shows, as text."""
    rows = user.cypher("MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m", **when).rows
    return json.dumps(rows)


def whole(user: UserMemory) -> str:
    return digest(user.env.graph.export(user.scope))


# --- learned late, about an earlier time -------------------------------------------------------


def test_a_relationship_told_late_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    monday = clock.now()
    clock.advance(10 * DAY)
    tell(ada, "Tom > home > Bergen", START - 10 * DAY)

    assert homes(ada) == {"Bergen"}
    assert homes(ada, as_of=monday) == {"Bergen"}
    assert homes(ada, known_at=monday) == {"Oslo"}
    assert homes(ada, as_of=monday, known_at=monday) == {"Oslo"}
    assert homes(ada, as_of=START - 15 * DAY, known_at=monday) == {"Oslo"}
    assert homes(ada, as_of=START - 25 * DAY, known_at=monday) == set()
    assert homes(ada, known_at=clock.now()) == {"Bergen"}
    assert homes(ada, known_at=START - DAY) == set()
    assert "Bergen" not in everything(ada, known_at=monday)
    assert "Bergen" in everything(ada, as_of=monday)


def test_a_note_by_hand_is_known_since_it_was_written(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    before = clock.now()
    clock.advance(DAY)
    ada.correct("Tom", "note", "Collects beetles.")

    def texts(known_at: datetime) -> str:
        return " ".join(one.text for one in ada.search("Tom and beetles", known_at=known_at))

    assert "beetles" in texts(clock.now())
    assert "beetles" not in texts(before)


def test_a_belief_told_late_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember("It is so that tea is dear", START - 90 * DAY)
    clock.advance(10 * DAY)
    late = ada.remember(OSLO, START - 20 * DAY).belief.key
    before, then = START + 9 * DAY, START - 15 * DAY

    for find in (statements, recalled):
        assert OSLO in find(ada, as_of=then)
        assert OSLO not in find(ada, as_of=then, known_at=before)
        assert OSLO not in find(ada, known_at=before)
        assert OSLO in find(ada, known_at=clock.now())
    assert OSLO in reached(ada, late, as_of=then)
    for as_of in (None, then):
        found = ada.traverse(late, as_of=as_of, known_at=before)
        assert (found.reached, found.titles, found.within_reach) == ((), {}, 0)
        assert found.reason == "none of the seeds was known then"


# --- corrected later ---------------------------------------------------------------------------


def test_an_end_told_late_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    monday = clock.now()
    clock.advance(10 * DAY)
    tell(ada, "Tom > home > Oslo!", START - 5 * DAY)

    assert homes(ada) == homes(ada, as_of=monday) == set()
    assert homes(ada, as_of=START - 6 * DAY) == {"Oslo"}
    assert homes(ada, known_at=monday) == homes(ada, known_at=monday, as_of=monday) == {"Oslo"}
    query = f"MATCH ()-[r:{RELATED}]->() RETURN r.valid_to, r.notes, r.description"
    told = "Tom > home > Oslo"
    ((end, notes, description),) = ada.cypher(query, known_at=monday).rows
    assert (end, [one["content"] for one in notes], description) == (None, [told], told)


def test_a_beginning_moved_back_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    """The same relationship under other dates is another, with another key."""
    tell(ada, "Tom > home > Oslo", START - 5 * DAY)
    monday = clock.now()
    clock.advance(10 * DAY)
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)

    assert homes(ada, as_of=START - 15 * DAY) == {"Oslo"}
    assert homes(ada, as_of=START - 15 * DAY, known_at=monday) == set()
    assert homes(ada, known_at=monday) == {"Oslo"}


# --- another source, later ---------------------------------------------------------------------


def test_a_source_added_later_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    first = tell(ada, "Sarah Chen: likes tea", START - 19 * DAY)  # worth a month: until 2026-05-15
    sarah, monday = anchor(ada, "Sarah Chen"), clock.now()
    clock.advance(10 * DAY)
    tell(ada, f"Sarah Chen aka Sally: moved away\nEve: met Sarah\n{OSLO}", START - 10 * DAY)
    eve = anchor(ada, "Eve")

    assert "Eve" in reached(ada, sarah, as_of=monday)
    assert reached(ada, sarah, known_at=monday) == reached(ada, first, known_at=monday)
    assert len(reached(ada, sarah, known_at=monday)) == 2
    assert ada.traverse(eve, known_at=monday).reached == ()
    both = ada.traverse([eve, sarah], known_at=monday)
    assert [one.key for one in both.reached if one.distance == 0] == [sarah]
    shown = everything(ada, known_at=monday)
    for word in ("Eve", "Sally", "moved away", "Oslo", "2026-05-14", "2026-04-24"):
        assert word in everything(ada, as_of=monday)
        assert word not in shown
    assert "likes tea" in shown
    assert OSLO in recalled(ada, as_of=monday)
    assert recalled(ada, known_at=monday) == set()
    query = "MATCH (s:Source)-[:HAS_PASSAGE]->(p:Passage) RETURN p.text"
    assert len(ada.cypher(query, as_of=monday).rows) > 1
    assert [row[0] for row in ada.cypher(query, known_at=monday).rows] == ["Sarah Chen: likes tea"]


def test_a_link_drawn_later_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    """Both ends were known; that they are the same was not."""
    tell(ada, "Kari: likes tea", START - 20 * DAY)
    tell(ada, "Per: likes coffee", START - 20 * DAY)
    kari, per, monday = anchor(ada, "Kari"), anchor(ada, "Per"), clock.now()
    clock.advance(DAY)
    ada.merge(kari, per)

    query = "MATCH ()-[r:SAME_AS]->() RETURN count(r)"
    asked: dict[str, Any] = {"include_archived": True}
    assert ada.cypher(query, as_of=monday, **asked).rows == ((1,),)
    assert ada.cypher(query, known_at=monday, **asked).rows == ((0,),)
    assert "Per" in reached(ada, kari, as_of=monday)
    assert "Per" not in reached(ada, kari, known_at=monday)


# --- a belief superseded later -----------------------------------------------------------------


def test_a_belief_superseded_later_was_held(ada: UserMemory, clock: SteppedClock) -> None:
    source = tell(ada, OSLO, START - 20 * DAY)
    monday = clock.now()
    clock.advance(5 * DAY)
    tell(ada, BERGEN, START - 10 * DAY)

    for find in (statements, recalled):
        assert find(ada) == find(ada, as_of=monday) == {BERGEN}
        assert find(ada, as_of=START - 15 * DAY) == {OSLO}
        assert find(ada, known_at=monday) == {OSLO}
        assert find(ada, known_at=monday, as_of=START - 5 * DAY) == {OSLO}
        assert find(ada, known_at=clock.now()) == {BERGEN}
        assert find(ada, known_at=START - DAY) == set()
    assert [one.key for one in ada.traverse(source, as_of=monday).reached] == [source]
    (then,) = ada.recall(WHERE, known_at=monday)
    assert (then.belief.status, then.belief.until) == (BeliefStatus.ACTIVE, None)
    assert then.belief.superseded_by is None
    walked = ada.traverse(source, known_at=monday).reached
    assert {one.key for one in walked} == {source, then.belief.key}
    query = "MATCH (b:Belief) RETURN b.status, b.until, b.superseded_by"
    assert ada.cypher(query, known_at=monday).rows == (("active", None, None),)


def test_confidence_is_that_of_the_day(ada: UserMemory, clock: SteppedClock) -> None:
    days = []
    for number in range(3):
        ada.remember(OSLO, event_id=str(number))
        days.append(clock.now())
        clock.advance(DAY)

    def sure(day: datetime) -> tuple[float, float]:
        (one,) = ada.recall(WHERE, known_at=day)
        ((by_cypher,),) = ada.cypher("MATCH (b:Belief) RETURN b.confidence", known_at=day).rows
        return one.belief.confidence, by_cypher

    held = [ada.beliefs(known_at=day)[0].confidence for day in days]
    assert held == sorted(set(held))
    assert [sure(day) for day in days] == [(one, one) for one in held]


def test_what_spoke_for_a_belief_before_it_was_merged(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    """A merge hands the episodes of one belief to the other; before it, each had its own."""
    mind.judgements = lambda one, other: Judgement.DIFFERENT
    first = tell(ada, "It is so that I live in the old city of Oslo", START - 20 * DAY)
    tell(ada, "It is so that I live in the old city of Oslo now", START - 10 * DAY)
    query = "MATCH (s:Source)-[:SUPPORTS]->(b:Belief) RETURN s.key, b.key"
    before, monday = set(ada.cypher(query).rows), clock.now()
    assert len({key for _, key in before}) == 2
    clock.advance(DAY)
    mind.judgements = lambda one, other: Judgement.SAME
    assert len(ada.merge_beliefs().merged) == 1

    assert len({key for _, key in ada.cypher(query).rows}) == 1
    assert set(ada.cypher(query, known_at=monday).rows) == before
    found = ada.traverse(first, max_depth=1, known_at=monday)
    assert {(first, one.key) for one in found.reached if one.distance == 1} <= before
    assert len(found.reached) == 2


def test_a_forgotten_belief_was_part_of_the_graph(ada: UserMemory, clock: SteppedClock) -> None:
    """It is out of the index for good: recall does not find it, whatever the time."""
    key = ada.remember(OSLO).belief.key
    monday = clock.now()
    clock.advance(DAY)
    ada.forget(key)
    clock.advance(DAY)

    assert statements(ada, known_at=monday) == {OSLO}
    assert reached(ada, key, known_at=monday) >= {OSLO}
    assert statements(ada) == statements(ada, known_at=clock.now()) == set()
    assert recalled(ada, known_at=monday) == set()


# --- recalling the past ------------------------------------------------------------------------


def test_neighbours_are_those_of_the_time(ada: UserMemory, clock: SteppedClock) -> None:
    first = "It is so that Maria sails a boat"
    second = "It is so that Maria sails a red boat at dawn in May"
    ada.remember(first)
    monday = clock.now()
    clock.advance(DAY)
    ada.remember(second)

    assert recalled(ada, "boat") == {first, second}
    assert recalled(ada, "boat", known_at=monday) == {first}


def test_recency_counts_up_to_then(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember(OSLO)
    monday = clock.now()
    clock.advance(3 * DAY)
    wednesday = clock.now()
    ada.recall(WHERE)
    clock.advance(30 * DAY)

    def said(**when: Any) -> str:
        (one,) = ada.recall(WHERE, explain=True, touch=False, **when)
        assert sum(part.points for part in one.parts) == pytest.approx(one.score)
        return next(part.said for part in one.parts if part.name == "recency")

    assert said() == "accessed 30 days ago"
    assert said(known_at=monday + DAY) == "never accessed, made 1 day ago"
    assert said(known_at=wednesday + 2 * DAY) == "accessed 2 days ago"


def test_what_came_later_crowds_nothing_out(ada: UserMemory, clock: SteppedClock) -> None:
    """More beliefs than are weighed at once say later, and better, what the query asks for."""
    early = "It is so that Maria moved house"
    ada.remember(early)
    monday = clock.now()
    clock.advance(DAY)
    late = [
        a_belief(f"where does Maria live {number}", user="ada", created_at=clock.now())
        for number in range(POOL + 20)
    ]
    held_true(ada, late)

    assert early not in recalled(ada, touch=False)
    assert recalled(ada, known_at=monday) == {early}


def test_all_that_is_held_is_scored(ada: UserMemory, clock: SteppedClock) -> None:
    """More beliefs than are weighed at first are nearer to the query than the one that scores best."""
    long_ago = clock.now() - 400 * DAY
    nearer = [
        a_belief(f"where Maria may live {number}", user="ada", created_at=long_ago, importance=1)
        for number in range(POOL + 20)
    ]
    best = a_belief(
        "where somebody or other does things", user="ada", created_at=clock.now(), importance=10
    )
    held_true(ada, [*nearer, best])

    first, second = ada.recall(WHERE, limit=2, touch=False)

    assert first.belief.key == best.key
    assert first.signals["cosine"] < second.signals["cosine"]


def held_true(ada: UserMemory, beliefs: Sequence[Belief]) -> None:
    """Believed, and found by what they say."""
    env, vectors = ada.env, HashEmbedder().embed([one.statement for one in beliefs])
    with env.atomic():
        for one in beliefs:
            env.graph.put(ada.scope, one)
        pairs = zip(beliefs, vectors, strict=True)
        env.index.put([belief_entry(one, vector) for one, vector in pairs])


class Down(HashEmbedder):
    def embed(self, texts: Any, *, kind: str = "passage") -> Any:
        raise EmbedderError("down")


def test_without_an_embedder_words_find_the_past(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember(OSLO, START - 20 * DAY)
    monday = clock.now()
    clock.advance(DAY)
    ada.remember(BERGEN, START - 10 * DAY)
    down = replace(ada.env, embedder=Down())
    found = recall_beliefs(down, ada.scope, "Maria lives", limit=5, when=When(known_at=monday))
    assert [one.statement for one in found] == [OSLO]


# --- asking changes nothing, and wrong questions are refused -----------------------------------


@pytest.mark.parametrize("field", ["as_of", "known_at"])
def test_a_question_about_the_past_is_no_access(
    ada: UserMemory, clock: SteppedClock, field: str
) -> None:
    tell(ada, f"Tom > home > Oslo\n{OSLO}", START - 20 * DAY)
    clock.advance(DAY)
    before, when = whole(ada), dict[str, Any]({field: clock.now()})

    assert ada.recall(WHERE, **when)
    assert len(ada.traverse(anchor(ada, "Tom"), **when).reached) > 1
    assert ada.cypher("MATCH (n) RETURN n", **when).rows
    assert whole(ada) == before
    ada.recall(WHERE)
    assert whole(ada) != before


@pytest.mark.parametrize("field", ["as_of", "known_at"])
@pytest.mark.parametrize("value", [datetime(2026, 1, 1), "yesterday"])  # noqa: DTZ001
def test_a_time_needs_a_zone(ada: UserMemory, field: str, value: Any) -> None:
    owner = ada.anchors()[0].key
    for ask in (
        lambda: ada.recall("tea", **{field: value}),
        lambda: ada.traverse(owner, **{field: value}),
        lambda: ada.cypher("RETURN 1", **{field: value}),
    ):
        with pytest.raises(InvalidInput) as refused:
            ask()
        assert refused.value.field == field


def test_the_answer_says_of_when_it_is(ada: UserMemory, clock: SteppedClock) -> None:
    found = ada.traverse(ada.anchors()[0].key, as_of=START - DAY, known_at=clock.now())
    assert (found.as_of, found.known_at) == (START - DAY, clock.now())


def test_all_that_is_known_now_is_what_there_is(ada: UserMemory, clock: SteppedClock) -> None:
    """With nothing later to leave out, what was known now is what is."""
    tell(ada, f"Tom > home > Oslo\nTom > friend of > Eve\nTom: likes tea\n{OSLO}", START - 9 * DAY)
    tell(ada, f"Tom > home > Rome\nTom > friend of > Eve!\n{BERGEN}", START - 5 * DAY)
    clock.advance(DAY)
    tom = anchor(ada, "Tom")
    queries = (
        "MATCH (n) RETURN n.key, n.description, n.notes, n.source_count, n.confidence ORDER BY n.key",
        "MATCH (a)-[r]->(b) RETURN a.key, type(r) AS t, b.key, r.notes ORDER BY a.key, t, b.key",
    )
    for query in queries:
        assert ada.cypher(query, known_at=clock.now()).rows == ada.cypher(query).rows
    now = ada.traverse(tom, touch=False)
    then = ada.traverse(tom, known_at=clock.now())
    assert [(one.key, one.path) for one in then.reached] == [
        (one.key, one.path) for one in now.reached
    ]
    assert [one.score for one in then.reached] == pytest.approx([one.score for one in now.reached])
    assert [one.score for one in ada.recall(WHERE, known_at=clock.now())] == [
        one.score for one in ada.recall(WHERE, touch=False)
    ]


# --- at random ---------------------------------------------------------------------------------


def _story(user: UserMemory, clock: SteppedClock, chance: random.Random) -> list[datetime]:
    """Moves and friendships, told in whatever order and of whatever time; when each was told."""
    told = []
    for _ in range(chance.randint(6, 14)):
        lines = {
            f"{chance.choice('ABCD')}nna > {chance.choice(['home', 'likes', 'owns'])} > "
            f"{chance.choice(['Oslo', 'Rome', 'Bonn'])}{chance.choice(['', '', '!'])}"
            for _ in range(chance.randint(1, 3))
        }
        tell(user, "\n".join(sorted(lines)), START - chance.randint(0, 40) * DAY)
        told.append(clock.now())
        clock.advance(chance.randint(1, 72) * timedelta(hours=1))
    return told


@pytest.mark.parametrize("seed", range(6))
def test_all_three_ways_to_ask_agree(ada: UserMemory, clock: SteppedClock, seed: int) -> None:
    """Whatever was told when: Cypher and traverse know the relationships of `relationships`."""
    chance = random.Random(seed)
    told = _story(ada, clock, chance)
    keys = [one.key for one in ada.anchors(include_archived=True)]
    query = f"MATCH (a)-[r:{RELATED}]->(b) RETURN r.key, a.key, b.key, r.valid_to, r.description"
    moments = [None, *(START - days * DAY for days in (50, 30, 20, 10, 0))]
    for known_at in chance.sample([START - DAY, *told], 4):
        for as_of in chance.sample(moments, 3):
            when: dict[str, Any] = {"as_of": as_of, "known_at": known_at}
            wanted = {
                one.key: (
                    one.src,
                    one.dst,
                    None
                    if one.valid_to is None
                    else one.valid_to.isoformat().replace("+00:00", "Z"),
                    one.description,
                )
                for key in keys
                for one in ada.relationships(key, **when)
            }
            rows = ada.cypher(query, **when, include_archived=True).rows
            assert {key: tuple(rest) for key, *rest in rows} == wanted
            edges = ada.env.graph.edges(ada.scope, **when)
            drawn = {
                key: (edges.keys[int(src)], edges.keys[int(dst)])
                for key, src, dst in zip(edges.edge_keys, edges.src, edges.dst, strict=True)
                if key
            }
            assert drawn == {key: one[:2] for key, one in wanted.items()}
