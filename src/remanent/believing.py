"""Believing: what a user's memory holds true, and why."""

from __future__ import annotations

from datetime import datetime

from remanent.handle import Handle, limited
from remanent.model.belief import Belief
from remanent.model.hit import Recollection
from remanent.model.page import Evidence, Settled


class Believing(Handle):
    """The verbs about beliefs."""

    def remember(
        self, text: str, at: datetime | None = None, *, event_id: str | None = None
    ) -> Settled:
        """Hold a statement true from `at` (default: now) on, and settle it against what is believed."""
        return self._house.remember(self._scope, text, at=at, event_id=event_id)

    def recall(self, query: str, limit: int = 10) -> list[Recollection]:
        """Beliefs that come to mind, best first. What is recalled is strengthened."""
        return self._house.recall(self._scope, query, limit=limited(limit))

    def beliefs(self, as_of: datetime | None = None) -> list[Belief]:
        """What is held true now, or what was true at `as_of`; most important first."""
        return self._house.believed(self._scope, as_of=as_of)

    def why(self, key: str) -> list[Evidence]:
        """The episodes behind a belief, oldest first, in the words of the source."""
        return self._house.believed.why(self._scope, key)
