"""What a night makes of notes, old sources and beliefs: once, whole, and just as the ledger tells it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kept import events, line_of
from night_life import DAY, NIGHT, START, NightMind, faint, night, opened

from remanent import SteppedClock, UserMemory
from remanent.anchors.write import write_extraction
from remanent.beliefs.nightly import maintain_beliefs
from remanent.config import Config
from remanent.core.env import Night
from remanent.core.model.anchor import Anchor, Lifetime
from remanent.core.model.belief import OWNER
from remanent.core.model.event import NOTES_EXPIRED
from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.mind_types import Judgement, Reading
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.sleep import SleepJob
from remanent.core.ports.mind import Tools
from remanent.errors import MindError
from remanent.sleep.episodes_to_notes import BY_SLEEP
from remanent_conformance.builders import a_link, a_note, a_storyline

DESCRIBE, EXPIRE, DISTIL, UPKEEP = (
    SleepJob.DESCRIBE,
    SleepJob.EXPIRE,
    SleepJob.DISTIL,
    SleepJob.UPKEEP,
)


@pytest.fixture
def mind() -> NightMind:
    return NightMind()


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(START)


@pytest.fixture
def ada(tmp_path: Path, clock: SteppedClock, mind: NightMind) -> Iterator[UserMemory]:
    with opened(tmp_path / "memory.db", clock, mind) as user:
        yield user


def anchor(ada: UserMemory, name: str) -> Anchor:
    return next(one for one in ada.anchors() if one.name == name)


def edge(ada: UserMemory, name: str) -> Relationship:
    (found,) = ada.env.graph.relationships(ada.scope, anchor(ada, name).key)
    return found


def tell(ada: UserMemory, text: str, days: float = 0) -> str:
    at, clock = START + days * DAY, ada.env.clock
    assert isinstance(clock, SteppedClock)
    clock.advance(max(at - clock.now(), timedelta()))
    key = ada.add(text, started_at=at)
    ada.work()
    return key


def at_night(ada: UserMemory, **settings: object) -> UserMemory:
    """The same memory under other settings of the night."""
    env = ada.env
    rules = replace(env.config.nightly, **settings)  # type: ignore[arg-type]
    ada.env = replace(env, config=replace(env.config, nightly=rules))
    return ada


# --- describe ----------------------------------------------------------------------------------


def test_new_notes_are_told_in_the_description(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays the cello.")
    tell(ada, "Sarah: Moved to Oslo.", days=1)
    assert anchor(ada, "Sarah").is_dirty

    rest = night(ada, DESCRIBE)

    sarah = anchor(ada, "Sarah")
    assert not sarah.is_dirty
    assert sarah.description == "Sarah: Plays the cello. / Moved to Oslo."
    assert (rest.counts, rest.left) == ({"described": 1}, 0)
    assert rest.changes[0].why == f"from 2 notes: {sarah.description}"
    assert night(ada, DESCRIBE).is_idle


def test_the_description_is_seen_and_found(ada: UserMemory, mind: NightMind) -> None:
    tell(ada, "Sarah: Plays the cello.")
    mind.describe = lambda name, description, notes: "A quiet violoncellist."  # type: ignore[method-assign]
    night(ada, DESCRIBE)
    assert "A quiet violoncellist." in ada.search("violoncellist", kinds=["person"])[0].text
    (hit,) = ada.explore("violoncellist").semantic.people
    assert hit.description == "A quiet violoncellist."
    page = ada.read(anchor(ada, "Sarah").key)
    assert isinstance(page.node, Anchor)
    assert page.node.description == "A quiet violoncellist."


def test_what_a_night_wrote_is_no_answer_about_the_day_before(
    ada: UserMemory, clock: SteppedClock
) -> None:
    tell(ada, "Sarah: Plays the cello.", days=-9)
    clock.advance(DAY)
    night(ada, DESCRIBE)
    (now,) = ada.explore("Sarah").semantic.people
    (then,) = ada.explore("Sarah", known_at=START).semantic.people
    assert now.description
    assert then.description == ""


def test_a_relationship_is_described_from_all_its_words(ada: UserMemory) -> None:
    tell(ada, "Tom > likes > Oslo")
    tell(ada, "Tom > likes > Oslo\nIt rains", days=1)
    before = edge(ada, "Tom")
    night(ada, DESCRIBE)
    after = edge(ada, "Tom")
    assert (before.is_dirty, after.is_dirty) == (True, False)
    assert after.description == "Tom and Oslo: Tom > likes > Oslo / Tom > likes > Oslo"


def test_drawing_again_leaves_a_described_relationship_alone(
    ada: UserMemory, mind: NightMind
) -> None:
    key = tell(ada, "Tom > likes > Oslo")
    tell(ada, "Tom > likes > Oslo\nIt rains", days=1)
    night(ada, DESCRIBE)
    described = edge(ada, "Tom")
    assert described.description.startswith("Tom and Oslo: ")
    with ada.env.atomic():
        write_extraction(ada.env, ada.scope, [key])
    assert edge(ada, "Tom").description == described.description
    night(ada, DESCRIBE)
    assert edge(ada, "Tom").description == described.description
    assert night(ada, DESCRIBE).is_idle


def test_new_words_wait_for_the_night(ada: UserMemory) -> None:
    tell(ada, "Tom > likes > Oslo")
    assert edge(ada, "Tom").description == "Tom > likes > Oslo"
    tell(ada, "Tom > likes > Oslo\nTom: Rows.", days=1)
    night(ada, DESCRIBE)
    before = edge(ada, "Tom").description
    tell(ada, "Tom > likes > Oslo\nTom: Swims.", days=2)
    tom = edge(ada, "Tom")
    assert (tom.description, tom.is_dirty) == (before, True)
    night(ada, DESCRIBE)
    assert edge(ada, "Tom").description != before


def test_what_nobody_called_on_stays_dirty_if_so_set(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays.\nTom: Rows.")
    ada.read(anchor(ada, "Sarah").key)
    at_night(ada, only_accessed=7)
    assert night(ada, DESCRIBE, START + DAY).counts == {"described": 1}
    assert (anchor(ada, "Sarah").is_dirty, anchor(ada, "Tom").is_dirty) == (False, True)


def test_a_limit_leaves_the_rest_to_the_next_night(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays.\nTom: Rows.\nAnn: Reads.")
    tell(ada, "Ann: Writes.", days=1)
    at_night(ada, describe_most=2)
    rest = night(ada, DESCRIBE)
    assert (rest.counts, rest.left) == ({"described": 2}, 1)
    assert not anchor(ada, "Ann").is_dirty
    assert night(ada, DESCRIBE, NIGHT + DAY).counts == {"described": 1}
    assert night(ada, DESCRIBE, NIGHT + DAY).is_idle


def test_what_the_mind_cannot_say_stays_dirty(ada: UserMemory, mind: NightMind) -> None:
    tell(ada, "Sarah: Plays.")

    def fail() -> None:
        raise MindError("no")

    mind.before = fail
    rest = night(ada, DESCRIBE)
    assert (rest.is_idle, rest.left) == (True, 1)
    mind.before = lambda: None
    assert night(ada, DESCRIBE).counts == {"described": 1}


def test_a_note_that_comes_meanwhile_is_not_lost(ada: UserMemory, mind: NightMind) -> None:
    tell(ada, "Sarah: Plays.")
    sarah = anchor(ada, "Sarah").key

    def meanwhile() -> None:
        mind.before = lambda: None
        ada.env.graph.add_note(ada.scope, a_note(sarah, "Sings.", user="ada"))

    mind.before = meanwhile
    assert night(ada, DESCRIBE).left == 1
    assert anchor(ada, "Sarah").is_dirty
    night(ada, DESCRIBE)
    assert "Sings." in anchor(ada, "Sarah").description


def test_what_says_the_same_is_not_embedded_again(
    ada: UserMemory, mind: NightMind, clock: SteppedClock
) -> None:
    tell(ada, "Sarah: Plays.")
    night(ada, DESCRIBE)
    before = anchor(ada, "Sarah")
    ada.env.graph.put(ada.scope, replace(before, is_dirty=True))
    assert night(ada, DESCRIBE, NIGHT + DAY).counts == {"unchanged": 1}
    assert anchor(ada, "Sarah") == before


def test_a_memory_from_before_is_described_before_anything_expires(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays the cello.")
    ada.env.graph.put(ada.scope, replace(anchor(ada, "Sarah"), is_dirty=False))
    assert night(ada, EXPIRE).is_idle
    assert night(ada, DESCRIBE).counts == {"described": 1}
    assert night(ada, EXPIRE).counts == {"expired": 1}


def test_where_the_mind_has_nothing_to_say_the_newest_words_do(
    ada: UserMemory, mind: NightMind
) -> None:
    tell(ada, "Sarah: Plays the cello.")
    mind.describe = lambda name, description, notes: " "  # type: ignore[method-assign]
    assert night(ada, DESCRIBE).counts == {"described": 1}
    assert anchor(ada, "Sarah").description == "Plays the cello."
    assert night(ada, DESCRIBE).is_idle


# --- expire ------------------------------------------------------------------------------------


def test_expired_notes_go_once_they_were_described(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays the cello.")
    sarah = anchor(ada, "Sarah").key
    assert night(ada, EXPIRE).is_idle  # nobody has told yet what it says

    night(ada, DESCRIBE)
    rest = night(ada, EXPIRE)

    assert rest.counts == {"expired": 1}
    assert rest.changes[0].why == "1 note was past its time"
    assert ada.read(sarah).notes == ()
    assert "cello" in anchor(ada, "Sarah").description
    assert ada.search("cello", kinds=["person"])[0].key == sarah
    assert night(ada, EXPIRE).is_idle
    assert night(ada, DESCRIBE).is_idle
    (event,) = events(ada, NOTES_EXPIRED)
    assert event == {"at": NIGHT.isoformat(), "notes": 1, "on": {sarah: 1}}


def test_what_an_agent_adds_to_a_relationship_expires_and_what_it_was_read_from_does_not(
    ada: UserMemory, clock: SteppedClock, mind: NightMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by a rebuild, nor by being read again, does it come back."""
    read = mind.relate

    def relate(reading: Reading, about: Kind, tools: Tools) -> None:
        read(reading, about, tools)
        if about is Kind.PERSON:
            for content, stays in (("By boat.", Lifetime.WEEK), ("For good.", Lifetime.YEAR)):
                tools.add_note_to_relationship("Tom", "Oslo", "home", content, stays)

    monkeypatch.setattr(mind, "relate", relate)
    source = tell(ada, "Tom > home > Oslo", days=0)

    def said() -> dict[str, float | None]:
        notes = ada.env.graph.notes(ada.scope, edge(ada, "Tom").key)
        return {
            one.content: one.expires_at and (one.expires_at - one.date_added) / DAY for one in notes
        }

    assert said() == {"Tom > home > Oslo": None, "By boat.": 7, "For good.": 365}
    clock.advance(8 * DAY)
    ada.sleep()
    stays = {"Tom > home > Oslo": None, "For good.": 365}
    assert said() == stays
    assert "By boat." in edge(ada, "Tom").description
    ada.redo(source)
    assert said() == stays
    with ada.env.atomic():
        write_extraction(ada.env, ada.scope, [source])
    assert said() == stays
    other = tell(ada, "Tom > home > Oslo\nSarah: Waves.", days=9)
    ada.sleep()
    ada.erase(other)
    assert said() == stays
    assert "By boat." in edge(ada, "Tom").description


def test_what_has_not_expired_stays(ada: UserMemory) -> None:
    tell(ada, "Sarah: Plays the cello.")
    night(ada, DESCRIBE, START + DAY)
    assert night(ada, EXPIRE, START + DAY).is_idle
    assert len(ada.read(anchor(ada, "Sarah").key).notes) == 1


# --- distil ------------------------------------------------------------------------------------


def test_a_worn_source_becomes_a_note_and_is_put_away(ada: UserMemory) -> None:
    key = tell(ada, "Sarah: Plays the cello.\nIt is so that Sarah plays the cello")
    ada.env.graph.touch(ada.scope, [key], faint)
    (belief,) = ada.beliefs()

    rest = night(ada, DISTIL)

    assert rest.counts["distilled"] == 1
    assert "salience 0.10" in rest.changes[0].why
    source = ada.read(key)  # by its key it is there, with every word
    assert source.raw is not None
    notes = ada.env.graph.notes(ada.scope, anchor(ada, "Sarah").key)
    (note,) = [one for one in notes if one.added_by == BY_SLEEP]
    assert (note.source_key, note.date_added) == (key, START)
    assert note.expires_at == NIGHT + timedelta(days=365)
    assert anchor(ada, "Sarah").is_dirty
    assert [one.key for one in ada.beliefs()] == [belief.key]
    assert ada.why(belief.key)[0].quote.startswith("Sarah: Plays")


def found(ada: UserMemory, kinds: list[str], **wanted: Any) -> set[str]:
    hits = ada.search("Ann: Plays the cello.", kinds=kinds, touch=False, **wanted)
    return {hit.key.partition("#")[0] for hit in hits}


def test_what_was_put_away_is_found_only_on_request(ada: UserMemory) -> None:
    key = tell(ada, "Sarah: Plays the cello.\nTom > home > Oslo")
    ada.env.graph.touch(ada.scope, [key], faint)
    kinds = ["source", "passage"]
    assert found(ada, kinds) == {key}
    night(ada, DISTIL)
    assert night(ada, DISTIL).is_idle
    assert not found(ada, kinds, states=["candidate", "active", "core"])
    assert found(ada, kinds) == {key}  # nothing at hand answers, so the archive is asked
    at_hand = tell(ada, "Ann: Plays the cello.", days=1)
    assert found(ada, kinds) == {at_hand}
    assert found(ada, kinds, include_archived=True) == {key, at_hand}
    assert edge(ada, "Tom").valid_to is None
    links = ada.env.graph.links(ada.scope, key, kinds=(LinkKind.MENTIONS,))
    assert len(links) == 3


def test_groups_that_tell_of_the_same_go_together(ada: UserMemory) -> None:
    for number in range(5):
        tell(ada, f"Sarah: Plays number {number} well.", days=number / 2)
    young = START + 8 * DAY
    assert night(ada, DISTIL, young).is_idle
    rest = night(ada, DISTIL, START + 10 * DAY)
    assert rest.counts["distilled"] == 5
    assert rest.changes[0].why.startswith("5 sources within 3 days tell of the same")
    assert night(ada, DISTIL, START + 10 * DAY).is_idle


@pytest.mark.parametrize("keep", ["pinned", "open storyline", "called on"])
def test_some_sources_are_never_distilled(ada: UserMemory, keep: str) -> None:
    key = tell(ada, "Sarah: Plays the cello.")
    graph, scope = ada.env.graph, ada.scope
    graph.touch(scope, [key], faint)
    if keep == "pinned":
        graph.touch(scope, [key], lambda life: replace(life, ttl_policy=TtlPolicy.KEEP_FOREVER))
    elif keep == "called on":
        graph.touch(scope, [key], lambda life: replace(life, last_accessed_at=NIGHT - DAY))
    else:
        story = a_storyline(anchor(ada, "Sarah").key, user="ada")
        graph.put(scope, story)
        graph.link(scope, a_link(story.key, key, kind=LinkKind.INCLUDES, user="ada"))
    assert night(ada, DISTIL).is_idle


def test_drawing_a_distilled_source_again_keeps_the_note(ada: UserMemory) -> None:
    key = tell(ada, "Sarah: Plays the cello.")
    ada.env.graph.touch(ada.scope, [key], faint)
    night(ada, DISTIL)
    before = ada.env.graph.notes(ada.scope, anchor(ada, "Sarah").key)
    with ada.env.atomic():
        write_extraction(ada.env, ada.scope, [key])
    assert ada.env.graph.notes(ada.scope, anchor(ada, "Sarah").key) == before


def test_small_talk_is_put_away_without_a_note(ada: UserMemory, mind: NightMind) -> None:
    key = tell(ada, "Sarah: Plays the cello.")
    ada.env.graph.touch(ada.scope, [key], faint)
    mind.gist = lambda reading: ""  # type: ignore[method-assign]
    rest = night(ada, DISTIL)
    assert rest.counts == {"distilled": 1, "noted": 0}
    assert rest.changes[0].why.endswith("nothing to keep")
    node = ada.env.graph.get(ada.scope, key)
    assert node is not None
    assert node.life.state is State.ARCHIVED


# --- upkeep ------------------------------------------------------------------------------------


def remember(ada: UserMemory, mind: NightMind, *statements: str) -> None:
    judge, mind.judgements = mind.judgements, lambda _new, _old: Judgement.DIFFERENT
    for statement in statements:
        ada.remember(statement)
    mind.judgements = judge


def test_a_night_merges_assigns_and_prunes(
    ada: UserMemory, mind: NightMind, clock: SteppedClock
) -> None:
    remember(ada, mind, "I live in the big old house one", "I live in the big old house two")
    remember(ada, mind, "I know that it is so")
    tom = ada.remember("Tom rows").belief
    graph = ada.env.graph
    node = graph.get(ada.scope, tom.key)
    assert node is not None
    graph.put(ada.scope, replace(node, subject=OWNER))  # type: ignore[call-arg]
    at = START + DAY

    rest = night(ada, UPKEEP, at)

    assert rest.counts == {"merged": 1, "assigned": 1}
    assert night(ada, UPKEEP, at).is_idle
    little = next(one for one in ada.beliefs() if one.statement.startswith("I know"))
    graph.put(ada.scope, replace(little, importance=3))
    assert night(ada, UPKEEP, at + 200 * DAY).counts == {"pruned": 1}
    assert night(ada, UPKEEP, at + 200 * DAY).is_idle


def test_what_was_asserted_stays_until_it_is_pruned_by_hand(
    ada: UserMemory, clock: SteppedClock
) -> None:
    ada.remember("I am allergic to nuts")
    clock.advance(400 * DAY)
    assert night(ada, UPKEEP, START + 400 * DAY).is_idle
    assert [one.statement for one in ada.beliefs()] == ["I am allergic to nuts"]
    assert len(ada.prune().pruned) == 1


def test_a_theme_that_grows_by_one_is_not_drawn_anew(
    ada: UserMemory, mind: NightMind, clock: SteppedClock
) -> None:
    mind.judgements = lambda _new, _old: Judgement.DIFFERENT
    mind.principles = lambda statements, _subject: f"I like green tea ({len(statements)})"
    for day in ("day", "night", "week"):
        ada.remember(f"I drink green tea every {day}")
    sunday = START.replace(day=10)
    assert night(ada, UPKEEP, sunday).counts == {"synthesized": 1}
    clock.advance(8 * DAY)
    ada.remember("I drink green tea every month")
    assert "synthesized" not in night(ada, UPKEEP, sunday + 7 * DAY).counts
    clock.advance(7 * DAY)
    for day in ("year", "hour"):
        ada.remember(f"I drink green tea every {day}")
    assert "synthesized" in night(ada, UPKEEP, sunday + 14 * DAY).counts


def test_a_night_after_which_nothing_was_said_asks_nobody(ada: UserMemory, mind: NightMind) -> None:
    remember(ada, mind, "I live in the big old house one", "Tom rows every single day")
    night(ada, UPKEEP, START + DAY)
    mind.asked.clear()
    assert night(ada, UPKEEP, START + 2 * DAY).is_idle
    assert not mind.asked


def test_only_what_changed_is_compared(
    ada: UserMemory, mind: NightMind, clock: SteppedClock
) -> None:
    remember(ada, mind, "I live in the big old house one", "I own the long red boat one")
    night(ada, UPKEEP, START + DAY)
    clock.advance(2 * DAY)
    remember(ada, mind, "I own the long red boat two")
    mind.asked.clear()
    assert night(ada, UPKEEP, START + 3 * DAY).counts == {"merged": 1}
    assert mind.asked.count("judge") <= 2


def test_imported_beliefs_are_news_however_old_they_are(ada: UserMemory, mind: NightMind) -> None:
    remember(ada, mind, "I live in the big old house one")
    night(ada, UPKEEP, START + DAY)
    old = (START - 9 * DAY).isoformat()
    line = line_of(ada, statement="I live in the big old house two", updated_at=old, created_at=old)
    ada.import_beliefs(io.StringIO(line))
    assert night(ada, UPKEEP, START + 2 * DAY).counts == {"merged": 1}


def test_principles_are_drawn_on_sundays_when_something_is_new(
    ada: UserMemory, mind: NightMind
) -> None:
    mind.judgements = lambda _new, _old: Judgement.DIFFERENT
    for day in ("day", "night", "week"):
        ada.remember(f"I drink green tea every {day}")
    mind.principles = lambda _statements, _subject: "I like green tea"
    sunday = START.replace(day=10)
    assert night(ada, UPKEEP, sunday - DAY).is_idle
    assert night(ada, UPKEEP, sunday).counts == {"synthesized": 1}
    assert night(ada, UPKEEP, sunday).is_idle
    mind.asked.clear()
    assert night(ada, UPKEEP, sunday + 7 * DAY).is_idle or "principle" not in mind.asked


@pytest.mark.parametrize(("nightly", "counts"), [(1, {"settled": 1}), (0, {})])
def test_contradictions_are_settled_unless_told_not_to(
    ada: UserMemory, mind: NightMind, nightly: int, counts: dict[str, int]
) -> None:
    mind.judgements = lambda _new, _old: Judgement.DIFFERENT
    ada.remember("I live in the big old city of Oslo", at=START - 2 * DAY)
    ada.remember("I live in the big old city of Bergen", at=START - DAY)
    mind.judgements = lambda _new, _old: Judgement.CONTRADICTS
    assert Config().upkeep.nightly_settle == 1
    config = ada.env.config
    config = replace(config, upkeep=replace(config.upkeep, nightly_settle=nightly))
    env = replace(ada.env, config=config)
    first, again = (
        maintain_beliefs(Night(env=env, scope=ada.scope, job=SleepJob.UPKEEP, at=START + DAY))
        for _ in range(2)
    )
    assert first.counts == counts
    assert again.is_idle
