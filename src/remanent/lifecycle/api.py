"""Lifecycle's part of `UserMemory`: touch, pin, archive and restore memories, and see how they fade."""

from __future__ import annotations

from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.user_handle import UserHandle, verb
from remanent.lifecycle.archive import archive, restore
from remanent.lifecycle.pin import pin_memory, touch_memory
from remanent.lifecycle.value import forecast, least_valuable


class LifecycleApi(UserHandle):
    """The verbs about lives. `key` may be the beginning of one; only the user's own can be changed."""

    touch = verb(touch_memory)
    pin = verb(pin_memory)

    def unpin(self, key: str) -> LifecycleReport:
        """Let what was pinned fade again, from now on."""
        return self.pin(key, forever=False)

    archive = verb(archive)
    restore = verb(restore)
    curve = verb(forecast)
    forgettable = verb(least_valuable)
