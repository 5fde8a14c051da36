"""Replays: what was answered to requests that have a name, for when they come again."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.idempotency import IdempotentRequest


class IdempotencyKeys(Protocol):
    """One row for each user, asker and name."""

    def begin(
        self, scope: Scope, replay: IdempotentRequest, *, stale: datetime
    ) -> IdempotentRequest:
        """Put it there, on the disk, unless one of its name is; what is there then. Whoever gets their
        own claim back has it in hand. One that has expired makes room, and so does one that was begun
        before `stale` and never answered: whoever had it is gone."""
        ...

    def finish(self, replay: IdempotentRequest) -> bool:
        """Keep the answer, on the disk; False if another has it in hand by now."""
        ...

    def drop(self, replay: IdempotentRequest) -> None:
        """Take back a claim that came to nothing: the next who asks begins anew."""
        ...

    def purge(self, now: datetime) -> int:
        """Take away all that have expired by now; how many there were."""
        ...

    def unlearn(self, scope: Scope) -> int:
        """Take away all of this caller's; how many there were."""
        ...
