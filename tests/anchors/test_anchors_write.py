"""Extraction does not depend on order; merges come apart again; relationships know two times."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.anchor import Anchor
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import Artifact
from remanent.core.records.access import Role, Team
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.fixture
def mind() -> ScriptedMind:
    return PlainMind()


def tell(user: UserMemory, *texts: str, start: datetime = START) -> list[str]:
    keys = [
        user.add(text, started_at=start - timedelta(days=30 - number))
        for number, text in enumerate(texts)
    ]
    user.work()
    return keys


def people(user: UserMemory) -> dict[str, tuple[str, ...]]:
    return {
        one.name: one.aliases
        for one in user.anchors("person")
        if one.source_count and one.life.state != "archived"
    }


def anchor(user: UserMemory, name: str) -> Anchor:
    return next(one for one in user.anchors() if one.name == name)


def picture(user: UserMemory) -> dict[str, object]:
    """All that extraction made, without when it was written down."""
    found: dict[str, object] = {}
    for one in user.anchors():
        page = user.env.graph
        scope = user.env.registry.scope_of(user.user_id)
        found[one.key] = (
            one.name,
            one.aliases,
            one.confidence,
            one.source_count,
            one.distinct_days,
            one.first_mentioned_at,
            one.last_mentioned_at,
            [(note.source_key, note.content) for note in page.notes(scope, one.key)],
            [
                (edge.key, edge.valid_from, edge.valid_to, edge.description, edge.confidence)
                for edge in user.relationships(one.key, history=True)
            ],
        )
    return found


SOURCES = (
    "Sarah: likes tea",
    "Sarah Chen aka Sally: runs the lab",
    "Sally: sings",
    "Dr. Chen: is away",
    "Bob: fixed the roof",
    "Robert Berg: is a builder",
    "Tom > home > Oslo",
    "Tom > home > Bergen",
    "Tom > home > Oslo",
    "Tom > friend > Bergen",
)


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Callable[[str], UserMemory]]:
    opened = []

    def live(name: str) -> UserMemory:
        memory = Memory.open(
            tmp_path / f"{name}.db",
            clock=SteppedClock(START),
            mind=PlainMind(),
            embedder=HashEmbedder(),
        )
        opened.append(memory)
        return memory.user("ada", name="Ada", timezone="UTC")

    yield live
    for memory in opened:
        memory.close()


def test_order_does_not_matter(lives: Callable[[str], UserMemory]) -> None:
    pictures = []
    offsets = list(enumerate((*SOURCES, "Sarah Lee: is new")))
    orders = [offsets, offsets[::-1], offsets[5:] + offsets[:5], offsets[::2] + offsets[1::2]]
    for number, order in enumerate(orders):
        user = lives(f"m{number}")
        for day, text in order:
            user.add(text, started_at=START - timedelta(days=30 - day))
            user.work()
        pictures.append(picture(user))

    assert all(one == pictures[0] for one in pictures)


def test_small_families_of_names_in_every_order(lives: Callable[[str], UserMemory]) -> None:
    names = ("Sarah: a", "Sarah Chen: b", "Sarah Lee: c", "Dr. Chen: d")
    pictures = []
    for number, order in enumerate(itertools.permutations(enumerate(names))):
        user = lives(f"p{number}")
        for day, text in order:
            user.add(text, started_at=START - timedelta(days=30 - day))
            user.work()
        pictures.append(picture(user))

    assert all(one == pictures[0] for one in pictures)


def test_a_first_name_means_the_one_person_it_can_mean(ada: UserMemory) -> None:
    tell(ada, "Sarah: likes tea", "Sarah Chen: runs the lab", "Dr. Chen: is away")

    assert people(ada) == {"Sarah Chen": ("Dr. Chen", "Sarah")}
    assert anchor(ada, "Sarah Chen").source_count == 3


def test_two_full_names_are_two_people_and_the_first_name_alone_a_third(ada: UserMemory) -> None:
    tell(ada, "Sarah: likes tea", "Sarah Chen: runs the lab", "Sarah Lee: is new")

    assert set(people(ada)) == {"Sarah", "Sarah Chen", "Sarah Lee"}
    assert people(ada)["Sarah Chen"] == ()


def test_short_forms_and_aliases(ada: UserMemory) -> None:
    tell(ada, "Bob: fixed it", "Robert Berg: builds", "Sarah Chen aka Sally: runs", "Sally: sings")

    assert people(ada) == {"Robert Berg": ("Bob",), "Sarah Chen": ("Sally",)}


def test_merge_and_split_are_inverse(ada: UserMemory) -> None:
    tell(
        ada,
        "Bob Berg: fixed it\nTom > home > Oslo",
        "Robert Berg: builds",
        "Bob Berg > home > Oslo",
    )
    before = picture(ada)
    bob, robert = anchor(ada, "Bob Berg"), anchor(ada, "Robert Berg")

    merged = ada.merge(bob.key, robert.key)

    assert (merged.key, merged.source_count) == (robert.key, 3)
    assert set(people(ada)) == {"Robert Berg", "Tom"}
    assert [note.content for note in ada.read(robert.key).notes] == ["fixed it", "builds"]
    assert [one.dst for one in ada.relationships(robert.key)] == [anchor(ada, "Oslo").key]
    assert ada.merge(bob.key, robert.key) == ada.merge(bob.key, robert.key)
    tell(ada, "Bob Berg: sings", start=START - timedelta(days=100))
    assert anchor(ada, "Robert Berg").source_count == 4

    ada.split(bob.key)

    after = picture(ada)
    assert set(people(ada)) == {"Bob Berg", "Robert Berg", "Tom"}
    assert after[robert.key] == before[robert.key]
    assert anchor(ada, "Bob Berg").source_count == 3


def test_merge_refuses_nonsense(ada: UserMemory) -> None:
    tell(ada, "Tom > home > Oslo", "Eve: sings")
    tom, eve, oslo = (anchor(ada, name).key for name in ("Tom", "Eve", "Oslo"))
    owner = anchor(ada, "Ada Lindqvist").key

    for key, into in ((tom, tom), (tom, oslo), (owner, tom)):
        with pytest.raises(InvalidInput):
            ada.merge(key, into)
    ada.merge(tom, eve)
    with pytest.raises(InvalidInput, match="split it first"):
        ada.merge(tom, owner)
    with pytest.raises(InvalidInput, match="not merged"):
        ada.split(eve)
    with pytest.raises(UnknownKey):
        ada.merge("nobody-here", eve)


def test_relationships_on_both_axes_of_time(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Tom > home > Oslo")
    learned = clock.now()
    clock.advance(timedelta(days=10))
    ada.add("Tom > home > Bergen", started_at=START - timedelta(days=5))
    ada.work()
    tom = anchor(ada, "Tom").key

    def towns(**when: object) -> list[str]:
        return [
            one.description.rpartition(" ")[2]
            for one in ada.relationships(tom, **when)  # type: ignore[arg-type]
        ]

    assert towns() == ["Bergen"]
    assert towns(as_of=START - timedelta(days=20)) == ["Oslo"]
    assert towns(history=True) == ["Oslo", "Bergen"]
    assert towns(known_at=learned) == ["Oslo"]
    assert towns(known_at=learned, as_of=START) == ["Oslo"]
    assert towns(known_at=clock.now()) == ["Bergen"]
    assert towns(known_at=START - timedelta(days=99), history=True) == []
    pair = ada.relationships(tom, anchor(ada, "Oslo").key, history=True)
    assert [one.valid_to for one in pair] == [START - timedelta(days=5)]


def test_an_end_closes_and_is_kept(ada: UserMemory) -> None:
    tell(ada, "Tom > friend > Oslo", "Tom > friend > Oslo!")
    tom = anchor(ada, "Tom").key

    assert ada.relationships(tom) == []
    assert len(ada.relationships(tom, history=True)) == 1


def test_relationships_have_both_embeddings(memory: Memory, ada: UserMemory) -> None:
    tell(ada, "Tom > friend > Oslo")
    (edge,) = ada.relationships(anchor(ada, "Tom").key)
    env = memory.env

    found = env.index.vectors(env.registry.scope_of("ada"), [edge.key, f"{edge.key}~notes"])

    assert set(found) == {edge.key, f"{edge.key}~notes"}


def test_a_relationship_is_found_by_a_thousand_characters_of_its_newest_notes(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    tell(ada, "Tom > friend > Oslo")
    (edge,) = ada.relationships(anchor(ada, "Tom").key)
    for word in ("sextant", "glue", "mast", "rope", "tar", "sail", "hull"):
        ada.correct(edge.key, "note", f"There was talk of the {word}.")

    def found(words: str) -> set[str]:
        matches = memory.env.index.match(ada.scope, words, kinds=(Kind.RELATIONSHIP,), limit=9)
        return {one.key for one in matches}

    assert found("sextant") == found("hull") == {f"{edge.key}~notes"}
    for number in range(12):
        clock.advance(timedelta(hours=1))
        ada.correct(edge.key, "note", f"Number {number}: " + "and so it went on and on " * 4)
    assert found("sextant") == set()
    assert found("Number 11") == {f"{edge.key}~notes"}


def test_artifacts_hang_on_their_source(ada: UserMemory, memory: Memory) -> None:
    (key,) = tell(ada, "Tom: builds boats")

    made = ada.produce(key, "Boat plan", "# Plan\nOak and tar.", description="A plan")

    assert ada.produce(key, "Boat plan", "# Plan\nOak and tar.", description="A plan") == made
    page = ada.read(key)
    assert [one.dst for one in page.links if one.kind is LinkKind.PRODUCED] == [made]
    artifact = ada.read(made).node
    assert isinstance(artifact, Artifact)
    assert artifact.output.startswith("# Plan")
    assert ada.search("oak tar", kinds=["artifact"])[0].key == made
    with pytest.raises(InvalidInput, match="output"):
        ada.produce(key, "Empty", "  ")
    with pytest.raises(UnknownKey):
        memory.user("bob").produce(key, "Not mine", "x")


@pytest.fixture
def crew(memory: Memory, ada: UserMemory, clock: SteppedClock) -> UserMemory:
    bob = memory.user("bob", name="Bob")
    registry = memory.env.registry
    registry.put_team(Team(team_id="crew", name="Crew", created_at=clock.now()))
    for member in ("ada", "bob"):
        registry.join("crew", member, Role.MEMBER, clock.now())
    return bob


def test_a_team_source_is_extracted_when_a_member_first_needs_it(
    memory: Memory, ada: UserMemory, crew: UserMemory
) -> None:
    key = ada.add("Tom: builds boats", team="crew")
    memory.work()
    assert people(ada) == {"Tom": ()}
    assert people(crew) == {}

    crew.search("boats")
    memory.work()

    assert people(crew) == {"Tom": ()}
    assert anchor(crew, "Tom").key != anchor(ada, "Tom").key
    before = picture(crew)
    crew.read(key)
    assert memory.work().done == 0
    assert picture(crew) == before


def test_a_team_can_be_adopted_at_once(memory: Memory, ada: UserMemory, crew: UserMemory) -> None:
    for name in ("Tom", "Eve"):
        ada.add(f"{name}: builds boats", team="crew")
    memory.work()

    assert crew.adopt("crew") == 2
    assert crew.adopt("crew") == 0
    memory.work()
    assert set(people(crew)) == {"Tom", "Eve"}
    with pytest.raises(Forbidden):
        crew.adopt("other")


def test_who_left_the_team_has_lost_it(
    memory: Memory, ada: UserMemory, crew: UserMemory, clock: SteppedClock
) -> None:
    key = ada.add("Tom: builds boats", team="crew", participants=("bob",))
    memory.work()
    memory.env.registry.leave("crew", "bob", clock.now())

    assert crew.search("boats") == []
    with pytest.raises(UnknownKey):
        crew.read(key)


def test_wikilinks_become_mentions(ada: UserMemory) -> None:
    key = ada.add("Met about [[Harbour Light]] with [[Tom Berg|Tom]].\n\nTom Berg: was late")
    ada.work()

    page = ada.read(key)

    named = {page.titles[link.dst] for link in page.links if link.kind is LinkKind.MENTIONS}
    assert named == {"Harbour Light", "Tom Berg"}
    assert anchor(ada, "Tom Berg").kind == "person"
    assert anchor(ada, "Harbour Light").kind == "concept"
