"""Metered: every call of a model is counted where it was made, and none is made beyond the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from remanent import metrics
from remanent.clock import stopwatch
from remanent.core.model.on_behalf import OnBehalf
from remanent.core.ports.tools import Tools
from remanent.core.records.spending import Cost, Spent
from remanent.errors import MindError, MindRefused, MindTooLong, MindUnreadable
from remanent.minds.llm.asking import Ask, Chat, Reply
from remanent.minds.meter import Meter
from remanent.spending.rules import budget

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
                self.meter.spend(_failed(row, problem), _of(problem, expected))
                raise
            finally:
                metrics.MIND_SECONDS.see(stopwatch() - began, task=row.task, model=row.model)
            cost = Cost(calls=reply.calls, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
            is_repaired = ask.output is not None and reply.calls > 1
            self.meter.spend(replace(row, model=reply.model, repairs=int(is_repaired)), cost)
        return reply

    def _expected(self, ask: Ask) -> Cost:
        tokens_in, tokens_out = budget.expected(len(ask.system) + len(ask.data))
        return self.meter.cost(self.chat.model(ask.task), tokens_in, tokens_out)


def _failed(row: Spent, problem: MindError) -> Spent:
    return replace(row, failures=1, fallbacks=int(isinstance(problem, _ANSWERED_OFFLINE)))


def _of(problem: MindError, expected: Cost) -> Cost:
    """What a failure cost. An answer that nobody could read was paid for: untold, it counts as was
    expected, rather too much than nothing."""
    if problem.calls or not isinstance(problem, MindUnreadable):
        return Cost(calls=problem.calls, tokens_in=problem.tokens_in, tokens_out=problem.tokens_out)
    return replace(expected, usd=0.0)
