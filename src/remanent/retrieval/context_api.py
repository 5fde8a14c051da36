"""Minding: what a message asks of a user's memory, and what an agent should know to answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core.model.query_types import Abbreviation, Need, Phrasings
from remanent.core.user_handle import UserHandle
from remanent.retrieval import abbreviations
from remanent.retrieval.context import prepare_context
from remanent.retrieval.model.context import Context, Occasion
from remanent.retrieval.need import needs_memory
from remanent.retrieval.transform import rephrase

Before = Sequence[str | Mapping[str, Any]]


class ContextApi(UserHandle):
    """The verbs for an agent that holds a conversation."""

    def needs_memory(self, message: str, before: Before = ()) -> Need:
        """Whether the message can only be answered well out of memory, and why.

        `before` is the conversation so far: texts, or turns `{speaker, text}`.
        """
        return needs_memory(self.env, self.scope, message, before)

    def phrasings(self, query: str, before: Before = ()) -> Phrasings:
        """The question in full, then in other words: what a deep search goes by."""
        return rephrase(self.env, self.scope, query, before)

    def context(
        self,
        message: str,
        budget: int = 1500,
        *,
        before: Before = (),
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        touch: bool = True,
        count: Callable[[str], int] | None = None,
    ) -> Context:
        """What to know before answering `message`, ready for a prompt, in at most `budget` tokens.

        `count` counts tokens as your model does; ours rather overcounts. What is recalled for it is
        strengthened, unless `touch` is False.
        """
        occasion = Occasion(
            message=message,
            budget=budget,
            before=before,
            as_of=as_of,
            known_at=known_at,
            touch=touch,
            count=count,
        )
        return prepare_context(self.env, self.scope, occasion)

    def define(self, short: str, long: str) -> Abbreviation:
        """Let a short form stand for a long one in this user's questions."""
        return abbreviations.define(self.env, self.scope, short, long)

    def undefine(self, short: str) -> bool:
        """Take a short form as it stands again, whatever was set or a source says; whether that is news."""
        return abbreviations.undefine(self.env, self.scope, short)

    def abbreviations(self) -> list[Abbreviation]:
        """All short forms that are set, and all that this user's sources explain."""
        return abbreviations.listed(self.env, self.scope)
