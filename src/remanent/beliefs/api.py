"""Beliefs as part of `UserMemory`: what it holds true, and why.

Keeping: the verbs by which a user's beliefs are kept in order.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from remanent.beliefs.model import (
    Assignment,
    Contradictions,
    FadedBelief,
    MergeReport,
    Pruning,
    Reflection,
    Synthesis,
)
from remanent.core.checks import limited, point, whole
from remanent.core.later import later
from remanent.core.model.belief import Belief
from remanent.core.model.page import Settled
from remanent.core.model.search import Recollection
from remanent.core.user_handle import WHOLE, UserHandle, verb

if TYPE_CHECKING:
    from remanent.beliefs import (
        compare,
        contradictions,
        forget,
        instruct,
        jsonl,
        merge,
        prune,
        query,
        recall,
        remember,
        restate,
        subjects,
        synthesize,
    )
    from remanent.beliefs.rules import as_of as belief_times
    from remanent.beliefs.rules import maintenance
else:
    belief_times = later("remanent.beliefs.rules.as_of")
    compare = later("remanent.beliefs.compare")
    contradictions = later("remanent.beliefs.contradictions")
    forget = later("remanent.beliefs.forget")
    instruct = later("remanent.beliefs.instruct")
    jsonl = later("remanent.beliefs.jsonl")
    merge = later("remanent.beliefs.merge")
    prune = later("remanent.beliefs.prune")
    query = later("remanent.beliefs.query")
    recall = later("remanent.beliefs.recall")
    remember = later("remanent.beliefs.remember")
    restate = later("remanent.beliefs.restate")
    maintenance = later("remanent.beliefs.rules.maintenance")
    subjects = later("remanent.beliefs.subjects")
    synthesize = later("remanent.beliefs.synthesize")


class BeliefsApi(UserHandle):
    """The verbs about beliefs."""

    def remember(
        self, text: str, at: datetime | None = None, *, event_id: str | None = None
    ) -> Settled:
        """Hold what the text states true from `at` (default: now) on, and settle each statement against
        what is believed."""
        return remember.remember(self.env, self._full_scope, text, at=at, event_id=event_id)

    instruct = verb(lambda: instruct.instruct, WHOLE)
    instructions = verb(lambda: instruct.list_instructions)
    uninstruct = verb(lambda: instruct.uninstruct, WHOLE)

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
        """Beliefs that come to mind, best first. What is recalled is strengthened, once an hour.

        With `explain` each tells the parts of its score; without `touch` nothing is strengthened.
        `as_of` recalls what was true then, `known_at` what this memory held true then; a question
        about the past strengthens nothing.
        """
        when = belief_times.When(as_of=point("as_of", as_of), known_at=point("known_at", known_at))
        found = recall.recall_beliefs(
            self.env,
            self.scope,
            query,
            limit=limited(limit),
            explain=explain,
            touch=touch,
            when=when,
        )
        if touch and when.is_now:
            recall.record_use(self.env, self.scope, [one.belief.key for one in found])
        return found

    def beliefs(
        self,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        *,
        limit: int | None = None,
    ) -> list[Belief]:
        """What is held true now, or what was true at `as_of`; most important first.

        `known_at` gives the answer that this memory would have given then.
        """
        return query.list_beliefs(
            self.env, self.scope, as_of=point("as_of", as_of), known_at=point("known_at", known_at)
        )[: None if limit is None else limited(limit)]

    def outlook(
        self, since: datetime | None = None, *, limit: int | None = None
    ) -> list[FadedBelief]:
        """Beliefs held now, each with what is left of its confidence and how that goes on; with `since`,
        those that came, changed or went after it, the latest first."""
        most = None if limit is None else limited(limit)
        return query.belief_outlook(self.env, self.scope, point("since", since), limit=most)

    why = verb(lambda: query.why)
    history = verb(lambda: query.history_of)


Share = Callable[[float], None]


class BeliefMaintenanceApi(UserHandle):
    """The upkeep of beliefs. What writes takes `dry_run`, logs why, and does nothing when run again."""

    def reflect(self, *, progress: Share | None = None) -> Reflection:
        """What is believed twice, what contradicts itself and what has faded. Changes nothing."""
        return compare.belief_report(self.env, self.scope, progress=progress)

    def merge_beliefs(self, *, dry_run: bool = False, progress: Share | None = None) -> MergeReport:
        """Make one belief of each group that says the same; it takes over the others' episodes."""
        return merge.merge_duplicates(
            self.env, self._full_scope, dry_run=dry_run, progress=progress
        )

    def synthesize(self, *, dry_run: bool = False, progress: Share | None = None) -> Synthesis:
        """Draw a principle from beliefs of one subject that belong together, for up to five themes."""
        return synthesize.synthesize_beliefs(
            self.env, self._full_scope, dry_run=dry_run, progress=progress
        )

    def prune(self, threshold: float | None = None, *, dry_run: bool = False) -> Pruning:
        """Let go of beliefs with less than `threshold` of effective confidence left (0.05)."""
        return prune.prune_beliefs(self.env, self._full_scope, threshold=threshold, dry_run=dry_run)

    forget = verb(lambda: forget.forget_belief, WHOLE)
    restate = verb(lambda: restate.restate_belief, WHOLE)

    def contradictions(
        self, *, resolve: bool = False, dry_run: bool = False, progress: Share | None = None
    ) -> Contradictions:
        """Beliefs that cannot both be so; with `resolve` the newer one takes the older one's place,
        or stands beside it where that is well supported. An inference never overrules."""
        return contradictions.settle_contradictions(
            self.env, self._full_scope, resolve=resolve, dry_run=dry_run, progress=progress
        )

    def consolidation_due(self, turns: int) -> bool:
        """Whether a running conversation of so many turns should be consolidated now: every fifth."""
        return maintenance.consolidation_due(whole("turns", turns, 0), self.env.config.upkeep)

    def backfill_subjects(
        self, *, dry_run: bool = False, progress: Share | None = None
    ) -> Assignment:
        """File beliefs that stand under the owner by default under whom they are about."""
        return subjects.assign_subjects(
            self.env, self._full_scope, dry_run=dry_run, progress=progress
        )

    export_beliefs = verb(lambda: jsonl.export_beliefs)
    import_beliefs = verb(lambda: jsonl.import_beliefs, WHOLE)
