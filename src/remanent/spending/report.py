"""Account: what a user's paid mind has cost, and what is left of the day's budget (days are those of UTC); and
estimate: what taking in a file would cost, reckoned from its words before any of them is sent anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from remanent.core import checks
from remanent.core.dataclasses import dataclass, field
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.source import Sensitivity
from remanent.core.on_behalf import chat_of
from remanent.core.ports.embedder import Paid
from remanent.core.ports.records import Select
from remanent.core.records.spending import Account, Estimate, Line, Spent, total
from remanent.core.settings import MindRules
from remanent.ingest import formats
from remanent.ingest.import_files import import_items
from remanent.ingest.rules.dedupe import Item
from remanent.ingest.rules.request import CheckedSource
from remanent.spending import rules as budget
from remanent.spending.rules import (
    EMBEDDING,
    TokenEstimate,
    estimate_calls,
    price_of,
    reckoned_embedding,
    usd,
)


def spending_report(env: Env, scope: Scope, since: date | datetime | None = None) -> Account:
    """Calls, tokens and money by day (UTC), job, task and model, and what is left of today's
    budget; with `since`, from that day on."""
    now = env.clock.now()
    first = _day(since)
    days = {} if first is None else {"day >=": first}
    rows = tuple(env.records.find(scope, Select(Spent, days)))
    today = {"day >=": budget.day_of(now)}
    spent_today = total(env.records.find(scope, Select(Spent, today)))
    return Account(
        user_id=scope.user_id,
        rows=rows,
        total=total(rows),
        today=spent_today,
        budget=budget.remaining_budget(spent_today, now, env.config.budget),
    )


def _day(since: date | datetime | None) -> date | None:
    if isinstance(since, datetime):
        moment = checks.point("since", since)
        return None if moment is None else budget.day_of(moment)
    return since


@dataclass(slots=True)
class _ImportTally:
    """What was counted so far."""

    rules: MindRules
    sources: int = 0
    private: int = 0
    words: int = 0
    tasks: dict[str, TokenEstimate] = field(default_factory=dict)

    def take(self, draft: CheckedSource) -> None:
        """One more source. What is private is read on this machine, and asks nobody."""
        words = _words(draft)
        self.sources += 1
        self.words += words
        if draft.sensitivity is Sensitivity.HIGH:
            self.private += 1
            return
        for call in (*estimate_calls(words, self.rules), reckoned_embedding(words)):
            known = self.tasks.get(call.task)
            self.tasks[call.task] = call if known is None else known.plus(call)


def estimate(env: Env, scope: Scope, items: Iterable[Item]) -> Estimate:
    """What the sources that would come in would cost; what is known already costs nothing again."""
    tally = _ImportTally(env.config.minds)
    carried = import_items(env, scope, items, dry_run=True, taken=tally.take)
    lines = [line for one in tally.tasks.values() if (line := _line(env, one)) is not None]
    return Estimate(
        mind=env.mind.name,
        sources=tally.sources,
        private=tally.private,
        known=carried.known,
        skipped=len(carried.skipped),
        words=tally.words,
        lines=tuple(lines),
    )


def _line(env: Env, one: TokenEstimate) -> Line | None:
    """None where nobody is paid for the task."""
    if one.task == EMBEDDING:
        model = env.embedder.name if isinstance(env.embedder, Paid) else None
    else:
        chat = chat_of(env.mind)
        model = None if chat is None else chat.model(one.task)
    if model is None:
        return None
    return Line(
        task=one.task,
        model=model,
        calls=one.calls,
        tokens_in=one.tokens_in,
        tokens_out=one.tokens_out,
        usd=usd(price_of(model, env.config.prices), one.tokens_in, one.tokens_out),
    )


def _words(draft: CheckedSource) -> int:
    parsed = formats.read(draft.raw, is_json=draft.is_json, content_type=draft.content_type)
    return sum(len(one.text.split()) for one in parsed.pieces)
