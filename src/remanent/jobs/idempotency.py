"""Idempotency keys: a request that has a name is done once, however often it comes."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model.keys import content_hash
from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.idempotency import IdempotentRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """For servers: who has a named request in hand, and what was answered to it."""

    env: Env

    def begin(
        self, user_id: str, asker: str, name: str, request: str
    ) -> tuple[IdempotentRequest, bool]:
        """The request of that name, and whether it is the caller's to do. If not, it is answered, or
        somebody else has it in hand. One that was begun and never answered is free again after
        twice `request_seconds`: whoever had it was killed."""
        now, scope = self.env.clock.now(), self.env.registry.scope_of(user_id)
        mine = IdempotentRequest(
            user_id=user_id,
            asker=asker,
            name=content_hash(name),
            request=request,
            claim=uuid4().hex,
            begun_at=now,
            expires_at=now + timedelta(hours=self.env.config.server.idempotency_hours),
        )
        stale = now - timedelta(seconds=2 * self.env.config.server.request_seconds)
        place = {"asker": asker, "name": mine.name}
        records, abandoned = self.env.records, {**place, "status": None, "begun_at <": stale}
        with self.env.atomic(durable=True):
            for over in ({**place, "expires_at <=": now}, abandoned):
                records.delete(scope, Select(IdempotentRequest, over))
            known = records.claim(scope, mine)
        return known, known.claim == mine.claim

    def finish(self, replay: IdempotentRequest, *, status: int, media: str, body: bytes) -> bool:
        """Keep what was answered."""
        scope, mine = _in_hand(replay)
        return bool(self.env.records.change(scope, mine, status=status, media=media, body=body))

    def drop(self, replay: IdempotentRequest) -> None:
        """It came to nothing: the next who asks begins anew."""
        self.env.records.delete(*_in_hand(replay))

    def purge(self) -> int:
        """Forget the answers whose time is over; how many there were."""
        over = {"expires_at <=": self.env.clock.now()}
        return self.env.records.delete(None, Select(IdempotentRequest, over))


def _in_hand(replay: IdempotentRequest) -> tuple[Scope, Select[IdempotentRequest]]:
    """The claim, as long as nobody else has it in hand."""
    mine = {"asker": replay.asker, "name": replay.name, "claim": replay.claim}
    return Scope(user_id=replay.user_id), Select(IdempotentRequest, mine)
