"""What tests of upkeep look at: the ledger, the graph, and what can be found."""

from __future__ import annotations

import json
from typing import Any

from remanent import UserMemory
from remanent.core.model.belief import Belief
from remanent.core.model.keys import key_for
from remanent_conformance.builders import digest

HOME = "I live in the big old city of Oslo"
SAME_HOME = "I live in the big grey city of Oslo"
OTHER_HOME = "I live in the big old city of Bergen"


def events(ada: UserMemory, kind: str) -> list[dict[str, Any]]:
    found = ada.env.ledger.replay(ada.scope)
    return [dict(one.payload) for one in found if one.event_type == kind]


def state(ada: UserMemory) -> tuple[str, int]:
    """All that the user owns, and how long their ledger is."""
    env, scope = ada.env, ada.scope
    return digest(env.graph.export(scope)), env.ledger.last_seq(scope)


def node(ada: UserMemory, key: str) -> Belief:
    found = ada.env.graph.get(ada.scope, key)
    assert isinstance(found, Belief)
    return found


def held(ada: UserMemory) -> set[str]:
    return {one.statement for one in ada.beliefs()}


def found(ada: UserMemory, words: str) -> set[str]:
    recalled = {one.statement for one in ada.recall(words, touch=False)}
    return recalled | {one.text for one in ada.search(words, kinds=["belief"], touch=False)}


def line_of(ada: UserMemory, **fields: Any) -> str:
    now = ada.env.clock.now().isoformat()
    statement = str(fields["statement"])
    made = {"since": now, "created_at": now, "updated_at": now, "user_id": ada.user_id}
    key = {"key": uuid_of(statement)}
    return json.dumps({**key, **made, **fields}) + "\n"


def uuid_of(text: str) -> str:
    return key_for("lines", "test", text)
