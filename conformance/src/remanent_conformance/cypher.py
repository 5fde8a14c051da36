"""What everybody who answers Cypher promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

import pytest

from remanent.core.model.belief import BeliefStatus, Change, ChangeKind
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.scope import Scope
from remanent.core.model.search import Rows
from remanent.core.model.source import Sensitivity
from remanent.core.ports.cypher import Bounds, Cypher, Question
from remanent.core.ports.graph import Graph
from remanent.cypher.language.picture import iso
from remanent.errors import BadQuery, ForbiddenQuery, QueryLimit
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_assertion,
    digest,
)

DAY = timedelta(days=1)
SARAH = a_person("Sarah Chen")
TOM = a_person("Tom Berg")
NAMES = "MATCH (p:Person) RETURN p.name ORDER BY p.name"
TITLES = "MATCH (s:Source) RETURN s.title ORDER BY s.title"


class CypherStores(Protocol):
    """A graph, and who answers queries about it."""

    @property
    def graph(self) -> Graph: ...

    @property
    def cypher(self) -> Cypher: ...


class CypherContract:
    """Override `new_stores`."""

    @pytest.fixture
    def new_stores(self) -> Callable[[], CypherStores]:
        raise NotImplementedError("a function that makes an empty graph with its `cypher`")

    @pytest.fixture
    def stores(self, new_stores: Callable[[], CypherStores]) -> CypherStores:
        """With Sarah and Tom, who are friends, in ann's graph."""
        stores = new_stores()
        for node in (SARAH, TOM):
            stores.graph.put(a_scope(), node)
        stores.graph.relate(a_scope(), a_relationship(SARAH.key, TOM.key))
        return stores

    def ask(
        self, stores: CypherStores, text: str, scope: Scope | None = None, **options: Any
    ) -> Rows:
        bounds = options.pop("bounds", Bounds(seconds=20.0))
        question = Question(text=text, now=MOMENT + DAY, **options)
        return stores.cypher.query(scope or a_scope(), question, bounds=bounds)

    # -- answers ------------------------------------------------------------------------------

    def test_rows_come_back_as_plain_values(self, stores: CypherStores) -> None:
        result = self.ask(stores, "MATCH (p:Person {name: $name}) RETURN p.key, p.is_owner, p.aliases AS a",
                         parameters={"name": "Tom Berg"})  # fmt: skip
        assert result.columns == ("p.key", "p.is_owner", "a")
        assert result.rows == ((TOM.key, False, []),)
        assert result.records == [{"p.key": TOM.key, "p.is_owner": False, "a": []}]
        assert (result.truncated, result.notices) == (False, ())

    def test_a_whole_node_tells_neither_whose_it_is_nor_how_it_is_kept(
        self, stores: CypherStores
    ) -> None:
        ((node,),) = self.ask(stores, "MATCH (p {name: 'Tom Berg'}) RETURN p").rows
        assert (node["key"], node["labels"]) == (TOM.key, ["Person"])
        assert not {"created_by", "line_digest"} & node["properties"].keys()

    def test_relationships_are_followed_either_way(self, stores: CypherStores) -> None:
        query = "MATCH (p:Person {name: $n})-[r:HAS_RELATIONSHIP_WITH]-(q) RETURN q.name, r.relationship_type"
        assert self.ask(stores, query, parameters={"n": "Tom Berg"}).rows == (
            ("Sarah Chen", "friend"),
        )
        assert self.ask(stores, query, parameters={"n": "Sarah Chen"}).rows == (
            ("Tom Berg", "friend"),
        )

    def test_several_links_of_one_kind_between_two_are_one(self, stores: CypherStores) -> None:
        source = a_source(title="a walk")
        stores.graph.put(a_scope(), source)
        for name in ("Sarah", "Sarah Chen"):
            stores.graph.link(a_scope(), a_link(source.key, SARAH.key, detail=name))
        assert self.ask(stores, "MATCH (:Source)-[m:MENTIONS]->() RETURN count(m)").rows == ((1,),)

    def test_a_label_that_nothing_has_is_noticed(self, stores: CypherStores) -> None:
        result = self.ask(stores, "MATCH (p:Persson) RETURN p")
        assert result.rows == ()
        assert "Persson" in result.notices[0]

    def test_the_time_is_the_one_that_was_given(self, stores: CypherStores) -> None:
        assert self.ask(stores, "RETURN date()").rows == (((MOMENT + DAY).date().isoformat(),),)

    # -- who sees what ------------------------------------------------------------------------

    def test_what_is_personal_is_its_users_alone(self, stores: CypherStores) -> None:
        stores.graph.put(a_scope("bob"), a_person("Eve", user="bob"))
        assert self.ask(stores, NAMES).rows == (("Sarah Chen",), ("Tom Berg",))
        assert self.ask(stores, NAMES, a_scope("bob")).rows == (("Eve",),)
        assert self.ask(stores, "MATCH (n)--(m) RETURN n", a_scope("bob")).rows == ()

    def test_a_teams_source_is_its_members_and_guests(self, stores: CypherStores) -> None:
        shared = a_source("s", title="shared", team_id="red", participants=("ann", "guest"))
        stores.graph.put(a_scope("ann", "red"), shared)
        assert self.ask(stores, TITLES, a_scope("bob", "red")).rows == (("shared",),)
        assert self.ask(stores, TITLES, a_scope("guest")).rows == (("shared",),)
        assert self.ask(stores, TITLES, a_scope("bob")).rows == ()
        assert self.ask(stores, TITLES, a_scope("guest", left=("red",))).rows == ()

    def test_high_sensitivity_keeps_a_team_out(self, stores: CypherStores) -> None:
        high = a_source("h", title="high", team_id="red", sensitivity=Sensitivity.HIGH)
        stores.graph.put(a_scope("ann", "red"), high)
        assert self.ask(stores, TITLES, a_scope("bob", "red")).rows == ()
        assert self.ask(stores, TITLES, a_scope("ann", "red")).rows == (("high",),)

    def test_an_edge_is_seen_with_both_its_ends_or_not_at_all(self, stores: CypherStores) -> None:
        shared = a_source("s", title="shared", team_id="red")
        stores.graph.put(a_scope("ann", "red"), shared)
        stores.graph.link(a_scope("ann", "red"), a_link(shared.key, SARAH.key))
        query = "MATCH (s:Source) OPTIONAL MATCH (s)-[m]-(n) RETURN n.name"
        assert self.ask(stores, query, a_scope("ann", "red")).rows == (("Sarah Chen",),)
        assert self.ask(stores, query, a_scope("bob", "red")).rows == ((None,),)

    # -- when ---------------------------------------------------------------------------------

    def test_relationships_hold_now_or_then(self, stores: CypherStores) -> None:
        was = a_relationship(
            TOM.key, SARAH.key, type="boss", key="b" * 36, valid_to=MOMENT + DAY / 2
        )
        stores.graph.relate(a_scope(), was)
        query = "MATCH ()-[r]->() RETURN r.relationship_type AS t ORDER BY t"
        assert self.ask(stores, query).rows == (("friend",),)
        assert self.ask(stores, query, as_of=MOMENT).rows == (("boss",), ("friend",))
        assert self.ask(stores, query, as_of=MOMENT - DAY).rows == ()

    def test_beliefs_are_held_now_or_then(self, stores: CypherStores) -> None:
        old = a_belief("It was so", until=MOMENT + DAY / 2, status=BeliefStatus.INVALIDATED)
        gone = a_belief("It is forgotten", status=BeliefStatus.FORGOTTEN)
        for belief in (old, gone, a_belief("It is so", since=MOMENT + DAY / 2)):
            stores.graph.put(a_scope(), belief)
        query = "MATCH (b:Belief) RETURN b.statement"
        assert self.ask(stores, query).rows == (("It is so",),)
        assert self.ask(stores, query, as_of=MOMENT).rows == (("It was so",),)

    def test_relationships_as_they_were_known(self, stores: CypherStores) -> None:
        """Of day 0, told on day 1; ended on day 3, as was told on day 5."""
        source = a_source()
        stores.graph.put(a_scope(), source)
        began = an_assertion(SARAH.key, TOM.key, source.key, type="boss", description="It began.",
                             recorded_at=MOMENT + DAY)  # fmt: skip
        ended = replace(
            began,
            ended=True,
            at=MOMENT + 3 * DAY,
            recorded_at=MOMENT + 5 * DAY,
            description="Over.",
        )
        for one in (began, ended):
            stores.graph.put_assertion(a_scope(), one)
        query = "MATCH (a)-[r]->(b) RETURN a.name, r.relationship_type, [n IN r.notes | n.content], r.valid_to"
        boss = ("Sarah Chen", "boss", ["It began."], None)
        for days, as_of, wanted in (
            (0, None, ()),
            (1, None, (boss,)),
            (4, 4, (boss,)),
            (4, -1, ()),
            (5, None, ()),
            (5, 4, ()),
            (5, 2, ((*boss[:3], iso(ended.at)),)),
        ):
            when = None if as_of is None else MOMENT + as_of * DAY
            result = self.ask(stores, query, known_at=MOMENT + days * DAY, as_of=when)
            assert result.rows == wanted

    def test_nodes_links_and_notes_as_they_were_known(self, stores: CypherStores) -> None:
        early = a_source("one", title="early")
        late = a_source("two", title="late", created_at=MOMENT + 2 * DAY)
        for node in (early, late, a_person("Newcomer", created_at=MOMENT + 2 * DAY)):
            stores.graph.put(a_scope(), node)
        stores.graph.link(a_scope(), a_link(early.key, SARAH.key))
        stores.graph.link(
            a_scope(), replace(a_link(early.key, TOM.key), created_at=MOMENT + 2 * DAY)
        )
        for content, source in (("old", early), ("new", late)):
            note = a_note(SARAH.key, content, source_key=source.key)
            stores.graph.add_note(a_scope(), note)
        known = MOMENT + DAY
        assert self.ask(stores, NAMES, known_at=known).rows == (("Sarah Chen",), ("Tom Berg",))
        assert self.ask(stores, TITLES, known_at=known).rows == (("early",),)
        query = "MATCH (:Source)-[:MENTIONS]->(p) RETURN p.name, [n IN p.notes | n.content]"
        assert self.ask(stores, query, known_at=known).rows == (("Sarah Chen", ["old"]),)
        assert len(self.ask(stores, NAMES, known_at=MOMENT + 2 * DAY).rows) == 3

    def test_what_was_written_on_a_node_since_is_not_told(self, stores: CypherStores) -> None:
        written = replace(
            SARAH, description="Moved.", aliases=("Sally",), updated_at=MOMENT + 2 * DAY
        )
        stores.graph.put(a_scope(), written)
        query = (
            "MATCH (p:Person {name: 'Sarah Chen'}) RETURN p.description, p.aliases, p.updated_at"
        )
        assert self.ask(stores, query, known_at=MOMENT + DAY).rows == ((None, None, None),)
        row = self.ask(stores, query, known_at=MOMENT + 2 * DAY).rows[0]
        assert row[:2] == ("Moved.", ["Sally"])

    def test_beliefs_as_their_log_leaves_them(self, stores: CypherStores) -> None:
        made = Change(kind=ChangeKind.CREATED, recorded_at=MOMENT, reason="said", confidence=0.6)
        fell = Change(kind=ChangeKind.INVALIDATED, recorded_at=MOMENT + 2 * DAY, reason="it ended")
        belief = a_belief(
            "It was so",
            confidence=0.9,
            status=BeliefStatus.INVALIDATED,
            until=MOMENT + DAY / 2,
            changes=(made, fell),
        )
        stores.graph.put(a_scope(), belief)
        query = "MATCH (b:Belief) RETURN b.statement, b.confidence, b.until"
        held = (("It was so", 0.6, None),)
        assert self.ask(stores, query, known_at=MOMENT + DAY).rows == held
        assert self.ask(stores, query, known_at=MOMENT + DAY, as_of=MOMENT + DAY).rows == held
        assert self.ask(stores, query, known_at=MOMENT + 2 * DAY).rows == ()
        assert self.ask(stores, query, known_at=MOMENT - DAY).rows == ()

    def test_what_has_faded_is_there_when_asked_for(self, stores: CypherStores) -> None:
        stores.graph.put(a_scope(), replace(TOM, life=Lifecycle(state=State.ARCHIVED)))
        assert self.ask(stores, NAMES).rows == (("Sarah Chen",),)
        assert len(self.ask(stores, NAMES, include_archived=True).rows) == 2

    # -- bounds -------------------------------------------------------------------------------

    def test_rows_beyond_the_bound_are_cut_off(self, stores: CypherStores) -> None:
        result = self.ask(
            stores, "UNWIND range(1, 5) AS x RETURN x", bounds=Bounds(rows=3, seconds=20.0)
        )
        assert (result.rows, result.truncated) == (((1,), (2,), (3,)), True)
        whole = self.ask(
            stores, "UNWIND range(1, 3) AS x RETURN x", bounds=Bounds(rows=3, seconds=20.0)
        )
        assert not whole.truncated

    @pytest.mark.parametrize(
        "text",
        [
            "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)",
            f"RETURN '{'a' * 50}!' =~ '(a+)+$'",
        ],
    )
    def test_what_takes_too_long_is_ended(self, stores: CypherStores, text: str) -> None:
        with pytest.raises(QueryLimit) as ended:
            self.ask(stores, text, bounds=Bounds(seconds=0.3))
        assert ended.value.limit == "seconds"

    def test_what_takes_too_much_room_is_ended(self, stores: CypherStores) -> None:
        text = "RETURN [x IN range(1, 200000) | range(1, 200000)]"
        with pytest.raises(QueryLimit) as ended:
            self.ask(stores, text, bounds=Bounds(seconds=60.0, megabytes=64))
        assert ended.value.limit == "megabytes"

    # -- nothing else -------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "text", ["CREATE (n)", "MATCH (n) DETACH DELETE n", "LOAD CSV FROM 'x' AS l RETURN l"]
    )
    def test_a_query_only_reads(self, stores: CypherStores, text: str) -> None:
        before = digest(stores.graph.export(a_scope()))
        with pytest.raises(ForbiddenQuery):
            self.ask(stores, text)
        self.ask(stores, "MATCH (n) RETURN n")
        assert digest(stores.graph.export(a_scope())) == before

    @pytest.mark.parametrize(
        "text", ["", "MATCH", "RETURN nothing", "RETURN 1 /", "MATCH (n) RETURN n.name +"]
    )
    def test_what_cannot_be_read_is_refused(self, stores: CypherStores, text: str) -> None:
        with pytest.raises(BadQuery):
            self.ask(stores, text)
