"""What every graph promises of extractions, and of taking back what was drawn from a source."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.core.model.anchor import Bearer, Lifetime
from remanent.core.model.belief import BeliefType
from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Extraction,
    Findings,
    NoteDraft,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.errors import UnknownKey
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_assertion,
    an_extraction,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
MEMBER = a_scope("bob", "red")
DAY = timedelta(days=1)
SOURCE = a_source(team_id="red")
LATER = a_source("Another day.")
WHOLE = an_extraction(
    SOURCE.key,
    candidates=(
        Candidate(
            kind=Kind.ENTITY,
            name="Acme",
            confidence=8.5,
            subpoints=("makes anvils", "is in Oslo"),
            type="organization",
            aliases=("ACME Ltd",),
        ),
    ),
    findings=Findings(
        notes=(NoteDraft(anchor="Acme", content="Makes anvils.", lifetime=Lifetime.YEAR),),
        relations=(
            RelationDraft(
                src="Sarah",
                dst="Acme",
                relationship_type="works_at",
                description="Works there.",
                attitude=4,
                proximity=2,
                confidence=0.9,
                ended=True,
                single=True,
            ),
        ),
    ),
    beliefs=(
        BeliefDraft(
            statement="Acme makes anvils",
            type=BeliefType.FACTUAL,
            importance=3,
            subject="Acme",
            passage_key="p1",
        ),
    ),
)


def _person(name: str, *aliases: str) -> Candidate:
    return Candidate(kind=Kind.PERSON, name=name, confidence=8, subpoints=(), aliases=aliases)


def _people(user: str) -> tuple[str, str]:
    return a_person("Sarah", user=user).key, a_person("Tom", user=user).key


def _write_all(graph: Graph, scope: Scope, source_key: str) -> None:
    """One note, one assertion and one `mentions` link of that source, for people of the caller's."""
    user = scope.user_id
    sarah, tom = _people(user)
    for name in ("Sarah", "Tom"):
        graph.put(scope, a_person(name, user=user))
    graph.add_note(scope, a_note(sarah, user=user, source_key=source_key))
    graph.put_assertion(scope, an_assertion(sarah, tom, source_key, user=user))
    graph.link(scope, a_link(source_key, sarah, user=user))


def _count_written(graph: Graph, scope: Scope, source_key: str) -> tuple[int, int, int]:
    """How many notes, assertions and `mentions` links the caller has of that source."""
    sarah, _ = _people(scope.user_id)
    return (
        len(graph.notes_of(scope, source_key)),
        sum(one.source_key == source_key for one in graph.assertions(scope, sarah)),
        sum(
            link.src == source_key for link in graph.links(scope, sarah, kinds=[LinkKind.MENTIONS])
        ),
    )


class ExtractionsContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.fixture
    def read(self, graph: Graph) -> Graph:
        """With two sources of ann's, the first for her team."""
        for source in (SOURCE, LATER):
            graph.put(ANN, source)
        return graph

    @pytest.mark.parametrize(
        "extraction", [WHOLE, an_extraction(SOURCE.key)], ids=["whole", "bare"]
    )
    def test_an_extraction_comes_back_as_it_was_put(
        self, read: Graph, extraction: Extraction
    ) -> None:
        assert read.extraction(ANN, SOURCE.key) is None
        read.put_extraction(ANN, extraction)
        assert read.extraction(ANN, SOURCE.key) == extraction

    def test_a_newer_extraction_takes_the_place_of_the_one_before(self, read: Graph) -> None:
        read.put_extraction(ANN, WHOLE)
        newer = an_extraction(SOURCE.key, mind="another")
        read.put_extraction(ANN, newer)
        assert read.extraction(ANN, SOURCE.key) == newer
        assert read.extraction(ANN, LATER.key) is None

    def test_people_passed_over_are_found_by_a_word_of_their_names(self, read: Graph) -> None:
        eva = _person("Eva Lund", "Eva Berg")
        anna, tom = _person("Anna Romano"), _person("Tom Lie", "Tom")
        assert read.bearers(ANN, ["anna", "eva", "tom"]) == []
        extraction = an_extraction(SOURCE.key, candidates=(eva, tom), passed_over=(anna,))
        read.put_extraction(ANN, extraction)
        read.put_extraction(ANN, an_extraction(LATER.key, passed_over=(anna,)))
        romano = Bearer(name="Anna Romano", sources=2)
        lund = Bearer(name="Eva Lund", aliases=("Eva Berg",))
        assert read.bearers(ANN, ["berg", "ROMANO", "tom"]) == [romano, lund]
        assert read.bearers(MEMBER, ["romano"]) == read.bearers(ANN, ["rom", ""]) == []
        read.put_extraction(ANN, an_extraction(SOURCE.key))
        assert read.bearers(ANN, ["romano", "lund"]) == [Bearer(name="Anna Romano")]
        read.remove(ANN, LATER.key)
        assert read.bearers(ANN, ["romano"]) == []

    def test_every_reader_of_a_source_has_an_extraction_of_their_own(self, read: Graph) -> None:
        bobs = an_extraction(SOURCE.key, mind="bob's")
        read.put_extraction(ANN, WHOLE)
        assert read.extraction(MEMBER, SOURCE.key) is None
        read.put_extraction(MEMBER, bobs)
        assert read.extraction(ANN, SOURCE.key) == WHOLE
        assert read.extraction(MEMBER, SOURCE.key) == bobs
        assert read.extraction(a_scope("eve", "red"), SOURCE.key) is None

    def test_an_extraction_is_of_a_source_that_the_caller_sees(self, read: Graph) -> None:
        read.put(ANN, a_person())
        for scope, key in (
            (ANN, "nothing"),
            (ANN, a_person().key),
            (BOB, SOURCE.key),
            (MEMBER, LATER.key),
        ):
            with pytest.raises(UnknownKey):
                read.put_extraction(scope, an_extraction(key))
            assert read.extraction(scope, key) is None

    def test_whoever_leaves_loses_the_extraction_with_the_source(self, read: Graph) -> None:
        read.put_extraction(MEMBER, WHOLE)
        assert read.extraction(a_scope("bob", left=("red",)), SOURCE.key) is None
        assert read.extraction(MEMBER, SOURCE.key) == WHOLE

    def test_a_removed_source_takes_its_extractions_along(self, read: Graph) -> None:
        read.put_extraction(ANN, WHOLE)
        read.put_extraction(MEMBER, WHOLE)
        read.put(ANN, replace(SOURCE, summary="put again"))
        assert read.extraction(ANN, SOURCE.key) == WHOLE
        read.remove(ANN, SOURCE.key)
        read.put(ANN, SOURCE)
        assert read.extraction(ANN, SOURCE.key) is read.extraction(MEMBER, SOURCE.key) is None

    # -- taking back --------------------------------------------------------------------------

    def test_retracting_takes_back_what_was_drawn_from_one_source(self, read: Graph) -> None:
        for source in (SOURCE, LATER):
            _write_all(read, ANN, source.key)
        sarah, tom = _people("ann")
        first = an_assertion(tom, sarah, SOURCE.key, at=MOMENT - DAY)
        read.put_assertion(ANN, first)
        gone = read.retract(ANN, SOURCE.key)
        assert gone == [first, an_assertion(sarah, tom, SOURCE.key)]
        assert _count_written(read, ANN, SOURCE.key) == (0, 0, 0)
        assert _count_written(read, ANN, LATER.key) == (1, 1, 1)
        assert read.retract(ANN, SOURCE.key) == read.retract(ANN, "nothing") == []

    def test_retracting_leaves_the_rest(self, read: Graph) -> None:
        _write_all(read, ANN, SOURCE.key)
        sarah, tom = _people("ann")
        belief, passage = a_belief(), a_passage(SOURCE)
        supports = a_link(SOURCE.key, belief.key, kind=LinkKind.SUPPORTS)
        friends = a_relationship(sarah, tom, is_dirty=True)
        from_source, untold = a_note(friends.key, source_key=SOURCE.key), a_note(sarah)
        read.put(ANN, belief)
        read.put_passages(ANN, SOURCE.key, [passage])
        read.put_extraction(ANN, WHOLE)
        read.link(ANN, supports)
        read.relate(ANN, friends)
        for note in (from_source, untold):
            read.add_note(ANN, note)
        read.retract(ANN, SOURCE.key)
        assert set(read.get_many(ANN, [sarah, tom, belief.key])) == {sarah, tom, belief.key}
        assert read.passages(ANN, SOURCE.key) == [passage]
        assert read.extraction(ANN, SOURCE.key) == WHOLE
        assert read.links(ANN, SOURCE.key) == [supports]
        assert read.relationships(ANN, sarah) == [friends]
        assert read.notes(ANN, friends.key) == [from_source]
        assert read.notes(ANN, sarah) == [untold]

    def test_retracting_touches_the_callers_own_only(self, read: Graph) -> None:
        for scope in (ANN, MEMBER):
            _write_all(read, scope, SOURCE.key)
        assert len(read.retract(MEMBER, SOURCE.key)) == 1
        assert _count_written(read, MEMBER, SOURCE.key) == (0, 0, 0)
        assert _count_written(read, ANN, SOURCE.key) == (1, 1, 1)

    def test_whoever_has_left_can_still_retract(self, read: Graph) -> None:
        _write_all(read, MEMBER, SOURCE.key)
        assert len(read.retract(a_scope("bob", left=("red",)), SOURCE.key)) == 1
        assert _count_written(read, MEMBER, SOURCE.key) == (0, 0, 0)
