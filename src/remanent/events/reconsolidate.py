"""Re-consolidation: events are gone over again, summarized, and let go (SPEC 2, stage 3); at night, and at
once when much has happened since the last time (SPEC 7).

Every item is decided, appended and carried out in one transaction; `apply` only carries out, which needs
nothing but the entry and the graph as it was then.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.beliefs.redact_summaries import among
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env, Night, Quota
from remanent.core.model.event import (
    EVENTS_RECONSOLIDATED,
    Event,
    EventNode,
    Tier,
    UnsummarizedSession,
    event_key,
)
from remanent.core.model.job import JobKind, new_job
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome, SleepJob
from remanent.core.model.story import Level, Summary
from remanent.core.ports.graph import Nodes
from remanent.errors import MindError
from remanent.events import links as centrality
from remanent.events import summaries
from remanent.events.forget import (
    due_for_letting_go,
    let_go_events,
    settle_links,
    trim,
    unlink,
    weak_links,
)
from remanent.events.links import CROSS_SESSION, Knot, link_sessions
from remanent.events.rules import episodes
from remanent.events.rules.episodes import (
    AGENT_TOLD,
    EVENTS_LET_GO,
    LINKS_LET_GO,
    RAISED,
    REFLECTION,
    SHORTENED,
    TOLD,
    TRIMMED,
)
from remanent.events.summaries import agent_key, episode_key, parts_digest

REFLECTED = "reflection.done"  # its position is the second up to which a reflection went
CONSUMER = "reflection"  # its position in the ledger is the entry of the last reflection


def trigger_reconsolidation(env: Env, scope: Scope) -> bool:
    """Promise a re-consolidation if the importance since the last one sums past the threshold.

    Asked after events were enriched. The trigger is an entry of the ledger, and the sum begins
    anew with it.
    """
    now = env.clock.now()
    with env.atomic(durable=True):
        fresh = Nodes(EventNode, {"created_at >": last(env, scope)}, own=True)
        total = math.fsum(one.importance_score for one in env.graph.select(scope, fresh))
        if total <= env.config.episodes.reflect_above:
            return False
        payload = {"what": REFLECTION, "at": now.isoformat(), "importance": round(total, 3)}
        event = env.append(scope, EVENTS_RECONSOLIDATED, payload, now=now)
        env.ledger.position(scope, CONSUMER, to=event.seq)
        key, at = scope.user_id, now.isoformat()  # one at a time is enough
        env.queue.enqueue(new_job(JobKind.RECONSOLIDATE, scope.user_id, now, key, at=at))
    return True


def last(env: Env, scope: Scope) -> datetime | None:
    """When the importance was last summed up, or None."""
    seq = env.ledger.position(scope, CONSUMER)
    events = env.ledger.replay(scope, after=seq - 1, limit=1) if seq else ()
    return next((event.recorded_at for event in events), None)


TELLING = "reconsolidate.telling"  # its position is the entry that told of a session last
_SESSIONS = 250  # looked at together
_NAME = 80
_WHY_GONE: Final = {Tier.COLD: "of little weight after a week", Tier.GONE: "past their time"}
MOST_LISTED = 20  # changes of one sort that are told one by one
_SHARE_OF_TELLING = 0.8  # of the whole run

Tally = Counter[str]
Done = tuple[Tally, list[Change]]


@dataclass(slots=True)
class _Run:
    """One run for one user: how many events it may still go over; one of the timetable has a quota."""

    night: Night
    budget: int
    quota: Quota | None = None

    @property
    def even_open(self) -> bool:
        return self.quota is None


def reconsolidate(night: Night) -> JobOutcome:
    """Link, tell, weigh and let go what is due; the most important sessions first."""
    env, quota = night.env, night.quota(night.env.config.episodes.events_a_run)
    run = _Run(night, quota.left, quota)
    _tell(env, run)
    _weigh(env, run)
    _forget(env, run)
    trim(env, night.scope, night.at, lambda decided: _do(env, run, decided))
    night.tell(1.0)
    return night.outcome


def reflect(env: Env, scope: Scope, at: datetime) -> JobOutcome:
    """The same for what happened up to this moment, also where it is still going on; nothing is let go."""
    night = Night(env=env, scope=scope, job=SleepJob.RECONSOLIDATE, at=at)
    run = _Run(night, env.config.episodes.events_a_run)
    _tell(env, run)
    _weigh(env, run)
    with env.atomic():
        env.ledger.position(scope, REFLECTED, to=int(at.timestamp()))
    return night.outcome


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Carry out once more what was decided; looks at no life of anything."""
    write = _carry_out(env, scope, event)
    with env.atomic():
        write()


# -- decide -------------------------------------------------------------------------------


def _tell(env: Env, run: _Run) -> None:
    is_first = True
    for sessions in _sessions(env, run):
        for n, session in enumerate(sessions):
            if run.budget <= 0:
                run.night.left += session.count
            else:
                _tell_session(env, run, session)
            if is_first:
                run.night.tell(_SHARE_OF_TELLING * (n + 1) / len(sessions))
        is_first = False  # what comes after the first so many is told as one with them
    _tell_again(env, run)
    for agent_id in sorted(
        {one.agent_id for one in summaries.agent_summaries(env, run.night.scope)}
    ):
        parts = summaries.parts(env, run.night.scope, agent_id)
        known = env.graph.get(run.night.scope, agent_key(run.night.scope, agent_id))
        if not isinstance(known, Summary) or known.digest != parts_digest(parts):
            keys = [one.key for one in parts]
            _try(env, run, {"what": AGENT_TOLD, "agent_id": agent_id, "parts": keys})


def _sessions(env: Env, run: _Run) -> Iterator[list[UnsummarizedSession]]:
    """Sessions with something untold, some at a time; first the one that a run for the same time
    was killed over, whatever the rest of it weighs."""
    begun, seen = _begun(env, run), set[tuple[str | None, str | None]]()
    while True:
        limit = _SESSIONS + len(seen)
        sessions = env.graph.untold_sessions(run.night.scope, at=run.night.at, limit=limit)
        fresh = [one for one in sessions if (one.agent_id, one.session_id) not in seen]
        yield sorted(fresh, key=lambda one: (one.agent_id, one.session_id) != begun)
        seen.update((one.agent_id, one.session_id) for one in fresh)
        if not fresh or len(sessions) < limit or run.budget <= 0:
            return


def _begun(env: Env, run: _Run) -> tuple[str | None, str | None] | None:
    seq = env.ledger.position(run.night.scope, TELLING)
    for event in env.ledger.replay(run.night.scope, after=seq - 1, limit=1) if seq else ():
        if event.payload["at"] == run.night.at.isoformat():
            return event.payload["agent_id"], event.payload["session_id"]
    return None


def _tell_again(env: Env, run: _Run) -> None:
    """Episodes of which something was put out of mind, without it."""
    most = env.config.episodes.events_a_run
    quota = _part_of(run, most, "retold")
    limit = most if quota is None else quota.left
    where = {"level": Level.EPISODE, "is_dirty": True}
    nodes = Nodes(Summary, where, ("-covers_to",), limit=limit, own=True)
    for summary in env.graph.select(run.night.scope, nodes):
        session = {"agent_id": summary.agent_id, "session_id": summary.session_id, "links": []}
        again = {"what": TOLD, **session, "episodes": [{"key": summary.key, "events": []}]}
        _try(env, run, again, quota, 1)


def _part_of(run: _Run, most: int, of: str) -> Quota | None:
    """What is counted by itself in a run of the timetable."""
    return None if run.quota is None else run.night.quota(most, of=of)


def _tell_session(env: Env, run: _Run, session: UnsummarizedSession) -> None:
    untold = session.count
    while run.budget > 0 and untold > 0:
        limit = min(run.budget, env.config.episodes.episode_events)
        events = _unsummarized(env, run, session, limit)
        runs = episodes.runs(events, env.config.episodes)
        is_last = len(events) < limit
        if is_last and runs and not run.even_open:
            is_over = episodes.is_closed(runs[-1], run.night.at, env.config.episodes)
            runs = runs if is_over else runs[:-1]
        count = sum(map(len, runs))
        if not count:
            break
        decided = _decided(env, run.night.scope, session, runs)
        if not _try(env, run, decided, run.quota, count):
            break
        run.budget -= count
        untold -= count
        if is_last:
            return
    run.night.left += _due(env, run, session, untold)


def _unsummarized(env: Env, run: _Run, session: UnsummarizedSession, limit: int) -> list[EventNode]:
    """The first events of a session, in order of time, then id, that no summary stands for."""
    where = {
        "session_id": session.session_id,
        "agent_id": session.agent_id,
        "created_at <=": run.night.at,
        "occurred_at <=": run.night.at,
        f"{LinkKind.SUMMARIZES} unlinked": True,
    }
    order = ("occurred_at", "event_id")
    return env.graph.select(run.night.scope, Nodes(EventNode, where, order, limit=limit, own=True))


def _due(env: Env, run: _Run, session: UnsummarizedSession, untold: int) -> int:
    """Of what could not be told, that which is over; what is still going on is not put off."""
    if untold <= 0:
        return 0
    events = _unsummarized(env, run, session, env.config.episodes.episode_events)
    runs = episodes.runs(events, env.config.episodes)
    is_open = runs and not episodes.is_closed(runs[-1], run.night.at, env.config.episodes)
    return 0 if len(runs) == 1 and is_open and not run.even_open else untold


def _decided(
    env: Env, scope: Scope, session: UnsummarizedSession, runs: Sequence[Sequence[EventNode]]
) -> dict[str, Any]:
    gap = episodes.gap(env.config.episodes)
    where = {
        "level": Level.EPISODE,
        "agent_id": session.agent_id,
        "session_id": session.session_id,
        "covers_to >=": runs[0][0].occurred_at - gap,
        "covers_from <=": runs[-1][-1].occurred_at + gap,
    }
    known = env.graph.select(scope, Nodes(Summary, where, ("-covers_to",), own=True))
    parts: dict[str, list[EventNode]] = {}
    for run in runs:
        home = episodes.home(run, known, env.config.episodes)
        key = episode_key(scope, run[0]) if home is None else home.key
        parts.setdefault(key, []).extend(run)
    return {
        "what": TOLD,
        "agent_id": session.agent_id,
        "session_id": session.session_id,
        "episodes": [_part(env, scope, key, events) for key, events in parts.items()],
        "links": [list(knot) for knot in link_sessions(env, scope, runs)],
    }


def _part(env: Env, scope: Scope, key: str, events: Sequence[EventNode]) -> dict[str, Any]:
    ids = [one.event_id for one in events]
    return {"key": key, "events": ids, "withheld": among(env, scope, events)}


def _weigh(env: Env, run: _Run) -> None:
    for batch in centrality.raises(env, run.night.scope, run.night.at):
        _do(env, run, {"what": RAISED, "events": [list(one) for one in batch]})
    most = env.config.episodes.shortcuts_a_run
    quota = _part_of(run, most, "shortened")
    limit = most if quota is None else quota.left
    if pairs := centrality.shortcuts(env, run.night.scope, limit):
        decision = {"what": SHORTENED, "pairs": [list(pair) for pair in pairs]}
        _do(env, run, decision, quota, len(pairs))


def _forget(env: Env, run: _Run) -> None:
    while links := weak_links(env, run.night.scope, run.night.at):
        decision = {"links": [list(one) for one in links], "count": len(links)}
        _do(env, run, {"what": LINKS_LET_GO, **decision})
    for batch in due_for_letting_go(env, run.night.scope, run.night.at):
        ids = {tier.value: batch[tier] for tier in (Tier.COLD, Tier.GONE)}
        counts = {tier: len(some) for tier, some in ids.items()}
        _do(env, run, {"what": EVENTS_LET_GO, "events": ids, "counts": counts})


# -- append and carry out -----------------------------------------------------------------


def _try(
    env: Env, run: _Run, decided: Mapping[str, Any], quota: Quota | None = None, count: int = 0
) -> bool:
    """False where the mind has no answer: the next run tries again."""
    try:
        _do(env, run, decided, quota, count)
    except MindError:
        return False
    return True


def _do(
    env: Env, run: _Run, decided: Mapping[str, Any], quota: Quota | None = None, count: int = 0
) -> None:
    event = run.night.event(EVENTS_RECONSOLIDATED, {**decided, "at": run.night.at.isoformat()})
    write = _carry_out(env, run.night.scope, event)
    with env.atomic(durable=True):
        event, _ = env.ledger.append(event)
        if quota is not None:
            quota.take(count)
        if quota is not None and quota is run.quota:
            env.ledger.position(run.night.scope, TELLING, to=event.seq)
        counts, changes = write()
    run.night.counts += counts
    listed = Counter(one.what for one in run.night.changes)
    run.night.changes += [one for one in changes if listed[one.what] < MOST_LISTED]


def _carry_out(env: Env, scope: Scope, event: Event) -> Callable[[], Done]:
    """What is slow is done now; what is written, when called."""
    decision, now = event.payload, event.recorded_at
    if decision["what"] == TOLD:
        telling = summaries.session(env, scope, decision, now)
        return lambda: _linked(env, scope, decision["links"], telling(), now)
    if decision["what"] == AGENT_TOLD:
        agent = summaries.agent(env, scope, decision, now)
        return lambda: _summarized(agent())
    if decision["what"] == EVENTS_LET_GO:
        return lambda: _dropped(env, scope, event)
    return lambda: (_without_mind(env, scope, decision, now), [])


def _without_mind(env: Env, scope: Scope, decision: Mapping[str, Any], now: datetime) -> Tally:
    """What needs no mind."""
    what = decision["what"]
    if what == RAISED:
        return Counter({what: centrality.write_raises(env, scope, decision["events"])})
    if what == SHORTENED:
        return Counter({what: centrality.shorten(env, scope, decision["pairs"], now)})
    if what == LINKS_LET_GO:
        return Counter({what: unlink(env, scope, decision["links"], now)})
    if what == TRIMMED:
        settle_links(env, scope, decision["links"])
        return Counter({what: decision["count"]})
    return Counter()  # a reflection: the entry itself is all there is to it


def _linked(
    env: Env, scope: Scope, knots: Sequence[Knot], written: Sequence[Summary], now: datetime
) -> Done:
    ends = sorted({event_key(scope.user_id, end) for knot in knots for end in knot[:2]})
    here = env.graph.get_many(scope, ends)
    drawn = 0
    for later, earlier, weight in knots:
        src, dst = event_key(scope.user_id, later), event_key(scope.user_id, earlier)
        if src in here and dst in here:
            link = Link(scope.user_id, LinkKind.SIMILAR_TO, src, dst, now, CROSS_SESSION, weight)
            drawn += env.graph.link(scope, link)
    counts, changes = _summarized(written)
    return counts + Counter(linked=drawn), changes


def _dropped(env: Env, scope: Scope, event: Event) -> Done:
    ids = event.payload["events"]
    counts = {tier: let_go_events(env, scope, ids[tier]) for tier in _WHY_GONE}
    total = sum(counts.values())
    why = ", ".join(f"{n} {_WHY_GONE[tier]}" for tier, n in counts.items() if n)
    name = "1 event" if total == 1 else f"{total} events"
    change = Change(what="let go", key=event.event_id, name=name, why=why)
    return Counter(let_go=total), [change] if total else []


def _summarized(written: Sequence[Summary]) -> Done:
    return Counter(summarized=len(written)), [
        Change(what="summarized", key=one.key, name=title_of(one)[:_NAME], why=_why(one))
        for one in written
    ]


def _why(one: Summary) -> str:
    of = f"session {one.session_id}" if one.session_id else f"agent {one.agent_id or 'none'}"
    events = "1 event" if one.event_count == 1 else f"{one.event_count} events"
    return f"{events} of {of}, {one.covers_from:%d %B %H:%M} to {one.covers_to:%d %B %H:%M}"
