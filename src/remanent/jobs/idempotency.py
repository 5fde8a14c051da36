"""Once: a request that has a name is done once, however often it comes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

from remanent.clock import Clock
from remanent.core.model.keys import content_hash
from remanent.core.ports.idempotency import Replays
from remanent.core.ports.registry import Registry
from remanent.core.records.idempotency import Replay
from remanent.jobs.rules.server_limits import ServerRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """For servers: who has a named request in hand, and what was answered to it."""

    replays: Replays
    registry: Registry
    clock: Clock
    rules: ServerRules

    def begin(self, user_id: str, asker: str, name: str, request: str) -> tuple[Replay, bool]:
        """The request of that name, and whether it is the caller's to do. If not, it is answered, or
        somebody else has it in hand. One that was begun and never answered is free again after
        twice `request_seconds`: whoever had it was killed."""
        now, scope = self.clock.now(), self.registry.scope_of(user_id)
        mine = Replay(
            user_id=user_id,
            asker=asker,
            name=content_hash(name),
            request=request,
            claim=uuid4().hex,
            begun_at=now,
            expires_at=now + timedelta(hours=self.rules.idempotency_hours),
        )
        stale = now - timedelta(seconds=2 * self.rules.request_seconds)
        found = self.replays.begin(scope, mine, stale=stale)
        return found, found.claim == mine.claim

    def finish(self, replay: Replay, *, status: int, media: str, body: bytes) -> bool:
        """Keep what was answered."""
        return self.replays.finish(replace(replay, status=status, media=media, body=body))

    def drop(self, replay: Replay) -> None:
        """It came to nothing: the next who asks begins anew."""
        self.replays.drop(replay)

    def purge(self) -> int:
        """Forget the answers whose time is over; how many there were."""
        return self.replays.purge(self.clock.now())
