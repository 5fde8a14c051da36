"""What every graph promises of what must not leave the machine."""

from __future__ import annotations

from remanent.core.model.belief import Support
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import Artifact, Sensitivity, Source
from remanent.core.model.story import Macro
from remanent.core.ports.graph import Graph
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
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


def secret(graph: Graph, text: str = "My illness.", **fields: object) -> Source:
    source = a_source(text, user="ann", sensitivity=Sensitivity.HIGH, **fields)
    graph.put(ANN, source)
    return source


def plain(graph: Graph) -> Source:
    source = a_source("My garden.", user="ann")
    graph.put(ANN, source)
    return source


class SensitivityContract(GraphPart):
    def test_a_source_of_high_sensitivity_is_private_and_no_other(self, graph: Graph) -> None:
        hidden, shown = secret(graph), plain(graph)
        assert graph.private(ANN, [hidden.key, shown.key, "nothing"]) == {hidden.key}
        assert graph.private(ANN, []) == frozenset()
        assert graph.private(BOB, [hidden.key]) == frozenset()

    def test_nothing_is_private_where_nothing_is_sensitive(self, graph: Graph) -> None:
        assert graph.private(ANN, [plain(graph).key]) == frozenset()

    def test_an_anchor_that_it_mentions_is_private_with_or_without_notes(
        self, graph: Graph
    ) -> None:
        """A description outlives the notes that it was made from."""
        hidden, shown = secret(graph), plain(graph)
        sarah, tom, una = (a_person(name, user="ann") for name in ("Sarah", "Tom", "Una"))
        for one in (sarah, tom, una):
            graph.put(ANN, one)
        graph.link(ANN, a_link(hidden.key, sarah.key))
        graph.link(ANN, a_link(shown.key, tom.key))
        graph.add_note(ANN, a_note(una.key, user="ann", source_key=hidden.key))
        keys = [sarah.key, tom.key, una.key]
        assert graph.private(ANN, keys) == {sarah.key, una.key}

    def test_merged_anchors_share_their_privacy(self, graph: Graph) -> None:
        hidden = secret(graph)
        sarah, sally = a_person("Sarah", user="ann"), a_person("Sally", user="ann")
        graph.put(ANN, sarah)
        graph.put(ANN, sally)
        graph.link(ANN, a_link(hidden.key, sally.key))
        graph.link(ANN, a_link(sally.key, sarah.key, kind=LinkKind.SAME_AS))
        assert graph.private(ANN, [sarah.key]) == {sarah.key}

    def test_a_belief_is_private_by_its_supports_and_by_what_it_was_drawn_from(
        self, graph: Graph
    ) -> None:
        hidden, shown = secret(graph), plain(graph)

        def support_of(by: Source) -> tuple[Support, ...]:
            return (Support(event_id="e", statement="so", at=MOMENT, source_key=by.key),)

        open_ = a_belief("I garden", user="ann", supports=support_of(shown))
        ill = a_belief("I am ill", user="ann", supports=support_of(hidden))
        drawn = a_belief("I suffer", user="ann", derived_from=(open_.key, ill.key))
        deeper = a_belief("Life is hard", user="ann", derived_from=(drawn.key,))
        for one in (open_, ill, drawn, deeper):
            graph.put(ANN, one)
        keys = [one.key for one in (open_, ill, drawn, deeper)]
        assert graph.private(ANN, keys) == set(keys[1:])

    def test_a_relationship_is_private_by_notes_and_by_assertions(self, graph: Graph) -> None:
        hidden = secret(graph)
        sarah, acme, bolt = a_person("Sarah"), an_entity("Acme"), an_entity("Bolt")
        for one in (sarah, acme, bolt):
            graph.put(ANN, one)
        noted = a_relationship(sarah.key, acme.key)
        asserted = a_relationship(sarah.key, bolt.key)
        free = a_relationship(acme.key, bolt.key)
        for each in (noted, asserted, free):
            graph.relate(ANN, each)
        graph.add_note(ANN, a_note(noted.key, source_key=hidden.key))
        graph.put_assertion(
            ANN,
            an_assertion(
                sarah.key,
                bolt.key,
                hidden.key,
                kind=asserted.kind,
                relationship_type=asserted.relationship_type,
            ),
        )
        keys = [noted.key, asserted.key, free.key]
        assert graph.private(ANN, keys) == {noted.key, asserted.key}
        assert graph.private(BOB, keys) == frozenset()

    def test_stories_are_private_by_their_sources_and_by_their_anchor(self, graph: Graph) -> None:
        hidden, shown = secret(graph), plain(graph)
        sarah, tom = a_person("Sarah", user="ann"), a_person("Tom", user="ann")
        graph.put(ANN, sarah)
        graph.put(ANN, tom)
        graph.link(ANN, a_link(hidden.key, sarah.key))
        about, including = a_storyline(sarah.key, user="ann"), a_storyline(tom.key, user="ann")
        macro = Macro(
            key="macro",
            user_id="ann",
            created_at=MOMENT,
            updated_at=MOMENT,
            anchor_key=tom.key,
            name="all of it",
            started_at=MOMENT,
            last_event_at=MOMENT,
        )
        for one in (about, including, macro):
            graph.put(ANN, one)
        graph.link(ANN, a_link(about.key, sarah.key, kind=LinkKind.ABOUT))
        graph.link(ANN, a_link(including.key, shown.key, kind=LinkKind.INCLUDES))
        graph.link(ANN, a_link(macro.key, including.key, kind=LinkKind.GROUPS))
        keys = [about.key, including.key, macro.key]
        assert graph.private(ANN, keys) == {about.key}
        graph.link(ANN, a_link(including.key, hidden.key, kind=LinkKind.INCLUDES))
        assert graph.private(ANN, keys) == set(keys)

    def test_what_was_produced_from_it_is_private(self, graph: Graph) -> None:
        hidden = secret(graph)
        made = Artifact(
            key="artifact", user_id="ann", created_at=MOMENT, updated_at=MOMENT, name="memo"
        )
        graph.put(ANN, made)
        assert graph.private(ANN, [made.key]) == frozenset()
        graph.link(ANN, a_link(hidden.key, made.key, kind=LinkKind.PRODUCED))
        assert graph.private(ANN, [made.key]) == {made.key}
        assert made.kind is Kind.ARTIFACT

    def test_a_participant_is_asked_for_the_same_discretion(self, graph: Graph) -> None:
        hidden = secret(graph, participants=("ann", "bob"))
        sarah = a_person("Sarah", user="bob")
        graph.put(BOB, sarah)
        graph.link(BOB, a_link(hidden.key, sarah.key, user="bob"))
        assert graph.private(BOB, [hidden.key, sarah.key]) == {hidden.key, sarah.key}
