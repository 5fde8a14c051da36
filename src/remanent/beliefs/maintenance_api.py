"""Keeping: the verbs by which a user's beliefs are kept in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from remanent.beliefs.contradictions import settle_contradictions
from remanent.beliefs.forget import forget_belief
from remanent.beliefs.jsonl import export_beliefs, import_beliefs
from remanent.beliefs.merge import merge_duplicates
from remanent.beliefs.model import (
    Assignment,
    BeliefsExported,
    BeliefsImported,
    Contradictions,
    Forgetting,
    MergeReport,
    Pruning,
    Reflection,
    Restatement,
    Synthesis,
)
from remanent.beliefs.prune import prune_beliefs
from remanent.beliefs.report import belief_report
from remanent.beliefs.restate import restate_belief
from remanent.beliefs.rules import maintenance
from remanent.beliefs.subjects import assign_subjects
from remanent.beliefs.synthesize import synthesize_beliefs
from remanent.core.user_handle import UserHandle
from remanent.errors import InvalidInput

Share = Callable[[float], None]


class BeliefMaintenanceApi(UserHandle):
    """The upkeep of beliefs. What writes takes `dry_run`, logs why, and does nothing when run again."""

    def reflect(self, *, progress: Share | None = None) -> Reflection:
        """What is believed twice, what contradicts itself and what has faded. Changes nothing."""
        return belief_report(self.env, self.scope, progress=progress)

    def merge_beliefs(self, *, dry_run: bool = False, progress: Share | None = None) -> MergeReport:
        """Make one belief of each group that says the same; it takes over the others' episodes."""
        return merge_duplicates(self.env, self._whole, dry_run=dry_run, progress=progress)

    def synthesize(self, *, dry_run: bool = False, progress: Share | None = None) -> Synthesis:
        """Draw a principle from beliefs of one subject that belong together, for up to five themes."""
        return synthesize_beliefs(self.env, self._whole, dry_run=dry_run, progress=progress)

    def prune(self, threshold: float | None = None, *, dry_run: bool = False) -> Pruning:
        """Let go of beliefs with less than `threshold` of effective confidence left (0.05)."""
        return prune_beliefs(self.env, self._whole, threshold=threshold, dry_run=dry_run)

    def forget(self, key: str, reason: str = "", *, dry_run: bool = False) -> Forgetting:
        """Put one belief out of mind, for good; `key` may be the beginning of one. Its trail stays."""
        return forget_belief(self.env, self._whole, key, reason=reason, dry_run=dry_run)

    def restate(self, key: str, statement: str, *, dry_run: bool = False) -> Restatement:
        """Put one belief in other words. It stays the same belief: its key, its age and its trail."""
        return restate_belief(self.env, self._whole, key, statement, dry_run=dry_run)

    def contradictions(
        self, *, resolve: bool = False, dry_run: bool = False, progress: Share | None = None
    ) -> Contradictions:
        """Beliefs that cannot both be so; with `resolve` the newer one takes the older one's place,
        or stands beside it where that is well supported. An inference never overrules."""
        return settle_contradictions(
            self.env, self._whole, resolve=resolve, dry_run=dry_run, progress=progress
        )

    def consolidation_due(self, turns: int) -> bool:
        """Whether a running conversation of so many turns should be consolidated now: every fifth."""
        return maintenance.consolidation_due(_count("turns", turns), self.env.config.upkeep)

    def backfill_subjects(
        self, *, dry_run: bool = False, progress: Share | None = None
    ) -> Assignment:
        """File beliefs that stand under the owner by default under whom they are about."""
        return assign_subjects(self.env, self._whole, dry_run=dry_run, progress=progress)

    def export_beliefs(self, path: str | Path | TextIO) -> BeliefsExported:
        """Write all beliefs of every status, with their trail, to a file or stream of JSON lines."""
        return export_beliefs(self.env, self.scope, path)

    def import_beliefs(
        self, path: str | Path | TextIO, *, dry_run: bool = False, progress: Share | None = None
    ) -> BeliefsImported:
        """Take in exported beliefs that are not here yet; one bad line, and nothing comes in."""
        return import_beliefs(self.env, self._whole, path, dry_run=dry_run, progress=progress)


def _count(field: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidInput(field, f"{value!r} is not a whole number from 0 up")
    return value
