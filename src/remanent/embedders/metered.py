"""The metered embedder: what a paid one is given is counted, and held back by the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.mind_types import OnBehalf
from remanent.core.ports.embedder import Embedder, TextKind
from remanent.core.records.spending import Cost, Spent
from remanent.errors import BudgetSpent, EmbedderBudgetSpent, EmbedderError
from remanent.spending import rules
from remanent.spending.rules import EMBEDDING

_NOBODY = OnBehalf(user_id="")

Tell = Callable[[int], None]


class Counting(Embedder, Protocol):
    """An embedder that says what it is paid for."""

    def embed_counted(
        self, texts: Sequence[str], tell: Tell, *, kind: TextKind = "passage"
    ) -> NDArray[np.float32]:
        """As `embed`; after each request that was answered, `tell` hears how many tokens it read."""
        ...


class Meter(Protocol):
    """What writes down and holds back."""

    def today(self) -> date: ...

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> Cost: ...

    def reserved(self, user_id: str, day: date, expected: Cost) -> AbstractContextManager[None]: ...

    def spend(self, row: Spent, cost: Cost) -> None: ...


def is_counting(embedder: Embedder) -> TypeGuard[Counting]:
    """Whether it says what it is paid for. Only its class is looked at: to ask for its length is a call."""
    return hasattr(type(embedder), "embed_counted")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredEmbedder:
    """Counts requests and tokens under the task `embed`, by user, day and job.

    What does not fit into the rest of the user's day is an `EmbedderBudgetSpent`, and nothing is sent.
    """

    embedder: Counting
    meter: Meter
    errand: OnBehalf = _NOBODY

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    @property
    def scale(self) -> tuple[tuple[float, float], ...]:
        return self.embedder.scale

    @property
    def is_local(self) -> bool:
        return self.embedder.is_local

    def on(self, errand: OnBehalf) -> MeteredEmbedder:
        """This embedder at work for one user."""
        return replace(self, errand=errand)

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        """One unit vector per text, in order, if the budget allows."""
        if not texts:
            return self.embedder.embed(texts, kind=kind)
        meter, name = self.meter, self.embedder.name
        expected = meter.cost(name, rules.tokens(sum(len(one) for one in texts)), 0)
        row = Spent(
            user_id=self.errand.user_id,
            day=meter.today(),
            job=self.errand.job,
            task=EMBEDDING,
            model=name,
        )
        try:
            with meter.reserved(row.user_id, row.day, expected):
                return self._counted(texts, row, kind)
        except BudgetSpent as problem:
            raise EmbedderBudgetSpent(problem.problem, again_at=problem.again_at) from None

    def _counted(self, texts: Sequence[str], row: Spent, kind: TextKind) -> NDArray[np.float32]:
        """What was answered before a failure was paid for as well."""
        tokens: list[int] = []
        try:
            vectors = self.embedder.embed_counted(texts, tokens.append, kind=kind)
        except EmbedderError:
            self.meter.spend(replace(row, failures=1), _cost(tokens))
            raise
        self.meter.spend(row, _cost(tokens))
        return vectors


def _cost(tokens: Sequence[int]) -> Cost:
    return Cost(calls=len(tokens), tokens_in=sum(tokens))
