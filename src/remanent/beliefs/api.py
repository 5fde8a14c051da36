"""Beliefs as part of `UserMemory`: what it holds true, and why.

Keeping: the verbs by which a user's beliefs are kept in order.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from remanent.beliefs.compare import belief_report
from remanent.beliefs.contradictions import settle_contradictions
from remanent.beliefs.forget import forget_belief
from remanent.beliefs.instruct import instruct, list_instructions, uninstruct
from remanent.beliefs.jsonl import export_beliefs, import_beliefs
from remanent.beliefs.merge import merge_duplicates
from remanent.beliefs.model import (
    Assignment,
    Contradictions,
    FadedBelief,
    MergeReport,
    Pruning,
    Reflection,
    Synthesis,
)
from remanent.beliefs.prune import prune_beliefs
from remanent.beliefs.query import belief_outlook, history_of, list_beliefs, why
from remanent.beliefs.recall import recall_beliefs, record_use
from remanent.beliefs.remember import remember
from remanent.beliefs.restate import restate_belief
from remanent.beliefs.rules import maintenance
from remanent.beliefs.rules.as_of import When
from remanent.beliefs.subjects import assign_subjects
from remanent.beliefs.synthesize import synthesize_beliefs
from remanent.core.checks import limited, point, whole
from remanent.core.model.belief import Belief
from remanent.core.model.page import Settled
from remanent.core.model.search import Recollection
from remanent.core.user_handle import WHOLE, UserHandle, verb


class BeliefsApi(UserHandle):
    """The verbs about beliefs."""

    def remember(
        self, text: str, at: datetime | None = None, *, event_id: str | None = None
    ) -> Settled:
        """Hold what the text states true from `at` (default: now) on, and settle each statement against
        what is believed."""
        return remember(self.env, self._full_scope, text, at=at, event_id=event_id)

    instruct = verb(instruct, WHOLE)
    instructions = verb(list_instructions)
    uninstruct = verb(uninstruct, WHOLE)

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
        when = When(as_of=point("as_of", as_of), known_at=point("known_at", known_at))
        found = recall_beliefs(
            self.env,
            self.scope,
            query,
            limit=limited(limit),
            explain=explain,
            touch=touch,
            when=when,
        )
        if touch and when.is_now:
            record_use(self.env, self.scope, [one.belief.key for one in found])
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
        return list_beliefs(
            self.env, self.scope, as_of=point("as_of", as_of), known_at=point("known_at", known_at)
        )[: None if limit is None else limited(limit)]

    def outlook(
        self, since: datetime | None = None, *, limit: int | None = None
    ) -> list[FadedBelief]:
        """Beliefs held now, each with what is left of its confidence and how that goes on; with `since`,
        those that came, changed or went after it, the latest first."""
        most = None if limit is None else limited(limit)
        return belief_outlook(self.env, self.scope, point("since", since), limit=most)

    why = verb(why)
    history = verb(history_of)


Share = Callable[[float], None]


class BeliefMaintenanceApi(UserHandle):
    """The upkeep of beliefs. What writes takes `dry_run`, logs why, and does nothing when run again."""

    def reflect(self, *, progress: Share | None = None) -> Reflection:
        """What is believed twice, what contradicts itself and what has faded. Changes nothing."""
        return belief_report(self.env, self.scope, progress=progress)

    def merge_beliefs(self, *, dry_run: bool = False, progress: Share | None = None) -> MergeReport:
        """Make one belief of each group that says the same; it takes over the others' episodes."""
        return merge_duplicates(self.env, self._full_scope, dry_run=dry_run, progress=progress)

    def synthesize(self, *, dry_run: bool = False, progress: Share | None = None) -> Synthesis:
        """Draw a principle from beliefs of one subject that belong together, for up to five themes."""
        return synthesize_beliefs(self.env, self._full_scope, dry_run=dry_run, progress=progress)

    def prune(self, threshold: float | None = None, *, dry_run: bool = False) -> Pruning:
        """Let go of beliefs with less than `threshold` of effective confidence left (0.05)."""
        return prune_beliefs(self.env, self._full_scope, threshold=threshold, dry_run=dry_run)

    forget = verb(forget_belief, WHOLE)
    restate = verb(restate_belief, WHOLE)

    def contradictions(
        self, *, resolve: bool = False, dry_run: bool = False, progress: Share | None = None
    ) -> Contradictions:
        """Beliefs that cannot both be so; with `resolve` the newer one takes the older one's place,
        or stands beside it where that is well supported. An inference never overrules."""
        return settle_contradictions(
            self.env, self._full_scope, resolve=resolve, dry_run=dry_run, progress=progress
        )

    def consolidation_due(self, turns: int) -> bool:
        """Whether a running conversation of so many turns should be consolidated now: every fifth."""
        return maintenance.consolidation_due(whole("turns", turns, 0), self.env.config.upkeep)

    def backfill_subjects(
        self, *, dry_run: bool = False, progress: Share | None = None
    ) -> Assignment:
        """File beliefs that stand under the owner by default under whom they are about."""
        return assign_subjects(self.env, self._full_scope, dry_run=dry_run, progress=progress)

    export_beliefs = verb(export_beliefs)
    import_beliefs = verb(import_beliefs, WHOLE)
