"""Touch: what was returned was called on, and lives on the stronger (SPEC 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remanent.core import lifecycle, lookup
from remanent.core.env import Env
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.model.scope import Scope


def record_access(env: Env, scope: Scope, keys: Sequence[str]) -> int:
    """Record one access to each of these nodes and relationships, all in one batch; how many.

    Another's memory fades by its owner's use alone, and is left as it is.
    """
    now = env.clock.now()

    def lived(life: Lifecycle) -> Lifecycle:
        return lifecycle.accessed(life, now, env.config.lifecycle)

    return env.graph.touch(scope, keys, lived) if keys else 0


def touch_memory(env: Env, scope: Scope, key: str) -> LifecycleReport:
    """One access to one memory of the caller's own, as if it had been asked for now."""
    with env.atomic():
        thing = lookup.look_up_own(env, scope, key)
        life = lifecycle.accessed(thing.life, env.clock.now(), env.config.lifecycle)
        return replace(lookup.live(env, scope, thing, life), changed=True)
