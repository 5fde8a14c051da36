"""Learning: messages come in, and what was learned from them goes out at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.clock import stopwatch
from remanent.core.model.belief import Belief
from remanent.core.model.job import JobState
from remanent.core.model.page import Outcome
from remanent.errors import InvalidInput
from remanent.memory import UserMemory
from remanent.surfaces.compat.mem0 import labels
from remanent.surfaces.compat.mem0.reach import MADE_UP

_PATIENCE_S: Final = 120.0  # for another worker that has the source in hand
_STEP_S: Final = 0.05
_ROLES: Final = ("user", "assistant", "system", "tool")


def said_in(messages: object) -> list[tuple[str, str, str]]:
    """Role, name and words of each message; those to the system are none of the user's."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list) or not messages:
        raise InvalidInput("messages", "must be a list of messages with role and content")
    found = [_message(number, one) for number, one in enumerate(messages)]
    return [one for one in found if one[0] != "system" and one[2]]


def _message(number: int, one: object) -> tuple[str, str, str]:
    if not isinstance(one, Mapping):
        raise InvalidInput(f"messages[{number}]", "must be an object with role and content")
    role = str(one.get("role") or "user")
    if role not in _ROLES:
        raise InvalidInput(f"messages[{number}].role", f"{role!r} is none of {', '.join(_ROLES)}")
    return role, str(one.get("name") or ""), _words(one.get("content"))


def _words(content: object) -> str:
    """The text of a message; of one in parts, that of those that have text."""
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, Mapping)]
        return "\n".join(str(one) for one in parts if one).strip()
    return "" if content is None else str(content).strip()


def infer(
    user: UserMemory,
    said: Sequence[tuple[str, str, str]],
    about: Mapping[str, Any],
    at: datetime,
) -> list[dict[str, Any]]:
    """Take the messages in as a conversation, work it out, and say what is believed since."""
    before = {one.key: one for one in user.beliefs()}
    turns = [{"speaker": _speaker(user, role, name), "text": text} for role, name, text in said]
    source = user.add(turns, started_at=at)
    labels.tell(user, source, about)
    _work_out(user, source)
    after = {one.key: one for one in user.beliefs()}
    told = [one for one in after.values() if any(s.source_key == source for s in one.supports)]
    results = [_result(one, "NONE" if one.key in before else "ADD") for one in told]
    return [*results, *(_result(before[key], "DELETE") for key in before if key not in after)]


def keep(
    user: UserMemory,
    said: Sequence[tuple[str, str, str]],
    about: Mapping[str, Any],
    at: datetime,
) -> list[dict[str, Any]]:
    """Remember each message as it is."""
    results: list[dict[str, Any]] = []
    for role, _, text in said:
        settled = user.remember(text, at)
        belief = settled.belief
        if settled.outcome in (Outcome.REINFORCED, Outcome.REPEATED):
            results.append(_result(belief, "NONE"))
            continue
        labels.tell(user, belief.supports[-1].event_id, {**about, "role": role})
        if belief.statement != text and settled.outcome is not Outcome.PREDATED:
            belief = user.restate(belief.key, text).belief
        results.append(_result(belief, "ADD"))
        if settled.other is not None and settled.outcome is Outcome.INVALIDATED:
            results.append(_result(settled.other, "DELETE"))
    return results


def _speaker(user: UserMemory, role: str, name: str) -> str:
    """Who says it: the owner of the memory is the user, or the agent if it is an agent's."""
    is_agent = user.user_id.partition(":")[0] in MADE_UP
    if role == ("assistant" if is_agent else "user"):
        return name or user.profile.name or user.user_id
    return name or role


def _work_out(user: UserMemory, source: str) -> None:
    """Do what is due for the user, and wait for whoever else has this source in hand."""
    begun = stopwatch()
    while True:
        user.work()
        in_hand = user.jobs((JobState.RUNNING,), limit=1000)
        if not any(one.payload.get("source_key") == source for one in in_hand):
            return  # done, or put off for later: whoever works then goes on with it
        if stopwatch() - begun > _PATIENCE_S:
            return
        time.sleep(_STEP_S)


def _result(belief: Belief, event: str) -> dict[str, Any]:
    data = {"memory": belief.statement}
    return {"id": belief.key, "memory": belief.statement, "event": event, "data": data}
