"""Restate: the user puts a belief in other words; it stays the same belief."""

from __future__ import annotations

from remanent.beliefs.model import Restatement
from remanent.beliefs.query import own_belief, still_active
from remanent.beliefs.rules import maintenance
from remanent.core import checks
from remanent.core.env import Env
from remanent.core.index_entries import belief_entry
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_RESTATED, Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at
from remanent.core.on_behalf import vector_of, withheld_from
from remanent.core.ports.index import Vector
from remanent.errors import InvalidInput


def restate_belief(
    env: Env, scope: Scope, key: str, statement: str, *, dry_run: bool = False
) -> Restatement:
    """Put one belief in other words. It stays the same belief: its key, its age and its trail."""
    words = checks.statement("statement", statement, env.config.intake.max_statement_characters)
    vector = _vector(env, scope, own_belief(env, scope, key).key, words)
    with env.transaction(dry_run=dry_run):
        belief = own_belief(env, scope, key)  # it may have changed meanwhile
        if belief.status is not BeliefStatus.ACTIVE:
            problem = f"the belief {key!r} is {belief.status.value}, and that is final"
            raise InvalidInput("key", problem)
        before = belief.statement
        if before == words:
            return Restatement(belief=belief, before=before, changed=False, dry_run=dry_run)
        payload = {"key": belief.key, "statement": words, "before": before}
        event = env.append(scope, BELIEF_RESTATED, payload)
        restated = _restated(env, scope, event, belief, vector)
    return Restatement(belief=restated, before=before, dry_run=dry_run)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more, if its belief still stands."""
    key, words = str(event.payload["key"]), str(event.payload["statement"])
    vector = _vector(env, scope, key, words)
    with env.atomic():
        for belief in still_active(env, scope, [key]):
            if belief.statement != words:
                _restated(env, scope, event, belief, vector)


def _restated(
    env: Env, scope: Scope, event: Event, before: Belief, vector: Vector | None
) -> Belief:
    belief = maintenance.restated(before, str(event.payload["statement"]), effective_at(event))
    env.graph.put(scope, belief)
    env.index.put([belief_entry(belief, vector)])
    return belief


def _vector(env: Env, scope: Scope, key: str, words: str) -> Vector | None:
    """None where the embedder has none to give, or must not be given these words."""
    if withheld_from(env.embedder, scope, env.graph, [key]):
        return None
    return vector_of(env.embedder, scope, "believe", words, kind="statement")
