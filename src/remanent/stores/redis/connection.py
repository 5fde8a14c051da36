"""Connections to Redis or Valkey, what must be set there, and where their errors end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast
from urllib.parse import urlsplit

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from remanent.clock import stopwatch
from remanent.errors import (
    BusyMemory,
    ConfigError,
    DiskFull,
    InvalidInput,
    ReadOnlyMemory,
    StoreError,
    UnreachableMemory,
)

T = TypeVar("T")

_OLDEST: Final = 7
_CONNECT_SECONDS: Final = 10
_LOOK_SECONDS: Final = 0.05
# What was acknowledged is on the disk, and nothing is dropped to make room.
_REQUIRED: Final = {
    "appendonly": ("yes", "what is written would be gone when the server ends"),
    "appendfsync": ("always", "a power cut would take back what was acknowledged"),
    "maxmemory-policy": ("noeviction", "the server would drop memories to make room"),
}
# By the first word of the server's answer.
_REFUSALS: Final[dict[str, tuple[type[StoreError], str]]] = {
    "MISCONF": (DiskFull, "could not be written: the server's disk refuses"),
    "OOM": (DiskFull, "could not be written: the server has no memory left"),
    "READONLY": (ReadOnlyMemory, "cannot be written to: it is a replica"),
    "NOPERM": (ReadOnlyMemory, "may not be used so by this user"),
    "BUSY": (BusyMemory, "is kept busy by a script"),
    "LOADING": (UnreachableMemory, "is still reading its file"),
    "MASTERDOWN": (UnreachableMemory, "has lost the server it copies"),
}


class Server:
    """One Redis, asked by any number of threads."""

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._is_closed = False
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2]
        self.shown = f"{parts.scheme}://{place}{parts.path}"  # no password
        options: dict[str, Any] = {
            "protocol": 2,  # one form of answers, whatever the driver would choose
            "decode_responses": True,
            "socket_timeout": timeout_s,
            "socket_connect_timeout": min(timeout_s, _CONNECT_SECONDS),
            "socket_keepalive": True,
            "retry": Retry(NoBackoff(), 0),  # what may be asked twice is for us to say
        }
        try:
            self.client: redis.Redis = redis.Redis.from_url(url, **options)
        except ValueError as error:
            raise ConfigError("memory", f"is no URL of Redis: {error}") from None

    def ask(self, what: Callable[[redis.Redis], T]) -> T:
        """What the server answers to something that may be asked twice: it may be back, or a long script
        be over."""
        if self._is_closed:
            raise StoreError(self.shown, "was closed")
        began, rest, was_away = stopwatch(), threading.Event(), False
        while True:
            try:
                with self._errors():
                    return what(self.client)
            except UnreachableMemory:
                if was_away:
                    raise
                was_away = True
            except BusyMemory:
                if stopwatch() - began > self._timeout_s:
                    raise
                rest.wait(_LOOK_SECONDS)

    def run(self, *command: Any) -> Any:
        """What the server answers to one command that may be sent twice."""
        return self.ask(lambda client: cast("Any", client).execute_command(*command))

    def insist_safe(self) -> None:
        """Raise a `StoreError` that says what is not set there as it has to be."""
        with self._errors():
            about = self.client.info("server")
            try:
                known = {name: self._setting(name) for name in _REQUIRED}
            except exceptions.ResponseError as error:
                problem = f"does not say how it keeps things: this user needs CONFIG GET ({error})"
                raise StoreError(self.shown, problem) from None
        version = str(about["redis_version"])
        if int(version.partition(".")[0]) < _OLDEST:
            raise StoreError(self.shown, f"is Redis {version}; {_OLDEST} or newer is needed")
        for name, (value, why) in _REQUIRED.items():
            if known[name] != value:
                problem = f"has `{name} {known[name]}`, and needs `{name} {value}`: {why}"
                raise StoreError(self.shown, problem)

    def _setting(self, name: str) -> str:
        return str(self.client.config_get(name).get(name, ""))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except exceptions.RedisError as error:
            raise fault(self.shown, error) from error
        except UnicodeEncodeError as error:
            problem = f"holds a character that is none: {error.reason}"
            raise InvalidInput("text", problem) from error

    def close(self) -> None:
        """End all connections."""
        self._is_closed = True
        self.client.connection_pool.disconnect()


def fault(place: str, error: exceptions.RedisError) -> StoreError:
    """What `error`, met in the memory at `place`, is called among our own."""
    words = str(error).strip().partition("\n")[0]
    if isinstance(error, exceptions.AuthenticationError | exceptions.AuthorizationError):
        return UnreachableMemory(place, f"does not let us in: check user and password ({words})")
    refused = _REFUSALS.get(_code(error, words))
    if refused is not None:
        kind, told = refused
        return kind(place, f"{told} ({words})")
    if isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError):
        return UnreachableMemory(place, f"cannot be reached ({words})")
    return StoreError(place, f"failed in a way nobody foresaw: {type(error).__name__}: {words}")


def _code(error: exceptions.RedisError, words: str) -> str:
    """What the server calls it; the driver takes that word away where it has a class for it."""
    if isinstance(error, exceptions.BusyLoadingError):
        return "LOADING"
    if isinstance(error, exceptions.ReadOnlyError):
        return "READONLY"
    if isinstance(error, exceptions.NoPermissionError):
        return "NOPERM"
    if isinstance(error, exceptions.OutOfMemoryError):
        return "OOM"
    return words.removeprefix("-").partition(" ")[0]
