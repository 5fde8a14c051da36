"""What happens to a job that failed (SPEC 4: retries with exponential backoff, then parked)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRules:
    """How patient the queue is; SPEC 4 asks for backoff and parking and leaves the figures to us."""

    max_attempts: int = 5
    base_seconds: float = 2.0
    factor: float = 2.0
    cap_seconds: float = 600.0
    jitter_share: float = 0.2
    lease_seconds: float = 120.0


_DEFAULTS = JobRules()


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again, not before `after` has passed."""

    after: timedelta


@dataclass(frozen=True, slots=True)
class Park:
    """Set it aside, visible, until someone retries it by hand."""


Decision = Retry | Park


def after_failure(attempts: int, jitter: float, rules: JobRules = _DEFAULTS) -> Decision:
    """What to do after the failure of attempt number `attempts`, counted from 1.

    `jitter`, from 0 to 1, is the caller's throw of the dice: it shortens the wait by up to
    `jitter_share`, so that jobs that failed together do not all come back together.
    """
    if attempts >= rules.max_attempts:
        return Park()
    seconds = rules.base_seconds
    for _ in range(attempts - 1):
        seconds = min(rules.cap_seconds, seconds * rules.factor)
    spread = 1.0 - rules.jitter_share * min(1.0, max(0.0, jitter))
    return Retry(timedelta(seconds=min(rules.cap_seconds, seconds) * spread))
