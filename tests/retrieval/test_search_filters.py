"""Filters are hard and never starve; pages fit together; an empty answer says why."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.search import Hit
from remanent.core.records.access import Role, Team
from remanent.errors import EmbedderError, InvalidInput
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def mind() -> ScriptedMind:
    return PlainMind()


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]


@pytest.fixture
def full(ada: UserMemory) -> UserMemory:
    """Four hundred passages about tea, and one of each kind that is not like them."""
    for number in range(10):
        turns = [
            {"speaker": "Tom Lie", "text": f"Tea tea tea, cup {number}.{n}", "id": f"{number}.{n}"}
            for n in range(40)
        ]
        ada.add(turns, started_at=START - 100 * DAY + number * timedelta(hours=1))
    ada.add(
        [{"speaker": "Maria Berg", "text": "A tea house by a long and quiet road in the hills."}],
        type="meeting",
        started_at=START - 9 * DAY,
        sensitivity="low",
    )
    ada.work()
    return ada


@pytest.mark.parametrize(
    "filters",
    [
        {"speaker": "Maria"},
        {"speaker": "maria berg"},
        {"since": START - 10 * DAY, "kinds": ["passage", "source"]},
        {"types": ["meeting"]},
        {"sensitivity": ["low"]},
        {"speaker": "Maria", "until": START, "kinds": ["passage"]},
        {"not_speaker": "Tom", "kinds": ["passage"]},
        {"not_speaker": "tom lie", "speaker": "Maria"},
    ],
)
def test_what_lies_deep_is_found(full: UserMemory, filters: dict[str, Any]) -> None:
    everything = full.search("tea tea tea cup", kinds=["passage"], limit=100)
    assert not any("tea house" in text for text in texts(everything))

    found = full.search("tea tea tea cup", limit=5, **filters)

    assert found
    assert all("tea house" in hit.text for hit in found)


def test_filters_add_up(full: UserMemory) -> None:
    assert full.search("tea", speaker="Tom", types=["meeting"]) == []
    assert full.search("tea", speaker="Tom", not_speaker="Tom Lie") == []
    two = full.search("tea", limit=7, speaker="Tom", until=START - 99 * DAY)
    assert len(two) == 7
    assert {hit.speaker for hit in two} == {"Tom Lie"}


def test_a_team_is_narrowed_to(memory: Memory, ada: UserMemory, clock: SteppedClock) -> None:
    registry = memory.env.registry
    for team in ("red", "blue"):
        registry.put_team(Team(team_id=team, name=team, created_at=clock.now()))
        registry.join(team, "ada", Role.MEMBER, clock.now())
    ada.add("The red team drinks tea.", team="red")
    ada.add("The blue team drinks tea.", team="blue")
    ada.add("I drink tea.")
    ada.work()

    assert set(texts(ada.search("tea", team="red"))) == {"The red team drinks tea."}
    assert len(ada.search("tea", kinds=["passage"])) == 3
    for unknown in ("green", "nobody"):
        with pytest.raises(InvalidInput, match=r"team: .* is not a team of 'ada'"):
            ada.search("tea", team=unknown)


def test_an_anchor_brings_what_concerns_it(ada: UserMemory, clock: SteppedClock) -> None:
    ada.add("Tom Lie > home > Oslo", started_at=START - 3 * DAY)
    ada.add("Sarah Chen: drinks tea in Oslo", started_at=START - 2 * DAY)
    ada.add("Nothing but tea and rain.", started_at=START - DAY)
    ada.work()
    anchors = {one.name: one for one in ada.anchors()}

    found = ada.search("tea rain home Oslo", anchor=anchors["Tom Lie"].key)

    assert {hit.kind for hit in found} == {
        Kind.PASSAGE,
        Kind.SOURCE,
        Kind.PERSON,
        Kind.RELATIONSHIP,
    }
    assert not any("rain" in hit.text for hit in found)
    edge = next(hit for hit in found if hit.kind is Kind.RELATIONSHIP)
    assert edge.title == "Tom Lie home Oslo"
    assert edge.holds is True
    far_end = ada.search("home", anchor=anchors["Oslo"].key[:13], kinds=["relationship"])
    assert [hit.key for hit in far_end] == [edge.key]


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"anchor": "no-such-key"}, "anchor"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"query": ""}, "query"),
        ({"query": "x" * 102_400}, "query"),
        ({"since": datetime(2026, 1, 1)}, "since"),  # noqa: DTZ001
        ({"since": START, "until": START - DAY}, "since"),
        ({"kinds": ["dream"]}, "kinds"),
        ({"states": ["asleep"]}, "states"),
        ({"after": "nonsense"}, "after"),
        ({"after": "AAAA"}, "after"),
        ({"after": 7}, "after"),
    ],
)
def test_a_bad_request_is_refused(ada: UserMemory, filters: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ada.search(**{"query": "tea", **filters})

    assert caught.value.field == field


@pytest.mark.parametrize("name", ["", "   ", "?!", 7, "x" * 501])
def test_a_name_that_cannot_be_one_is_refused_alike(ada: UserMemory, name: Any) -> None:
    with pytest.raises(InvalidInput) as wanted:
        ada.search("tea", speaker=name)
    with pytest.raises(InvalidInput) as unwanted:
        ada.search("tea", not_speaker=name)

    assert (wanted.value.field, unwanted.value.field) == ("speaker", "not_speaker")
    assert unwanted.value.problem == wanted.value.problem


def test_who_is_unknown_has_said_nothing(full: UserMemory) -> None:
    assert texts(full.search("tea", not_speaker="Nobody")) == texts(full.search("tea"))


def test_what_nobody_said_passes_where_a_speaker_is_left_out(full: UserMemory) -> None:
    found = full.search("tea", limit=50, not_speaker="Tom")

    assert {hit.kind for hit in found} > {Kind.PASSAGE}
    assert {hit.speaker for hit in found} == {None, "Maria Berg"}


def test_it_is_said_of_one_memory_that_who_said_it_is_left_out(full: UserMemory) -> None:
    hit = full.search("tea tea tea cup", limit=1, kinds=["passage"])[0]

    told = full.why_not(hit.key, "tea tea tea cup", not_speaker="Tom")

    assert not told.returned
    assert "not_speaker" in told.reason


def test_an_anchor_has_to_be_one(ada: UserMemory) -> None:
    key = ada.add("Some tea.")

    with pytest.raises(InvalidInput, match=r"anchor: .* is a source, not a person"):
        ada.search("tea", anchor=key)


# --- not found ---------------------------------------------------------------------------------


def test_an_empty_memory_says_so(ada: UserMemory) -> None:
    found = ada.search("tea", kinds=["passage"])

    assert found == []
    assert found.reason == "this memory is empty"
    ada.add("Some tea.")
    assert "1 sources wait for work()" in ada.search("tea", kinds=["passage"]).reason


class _Broken(HashEmbedder):
    def embed(self, texts: Any, *, kind: str = "passage") -> Any:
        if list(texts) == ["zebra"]:
            raise EmbedderError("no weights")
        return super().embed(texts)


def test_words_alone_may_find_nothing(clock: SteppedClock, mind: ScriptedMind) -> None:
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=_Broken()) as memory:
        ada = memory.user("ada")
        ada.add("Some tea.")
        ada.work()

        assert "nothing here shares a word" in ada.search("zebra").reason


def test_the_reason_tells_which_filter_it_was(full: UserMemory) -> None:
    nobody = full.search("tea", speaker="Nobody")
    assert nobody == []
    assert nobody.reason.startswith("the best ")
    assert nobody.reason.endswith(" by speaker")
    impossible = full.search("tea", kinds=["person"], speaker="Tom")
    assert "(person) has what the filters ask about" in impossible.reason
    not_tom = full.search("cup", kinds=["passage"], speaker="Tom", not_speaker="tom")
    assert not_tom.reason.endswith(" by not_speaker")
    assert full.search("tea").reason == ""


def test_what_was_filtered_is_counted(ada: UserMemory, memory: Memory) -> None:
    for number in range(3):
        _archive(memory, ada, ada.add(f"Tea number {number}."))
    ada.work()
    awake = ["candidate", "active", "core"]
    assert ada.search("tea", kinds=["passage"], states=awake).reason == (
        "all 3 matches were filtered out: 3 by states"
    )


def _archive(memory: Memory, user: UserMemory, key: str) -> None:
    user.work()
    env = memory.env
    scope = env.registry.scope_of(user.user_id)
    node = env.graph.get(scope, key)
    assert node is not None
    env.graph.put(scope, replace(node, life=replace(node.life, state=State.ARCHIVED)))


# --- access ------------------------------------------------------------------------------------


def _state(memory: Memory, user: UserMemory, key: str) -> tuple[State, int]:
    node = memory.env.graph.get(memory.env.registry.scope_of(user.user_id), key)
    assert node is not None
    return node.life.state, node.life.access_count


def test_what_was_archived_is_woken(memory: Memory, ada: UserMemory) -> None:
    awake, asleep = ada.add("Tea at home."), ada.add("Tea abroad.")
    _archive(memory, ada, asleep)

    ada.search("tea at home", limit=1)
    assert len(ada.search("tea", include_archived=True, touch=False, kinds=["passage"])) == 2
    assert _state(memory, ada, asleep) == (State.ARCHIVED, 0)

    ada.search("tea", include_archived=True)

    assert _state(memory, ada, asleep) == (State.ACTIVE, 1)
    assert _state(memory, ada, awake) == (State.ACTIVE, 1)


def test_states_are_a_filter(memory: Memory, ada: UserMemory) -> None:
    ada.add("Tea at home.")
    _archive(memory, ada, ada.add("Tea abroad."))

    found = ada.search("tea", states=["archived"], kinds=["passage"], touch=False)

    assert texts(found) == ["Tea abroad."]


# --- pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 100])
def test_pages_make_up_the_list(full: UserMemory, size: int) -> None:
    whole = full.search("tea cup", limit=150, kinds=["passage"])
    pages: list[Hit] = []
    after = None
    while len(pages) < 150:
        page = full.search(
            "tea cup", limit=min(size, 150 - len(pages)), kinds=["passage"], after=after
        )
        pages += page
        after = page.next

    assert len({hit.key for hit in pages}) == 150
    assert pages == whole


def test_the_last_page_knows_that_it_is(full: UserMemory) -> None:
    first = full.search("tea", limit=1000, kinds=["passage"])
    assert len(first) == 401
    assert first.next is None
    beyond = full.search("tea", limit=5, kinds=["passage"], after=first[-1].cursor)
    assert (list(beyond), beyond.reason) == ([], "there is no further hit")


def test_any_hit_can_be_gone_on_from(full: UserMemory) -> None:
    ten = full.search("tea cup", limit=10)

    assert full.search("tea cup", limit=6, after=ten[3].cursor) == ten[4:]


def test_a_cursor_belongs_to_its_request(full: UserMemory) -> None:
    cursor = full.search("tea")[0].cursor

    for other in ({"query": "cup"}, {"query": "tea", "speaker": "Tom"}):
        with pytest.raises(InvalidInput, match="after: is the cursor of another request"):
            full.search(after=cursor, **other)  # type: ignore[arg-type]


def test_what_came_before_is_not_repeated_when_more_comes_in(full: UserMemory) -> None:
    first = full.search("tea house road", limit=5, kinds=["passage"])
    full.add("A tea house by the road.")
    full.work()

    second = full.search("tea house road", limit=5, kinds=["passage"], after=first.next)

    assert not {hit.key for hit in first} & {hit.key for hit in second}


# --- explained ---------------------------------------------------------------------------------


def test_a_hit_explains_itself_when_asked(full: UserMemory) -> None:
    asked = "a tea house by a long and quiet road"
    plain = full.search(asked, touch=False)[0]
    hit = full.search(asked, explain=True)[0]

    assert plain.explanation is None
    told = hit.explanation
    assert told is not None
    assert replace(hit, explanation=None) == plain
    assert (told.key, told.rank, told.score, told.returned) == (hit.key, 1, hit.score, True)
    assert {part.name for part in told.parts} >= {"lexical", "dense"}
    lexical = next(part for part in told.parts if part.name == "lexical")
    assert lexical.rank == 1
    assert lexical.value == hit.signals["lexical"]
    assert "words shared with the question" in told.reason
    assert told.state == "candidate, salience 0.50, accessed 0 times"
