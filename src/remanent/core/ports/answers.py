"""Answers: what a paid mind said, kept by what it was asked."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.answer import Answer


class Answers(Protocol):
    def answer(self, scope: Scope, digest: str) -> Answer | None:
        """What was answered to this caller under this digest."""
        ...

    def keep(self, answer: Answer) -> None:
        """Remember the answer; the first one under a user and digest stands."""
        ...

    def spent(self, scope: Scope) -> tuple[int, int]:
        """All tokens in and out of this caller's answers."""
        ...

    def unlearn(self, scope: Scope, source_key: str | None = None) -> int:
        """Take this caller's answers away, or those about one source; how many there were."""
        ...

    def unlearn_since(self, scope: Scope, moment: datetime) -> int:
        """Take away those of this caller's answers since then that are about no one source, and so
        may be about several; how many there were."""
        ...
