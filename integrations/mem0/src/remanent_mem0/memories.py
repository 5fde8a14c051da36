"""Memories: what both shapes of mem0's API can do, in plain values; messages come in, beliefs go out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from remanent.beliefs.rules.belief import is_instruction
from remanent.clock import stopwatch
from remanent.core.model.belief import Belief
from remanent.core.model.job import JobState
from remanent.core.model.page import Outcome
from remanent.core.records.access import Power
from remanent.errors import Forbidden, InvalidInput, NotFound
from remanent.memory import UserMemory
from remanent_mem0 import shapes
from remanent_mem0.reach import KINDS, Reach, every, fits, given_ids, owner_ids

_PATIENCE_S: Final = 120.0  # for another worker that has the source in hand
_STEP_S: Final = 0.05
_ROLES: Final = ("user", "assistant", "system", "tool")


def turns_in(messages: object) -> list[tuple[str, str, str]]:
    """Role, name and words of each message; those to the system are none of the user's."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list) or not messages:
        raise InvalidInput("messages", "must be a list of messages with role and content")
    turns = [_message(number, one) for number, one in enumerate(messages)]
    return [one for one in turns if one[0] != "system" and one[2]]


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
    user: UserMemory, turns: Sequence[tuple[str, str, str]], about: Mapping[str, Any], at: datetime
) -> list[dict[str, Any]]:
    """Take the messages in as a conversation, work it out, and say what is believed since."""
    before = {one.key: one for one in user.beliefs()}
    content = [{"speaker": _speaker(user, role, name), "text": text} for role, name, text in turns]
    source = user.add(content, started_at=at)
    shapes.label_episode(user, source, about)
    _work_out(user, source)
    after = {one.key: one for one in user.beliefs()}
    drawn = [one for one in after.values() if any(s.source_key == source for s in one.supports)]
    results = [_result(one, "NONE" if one.key in before else "ADD") for one in drawn]
    return [*results, *(_result(before[key], "DELETE") for key in before if key not in after)]


def keep(
    user: UserMemory, turns: Sequence[tuple[str, str, str]], about: Mapping[str, Any], at: datetime
) -> list[dict[str, Any]]:
    """Remember each message as it is, one of several statements as so many memories."""
    results: list[dict[str, Any]] = []
    kept = ((role, text, user.remember(text, at)) for role, _, text in turns)
    each = ((role, text, one) for role, text, first in kept for one in (first, *first.also))
    for role, text, settled in each:
        belief = settled.belief
        if settled.outcome in (Outcome.REINFORCED, Outcome.REPEATED):
            results.append(_result(belief, "NONE"))
            continue
        support = belief.supports[-1]
        shapes.label_episode(user, support.event_id, {**about, "role": role})
        if (
            belief.statement != text == support.statement
            and settled.outcome is not Outcome.PREDATED
        ):
            belief = user.restate(belief.key, text).belief
        results.append(_result(belief, "ADD"))
        if settled.other is not None and settled.outcome is Outcome.INVALIDATED:
            results.append(_result(settled.other, "DELETE"))
    return results


def _speaker(user: UserMemory, role: str, name: str) -> str:
    """Who says it: the owner of the memory is the user, or the agent if it is an agent's."""
    is_agent = user.user_id.partition(":")[0] in KINDS
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


MOST: Final = 1000
_LABELS: Final = ("agent_id", "app_id", "run_id")


def add(reach: Reach, ask: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Take messages in; what was learned, or kept word for word."""
    ids = given_ids(ask, _object(ask, "filters"))
    turns = turns_in(ask.get("messages"))
    at = shapes.moment_of(ask.get("timestamp"))
    about: dict[str, Any] = {name: ids[name] for name in _LABELS if name in ids}
    about |= {} if ask.get("metadata") is None else {"metadata": _object(ask, "metadata")}
    if (last := shapes.day_of(ask.get("expiration_date"))) is not None:
        about["expiration_date"] = last
    about |= {} if at is None else {"timestamp": shapes.stamp(at)}
    shapes.check(about)
    user = reach.owner_for(ids)
    if not turns:
        return []
    results: list[dict[str, Any]] = []
    if "agent_id" in ids:
        standing = [one for one in turns if one[0] == "user" and is_instruction(one[2])]
        results = [_instruct(user, text, ids["agent_id"], about) for _, _, text in standing]
        turns = [one for one in turns if one not in standing]
    take = keep if ask.get("infer") is False else infer
    return results + (take(user, turns, about, reach.now if at is None else at) if turns else [])


def _instruct(
    user: UserMemory, text: str, agent_id: str, about: Mapping[str, Any]
) -> dict[str, Any]:
    """What an agent is told to do is kept as such: for that agent, or for all where it is the agent's memory."""
    is_own = user.user_id == f"agent:{agent_id}"
    settled = user.instruct(text, agent_id="" if is_own else agent_id)
    if settled.outcome is Outcome.REPEATED:
        return _result(settled.belief, "NONE")
    shapes.label_episode(user, settled.belief.supports[-1].event_id, about)
    return _result(settled.belief, "ADD")


def find_all(reach: Reach, wanted: Mapping[str, Any], *, expired: bool) -> list[dict[str, Any]]:
    """All memories that are meant, newest first."""
    _insist_on_some(reach, wanted)
    fitting = [
        one
        for user in reach.users_for(wanted)
        for one in _memories(user)
        if fits(one, wanted) and (expired or not shapes.is_over(one, reach.now))
    ]
    return sorted(fitting, key=lambda one: (one["created_at"], one["id"]), reverse=True)


def _memories(user: UserMemory) -> list[dict[str, Any]]:
    """All that is held true, as memories."""
    about = shapes.labels_of(user)
    return [shapes.memory_of(user, one, about) for one in user.beliefs()]


def search(
    reach: Reach, query: object, wanted: Mapping[str, Any], ask: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The memories that a question calls to mind, best first."""
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("query", "must be a text with something in it")
    limit = whole(ask, "top_k", whole(ask, "limit", 10))
    _insist_on_some(reach, wanted)
    least, expired = number(ask, "threshold"), bool(ask.get("show_expired"))
    recalled: list[tuple[UserMemory, dict[str, Any]]] = []
    for user in reach.users_for(wanted):
        about = shapes.labels_of(user)
        for recollection in user.recall(query, limit=MOST, touch=False):
            memory = shapes.memory_of(user, recollection.belief, about, score=recollection.score)
            if recollection.score >= least and fits(memory, wanted):
                recalled.append((user, memory))
        found = {memory["id"] for _, memory in recalled}
        unasked = [one for one in user.instructions() if one.key not in found and least <= 0]
        memories = [shapes.memory_of(user, one, about, score=0.0) for one in unasked]
        recalled += [(user, one) for one in memories if one["agent_id"] and fits(one, wanted)]
    alive = [one for one in recalled if expired or not shapes.is_over(one[1], reach.now)]
    best = sorted(alive, key=lambda one: (-one[1]["score"], one[1]["id"]))[:limit]
    for user, memory in best:  # these came to mind; all others were only looked through
        with suppress(NotFound):
            user.touch(memory["id"])
    return [memory for _, memory in best]


def get(reach: Reach, memory_id: str) -> dict[str, Any]:
    """One memory."""
    user, belief = reach.find(memory_id)
    return shapes.memory_of(user, belief, shapes.labels_of(user))


def update(reach: Reach, memory_id: str, ask: Mapping[str, Any]) -> dict[str, Any]:
    """Change a memory's words, or what is said about it; it keeps its id."""
    words = ask.get("text", ask.get("data", ask.get("memory")))
    about: dict[str, Any] = {}
    if ask.get("metadata") is not None:
        about["metadata"] = _object(ask, "metadata")
    if "expiration_date" in ask:
        about["expiration_date"] = shapes.day_of(ask["expiration_date"])
    if (at := shapes.moment_of(ask.get("timestamp"))) is not None:
        about["timestamp"] = shapes.stamp(at)
    if words is None and not about:
        raise InvalidInput("text", "say what to change: text, metadata, timestamp, expiration_date")
    shapes.check(about)
    user, belief = reach.find(memory_id)
    if words is not None:
        user.restate(belief.key, words)
    if about:
        shapes.label_memory(user, belief.key, about)
    return get(reach, memory_id)


def delete(reach: Reach, memory_id: str) -> None:
    """Put one memory out of mind."""
    user, belief = reach.find(memory_id)
    user.forget(belief.key, "deleted through the mem0 API")


def delete_all(reach: Reach, ids: Mapping[str, str], more: Mapping[str, Any]) -> int:
    """Put all that is meant out of mind; how many memories that were."""
    if not ids:
        raise InvalidInput("user_id", "at least one of the ids is required")
    gone = find_all(reach, every([ids, more]), expired=True)
    for one in gone:
        delete(reach, one["id"])
    return len(gone)


def history(reach: Reach, memory_id: str) -> list[dict[str, Any]]:
    """What became of a memory, also of one that is gone."""
    user, belief = reach.find(memory_id, ended=True)
    return shapes.changes_of(user, belief)


def entities(reach: Reach) -> list[dict[str, Any]]:
    """Whoever has memories: users, and the agents, apps and runs that memories are kept for."""
    by_entity: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for memory in (one for user in reach.users_for({}) for one in _memories(user)):
        for kind in ("user", *KINDS):
            if (name := memory[f"{kind}_id"]) is not None:
                by_entity.setdefault((kind, name), []).append(memory)
    return [
        {
            "id": f"{kind}:{name}",
            "name": name,
            "type": kind,
            "total_memories": len(known),
            "created_at": min(one["created_at"] for one in known),
            "updated_at": max(one["updated_at"] for one in known),
            "metadata": {},
        }
        for (kind, name), known in sorted(by_entity.items())
    ]


def delete_entity(reach: Reach, kind: str, name: str) -> int:
    """Put all memories of a user, agent, app or run out of mind; twice is once."""
    if kind not in ("user", *KINDS):
        raise InvalidInput("type", f"{kind!r} is none of user, {', '.join(KINDS)}")
    return delete_all(reach, {f"{kind}_id": name}, {})


def reset(reach: Reach) -> None:
    """Put every memory of everyone out of mind: for a service's key that may manage."""
    key = reach.key
    bound = reach.own is not None or reach.team is not None
    if bound or (key is not None and Power.MANAGE not in key.powers):
        raise Forbidden("this needs the key of a service, with the power to manage")
    for user_id in reach.users():
        delete_all(reach, owner_ids(user_id), {})


def _insist_on_some(reach: Reach, wanted: Mapping[str, Any]) -> None:
    """A key that reaches everyone has to say whom it means: nobody lists all by leaving a name out."""
    if reach.own is None and not wanted:
        raise InvalidInput("filters", "say whose memories: one of the ids is required")


def filter_of(ask: Mapping[str, Any]) -> Mapping[str, Any]:
    """All that a request narrows memories by: ids beside its filters, dates and categories."""
    parts: list[Mapping[str, Any]] = [given_ids(ask), _object(ask, "filters")]
    if ask.get("metadata"):
        parts.append({"metadata": _object(ask, "metadata")})
    if ask.get("categories"):
        named = ask["categories"]
        parts.append({"categories": {"in": named if isinstance(named, list) else [named]}})
    dates = {sign: ask[name] for name, sign in (("start_date", "gte"), ("end_date", "lte"))
             if ask.get(name)}  # fmt: skip
    return every([*parts, {"created_at": dates} if dates else {}])


def whole(ask: Mapping[str, Any], name: str, usual: int) -> int:
    """A number of things, from 1 up."""
    value = ask.get(name)
    if value is None:
        return usual
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(name, f"{value!r} is not a whole number") from None
    if not 1 <= count <= MOST:
        raise InvalidInput(name, f"{count} is not from 1 to {MOST}")
    return count


def number(ask: Mapping[str, Any], name: str) -> float:
    """A number; 0 where there is none."""
    value = ask.get(name)
    try:
        return 0.0 if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(name, f"{value!r} is not a number") from None


def _object(ask: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = ask.get(name)
    if value is None or value == "":
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"must be an object, not {type(value).__name__}")
    return value
