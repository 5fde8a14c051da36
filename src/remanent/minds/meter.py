"""The meter: what a user's paid calls cost is written down, and none is made beyond the budget.

One meter serves all that is paid for in a memory, minds and embedders alike.

Metered: every call of a model is counted where it was made, and none is made beyond the budget.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date

from remanent import metrics
from remanent.clock import Clock, stopwatch
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.scope import Scope
from remanent.core.ports.mind import Tools
from remanent.core.ports.records import Records, Select
from remanent.core.records.spending import Cost, Spent, total
from remanent.errors import BudgetSpent, MindError, MindRefused, MindTooLong, MindUnreadable
from remanent.minds.llm.request import Ask, Chat, Reply
from remanent.spending import rules
from remanent.spending import rules as budget
from remanent.spending.rules import BudgetRules, Price, price_of, usd


@dataclass(slots=True, kw_only=True)
class Meter:
    """Keeps what is spent by user, day, job, task and model.

    Calls under way count with what they are expected to cost, so threads of one process cannot
    overdraw together; of several processes each may be one call ahead.
    """

    records: Records
    clock: Clock
    rules: BudgetRules = field(default_factory=BudgetRules)
    prices: Mapping[str, Price] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    under_way: dict[tuple[str, date], Cost] = field(default_factory=dict)

    def today(self) -> date:
        """The day that a call of now counts to."""
        return budget.day_of(self.clock.now())

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> Cost:
        """One call of so many tokens."""
        money = usd(price_of(model, self.prices), tokens_in, tokens_out)
        return Cost(calls=1, tokens_in=tokens_in, tokens_out=tokens_out, usd=money or 0.0)

    @contextmanager
    def reserved(self, user_id: str, day: date, expected: Cost) -> Iterator[None]:
        """Hold what a call is expected to cost for as long as it is under way; `BudgetSpent` if it does
        not fit into the rest of the user's day."""
        if not (self.rules.usd_per_day or self.rules.tokens_per_day):
            yield
            return
        place = user_id, day
        with self._lock:
            held = self.under_way.get(place, Cost())
            self._check(user_id, day, held, expected)
            self.under_way[place] = held.plus(expected)
        try:
            yield
        finally:
            with self._lock:
                left = self.under_way.pop(place).minus(expected)
                if left.calls:
                    self.under_way[place] = left

    def _check(self, user_id: str, day: date, held: Cost, expected: Cost) -> None:
        rows = self.records.find(Scope(user_id=user_id), Select(Spent, {"day": day}))
        spent = total(rows).plus(held)
        problem = budget.exceeded(spent, expected, self.rules)
        if problem is not None:
            raise BudgetSpent(problem, again_at=budget.next_day(self.clock.now()))

    def spend(self, row: Spent, cost: Cost) -> None:
        """Write down what it cost in that row; what has no price is counted in tokens."""
        money = usd(price_of(row.model, self.prices), cost.tokens_in, cost.tokens_out)
        spent = replace(
            row,
            calls=cost.calls,
            tokens_in=cost.tokens_in,
            tokens_out=cost.tokens_out,
            usd=money or 0.0,
            unpriced=cost.tokens if money is None else 0,
        )
        self.records.add(Scope(user_id=spent.user_id), spent)


_ANSWERED_OFFLINE = (MindUnreadable, MindRefused, MindTooLong)  # see `LlmMind`


@dataclass(slots=True, kw_only=True)
class MeteredChat:
    """A `Chat` that writes down calls, tokens and money by user, day, job, task and model.

    Before a call its cost is estimated; what does not fit into the rest of the user's day is a
    `BudgetSpent`, and nobody is asked.
    """

    chat: Chat
    meter: Meter

    def model(self, task: str) -> str:
        """The model, as `provider:model`, that is asked for this task."""
        return self.chat.model(task)

    def __call__(self, ask: Ask, errand: OnBehalf) -> Reply:
        """Put one question, if the budget allows, and write down what it cost."""
        return self._metered(ask, errand, lambda: self.chat(ask, errand))

    def work(self, ask: Ask, tools: Tools, errand: OnBehalf) -> Reply:
        """Let the model work, if the budget allows, and write down what it cost."""
        return self._metered(ask, errand, lambda: self.chat.work(ask, tools, errand))

    def _metered(self, ask: Ask, errand: OnBehalf, put: Callable[[], Reply]) -> Reply:
        expected = self._expected(ask)
        row = Spent(
            user_id=errand.user_id,
            day=self.meter.today(),
            job=errand.job,
            task=ask.task,
            model=self.chat.model(ask.task),
        )
        with self.meter.reserved(row.user_id, row.day, expected):
            began = stopwatch()
            try:
                reply = put()
            except MindError as problem:
                fallbacks = int(isinstance(problem, _ANSWERED_OFFLINE))
                failed = replace(row, failures=1, fallbacks=fallbacks)
                self.meter.spend(failed, _of(problem, expected))
                raise
            finally:
                metrics.MIND_SECONDS.observe(stopwatch() - began, task=row.task, model=row.model)
            cost = Cost(calls=reply.calls, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
            is_repaired = ask.output is not None and reply.calls > 1
            self.meter.spend(replace(row, model=reply.model, repairs=int(is_repaired)), cost)
        return reply

    def _expected(self, ask: Ask) -> Cost:
        tokens_in, tokens_out = rules.expected(len(ask.system) + len(ask.data))
        return self.meter.cost(self.chat.model(ask.task), tokens_in, tokens_out)


def _of(problem: MindError, expected: Cost) -> Cost:
    """What a failure cost. An answer that nobody could read was paid for: untold, it counts as was
    expected, rather too much than nothing."""
    if problem.calls or not isinstance(problem, MindUnreadable):
        return Cost(calls=problem.calls, tokens_in=problem.tokens_in, tokens_out=problem.tokens_out)
    return replace(expected, usd=0.0)
