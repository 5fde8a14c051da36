"""Dispute: beliefs that cannot both be so are found, and settled on request (SPEC 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from remanent.clock import Clock
from remanent.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.model.event import CONTRADICTION_SETTLED
from remanent.model.reading import Judgement
from remanent.model.scope import Scope
from remanent.model.upkeep import Clash, Contradictions, Settlement, Verdict
from remanent.ports.atomic import Atomic
from remanent.ports.graph import Graph
from remanent.ports.ledger import Ledger
from remanent.rules import upkeep
from remanent.rules.belief import BeliefRules
from remanent.rules.upkeep import UpkeepRules
from remanent.verbs.alike import Alike, Progress
from remanent.verbs.happening import happening
from remanent.verbs.trial import trial
from remanent.verbs.uphold import Uphold

_VERDICTS = {
    ChangeKind.INVALIDATED: Verdict.INVALIDATED,
    ChangeKind.WEAKENED: Verdict.WEAKENED,
    ChangeKind.DISPUTED: Verdict.DISPUTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """The mind sees each belief with the older ones it resembles, in one question."""

    alike: Alike
    graph: Graph
    ledger: Ledger
    uphold: Uphold
    atomic: Atomic
    clock: Clock
    rules: BeliefRules
    upkeep: UpkeepRules

    def __call__(
        self,
        scope: Scope,
        *,
        resolve: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Contradictions:
        """Every pair that the mind calls a contradiction; with `resolve`, settled by the rule."""
        beliefs = self.alike.active(scope)
        compared = self.alike.pairs(scope, beliefs, self.upkeep.contradict_from)
        clashes = [
            Clash(newer=one.newer, older=one.older, similarity=one.similarity)
            for one in self.alike.judged(compared, progress)
            if one.judgement is Judgement.CONTRADICTS
        ]
        standing = [one for one in clashes if upkeep.is_settled(one.newer, one.older)]
        fresh = [one for one in clashes if not upkeep.is_settled(one.newer, one.older)]
        settled, changed = self._settle(scope, fresh, dry_run=dry_run) if resolve else ([], [])
        done = {(one.clash.newer.key, one.clash.older.key) for one in settled}
        return Contradictions(
            found=tuple(one for one in fresh if (one.newer.key, one.older.key) not in done),
            settled=tuple(settled),
            standing=tuple(standing),
            changed=tuple(changed),
            compared=len(compared.beliefs),
            unseen=compared.unseen,
            dry_run=dry_run,
        )

    def _settle(
        self, scope: Scope, clashes: Sequence[Clash], *, dry_run: bool
    ) -> tuple[list[Settlement], list[Belief]]:
        """In the order of time: what was replaced twice ends when it was replaced first."""
        settled: list[Settlement] = []
        changed: dict[str, Belief] = {}
        ordered = sorted(clashes, key=lambda one: (upkeep.age(one.newer), upkeep.age(one.older)))
        with trial(self.atomic, dry_run=dry_run):
            for clash in ordered:
                done = self._settle_one(scope, clash)
                if done is None:
                    continue
                settled.append(done)
                if done.clash.older.status is not BeliefStatus.ACTIVE:
                    fallen = self.uphold(scope, [done.clash.older])
                    changed |= {one.key: one for one in fallen}
        return settled, list(changed.values())

    def _settle_one(self, scope: Scope, clash: Clash) -> Settlement | None:
        now = self.clock.now()
        nodes = self.graph.get_many(scope, [clash.newer.key, clash.older.key])
        pair = [nodes.get(one.key) for one in (clash.newer, clash.older)]
        standing = [one for one in pair if isinstance(one, Belief) and _stands(one, clash)]
        if len(standing) < len(pair) or _are_twins(clash):
            return None
        newer, older = standing
        newer, older, kind = upkeep.settled(newer, older, now, self.rules)
        told = {"newer": newer.key, "older": older.key, "verdict": kind.value}
        self.ledger.append(happening(scope.user_id, CONTRADICTION_SETTLED, told, now=now))
        self.graph.put(scope, newer)
        self.graph.put(scope, older)
        return Settlement(clash=replace(clash, newer=newer, older=older), verdict=_VERDICTS[kind])


def _are_twins(clash: Clash) -> bool:
    """Neither is newer, so neither gives way: a person has to say."""
    return upkeep.age(clash.newer)[:2] == upkeep.age(clash.older)[:2]


def _stands(belief: Belief, clash: Clash) -> bool:
    """Whether it is held true and says what it said when the mind was asked."""
    said = {clash.newer.statement, clash.older.statement}
    return belief.status is BeliefStatus.ACTIVE and belief.statement in said
