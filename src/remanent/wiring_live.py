"""Live: all the verbs about the lives of memories, in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from remanent.core import lifecycle
from remanent.core.lookup import Own
from remanent.core.model.lifecycle_reports import Living
from remanent.core.model.scope import Scope
from remanent.lifecycle.archive import Shelve
from remanent.lifecycle.fade import Fade
from remanent.lifecycle.forecast import Foresee
from remanent.lifecycle.pin import Pin
from remanent.lifecycle.value import Appraise


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    own: Own
    pin: Pin
    shelve: Shelve
    foresee: Foresee
    appraise: Appraise
    fade: Fade

    def touch(self, scope: Scope, key: str) -> Living:
        """One access to one memory of the caller's own, as if it had been asked for now."""
        now = self.pin.clock.now()
        with self.pin.atomic():
            thing = self.own(scope, key)
            life = lifecycle.accessed(thing.life, now, self.own.rules)
            return replace(self.own.live(scope, thing, life), changed=True)
