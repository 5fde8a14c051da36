"""Integrity between users: whoever names somebody does not speak for them, changes nothing they said,
and puts nothing into their graph but through a team that both are in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console, RenderableType
from two_people import TwoPeople

from remanent import UserMemory
from remanent.anchors.owner import owner_key
from remanent.beliefs.rules.belief import (
    BeliefRules,
    Dispute,
    Invalidate,
    Predate,
    Reinforce,
    Similar,
    episodes,
    outdated,
    reinforced,
    verdict,
)
from remanent.beliefs.rules.maintenance import merged
from remanent.core.model.belief import Authority, BeliefStatus, Support
from remanent.core.model.codec import to_record
from remanent.core.model.mind_types import Judgement
from remanent.core.model.node import Kind
from remanent.surfaces.cli.views import beliefs as views
from remanent.surfaces.cli.views import pages

ZONE = ZoneInfo("UTC")

LIE = "I live in Pyongyang now. My sister is Eve Mallory."
TURNS = [{"speaker": "Ada Lind", "text": LIE}]
MARRIED = (
    "My wife is Julia Berg. Julia Berg works as a nurse at Telenor. I work at Telenor."
    " Telenor is a big company. Telenor is in Oslo."
)
ENDS = (
    "I work at Equinor now. Equinor is a big company. Equinor is in Stavanger.",
    "I no longer work at Telenor. Telenor is a big company. I left Telenor.",
    "My wife is Eve Mallory. Eve Mallory is a nurse. Eve Mallory lives in Oslo.",
    "I divorced Julia Berg. Julia Berg is no longer my wife. Julia Berg is a nurse.",
)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[TwoPeople]:
    with TwoPeople.living(tmp_path) as town:
        town.ada.remember("I moved to Oslo.")
        town.clock.advance(timedelta(hours=1))
        yield town


def search(ada: UserMemory, key: str) -> None:
    ada.search("where do I live?")


def context(ada: UserMemory, key: str) -> None:
    ada.context("Where do I live, and who is my sister?")


def explore(ada: UserMemory, key: str) -> None:
    ada.explore("Where do I live?", granularity=1)


def read(ada: UserMemory, key: str) -> None:
    ada.read(key)


WAYS = (search, context, explore, read)


@pytest.mark.parametrize("way", WAYS)
def test_naming_somebody_puts_nothing_into_their_graph(
    town: TwoPeople, way: Callable[[UserMemory, str], None]
) -> None:
    town.ada.create_team("Mine", "mine")  # any team, without Bob
    before = {one.key for one in town.ada.beliefs()}
    key = town.bob.add(TURNS, type="conversation", participants=["ada"])
    town.ada.accept_source(key)
    town.work()

    way(town.ada, key)
    town.work()

    assert {one.key for one in town.ada.beliefs()} == before
    assert town.ada.env.graph.extraction(town.ada.scope, key) is None
    assert not [one for one in town.ada.env.queue.jobs(user_id="ada") if key in one.key]


@pytest.mark.parametrize(
    "said",
    [
        TURNS,
        [{"speaker": "user", "text": LIE}],
        [{"speaker": "me", "text": LIE}],
        [{"speaker": "ADA", "text": LIE}],
        LIE,
    ],
    ids=["her name", "user", "me", "her id", "a note"],
)
def test_in_a_common_team_nobody_else_speaks_as_the_owner(
    town: TwoPeople, said: str | list[dict[str, str]]
) -> None:
    town.share_a_team()
    type_ = "text-note" if isinstance(said, str) else "conversation"
    key = town.bob.add(said, type=type_, team="crew")
    town.work()
    town.ada.read(key)
    town.work()

    assert town.ada.env.graph.extraction(town.ada.scope, key) is not None
    beliefs = town.ada.beliefs()
    assert "I moved to Oslo." in {one.statement for one in beliefs}
    for one in beliefs:
        for support in one.supports:
            if support.source_key is None:
                continue
            assert (support.by_owner, support.contributed_by) == (False, "bob")
            assert support.authority is Authority.OTHER
            assert not one.statement.startswith(("I ", "My ")), one.statement


def test_who_speaks_under_no_name_in_anothers_source_is_whoever_gave_it(town: TwoPeople) -> None:
    town.share_a_team()
    key = town.bob.add(LIE, team="crew")
    town.work()
    town.ada.read(key)
    town.work()

    told = {one.statement for one in town.ada.beliefs()}
    assert "Bob Ek lives in Pyongyang now." in told
    assert not any("Ada" in one for one in told)


def test_the_owner_of_a_source_is_its_owner_still(town: TwoPeople) -> None:
    town.share_a_team()
    key = town.bob.add([{"speaker": "Bob Ek", "text": "I live in Bergen."}], type="conversation",
                       team="crew")  # fmt: skip
    town.work()

    supports = [s for one in town.bob.beliefs() for s in one.supports if s.source_key == key]
    assert [(one.by_owner, one.contributed_by) for one in supports] == [(True, None)]


def test_no_relationship_of_the_owners_own_changes_by_anothers_word(town: TwoPeople) -> None:
    town.share_a_team()
    own = town.ada.add(MARRIED, type="text-note")
    town.work()
    edges = open_edges(town.ada)
    assert edges
    for said in ENDS:
        town.bob.add([{"speaker": "Ada Lind", "text": said}], type="conversation", team="crew")
    town.work()
    assert town.ada.adopt("crew")
    town.work()

    assert open_edges(town.ada) == edges
    mine = [one for one in town.ada.beliefs() if own in {s.source_key for s in one.supports}]
    assert mine
    assert all(one.status is BeliefStatus.ACTIVE for one in mine)


def open_edges(ada: UserMemory) -> set[tuple[str, str]]:
    """What the owner stands in, in the words it is known by."""
    found = ada.env.graph.relationships(ada.scope, owner_key("ada"))
    return {(one.description, one.dst) for one in found if one.valid_to is None}


def test_what_others_say_against_each_other_ends_nothing_of_ones_own(town: TwoPeople) -> None:
    """Of two statements of others the later may end the earlier, but no relationship that both tell of and
    that the owner told of first."""
    town.share_a_team()
    for place, company in (
        ("Hamar", "Nora"),
        ("Lyon", "Jonas"),
        ("Hamar", "Selma"),
    ):
        town.ada.add(f"I live in {place} with {company}.", type="text-note")
        town.work()
        town.clock.advance(timedelta(minutes=7))
    held, edges = own_beliefs(town.ada), open_edges(town.ada)
    for place, company in (
        ("Hamar", "Iver"),
        ("Lyon", "Tuva"),
        ("Porto", "Rolf"),
    ):
        town.bob.add(lives(place, company), type="text-note", team="crew")
        town.work()
        town.ada.adopt("crew")
        town.work()
        town.clock.advance(timedelta(minutes=7))
    assert any("Hamar" in description for description, _ in edges)
    assert open_edges(town.ada) == edges
    assert own_beliefs(town.ada) == held


def lives(place: str, company: str) -> str:
    return f"Ada Lind lives in {place} with {company} and works on Project Kestrel."


def own_beliefs(ada: UserMemory) -> set[str]:
    return {one.statement for one in ada.beliefs() if one.contributed_by is None}


def test_the_owner_is_not_a_second_person_in_their_own_graph(town: TwoPeople) -> None:
    town.share_a_team()
    key = town.bob.add(TURNS, type="conversation", team="crew")
    town.work()
    town.ada.read(key)
    town.work()

    env, scope = town.ada.env, town.ada.scope
    people = env.graph.names(scope, Kind.PERSON, {"ada", "lind"})
    assert len({one.key for one in people}) == 1


def test_what_others_contributed_says_so_where_it_is_found(town: TwoPeople) -> None:
    town.ada.accept_source(town.bob.add(TURNS, type="conversation", participants=["ada"]))
    town.ada.add([{"speaker": "Ada Lind", "text": "I sing in Pyongyang."}], type="conversation")
    town.work()

    hits = town.ada.search("Who lives in Pyongyang?")
    words = {hit.text: hit.contributed_by for hit in hits if hit.kind is Kind.PASSAGE}
    assert words == {LIE: "bob", "I sing in Pyongyang.": None}
    lines = town.ada.context("Where is Pyongyang, do I live there?").text.splitlines()
    lies = [one for one in lines if "Mallory" in one]
    assert lies
    assert all(one.count("(from Bob Ek)") == 1 for one in lies), lies
    assert not any("from Bob" in one for one in lines if "sing" in one)


def test_a_belief_out_of_anothers_source_says_so(town: TwoPeople) -> None:
    town.share_a_team()
    key = town.bob.add(TURNS, type="conversation", team="crew")
    town.work()
    town.ada.read(key)
    town.work()

    hits = town.ada.search("Where does Ada live?", kinds=["belief"])
    assert {hit.contributed_by for hit in hits if "Oslo" not in hit.text} == {"bob"}
    assert {hit.contributed_by for hit in hits if "Oslo" in hit.text} == {None}
    places = town.ada.search("Pyongyang", kinds=["entity"])
    assert [hit.contributed_by for hit in places] == ["bob"]
    lines = town.ada.context("Where do I live?").text.splitlines()
    assert all(one.count("(from Bob Ek)") == 1 for one in lines if "Pyongyang" in one)


def test_recall_beliefs_why_and_explore_say_who_gave_it(town: TwoPeople) -> None:
    town.share_a_team()
    town.bob.add(TURNS, type="conversation", team="crew")
    town.work()
    town.ada.search("Pyongyang")
    town.work()

    recalled = {
        one.statement: one.contributed_by for one in town.ada.recall("Where does Ada live?")
    }
    assert recalled.pop("I moved to Oslo.") is None
    assert set(recalled.values()) == {"bob"}
    for belief in town.ada.beliefs():
        mine = belief.statement == "I moved to Oslo."
        assert belief.contributed_by == (None if mine else "bob")
        shown = drawn(pages.page(town.ada.read(belief.key), town.ada.why(belief.key), ZONE))
        assert ("from bob" in shown) is not mine
    assert "from bob" in drawn(views.recollections(town.ada.recall("Where does Ada live?"), ZONE))
    (source,) = town.ada.explore("Pyongyang", granularity=1).episodic.sources
    assert source.contributed_by == "bob"
    assert "contributed_by" not in to_record(town.bob.explore("Pyongyang").episodic.sources[0])


def drawn(shown: RenderableType) -> str:
    console = Console(width=200, file=io.StringIO())
    console.print(shown)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("judged", [Judgement.CONTRADICTS, Judgement.SAME])
def test_nobody_comes_between_two_statements_of_ones_own(judged: Judgement) -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    others = [Similar(f"other {n}", 0.95, 1, at, Authority.OTHER, None) for n in range(9)]
    own = Similar("own", 0.9, 1, at, Authority.USER, None)
    judgements = {one.key: judged for one in others} | {"own": Judgement.CONTRADICTS}
    said = verdict([*others, own], judgements, at=at + timedelta(days=1))
    assert said == Invalidate("own", ())


def test_what_others_said_alike_gives_way_to_ones_own_words() -> None:
    """Else it would be held in their words, and from their day on."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    theirs = Similar("theirs", 0.95, 4, at, Authority.OTHER, None)
    judged, later = {"theirs": Judgement.SAME}, at + timedelta(days=1)
    assert verdict([theirs], judged, at=later) == Invalidate("theirs", ())
    assert verdict([theirs], {}, at=later, by=Authority.SOURCE) == Invalidate("theirs", ())
    for by in (Authority.OTHER, Authority.INFERENCE):
        assert verdict([theirs], judged, at=later, by=by) == Reinforce("theirs")


def test_merged_with_what_others_said_a_belief_keeps_its_day(town: TwoPeople) -> None:
    (own,) = town.ada.beliefs()
    before = own.since - timedelta(days=3)
    said = Support(event_id="b", statement="Ada is in Oslo.", at=before, contributed_by="bob")
    theirs = replace(own, key="theirs", since=before, supports=(said,))
    winner, (loser,) = merged(own, [theirs], town.clock.now())
    assert (winner.statement, winner.since) == (own.statement, own.since)
    assert (loser.since, loser.until) == (before, own.since)
    earlier = replace(theirs, supports=(replace(said, contributed_by=None),))
    assert merged(own, [earlier], town.clock.now())[0].since == before


@pytest.mark.parametrize(
    "words", ["Kim Lund lives in Bergen.", "Actually, Kim Lund lives in Hamar."]
)
def test_what_one_says_oneself_is_held_in_ones_own_words_whoever_said_so_before(
    town: TwoPeople, words: str
) -> None:
    town.share_a_team()
    key = town.bob.add("Kim Lund lives in Bergen.", team="crew")
    town.work()
    town.ada.adopt("crew")
    town.work()
    assert [one.contributed_by for one in town.ada.beliefs() if "Kim" in one.statement] == ["bob"]
    town.clock.advance(timedelta(days=1))
    town.ada.remember(words)
    (held,) = (one for one in town.ada.beliefs() if "Kim" in one.statement)
    assert (held.contributed_by, held.since) == (None, town.clock.now())
    town.bob.erase(key)
    (left,) = (one for one in town.ada.beliefs() if "Kim" in one.statement)
    assert (left.statement, left.since) == (held.statement, held.since)


@pytest.mark.parametrize("held", [Authority.OTHER, Authority.INFERENCE])
def test_nobody_else_has_replaced_what_one_comes_to_tell_late(held: Authority) -> None:
    """A source of last week read after what somebody else said this week, or what we inferred."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    newer = Similar("newer", 0.9, 1, at, held, None)
    judged = {"newer": Judgement.CONTRADICTS}
    before = at - timedelta(days=3)
    assert verdict([newer], judged, at=before, by=Authority.SOURCE) == Dispute("newer", ())
    own = replace(newer, authority=Authority.SOURCE)
    assert verdict([own], judged, at=before, by=Authority.SOURCE) == Predate("newer", ())


def test_nobody_makes_what_is_ones_own_harder_to_take_back(town: TwoPeople) -> None:
    """However often others say it too: three episodes are only doubted, not ended."""
    (own,) = town.ada.beliefs()
    now = town.clock.now()
    for number in range(4):
        said = Support(event_id=f"b{number}", statement="So", at=now, contributed_by="bob")
        own = reinforced(own, said, now)
    others = replace(own, supports=own.supports[1:])
    assert (episodes(own), episodes(others)) == (1, 4)
    for belief, status in ((own, BeliefStatus.INVALIDATED), (others, BeliefStatus.ACTIVE)):
        ended = outdated(belief, "r", "", until=now, now=now, rules=BeliefRules())
        assert ended.status is status


def test_what_one_imported_stays_ones_own_when_others_say_it_too(town: TwoPeople) -> None:
    town.share_a_team()
    at = town.clock.now().isoformat()
    line = {
        "statement": "Kim Lund lives in Bergen.",
        "key": str(UUID(int=1)),
        "user_id": "eve",
        "since": at,
    }
    times = {"created_at": at, "updated_at": at, "subject": "kim lund"}
    town.ada.import_beliefs(io.StringIO(json.dumps({**line, **times}) + "\n"))
    (imported,) = (one for one in town.ada.beliefs() if "Kim" in one.statement)
    key = town.bob.add("Kim Lund lives in Bergen.", team="crew")
    town.work()
    town.ada.adopt("crew")
    town.work()
    (now,) = (one for one in town.ada.beliefs() if one.key == imported.key)
    assert [one.contributed_by for one in now.supports] == ["bob"]
    assert (now.authority, now.contributed_by) == (Authority.SOURCE, None)
    town.bob.erase(key)
    (left,) = (one for one in town.ada.beliefs() if one.key == imported.key)
    assert (left.supports, left.authority) == ((), Authority.SOURCE)


def test_notes_from_others_say_so_on_people_and_things(town: TwoPeople) -> None:
    town.share_a_team()
    town.bob.add(MARRIED, team="crew")
    town.work()
    town.ada.adopt("crew")
    town.work()

    anchors = [one for one in town.ada.anchors() if one.name != "Ada Lind"]
    notes = [note for one in anchors for note in town.ada.read(one.key).notes]
    assert notes
    assert all(one.content.endswith("(from Bob Ek)") for one in notes)
