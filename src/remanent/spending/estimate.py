"""Estimate: what taking in a file would cost, before a word of it is sent anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from remanent.core.mind_settings import MindRules
from remanent.core.model.scope import Scope
from remanent.core.model.source import Sensitivity
from remanent.core.records.spending import Estimate, Line
from remanent.ingest import formats
from remanent.ingest.import_files import Carry
from remanent.ingest.rules.dedupe import Item
from remanent.ingest.rules.request import Draft
from remanent.spending.rules.estimate import EMBEDDING, Reckoned, reckoned, reckoned_embedding
from remanent.spending.rules.prices import Price, price_of, usd


@dataclass(slots=True)
class _Tally:
    """What was counted so far."""

    rules: MindRules
    sources: int = 0
    private: int = 0
    words: int = 0
    tasks: dict[str, Reckoned] = field(default_factory=dict)

    def take(self, draft: Draft) -> None:
        """One more source. What is private is read on this machine, and asks nobody."""
        words = _words(draft)
        self.sources += 1
        self.words += words
        if draft.sensitivity is Sensitivity.HIGH:
            self.private += 1
            return
        for one in (*reckoned(words, self.rules), reckoned_embedding(words)):
            known = self.tasks.get(one.task)
            self.tasks[one.task] = one if known is None else known.plus(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckon:
    """Counts sources and words, and reckons what mind and embedder would be asked. Writes nothing, asks
    nobody.

    `model` says who is asked for a task; None: the mind asks nobody. `embedder` is one that is paid for.
    """

    carry: Carry
    mind: str
    model: Callable[[str], str] | None
    rules: MindRules
    prices: Mapping[str, Price]
    embedder: str | None = None

    def __call__(self, scope: Scope, found: Iterable[Item]) -> Estimate:
        """What the sources that would come in would cost; what is known already costs nothing again."""
        tally = _Tally(self.rules)
        carried = self.carry(scope, found, dry_run=True, taken=tally.take)
        lines = [line for one in tally.tasks.values() if (line := self._line(one)) is not None]
        return Estimate(
            mind=self.mind,
            sources=tally.sources,
            private=tally.private,
            known=carried.known,
            skipped=len(carried.skipped),
            words=tally.words,
            lines=tuple(lines),
        )

    def _line(self, one: Reckoned) -> Line | None:
        """None where nobody is paid for the task."""
        if one.task == EMBEDDING:
            model = self.embedder
        else:
            model = None if self.model is None else self.model(one.task)
        if model is None:
            return None
        return Line(
            task=one.task,
            model=model,
            calls=one.calls,
            tokens_in=one.tokens_in,
            tokens_out=one.tokens_out,
            usd=usd(price_of(model, self.prices), one.tokens_in, one.tokens_out),
        )


def _words(draft: Draft) -> int:
    parsed = formats.read(draft.raw, is_json=draft.is_json, content_type=draft.content_type)
    return sum(len(one.text.split()) for one in parsed.pieces)
