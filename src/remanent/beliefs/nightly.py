"""Tidy: beliefs kept in order every night, as far as they changed since the last (SPEC 5, 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from remanent.beliefs.compare import Night
from remanent.beliefs.contradictions import Dispute
from remanent.beliefs.merge import Unite
from remanent.beliefs.prune import Prune
from remanent.beliefs.rules import maintenance
from remanent.beliefs.rules.maintenance import UpkeepRules
from remanent.beliefs.subjects import Assign
from remanent.beliefs.synthesize import Synthesize
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_IMPORTED
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.jobs.night_job import Share
from remanent.jobs.quota import Allowance, Portion

# Where the last night stopped: which events it had read, and up to which moment of change; and how far
# what is in hand reaches, which whoever was killed over it takes up again as it was.
READ, CHANGED, DRAWN = "upkeep", "upkeep.changed", "upkeep.drawn"
READING, CHANGING = "upkeep.reading", "upkeep.changing"
_SUNDAY = 6
_ALL = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True)
class _Done:
    """What a night did so far."""

    counts: Counter[str]
    changes: list[Change]

    def tell(self, what: str, belief: Belief, why: str) -> None:
        self.counts[what] += 1
        self.changes.append(Change(what=what, key=belief.key, name=belief.statement, why=why))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidy:
    """Only what changed is held against the rest: a night after which nothing was said costs nothing.

    What changed is told by `updated_at`, and by the ledger for what was imported, which comes as old
    as it is.
    """

    graph: Graph
    ledger: Ledger
    registry: Registry
    assign: Assign
    unite: Unite
    dispute: Dispute
    synthesize: Synthesize
    prune: Prune
    atomic: Atomic
    allowance: Allowance
    rules: UpkeepRules

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Assign subjects, merge duplicates, settle contradictions if asked to, let go of what is faint
        and was never asserted or matters little; on Sundays draw principles first."""
        done = _Done(Counter(), [])
        self._draw(scope, at, done)
        _tell(share, 0.2)
        left = self._compare(scope, at, done)
        _tell(share, 0.9)
        for one in self.prune(scope, at=at, spared=self._stays).pruned:
            why = f"{one.effective_confidence:.3f} of its confidence was left"
            done.tell("pruned", one.belief, why)
        _tell(share, 1.0)
        return Rest(
            job=SleepJob.UPKEEP,
            at=at,
            counts=dict(done.counts),
            changes=tuple(done.changes),
            left=left,
        )

    def _draw(self, scope: Scope, at: datetime, done: _Done) -> None:
        if not self._is_sunday(scope, at) or not self._changed(scope, DRAWN, 1):
            return
        held = self.unite.reflect.alike.held(
            scope
        )  # but for what this night has drawn, and is news
        newest = max((one.updated_at for one in held if one.created_at != at), default=_EPOCH)
        most = self.synthesize.rules.clusters_most
        portion = self.allowance(scope, SleepJob.UPKEEP, at, most, of="drawn")
        for one in self.synthesize(scope, at=at, portion=portion).drawn:
            done.tell("synthesized", one.belief, f"drawn from {len(one.derived_from)} beliefs")
        self._advance(scope, DRAWN, newest)

    def _stays(self, belief: Belief) -> bool:
        return not maintenance.goes_by_itself(belief, self.rules)

    def _compare(self, scope: Scope, at: datetime, done: _Done) -> int:
        """Hold what changed against the rest, as much of it as a night may; how much is left."""
        portion = self.allowance(scope, SleepJob.UPKEEP, at, max(1, self.rules.nightly_most))
        fresh = self._in_hand(scope, at)
        while fresh or (fresh := self._next(scope, portion)):
            held = [one for one in fresh if one.status is BeliefStatus.ACTIVE]
            self._keep(scope, Night(at=at, fresh=held), done)
            with self.atomic(durable=True):
                self.ledger.advance(scope, READ, self.ledger.position(scope, READING))
                self.ledger.advance(scope, CHANGED, self.ledger.position(scope, CHANGING))
            fresh = []
        if portion.left:
            return 0
        return len(self._changed(scope, CHANGED, self.rules.nightly_most))

    def _in_hand(self, scope: Scope, at: datetime) -> list[Belief]:
        """What a run that was killed had in hand: also what it had changed by then, for `at`."""
        reading, changing = (self.ledger.position(scope, one) for one in (READING, CHANGING))
        if reading <= self.ledger.position(scope, READ) and changing <= self.ledger.position(
            scope, CHANGED
        ):
            return []
        imported, _ = self._imported(scope, _ALL, reading)
        until = _EPOCH + changing * _MICROSECOND
        changed = [one for one in self._changed(scope, CHANGED, _ALL) if one.updated_at <= until]
        since = self.graph.changed(scope, Kind.BELIEF, at - _MICROSECOND, limit=1)
        touched = [
            one
            for one in since
            if isinstance(one, Belief) and one.updated_at == at and one.created_at != at
        ]
        return list({one.key: one for one in (*imported, *changed, *touched)}.values())

    def _next(self, scope: Scope, portion: Portion) -> list[Belief]:
        """The next beliefs to be compared, taken in hand; none where all are, or the night is full."""
        room = portion.left
        if not room:
            return []
        imported, seq = self._imported(scope, room)
        changed = self._changed(scope, CHANGED, max(1, room - len(imported)))
        fresh = {one.key: one for one in (*imported, *changed)}
        with self.atomic(durable=bool(fresh)):
            self.ledger.advance(scope, READING, seq)
            if changed:
                self._advance(scope, CHANGING, changed[-1].updated_at)
            if fresh:
                portion.take(len(fresh))
            else:
                self.ledger.advance(scope, READ, seq)
        return list(fresh.values())

    def _keep(self, scope: Scope, night: Night, done: _Done) -> None:
        for one in self.assign(scope, night=night).assigned:
            done.tell("assigned", one.belief, f"it is about {one.belief.subject}")
        for union in self.unite(scope, night=night).merged:
            others = "; ".join(one.statement for one in union.losers)
            done.tell("merged", union.winner, f"it says the same as: {others}")
        if self.rules.nightly_settle:
            for settled in self.dispute(scope, resolve=True, night=night).settled:
                clash = settled.clash
                done.tell("settled", clash.older, f"against it: {clash.newer.statement}")

    def _changed(self, scope: Scope, mark: str, limit: int) -> list[Belief]:
        after = _EPOCH + self.ledger.position(scope, mark) * _MICROSECOND
        nodes = self.graph.changed(scope, Kind.BELIEF, after, limit=limit)
        return [one for one in nodes if isinstance(one, Belief)]

    def _advance(self, scope: Scope, mark: str, moment: datetime) -> None:
        self.ledger.advance(scope, mark, (moment - _EPOCH) // _MICROSECOND)

    def _imported(
        self, scope: Scope, limit: int, until: int | None = None
    ) -> tuple[list[Belief], int]:
        """Up to `limit` beliefs imported since the last night, and up to which event that is; none by
        an event later than `until`."""
        keys: list[str] = []
        seq = self.ledger.position(scope, READ)
        for event in _events(self.ledger, scope, seq):
            if len(keys) >= limit or (until is not None and event[0] > until):
                break
            seq = event[0]
            keys += event[1]
        nodes = self.graph.get_many(scope, keys)
        return [one for one in nodes.values() if isinstance(one, Belief)], seq

    def _is_sunday(self, scope: Scope, at: datetime) -> bool:
        user = self.registry.user(scope.user_id)
        return (
            at.astimezone(ZoneInfo("UTC" if user is None else user.timezone)).weekday() == _SUNDAY
        )


def _events(ledger: Ledger, scope: Scope, after: int) -> Iterator[tuple[int, list[str]]]:
    """The number of each event from there on, and the keys of beliefs that it brought in."""
    while True:
        page = list(ledger.replay(scope, after=after, limit=1000))
        for event in page:
            imported = event.event_type == BELIEF_IMPORTED
            yield event.seq, [str(event.payload["belief"]["key"])] if imported else []
        if not page:
            return
        after = page[-1].seq


def _tell(share: Share | None, part: float) -> None:
    if share is not None:
        share(part)
