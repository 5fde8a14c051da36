"""Instruct: standing instructions of a user, for every agent or for one: how to answer, what never to do.

An instruction is a belief that nothing is settled against: it stands until it is replaced by another of its
name, restated, forgotten or erased, and nothing that is said of the world can end it.
"""

from __future__ import annotations

from remanent.beliefs.forget import forget_belief
from remanent.beliefs.model import Forgetting
from remanent.beliefs.query import get_belief, list_beliefs
from remanent.beliefs.remember import remember
from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.belief import OWNER, Belief
from remanent.core.model.page import Outcome, Settled
from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput

LONGEST = 2000  # characters: it stands in every prompt
ABOVE_ALL = 11  # importance ends at 10, and what instructs comes before all of it


def instruct(env: Env, scope: Scope, text: str, *, name: str = "", agent_id: str = "") -> Settled:
    """Keep a standing instruction, for every agent or for the one (or the project) of that id. One of
    the same name gives way to it; the same once more changes nothing."""
    words = checks.statement("text", text, LONGEST)
    called = checks.identifier("name", name) if name else ""
    if called == OWNER:
        raise InvalidInput("name", f"{OWNER!r} is taken")
    agent = _agent(agent_id)
    for one in list_instructions(env, scope):
        if (one.instructs, one.subject, one.statement) == (agent, called or OWNER, words):
            return Settled(outcome=Outcome.REPEATED, belief=one)
    return remember(env, scope, words, standing={"instructs": agent, "name": called})


def list_instructions(env: Env, scope: Scope, agent_id: str | None = None) -> list[Belief]:
    """All standing instructions, or those for every agent and those for one; the oldest first."""
    heard = None if agent_id is None else {"", _agent(agent_id)}
    return [
        one
        for one in list_beliefs(env, scope, least=ABOVE_ALL)
        if one.instructs is not None and (heard is None or one.instructs in heard)
    ]


def uninstruct(env: Env, scope: Scope, key: str, *, agent_id: str = "") -> Forgetting:
    """Forget the standing instruction of that key, or of that name; its trail stays."""
    agent = _agent(agent_id)
    for one in list_instructions(env, scope):
        if one.subject != OWNER and (one.instructs, one.subject) == (agent, key):
            return forget_belief(env, scope, one.key)
    if get_belief(env, scope, checks.plain("key", key)).instructs is None:
        raise InvalidInput("key", f"{key!r} is not a standing instruction")
    return forget_belief(env, scope, key)


def _agent(agent_id: object) -> str:
    return "" if agent_id == "" else checks.identifier("agent_id", agent_id)
