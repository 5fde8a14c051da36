"""Believing: what a user's memory holds true, and why."""

from __future__ import annotations

from datetime import datetime

from remanent.beliefs.history import history_of
from remanent.beliefs.query import list_beliefs, why
from remanent.beliefs.recall import recall_beliefs
from remanent.beliefs.remember import remember
from remanent.beliefs.rules.as_of import When
from remanent.core.checks import limited
from remanent.core.model.belief import Belief
from remanent.core.model.hit import Recollection
from remanent.core.model.page import Evidence, History, Settled
from remanent.core.user_handle import UserHandle
from remanent.errors import InvalidInput


class BeliefsApi(UserHandle):
    """The verbs about beliefs."""

    def remember(
        self, text: str, at: datetime | None = None, *, event_id: str | None = None
    ) -> Settled:
        """Hold a statement true from `at` (default: now) on, and settle it against what is believed."""
        return remember(self.env, self._whole, text, at=at, event_id=event_id)

    def recall(
        self,
        query: str,
        limit: int = 10,
        *,
        explain: bool = False,
        touch: bool = True,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Recollection]:
        """Beliefs that come to mind, best first. What is recalled is strengthened.

        With `explain` each tells the parts of its score; without `touch` nothing is strengthened.
        `as_of` recalls what was true then, `known_at` what this memory held true then; a question
        about the past strengthens nothing.
        """
        when = When(as_of=_moment("as_of", as_of), known_at=_moment("known_at", known_at))
        return recall_beliefs(
            self.env,
            self.scope,
            query,
            limit=limited(limit),
            explain=explain,
            touch=touch,
            when=when,
        )

    def beliefs(
        self, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> list[Belief]:
        """What is held true now, or what was true at `as_of`; most important first.

        `known_at` gives the answer that this memory would have given then.
        """
        return list_beliefs(
            self.env,
            self.scope,
            as_of=_moment("as_of", as_of),
            known_at=_moment("known_at", known_at),
        )

    def why(self, key: str) -> list[Evidence]:
        """The episodes behind a belief, oldest first, in the words of the source.

        Behind an inference: those of the beliefs it was drawn from, and of those they were drawn from.
        """
        return why(self.env, self.scope, key)

    def history(self, key: str) -> History:
        """All that a belief replaced or gave way to, oldest first, with what happened to each."""
        return history_of(self.env, self.scope, key)


def _moment(field: str, value: object) -> datetime | None:
    """A moment of any time, past or to come; it has to say in which time zone."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise InvalidInput(field, f"{value.isoformat()} has no time zone")
    return value
