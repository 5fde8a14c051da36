"""Beliefs kept in order: every verb does what it says, says why, and does nothing twice."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kept import HOME, OTHER_HOME, SAME_HOME, events, found, held, line_of, node, state
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.beliefs.model import ConsolidationOutcome, Verdict
from remanent.core.model.belief import BeliefStatus, ChangeKind
from remanent.core.model.event import (
    BELIEF_FORGOTTEN,
    BELIEF_SYNTHESIZED,
    BELIEFS_MERGED,
    BELIEFS_PRUNED,
    CONSOLIDATED,
    CONTRADICTION_SETTLED,
    SUBJECT_ASSIGNED,
)
from remanent.core.model.mind_types import BeliefDraft, Judgement, Reading
from remanent.core.model.relationship import LinkKind
from remanent.errors import InvalidInput, UnknownKey
from remanent.testing import HashEmbedder, ScriptedMind

DAY = timedelta(days=1)
TALK = [
    {"speaker": "Ada", "text": "We move the launch to June."},
    {"speaker": "Bob", "text": "Fine with me."},
    {"speaker": "Ada", "text": "I tell the customers."},
    {"speaker": "Bob", "text": "Thanks!"},
]


def apart(new: str, old: str) -> Judgement:
    return Judgement.DIFFERENT


def same(new: str, old: str) -> Judgement:
    return Judgement.SAME


def against(new: str, old: str) -> Judgement:
    return Judgement.CONTRADICTS


@pytest.fixture
def mind() -> ScriptedMind:
    """Takes everything for news until a test says otherwise."""
    return ScriptedMind(judgements=apart)


# --- reflect -----------------------------------------------------------------------------------


def test_duplicates_are_what_is_alike_and_called_the_same(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    for statement in (HOME, SAME_HOME, "Tom likes tea"):
        ada.remember(statement)

    assert ada.reflect().duplicates == ()
    mind.judgements = same
    reflection = ada.reflect()

    (cluster,) = reflection.duplicates
    assert {one.statement for one in cluster.beliefs} == {HOME, SAME_HOME}
    assert cluster.similarity >= 0.85
    assert reflection.compared == 3


def test_a_changed_value_is_a_contradiction_and_no_duplicate(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    ada.remember(HOME)
    clock.advance(DAY)
    ada.remember(OTHER_HOME)
    mind.judgements = against

    reflection = ada.reflect()

    assert reflection.duplicates == ()
    (clash,) = reflection.contradictions
    assert (clash.newer.statement, clash.older.statement) == (OTHER_HOME, HOME)


def test_stale_beliefs_are_told_with_what_is_left_of_them(
    ada: UserMemory, clock: SteppedClock
) -> None:
    ada.remember(HOME)
    clock.advance(90 * DAY)
    ada.remember("Tom likes tea")

    (stale,) = ada.reflect().stale

    assert stale.belief.statement == HOME
    assert stale.effective_confidence == pytest.approx(0.075)


def test_reflecting_changes_nothing(ada: UserMemory, mind: ScriptedMind) -> None:
    ada.remember(HOME)
    ada.remember(SAME_HOME)
    mind.judgements = same
    before = state(ada)

    ada.reflect()

    assert state(ada) == before


def test_more_beliefs_than_one_block_are_all_compared(ada: UserMemory, mind: ScriptedMind) -> None:
    numbered = [{"statement": f"number {n} " + f"word{n % 299} " * 9} for n in range(600)]
    ada.import_beliefs(io.StringIO("".join(line_of(ada, **one) for one in numbered)))
    mind.judgements = same
    shares: list[float] = []

    reflection = ada.reflect(progress=shares.append)

    assert reflection.compared == 600
    pairs = {
        frozenset(int(one.statement.split()[1]) % 299 for one in cluster.beliefs)
        for cluster in reflection.duplicates
    }
    assert {frozenset({n}) for n in range(299)} & pairs
    assert shares == sorted(shares)
    assert reflection == ada.reflect()


# --- merge -------------------------------------------------------------------------------------


@pytest.fixture
def doubled(ada: UserMemory, mind: ScriptedMind, clock: SteppedClock) -> UserMemory:
    """The same said twice, the second time more often; the mind sees it now."""
    ada.remember(HOME, event_id="e1")
    clock.advance(DAY)
    ada.remember(SAME_HOME, event_id="e2")
    mind.judgements = lambda new, old: Judgement.SAME if new == old else Judgement.DIFFERENT
    ada.remember(SAME_HOME, event_id="e3")
    mind.judgements = same
    clock.advance(DAY)
    return ada


def test_the_surer_duplicate_takes_over_the_episodes(
    doubled: UserMemory, clock: SteppedClock
) -> None:
    (union,) = doubled.merge_beliefs().merged

    winner = node(doubled, union.winner.key)
    (loser,) = (node(doubled, one.key) for one in union.losers)
    assert (winner.statement, loser.statement) == (SAME_HOME, HOME)
    assert {one.event_id for one in winner.supports} == {"e1", "e2", "e3"}
    assert winner.confidence == pytest.approx(0.8)
    assert winner.since == loser.since == clock.now() - 2 * DAY
    assert (loser.status, loser.superseded_by) == (BeliefStatus.INVALIDATED, winner.key)
    assert loser.changes[-1].by == winner.key
    assert [one.by for one in winner.changes if one.kind is ChangeKind.MERGED] == [loser.key]


def test_a_merged_duplicate_is_found_nowhere_but_in_history(doubled: UserMemory) -> None:
    doubled.merge_beliefs()

    assert held(doubled) == {SAME_HOME}
    assert found(doubled, "old city of Oslo") == {SAME_HOME}
    yesterday = datetime(2026, 5, 5, 12, tzinfo=UTC)
    assert [one.statement for one in doubled.beliefs(yesterday)] == [SAME_HOME]


def test_an_episode_that_comes_again_finds_the_winner(doubled: UserMemory) -> None:
    (union,) = doubled.merge_beliefs().merged

    again = doubled.remember(HOME, event_id="e1")

    assert (again.outcome, again.belief.key) == ("repeated", union.winner.key)


def test_merging_enters_the_ledger_and_does_nothing_twice(doubled: UserMemory) -> None:
    (union,) = doubled.merge_beliefs().merged
    before = state(doubled)

    assert doubled.merge_beliefs().merged == ()
    assert state(doubled) == before
    (told,) = events(doubled, BELIEFS_MERGED)
    assert told["winner"] == union.winner.key
    assert told["losers"] == [one.key for one in union.losers]


def test_a_dry_merge_tells_the_same_and_writes_nothing(doubled: UserMemory) -> None:
    before = state(doubled)

    dry = doubled.merge_beliefs(dry_run=True)

    assert state(doubled) == before
    assert found(doubled, "old city of Oslo") == {HOME, SAME_HOME}
    real = doubled.merge_beliefs()
    assert (dry.merged, dry.changed) == (real.merged, real.changed)


def test_what_was_drawn_from_a_duplicate_stands(doubled: UserMemory, mind: ScriptedMind) -> None:
    mind.judgements = apart
    doubled.remember("I live in the old city of Oslo with Per")
    mind.principles = lambda statements, subject: "Oslo is home"
    (drawn,) = doubled.synthesize().drawn
    mind.judgements = lambda new, old: (
        Judgement.SAME if {new, old} == {HOME, SAME_HOME} else Judgement.DIFFERENT
    )

    report = doubled.merge_beliefs()

    assert len(report.merged) == 1
    meta = node(doubled, drawn.belief.key)
    assert (meta.status, meta.confidence) == (BeliefStatus.ACTIVE, 0.8)


# --- synthesize --------------------------------------------------------------------------------

TEAS = ("Tom likes green tea", "Tom likes black tea", "Tom likes white tea")


@pytest.fixture
def teas(ada: UserMemory, mind: ScriptedMind) -> UserMemory:
    mind.remembered = lambda text: BeliefDraft(
        statement=text, subject=text.split()[0].lower(), importance=6
    )
    mind.principles = lambda statements, subject: f"{subject} cares about tea"
    for statement in (*TEAS, "Eve likes red tea", "Eve likes tea"):
        ada.remember(statement)
    return ada


def test_beliefs_of_one_subject_that_belong_together_give_a_principle(teas: UserMemory) -> None:
    (drawn,) = teas.synthesize().drawn

    meta = node(teas, drawn.belief.key)
    assert (meta.statement, meta.subject, meta.type) == ("tom cares about tea", "tom", "meta")
    assert (meta.confidence, meta.stability, meta.importance) == (0.8, 3.0, 6)
    assert {one.statement for one in drawn.derived_from} == set(TEAS)
    assert set(meta.derived_from) == {one.key for one in drawn.derived_from}
    links = teas.env.graph.links(teas.scope, meta.key, kinds=(LinkKind.DERIVED_FROM,))
    assert {one.dst for one in links} == set(meta.derived_from)
    assert events(teas, BELIEF_SYNTHESIZED)[0]["statement"] == "tom cares about tea"


def test_a_theme_gives_its_principle_once(teas: UserMemory) -> None:
    teas.synthesize()
    before = state(teas)

    assert teas.synthesize().drawn == ()
    assert state(teas) == before


def test_a_forgotten_principle_does_not_come_back(teas: UserMemory) -> None:
    (drawn,) = teas.synthesize().drawn
    teas.forget(drawn.belief.key)

    assert teas.synthesize().drawn == ()


def test_a_dry_synthesis_writes_nothing(teas: UserMemory) -> None:
    before = state(teas)

    dry = teas.synthesize(dry_run=True)

    assert state(teas) == before
    assert dry.drawn == teas.synthesize().drawn


def test_no_principle_no_belief(teas: UserMemory, mind: ScriptedMind) -> None:
    mind.principles = lambda statements, subject: "  "
    before = state(teas)

    report = teas.synthesize()

    assert (report.drawn, report.clusters) == ((), 1)
    assert state(teas) == before


def test_what_has_fallen_takes_no_part(teas: UserMemory, mind: ScriptedMind) -> None:
    gone = teas.recall("Tom likes white tea", 1)[0].belief
    teas.forget(gone.key)

    assert teas.synthesize().drawn == ()


def test_a_principle_falls_with_all_it_was_drawn_from(teas: UserMemory) -> None:
    (drawn,) = teas.synthesize().drawn
    first, second, third = (one.key for one in drawn.derived_from)

    (rescored,) = teas.forget(first).changed
    assert (rescored.key, rescored.status) == (drawn.belief.key, BeliefStatus.ACTIVE)
    assert rescored.confidence < 0.8
    teas.forget(second)
    (fallen,) = teas.forget(third).changed

    assert fallen.status is BeliefStatus.INVALIDATED
    assert "tom cares about tea" not in found(teas, "cares about tea")


def test_at_most_five_at_a_time(ada: UserMemory, mind: ScriptedMind) -> None:
    mind.principles = lambda statements, subject: f"{subject} {len(statements)} {statements[0]}"
    mind.remembered = lambda text: BeliefDraft(statement=text, subject=text.split()[0])
    for n in range(7):
        for kind in ("green", "black", "white"):
            ada.remember(f"who{n} likes{n} {kind} tea{n}")

    assert [len(ada.synthesize().drawn) for _ in range(3)] == [5, 2, 0]


# --- prune, forget -----------------------------------------------------------------------------


def test_what_has_faded_is_pruned_with_the_reason(ada: UserMemory, clock: SteppedClock) -> None:
    old = ada.remember(HOME).belief
    clock.advance(120 * DAY)
    ada.remember("Tom likes tea")

    report = ada.prune()

    assert [one.belief.key for one in report.pruned] == [old.key]
    gone = node(ada, old.key)
    assert gone.status is BeliefStatus.PRUNED
    assert "less than 0.05" in gone.changes[-1].reason
    assert held(ada) == found(ada, "I live in Oslo or Tom likes tea") == {"Tom likes tea"}
    (told,) = events(ada, BELIEFS_PRUNED)
    assert (told["keys"], told["threshold"]) == ([old.key], 0.05)


def test_pruning_twice_or_dryly_changes_nothing(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember(HOME)
    clock.advance(120 * DAY)
    before = state(ada)

    dry = ada.prune(dry_run=True)
    assert state(ada) == before
    real = ada.prune()
    after = state(ada)

    assert dry.pruned == real.pruned
    assert ada.prune().pruned == ()
    assert state(ada) == after


def test_the_threshold_is_the_callers(ada: UserMemory, clock: SteppedClock) -> None:
    ada.remember(HOME)

    assert ada.prune(0.6).pruned == ()
    assert len(ada.prune(0.61).pruned) == 1


def test_a_forgotten_belief_is_gone_but_for_its_trail(ada: UserMemory) -> None:
    key = ada.remember(HOME).belief.key

    report = ada.forget(key[:8], "it is nobody's business")

    assert report.belief.status is BeliefStatus.FORGOTTEN
    assert node(ada, key).changes[-1].reason == "it is nobody's business"
    assert held(ada) == found(ada, HOME) == set()
    assert events(ada, BELIEF_FORGOTTEN) == [{"key": key, "reason": "it is nobody's business"}]
    assert [one.quote for one in ada.why(key)] == [HOME]


def test_forgetting_twice_or_dryly_changes_nothing(ada: UserMemory) -> None:
    key = ada.remember(HOME).belief.key
    before = state(ada)

    assert len(ada.forget(key, dry_run=True).forgotten) == 1
    assert state(ada) == before
    ada.forget(key)
    after = state(ada)

    again = ada.forget(key)
    assert (again.forgotten, again.belief.key) == ((), key)
    assert state(ada) == after


def test_what_cannot_be_forgotten_says_why(ada: UserMemory, clock: SteppedClock) -> None:
    key = ada.remember(HOME).belief.key
    source = ada.add("A note.")
    with pytest.raises(UnknownKey):
        ada.forget("feedface")
    with pytest.raises(InvalidInput, match="is not a belief"):
        ada.forget(source)
    clock.advance(120 * DAY)
    ada.prune()
    with pytest.raises(InvalidInput, match="pruned already, and that is final"):
        ada.forget(key)


def test_a_beginning_that_several_keys_share_is_refused(ada: UserMemory) -> None:
    lines = "".join(
        line_of(ada, key=f"abcd{n}000-0000-5000-8000-000000000000", statement=f"thing {n}")
        for n in (1, 2)
    )
    ada.import_beliefs(io.StringIO(lines))

    with pytest.raises(InvalidInput, match="could be any of"):
        ada.forget("abcd")
    assert len(ada.beliefs()) == 2


def test_another_users_belief_is_unknown(memory: Memory, ada: UserMemory) -> None:
    key = ada.remember(HOME).belief.key
    bob = memory.user("bob")

    with pytest.raises(UnknownKey):
        bob.forget(key)
    assert held(ada) == {HOME}


# --- contradictions ----------------------------------------------------------------------------


@pytest.fixture
def moved(ada: UserMemory, mind: ScriptedMind, clock: SteppedClock) -> UserMemory:
    """Three homes, none of which was seen to replace another."""
    for city in ("Oslo", "Bergen", "Molde"):
        ada.remember(f"I live in the city of {city}", event_id=city)
        clock.advance(DAY)
    ada.remember("Tom likes tea")
    mind.judgements = lambda new, old: (
        Judgement.CONTRADICTS if "city" in new and "city" in old else Judgement.DIFFERENT
    )
    return ada


def test_contradictions_are_found_and_say_which_is_newer(moved: UserMemory) -> None:
    before = state(moved)

    report = moved.contradictions()

    pairs = {(one.newer.statement[-5:], one.older.statement[-5:]) for one in report.found}
    assert pairs == {("ergen", " Oslo"), ("Molde", " Oslo"), ("Molde", "ergen")}
    assert state(moved) == before


def test_contradictions_are_settled_in_the_order_of_time(moved: UserMemory) -> None:
    report = moved.contradictions(resolve=True)

    assert [one.verdict for one in report.settled] == [Verdict.INVALIDATED] * 2
    assert held(moved) == {"I live in the city of Molde", "Tom likes tea"}
    oslo, bergen = (one.clash.older for one in report.settled)
    assert oslo.until == bergen.since
    assert oslo.superseded_by == bergen.key
    assert len(events(moved, CONTRADICTION_SETTLED)) == 2
    assert moved.contradictions(resolve=True).settled == ()


def test_dry_settling_tells_the_same_and_writes_nothing(moved: UserMemory) -> None:
    before = state(moved)

    dry = moved.contradictions(resolve=True, dry_run=True)

    assert state(moved) == before
    assert dry.settled == moved.contradictions(resolve=True).settled


def test_what_was_said_again_since_is_not_ended_by_what_came_in_between(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    mind.judgements = lambda new, old: Judgement.SAME if new == old else Judgement.DIFFERENT
    ada.remember(HOME, event_id="first")
    clock.advance(DAY)
    ada.remember(OTHER_HOME)
    clock.advance(DAY)
    ada.remember(HOME, event_id="again")
    mind.judgements = against

    (settled,) = ada.contradictions(resolve=True).settled

    assert held(ada) == {HOME}
    assert settled.clash.older.statement == OTHER_HOME
    assert settled.clash.older.until == clock.now()
    assert ada.contradictions(resolve=True).settled == ()


def test_the_well_supported_is_weakened_once_and_stands(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    mind.judgements = lambda new, old: Judgement.SAME if new == old else Judgement.DIFFERENT
    for n in range(3):
        ada.remember(HOME, event_id=str(n))
    clock.advance(DAY)
    ada.remember(OTHER_HOME)
    mind.judgements = against

    (settled,) = ada.contradictions(resolve=True).settled
    again = ada.contradictions(resolve=True)

    assert (settled.verdict, settled.clash.older.confidence) == (Verdict.WEAKENED, 0.6)
    assert (again.found, again.settled) == ((), ())
    assert [one.older.statement for one in again.standing] == [HOME]
    assert held(ada) == {HOME, OTHER_HOME}


def test_what_is_only_weakened_says_wherever_it_is_read_what_came_in_its_place(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    before = clock.now()
    mind.judgements = lambda new, old: Judgement.SAME if new == old else Judgement.DIFFERENT
    for n in range(3):
        ada.remember(HOME, event_id=str(n))
    clock.advance(DAY)
    newer = ada.remember(OTHER_HOME).belief
    mind.judgements = against
    ada.contradictions(resolve=True)

    listed = {one.statement: one.superseded_by for one in ada.beliefs(as_of=clock.now())}
    recalled = {one.belief.statement: one.belief.superseded_by for one in ada.recall(HOME)}
    hits = {one.text: (one.holds, one.superseded_by) for one in ada.search(HOME, kinds=["belief"])}

    assert listed == recalled == {HOME: newer.key, OTHER_HOME: None}
    assert hits == {HOME: (None, newer.key), OTHER_HOME: (True, None)}
    (then,) = ada.beliefs(known_at=before)
    assert then.superseded_by is None


def test_what_came_at_the_same_moment_waits_for_a_person(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    ada.remember(HOME)
    ada.remember(OTHER_HOME)
    mind.judgements = against

    report = ada.contradictions(resolve=True)

    assert (len(report.found), report.settled) == (1, ())
    assert held(ada) == {HOME, OTHER_HOME}


def test_a_settled_contradiction_closes_the_edge_and_a_merge_does_not(
    tmp_path: Path, clock: SteppedClock
) -> None:
    mind = PlainMind(
        judgements=apart, remembered=lambda text: BeliefDraft(statement=text, subject="tom")
    )
    with Memory.open(tmp_path / "m.db", clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada")
        ada.add("Tom > home > Oslo", started_at=clock.now() - DAY)
        ada.work()
        (tom,) = (one for one in ada.anchors("person") if one.name == "Tom")
        ada.remember("Tom lives in the city of Oslo now")
        ada.remember("Tom lives in the city of Oslo again")
        mind.judgements = same

        assert len(ada.merge_beliefs().merged) == 1
        assert len(ada.relationships(tom.key)) == 1
        mind.judgements = apart
        clock.advance(DAY)
        ada.remember("Tom lives in the city of Bergen now")
        mind.judgements = against
        assert len(ada.contradictions(resolve=True).settled) == 1

        assert ada.relationships(tom.key) == []


# --- consolidate -------------------------------------------------------------------------------


@pytest.fixture
def talking(ada: UserMemory, mind: ScriptedMind) -> UserMemory:
    mind.gists = {"launch": "Ada moves the launch to June."}
    return ada


def test_a_conversation_leaves_an_episode_and_no_belief(
    talking: UserMemory, clock: SteppedClock
) -> None:
    done = talking.consolidate(TALK, session_id="s1", at=clock.now() - DAY)

    assert (done.outcome, done.turns, done.gist) == (
        ConsolidationOutcome.KEPT,
        4,
        "Ada moves the launch to June.",
    )
    assert talking.beliefs() == []
    (hit,) = talking.search("launch", kinds=["event"])
    assert (hit.key, hit.text) == (done.key, done.gist)
    event = talking.env.ledger.event(talking.scope, str(done.event_id))
    assert event is not None
    assert (event.event_type, event.session_id, event.occurred_at) == (
        CONSOLIDATED,
        "s1",
        clock.now() - DAY,
    )
    assert json.loads(event.payload["turns"])[0]["text"] == TALK[0]["text"]


def test_the_same_conversation_is_one_episode(talking: UserMemory, mind: ScriptedMind) -> None:
    first = talking.consolidate(TALK)
    before = state(talking)
    mind.asked.clear()

    again = talking.consolidate(TALK)

    assert (again.outcome, again.key, again.gist) == (
        ConsolidationOutcome.KNOWN,
        first.key,
        first.gist,
    )
    assert state(talking) == before
    assert mind.asked == []
    assert talking.consolidate(TALK, session_id="another").outcome is ConsolidationOutcome.KEPT


def test_little_talk_and_small_talk_leave_nothing(talking: UserMemory) -> None:
    before = state(talking)
    greeting = [{"speaker": "Ada", "text": text} for text in ("Hi!", "Hello.", "Bye!", "See you.")]

    assert talking.consolidate(TALK[:3]).outcome is ConsolidationOutcome.TOO_SHORT
    assert talking.consolidate([]).outcome is ConsolidationOutcome.TOO_SHORT
    assert talking.consolidate([*TALK[:3], {"text": " "}]).outcome is ConsolidationOutcome.TOO_SHORT
    assert talking.consolidate(greeting).outcome is ConsolidationOutcome.NOTHING
    assert talking.consolidate(TALK, dry_run=True).gist
    assert state(talking) == before


def test_the_owner_and_the_words_are_in_the_reading(ada: UserMemory, mind: ScriptedMind) -> None:
    read: list[Reading] = []
    mind.gists = lambda reading: read.append(reading) or "x"  # type: ignore[func-returns-value]

    ada.consolidate(TALK)

    assert "Ada Lindqvist" in read[0].owner_names
    assert [one.speaker for one in read[0].passages] == ["Ada", "Bob", "Ada", "Bob"]


def test_a_running_conversation_asks_at_every_fifth_turn(ada: UserMemory) -> None:
    assert [n for n in range(12) if ada.consolidation_due(n)] == [5, 10]


# --- subjects ----------------------------------------------------------------------------------


def test_beliefs_come_to_whom_they_are_about(ada: UserMemory, mind: ScriptedMind) -> None:
    tom = ada.remember("Tom likes tea").belief
    ada.remember("I like coffee")
    mind.remembered = lambda text: BeliefDraft(
        statement=text, subject="Tom " if text.startswith("Tom") else "owner"
    )

    report = ada.backfill_subjects()

    (assigned,) = report.assigned
    assert (assigned.before, assigned.belief.subject, report.looked_at) == ("owner", "tom", 2)
    belief = node(ada, tom.key)
    assert (belief.subject, belief.changes[-1].kind) == ("tom", ChangeKind.REASSIGNED)
    assert belief.updated_at == tom.updated_at
    assert events(ada, SUBJECT_ASSIGNED)[0]["subject"] == "tom"
    before = state(ada)
    assert ada.backfill_subjects().assigned == ()
    assert state(ada) == before


def test_the_link_to_the_person_follows(ada: UserMemory, mind: ScriptedMind) -> None:
    mine = ada.remember("Ada Lindqvist likes tea").belief
    me = ada.anchors("person")[0]
    mind.remembered = lambda text: BeliefDraft(statement=text, subject=me.name)

    dry = ada.backfill_subjects(dry_run=True)
    links = ada.env.graph.links
    assert links(ada.scope, mine.key, kinds=(LinkKind.ABOUT,)) == []
    real = ada.backfill_subjects()

    assert dry.assigned == real.assigned
    (link,) = links(ada.scope, mine.key, kinds=(LinkKind.ABOUT,))
    assert link.dst == me.key


# --- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("threshold", lambda ada: ada.prune(2)),
        ("threshold", lambda ada: ada.prune(True)),
        ("threshold", lambda ada: ada.prune(float("nan"))),
        ("reason", lambda ada: ada.forget("abcd", "x" * 2000)),
        ("key", lambda ada: ada.forget(5)),
        ("turns", lambda ada: ada.consolidate("hello")),
        ("turns[0]", lambda ada: ada.consolidate(["hello"])),
        ("turns[1].text", lambda ada: ada.consolidate([{"text": "x"}, {"text": 5}])),
        ("at", lambda ada: ada.consolidate(TALK, at=datetime(2999, 1, 1, tzinfo=UTC))),
        ("turns", lambda ada: ada.consolidation_due(-1)),
    ],
)
def test_bad_input_is_named(
    ada: UserMemory, field: str, call: Callable[[UserMemory], object]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        call(ada)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "verb",
    ["reflect", "merge_beliefs", "synthesize", "prune", "contradictions", "backfill_subjects"],
)
def test_an_empty_memory_is_in_order(ada: UserMemory, verb: str) -> None:
    before = state(ada)

    getattr(ada, verb)()

    assert state(ada) == before


def test_beliefs_without_an_embedding_are_counted_not_compared(
    tmp_path: Path, clock: SteppedClock
) -> None:
    class Mute(HashEmbedder):
        def embed(self, texts: Sequence[str], *, kind: str = "passage") -> Any:
            from remanent.errors import EmbedderError

            raise EmbedderError("gone")

    with Memory.open(
        tmp_path / "mute.db", clock=clock, mind=ScriptedMind(gists=lambda reading: "Nothing much."),
        embedder=Mute(),
    ) as memory:  # fmt: skip
        ada = memory.user("ada")
        ada.remember(HOME)
        ada.remember(HOME)

        assert (ada.reflect().compared, ada.reflect().unseen) == (0, 2)
        assert ada.merge_beliefs().merged == ()
        assert ada.consolidate(TALK).outcome is ConsolidationOutcome.KEPT
        assert [one.text for one in ada.search("nothing", kinds=["event"])] == ["Nothing much."]
