"""Explore: limits and fields at every granularity, filters, time, text, access, scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from remanent.anchors import relationships
from remanent.clock import SteppedClock
from remanent.core import index_entries
from remanent.core.index_entries import (
    IndexLine,
    anchor_line,
    relationship_lines,
    source_lines,
    story_lines,
)
from remanent.core.model.anchor import Anchor
from remanent.core.model.keys import key_for
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import LinkKind, Relationship, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.core.model.search import Mode, Rephrased
from remanent.core.model.source import Artifact, ProcessingStatus, Source, Turn
from remanent.core.model.story import Macro, Storyline
from remanent.core.ports.graph import Nodes
from remanent.core.records.access import Role, Team
from remanent.errors import EmbedderError, InvalidInput
from remanent.memory import Memory, UserMemory
from remanent.retrieval.candidates import NO_EMBEDDING
from remanent.retrieval.explore import NO_STORYLINES, explore_memory
from remanent.retrieval.model import Explored, ExploreRequest, NodeType
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import (
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
    an_entity,
)

ADA = a_scope("ada")
START = datetime.fromisoformat("2026-04-01T12:00+00:00")
DAY = timedelta(days=1)


class World:
    """A memory filled through the ports, to the letter."""

    def __init__(self, me: UserMemory, scope: Scope = ADA) -> None:
        self.me, self.scope, self.user = me, scope, me.user_id
        self.env = me.env
        self.graph = me.env.graph

    def index(self, lines: Sequence[IndexLine]) -> None:
        self.env.index.put(index_entries.entries(self.env, self.scope, lines))

    def node(self, node: Node, *lines: IndexLine) -> Any:
        self.graph.put(self.scope, node)
        self.index(lines)
        return node

    def anchor(self, anchor: Anchor) -> Any:
        return self.node(anchor, anchor_line(anchor, ()))

    def person(self, name: str, **fields: Any) -> Any:
        return self.anchor(a_person(name, user=self.user, **self._dated(fields)))

    def concept(self, name: str, **fields: Any) -> Any:
        return self.anchor(a_concept(name, user=self.user, **self._dated(fields)))

    def entity(self, name: str, **fields: Any) -> Any:
        return self.anchor(an_entity(name, user=self.user, **self._dated(fields)))

    def source(self, text: str, *mentions: Anchor, **fields: Any) -> Source:
        given = {"summary": text, "processing_status": ProcessingStatus.EXTRACTED, **fields}
        given = {"started_at": START, **self._dated(given)}
        source = a_source(text, user=self.user, **given)
        passage = a_passage(source, 0, text, key=f"{source.key}#0", speaker="Ada")
        self.node(source, *source_lines(source, [passage]))
        self.graph.put_passages(self.scope, source.key, [passage])
        for anchor in mentions:
            self.link(source, anchor, LinkKind.MENTIONS)
        return source

    def link(self, src: Node, dst: Node, kind: LinkKind) -> None:
        self.graph.link(self.scope, a_link(src.key, dst.key, kind=kind, user=self.user))

    def relate(self, src: Anchor, dst: Anchor, type_: str, **fields: Any) -> Relationship:
        one = a_relationship(
            src.key, dst.key, type=type_, user=self.user, **{"valid_from": START, **fields}
        )
        self.graph.relate(self.scope, one)
        self.index(relationship_lines(one, (), src))
        return one

    def storyline(
        self, anchor: Anchor, *sources: Source, name: str = "", **fields: Any
    ) -> Storyline:
        name = name or f"{anchor.name} – storyline"
        given = {"key": key_for(self.user, "storyline", name), "name": name, **fields}
        given = {"started_at": START, "last_source_at": START + 9 * DAY, **self._dated(given)}
        story = a_storyline(anchor.key, user=self.user, source_count=len(sources), **given)
        self.node(story, *story_lines(story))
        for source in sources:
            self.link(story, source, LinkKind.INCLUDES)
        return story

    def macro(self, anchor: Anchor, *stories: Storyline, **fields: Any) -> Macro:
        name = f"{anchor.name} – macro"
        given: dict[str, Any] = {
            "started_at": START,
            "last_event_at": START + 9 * DAY,
            "storyline_count": len(stories),
            "total_source_count": 7,
            **self._dated(fields),
        }
        macro = Macro(
            key=key_for(self.user, "macro", name),
            user_id=self.user,
            anchor_key=anchor.key,
            name=name,
            **given,
        )
        self.node(macro, *story_lines(macro))
        for story in stories:
            self.link(macro, story, LinkKind.GROUPS)
        return macro

    def _dated(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {"created_at": START, "updated_at": START, **fields}


@pytest.fixture
def world(ada: UserMemory) -> World:
    return World(ada)


@pytest.fixture
def full(world: World) -> World:
    """More of everything than is ever returned, all about boats."""
    people = [world.person(f"Boats Person{n}") for n in range(4)]
    concepts = [world.concept(f"boats idea{n}") for n in range(4)]
    entities = [world.entity(f"Boats Firm{n}") for n in range(4)]
    anchors = [*people, *concepts, *entities]
    for n in range(12):
        world.relate(people[n % 4], people[(n + 1) % 4], f"boats{n}")
    sources = [
        world.source(f"Boats are fine, said {n}.", *anchors[n % 5 :], started_at=START + n * DAY)
        for n in range(14)
    ]
    stories = [
        world.storyline(
            anchors[n], *sources[n : n + 7], description=f"All on boats {n}. It went on."
        )
        for n in range(8)
    ]
    for n in range(7):
        world.macro(anchors[n], *stories[n : n + 2], description=f"Years of boats {n}. And more.")
    for n in range(7):
        name = f"boats memo {n}"
        artifact = Artifact(
            key=key_for("ada", Kind.ARTIFACT, name),
            user_id="ada",
            created_at=START,
            updated_at=START,
            name=name,
            description="On boats.",
            content_type="md_file",
        )
        line = IndexLine(
            key=artifact.key, kind=Kind.ARTIFACT, text=f"{name}. On boats.", node=artifact
        )
        world.node(artifact, line)
        world.link(sources[n], artifact, LinkKind.PRODUCED)
    return world


def look(world: World, queries: Any = None, **given: Any) -> Explored:
    return world.me.explore(queries, touch=False, **given)


def node_names(found: Explored) -> list[str]:
    return [one.name for one in found.semantic.nodes]


def all_of(world: World) -> list[Any]:
    return list(world.graph.export(world.scope))


# --- granularities ---------------------------------------------------------------------------


def test_micro(full: World) -> None:
    found = look(full, "boats")
    episodic, semantic = found.episodic, found.semantic

    assert (len(episodic.sources), len(semantic.nodes), len(semantic.relationships)) == (5, 5, 10)
    assert (len(episodic.storylines), len(episodic.macros)) == (3, 2)
    assert not any(one.is_full for one in (*episodic.storylines, *episodic.macros))
    assert all(one.description == "" and one.anchor is None for one in episodic.storylines)
    assert all(one.is_full and one.passages for one in episodic.sources)
    keys = {one.entity_key for one in semantic.nodes}
    assert all({one.from_entity_key, one.to_entity_key} & keys for one in semantic.relationships)
    assert len(episodic.artifacts) == 5
    assert (found.meta.granularity, found.meta.query_used) == (1, ("boats",))
    assert found.meta.reason == ""


def test_a_source_in_full(full: World) -> None:
    source = look(full, "boats").episodic.sources[0]

    assert source.summary.startswith("Boats are fine")
    assert (source.context_type, source.source_type) == ("personal-reflection", "text-import")
    (passage,) = source.passages
    assert (passage.text, passage.speaker, passage.key) == (
        source.summary,
        "Ada",
        f"{source.entity_key}#0",
    )
    assert 5 <= len(source.mentioned_nodes) <= 10
    assert {one.node_type for one in source.mentioned_nodes} <= set(NodeType)
    assert source.storyline_refs
    assert source.storyline_refs[0].name.endswith("– storyline")
    assert source.macro_refs
    assert source.macro_refs[0].name.endswith("– macro")


def test_meso(full: World) -> None:
    found = look(full, "boats", granularity=2)
    episodic, semantic = found.episodic, found.semantic

    assert (len(episodic.storylines), len(semantic.nodes), len(semantic.relationships)) == (
        5,
        5,
        10,
    )
    assert (len(episodic.sources), len(episodic.macros)) == (10, 2)
    assert all(one.is_full for one in episodic.storylines)
    assert not any(one.is_full or one.passages for one in episodic.sources)
    assert not any(one.is_full for one in episodic.macros)
    included = {
        link.dst
        for one in episodic.storylines
        for link in full.graph.links(ADA, one.storyline_id, kinds=[LinkKind.INCLUDES])
    }
    assert {one.entity_key for one in episodic.sources} <= included
    assert NO_STORYLINES not in found.meta.remarks


def test_a_storyline_in_full(full: World) -> None:
    story = look(full, "boats", granularity=2).episodic.storylines[0]

    assert story.description.startswith("All on boats")
    assert (story.source_count, story.started_at) == (7, START)
    assert story.last_source_at == START + 9 * DAY
    assert story.anchor is not None
    assert story.name == f"{story.anchor.name} – storyline"
    tops = (story.top_people, story.top_entities, story.top_concepts)
    assert [[one.node_type for one in top] for top in tops] == [
        [type_] * len(top)
        for type_, top in zip(
            (NodeType.PERSON, NodeType.ENTITY, NodeType.CONCEPT), tops, strict=True
        )
    ]
    assert all(1 <= len(top) <= 5 for top in tops)
    assert {one.type for one in story.top_entities} == {"organization"}
    told = [one.started_at for one in story.preview_sources]
    assert {one.participants for one in story.preview_sources} == {("ada",)}
    assert len(told) == 5
    assert told == sorted(told, reverse=True)


def test_macro(full: World) -> None:
    found = look(full, "boats", granularity=3)
    episodic, semantic = found.episodic, found.semantic

    assert (len(episodic.macros), len(semantic.nodes), len(semantic.relationships)) == (5, 5, 10)
    assert episodic.sources == ()
    assert all(one.is_full for one in episodic.macros)
    roots = {one.anchor.entity_key for one in episodic.macros if one.anchor}
    assert {one.entity_key for one in semantic.nodes} == roots
    children = {one.storyline_id for macro in episodic.macros for one in macro.storylines}
    assert {one.storyline_id for one in episodic.storylines} == children
    assert not any(one.is_full for one in episodic.storylines)


def test_a_macro_in_full(full: World) -> None:
    macro = look(full, "boats", granularity=3).episodic.macros[0]

    assert macro.description.startswith("Years of boats")
    assert (macro.storyline_count, macro.total_source_count) == (2, 7)
    assert (macro.started_at, macro.last_event_at) == (START, START + 9 * DAY)
    assert len(macro.storylines) == 2
    assert all(one.one_liner.startswith("All on boats") for one in macro.storylines)
    assert all(one.one_liner.count(".") == 1 for one in macro.storylines)
    assert macro.storylines[0].source_count == 7


def test_an_artifact(full: World) -> None:
    artifact = look(full, text_matches=["boats memo 3"]).episodic.artifacts[0]

    assert (artifact.name, artifact.description) == ("boats memo 3", "On boats.")
    assert (artifact.content_type, artifact.created_at) == ("md_file", START)
    assert len(artifact.related_nodes) == 5


def test_without_storylines_the_best_sources_are_previewed(world: World) -> None:
    sarah = world.person("Sarah")
    world.source("Sarah has a boat.", sarah)
    found = look(world, "Sarah boat", granularity=2)

    assert [one.is_full for one in found.episodic.sources] == [False]
    assert found.meta.remarks == (NO_STORYLINES,)
    assert look(world, "Sarah boat", granularity=3).episodic.sources == ()


# --- nodes and relationships -----------------------------------------------------------------


def test_a_node_tells_its_newest_notes(world: World) -> None:
    sarah = world.person("Sarah", description="A sailor.", life=Lifecycle(salience=0.7))
    for n in range(12):
        world.graph.add_note(
            ADA, a_note(sarah.key, f"{n} " + "x" * 600, user="ada", date_added=START + n * DAY)
        )
    world.graph.add_note(
        ADA, a_note(sarah.key, "gone", date_added=START + 20 * DAY, expires_at=START + 21 * DAY)
    )
    (hit,) = look(world, text_matches=["Sarah"]).semantic.people

    assert (hit.node_type, hit.name, hit.description) == (NodeType.PERSON, "Sarah", "A sailor.")
    assert (hit.salience, hit.state, hit.last_accessed_at) == (0.7, State.CANDIDATE, None)
    assert [one.split()[0] for one in hit.notes_snippets] == [str(11 - n) for n in range(10)]
    assert sum(map(len, hit.notes_snippets)) == 5000


def test_a_relationship_tells_who_and_how(world: World) -> None:
    sarah, acme = world.person("Sarah"), world.entity("Acme")
    one = world.relate(
        sarah,
        acme,
        "works-at",
        kind=RelationshipKind.ASSOCIATED_WITH,
        description="Sarah works at Acme.",
        attitude=4,
        proximity=2,
    )
    world.graph.add_note(ADA, a_note(one.key, "Since May.", date_added=START))
    (hit,) = look(world, text_matches=["Sarah"]).semantic.relationships

    assert (hit.key, hit.from_entity_key, hit.to_entity_key) == (one.key, sarah.key, acme.key)
    assert (hit.from_name, hit.to_name) == ("Sarah", "Acme")
    assert (hit.relationship_kind, hit.relationship_type) == ("associated_with", "works-at")
    assert (hit.attitude, hit.proximity, hit.salience) == (4, 2, 0.5)
    assert (hit.description, hit.notes_snippets) == ("Sarah works at Acme.", ("Since May.",))
    assert hit.state is State.CANDIDATE


def test_filters_are_hard_and_come_first(world: World) -> None:
    me, friend, foe = world.person("Me"), world.person("Amy"), world.person("Zed")
    world.relate(me, friend, "colleague", attitude=5, proximity=2)
    world.relate(me, foe, "colleague", attitude=1, proximity=5)

    def ends(**filters: Any) -> tuple[set[str], set[str]]:
        found = look(world, {"query": "colleague", "threshold": 0.1}, relationship_filters=filters)
        return set(node_names(found)), {one.to_name for one in found.semantic.relationships}

    assert ends() == ({"Me", "Amy", "Zed"}, {"Amy", "Zed"})
    # Whoever only a barred relationship brings to mind does not come to mind.
    assert ends(min_attitude=3) == ({"Me", "Amy"}, {"Amy"})
    assert ends(max_attitude=2) == ({"Me", "Zed"}, {"Zed"})
    assert ends(max_proximity=2) == ({"Me", "Amy"}, {"Amy"})
    assert ends(min_proximity=5) == ({"Me", "Zed"}, {"Zed"})
    assert ends(relationship_types=["Colleague"])[1] == {"Amy", "Zed"}
    assert ends(relationship_types=["nemesis"]) == (set(), set())
    assert ends(exclude_relationship_types=["colleague"]) == (set(), set())


def test_filters_hold_for_relationships_that_nodes_bring(world: World) -> None:
    sarah, tom = world.person("Sarah"), world.person("Tom")
    world.relate(sarah, tom, "rival", attitude=1)

    def types(**filters: Any) -> list[str]:
        found = look(world, text_matches=["Sarah"], relationship_filters=filters)
        return [one.relationship_type for one in found.semantic.relationships]

    assert types() == ["rival"]
    assert types(min_attitude=2) == types(exclude_relationship_types=["rival"]) == []


def test_archived_things_do_not_come_to_mind(world: World) -> None:
    gone = Lifecycle(state=State.ARCHIVED)
    sarah, tom = world.person("Sarah Sail"), world.person("Tom Sail", life=gone)
    world.relate(sarah, tom, "sailor", life=gone)
    world.source("We sail.", sarah, life=gone)
    found = look(world, "sail sailor", text_matches=["sail"])

    assert node_names(found) == ["Sarah Sail"]
    assert found.semantic.relationships == ()
    assert found.episodic.sources == ()


# --- text and meaning ------------------------------------------------------------------------


def test_names_are_matched_exactly_and_in_other_spellings(world: World) -> None:
    world.person("Andrew Smith", aliases=("Andy",))
    world.person("Sarah Chen")

    assert node_names(look(world, text_matches=["andrew smith"])) == ["Andrew Smith"]
    assert node_names(look(world, text_matches=["Andrew"])) == ["Andrew Smith"]
    assert node_names(look(world, text_matches="andy")) == ["Andrew Smith"]
    assert node_names(look(world, text_matches=["Andrw Smith"])) == ["Andrew Smith"]
    assert node_names(look(world, text_matches=["sara chen", "nobody"])) == ["Sarah Chen"]


def test_an_exact_match_scores_one(world: World) -> None:
    world.person("Andrew Smith")
    found = look(world, text_matches=["andrew smith"], return_explanations=True)

    assert found.semantic.people[0].explanation["text"] == 1.0


def test_sources_are_matched_by_keyword_tag_and_words(world: World) -> None:
    tagged = world.source("We talked.", tags=("Regatta",))
    worded = world.source("The spinnaker tore.")

    def found(text: str) -> list[str]:
        return [one.entity_key for one in look(world, text_matches=[text]).episodic.sources]

    assert found("regatta") == [tagged.key]
    assert found("spinnaker tore") == found("spinnakers") == [worded.key]
    assert found("umbrella") == []


def test_relationships_are_matched_by_type_and_words(world: World) -> None:
    amy, zed = world.person("Amy"), world.person("Zed")
    world.relate(amy, zed, "godmother", description="Amy is the godmother of Zed.")
    found = look(world, text_matches=["godmother"])

    assert [one.relationship_type for one in found.semantic.relationships] == ["godmother"]
    assert set(node_names(found)) == {"Amy", "Zed"}


def test_stories_are_matched_by_name(world: World) -> None:
    boat = world.entity("Boat")
    story = world.storyline(boat, name="Buying the boat")
    world.macro(boat, story)
    found = look(world, text_matches=["Buying teh boat"])

    assert [one.name for one in found.episodic.storylines] == ["Buying the boat"]


def test_a_threshold_keeps_out_what_is_less_alike(world: World) -> None:
    world.source("red boat")
    world.source("red boat with a hole in the hull and no mast")

    def count(threshold: float) -> int:
        query = {"query": "red boat", "threshold": threshold}
        return len(look(world, [query]).episodic.sources)

    assert [count(one) for one in (0.0, 0.7, 1.0)] == [2, 1, 1]


def test_several_queries_are_fused(world: World) -> None:
    both = world.source("boat soup")
    world.source("boat")
    world.source("soup")
    found = look(world, ["boat", "soup"], weights={"time": 0, "salience": 0})

    assert found.episodic.sources[0].entity_key == both.key
    assert len(found.episodic.sources) == 3
    assert found.meta.query_used == ("boat", "soup")


def test_weights_decide_what_comes_first(world: World) -> None:
    new = world.source("boat and more", started_at=START + 20 * DAY)
    like = world.source("boat", started_at=START)
    dear = world.source("boat or so", life=Lifecycle(salience=1.0), started_at=START)

    def first(**weights: float) -> str:
        every = {"time": 0.0, "salience": 0.0, "semantic": 0.0, **weights}
        return look(world, "boat", weights=every).episodic.sources[0].entity_key

    assert (first(time=1), first(salience=1), first(semantic=1)) == (new.key, dear.key, like.key)


def test_the_parts_of_a_score_are_told_on_request(full: World) -> None:
    for granularity in (1, 2, 3):
        found = look(full, "boats", granularity=granularity, return_explanations=True)
        hit = found.semantic.nodes[0]
        parts = [hit.explanation[name] for name in ("time", "salience", "semantic")]
        assert hit.relevance_score == pytest.approx(sum(parts))
        assert hit.explanation["similarity"] > 0
        quiet = look(full, "boats", granularity=granularity)
        assert not any(one.explanation for one in quiet.semantic.nodes)
        assert not any(one.explanation for one in quiet.semantic.relationships)


def test_the_same_question_has_the_same_answer(full: World) -> None:
    assert look(full, "boats", granularity=2) == look(full, "boats", granularity=2)


# --- modes -----------------------------------------------------------------------------------


class Rewording(ScriptedMind):
    """Whatever is asked is asked of yachts and vessels as well."""

    def rephrase(self, question: str, before: Sequence[Turn] = ()) -> Rephrased:
        return Rephrased(phrasings=("yacht leaks", "vessel damage"))


def test_deep_puts_queries_in_other_words(world: World) -> None:
    world.source("the yacht leaks")
    env = replace(world.env, mind=Rewording())

    fast = explore_memory(env, ADA, ExploreRequest(queries="boat damage"))
    deep = explore_memory(env, ADA, ExploreRequest(queries="boat damage", mode="deep"))
    many = explore_memory(env, ADA, ExploreRequest(queries="boat damage", multi_query=True))

    assert fast.episodic.sources == ()
    for one in (deep, many):
        assert one.meta.query_used == ("boat damage", "yacht leaks", "vessel damage")
        assert len(one.episodic.sources) == 1
        assert one.meta.remarks == ()
    assert deep.meta.mode is Mode.DEEP


class Speechless(HashEmbedder):
    def embed(self, texts: Sequence[str], *, kind: str = "passage") -> Any:
        raise EmbedderError("no weights")


def test_without_an_embedding_words_must_do(world: World) -> None:
    world.source("The boat leaks.")
    silent = replace(world.env, embedder=Speechless())
    found = explore_memory(silent, ADA, ExploreRequest(queries="boats"))

    assert len(found.episodic.sources) == 1
    assert found.meta.remarks == (NO_EMBEDDING,)


# --- nothing found, bad questions ------------------------------------------------------------


def test_nothing_found_has_a_reason(world: World) -> None:
    found = look(world, "quasar", text_matches=["pulsar"], granularity=3)

    assert found.keys == ()
    assert "nothing in this memory" in found.meta.reason


def test_found_but_not_then_has_a_reason(world: World) -> None:
    world.source("boat", started_at=START)

    assert "was not there" in look(world, "boat", as_of=START - DAY).meta.reason
    assert "another level" in look(world, "boat", granularity=3).meta.reason


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "queries"),
        ({"queries": "a", "granularity": 4}, "granularity"),
        ({"queries": "x" * 100_000}, "queries[0].query"),
        ({"queries": "a", "mode": "slow"}, "mode"),
    ],
)
def test_what_is_off_is_named_and_nothing_is_written(
    full: World, given: dict[str, Any], field: str
) -> None:
    before = all_of(full)
    with pytest.raises(InvalidInput) as caught:
        full.me.explore(**given)

    assert caught.value.field == field
    assert all_of(full) == before


# --- access ----------------------------------------------------------------------------------


def test_what_is_returned_was_called_on(full: World, clock: SteppedClock) -> None:
    found = full.me.explore("boats")
    nodes = full.graph.get_many(ADA, found.keys)
    related = [full.graph.relationship(ADA, one.key) for one in found.semantic.relationships]

    assert len(nodes) == 5 + 5 + 3 + 2 + 5
    lives = [one.life for one in (*nodes.values(), *related) if one is not None]
    assert len(lives) == len(found.keys) == 30
    assert {one.access_count for one in lives} == {1}
    assert {one.last_accessed_at for one in lives} == {clock.now()}
    assert {one.salience for one in lives} == {0.55}
    untouched = [one for one in full.graph.select(ADA, Nodes(Source)) if one.key not in found.keys]
    assert {one.life.access_count for one in untouched} == {0}


def test_looking_without_touching_writes_nothing(full: World) -> None:
    before = all_of(full)
    for granularity in (1, 2, 3):
        look(full, "boats", granularity=granularity)

    assert all_of(full) == before


# --- points in time --------------------------------------------------------------------------


def test_as_of(world: World) -> None:
    sarah = world.person("Sarah", first_mentioned_at=START)
    oslo, bergen = world.entity("Oslo"), world.entity("Bergen", first_mentioned_at=START + 9 * DAY)
    world.relate(
        sarah, oslo, "lives-in", valid_to=START + 9 * DAY, kind=RelationshipKind.ASSOCIATED_WITH
    )
    world.relate(
        sarah, bergen, "lives-in", valid_from=START + 9 * DAY, kind=RelationshipKind.ASSOCIATED_WITH
    )
    world.source("Sarah lives in Oslo.", sarah, started_at=START)
    world.source("Sarah lives in Bergen.", sarah, started_at=START + 9 * DAY)
    for content, day in (("Likes Oslo.", 0), ("Likes Bergen.", 9)):
        world.graph.add_note(ADA, a_note(sarah.key, content, date_added=START + day * DAY))

    def then(as_of: datetime | None) -> tuple[Any, ...]:
        found = look(world, "Sarah lives in", text_matches=["Sarah"], as_of=as_of)
        people = {one.name: one.notes_snippets for one in found.semantic.people}
        return (
            [one.to_name for one in found.semantic.relationships],
            sorted(one.summary for one in found.episodic.sources),
            people.get("Sarah"),
        )

    old = (["Oslo"], ["Sarah lives in Oslo."], ("Likes Oslo.",))
    assert then(START + DAY) == old
    new = (
        ["Bergen"],
        ["Sarah lives in Bergen.", "Sarah lives in Oslo."],
        ("Likes Bergen.", "Likes Oslo."),
    )
    assert then(None) == then(START + 10 * DAY) == new
    assert then(START - DAY) == ([], [], None)
    assert look(world, "Sarah", as_of=START + DAY).meta.as_of == START + DAY


def test_known_at(world: World, clock: SteppedClock) -> None:
    """Both things were so from the start; the second was told nine days later."""
    sarah, oslo, bergen = world.person("Sarah"), world.entity("Oslo"), world.entity("Bergen")
    for place, day in ((oslo, 0), (bergen, 9)):
        told_at = START + day * DAY
        source = world.source(f"Sarah visits {place.name}.", sarah, created_at=told_at)
        assertion = an_assertion(
            sarah.key,
            place.key,
            source.key,
            type="visits",
            user="ada",
            kind=RelationshipKind.ASSOCIATED_WITH,
            at=START,
            recorded_at=told_at,
            description=f"Sarah visits {place.name}.",
        )
        world.graph.put_assertion(ADA, assertion)
        world.graph.add_note(
            ADA,
            a_note(sarah.key, f"Was in {place.name}.", date_added=START, source_key=source.key),
        )
    for one in relationships.as_known(world.env, ADA, sarah.key, clock.now()):
        world.graph.relate(ADA, one)
        world.index(relationship_lines(one, (), sarah))

    def known(at: datetime | None) -> tuple[Any, ...]:
        found = look(world, "Sarah visits", text_matches=["Sarah"], known_at=at)
        return (
            sorted(one.to_name for one in found.semantic.relationships),
            sorted(one.summary for one in found.episodic.sources),
            next(
                (set(one.notes_snippets) for one in found.semantic.people if one.name == "Sarah"),
                None,
            ),
        )

    assert known(START + DAY) == (["Oslo"], ["Sarah visits Oslo."], {"Was in Oslo."})
    both = ["Bergen", "Oslo"]
    told = ["Sarah visits Bergen.", "Sarah visits Oslo."]
    assert known(None) == known(START + 9 * DAY) == (both, told, {"Was in Bergen.", "Was in Oslo."})
    assert known(START - DAY) == ([], [], None)


# --- whose ------------------------------------------------------------------------------------


def test_nobody_sees_what_is_anothers(memory: Memory, full: World) -> None:
    bob = memory.user("bob")
    for granularity in (1, 2, 3):
        found = bob.explore("boats", text_matches=["boats"], granularity=granularity)
        assert found.keys == ()


def test_a_team_shares_sources_and_stories(
    memory: Memory, world: World, clock: SteppedClock
) -> None:
    registry = memory.env.registry
    registry.put_team(Team(team_id="crew", name="Crew", created_at=clock.now()))
    bob = memory.user("bob")
    for member in ("ada", "bob"):
        registry.join("crew", member, Role.MEMBER, clock.now())
    sarah = world.person("Sarah")
    source = world.source("The boat leaks.", sarah, team_id="crew")
    world.storyline(
        sarah, source, name="The boat", team_id="crew", team_description="The boat leaks."
    )

    found = bob.explore("boat leaks", granularity=2)

    assert [one.name for one in found.episodic.storylines] == ["The boat"]
    story = found.episodic.storylines[0]
    assert story.anchor is None  # Sarah is Ada's alone
    assert story.top_people == ()
    assert [one.entity_key for one in story.preview_sources] == [source.key]
    assert found.semantic.people == ()
    assert world.graph.get(ADA, source.key).life.access_count == 0  # type: ignore[union-attr]
    # A search of theirs hit it: it becomes part of their own graph.
    assert [job.payload["source_key"] for job in bob.jobs()] == [source.key]
    registry.leave("crew", "bob", clock.now())
    assert bob.explore("boat leaks", granularity=2).episodic.sources == ()


def test_the_owner_does_not_crowd_out_everyone(memory: Memory, world: World) -> None:
    owner = next(one for one in world.me.anchors() if getattr(one, "is_owner", False))
    for n in range(30):
        other = world.person(f"Friend{n}")
        world.relate(owner, other, "sailing")
    found = look(world, {"query": "sailing", "threshold": 0.1})

    assert owner.name not in node_names(found)
    assert len(found.semantic.relationships) == 5
    assert {one.from_name for one in found.semantic.relationships} == {owner.name}


def test_many_queries_ask_by_aspect(world: World) -> None:
    """Of what happened, of people and of concepts, in the words that the memory has for them."""
    world.source("google job offer", keywords=("negotiation",))
    world.person("John Google", description="google job offer")
    world.concept("career google job offer")
    world.source("John Google is moving")

    plain = look(world, "google job offer")
    many = look(world, "google job offer", multi_query=True)

    assert plain.meta.query_used == ("google job offer",)
    assert "google job offer: negotiation" in many.meta.query_used
    assert "google job offer: John Google" in many.meta.query_used
    assert "google job offer: career google job offer" in many.meta.query_used
    past = look(world, "google job offer", multi_query=True, as_of=START + DAY)
    assert past.meta.query_used == ("google job offer",)


def test_nodes_come_with_their_neighbours_in_short(world: World) -> None:
    tom, eve = world.person("Tom"), world.person("Eve", description="A baker. She sails.")
    world.relate(tom, eve, "friend")

    (hit,) = [one for one in look(world, text_matches=["Tom"]).semantic.people if one.name == "Tom"]

    assert [(one.name, one.description) for one in hit.neighbours] == [("Eve", "A baker.")]


def test_what_is_read_again_or_imported_late_is_no_fresher(world: World) -> None:
    """Days since update are days since the end of what happened (SPEC 8 for what changes at all)."""
    old = world.source("boats in the harbour", started_at=START - 400 * DAY)
    new = world.source("boats in the sound", started_at=START)
    world.graph.put(world.scope, replace(old, updated_at=START + 5 * DAY))

    found = look(world, "boats", return_explanations=True, weights={"time": 1.0})

    time = {one.entity_key: one.explanation["time"] for one in found.episodic.sources}
    assert time[new.key] > time[old.key]
