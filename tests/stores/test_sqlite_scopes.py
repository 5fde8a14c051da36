"""The pure rule and the store agree: whoever asks, by whichever way, finds what they may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import ProcessingStatus, Sensitivity, Source
from remanent.core.model.story import Macro
from remanent.core.ports.cypher import Bounds
from remanent.core.ports.cypher import Question as CypherQuestion
from remanent.core.ports.graph import Nodes
from remanent.core.ports.index import Entry, Question
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_passage,
    a_source,
    a_storyline,
    may_read,
)

pytestmark = pytest.mark.quick

USERS = ("ann", "bob", "eve")
TEAMS = ("red", "blue")
WORDS = "kettle"
DIMENSIONS = 4
NAMED: tuple[tuple[tuple[str, ...], tuple[str, ...] | None], ...] = (
    ((), None),
    (("bob",), None),
    (("bob", "eve"), None),
    (("bob", "eve"), ("bob",)),
)
KINDS = (Kind.SOURCE, Kind.STORYLINE, Kind.MACRO, Kind.BELIEF)


@dataclass
class World:
    stores: SqliteStores
    nodes: list[Node]

    def may(self, scope: Scope, *kinds: Kind) -> set[str]:
        """What the rule allows."""
        return {
            one.key
            for one in self.nodes
            if (not kinds or one.kind in kinds)
            and may_read(scope, one.readers, one.team, key=one.key)
        }


def _sources() -> Iterator[Source]:
    for owner, team, level in product(USERS, (None, *TEAMS), Sensitivity):
        for guests, accepted in NAMED:
            text = f"{owner} {team} {level} {guests} {accepted}"
            yield a_source(
                text,
                user=owner,
                team_id=team,
                sensitivity=level,
                participants=(owner, *guests),
                accepted=accepted,
                processing_status=ProcessingStatus.PROCESSED,
            )


def _stories() -> Iterator[Node]:
    for owner, team in product(USERS, (None, *TEAMS)):
        story = a_storyline(f"{owner} {team}", user=owner, team_id=team)
        yield story
        yield Macro(
            key=f"macro-{owner}-{team}",
            user_id=owner,
            created_at=MOMENT,
            updated_at=MOMENT,
            anchor_key=story.anchor_key,
            name=f"macro of {owner} {team}",
            started_at=MOMENT,
            last_event_at=MOMENT,
            team_id=team,
        )
    for owner in USERS:
        yield a_belief(f"{owner} likes tea", user=owner)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    stores = open_stores(":memory:", now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
    nodes: list[Node] = [*_sources(), *_stories()]
    vector = np.ones(DIMENSIONS, dtype=np.float32)
    for node in nodes:
        own = Scope(user_id=node.user_id, teams=frozenset(TEAMS))
        stores.graph.put(own, node)
        if isinstance(node, Source):
            stores.graph.put_passages(own, node.key, [a_passage(node, 0, f"{WORDS} {node.key}")])
        stores.index.put(
            [
                Entry(
                    key=node.key,
                    kind=node.kind,
                    owner_key=node.key,
                    text=f"{WORDS} {node.key[:8]}",
                    vector=vector,
                    readers=node.readers,
                    team=node.team,
                )
            ]
        )
    yield World(stores, nodes)
    stores.close()


some = st.frozensets(st.sampled_from(TEAMS))
scopes = st.builds(
    Scope,
    user_id=st.sampled_from((*USERS, "tom")),
    teams=some,
    left=some,
    narrowed_to=st.none() | st.sampled_from((*TEAMS, "green")),
    hidden=st.frozensets(st.sampled_from(sorted(one.key for one in _sources())), max_size=20),
)
EVERY = len(USERS) * 100


@settings(max_examples=times(20, 400), deadline=None)
@given(scope=scopes)
def test_the_graph_shows_what_the_rule_allows(world: World, scope: Scope) -> None:
    graph, keys = world.stores.graph, [one.key for one in world.nodes]
    assert graph.get_many(scope, keys).keys() == world.may(scope)
    for kind in KINDS:
        assert {one.key for one in graph.select(scope, Nodes(NODE_TYPES[kind]))} == world.may(
            scope, kind
        )
    assert {key for key in keys if graph.keys_beginning(scope, key)} == world.may(scope)
    newest = {one.key for one in graph.select(scope, Nodes(Source, order=("-started_at",)))}
    assert newest == world.may(scope, Kind.SOURCE)
    allowed = world.may(scope, Kind.SOURCE)
    for node in world.nodes:
        if isinstance(node, Source):
            assert bool(graph.passages(scope, node.key)) is (node.key in allowed)


@settings(max_examples=times(20, 400), deadline=None)
@given(scope=scopes)
def test_the_index_finds_what_the_rule_allows(world: World, scope: Scope) -> None:
    index, unit = world.stores.index, np.ones(DIMENSIONS, dtype=np.float32)
    question = Question(text=WORDS, vector=unit, weights={"lexical": 1.0, "dense": 1.0})
    allowed = world.may(scope)
    assert {one.key for one in index.near(scope, unit, kinds=(), limit=EVERY)} == allowed
    assert {one.key for one in index.match(scope, WORDS, kinds=(), limit=EVERY)} == allowed
    assert {one.key for one in index.weigh(scope, question, kinds=(), limit=EVERY)} == allowed
    assert index.vectors(scope, [one.key for one in world.nodes]).keys() == allowed
    within = {Kind.SOURCE: sorted(allowed)[:3]}
    some = {one.key for one in world.nodes if one.kind is Kind.SOURCE} & set(within[Kind.SOURCE])
    for found in (
        index.match(scope, WORDS, kinds=(Kind.SOURCE,), limit=EVERY, within=within),
        index.near(scope, unit, kinds=(Kind.SOURCE,), limit=EVERY, within=within),
    ):
        assert {one.key for one in found} == some


@settings(max_examples=times(6, 120), deadline=None)
@given(scope=scopes)
def test_cypher_sees_what_the_rule_allows(world: World, scope: Scope) -> None:
    for label, kind in (("Source", Kind.SOURCE), ("Storyline", Kind.STORYLINE)):
        asked = CypherQuestion(text=f"MATCH (n:{label}) RETURN n", now=MOMENT)
        rows = world.stores.cypher.query(scope, asked, bounds=Bounds()).rows
        assert {row[0]["key"] for row in rows} == world.may(scope, kind)


@given(scope=scopes, team=st.sampled_from(TEAMS))
def test_narrowing_only_ever_hides(world: World, scope: Scope, team: str) -> None:
    wide = replace(scope, narrowed_to=None)
    narrow = replace(scope, narrowed_to=team)
    assert world.may(narrow) <= world.may(wide)
    assert world.may(narrow) == {
        one.key
        for one in world.nodes
        if one.key in world.may(wide)
        and (one.team in (None, team))
        and (one.team == team or one.user_id == scope.user_id or f"user:{scope.user_id}" in one.readers
             or f"team:{team}" in one.readers)
    }  # fmt: skip


@pytest.mark.parametrize("sort", [Kind.STORYLINE, Kind.MACRO])
def test_stories_are_seen_by_their_team(world: World, sort: Kind) -> None:
    def owners(scope: Scope) -> list[tuple[str, str | None]]:
        found = world.stores.graph.select(scope, Nodes(NODE_TYPES[sort]))
        return sorted((one.user_id, one.team_id or "") for one in found)  # type: ignore[attr-defined]

    both = Scope(user_id="ann", teams=frozenset(TEAMS))
    own = [("ann", ""), ("ann", "blue"), ("ann", "red")]  # one's own stay, whichever the team
    assert owners(replace(both, narrowed_to="red")) == sorted(
        [*own, ("bob", "red"), ("eve", "red")]
    )
    assert owners(Scope(user_id="ann", left=frozenset(TEAMS))) == own


# -- SPEC 9, one by one -----------------------------------------------------------------------

RED = frozenset({"red"})
MEMBER, OWNER = Scope(user_id="tom", teams=RED), Scope(user_id="ann", teams=RED)
STRANGER = Scope(user_id="tom", teams=frozenset({"blue"}))
GUEST, LEAVER = Scope(user_id="bob"), Scope(user_id="bob", left=RED)
RETURNED = Scope(user_id="bob", teams=RED, left=RED)
ELSEWHERE = frozenset({"red", "blue"})

PERSONAL = {"team_id": None, "sensitivity": Sensitivity.NORMAL, "participants": ("ann", "bob")}
SHARED = {**PERSONAL, "team_id": "red"}
ALONE = {**SHARED, "participants": ("ann",)}
HIGH = {**SHARED, "sensitivity": Sensitivity.HIGH}


@pytest.mark.parametrize(
    ("scope", "fields", "sees"),
    [
        pytest.param(Scope(user_id="ann"), PERSONAL, True, id="personal: its contributor"),
        pytest.param(GUEST, PERSONAL, True, id="personal: a participant"),
        pytest.param(MEMBER, PERSONAL, False, id="personal: nobody else, whichever their teams"),
        pytest.param(MEMBER, ALONE, True, id="team: a member"),
        pytest.param(STRANGER, ALONE, False, id="team: no member of another"),
        pytest.param(GUEST, SHARED, True, id="team: a guest who is named"),
        pytest.param(GUEST, ALONE, False, id="team: no guest who is not"),
        pytest.param(LEAVER, SHARED, False, id="team: no leaver, though named"),
        pytest.param(
            Scope(user_id="ann", left=RED), SHARED, False, id="team: no leaver, though theirs"
        ),
        pytest.param(RETURNED, ALONE, True, id="team: a member who came back"),
        pytest.param(OWNER, HIGH, True, id="high: its contributor"),
        pytest.param(RETURNED, HIGH, True, id="high: a participant"),
        pytest.param(MEMBER, HIGH, False, id="high: no member"),
        pytest.param(LEAVER, HIGH, False, id="high: no leaver, though named"),
        pytest.param(replace(MEMBER, narrowed_to="red"), ALONE, True, id="narrowed: that team"),
        pytest.param(
            Scope(user_id="tom", teams=ELSEWHERE, narrowed_to="blue"),
            ALONE,
            False,
            id="narrowed: no other team",
        ),
        pytest.param(replace(GUEST, narrowed_to="blue"), SHARED, False, id="narrowed: no guest"),
        pytest.param(replace(GUEST, narrowed_to="red"), SHARED, True, id="narrowed: a guest there"),
        pytest.param(replace(GUEST, narrowed_to="red"), PERSONAL, True, id="narrowed: personal"),
        pytest.param(
            Scope(user_id="ann", teams=ELSEWHERE, narrowed_to="blue"),
            SHARED,
            False,
            id="narrowed: not one's own in another team",
        ),
        pytest.param(replace(LEAVER, narrowed_to="red"), SHARED, False, id="narrowed: no leaver"),
    ],
)
def test_who_sees_what(world: World, scope: Scope, fields: dict[str, object], sees: bool) -> None:
    (node,) = [
        one
        for one in world.nodes
        if isinstance(one, Source)
        and one.user_id == "ann"
        and all(getattr(one, name) == value for name, value in fields.items())
    ]
    index, unit = world.stores.index, np.ones(DIMENSIONS, dtype=np.float32)
    by_words = index.match(scope, WORDS, kinds=(Kind.SOURCE,), limit=EVERY)
    by_meaning = index.near(scope, unit, kinds=(Kind.SOURCE,), limit=EVERY)
    assert may_read(scope, node.readers, node.team) is sees
    assert (world.stores.graph.get(scope, node.key) is not None) is sees
    assert (node.key in {one.key for one in by_words}) is sees
    assert (node.key in {one.key for one in by_meaning}) is sees
