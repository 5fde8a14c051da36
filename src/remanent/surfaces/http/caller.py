"""Callers: the key a request came with, the user it acts for, what it may do, and the call of an operation."""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from remanent.clock import Clock
from remanent.core.dataclasses import dataclass, field
from remanent.core.records.access import ApiKey, Power
from remanent.errors import Forbidden, InvalidInput, Unauthorized
from remanent.jobs.rules import Bucket, ServerRules, take_from_bucket
from remanent.memory import Memory, UserMemory
from remanent.surfaces.http.problems import TooMany
from remanent.surfaces.operations.schema import Op, Route

USER_HEADER: Final = "Remanent-User"
TEAM_HEADER: Final = "Remanent-Team"
NOBODY: Final = "dev"  # who asks without a key
_MOST_BUCKETS: Final = 10_000
COOKIE: Final = "remanent_session"
PAGE_HEADER: Final = "Remanent-Web"  # no form and no page of another site can send it
LASTS: Final = timedelta(hours=12)
_MOST_SESSIONS: Final = 1000
_OWN: Final = (None, "same-origin")
_NEAR: Final = re.compile(
    r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE
)
_ELSEWHERE: Final = ("cross-site", "same-site")  # another port of this machine is one, too


class Audience(StrEnum):
    """For whom a route acts: a user, the memory as a whole, or whatever the key is good for."""

    USER = "user"
    SERVICE = "service"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, and for whom; without a user they tend the memory as a whole. Without a `key` the server
    was started with `--dev`."""

    key: ApiKey | None
    memory: Memory
    acts_for: UserMemory | None

    @property
    def user(self) -> UserMemory:
        assert self.acts_for is not None  # noqa: S101 - its route lets in nobody else
        return self.acts_for

    @property
    def asker(self) -> str:
        """What tells this caller's requests from those of another key."""
        return NOBODY if self.key is None else self.key.key_id


class Sessions:
    """The keys behind the tokens. A session ends with its time, its key, its sign-out or the server."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, tuple[str, datetime]] = OrderedDict()

    def begin(self, secret: str, now: datetime) -> str:
        """A new token for this key."""
        token = secrets.token_urlsafe(32)
        self._keys[token] = (secret, now + LASTS)
        if len(self._keys) > _MOST_SESSIONS:
            self._keys.popitem(last=False)
        return token

    def secret_of(self, headers: Headers, now: datetime) -> str | None:
        """The key behind the cookie of a request that one of our own pages sent."""
        is_ours = PAGE_HEADER in headers and headers.get("sec-fetch-site") in _OWN
        secret, ends = self._keys.get(_token(headers), ("", now))
        return secret if is_ours and now < ends else None

    def end(self, headers: Headers) -> None:
        """Forget the token that a request came with."""
        self._keys.pop(_token(headers), None)


def _token(headers: Headers) -> str:
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


@dataclass(slots=True, kw_only=True)
class Door:
    """What stands between a request and the memory; an app has one, as `app.state.door`."""

    memory: Memory
    clock: Clock
    rules: ServerRules
    dev: bool = False
    user: str | None = None  # whose memory it is when a request with no key names nobody
    stopping: threading.Event = field(default_factory=threading.Event)
    sessions: Sessions = field(default_factory=Sessions)
    _buckets: OrderedDict[str, Bucket] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, who: str) -> None:
        """Let one more request of theirs in, or say how long they have to wait."""
        with self._lock:
            before = self._buckets.pop(who, None)
            bucket, wait = take_from_bucket(before, self.clock.now(), self.rules)
            self._buckets[who] = bucket
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.popitem(last=False)  # who has not come for longest is full again
        if wait > 0:
            raise TooMany(wait)


def door_of(request: Request) -> Door:
    """The door of the app that was asked."""
    door: Door = request.app.state.door
    return door


def key_of(request: Request, power: Power) -> ApiKey | None:
    """The key this request came with, if it has that power; None: it needs none. Counts the request."""
    door, secret = door_of(request), _secret(request)
    if secret is None and door.dev:
        _insist_near(request, door)
        door.count(NOBODY)
        return None
    try:
        key = door.memory.authenticate(secret or "")
    except Unauthorized:
        host = "" if request.client is None else request.client.host
        door.count(f"from {host}")  # nobody tries out keys at full speed
        raise
    door.count(key.key_id)
    _insist(key, power)
    return key


def is_good(request: Request) -> bool:
    """Whether the key of a request that was let in still is: what is answered for long asks again."""
    secret = _secret(request)
    if secret is None:
        return door_of(request).dev  # it was let in without one
    try:
        door_of(request).memory.authenticate(secret)
    except Unauthorized:
        return False
    return True


def _insist(key: ApiKey | None, power: Power) -> None:
    if key is not None and power not in key.powers:
        raise Forbidden(f"this needs a key with the power to {power.value}")


def caller_of(request: Request, power: Power, audience: Audience = Audience.USER) -> Caller:
    """Who asks, if their key has that power and is good for that audience. Asked again, the same."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        _insist(known.key, power)
        return known
    key, memory = key_of(request, power), door_of(request).memory
    user: UserMemory | None = None
    if audience is Audience.USER:
        user, team = memory.user(_user_id(request, key), create=False), named_team(request, key)
        user = user if team is None else user.within(team)
    elif audience is Audience.SERVICE and key and (key.user_id, key.team) != (None, None):
        raise Forbidden("this needs the key of a service, which is not one user's")
    request.state.caller = Caller(key=key, memory=memory, acts_for=user)
    return request.state.caller  # type: ignore[no-any-return]


def zone_of(request: Request) -> tzinfo:
    """The time zone of the user that a request acts for; UTC, where it acts for no one."""
    caller: Caller = request.state.caller
    return UTC if caller.acts_for is None else ZoneInfo(caller.user.profile.timezone)


def secret_in(headers: Headers) -> str | None:
    """The key that a request came with."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    if kind.lower() in ("bearer", "token") and secret.strip():  # `Token`: as mem0's clients say
        return secret.strip()
    return headers.get("x-api-key") or None


def _secret(request: Request) -> str | None:
    """The key that a request came with, or the one that its browser signed in with."""
    door = door_of(request)
    session = door.sessions.secret_of(request.headers, door.clock.now())
    return secret_in(request.headers) or session


def named_user(request: Request, key: ApiKey | None) -> str | None:
    """The one user that a request acts for, by its key or by its header; None: it names nobody."""
    named = _header(request, USER_HEADER)
    if key is None or key.user_id is None:
        return named
    if named not in (None, key.user_id):
        raise Forbidden("this key acts for one user only")
    return key.user_id


def _user_id(request: Request, key: ApiKey | None) -> str:
    named = named_user(request, key) or (door_of(request).user if key is None else None)
    if named is None:
        raise InvalidInput(USER_HEADER, "name the user whose memory this is about")
    return named


def named_team(request: Request, key: ApiKey | None) -> str | None:
    """The one team that a request looks at, by its key or by its header."""
    named, bound = _header(request, TEAM_HEADER), None if key is None else key.team
    if bound is not None and named not in (None, bound):
        raise Forbidden("this key acts within one team only")
    return bound or named


def _header(request: Request, name: str) -> str | None:
    value = request.headers.get(name)
    if value is None:
        return None
    try:
        return value.encode("latin-1").decode("utf-8") or None
    except UnicodeError:
        raise InvalidInput(name, "is not UTF-8") from None


def _insist_near(request: Request, door: Door) -> None:
    """Without keys, only programs on this machine may ask: no page of another site in a browser that
    runs here, whatever name it gives us. The header itself is read: for one that is no host at all the
    framework gives the name of its own socket."""
    hosts = request.headers.getlist("host")
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if len(hosts) != 1 or _NEAR.fullmatch(hosts[0]) is None:
        raise Forbidden("without a key, ask by the name localhost")
    own = f"{request.url.scheme}://{hosts[0]}"  # our own pages
    is_named = origin is not None and origin in (own, *door.rules.allowed_origins)
    if not is_named and (origin is not None or site in _ELSEWHERE):
        raise Forbidden("without a key, pages of other sites may not ask")


@dataclass(slots=True, kw_only=True)
class Call:
    """`given` are the values by the names that the verb has for them."""

    request: Request
    op: Op
    route: Route
    given: dict[str, Any]
    body: bytes

    def __call__(self, **more: Any) -> Any:
        """Call the verb with what was given, and more."""
        who = self.user if self.op.face == "UserMemory" else self.caller.memory
        return getattr(who, self.op.verb)(**{**self.given, **more})

    @property
    def caller(self) -> Caller:
        """Whom its route let in, with the power it needs."""
        caller: Caller = self.request.state.caller
        return caller

    @property
    def user(self) -> UserMemory:
        return self.caller.user
