"""Dispute: beliefs that cannot both be so are found, and settled on request (SPEC 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.beliefs.compare import Alike, Compared, Judged, Night, Progress
from remanent.beliefs.model import Clash, Contradictions, Settlement, Verdict
from remanent.beliefs.rules import maintenance as upkeep
from remanent.beliefs.rules.belief import BeliefRules
from remanent.beliefs.rules.maintenance import UpkeepRules
from remanent.beliefs.truth_maintenance import Uphold
from remanent.clock import Clock
from remanent.core.dry_run import trial
from remanent.core.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.core.model.event import CONTRADICTION_SETTLED, Event
from remanent.core.model.mind_types import Judgement
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening, told_at
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic

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
        night: Night | None = None,
    ) -> Contradictions:
        """Every pair that the mind calls a contradiction; with `resolve`, settled by the rule.

        A `night` looks only at pairs with one of its fresh beliefs, and settles as of its moment.
        """
        from_ = min(self.upkeep.contradict_from, self.upkeep.contradict_of_one_from)
        if night is None:
            compared: Compared = self.alike.pairs(scope, self.alike.active(scope), from_)
        else:
            compared = self.alike.around(scope, night.fresh, from_)
        at = None if night is None else night.at
        clashes = [
            _clash(one)
            for one in self.alike.judged(scope, compared, progress, wanted=self._may_clash)
            if one.judgement is Judgement.CONTRADICTS
        ]
        standing = [one for one in clashes if upkeep.is_settled(one.newer, one.older)]
        fresh = [one for one in clashes if not upkeep.is_settled(one.newer, one.older)]
        settled, changed = self._settle(scope, fresh if resolve else (), at, dry_run=dry_run)
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

    def apply(self, scope: Scope, event: Event) -> None:
        """Do what the event tells of once more, if both of its beliefs still stand."""
        keys = [str(event.payload["newer"]), str(event.payload["older"])]
        with self.atomic():
            nodes = self.graph.get_many(scope, keys)
            pair = [one for key in keys if isinstance(one := nodes.get(key), Belief)]
            if len(pair) == len(keys) and all(one.status is BeliefStatus.ACTIVE for one in pair):
                self._settled(scope, event, *pair)

    def _may_clash(self, newer: Belief, older: Belief, alike: float) -> bool:
        return upkeep.may_clash(newer, older, alike, self.upkeep)

    def _settle(
        self, scope: Scope, clashes: Sequence[Clash], at: datetime | None, *, dry_run: bool
    ) -> tuple[list[Settlement], list[Belief]]:
        """In the order of time: what was replaced twice ends when it was replaced first."""
        settled: list[Settlement] = []
        changed: dict[str, Belief] = {}
        ordered = sorted(clashes, key=_order)
        with trial(self.atomic, dry_run=dry_run):
            for clash in ordered:
                done = self._settle_one(scope, clash, at or self.clock.now())
                if done is not None:
                    settled.append(done[0])
                    changed |= {one.key: one for one in done[1]}
        return settled, list(changed.values())

    def _settle_one(
        self, scope: Scope, clash: Clash, when: datetime
    ) -> tuple[Settlement, list[Belief]] | None:
        nodes = self.graph.get_many(scope, [clash.newer.key, clash.older.key])
        pair = [nodes.get(one.key) for one in (clash.newer, clash.older)]
        standing = [one for one in pair if isinstance(one, Belief) and _stands(one, clash)]
        if len(standing) < len(pair) or _are_twins(clash):
            return None
        newer, older = standing
        at = max(when, newer.updated_at, older.updated_at)
        kind = upkeep.settled(newer, older, at, self.rules)[2]
        told = {
            "newer": newer.key,
            "older": older.key,
            "verdict": kind.value,
            "at": at.isoformat(),
        }
        event, _ = self.ledger.append(
            happening(scope.user_id, CONTRADICTION_SETTLED, told, now=self.clock.now())
        )
        newer, older, fallen = self._settled(scope, event, newer, older)
        clash = replace(clash, newer=newer, older=older)
        return Settlement(clash=clash, verdict=_VERDICTS[kind]), fallen

    def _settled(
        self, scope: Scope, event: Event, newer: Belief, older: Belief
    ) -> tuple[Belief, Belief, list[Belief]]:
        """Both as they are now, and the inferences that changed with it."""
        at = told_at(event)
        newer, older, _ = upkeep.settled(newer, older, at, self.rules)
        self.graph.put(scope, newer)
        self.graph.put(scope, older)
        ended = [] if older.status is BeliefStatus.ACTIVE else [older]
        return newer, older, self.uphold(scope, ended, at=at) if ended else []


def _clash(judged: Judged) -> Clash:
    newer, older = upkeep.by_last_word(judged.newer, judged.older)
    return Clash(newer=newer, older=older, similarity=judged.similarity)


def _order(clash: Clash) -> tuple[object, ...]:
    since = upkeep.takes_over(clash.newer, clash.older)
    return (since, upkeep.age(clash.newer), upkeep.age(clash.older))


def _are_twins(clash: Clash) -> bool:
    """Neither is newer, so neither gives way: a person has to say."""
    return upkeep.age(clash.newer)[:2] == upkeep.age(clash.older)[:2]


def _stands(belief: Belief, clash: Clash) -> bool:
    """Whether it is held true and says what it said when the mind was asked."""
    said = {clash.newer.statement, clash.older.statement}
    return belief.status is BeliefStatus.ACTIVE and belief.statement in said
