"""What is found by what: the sorted sets that follow from each document.

All members of a set of events are `<seq> <event id>`, of jobs `<number> <kind> <key>`, with as many digits
as any number has, so that their order as texts is theirs as numbers. The scores say by what a set is searched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from remanent.core.model.event import CONSENTS

Doc = Mapping[str, Any]
Command = list[str]
Place = tuple[str, str, str]  # key, score, member

HOT_SECONDS: Final = 7 * 24 * 3600  # as long as what was appended stays in the stream


class Hash(NamedTuple):
    """A hash of documents: of one user, or of all."""

    family: str
    user: str = ""

    def key(self, prefix: str) -> str:
        """Its key."""
        return f"{prefix}{self.family}:{self.user}" if self.user else prefix + self.family


def owner(where: Hash, text: str) -> str:
    """Whose the document is."""
    if where.user:
        return where.user
    return str(json.loads(text)["user_id"]) if where.family == "jobs" else text


def named(prefix: str, family: str, user: str, name: str) -> str:
    """The key of what a user has under a name; how long the first is tells where the second begins."""
    return f"{prefix}{family}:{len(user)}:{user}:{name}"


def member(number: int, rest: str) -> str:
    """How a document is named in a sorted set."""
    return f"{number:016d} {rest}"


def named_by(member_: str) -> str:
    """What a member names: an event by its id, what came in by its key."""
    return member_[17:]


def commands(
    prefix: str, where: Hash, name: str, before: str | None, after: str | None
) -> list[Command]:
    """What has to be done beside writing the document, so that it is found again."""
    make = _FAMILIES.get(where.family)
    made = [["SADD", f"{prefix}users", where.user]] if where.user and after is not None else []
    if make is not None:
        was, will = (None if text is None else json.loads(text) for text in (before, after))
        made += make(prefix, name, was, will)
    return made


def _moved(
    places: Callable[[str, str, Doc], Iterator[Place]],
    prefix: str,
    name: str,
    was: Doc | None,
    will: Doc | None,
) -> Iterator[Command]:
    """From where it was found to where it will be."""
    left = set() if was is None else set(places(prefix, name, was))
    reached = set() if will is None else set(places(prefix, name, will))
    for key, _, one in sorted(left - reached):
        yield ["ZREM", key, one]
    for key, score, one in sorted(reached - left):
        yield ["ZADD", key, score, one]


# --- events ---------------------------------------------------------------------------------------


def _places_of_event(prefix: str, event_id: str, doc: Doc) -> Iterator[Place]:
    user, seq = doc["user_id"], str(doc["seq"])
    one = member(doc["seq"], event_id)
    yield f"{prefix}order:{user}", seq, one
    yield f"{prefix}time:{user}", str(doc["recorded_at"]), one
    yield named(prefix, "type", user, doc["event_type"]), seq, one
    yield f"{prefix}places", seq, member(doc["seq"], json.dumps([user, event_id]))
    if doc["session_id"]:
        yield named(prefix, "session", user, doc["session_id"]), str(doc["occurred_at"]), one
    if doc["parent_event_id"] is not None:
        yield named(prefix, "parent", user, doc["parent_event_id"]), seq, one
    if doc["event_type"] in CONSENTS:
        yield f"{prefix}consents", seq, member(doc["seq"], user)


def _of_event(prefix: str, event_id: str, was: Doc | None, will: Doc | None) -> Iterator[Command]:
    yield from _moved(_places_of_event, prefix, event_id, was, will)
    user = (was or will or {})["user_id"]
    more = sum(len(doc["payload"]) * sign for doc, sign in ((will, 1), (was, -1)) if doc)
    if more:
        yield ["HINCRBY", f"{prefix}characters", user, str(more)]
    if will is not None and was is None:
        yield ["HOT", f"{prefix}ledger", str(will["seq"]), str(HOT_SECONDS)]


def _of_raw(prefix: str, key: str, was: Doc | None, will: Doc | None) -> Iterator[Command]:
    yield from _moved(_places_of_raw, prefix, key, was, will)


def _places_of_raw(prefix: str, key: str, doc: Doc) -> Iterator[Place]:
    number = str(doc["number"])
    yield f"{prefix}raw_order", number, member(doc["number"], key)
    yield f"{prefix}raw_order:{doc['user_id']}", number, member(doc["number"], key)


# --- jobs -----------------------------------------------------------------------------------------


def job_member(key: str, doc: Doc) -> str:
    """How a job is named in a sorted set."""
    return member(doc["id"], f"{doc['kind']} {key}")


def _places_of_job(prefix: str, key: str, doc: Doc) -> Iterator[Place]:
    state, user, one = doc["state"], doc["user_id"], job_member(key, doc)
    yield f"{prefix}{state}", str(doc["created_at"]), one
    yield f"{prefix}{state}:{user}", str(doc["created_at"]), one
    if state in ("ready", "running"):
        yield f"{prefix}due", str(max(doc["run_at"], doc["lease_until"] or doc["run_at"])), key
    if state == "parked" and doc["parked_until"] is not None:
        yield f"{prefix}asleep", str(doc["parked_until"]), key


def _of_job(prefix: str, key: str, was: Doc | None, will: Doc | None) -> Iterator[Command]:
    yield from _moved(_places_of_job, prefix, key, was, will)
    before, after = (None if one is None else one["state"] for one in (was, will))
    if will is not None and after in ("ready", "running"):
        yield ["ZADD", f"{prefix}waiting", "0", will["user_id"]]
    if was is not None and before in ("ready", "running") and after != "running":
        yield ["SETTLE", f"{prefix}work:{was['kind']}", key, was["worker"] or ""]
    if will is not None and after == "ready":
        yield ["PROMISE", f"{prefix}work:{will['kind']}", key]
    held = was["worker"] if was is not None and before == "running" else None
    if will is not None and after == "running" and will["worker"] != held:
        yield ["LEASE", f"{prefix}work:{will['kind']}", key, will["worker"], held or ""]


_FAMILIES: Final[Mapping[str, Callable[[str, str, Doc | None, Doc | None], Iterator[Command]]]] = {
    "events": _of_event,
    "raws": _of_raw,
    "jobs": _of_job,
}
