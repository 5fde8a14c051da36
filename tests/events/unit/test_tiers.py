"""Which event nodes stay: the tiers of SPEC 7, by example and as a rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.event import EventFacts, Tier
from remanent.events.rules import episodes
from remanent.events.rules.episodes import TierRules, begins, stays, tier_of
from remanent.events.rules.ranking import decay_score
from remanent_conformance.builders import MOMENT

pytestmark = pytest.mark.quick

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DULL = EventFacts(key="k", event_id="e", born=MOMENT, importance=3.0, is_told=True)
ORDER = list(Tier)

ages = st.timedeltas(min_value=-DAY, max_value=400 * DAY)
rules = st.builds(
    TierRules,
    hot_hours=st.floats(0, 100),
    warm_days=st.floats(0, 30),
    cold_days=st.floats(0, 90),
    keep_importance=st.floats(0, 10),
    keep_accesses=st.integers(0, 9),
    keep_children=st.integers(0, 9),
)
events = st.builds(
    EventFacts,
    key=st.just("k"),
    event_id=st.just("e"),
    born=st.just(MOMENT),
    importance=st.floats(1, 10),
    access_count=st.integers(0, 9),
    is_pinned=st.booleans(),
    children=st.integers(0, 9),
    known_children=st.integers(0, 9),
    references=st.integers(0, 40),
    similar=st.integers(0, 40),
    is_told=st.booleans(),
)


@pytest.mark.parametrize(
    ("age", "tier"),
    [
        (-HOUR, Tier.HOT),
        (23 * HOUR, Tier.HOT),
        (DAY, Tier.WARM),
        (7 * DAY - HOUR, Tier.WARM),
        (7 * DAY, Tier.COLD),
        (30 * DAY - HOUR, Tier.COLD),
        (30 * DAY, Tier.GONE),
    ],
)
def test_the_boundaries_of_the_tiers(age: timedelta, tier: Tier) -> None:
    assert tier_of(age) is tier


@pytest.mark.parametrize(
    ("facts", "kept_cold"),
    [
        (DULL, False),
        (replace(DULL, importance=5.0), True),
        (replace(DULL, access_count=3), True),
        (replace(DULL, access_count=2), False),
        (replace(DULL, children=3), True),
        (replace(DULL, known_children=3), True),
        (replace(DULL, children=2), False),
        (replace(DULL, is_told=False), True),
    ],
)
def test_what_stays_in_the_cold(facts: EventFacts, kept_cold: bool) -> None:
    assert stays(facts, Tier.HOT)
    assert stays(facts, Tier.WARM)
    assert stays(facts, Tier.COLD) is kept_cold


def test_in_the_end_all_leave_but_what_is_pinned_or_untold() -> None:
    great = replace(DULL, importance=10.0, access_count=99, children=99)

    assert not stays(great, Tier.GONE)
    assert stays(replace(great, is_pinned=True), Tier.GONE)
    assert stays(replace(great, is_told=False), Tier.GONE)


@given(ages, ages, rules)
def test_tiers_follow_one_another(one: timedelta, other: timedelta, given_rules: TierRules) -> None:
    younger, older = sorted((one, other))

    assert ORDER.index(tier_of(younger, given_rules)) <= ORDER.index(tier_of(older, given_rules))


@given(ages, rules, st.sampled_from([Tier.WARM, Tier.COLD, Tier.GONE]))
def test_begins_is_where_a_tier_begins(age: timedelta, given_rules: TierRules, tier: Tier) -> None:
    is_in = ORDER.index(tier_of(age, given_rules)) >= ORDER.index(tier)

    assert is_in == (MOMENT - age <= begins(tier, MOMENT, given_rules))


@given(events, ages, ages, rules)
def test_nothing_that_stays_when_older_would_go_when_younger(
    event: EventFacts, one: timedelta, other: timedelta, given_rules: TierRules
) -> None:
    younger, older = sorted((one, other))

    if stays(event, tier_of(older, given_rules), given_rules):
        assert stays(event, tier_of(younger, given_rules), given_rules)


@given(events, rules)
def test_the_protected_never_go_in_the_cold(event: EventFacts, given_rules: TierRules) -> None:
    safe = replace(event, children=given_rules.keep_children)

    assert stays(safe, Tier.COLD, given_rules)
    assert stays(replace(event, is_pinned=True), Tier.GONE, given_rules)


# --- centrality --------------------------------------------------------------------------------


def test_what_much_hangs_on_matters_more() -> None:
    assert episodes.raised(DULL) == 0.0
    assert episodes.raised(replace(DULL, children=1)) == 1.0
    assert episodes.raised(replace(DULL, children=7)) == 3.0
    assert episodes.raised(replace(DULL, references=4, similar=4)) == 2.0


@given(events)
def test_a_raise_is_bounded_and_made_once(event: EventFacts) -> None:
    raised = episodes.raised(event)
    after = replace(event, importance=event.importance + raised, raised=raised)

    assert 0.0 <= raised <= 3.0
    assert after.importance <= 10.0 + 1e-9
    assert episodes.raised(after) == raised


@given(events, st.integers(0, 9))
def test_losing_links_takes_nothing_back(event: EventFacts, fewer: int) -> None:
    raised = episodes.raised(event)
    after = replace(event, importance=event.importance + raised, raised=raised)

    assert episodes.raised(replace(after, children=0, similar=0, references=fewer)) >= raised


@given(
    st.floats(0, 10),
    st.integers(0, 20),
    st.floats(0, 60 * 24),
    st.floats(0, 1),
)
def test_at_the_border_the_decay_score_decides_where_it_is_asked(
    importance: float, accesses: int, hours: float, least: float
) -> None:
    facts = replace(DULL, importance=importance, access_count=accesses)
    score = decay_score(facts, facts.born + timedelta(hours=hours))
    assert 0 <= score <= 1
    assert score >= decay_score(facts, facts.born + timedelta(hours=hours + 1))
    assert score <= decay_score(
        replace(facts, access_count=accesses + 1), facts.born + timedelta(hours=hours)
    )
    plain = stays(facts, Tier.COLD, score=score)
    asked = stays(facts, Tier.COLD, TierRules(keep_score=least), score=score)
    assert asked is (plain or 0 < least <= score)
    assert not stays(facts, Tier.GONE, TierRules(keep_score=least), score=score)
