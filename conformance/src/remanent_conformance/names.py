"""What every graph promises of the names of anchors."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.core.model.anchor import Name
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.ports.graph import Graph
from remanent.testing.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_person,
    a_scope,
    a_source,
    an_entity,
)
from remanent_conformance.part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")


def _found(graph: Graph, *words: str, kind: Kind = Kind.PERSON) -> set[str]:
    return {name.name for name in graph.named(ANN, kind, words)}


class NamesContract(GraphPart):
    """Part of `GraphContract`."""

    def test_names_are_what_the_callers_anchors_are_called(self, graph: Graph) -> None:
        owner = a_person("Ann Lee", aliases=("Ann", "A."), is_owner=True)
        entity = an_entity("Acme", type="project")
        for node in (owner, entity, a_concept("peace"), a_belief(), a_source()):
            graph.put(ANN, node)
        graph.put(BOB, a_person("Eve", user="bob"))
        expected = [
            Name(
                key=owner.key,
                kind=Kind.PERSON,
                name="Ann Lee",
                aliases=("Ann", "A."),
                is_owner=True,
            ),
            Name(key=entity.key, kind=Kind.ENTITY, name="Acme", type="project"),
            Name(key=a_concept("peace").key, kind=Kind.CONCEPT, name="peace"),
        ]
        assert graph.names(ANN) == sorted(expected, key=lambda name: name.key)

    def test_named_finds_by_a_word_of_the_name_or_of_an_alias(self, graph: Graph) -> None:
        people = [
            a_person("Sarah Chen", aliases=("Sal", "Dr. Chen")),
            a_person("Wei Chen"),
            a_person("Tom Berg", aliases=("Sarah's Tom",), is_owner=True),
        ]
        for node in (*people, an_entity("Chen Ltd", type="organization"), a_belief("Chen")):
            graph.put(ANN, node)
        names = {name.key: name for name in graph.names(ANN)}
        sarah, wei, tom = (names[person.key] for person in people)
        by_key = sorted((sarah, wei), key=lambda name: name.key)
        assert graph.named(ANN, Kind.PERSON, ["chen"]) == by_key
        assert graph.named(ANN, Kind.PERSON, ["sal"]) == [sarah]
        assert graph.named(ANN, Kind.PERSON, {"berg", "nobody"}) == [tom]
        assert _found(graph, "SARAH") == {"Sarah Chen", "Tom Berg"}
        assert _found(graph, "chen", "tom") == {"Sarah Chen", "Wei Chen", "Tom Berg"}
        assert _found(graph, "chen", kind=Kind.ENTITY) == {"Chen Ltd"}
        assert _found(graph, "sar") == _found(graph, "") == _found(graph) == set()
        assert _found(graph, "%", "*") == set()

    @pytest.mark.parametrize(
        "name",
        ["Sarah Chén", "ǅemal", "İnci Öz", "Σίσυφος", "Ms. ẞtraße", "ﬀion", "ᾼδης", "ΐ", "नीला"],
    )
    def test_words_are_compared_as_canonical_names_are_written(
        self, graph: Graph, name: str
    ) -> None:
        graph.put(ANN, a_person(name))
        for word in (*canonical_name(name).split("-"), *name.split()):
            assert _found(graph, word) == {name}, word

    def test_named_follows_what_an_anchor_is_called_now(self, graph: Graph) -> None:
        sarah = a_person("Sarah Chen", aliases=("Sal",))
        graph.put(ANN, sarah)
        counted = replace(sarah, source_count=3, updated_at=MOMENT + timedelta(days=1))
        graph.put(ANN, counted)
        assert _found(graph, "sal") == {"Sarah Chen"}
        graph.put(ANN, replace(counted, aliases=("Sally",)))
        assert _found(graph, "sal") == set()
        assert _found(graph, "sally") == _found(graph, "chen") == {"Sarah Chen"}
        graph.put(ANN, replace(counted, name="Sarah Berg", canonical_name="sarah-berg"))
        assert _found(graph, "chen") == _found(graph, "sally") == set()
        assert _found(graph, "berg") == {"Sarah Berg"}
        graph.remove(ANN, sarah.key)
        assert _found(graph, "berg") == set()

    def test_named_gives_the_callers_own(self, graph: Graph) -> None:
        graph.put(BOB, a_person("Sarah Chen", user="bob"))
        assert _found(graph, "sarah") == set()
        assert len(graph.named(BOB, Kind.PERSON, ["sarah"])) == 1
