"""Around every request: how much may be sent, what every answer carries, and what is counted."""

from __future__ import annotations

import hashlib
from collections import Counter as Counting
from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanent.clock import stopwatch
from remanent.metrics import Counter, Family, Histogram
from remanent.surfaces.http.caller import secret_in
from remanent.surfaces.http.problems import TooLarge, TooMany, refuse

_HEADERS: Final[Sequence[tuple[bytes, bytes]]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "any"})
_MOST_AT_ONCE: Final = 32  # of one caller's; there are 40 threads, and others want some
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Traffic:
    """Requests of one app, by route; a path or method that somebody made up is none of them."""

    def __init__(self) -> None:
        self.requests = Counter(
            "http_requests_total", "Requests answered, by route, method and status."
        )
        self.seconds = Histogram(
            "http_request_seconds", "How long requests took, by route and method.", _BOUNDS
        )

    def families(self) -> list[Family]:
        """What was counted so far."""
        return [self.requests.family(), self.seconds.family()]

    def saw(self, scope: Scope, status: int, seconds: float) -> None:
        """One more request was answered."""
        route = getattr(scope.get("route"), "path", "none")
        method = "any" if route == "none" else scope["method"]
        method = method if method in _METHODS else "other"
        self.requests.add(route=route, method=method, status=str(status))
        self.seconds.observe(seconds, route=route, method=method)


class Guard:
    """ASGI middleware: the outermost but for what ends in a fault of ours."""

    def __init__(self, app: ASGIApp, *, most_bytes: int, traffic: Traffic) -> None:
        self._app = app
        self._most = most_bytes
        self._traffic = traffic
        self._at_once: Counting[bytes] = Counting()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = stopwatch(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _complete(message)
            await send(message)

        who = _who(scope)
        self._at_once[who] += 1
        try:
            if self._at_once[who] > _MOST_AT_ONCE:
                await refuse(TooMany(1.0), scope["path"])(scope, receive, answer)
            else:
                await self._app(scope, _measured(receive, self._most), answer)
        finally:
            self._at_once[who] -= 1
            if not self._at_once[who]:
                del self._at_once[who]
            self._traffic.saw(scope, status, stopwatch() - begun)


def _who(scope: Scope) -> bytes:
    """What tells one caller from another before anyone has looked at their key: the key, or else where
    they ask from. One made up is refused so soon that it holds nothing up."""
    host = scope["client"][0] if scope.get("client") else ""
    caller = secret_in(Headers(scope=scope)) or f"from {host}"
    return hashlib.sha256(caller.encode()).digest()


def _measured(receive: Receive, most: int) -> Receive:
    """`receive`, up to so many bytes: a request may not say how long it is, or lie."""
    got = 0

    async def measured() -> Message:
        nonlocal got
        message = await receive()
        if message["type"] == "http.request":
            got += len(message.get("body", b""))
            if got > most:
                raise TooLarge(most)
        return message

    return measured


def _complete(message: Message) -> None:
    there = {name.lower() for name, _ in message["headers"]}
    missing = [(name, value) for name, value in _HEADERS if name not in there]
    message["headers"] = [*message["headers"], *missing]
