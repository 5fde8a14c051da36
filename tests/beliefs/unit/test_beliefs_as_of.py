"""What was true then, what we believed then, and what replaced what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.as_of import (
    When,
    as_known,
    belief_as_of,
    chain,
    episodes,
    is_in_graph,
    known_from,
    known_properties,
    was_known,
    was_true,
)
from remanent.beliefs.rules.belief import (
    BeliefRules,
    disputed,
    forgotten,
    invalidated,
    outdated,
    pruned,
    reinforced,
    weakened,
)
from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.event import event_key
from remanent.core.model.node import Kind
from remanent_conformance.builders import a_person

pytestmark = pytest.mark.quick

RULES = BeliefRules()
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def day(number: float) -> datetime:
    return NOW + timedelta(days=number)


def made(key: str = "oslo", *, on: float = 0, said: float = 0, **fields: Any) -> Belief:
    """A belief that we heard of on one day, about another."""
    support = Support(event_id=f"{key}-0", statement=key, at=day(said))
    change = Change(
        kind=ChangeKind.CREATED, recorded_at=day(on), reason="first stated", confidence=0.6
    )
    given_ = {"supports": (support,), "changes": (change,), "since": day(said), **fields}
    return Belief(
        key=key, user_id="ada", statement=key, created_at=day(on), updated_at=day(on), **given_
    )


def again(belief: Belief, *, on: float, said: float) -> Belief:
    number = len(belief.supports)
    support = Support(event_id=f"{belief.key}-{number}", statement=f"again {number}", at=day(said))
    return reinforced(belief, support, day(on))


class TestTrueThen:
    def test_from_since_up_to_until(self) -> None:
        old = invalidated(made(said=1), "bergen", day(5), day(9))
        assert [was_true(old, day(one)) for one in (0, 1, 4.9, 5, 9)] == [
            False,
            True,
            True,
            False,
            False,
        ]

    @pytest.mark.parametrize("let_go", [forgotten, pruned])
    def test_what_we_let_go_of_counts_until_that_day(self, let_go: Any) -> None:
        gone = let_go(made(), day(7), "why")
        assert was_true(gone, day(6.9))
        assert not was_true(gone, day(7))

    def test_a_log_that_was_lost_leaves_it_true(self) -> None:
        assert was_true(replace(made(), status=BeliefStatus.PRUNED, changes=()), day(1))


class TestKnownThen:
    def test_before_we_heard_of_it_there_is_nothing(self) -> None:
        assert as_known(made(on=3, said=-30), day(2.9)) is None
        assert as_known(made(on=3, said=-30), day(3)) is not None

    def test_what_was_brought_here_is_known_since_then(self) -> None:
        brought = Change(kind=ChangeKind.IMPORTED, recorded_at=day(8), reason="import")
        one = made()
        moved = replace(one, changes=(*one.changes, brought))
        assert known_from(moved) == day(8)
        assert as_known(moved, day(7)) is None

    def test_status_and_end_are_those_of_the_day(self) -> None:
        old = invalidated(made(), "bergen", day(5), day(9))
        then = as_known(old, day(8.9))
        assert then is not None
        assert (then.status, then.until, then.superseded_by) == (BeliefStatus.ACTIVE, None, None)
        assert then.updated_at == day(0)
        assert was_true(then, day(6))  # we did not know that it had ended
        assert as_known(old, day(9)) is old

    def test_confidence_is_that_of_the_day(self) -> None:
        one = again(again(made(), on=1, said=1), on=2, said=2)
        one = weakened(one, "bergen", day(3))
        told = [as_known(one, day(number)) for number in (0, 1, 2, 3)]
        assert [known.confidence for known in told if known] == [0.6, 0.7, 0.8, 0.6]
        assert [known.superseded_by for known in told if known] == [None, None, None, "bergen"]

    def test_where_the_log_is_silent_the_rule_speaks(self) -> None:
        one = weakened(again(again(made(), on=1, said=1), on=2, said=2), "bergen", day(3))
        one = replace(one, changes=tuple(replace(each, confidence=None) for each in one.changes))
        told = [as_known(one, day(number)) for number in (0, 1, 2, 3)]
        assert [known.confidence for known in told if known] == [0.6, 0.7, 0.8, 0.6]

    def test_a_late_statement_does_not_leak(self) -> None:
        """Said on the fifth of what was so long before: until then we thought it was newer."""
        one = again(made(on=0, said=0), on=5, said=-90)
        before, after = as_known(one, day(4)), as_known(one, day(5))
        assert before is not None
        assert after is not None
        assert (before.since, len(before.supports)) == (day(0), 1)
        assert (after.since, len(after.supports)) == (day(-90), 2)

    def test_episodes_taken_in_by_a_merge_do_not_leak(self) -> None:
        took = Change(kind=ChangeKind.MERGED, recorded_at=day(6), reason="same", by="other")
        moved = Support(event_id="other-0", statement="other", at=day(-40))
        one = made()
        merged = replace(
            one,
            since=day(-40),
            confidence=0.7,
            supports=(*one.supports, moved),
            changes=(*one.changes, took),
        )
        merged = again(merged, on=7, said=7)
        before, between = as_known(merged, day(5)), as_known(merged, day(6))
        assert before is not None
        assert between is not None
        assert (before.since, before.confidence, len(before.supports)) == (day(0), 0.6, 1)
        assert (between.since, between.confidence, len(between.supports)) == (day(-40), 0.7, 2)

    def test_the_end_of_a_relationship_is_no_belief_that_replaced_it(self) -> None:
        one = again(again(made(), on=1, said=1), on=1, said=1)
        one = outdated(one, "edge", "moved", until=day(2), now=day(2), rules=RULES)
        one = again(one, on=3, said=3)
        then = as_known(one, day(2))
        assert then is not None
        assert (then.confidence, then.superseded_by) == (0.6, None)

    @given(steps=st.lists(st.sampled_from(["again", "late", "doubt", "guess", "end", "prune"])))
    def test_whatever_comes_later_changes_nothing_that_was_known(self, steps: list[str]) -> None:
        one, seen = made(), []
        for number, step in enumerate(steps, start=1):
            one = STEPS[step](one, number)
            seen.append((day(number), one))
        for moment, then in seen:
            assert as_known(one, moment) == then


STEPS: dict[str, Callable[[Belief, int], Belief]] = {
    "again": lambda one, number: again(one, on=number, said=number),
    "late": lambda one, number: again(one, on=number, said=-number),
    "doubt": lambda one, number: weakened(one, made(f"other {number}"), day(number)),
    "guess": lambda one, number: disputed(one, made(f"guess {number}"), day(number)),
    "end": lambda one, number: invalidated(one, made("bergen"), day(number - 1), day(number)),
    "prune": lambda one, number: pruned(one, day(number), "faint"),
}


class TestChain:
    def test_both_ways_and_oldest_first(self) -> None:
        oslo = made("oslo", said=0, superseded_by="bergen")
        bergen = made("bergen", said=5, supersedes="oslo", superseded_by="paris")
        paris = made("paris", said=9, supersedes="bergen")
        tea = made("tea")
        for key in ("oslo", "bergen", "paris"):
            assert chain(key, [paris, tea, oslo, bergen]) == [oslo, bergen, paris]
        assert chain("tea", [paris, tea]) == [tea]
        assert chain("gone", [tea]) == []

    def test_branches_stand_where_they_began(self) -> None:
        late = made("late", said=2, superseded_by="now")
        merged = made("merged", said=4, superseded_by="now")
        now = made("now", said=3)
        assert chain("late", [now, merged, late]) == [late, now, merged]

    @given(
        links=st.lists(
            st.tuples(st.sampled_from("abcde"), st.none() | st.sampled_from("abcdex")), max_size=9
        ),
        start=st.sampled_from("abcde"),
    )
    def test_any_tangle_ends(self, links: list[tuple[str, str | None]], start: str) -> None:
        beliefs = {key: made(key, said=place) for place, key in enumerate("abcde")}
        for src, dst in links:
            beliefs[src] = replace(beliefs[src], superseded_by=dst)
        found = chain(start, beliefs.values())
        assert start in {one.key for one in found}
        assert found == sorted(found, key=lambda one: one.since)
        assert all(chain(one.key, beliefs.values()) == found for one in found)


class TestHeldThen:
    """Heard of on day 1 that it is so since day 0; on day 9 that it ended on day 5."""

    old = invalidated(made(on=1, said=0), "bergen", day(5), day(9))

    @pytest.mark.parametrize(
        ("as_of", "known_at", "is_held"),
        [
            (None, None, False),
            (0, None, True),
            (5, None, False),
            (None, 0, False),
            (None, 1, True),
            (None, 8, True),
            (None, 9, False),
            (6, 8, True),
            (6, 9, False),
            (4, 9, True),
            (-1, 8, False),
        ],
    )
    def test_on_both_axes(self, as_of: float | None, known_at: float | None, is_held: bool) -> None:
        when = When(
            as_of=None if as_of is None else day(as_of),
            known_at=None if known_at is None else day(known_at),
        )
        assert when.is_now == (as_of is None and known_at is None)
        assert (belief_as_of(self.old, when, RULES) is not None) == is_held

    def test_what_was_let_go_counts_until_then_and_is_no_part_of_the_graph(self) -> None:
        gone = forgotten(made(), day(5), "asked to")
        assert belief_as_of(gone, When(as_of=day(4))) == gone
        assert belief_as_of(gone, When(as_of=day(5))) is None
        assert not is_in_graph(gone, day(4))
        assert not is_in_graph(gone, None)
        known = belief_as_of(gone, When(known_at=day(4)))
        assert known is not None
        assert is_in_graph(known, None)
        assert is_in_graph(known, day(4))
        assert not is_in_graph(known, day(-1))

    def test_when_it_was_first_here(self) -> None:
        assert not was_known(self.old, day(0))
        assert was_known(self.old, day(1))
        brought = Change(kind=ChangeKind.IMPORTED, recorded_at=day(3), reason="brought")
        assert not was_known(replace(self.old, changes=(*self.old.changes, brought)), day(2))
        sarah = a_person(created_at=day(2))
        assert [was_known(sarah, day(one)) for one in (1, 2)] == [False, True]

    def test_its_episodes_are_sources_and_events(self) -> None:
        belief = made()
        (own,) = belief.supports
        source = replace(own, source_key="a-source")
        found = episodes(replace(belief, supports=(own, source)))
        assert "a-source" in found
        assert found - {"a-source"} == {event_key("ada", "oslo-0")}


class TestWhatANodeHadByThen:
    def test_what_grows_is_left_out(self) -> None:
        properties = {"name": "Sarah", "description": "moved", "aliases": ["Sally"], "type": "x"}
        assert known_properties(Kind.PERSON, properties, NOW) == {"name": "Sarah", "type": "x"}
        assert known_properties(Kind.ARTIFACT, properties, NOW) == properties

    def test_work_done_later_is_left_out(self) -> None:
        properties = {
            "title": "a walk",
            "processing_status": "extracted",
            "processing_started_at": None,
            "processing_completed_at": day(-1).isoformat(),
            "extraction_completed_at": day(1).isoformat(),
        }
        assert known_properties(Kind.SOURCE, properties, NOW) == {
            "title": "a walk",
            "processing_started_at": None,
            "processing_completed_at": day(-1).isoformat(),
        }
