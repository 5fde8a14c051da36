"""Reconsolidate: what happened is gone over again, told in short, and let go (SPEC 2, stage 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from remanent.beliefs.redact_summaries import Withhold
from remanent.clock import Clock
from remanent.core.model.event import EVENTS_RECONSOLIDATED, Event, EventNode
from remanent.core.model.event_tiers import Tier, Untold
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.model.story import Level, SummariesAsked, Summary
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import MindError
from remanent.events.apply import (
    AGENT_TOLD,
    EVENTS_LET_GO,
    LINKS_LET_GO,
    RAISED,
    SHORTENED,
    TOLD,
    Enact,
    Tally,
)
from remanent.events.links import Tie
from remanent.events.rules import episodes
from remanent.events.rules.episodes import EpisodeRules
from remanent.events.summaries import agent_key, episode_key, parts_digest
from remanent.jobs.night_job import Share
from remanent.jobs.quota import Allowance, Portion

TELLING = "reconsolidate.telling"  # its position is the entry that told of a session last
_SESSIONS = 250  # looked at together
MOST_LISTED = 20  # changes of one sort that are told one by one
_SHARE_OF_TELLING = 0.8  # of the whole run


@dataclass(slots=True)
class _Run:
    """One run for one user, and what it has done so far; one of the timetable has a portion."""

    scope: Scope
    at: datetime
    budget: int
    portion: Portion | None = None
    counts: Tally = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)
    left: int = 0

    @property
    def even_open(self) -> bool:
        return self.portion is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsolidate:
    """Every item is decided, appended and carried out in one transaction; `apply` only carries out."""

    graph: Graph
    ledger: Ledger
    tie: Tie
    withhold: Withhold
    enact: Enact
    atomic: Atomic
    clock: Clock
    allowance: Allowance
    rules: EpisodeRules

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Link, tell, weigh and let go what is due at `at`; the most important sessions first."""
        portion = self.allowance(scope, SleepJob.RECONSOLIDATE, at, self.rules.events_a_run)
        run = _Run(scope, at, portion.left, portion)
        self._tell(run, share)
        self._weigh(run)
        self._forget(run)
        return _rest(run, share)

    def reflect(self, scope: Scope, at: datetime) -> Rest:
        """The same for what happened up to this moment, also where it is still going on; nothing is
        let go."""
        run = _Run(scope, at, self.rules.events_a_run)
        self._tell(run, None)
        self._weigh(run)
        return _rest(run, None)

    def apply(self, scope: Scope, event: Event) -> None:
        """Carry out once more what was decided; looks at no life of anything."""
        write = self.enact(scope, event)
        with self.atomic():
            write()

    # -- decide -------------------------------------------------------------------------------

    def _tell(self, run: _Run, share: Share | None) -> None:
        for sessions in self._sessions(run):
            for n, session in enumerate(sessions):
                if run.budget <= 0:
                    run.left += session.count
                else:
                    self._tell_session(run, session)
                if share is not None:
                    share(_SHARE_OF_TELLING * (n + 1) / len(sessions))
            share = None  # what comes after the first so many is told as one with them
        self._tell_again(run)
        for agent in self.graph.agents_told(run.scope):
            parts = self.enact.summarize.parts(run.scope, agent.agent_id)
            known = self.graph.get(run.scope, agent_key(run.scope, agent.agent_id))
            if not isinstance(known, Summary) or known.digest != parts_digest(parts):
                keys = [one.key for one in parts]
                self._try(run, {"what": AGENT_TOLD, "agent_id": agent.agent_id, "parts": keys})

    def _sessions(self, run: _Run) -> Iterator[list[Untold]]:
        """Sessions with something untold, some at a time; first the one that a run for the same time
        was killed over, whatever the rest of it weighs."""
        begun, seen = self._begun(run), set[tuple[str | None, str | None]]()
        while True:
            limit = _SESSIONS + len(seen)
            found = self.graph.untold_sessions(run.scope, at=run.at, limit=limit)
            fresh = [one for one in found if (one.agent_id, one.session_id) not in seen]
            yield sorted(fresh, key=lambda one: (one.agent_id, one.session_id) != begun)
            seen.update((one.agent_id, one.session_id) for one in fresh)
            if not fresh or len(found) < limit or run.budget <= 0:
                return

    def _begun(self, run: _Run) -> tuple[str | None, str | None] | None:
        seq = self.ledger.position(run.scope, TELLING)
        for event in self.ledger.replay(run.scope, after=seq - 1, limit=1) if seq else ():
            if event.payload["at"] == run.at.isoformat():
                return event.payload["agent_id"], event.payload["session_id"]
        return None

    def _tell_again(self, run: _Run) -> None:
        """Episodes of which something was put out of mind, without it."""
        most = self.rules.events_a_run
        portion = self._part_of(run, most, "retold")
        limit = most if portion is None else portion.left
        asked = SummariesAsked(level=Level.EPISODE, dirty=True)
        for one in self.graph.summaries(run.scope, asked, limit=limit):
            told = {"agent_id": one.agent_id, "session_id": one.session_id, "links": []}
            again = {"what": TOLD, **told, "episodes": [{"key": one.key, "events": []}]}
            self._try(run, again, portion, 1)

    def _part_of(self, run: _Run, most: int, of: str) -> Portion | None:
        """What is counted by itself in a run of the timetable."""
        if run.portion is None:
            return None
        return self.allowance(run.scope, SleepJob.RECONSOLIDATE, run.at, most, of=of)

    def _tell_session(self, run: _Run, session: Untold) -> None:
        untold = session.count
        while run.budget > 0 and untold > 0:
            limit = min(run.budget, self.rules.episode_events)
            events = self.graph.untold_events(run.scope, session, at=run.at, limit=limit)
            runs = episodes.runs(events, self.rules)
            is_last = len(events) < limit
            if is_last and runs and not run.even_open:
                runs = runs if episodes.is_closed(runs[-1], run.at, self.rules) else runs[:-1]
            told = sum(map(len, runs))
            if not told:
                break
            decided = self._decided(run.scope, session, runs)
            if not self._try(run, decided, run.portion, told):
                break
            run.budget -= told
            untold -= told
            if is_last:
                return
        run.left += self._due(run, session, untold)

    def _due(self, run: _Run, session: Untold, untold: int) -> int:
        """Of what could not be told, that which is over; what is still going on is not put off."""
        if untold <= 0:
            return 0
        events = self.graph.untold_events(
            run.scope, session, at=run.at, limit=self.rules.episode_events
        )
        runs = episodes.runs(events, self.rules)
        is_open = runs and not episodes.is_closed(runs[-1], run.at, self.rules)
        return 0 if len(runs) == 1 and is_open and not run.even_open else untold

    def _decided(
        self, scope: Scope, session: Untold, runs: Sequence[Sequence[EventNode]]
    ) -> dict[str, Any]:
        gap = episodes.gap(self.rules)
        asked = SummariesAsked(
            level=Level.EPISODE,
            agent_id=session.agent_id,
            session_id=session.session_id,
            since=runs[0][0].occurred_at - gap,
            until=runs[-1][-1].occurred_at + gap,
        )
        known = self.graph.summaries(scope, asked)
        parts: dict[str, list[EventNode]] = {}
        for run in runs:
            home = episodes.home(run, known, self.rules)
            key = episode_key(scope, run[0]) if home is None else home.key
            parts.setdefault(key, []).extend(run)
        return {
            "what": TOLD,
            "agent_id": session.agent_id,
            "session_id": session.session_id,
            "episodes": [self._part(scope, key, events) for key, events in parts.items()],
            "links": [list(knot) for knot in self.tie(scope, runs)],
        }

    def _part(self, scope: Scope, key: str, events: Sequence[EventNode]) -> dict[str, Any]:
        ids = [one.event_id for one in events]
        return {"key": key, "events": ids, "withheld": self.withhold.among(scope, events)}

    def _weigh(self, run: _Run) -> None:
        for batch in self.enact.elevate.raises(run.scope, run.at):
            self._do(run, {"what": RAISED, "events": [list(one) for one in batch]})
        most = self.rules.shortcuts_a_run
        portion = self._part_of(run, most, "shortened")
        limit = most if portion is None else portion.left
        if pairs := self.enact.elevate.shortcuts(run.scope, limit):
            told = {"what": SHORTENED, "pairs": [list(pair) for pair in pairs]}
            self._do(run, told, portion, len(pairs))

    def _forget(self, run: _Run) -> None:
        while links := self.enact.let_go.weak_links(run.scope, run.at):
            told = {"links": [list(one) for one in links], "count": len(links)}
            self._do(run, {"what": LINKS_LET_GO, **told})
        for batch in self.enact.let_go.due(run.scope, run.at):
            ids = {tier.value: batch[tier] for tier in (Tier.COLD, Tier.GONE)}
            counts = {tier: len(some) for tier, some in ids.items()}
            self._do(run, {"what": EVENTS_LET_GO, "events": ids, "counts": counts})

    # -- append and carry out -----------------------------------------------------------------

    def _try(
        self, run: _Run, decided: Mapping[str, Any], portion: Portion | None = None, count: int = 0
    ) -> bool:
        """False where the mind has no answer: the next run tries again."""
        try:
            self._do(run, decided, portion, count)
        except MindError:
            return False
        return True

    def _do(
        self, run: _Run, decided: Mapping[str, Any], portion: Portion | None = None, count: int = 0
    ) -> None:
        now = self.clock.now()
        told = {**decided, "at": run.at.isoformat()}
        event = happening(
            run.scope.user_id, EVENTS_RECONSOLIDATED, told, now=now, occurred_at=run.at
        )
        write = self.enact(run.scope, event)
        with self.atomic(durable=True):
            event, _ = self.ledger.append(event)
            if portion is not None:
                portion.take(count)
            if portion is not None and portion is run.portion:
                self.ledger.advance(run.scope, TELLING, event.seq)
            counts, changes = write()
        run.counts += counts
        listed = Counter(one.what for one in run.changes)
        run.changes += [one for one in changes if listed[one.what] < MOST_LISTED]


def _rest(run: _Run, share: Share | None) -> Rest:
    if share is not None:
        share(1.0)
    return Rest(
        job=SleepJob.RECONSOLIDATE,
        at=run.at,
        counts={name: n for name, n in run.counts.items() if n},
        changes=tuple(run.changes),
        left=run.left,
    )
