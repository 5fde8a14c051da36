"""Serving: how much one caller may ask of a server, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

_MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRules:
    """The limits of the HTTP server. `origins` are those whose pages may ask, with commas between."""

    body_bytes: int = 10_000_000
    requests_per_minute: float = 600.0  # of one key; 0: as many as come
    burst: int = 120  # at once, after a rest
    request_seconds: float = 60.0  # then work and sleep that were asked for end between two jobs
    heartbeat_seconds: float = 15.0  # between two signs of life on a stream
    idempotency_hours: float = 24.0
    origins: str = ""

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """`origins`, one by one."""
        return tuple(one.strip() for one in self.origins.split(",") if one.strip())


@dataclass(frozen=True, slots=True)
class Bucket:
    """What one caller may still ask: so many tokens, as they stood at that time."""

    tokens: float
    at: datetime


def taken(bucket: Bucket | None, now: datetime, rules: ServerRules) -> tuple[Bucket, float]:
    """The bucket after one more request, and how many seconds that request comes too early (0: it may
    come now). Whoever comes too early takes nothing."""
    full = max(1.0, float(rules.burst))
    each_second = rules.requests_per_minute / _MINUTE
    if each_second <= 0:
        return Bucket(full, now), 0.0
    if bucket is None:
        bucket = Bucket(full, now)
    passed = max(0.0, (now - bucket.at).total_seconds())  # clocks are set back at times
    tokens = min(full, bucket.tokens + passed * each_second)
    if tokens < 1.0:
        return Bucket(tokens, now), (1.0 - tokens) / each_second
    return Bucket(tokens - 1.0, now), 0.0
