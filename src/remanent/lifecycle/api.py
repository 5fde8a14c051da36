"""Lifecycle's part of `UserMemory`: touch, pin, archive and restore memories, and see how they fade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.core.later import later
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.user_handle import UserHandle, verb

if TYPE_CHECKING:
    from remanent.lifecycle import archive, pin, value
else:
    archive = later("remanent.lifecycle.archive")
    pin = later("remanent.lifecycle.pin")
    value = later("remanent.lifecycle.value")


class LifecycleApi(UserHandle):
    """The verbs about lives. `key` may be the beginning of one; only the user's own can be changed."""

    touch = verb(lambda: pin.touch_memory)
    pin = verb(lambda: pin.pin_memory)

    def unpin(self, key: str) -> LifecycleReport:
        """Let what was pinned fade again, from now on."""
        return self.pin(key, forever=False)

    archive = verb(lambda: archive.archive)
    restore = verb(lambda: archive.restore)
    curve = verb(lambda: value.forecast)
    forgettable = verb(lambda: value.least_valuable)
