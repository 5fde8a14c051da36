"""What every graph promises of fading, of lives by key, and of what sources tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remanent.core import lifecycle
from remanent.core.lifecycle import EPISODIC, LifecycleRules
from remanent.core.model.anchor import Concept
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.lifecycle_reports import SourceFactKind, SourceFacts
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import ProcessingStatus
from remanent.core.ports.graph import Graph, KeptSources, Nodes
from remanent.retrieval.rules import ranking
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
    an_assertion,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY: Final = timedelta(days=1)
RULES: Final = LifecycleRules()
SARAH, TOM = a_person("Sarah"), a_person("Tom")

lives = st.builds(
    Lifecycle,
    salience=st.floats(0.0, 1.0),
    state=st.sampled_from(State),
    ttl_policy=st.sampled_from(TtlPolicy),
    access_count=st.integers(0, 50),
    recall_frequency=st.integers(0, 10_000),
    last_recall_interval=st.floats(0.0, 400.0),
    decay_gradient=st.floats(-1.0, 200.0),
    last_accessed_at=st.none() | st.integers(0, 50 * 24).map(lambda hours: later(hours / 24)),
    decayed_at=st.none() | st.integers(0, 50 * 24).map(lambda hours: later(hours / 24)),
)
figures = st.sampled_from(
    (
        RULES,
        LifecycleRules(base_rate=0.1, certain_from=0.5, doubt_factor=5.0),
        LifecycleRules(archive_below=0.0),
        LifecycleRules(archive_below=0.3, ephemeral_days_episodic=3.5),
    )
)
# What happens to a memory: so many hours pass, and then it fades (False) or is asked for (True).
schedules = st.lists(st.tuples(st.integers(0, 24 * 90), st.booleans()), min_size=1, max_size=6)


def later(days: float) -> datetime:
    return MOMENT + days * DAY


def one_of_each(life: Lifecycle, confidence: float) -> tuple[list[Node], Relationship]:
    """A memory of every sort that fades in its own way, all with that life."""
    nodes: list[Node] = [
        replace(SARAH, life=life, confidence=confidence),
        replace(TOM, life=life, confidence=confidence),
        a_source(life=life),
        a_storyline(SARAH.key, life=life),
        a_belief(life=life, confidence=confidence),
    ]
    return nodes, a_relationship(SARAH.key, TOM.key, life=life, confidence=confidence)


def as_ruled(one: Node | Relationship, now: datetime, rules: LifecycleRules) -> Lifecycle:
    kind = one.kind if isinstance(one, Node) else Kind.RELATIONSHIP
    return lifecycle.faded(
        one.life,
        confidence=getattr(one, "confidence", None),
        created_at=one.created_at,
        now=now,
        episodic=kind in EPISODIC,
        rules=lifecycle.rules_for(kind, rules),
    )


def life_of(graph: Graph, key: str) -> Lifecycle:
    thing = graph.get(ANN, key) or graph.relationship(ANN, key)
    assert thing is not None
    return thing.life


class DecayContract(GraphPart):
    """Part of `GraphContract`."""

    # -- fading -------------------------------------------------------------------------------

    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(life=lives, confidence=st.floats(0.0, 1.0), schedule=schedules, rules=figures)
    def test_any_schedule_of_fading_and_access_ends_where_the_rule_does(
        self,
        new_graph: Callable[[], Graph],
        life: Lifecycle,
        confidence: float,
        schedule: list[tuple[int, bool]],
        rules: LifecycleRules,
    ) -> None:
        graph = new_graph()
        nodes, related = one_of_each(life, confidence)
        for node in nodes:
            graph.put(ANN, node)
        graph.relate(ANN, related)
        ruled: dict[str, Node | Relationship] = {one.key: one for one in nodes}
        ruled[related.key] = related
        now = later(50)
        for hours, is_accessed in (*schedule, (0, False)):
            now += timedelta(hours=hours)
            if is_accessed:
                graph.touch(ANN, list(ruled), partial(lifecycle.accessed, now=now, rules=rules))
                ruled = {
                    key: replace(one, life=lifecycle.accessed(one.life, now, rules))
                    for key, one in ruled.items()
                }
            else:
                graph.fade(ANN, now, rules)
                ruled = {
                    key: replace(one, life=as_ruled(one, now, rules)) for key, one in ruled.items()
                }
        for key, expected in ruled.items():
            found = life_of(graph, key)
            assert found.salience == pytest.approx(expected.life.salience, rel=1e-9, abs=1e-12)
            if not math.isclose(expected.life.salience, rules.archive_below, rel_tol=1e-9):
                assert found == replace(expected.life, salience=found.salience)

    def test_a_step_across_the_archive_ends_where_two_around_it_do(self, graph: Graph) -> None:
        doubted = a_concept("doubt", confidence=0.3)
        certain = a_concept("sureness", confidence=0.9)
        graph.put(ANN, doubted)
        graph.put(ANN, certain)
        graph.fade(ANN, later(400), RULES)
        rate = 0.02 * (1 + 2 * 0.7)
        lived = math.log(0.5 / 0.01) / rate
        closed = 0.01 * math.exp(-0.02 * (400 - lived))
        assert life_of(graph, doubted.key).salience == pytest.approx(closed, rel=1e-9)
        assert life_of(graph, doubted.key).state is State.ARCHIVED
        assert life_of(graph, certain.key).salience == 0.5

    def test_it_tells_what_it_did_and_a_second_time_there_is_nothing_to_do(
        self, graph: Graph
    ) -> None:
        old, kept = a_source("old"), a_source("kept", life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))  # fmt: skip
        fresh = a_source("fresh", created_at=later(199))
        for one in (old, kept, fresh, SARAH):
            graph.put(ANN, one)
        parts: list[float] = []
        done = graph.fade(ANN, later(200), RULES, share=parts.append)
        assert (done.faded, dict(done.archived), done.first) == (3, {Kind.SOURCE: 1}, (old.key,))
        assert parts[-1] == 1.0
        before = list(graph.export(ANN))
        again = graph.fade(ANN, later(200), RULES)
        assert (again.faded, dict(again.archived), again.first) == (0, {}, ())
        assert list(graph.export(ANN)) == before

    def test_what_is_archived_fades_on_unnoticed(self, graph: Graph) -> None:
        gone = a_source(life=Lifecycle(state=State.ARCHIVED, salience=0.5))
        graph.put(ANN, gone)
        done = graph.fade(ANN, later(35), RULES)
        assert (done.faded, dict(done.archived)) == (0, {})
        assert life_of(graph, gone.key).salience == pytest.approx(0.5 * math.exp(-0.7), rel=1e-9)

    def test_only_the_first_archived_are_named(self, graph: Graph) -> None:
        for number in range(5):
            graph.put(ANN, a_source(f"number {number}"))
        done = graph.fade(ANN, later(300), RULES, most=3)
        assert len(set(done.first)) == 3
        assert done.archived == {Kind.SOURCE: 5}

    def test_what_is_still_to_come_is_left_alone(self, graph: Graph) -> None:
        graph.put(ANN, a_source(life=Lifecycle(decayed_at=later(10))))
        assert graph.fade(ANN, later(9), RULES).faded == 0

    def test_a_belief_fades_and_is_never_archived(self, graph: Graph) -> None:
        belief = a_belief()
        graph.put(ANN, belief)
        done = graph.fade(ANN, later(1000), RULES)
        assert (done.faded, dict(done.archived)) == (1, {})
        assert life_of(graph, belief.key).state is State.CANDIDATE

    def test_nobody_elses_memory_fades(self, graph: Graph) -> None:
        mine, theirs = a_source("mine"), a_source("theirs", user="bob", participants=("bob", "ann"))
        graph.put(ANN, mine)
        graph.put(BOB, theirs)
        graph.fade(ANN, later(300), RULES)
        assert life_of(graph, mine.key).state is State.ARCHIVED
        assert life_of(graph, theirs.key) == theirs.life

    def test_more_than_one_step(self, graph: Graph) -> None:
        for number in range(2_100):
            graph.put(ANN, a_concept(f"number {number}", confidence=0.5))
        done = graph.fade(ANN, later(10), RULES)
        assert done.faded == 2_100
        states = {one.life.decayed_at for one in graph.select(ANN, Nodes(Concept, limit=3_000))}
        assert states == {later(10)}

    def test_what_faded_weighs_less_at_once(self, graph: Graph) -> None:
        for person in (SARAH, TOM):
            graph.put(ANN, person)
        certain = a_relationship(SARAH.key, TOM.key, type="sibling", confidence=0.9)
        friend = a_relationship(SARAH.key, TOM.key, confidence=0.5)
        for one in (certain, friend):
            graph.relate(ANN, one)
        for days in (10, 30):
            graph.fade(ANN, later(days), RULES)
            edges = graph.edges(ANN)
            strengths = dict(zip(edges.edge_keys, edges.strength.tolist(), strict=True))
            faded = 0.5 * math.exp(-0.04 * days)
            assert strengths == pytest.approx(
                {
                    certain.key: ranking.strength(0.5, 0.9, 3),
                    friend.key: ranking.strength(faded, 0.5, 3),
                }
            )

    def test_archived_sources_are_not_among_those_that_may_answer(self, graph: Graph) -> None:
        old, fresh = a_source("old"), a_source("fresh", created_at=later(290))
        for one in (old, fresh):
            graph.put(ANN, one)
        assert len(graph.sources_like(ANN, SearchRequest(query="x", kinds=(Kind.SOURCE,)))) == 2
        graph.fade(ANN, later(300), RULES)
        assert graph.sources_like(ANN, SearchRequest(query="x", kinds=(Kind.SOURCE,))) == [
            fresh.key
        ]
        every = graph.sources_like(
            ANN, SearchRequest(query="x", kinds=(Kind.SOURCE,), include_archived=True)
        )
        assert sorted(every) == sorted([old.key, fresh.key])

    # -- by key -------------------------------------------------------------------------------

    def test_lives_are_given_by_key(self, graph: Graph) -> None:
        for person in (SARAH, TOM):
            graph.put(ANN, person)
        friend = a_relationship(SARAH.key, TOM.key)
        graph.relate(ANN, friend)
        theirs = a_source("theirs", user="bob", participants=("bob", "ann"))
        graph.put(BOB, theirs)
        core = Lifecycle(state=State.CORE, salience=0.9, last_accessed_at=later(1))
        gone = Lifecycle(state=State.ARCHIVED, salience=0.25, decayed_at=later(2))
        weight = ranking.strength(0.25, 1.0, 3)
        graph.edges(ANN)
        assert graph.touch(ANN, [SARAH.key, theirs.key, "nobody"], lambda _: core) == 1
        assert graph.touch(ANN, [friend.key], lambda _: gone) == 1
        assert graph.get(ANN, SARAH.key) == replace(SARAH, life=core)
        assert graph.relationship(ANN, friend.key) == replace(friend, life=gone)
        assert life_of(graph, theirs.key) == theirs.life
        assert graph.edges(ANN).strength.tolist() == pytest.approx([weight])

    def test_every_access_is_kept_in_its_order(self, graph: Graph) -> None:
        graph.put(ANN, SARAH)
        graph.put(ANN, TOM)
        friend = a_relationship(SARAH.key, TOM.key)
        graph.relate(ANN, friend)
        for day in range(1, 40):
            at = partial(lifecycle.accessed, now=later(day), rules=RULES)
            graph.touch(ANN, [SARAH.key, friend.key], at)
        kept = graph.accesses(ANN, SARAH.key)
        assert [one.at for one in kept][-30:] == [later(day) for day in range(10, 40)]
        assert kept[-1].after == pytest.approx(life_of(graph, SARAH.key).salience, abs=0.001)
        assert all(one.before <= one.after for one in kept)
        assert [one.at for one in graph.accesses(ANN, friend.key)] == [one.at for one in kept]
        read = lifecycle.accessed(life_of(graph, SARAH.key), later(50), RULES)
        graph.put(ANN, replace(SARAH, life=read))
        assert graph.accesses(ANN, SARAH.key)[-1].at == later(50)
        graph.put(ANN, replace(SARAH, name="Sarah Lund", life=read))  # told more of, not called on
        assert len(graph.accesses(ANN, SARAH.key)) == len(kept)
        assert graph.accesses(ANN, TOM.key) == graph.accesses(ANN, "nobody") == []
        assert graph.accesses(BOB, SARAH.key) == []

    def test_own_keys_by_their_beginning(self, graph: Graph) -> None:
        for person in (SARAH, TOM):
            graph.put(ANN, person)
        friend = a_relationship(SARAH.key, TOM.key)
        graph.relate(ANN, friend)
        theirs = a_source("theirs", user="bob", participants=("bob", "ann"))
        graph.put(BOB, theirs)
        assert graph.keys_beginning(ANN, SARAH.key[:12], own=True) == [SARAH.key]
        assert graph.keys_beginning(ANN, friend.key[:12], own=True) == [friend.key]
        assert graph.keys_beginning(ANN, theirs.key[:12], own=True) == []
        assert graph.keys_beginning(ANN, "", own=True) == sorted([SARAH.key, TOM.key, friend.key])
        assert len(graph.keys_beginning(ANN, "", limit=2, own=True)) == 2

    # -- what sources tell --------------------------------------------------------------------

    def test_how_many_sources_are_kept(self, graph: Graph) -> None:
        graph.put(ANN, a_source("one"))
        graph.put(ANN, a_source("two", life=Lifecycle(state=State.ARCHIVED)))
        graph.put(ANN, a_source("a team's", team_id="acme"))
        graph.put(BOB, a_source("theirs", user="bob", participants=("bob", "ann")))
        assert graph.source_counts(ANN) == KeptSources(kept=1, all=2)
        assert graph.source_counts(BOB) == KeptSources(kept=1, all=1)

    def test_how_many_sources_a_team_holds(self, graph: Graph) -> None:
        graph.put(ANN, a_source("one", team_id="acme"))
        graph.put(BOB, a_source("two", user="bob", team_id="acme"))
        graph.put(ANN, a_source("her own"))
        member = a_scope("ann", "acme")
        assert graph.source_counts(member, "acme") == KeptSources(kept=2, all=2)
        assert graph.source_counts(BOB, "acme") == KeptSources(kept=0, all=0)

    def test_what_a_source_tells(self, graph: Graph) -> None:
        source = a_source(processing_status=ProcessingStatus.EXTRACTED)
        held = a_belief("She lives in Oslo", importance=8, confidence=0.9)
        fallen = a_belief("She lives in Rome", status=BeliefStatus.INVALIDATED)
        for node in (SARAH, TOM, source, held, fallen):
            graph.put(ANN, node)
        graph.relate(ANN, a_relationship(SARAH.key, TOM.key, confidence=0.6))
        graph.relate(ANN, a_relationship(SARAH.key, TOM.key, type="boss", valid_to=later(1)))
        for belief in (held, fallen):
            graph.link(ANN, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS))
        graph.link(ANN, a_link(source.key, SARAH.key))
        for type_ in ("friend", "boss"):
            graph.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, source.key, type=type_))
        graph.add_note(ANN, a_note(SARAH.key, "Cello.", source_key=source.key))
        graph.add_note(ANN, a_note(SARAH.key, "Over.", source_key=source.key, expires_at=later(2)))
        (facts,) = graph.source_facts(ANN, later(3))
        assert (facts.key, facts.is_settled, facts.is_pinned) == (source.key, True, False)
        assert sorted((one.sort, one.confidence, one.importance) for one in facts.told) == [
            (SourceFactKind.BELIEF, 0.9, 8.0),
            (SourceFactKind.MENTION, 1.0, 5.0),
            (SourceFactKind.NOTE, 1.0, 5.0),
            (SourceFactKind.RELATIONSHIP, 0.6, 5.0),
        ]
        assert facts.fallen == 2

    def test_beliefs_nobody_asked_for_are_told_apart_where_others_were(self, graph: Graph) -> None:
        source, one, other = a_source(), a_belief(), a_belief("I like rain")
        for node in (source, one, other):
            graph.put(ANN, node)
        for belief in (one, other):
            graph.link(ANN, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS))

        def asked_for() -> list[bool]:
            (facts,) = graph.source_facts(ANN, later(1))
            return sorted(each.was_asked_for for each in facts.told)

        assert asked_for() == [True, True]
        graph.put(ANN, replace(one, life=Lifecycle(access_count=1)))
        assert asked_for() == [False, True]

    def test_what_the_sentences_of_a_source_bring_together_is_told_once(self, graph: Graph) -> None:
        source = a_source()
        graph.put(ANN, source)
        passage = replace(
            a_passage(source), text="Ask Ann about Atlas. It rained. Ask Ann about Atlas."
        )
        graph.put_passages(ANN, source.key, [passage])
        (facts,) = graph.source_facts(ANN, later(1))
        assert [one.sort for one in facts.told] == [SourceFactKind.HINT]

    def test_two_sources_that_tell_the_same_tell_one_thing(self, graph: Graph) -> None:
        sources = [a_source("one"), a_source("two", life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))]  # fmt: skip
        held = a_belief()
        for node in (SARAH, TOM, held, *sources):
            graph.put(ANN, node)
        graph.relate(ANN, a_relationship(SARAH.key, TOM.key))
        for source in sources:
            graph.link(ANN, a_link(source.key, held.key, kind=LinkKind.SUPPORTS))
            graph.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, source.key))
            graph.add_note(ANN, a_note(SARAH.key, source_key=source.key))
        one, two = graph.source_facts(ANN, later(1))
        assert {told.thing for told in one.told} == {told.thing for told in two.told}
        assert len(one.told) == 3
        assert {each.key: each.is_pinned for each in (one, two)} == {
            sources[0].key: False,
            sources[1].key: True,
        }

    def test_an_end_that_was_told_holds_until_it_begins_anew(self, graph: Graph) -> None:
        source = a_source()
        for node in (SARAH, TOM, source):
            graph.put(ANN, node)
        closed = a_relationship(SARAH.key, TOM.key, valid_to=later(1))
        graph.relate(ANN, closed)
        graph.put_assertion(
            ANN, an_assertion(SARAH.key, TOM.key, source.key, ended=True, at=later(1))
        )
        assert [_numbers(one) for one in graph.source_facts(ANN, later(2))] == [(1, 0)]
        graph.relate(ANN, replace(closed, key="again", valid_from=later(5), valid_to=None))
        assert [_numbers(one) for one in graph.source_facts(ANN, later(6))] == [(0, 1)]

    def test_only_own_unarchived_sources_of_no_team_are_told_of(self, graph: Graph) -> None:
        plain = a_source("plain")
        others = (
            a_source("archived", life=Lifecycle(state=State.ARCHIVED)),
            a_source("a team's", team_id="acme"),
        )
        for source in (plain, *others):
            graph.put(ANN, source)
        graph.put(BOB, a_source("theirs", user="bob", participants=("bob", "ann")))
        assert [one.key for one in graph.source_facts(ANN, later(1))] == [plain.key]

    def test_anothers_beliefs_say_nothing_of_ones_own_source(self, graph: Graph) -> None:
        source = a_source(participants=("ann", "bob"))
        theirs = a_belief(user="bob")
        graph.put(ANN, source)
        graph.put(BOB, theirs)
        graph.link(BOB, a_link(source.key, theirs.key, kind=LinkKind.SUPPORTS, user="bob"))
        assert [_numbers(one) for one in graph.source_facts(ANN, later(1))] == [(0, 0)]


def _numbers(one: SourceFacts) -> tuple[int, int]:
    return len(one.told), one.fallen
