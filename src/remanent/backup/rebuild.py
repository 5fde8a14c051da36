"""Rebuild: the whole ledger is lived through once more, beside the graph in use, to be looked at, and then
switched to or thrown away (SPEC 2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from remanent.clock import ReplayClock, stopwatch
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.ports.admin import Shadow
from remanent.core.records.admin import Comparison, Replayed
from remanent.core.registry import Registry
from remanent.errors import StoreError
from remanent.events import enrich, project
from remanent.ingest import extract
from remanent.teams import rules

Progress = Callable[[Replayed], None]

PAGE: Final = 500
# What is done in steps, each of which is harmless to do twice; all else is done in one piece.
IN_STEPS: Final = frozenset(
    {types.EVENTS_ENRICHED, types.REMEMBERED, types.SOURCE_EXTRACTED, types.SOURCE_PROCESSED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Each event goes to the verb that can do it again, at the time it was recorded.

    `env` is the memory that is derived anew, `registry` that of the one in use. How far it came stands
    in the shadow: killed and begun again, it goes on.
    """

    env: Env
    shadow: Shadow
    registry: Registry
    clock: ReplayClock

    def __post_init__(self) -> None:
        missing = sorted(types.RESERVED - self.env.routes.keys())
        if missing:
            raise StoreError("ledger", f"there is no way to replay {', '.join(missing)}")

    def __call__(self, progress: Progress | None = None) -> int:
        """Live through all that was not lived through yet; how many events that were."""
        before, total = self.shadow.count()
        done = 0
        while page := self.shadow.waiting(PAGE):
            for event in page:
                self._live_through(event)
                done += 1
                if progress is not None:
                    seen = before + done
                    progress(
                        Replayed(done=seen, total=max(seen, total), event_type=event.event_type)
                    )
        return done

    def catch_up(self) -> int:
        """The same while all others wait: also what somebody is in the middle of, who will go on with
        it in the new graph as if nothing had happened."""
        done = self()
        now = self.clock.now()
        extractions, enriched = self.shadow.under_way()
        for user_id, extraction in extractions:
            extract.begin(self.env, scope_at(self.registry, user_id, now), extraction)
        for user_id, first, last in enriched:
            enrich.between(self.env, scope_at(self.registry, user_id, now), first, last)
        return done

    def _live_through(self, event: Event) -> None:
        scope = scope_at(self.registry, event.user_id, event.recorded_at, before=event.seq)
        apply = self.env.routes.get(event.event_type, project.apply)
        self.clock.show(event.recorded_at)
        if event.event_type in IN_STEPS:
            self.shadow.take(event)
            apply(self.env, scope, event)
            self.shadow.mark_replayed(event)
            return
        with self.env.atomic():
            self.shadow.take(event)
            apply(self.env, scope, event)
            self.shadow.mark_replayed(event)


def scope_at(registry: Registry, user_id: str, at: datetime, *, before: int | None = None) -> Scope:
    """The user's scope as it was: a team left since then was not left yet, nor one joined later, and
    nothing hidden that was hidden by the event `before` or a later one."""
    hidden = registry.consents(user_id, before=before).hidden
    return rules.scope_then(user_id, registry.membership_history(user_id), at, hidden)


SAMPLES = 20  # examples of each way in which things of a sort differ
_FEW = 100  # events that may be left for when all others wait


class Rebuilt:
    """The graph as it comes out of the ledger now, beside the one in use, and what differs.

    Nothing changes for anyone until `switch`. Without it the work is kept beside the memory, and the
    next `rebuild` with the same mind and embedder goes on from there; `discard` throws it away.
    `env` is of the graph in use, `shadow_env` of the new one, which `replay` fills.
    """

    def __init__(self, env: Env, second: Env, replay: Replay, adopt: Callable[[Env], None]) -> None:
        self.mind = second.mind.name
        self.embedder = second.embedder.name
        self.events = 0  # lived through by this call; what was done before is not done again
        self.seconds = 0.0
        self.comparison = Comparison()
        self.is_open = True
        self.is_switched = False
        self.env = env
        self.shadow_env = second
        self.replay = replay
        self._adopt = adopt

    @property
    def changes_anything(self) -> bool:
        """Whether a switch would: something differs, or the mind or embedder is another."""
        same = (self.mind, self.embedder) == (self.env.mind.name, self.env.embedder.name)
        return not (same and self.comparison.is_same)

    def refresh(self, progress: Progress | None = None) -> Comparison:
        """Live through what has happened since, and compare again."""
        self._insist_open()
        begun = stopwatch()
        self.events += self.replay(progress)
        self.comparison = self.replay.shadow.compare(SAMPLES)
        self.seconds += stopwatch() - begun
        return self.comparison

    def switch(self) -> None:
        """Put the new graph in the place of the old one, in one transaction, with all that was written
        up to now; lives and dates of what did not change are kept."""
        self._insist_open()
        while self.replay() > _FEW:
            pass
        self.replay.shadow.switch(self._catch_up)
        self.is_switched = True
        self._end()
        same = self.shadow_env.mind is self.env.mind
        if not same or self.shadow_env.embedder is not self.env.embedder:
            self._adopt(self.env.adapters.adopted(self.env, self.shadow_env))

    def discard(self) -> None:
        """Throw the new graph away; nothing of it is left."""
        self._insist_open()
        self.replay.shadow.close(discard=True)
        self._end()

    def close(self) -> None:
        """Let go of the new graph; the next `rebuild` finds it where it was left."""
        if self.is_open:
            self.replay.shadow.close()
            self._end()

    def _catch_up(self) -> None:
        self.events += self.replay.catch_up()

    def _end(self) -> None:
        self.is_open = False
        self.shadow_env.stores.close()

    def _insist_open(self) -> None:
        if not self.is_open:
            raise StoreError(self.env.config.memory, "this rebuild has ended; begin another")

    def __enter__(self) -> Rebuilt:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
