"""Lifecycle's part of `UserMemory`: touch, pin, archive and restore memories, and see how they fade."""

from __future__ import annotations

from remanent.core.checks import limited
from remanent.core.model.lifecycle_reports import Curve, Forgettable, LifecycleReport
from remanent.core.user_handle import UserHandle
from remanent.lifecycle import archive
from remanent.lifecycle.pin import pin_memory, touch_memory
from remanent.lifecycle.value import forecast, least_valuable


class LifecycleApi(UserHandle):
    """The verbs about lives. `key` may be the beginning of one; only the user's own can be changed."""

    def touch(self, key: str) -> LifecycleReport:
        """Count one access to a memory or relationship, as if it had been asked for just now."""
        return touch_memory(self.env, self.scope, key)

    def pin(self, key: str, *, forever: bool = True) -> LifecycleReport:
        """Keep a memory or relationship for ever; with `forever=False` it fades again from now on.

        What was archived comes back. A belief is then held on the user's word: it does not fade.
        """
        return pin_memory(self.env, self.scope, key, forever=forever)

    def unpin(self, key: str) -> LifecycleReport:
        """Let what was pinned fade again, from now on."""
        return self.pin(key, forever=False)

    def archive(self, key: str, reason: str = "") -> LifecycleReport:
        """Take a memory or relationship out of default search; its key still leads to it.

        What is pinned has to be unpinned first; a belief is forgotten instead, by `forget`.
        """
        return archive.archive(self.env, self.scope, key, reason=reason)

    def restore(self, key: str) -> LifecycleReport:
        """Call an archived memory or relationship back. It counts as an access."""
        return archive.restore(self.env, self.scope, key)

    def curve(self, key: str, days: int = 365) -> Curve:
        """How present a memory will be over the next `days` if nobody asks for it, when it will be
        archived, and what an access today would change. Looking ahead is no access."""
        return forecast(self.env, self.scope, key, days=days)

    def forgettable(self, limit: int = 20) -> list[Forgettable]:
        """The sources that would be missed least, least first, each with the reason: which would go
        if `lifecycle.keep_sources` or `lifecycle.keep_share` allowed fewer."""
        return least_valuable(self.env, self.scope, limit=limited(limit))
