"""What every graph promises of what sleep consolidates."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import Belief
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.relationship import LinkKind
from remanent.core.model.sleep import WornSourceQuery
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.ports.graph import Graph, Nodes
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
    an_assertion,
    an_entity,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY = timedelta(days=1)
SARAH, TOM, IDEA, FIRM = a_person("Sarah"), a_person("Tom"), a_concept(), an_entity()
FRIENDS = a_relationship(SARAH.key, TOM.key)
BOBS = a_person("Sarah", user="bob")
NOW = MOMENT + 100 * DAY
WEAR = WornSourceQuery(
    before=NOW - 7 * DAY,
    since=NOW - 37 * DAY,
    untouched=NOW - 7 * DAY,
    salience_below=0.2,
    accessed_from=10,
    accessed_below=0.5,
)


class ConsolidationContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.fixture
    def with_anchors(self, graph: Graph) -> Graph:
        """With anchors of every kind and two friends, none of them dirty, and a person of bob's."""
        for node in (SARAH, TOM, IDEA, FIRM):
            graph.put(ANN, node)
        graph.relate(ANN, FRIENDS)
        graph.put(BOB, BOBS)
        return graph

    # -- dirty --------------------------------------------------------------------------------

    @pytest.mark.parametrize("on", [SARAH.key, IDEA.key, FIRM.key, FRIENDS.key])
    def test_a_new_note_makes_dirty_what_it_stands_on(self, with_anchors: Graph, on: str) -> None:
        assert with_anchors.dirty(ANN) == ([], 0)
        assert with_anchors.add_note(ANN, a_note(on))
        assert with_anchors.dirty(ANN) == ([on], 1)
        assert _is_dirty(with_anchors, on)

    @pytest.mark.parametrize("on", [SARAH.key, FRIENDS.key])
    def test_a_note_that_is_there_already_does_not(self, with_anchors: Graph, on: str) -> None:
        with_anchors.add_note(ANN, a_note(on))
        _clean(with_anchors, on)
        assert not with_anchors.add_note(ANN, a_note(on))
        assert with_anchors.dirty(ANN) == ([], 0)

    def test_a_note_changes_nothing_else_of_its_anchor(self, with_anchors: Graph) -> None:
        with_anchors.add_note(ANN, a_note(SARAH.key))
        assert with_anchors.get(ANN, SARAH.key) == replace(SARAH, is_dirty=True)

    def test_dirty_ones_come_with_most_notes_first_and_all_are_counted(
        self, with_anchors: Graph
    ) -> None:
        for on, count in ((SARAH.key, 1), (TOM.key, 3), (FRIENDS.key, 2), (IDEA.key, 1)):
            for number in range(count):
                with_anchors.add_note(ANN, a_note(on, f"Note {number}."))
        same = sorted([SARAH.key, IDEA.key])
        assert with_anchors.dirty(ANN) == ([TOM.key, FRIENDS.key, *same], 4)
        assert with_anchors.dirty(ANN, limit=2) == ([TOM.key, FRIENDS.key], 4)
        assert with_anchors.dirty(ANN, limit=0) == ([], 4)

    def test_dirty_may_ask_for_what_was_called_on_lately(self, with_anchors: Graph) -> None:
        for on in (SARAH.key, TOM.key, FRIENDS.key):
            with_anchors.add_note(ANN, a_note(on))
        called = Lifecycle(last_accessed_at=MOMENT)
        with_anchors.touch(ANN, [SARAH.key, FRIENDS.key], lambda _: called)
        keys, total = with_anchors.dirty(ANN, accessed_since=MOMENT)
        assert (sorted(keys), total) == (sorted([SARAH.key, FRIENDS.key]), 2)
        assert with_anchors.dirty(ANN, accessed_since=MOMENT + DAY) == ([], 0)

    @pytest.mark.parametrize("on", [SARAH.key, FRIENDS.key])
    def test_what_has_notes_and_no_description_is_as_good_as_dirty(
        self, with_anchors: Graph, on: str
    ) -> None:
        with_anchors.add_note(ANN, a_note(on, expires_at=MOMENT))
        _clean(with_anchors, on, description="")
        assert with_anchors.dirty(ANN) == ([on], 1)
        assert with_anchors.expired(ANN, NOW) == {}

    @pytest.mark.parametrize("on", [SARAH.key, FRIENDS.key])
    def test_blank_notes_need_no_description(self, with_anchors: Graph, on: str) -> None:
        with_anchors.add_note(ANN, a_note(on, " ", expires_at=MOMENT))
        _clean(with_anchors, on, description="")
        assert with_anchors.dirty(ANN) == ([], 0)
        assert with_anchors.expired(ANN, NOW) == {on: 1}

    def test_dirty_is_the_callers_own(self, with_anchors: Graph) -> None:
        with_anchors.add_note(BOB, a_note(BOBS.key, user="bob"))
        assert with_anchors.dirty(ANN) == ([], 0)
        assert with_anchors.dirty(BOB) == ([BOBS.key], 1)

    # -- expired ------------------------------------------------------------------------------

    def test_expired_notes_are_counted_by_where_they_stand(self, with_anchors: Graph) -> None:
        for on in (SARAH.key, FRIENDS.key):
            with_anchors.add_note(ANN, a_note(on, "For ever."))
            with_anchors.add_note(ANN, a_note(on, "For a day.", expires_at=MOMENT + DAY))
            with_anchors.add_note(ANN, a_note(on, "For two.", expires_at=MOMENT + 2 * DAY))
            _clean(with_anchors, on)
        assert with_anchors.expired(ANN, MOMENT) == {}
        both = sorted([SARAH.key, FRIENDS.key])
        assert with_anchors.expired(ANN, MOMENT + DAY) == dict.fromkeys(both, 1)
        assert list(with_anchors.expired(ANN, NOW).items()) == [(key, 2) for key in both]
        assert list(with_anchors.expired(ANN, NOW, limit=1)) == both[:1]
        assert with_anchors.expired(BOB, NOW) == {}

    def test_what_is_dirty_keeps_its_notes(self, with_anchors: Graph) -> None:
        with_anchors.add_note(ANN, a_note(SARAH.key, expires_at=MOMENT))
        assert with_anchors.expired(ANN, NOW) == {}
        _clean(with_anchors, SARAH.key)
        assert with_anchors.expired(ANN, NOW) == {SARAH.key: 1}

    # -- retract ------------------------------------------------------------------------------

    def test_what_somebody_else_added_outlives_a_retraction(self, with_anchors: Graph) -> None:
        source = a_source()
        with_anchors.put(ANN, source)
        mine = a_note(SARAH.key, "Mine.", source_key=source.key)
        other = a_note(SARAH.key, "Distilled.", source_key=source.key, added_by="sleep")
        for note in (mine, other):
            with_anchors.add_note(ANN, note)
        with_anchors.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, source.key))
        assert len(with_anchors.retract(ANN, source.key)) == 1
        assert with_anchors.notes(ANN, SARAH.key) == [other]

    # -- worn ---------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("fields", "life", "count"),
        [
            ({}, {"salience": 0.1}, True),
            ({}, {"salience": 0.2}, False),
            ({}, {"salience": 0.4, "access_count": 10, "last_accessed_at": MOMENT}, True),
            ({}, {"salience": 0.4, "access_count": 9, "last_accessed_at": MOMENT}, False),
            ({}, {"salience": 0.1, "last_accessed_at": NOW - 2 * DAY}, False),
            ({}, {"salience": 0.1, "state": State.ARCHIVED}, False),
            ({}, {"salience": 0.1, "ttl_policy": TtlPolicy.KEEP_FOREVER}, False),
            ({"started_at": NOW - 6 * DAY}, {"salience": 0.1}, False),
            ({"created_at": NOW - 6 * DAY}, {"salience": 0.1}, False),
            ({"processing_status": ProcessingStatus.PROCESSED}, {"salience": 0.1}, False),
        ],
    )
    def test_worn_is_what_is_old_and_faint(
        self, graph: Graph, fields: dict[str, Any], life: dict[str, Any], count: int
    ) -> None:
        source = _source("One.", life=Lifecycle(**life), **fields)
        graph.put(ANN, source)
        sources, total = graph.worn_sources(ANN, WEAR)
        assert ([one.key for one in sources], total) == ([source.key] * count, count)
        assert graph.worn_sources(BOB, WEAR) == ([], 0)

    def test_what_lately_came_of_age_is_told_too_but_not_as_worn(self, graph: Graph) -> None:
        old, fresh = _source("Old."), _source("Fresh.", started_at=NOW - 20 * DAY)
        worn = _source("Worn.", life=Lifecycle(salience=0.05))
        for source in (old, fresh, worn):
            graph.put(ANN, source)
        sources, total = graph.worn_sources(ANN, WEAR)
        assert [(one.key, one.is_worn) for one in sources] == [(worn.key, True), (fresh.key, False)]
        assert total == 1
        assert sources[0].salience == 0.05
        assert graph.worn_sources(ANN, WEAR, limit=1)[0] == sources[:1]

    def test_worn_ones_come_in_order_of_time_with_their_anchors(self, graph: Graph) -> None:
        life = Lifecycle(salience=0.1)
        later, first = _source("B.", started_at=MOMENT + DAY, life=life), _source("A.", life=life)
        for node in (later, first, SARAH, FIRM):
            graph.put(ANN, node)
        for detail in ("sarah", "s"):
            graph.link(ANN, a_link(first.key, SARAH.key, detail=detail))
        graph.link(ANN, a_link(first.key, FIRM.key))
        sources, _ = graph.worn_sources(ANN, WEAR)
        assert [(one.key, one.anchors) for one in sources] == [
            (first.key, frozenset({SARAH.key, FIRM.key})),
            (later.key, frozenset()),
        ]
        assert sources[0].at == MOMENT.replace(microsecond=0)

    @pytest.mark.parametrize(
        ("fields", "count"),
        [
            ({}, False),
            ({"closed_at": MOMENT}, True),
            ({"life": Lifecycle(state=State.ARCHIVED)}, True),
        ],
    )
    def test_what_an_open_storyline_includes_is_no_part_of_it(
        self, graph: Graph, fields: dict[str, Any], count: int
    ) -> None:
        source, story = (
            _source("A.", life=Lifecycle(salience=0.1)),
            a_storyline(SARAH.key, **fields),
        )
        for node in (source, story):
            graph.put(ANN, node)
        graph.link(ANN, a_link(story.key, source.key, kind=LinkKind.INCLUDES))
        assert len(graph.worn_sources(ANN, WEAR)[0]) == count

    # -- changed ------------------------------------------------------------------------------

    def test_changed_nodes_come_in_the_order_of_their_change(self, graph: Graph) -> None:
        beliefs = [
            a_belief(f"Number {n}", updated_at=MOMENT + days * DAY)
            for n, days in enumerate((3, 1, 2))
        ]
        for node in (*beliefs, SARAH):
            graph.put(ANN, node)
        third, first, second = beliefs
        assert graph.select(ANN, _changed(MOMENT)) == [first, second, third]
        assert graph.select(ANN, _changed(MOMENT + DAY)) == [second, third]
        assert graph.select(ANN, _changed(MOMENT, limit=1)) == [first]
        assert graph.select(ANN, _changed(MOMENT, after=first.key)) == [second, third]
        assert graph.select(ANN, _changed(NOW)) == []
        assert graph.select(BOB, _changed(MOMENT)) == []

    def test_changes_of_one_moment_come_in_order_of_key(self, graph: Graph) -> None:
        beliefs = [a_belief(f"Number {n}", updated_at=MOMENT + DAY) for n in range(3)]
        for node in beliefs:
            graph.put(ANN, node)
        graph.put(ANN, a_belief("Later", updated_at=MOMENT + 2 * DAY))
        in_order = sorted(beliefs, key=lambda one: one.key)
        assert graph.select(ANN, Nodes(Belief, {"updated_at": MOMENT + DAY})) == in_order
        assert graph.select(ANN, _changed(MOMENT, after=in_order[0].key, limit=2)) == in_order[1:]


def _changed(since: datetime, **rest: Any) -> Nodes[Belief]:
    return Nodes(Belief, {"updated_at >": since}, ("updated_at",), own=True, **rest)


def _source(text: str, **fields: Any) -> Source:
    return a_source(text, **{"processing_status": ProcessingStatus.EXTRACTED, **fields})


def _is_dirty(graph: Graph, key: str) -> bool:
    node = graph.get(ANN, key)
    thing = node if isinstance(node, Anchor) else graph.relationship(ANN, key)
    return thing is not None and thing.is_dirty


def _clean(graph: Graph, key: str, description: str = "Told.") -> None:
    node = graph.get(ANN, key)
    if isinstance(node, Anchor):
        graph.put(ANN, replace(node, is_dirty=False, description=description))
        return
    relationship = graph.relationship(ANN, key)
    assert relationship is not None
    graph.relate(ANN, replace(relationship, is_dirty=False, description=description))
