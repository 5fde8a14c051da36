"""Summarizing: what remains of events that have been gone over."""

from __future__ import annotations

from remanent.core.checks import choice, identifier, limited
from remanent.core.model.story import Level, Summary, SummaryQuery
from remanent.core.user_handle import UserHandle


class SummariesApi(UserHandle):
    """The verbs about summaries of events."""

    def summaries(
        self, level: str | Level | None = None, session_id: str | None = None, limit: int = 50
    ) -> list[Summary]:
        """Summaries of events, those that reach furthest first.

        `level` is episode, session or agent; `session_id` narrows it to one session. `read` of a
        summary's key shows what it stands for.
        """
        asked = SummaryQuery(
            level=None if level is None else choice("level", Level, level),
            session_id=None if session_id is None else identifier("session_id", session_id),
        )
        return self.env.graph.summaries(self.scope, asked, limit=limited(limit))
