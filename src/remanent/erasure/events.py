"""Erase events: what agents recorded, what was remembered, what a conversation left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.clock import Clock
from remanent.core.event_lookup import shadow
from remanent.core.model.event import EVENTS_RECONSOLIDATED, REMEMBERED, Event, event_key
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Level, SummariesAsked, Summary
from remanent.core.ports.erasure import Erasing
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.erasure.past_nights import all_events
from remanent.erasure.redo_beliefs import Rederive
from remanent.erasure.source import EraseSource, Toll
from remanent.errors import MindError
from remanent.events.summaries import Summarize, agent_key

_MOST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseEvents:
    """Works inside the caller's transaction."""

    graph: Graph
    index: Index
    ledger: Ledger
    erasing: Erasing
    source: EraseSource
    rederive: Rederive
    summarize: Summarize
    clock: Clock

    def __call__(self, scope: Scope, events: Sequence[Event], toll: Toll) -> None:
        """These events of the caller's own, their nodes, and what was told of them."""
        if not events:
            return
        before = self.erasing.keys(scope)
        ids = {one.event_id for one in events}
        keys = {event_key(scope.user_id, one) for one in ids}
        toll.texts += [shadow(one).text for one in events]
        told = [one for one in self._summaries(scope) if ids & set(one.event_ids)]
        for event in events:
            self._take_out(scope, event)
        self._unbelieve(scope, events, toll)
        self.ledger.erase(scope, ids)
        self.erasing.strike_bygones(scope, keys)
        left = [one for one in told if self._is_left(scope, one, ids)]
        lone = [one for one in told if not self._has_others(scope, one)]
        for one in lone:
            self._drop_session(scope, one)
        after = self.erasing.keys(scope)
        gone = {key: kind for key, kind in before.items() if key not in after}
        for kind in sorted(set(gone.values())):
            toll.take("graph", kind, [key for key, one in gone.items() if one == kind])
        self.index.remove(sorted(gone))
        toll.take("ledger", "event", sorted(ids))
        toll.keys |= gone.keys() | keys
        self.source.strike(
            scope, gone.keys() | ids | keys, toll, after=min(e.seq for e in events) - 1
        )
        self._retell_all(scope, told, left, toll)
        toll.take("queue", "job", count=self.erasing.strike_jobs(ids))
        first = min(one.recorded_at for one in events)
        toll.take("answers", "answer", count=self.source.answers.unlearn_since(scope, first))
        toll.take("replays", "answer", count=self.source.replays.unlearn(scope))
        toll.users.add(scope.user_id)

    def _unbelieve(self, scope: Scope, events: Sequence[Event], toll: Toll) -> None:
        for event in events:
            if event.event_type == REMEMBERED:
                done = self.rederive(scope, event.event_id)
                self.source.reword(scope, done)
                toll.rederived.update(beliefs=len(done.back) + len(done.fresh) + len(done.changed))

    def _retell_all(
        self, scope: Scope, told: Sequence[Summary], left: Sequence[Summary], toll: Toll
    ) -> None:
        times = self._times(scope)
        for one in told:
            self._retell(scope, one, times, again=one in left)
        for agent in sorted({one.agent_id for one in told}):
            self._retell_agent(scope, agent, times, toll)

    def _take_out(self, scope: Scope, event: Event) -> None:
        """The node goes, and whoever followed it follows what was before it."""
        key = event_key(scope.user_id, event.event_id)
        links = self.graph.links(scope, key, kinds=(LinkKind.FOLLOWS,))
        before = [one.dst for one in links if one.src == key]
        after = [one for one in links if one.dst == key]
        self.graph.remove(scope, key)
        self.index.remove([key])
        for link in after:
            for dst in before:
                self.graph.link(scope, self._follows(scope, link, dst))

    def _follows(self, scope: Scope, link: Link, dst: str) -> Link:
        ends = self.graph.get_many(scope, [link.src, dst]).values()
        born = max((one.created_at for one in ends), default=link.created_at)
        return replace(link, dst=dst, created_at=born)

    # -- summaries --------------------------------------------------------------------------------------

    def _summaries(self, scope: Scope) -> list[Summary]:
        asked = SummariesAsked(level=Level.EPISODE)
        return self.graph.summaries(scope, asked, limit=_MOST)

    def _is_left(self, scope: Scope, one: Summary, ids: set[str]) -> bool:
        """The episode without these events; where it has none left, it goes."""
        left = tuple(each for each in one.event_ids if each not in ids)
        self._silence(scope, one)
        if not left:
            self._drop(scope, one)
            return False
        hidden = tuple(each for each in one.withheld if each not in ids)
        short = replace(one, text="", digest="", event_ids=left, withheld=hidden)
        self.graph.put(scope, replace(short, event_count=len(left), is_dirty=True))
        return True

    def _has_others(self, scope: Scope, one: Summary) -> bool:
        return bool(one.session_id and self._of_session(scope, one))

    def _of_session(self, scope: Scope, one: Summary) -> list[Summary]:
        asked = SummariesAsked(
            level=Level.EPISODE, agent_id=one.agent_id, session_id=one.session_id
        )
        return self.graph.summaries(scope, asked, limit=_MOST)

    def _times(self, scope: Scope) -> dict[str, datetime]:
        """When episodes, by their keys, and agents, by theirs, were last told."""
        times, parts = dict[str, datetime](), dict[str, object]()
        for event in all_events(self.ledger, scope):
            if event.event_type == EVENTS_RECONSOLIDATED:
                for one in event.payload.get("episodes", ()):
                    times[str(one["key"])] = event.recorded_at
                if "parts" in event.payload:
                    key = agent_key(scope, str(event.payload["agent_id"]))
                    if parts.get(key) != event.payload["parts"]:
                        times[key] = event.recorded_at
                    parts[key] = event.payload["parts"]
        return times

    def _first_told(self, scope: Scope, agent_id: str) -> datetime | None:
        """When the first night that is left told of all that an agent did."""
        nights = (
            one.recorded_at
            for one in all_events(self.ledger, scope)
            if one.event_type == EVENTS_RECONSOLIDATED
            and "parts" in one.payload
            and one.payload["agent_id"] == agent_id
        )
        return next(nights, None)

    def _silence(self, scope: Scope, one: Summary) -> None:
        """No higher summary says these words while it waits to be told again."""
        for link in self.graph.links(scope, one.key, kinds=(LinkKind.SUMMARIZES,), outward=False):
            higher = self.graph.get(scope, link.src)
            if isinstance(higher, Summary):
                self.index.remove([higher.key])
                self.graph.put(scope, replace(higher, text="", digest="", is_dirty=True))
                self._silence(scope, higher)
        self.index.remove([one.key])

    def _retell(
        self, scope: Scope, one: Summary, times: Mapping[str, datetime], *, again: bool
    ) -> None:
        others = [] if again or not one.session_id else self._of_session(scope, one)
        if not again and not others:
            return
        key = one.key if again else others[-1].key
        told = {"agent_id": one.agent_id, "session_id": one.session_id}
        again_ = {**told, "episodes": [{"key": key, "events": []}], "links": []}
        try:
            self.summarize.session(scope, again_, times.get(key, self.clock.now()))()
        except MindError:  # the next night tells them
            return

    def _drop_session(self, scope: Scope, one: Summary) -> None:
        asked = SummariesAsked(
            level=Level.SESSION, agent_id=one.agent_id, session_id=one.session_id
        )
        for higher in self.graph.summaries(scope, asked) if one.session_id else ():
            self._drop(scope, higher)

    def _retell_agent(
        self, scope: Scope, agent_id: str, times: Mapping[str, datetime], toll: Toll
    ) -> None:
        key = agent_key(scope, agent_id)
        agent = self.graph.get(scope, key)
        if not isinstance(agent, Summary):
            return
        parts = self.summarize.parts(scope, agent_id)
        if not parts:
            self._drop(scope, agent)
            toll.take("graph", "summary", [key])
            return
        told = {"agent_id": agent_id, "parts": [one.key for one in parts]}
        born = self._first_told(scope, agent_id) or agent.created_at
        self.graph.put(scope, replace(agent, created_at=born))
        try:
            self.summarize.agent(scope, told, times.get(key, self.clock.now()))()
        except MindError:
            return

    def _drop(self, scope: Scope, one: Summary) -> None:
        self.graph.remove(scope, one.key)
        self.index.remove([one.key])
