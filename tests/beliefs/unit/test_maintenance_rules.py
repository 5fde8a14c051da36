"""The rules by which beliefs are kept in order."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules import jsonl_codec, maintenance, truth
from remanent.beliefs.rules.belief import effective_confidence, similarity
from remanent.beliefs.rules.maintenance import Alike, UpkeepRules
from remanent.core.checks import IntakeRules
from remanent.core.model.belief import (
    Authority,
    Belief,
    BeliefStatus,
    BeliefType,
    ChangeKind,
    Support,
)
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.errors import InvalidInput
from remanent_conformance.builders import MOMENT, a_belief

pytestmark = pytest.mark.quick

DAY = timedelta(days=1)
KEYS = st.sampled_from("abcdefgh")
PAIRS = st.lists(
    st.builds(Alike, KEYS, KEYS, st.floats(0.5, 1.0).map(lambda one: round(one, 3))), max_size=20
).map(lambda pairs: [one for one in pairs if one.newer != one.older])
SCALES = st.lists(
    st.tuples(st.floats(-1, 1).map(lambda x: round(x, 3)), st.floats(0, 1)), max_size=5
).map(tuple)


def said(event_id: str, *, by: Authority = Authority.USER, at=MOMENT) -> Support:
    source = None if by is Authority.USER else "source"
    return Support(event_id=event_id, statement=event_id, at=at, source_key=source)


def stated(statement: str, *events: str, **fields) -> Belief:
    return a_belief(statement, supports=tuple(said(one) for one in events or ("e",)), **fields)


# --- duplicates --------------------------------------------------------------------------------


def test_pairs_become_clusters_through_what_they_share():
    found = maintenance.clusters(
        [Alike("a", "b", 0.9), Alike("c", "b", 0.95), Alike("d", "e", 0.88)]
    )

    assert found == [(("a", "b", "c"), 0.9), (("d", "e"), 0.88)]


def test_what_contradicts_never_comes_into_one_cluster():
    pairs = [Alike("a", "b", 0.9), Alike("c", "b", 0.95)]

    assert maintenance.clusters(pairs, [("a", "c")]) == [(("b", "c"), 0.95)]


@given(PAIRS, st.randoms(use_true_random=False))
def test_clusters_are_disjoint_cover_the_pairs_and_do_not_depend_on_order(pairs, random):
    found = maintenance.clusters(pairs)
    home = {key: number for number, (keys, _) in enumerate(found) for key in keys}

    assert len(home) == sum(len(keys) for keys, _ in found)
    assert all(len(keys) > 1 for keys, _ in found)
    assert all(home[one.newer] == home[one.older] for one in pairs)
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert maintenance.clusters(shuffled) == found


@given(PAIRS, st.sets(st.tuples(KEYS, KEYS).filter(lambda one: one[0] != one[1]), max_size=8))
def test_no_cluster_holds_two_that_are_held_apart(pairs, apart):
    for keys, _ in maintenance.clusters(pairs, apart):
        assert not any(one in keys and other in keys for one, other in apart)


@given(st.floats(0, 1), SCALES)
def test_the_least_cosine_is_the_least(wanted, scale):
    least = maintenance.least_cosine(wanted, scale)

    if least > 1:
        assert similarity(1.0, scale) < wanted
    else:
        assert similarity(least, scale) >= wanted
        assert least == -1 or similarity(least - 1e-9, scale) <= wanted


def test_the_surer_one_wins():
    faint, sure = stated("a", confidence=0.5), stated("b", confidence=0.9)

    assert maintenance.winner_first([faint, sure], MOMENT)[0] == sure


def test_what_faded_loses_to_what_is_fresh():
    old = stated("a", confidence=0.9, updated_at=MOMENT - 90 * DAY)
    new = stated("b", confidence=0.6)

    assert maintenance.winner_first([old, new], MOMENT)[0] == new


def test_ties_go_to_the_user_then_to_the_older_then_to_the_key():
    user = a_belief("u", supports=(said("e"),))
    source = a_belief("s", supports=(said("e", by=Authority.SOURCE),), since=MOMENT - DAY)
    older = a_belief("o", supports=(said("e"),), since=MOMENT - 2 * DAY)

    assert maintenance.winner_first([source, user], MOMENT)[0] == user
    assert maintenance.winner_first([user, older], MOMENT)[0] == older
    twins = [replace(user, key="b"), replace(user, key="a")]
    assert [one.key for one in maintenance.winner_first(twins, MOMENT)] == ["a", "b"]


def test_an_inference_never_wins_over_what_was_asserted():
    asserted = stated("a", confidence=0.1)
    ours = a_belief("b", confidence=1.0, derived_from=("x",), type=BeliefType.META)

    assert maintenance.winner_first([ours, asserted], MOMENT)[0] == asserted


def test_the_winner_takes_over_what_spoke_for_the_losers():
    winner = stated("I live in Oslo", "e1")
    loser = stated("My home is Oslo", "e1", "e2", since=MOMENT - DAY)
    loser = replace(loser, supports=(winner.supports[0], loser.supports[1]))
    now = MOMENT + DAY

    stays, (gone,) = maintenance.merged(winner, [loser], now)

    assert [one.event_id for one in stays.supports] == ["e1", "e2"]
    assert (stays.confidence, stays.updated_at, stays.since) == (0.7, now, MOMENT - DAY)
    assert (stays.changes[-1].kind, stays.changes[-1].by) == (ChangeKind.MERGED, loser.key)
    assert (gone.status, gone.superseded_by) == (BeliefStatus.INVALIDATED, winner.key)
    assert (gone.changes[-1].by, gone.supports) == (winner.key, loser.supports)
    assert not any(gone.held_at(MOMENT + n * DAY) for n in range(-3, 3))
    assert truth.was_merged(gone, stays)


# --- fading ------------------------------------------------------------------------------------


def test_what_has_faded_is_faintest_first_and_what_is_kept_forever_never():
    old, older = (stated(name, updated_at=MOMENT - n * DAY) for name, n in (("a", 120), ("b", 200)))
    kept = replace(older, key="k", life=Lifecycle(ttl_policy=TtlPolicy.KEEP_FOREVER))
    gone = replace(older, key="g", status=BeliefStatus.PRUNED)

    found = maintenance.faded([stated("fresh"), kept, gone, old, older], MOMENT, 0.05)

    assert [one for one, _ in found] == [older, old]
    assert [left for _, left in found] == [
        effective_confidence(one, MOMENT) for one in (older, old)
    ]


# --- themes ------------------------------------------------------------------------------------


def test_a_theme_is_what_resembles_one_belief():
    star = [Alike("a", "c", 0.7), Alike("b", "c", 0.65), Alike("d", "c", 0.9)]
    chain = [Alike("v", "w", 0.7), Alike("w", "x", 0.7), Alike("x", "y", 0.7)]

    found = list(maintenance.themes([*star, *chain]))

    assert found[0].keys == ("c", "a", "b", "d")
    assert found[0].similarity == 0.65
    assert [len(one.keys) for one in found] == [4, 3]


@given(PAIRS, st.randoms(use_true_random=False))
def test_themes_never_overlap_and_do_not_depend_on_order(pairs, random):
    alike = {frozenset((one.newer, one.older)) for one in pairs}
    unique = {frozenset((one.newer, one.older)): one for one in pairs}
    found = list(maintenance.themes(unique.values()))
    members = [key for one in found for key in one.keys]

    assert len(members) == len(set(members))
    for one in found:
        centre, *others = one.keys
        assert len(one.keys) >= UpkeepRules().synthesize_from
        assert all(frozenset((centre, other)) in alike for other in others)
    shuffled = list(unique.values())
    random.shuffle(shuffled)
    assert list(maintenance.themes(shuffled)) == found


def test_a_theme_has_its_principle_when_one_was_drawn_from_all_of_it():
    drawn = a_belief("m", derived_from=("a", "b", "c"), status=BeliefStatus.FORGOTTEN)

    assert maintenance.is_drawn(["a", "b", "c"], [drawn])
    assert maintenance.is_drawn(["a", "c"], [drawn])
    assert not maintenance.is_drawn(["a", "b", "d"], [drawn])


@pytest.mark.parametrize(
    ("belief", "may"),
    [
        (stated("x"), True),
        (stated("x", status=BeliefStatus.PRUNED), False),
        (stated("x", type=BeliefType.META), False),
        (a_belief("x", derived_from=("y",)), False),
    ],
)
def test_only_what_is_held_and_was_asserted_takes_part(belief, may):
    assert maintenance.may_join(belief) is may


@pytest.mark.parametrize(("importance", "may"), [(1, False), (2, False), (3, True), (9, True)])
def test_chores_give_no_principle(importance, may):
    assert maintenance.may_join(stated("x", importance=importance)) is may


@pytest.mark.parametrize(
    ("belief", "goes"),
    [
        (stated("x", importance=9), False),
        (stated("x", importance=4), False),
        (stated("x", importance=3), True),
        (stated("x", importance=9, type=BeliefType.META), True),
        (a_belief("x", importance=9, derived_from=("y",)), True),
    ],
)
def test_what_was_asserted_and_matters_is_never_let_go_of_by_itself(belief, goes):
    assert maintenance.goes_by_itself(belief) is goes


def test_a_night_waits_until_enough_of_a_theme_is_new():
    drawn = [a_belief("m", derived_from=("a", "b", "c")), a_belief("n", derived_from=("d",))]

    assert maintenance.is_new_enough(["x", "y", "z"], drawn)
    assert not maintenance.is_new_enough(["a", "b", "c", "d", "x", "y"], drawn)
    assert maintenance.is_new_enough(["a", "b", "c", "x", "y", "z"], drawn)


# --- contradictions ----------------------------------------------------------------------------


def test_the_newer_takes_the_place_of_the_older():
    older, newer = stated("Oslo", since=MOMENT - DAY), stated("Bergen")

    new, old, kind = maintenance.settled(newer, older, MOMENT)

    assert kind is ChangeKind.INVALIDATED
    assert (old.status, old.until, old.superseded_by) == (
        BeliefStatus.INVALIDATED,
        MOMENT,
        newer.key,
    )
    assert new.supersedes == older.key
    assert maintenance.is_settled(new, old)


def test_the_well_supported_is_only_weakened():
    older, newer = stated("Oslo", "e1", "e2", "e3", since=MOMENT - DAY), stated("Bergen")

    new, old, kind = maintenance.settled(newer, older, MOMENT)

    assert (kind, old.status, old.confidence) == (ChangeKind.WEAKENED, BeliefStatus.ACTIVE, 0.4)
    assert maintenance.is_settled(new, old)


def test_what_was_weakened_twice_is_still_settled_with_both():
    older, one, two = stated("Oslo", "e1", "e2", "e3"), stated("Bergen"), stated("Molde")
    first, older, _ = maintenance.settled(one, older, MOMENT)
    second, older, _ = maintenance.settled(two, older, MOMENT)

    assert maintenance.is_settled(replace(first, supersedes=None), older)
    assert maintenance.is_settled(second, older)


def test_an_inference_only_disputes_what_was_asserted():
    asserted = stated("Oslo", since=MOMENT - DAY)
    ours = a_belief("Bergen", derived_from=("x",), type=BeliefType.META)

    new, old, kind = maintenance.settled(ours, asserted, MOMENT)

    assert kind is ChangeKind.DISPUTED
    assert (old.status, old.confidence) == (BeliefStatus.ACTIVE, asserted.confidence)
    assert new.disputes == asserted.key
    assert maintenance.is_settled(new, old)


def test_an_inference_gives_way_to_what_is_asserted():
    ours = a_belief("Bergen", derived_from=("x",), since=MOMENT - DAY)

    _, old, kind = maintenance.settled(stated("Oslo"), ours, MOMENT)

    assert (kind, old.status) == (ChangeKind.INVALIDATED, BeliefStatus.INVALIDATED)


def at_days(statement: str, *days: int) -> Belief:
    """Said on each of these days, and held from the first of them on."""
    supports = tuple(said(f"{statement}{day}", at=MOMENT + day * DAY) for day in days)
    return a_belief(statement, supports=supports, since=MOMENT + min(days) * DAY)


def test_what_was_said_again_after_the_newer_one_is_held_true_from_then_on():
    older, newer = at_days("Oslo", 0, 9, 12), at_days("Bergen", 5, 7)

    holds, gives_way = maintenance.by_last_word(newer, older)
    _, over, _ = maintenance.settled(holds, gives_way, MOMENT + 13 * DAY)

    assert (holds, gives_way) == (older, newer)
    assert (over.since, over.until) == (MOMENT + 5 * DAY, MOMENT + 9 * DAY)
    assert over.superseded_by == older.key


def test_the_newer_one_holds_when_it_has_the_last_word():
    older, newer = at_days("Oslo", 0, 6), at_days("Bergen", 5, 9)

    assert maintenance.by_last_word(newer, older) == (newer, older)
    assert maintenance.takes_over(newer, older) == newer.since


def test_what_was_told_late_is_not_undone_by_what_was_said_before_the_telling():
    """In May: "I moved to Bergen in March". That Oslo was home was still said in April."""
    older = at_days("Oslo", 0, 90)
    told = replace(said("Bergen", at=MOMENT + 120 * DAY), since=MOMENT + 60 * DAY)
    newer = a_belief("Bergen", supports=(told,), since=MOMENT + 60 * DAY)

    assert maintenance.by_last_word(newer, older) == (newer, older)


DAYS = st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True)


@given(DAYS, DAYS)
def test_one_of_two_holds_and_the_other_never_ends_before_it_began(one, other):
    newer, older = sorted(
        (at_days("Oslo", *one), at_days("Bergen", *other)), key=maintenance.age, reverse=True
    )

    holds, gives_way = maintenance.by_last_word(newer, older)
    _, over, _ = maintenance.settled(holds, gives_way, MOMENT + 30 * DAY)

    assert {holds.key, gives_way.key} == {newer.key, older.key}
    assert over.until is None or over.since <= over.until <= MOMENT + 20 * DAY
    assert max(one.at for one in holds.supports) >= max(one.at for one in gives_way.supports) or (
        holds.key == newer.key
    )


@pytest.mark.parametrize(
    ("subject", "alike", "asked"),
    [("tom", 0.3, False), ("tom", 0.4, True), ("owner", 0.3, True), ("owner", 0.2, False)],
)
def test_beliefs_about_the_same_one_are_compared_from_further_apart(subject, alike, asked):
    one, other = stated("I moved to Porto"), stated("comes home to Athens", subject=subject)

    assert maintenance.may_clash(one, other, alike) is asked


# --- conversations -----------------------------------------------------------------------------


def test_consolidation_is_due_at_every_fifth_turn():
    assert [turns for turns in range(17) if maintenance.consolidation_due(turns)] == [5, 10, 15]


def test_it_is_never_due_before_there_are_enough_turns():
    rules = UpkeepRules(consolidate_every=2, consolidate_from=4)

    assert [turns for turns in range(9) if maintenance.consolidation_due(turns, rules)] == [4, 6, 8]


# --- lines of a file ---------------------------------------------------------------------------

RULES = IntakeRules()
BELIEF = stated("I live in Oslo", "e1", user="ada", subject="tom", since=MOMENT - DAY)


def read(*lines: str):
    return jsonl_codec.read(lines, now=MOMENT, rules=RULES)


def spoiled(**fields) -> str:
    record = json.loads(jsonl_codec.written(BELIEF))
    for name, value in fields.items():
        if value is ...:
            del record[name]
        else:
            record[name] = value
    return json.dumps(record)


def test_what_was_written_is_read_again():
    other = replace(BELIEF, key=a_belief("x").key, until=MOMENT, status=BeliefStatus.INVALIDATED)

    lines = read(jsonl_codec.written(BELIEF, [other.key]), "", jsonl_codec.written(other))

    assert [one.belief for one in lines] == [BELIEF, other]
    assert [one.number for one in lines] == [1, 3]
    assert lines[0].neighbours == (other.key,)


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("line 1", "not json"),
        ("line 1", "[1]"),
        ("line 1", "[" * 100_000),
        ("line 1: statement", spoiled(statement=...)),
        ("line 1: statement", spoiled(statement="  ")),
        ("line 1: statement", spoiled(statement=5)),
        ("line 1: statement", spoiled(statement="a\x00")),
        ("line 1: confidance", spoiled(confidance=1)),
        ("line 1: confidence", spoiled(confidence=2)),
        ("line 1: confidence", spoiled(confidence="0.5")),
        ("line 1: confidence", spoiled(confidence=float("nan"))),
        ("line 1: importance", spoiled(importance=0)),
        ("line 1: importance", spoiled(importance=5.5)),
        ("line 1: importance", spoiled(importance=True)),
        ("line 1: status", spoiled(status="gone")),
        ("line 1: type", spoiled(type=None)),
        ("line 1: key", spoiled(key="../../x")),
        ("line 1: user_id", spoiled(user_id="")),
        ("line 1: subject", spoiled(subject=" ")),
        ("line 1: since", spoiled(since="yesterday")),
        ("line 1: since", spoiled(since="2026-01-01T00:00")),
        ("line 1: since", spoiled(since="2999-01-01T00:00+00:00")),
        ("line 1: until", spoiled(until="1999-01-01T00:00+00:00")),
        ("line 1: supports", spoiled(supports="x")),
        ("line 1: supports.event_id", spoiled(supports=[{"statement": "x"}])),
        ("line 1: changes.kind", spoiled(changes=[{"kind": "x"}])),
        ("line 1: life.salience", spoiled(life={"salience": 7})),
        ("line 1: neighbours", spoiled(neighbours=[1])),
        ("line 1: format", spoiled(format="remanent.belief/9")),
    ],
)
def test_a_bad_line_is_named_with_its_field(field: str, line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(line)
    assert caught.value.field == field


def test_two_lines_of_one_belief_are_refused():
    with pytest.raises(InvalidInput, match="line 2: key: stands on line 1 already"):
        read(jsonl_codec.written(BELIEF), jsonl_codec.written(BELIEF))


def test_the_same_user_keeps_the_keys_another_gets_new_ones_that_never_change():
    newer = replace(BELIEF, key=a_belief("x").key, supersedes=BELIEF.key)
    lines = read(jsonl_codec.written(BELIEF), jsonl_codec.written(newer, [BELIEF.key]))

    mine = jsonl_codec.adopted(lines, "ada", MOMENT)
    theirs = jsonl_codec.adopted(lines, "bob", MOMENT)

    assert [one.belief.key for one in mine] == [BELIEF.key, newer.key]
    assert {one.belief.user_id for one in theirs} == {"bob"}
    assert not {one.belief.key for one in theirs} & {BELIEF.key, newer.key}
    assert theirs[1].belief.supersedes == theirs[1].neighbours[0] == theirs[0].belief.key
    assert theirs == jsonl_codec.adopted(lines, "bob", MOMENT)
    assert mine[0].belief.changes[-1].kind is ChangeKind.IMPORTED
