"""Consents: what others put before a user is accepted or declined, and who is blocked.

Whoever is named as a participant by somebody they share no team with sees nothing of the source until they
accept it. To whoever named them, waiting, declined, blocked and nobody look the same.
"""

from __future__ import annotations

from datetime import datetime

from remanent.core import checks, index_entries
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.index_entries import source_lines
from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, Source
from remanent.core.ports.index import Entry
from remanent.core.read import SHORTEST_PREFIX, resolve
from remanent.errors import Conflict, InvalidInput, UnknownKey
from remanent.teams.audit import insist_wide


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSource:
    """What is told of somebody else's source to whoever is to answer it: whose it is, and since when."""

    key: str
    contributed_by: str
    contributor: str  # their name
    title: str
    content_type: ContentType
    started_at: datetime
    added_at: datetime
    team_id: str | None = None


def waiting_sources(env: Env, scope: Scope, limit: int = 100) -> list[SharedSource]:
    """Sources of others that name this user as a participant and wait for an answer, newest first:
    till then nothing else of them is seen. Whoever shares a team with this user need not ask."""
    checks.paging(0, limit)
    said = env.registry.consents(scope.user_id)
    settled = replace(said, declined=said.declined | said.hidden)
    found = env.graph.waiting(scope, but=settled, limit=limit)
    return [told_of(env, one) for one in found]


def accept_source(env: Env, scope: Scope, source_key: str) -> SharedSource:
    """Accept to be named: read the source from now on."""
    while True:
        source = _named_in(env, scope, source_key)
        entries = _entries(env, scope, source)  # embedding is slow: not while others wait
        with env.atomic(durable=True):
            fresh = _named_in(env, scope, source.key)
            if fresh != source:
                continue
            if not _accepted(scope, source):
                append_answer(env, scope, types.SOURCE_ACCEPTED, source_key=source.key)
                _let_in(env, scope, source, entries)
            return told_of(env, source)


def decline_source(env: Env, scope: Scope, source_key: str) -> SharedSource:
    """Decline to be named: see no more of the source."""
    with env.atomic(durable=True):
        source = _named_in(env, scope, source_key)
        if _accepted(scope, source) or source.team_id in scope.teams:
            raise Conflict("key", "you read it already; hide it instead")
        if source.key not in env.registry.consents(scope.user_id).declined:
            append_answer(env, scope, types.SOURCE_DECLINED, source_key=source.key)
        return told_of(env, source)


def block_user(env: Env, scope: Scope, user_id: str) -> bool:
    """Decline all that this other user names one in, now and from now on; whether that is news."""
    checks.identifier("user_id", user_id)
    if user_id == scope.user_id:
        raise InvalidInput("user_id", "nobody blocks themselves")
    return _set_blocked(env, scope, types.USER_BLOCKED, user_id)


def unblock_user(env: Env, scope: Scope, user_id: str) -> bool:
    """Let a blocked user ask again; what was declined stays so. Whether that is news."""
    return _set_blocked(env, scope, types.USER_UNBLOCKED, checks.identifier("user_id", user_id))


def blocked_users(env: Env, scope: Scope) -> list[str]:
    """The ids of those who are blocked, in order."""
    return sorted(env.registry.consents(scope.user_id).blocked_now)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Let the user in once more to the source that the event names, if it is here."""
    for source in env.graph.waiting(scope, prefix=str(event.payload["source_key"]), limit=1):
        _let_in(env, scope, source, _entries(env, scope, source))


def told_of(env: Env, source: Source) -> SharedSource:
    """The source as it is told to whoever has not taken it in."""
    by = env.registry.user(source.user_id)
    return SharedSource(
        key=source.key,
        contributed_by=source.user_id,
        contributor=source.user_id if by is None else by.name,
        title=source.title,
        content_type=source.content_type,
        started_at=source.started_at,
        added_at=source.created_at,
        team_id=source.team_id,
    )


def _named_in(env: Env, scope: Scope, key: str) -> Source:
    """Somebody else's source that waits for the caller, was declined by them, or is read by them; by its
    key or the beginning of it."""
    wanted = checks.plain("key", key).strip()
    if len(wanted) >= SHORTEST_PREFIX:
        waiting = env.graph.waiting(scope, prefix=wanted, limit=2)
        if len(waiting) > 1 and waiting[0].key != wanted:
            keys = ", ".join(one.key for one in waiting)
            raise InvalidInput("key", f"{key!r} could be any of {keys}")
        if waiting:
            return waiting[0]
    source = env.graph.get(scope, resolve(env, scope, key))
    if not isinstance(source, Source) or source.user_id == scope.user_id:
        raise UnknownKey(key)
    return source


def _accepted(scope: Scope, source: Source) -> bool:
    return f"user:{scope.user_id}" in source.readers


def _entries(env: Env, scope: Scope, source: Source) -> list[Entry]:
    """What the source is found by, by the caller as well."""
    owner = _owner(source)
    passages = env.graph.passages(owner, source.key)
    if _accepted(scope, source) or not (passages or source.summary):
        return []
    return index_entries.entries(env, owner, source_lines(_joined(scope, source), passages))


def _let_in(env: Env, scope: Scope, source: Source, entries: list[Entry]) -> None:
    env.graph.put(_owner(source), _joined(scope, source))
    env.index.put(entries)


def _joined(scope: Scope, source: Source) -> Source:
    return replace(source, accepted=(*(source.accepted or ()), scope.user_id))


def _owner(source: Source) -> Scope:
    """Its contributor, as whoever gave it: who is let in stands in their source."""
    teams = () if source.team_id is None else (source.team_id,)
    return Scope(user_id=source.user_id, teams=frozenset(teams))


def _set_blocked(env: Env, scope: Scope, event_type: str, user_id: str) -> bool:
    insist_wide(scope, "say whom to block")
    with env.atomic(durable=True):
        is_blocked = user_id in env.registry.consents(scope.user_id).blocked_now
        if is_blocked == (event_type == types.USER_BLOCKED):
            return False
        append_answer(env, scope, event_type, user_id=user_id)
        return True


def append_answer(env: Env, scope: Scope, event_type: str, **payload: str) -> None:
    """Put down how the caller stands to somebody else, or to what is theirs."""
    env.append(scope, event_type, payload)
