"""Truth maintenance in a whole memory: what was inferred falls, or is doubted, with its grounds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from remanent import SteppedClock, UserMemory
from remanent.anchors.owner import register_user
from remanent.beliefs.believe import infer as _infer
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.core.model.mind_types import Judgement
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_link

FACTS = ("Runs at dawn", "Swims on Mondays", "Cycles to work")


@pytest.fixture
def facts(ada: UserMemory) -> list[str]:
    return [ada.remember(fact).belief.key for fact in FACTS]


def infer(ada: UserMemory, statement: str, *keys: str) -> str:
    return _infer(ada.env, ada.scope, statement, keys).belief.key


def node(ada: UserMemory, key: str) -> Belief:
    found = ada.env.graph.get(ada.scope, key)
    assert isinstance(found, Belief)
    return found


def forget(ada: UserMemory, *keys: str) -> list[Belief]:
    env, scope = ada.env, ada.scope
    with env.atomic():
        gone = [rule.forgotten(node(ada, key), env.clock.now(), "asked to") for key in keys]
        for one in gone:
            env.graph.put(scope, one)
        return retract_dependents(env, scope, gone)


def test_one_gone_is_doubt_all_gone_is_the_end(ada: UserMemory, facts: list[str]) -> None:
    sporty = infer(ada, "Is sporty", *facts)

    (doubted,) = forget(ada, facts[0])
    assert (doubted.key, doubted.confidence) == (sporty, pytest.approx(0.8 * 2 / 3))
    assert doubted.changes[-1].kind is ChangeKind.RESCORED
    assert FACTS[0] in doubted.changes[-1].reason

    (fallen,) = forget(ada, *facts[1:])
    assert (fallen.key, fallen.status) == (sporty, BeliefStatus.INVALIDATED)
    assert fallen.changes[-1].by in facts
    assert ada.beliefs() == []
    assert ada.recall("Is sporty") == []


def test_it_cascades_and_twice_changes_nothing(ada: UserMemory, facts: list[str]) -> None:
    sporty = infer(ada, "Is sporty", *facts[:2])
    healthy = infer(ada, "Lives healthily", sporty)
    happy = infer(ada, "Will grow old", healthy, facts[2])

    changed = {one.key: one for one in forget(ada, *facts[:2])}

    assert {key: one.status for key, one in changed.items()} == {
        sporty: BeliefStatus.INVALIDATED,
        healthy: BeliefStatus.INVALIDATED,
        happy: BeliefStatus.ACTIVE,
    }
    assert changed[happy].confidence == pytest.approx(0.4)
    assert changed[healthy].changes[-1].by == sporty
    env, scope = ada.env, ada.scope
    before = list(env.graph.export(scope))
    with env.atomic():
        assert retract_dependents(env, scope, [node(ada, key) for key in facts[:2]]) == []
    assert list(env.graph.export(scope)) == before


def test_a_ring_of_inferences_falls_with_its_only_ground(ada: UserMemory, facts: list[str]) -> None:
    """No verb draws such a ring, but an import or a merge may leave one."""
    env, scope = ada.env, ada.scope
    sporty = infer(ada, "Is sporty", facts[0])
    healthy = infer(ada, "Lives healthily", sporty)
    one = node(ada, sporty)
    with env.atomic():
        env.graph.put(scope, replace(one, derived_from=(*one.derived_from, healthy)))
        env.graph.link(scope, a_link(sporty, healthy, kind=LinkKind.DERIVED_FROM, user="ada"))

    fallen = forget(ada, facts[0])

    assert {each.key for each in fallen} == {sporty, healthy}
    assert all(each.status is BeliefStatus.INVALIDATED for each in fallen)


def test_a_contradiction_takes_inferences_along(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    mind.judgements = {("Tom hates green tea.", "Tom likes green tea."): Judgement.CONTRADICTS}
    likes = ada.remember("Tom likes green tea.").belief.key
    guess = infer(ada, "Give Tom a teapot", likes)
    clock.advance(timedelta(days=3))

    hates = ada.remember("Tom hates green tea.", at=clock.now() - timedelta(days=1)).belief

    fallen = node(ada, guess)
    assert fallen.status is BeliefStatus.INVALIDATED
    assert fallen.until == hates.since == node(ada, likes).until
    assert fallen.changes[-1].reason == (
        "nothing it was drawn from still stands: Tom likes green tea."
    )
    found = house_match(ada, "teapot", Kind.BELIEF), house_match(ada, "teapot", Kind.PAST_BELIEF)
    assert found == ([], [guess])


def test_weakening_a_ground_does_not_end_what_was_drawn_from_it(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    mind.judgements = {("Tom hates green tea.", "Tom likes green tea."): Judgement.CONTRADICTS}
    for _ in range(3):
        likes = ada.remember("Tom likes green tea.").belief.key
    guess = infer(ada, "Give Tom a teapot", likes)

    assert ada.remember("Tom hates green tea.").outcome == "weakened"
    assert node(ada, guess).confidence == 0.8


def test_an_episode_is_forgotten_with_the_only_belief_it_spoke_for(ada: UserMemory) -> None:
    key = ada.remember("Tom likes green tea.", event_id="e1").belief.key
    assert len(house_match(ada, "tea", Kind.EVENT)) == 1

    forget(ada, key)

    for kind in (Kind.EVENT, Kind.BELIEF, Kind.PAST_BELIEF):
        assert house_match(ada, "tea", kind) == []
    assert ada.remember("Tom likes green tea.", event_id="e1").outcome == "repeated"
    assert house_match(ada, "tea", Kind.EVENT) == []
    assert ada.why(key)[0].quote == "Tom likes green tea."


def test_no_user_touches_another(ada: UserMemory, facts: list[str]) -> None:
    """Scopes are keys' first part: the same words of another user are other beliefs."""
    infer(ada, "Is sporty", *facts)
    memory_of_bob = type(ada)(ada.env, "bob")
    register_user(ada.env, "bob", name="Bob", timezone=None)
    theirs = [memory_of_bob.remember(fact).belief.key for fact in FACTS]
    sporty = infer(memory_of_bob, "Is sporty", *theirs)

    forget(ada, *facts)

    assert node(memory_of_bob, sporty).status is BeliefStatus.ACTIVE


def house_match(ada: UserMemory, words: str, kind: Kind) -> list[str]:
    index = ada.env.index
    return [one.key for one in index.match(ada.scope, words, kinds=(kind,), limit=9)]
