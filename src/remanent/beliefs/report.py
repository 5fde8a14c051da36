"""Reflect: what is held twice, what contradicts itself, what has faded (SPEC 5). Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from remanent.beliefs.compare import Alike, Compared, Night, Progress
from remanent.beliefs.model import Clash, Cluster, Faded, Reflection
from remanent.beliefs.rules import maintenance
from remanent.beliefs.rules.belief import BeliefRules
from remanent.beliefs.rules.maintenance import Alike as Pair
from remanent.clock import Clock
from remanent.core.model.belief import Belief
from remanent.core.model.mind_types import Judgement
from remanent.core.model.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflect:
    """A pair is a duplicate only if the mind calls it the same: embeddings put "lives in Oslo" as
    near to "lives in Bergen" as to another wording of itself."""

    alike: Alike
    clock: Clock
    rules: BeliefRules

    def __call__(
        self, scope: Scope, *, progress: Progress | None = None, night: Night | None = None
    ) -> Reflection:
        """All active beliefs, held against each other; those of a `night` against all of them, and
        what has faded is left out."""
        from_ = self.rules.duplicate_from
        if night is None:
            beliefs, now = self.alike.active(scope), self.clock.now()
            compared: Compared = self.alike.pairs(scope, beliefs, from_)
            stale = maintenance.faded(beliefs, now, self.rules.stale_below, self.rules)
        else:
            now, stale = night.at, []
            compared = self.alike.around(scope, night.fresh, from_)
        same, clashes = self._judged(scope, compared, progress)
        apart = [(one.newer.key, one.older.key) for one in clashes]
        held = {one.key: one for one in compared.beliefs}
        return Reflection(
            duplicates=tuple(
                self._cluster([held[key] for key in keys], least, now)
                for keys, least in maintenance.clusters(same, apart)
            ),
            contradictions=tuple(one for one in clashes if not _is_settled(one)),
            stale=tuple(Faded(belief=one, effective_confidence=left) for one, left in stale),
            compared=len(compared.beliefs),
            unseen=compared.unseen,
        )

    def _judged(
        self, scope: Scope, compared: Compared, progress: Progress | None
    ) -> tuple[list[Pair], list[Clash]]:
        same: list[Pair] = []
        clashes: list[Clash] = []
        for one in self.alike.judged(scope, compared, progress):
            if one.judgement is Judgement.SAME:
                same.append(Pair(one.newer.key, one.older.key, one.similarity))
            elif one.judgement is Judgement.CONTRADICTS:
                clashes.append(Clash(newer=one.newer, older=one.older, similarity=one.similarity))
        return same, clashes

    def _cluster(self, beliefs: list[Belief], similarity: float, now: datetime) -> Cluster:
        ordered = maintenance.winner_first(beliefs, now, self.rules)
        return Cluster(beliefs=tuple(ordered), similarity=similarity)


def _is_settled(clash: Clash) -> bool:
    return maintenance.is_settled(clash.newer, clash.older)
