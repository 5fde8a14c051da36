"""Rederive: what is believed when one source is left out, and all else is heard again (SPEC 5).

A belief is not the sum of what was said: the second statement meets the first, replaces it or adds to
it. So nothing is subtracted. Every belief whose fate may have hung on the source is taken out, and
what all other episodes said of it is settled again, in the order and at the times it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from remanent.anchors.rules import dates
from remanent.beliefs.believe import Believe
from remanent.beliefs.end_beliefs import Outdate
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.statement import Claim
from remanent.clock import ReplayClock
from remanent.core import privacy
from remanent.core.model.belief import Belief, BeliefStatus, Support
from remanent.core.model.event import BELIEF_FORGOTTEN, REMEMBERED, SOURCE_EXTRACTED, Event
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedding, kept_from
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.read import every
from remanent.erasure.index_as_of import PastIndex
from remanent.erasure.model import Rederived
from remanent.erasure.rejoin_beliefs import Rejoin
from remanent.erasure.rules import affected

Apply = Callable[[Scope, Event], None]
Drafted = Callable[[Scope, str], BeliefDraft]

_LOOKED_AT = 64  # beliefs most like one that was taken out
_SUPPORTS = 1 << 32  # more than there can be
_LAST = 1 << 62  # after everything else of the same moment


class Bygone(Claim):
    """A claim whose episode has left the graph: there is nothing to link."""

    __slots__ = ()

    def links(self, scope: Scope, belief: Belief, now: datetime) -> list[Link]:  # noqa: ARG002
        return []


@dataclass(frozen=True, slots=True, order=True)
class _Step:
    """Something that is done once more, in its place in time."""

    at: datetime
    seq: int
    number: int
    do: Callable[[], object] = field(compare=False)


@dataclass(slots=True)
class _Past:
    """The ledger as far as it concerns beliefs: where each episode stands, and what upkeep did."""

    episodes: dict[str, int] = field(default_factory=dict)  # source key or event id
    upkeep: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rederive:
    """Works inside the caller's transaction. `upkeep` are the ways by which events of upkeep are done
    again; `drafted` reads what was remembered."""

    graph: Graph
    index: Index
    ledger: Ledger
    believe: Believe
    outdate: Outdate
    drafted: Drafted
    upkeep: Mapping[str, Apply]

    def __call__(
        self, scope: Scope, source_key: str, *, redrawn: Collection[str] = ()
    ) -> Rederived:
        """Believe as if this source had never been read, or what has this id as an event had never
        been remembered. `redrawn` are the relationships that are
        no longer what they were."""
        nodes = every(self.graph, scope, Kind.BELIEF)
        held = {
            one.key: one
            for one in nodes
            if isinstance(one, Belief) and one.user_id == scope.user_id
        }
        seeds = affected.rest_on(held.values(), source_key) | self._by_edges(scope, held, redrawn)
        if not seeds:
            self.outdate(scope, redrawn)
            return Rederived()
        keys = affected.tangled(held, seeds, lambda one: self._alike(scope, one))
        before = {key: held.pop(key) for key in sorted(keys)}
        links = [link for key in before for link in self.graph.links(scope, key)]
        steps, fresh = self._again(scope, source_key, before, held)
        self._take_out(scope, before)
        for step in sorted(steps):
            step.do()
        self.outdate(scope, redrawn)
        gone = self._rejoin(scope, before, held, links)
        return self._told(scope, before, gone, fresh, heard=len(fresh))

    @property
    def _rejoin(self) -> Rejoin:
        return Rejoin(graph=self.graph, index=self.index, believe=self.believe)

    # -- what it has to do with ---------------------------------------------------------------

    def _by_edges(
        self, scope: Scope, held: Mapping[str, Belief], redrawn: Collection[str]
    ) -> set[str]:
        """Beliefs that ended, or doubted, in the name of a relationship that is another now."""
        changed = set(redrawn)
        return {
            one.key
            for one in held.values()
            for change in affected.outdated_by(one)
            if change.by in changed or self.graph.relationship(scope, change.by or "") is None
        }

    def _alike(self, scope: Scope, belief: Belief) -> list[str]:
        """What it was weighed against, or would have been: in its own words and all those behind it."""
        if kept_from(self.believe.embedder, scope, self.graph, privacy.rests_on(belief)):
            return []  # it was never given to the embedder, nor weighed against anything
        said = dict.fromkeys([belief.statement, *(one.statement for one in belief.supports)])
        found: dict[str, None] = {}
        for vector in embedding(self.believe.embedder, scope, "undo").embed(list(said)):
            for match in self.index.near(
                scope, vector, kinds=(Kind.BELIEF, Kind.PAST_BELIEF), limit=_LOOKED_AT
            ):
                alike = rule.similarity(match.score, self.believe.embedder.scale)
                if alike >= self.believe.rules.grey_from:
                    found[match.key] = None
        return list(found)

    # -- what is done again -------------------------------------------------------------------

    def _again(
        self,
        scope: Scope,
        source_key: str,
        before: Mapping[str, Belief],
        others: Mapping[str, Belief],
    ) -> tuple[list[_Step], list[str]]:
        """The steps, and the keys of the beliefs that they lead to, which grow as they are taken."""
        past, fresh = self._past(scope, before), list[str]()
        clock = ReplayClock(self.believe.clock.now())
        believe = self._back_then(clock, others)
        outdate = replace(self.outdate, clock=clock, uphold=believe.uphold)
        steps: list[_Step] = []

        def claimed(at: datetime, claim: Claim) -> Callable[[], None]:
            def do() -> None:
                clock.show(at)
                fresh.append(believe(scope, claim).belief.key)

            return do

        def ended(at: datetime, key: str) -> Callable[[], None]:
            def do() -> None:
                clock.show(at)
                outdate(scope, [key])

            return do

        for number, (support, belief) in enumerate(_supports(before.values(), source_key)):
            at, place, order, claim = self._said(scope, support, belief, before, past)
            steps.append(_Step(at, place, order * _SUPPORTS + number, claimed(at, claim)))
        for change in (one for each in before.values() for one in affected.outdated_by(each)):
            at = change.recorded_at
            steps.append(_Step(at, _LAST, 0, ended(at, change.by or "")))
        for event in past.upkeep:
            do = self._upkept(scope, event, before)
            steps.append(_Step(event.recorded_at, event.seq, 0, do))
        return steps, fresh

    def _said(
        self,
        scope: Scope,
        support: Support,
        belief: Belief,
        before: Mapping[str, Belief],
        past: _Past,
    ) -> tuple[datetime, int, int, Claim]:
        """When an episode spoke, its place in the ledger, which of its words, and what it claims."""
        episode = affected.episode_of(scope.user_id, support)
        event = self.ledger.event(scope, support.event_id)
        at = affected.heard_at(before.values(), episode, support.statement) or (
            belief.created_at if event is None else event.recorded_at
        )
        place = past.episodes.get(support.source_key or support.event_id, 0)
        claim, order = self._claim(scope, support, belief, event)
        return at, place, order, claim

    def _past(self, scope: Scope, before: Mapping[str, Belief]) -> _Past:
        past, seq = _Past(), 0
        while page := list(self.ledger.replay(scope, after=seq)):
            seq = page[-1].seq
            for event in page:
                if event.event_type == SOURCE_EXTRACTED:
                    past.episodes[str(event.payload["source_key"])] = event.seq
                elif event.event_type == REMEMBERED:
                    past.episodes[event.event_id] = event.seq
                elif event.event_type in self.upkeep and not before.keys().isdisjoint(
                    _named(event)
                ):
                    past.upkeep.append(event)
        return past

    def _claim(
        self, scope: Scope, support: Support, belief: Belief, event: Event | None
    ) -> tuple[Claim, int]:
        """What the episode asked to be believed, and which of its statements that was."""
        episode = affected.episode_of(scope.user_id, support)
        draft, order = _as_held(belief, support), 0
        if support.source_key is not None:
            found = self.graph.extraction(scope, support.source_key)
            for place, one in enumerate(() if found is None else found.beliefs):
                if one.statement == support.statement:
                    draft, order = one, place
                    break
        elif event is not None and event.event_type == REMEMBERED:
            text = str(event.payload["text"])
            draft = dates.dated(self.drafted(scope, text), event.occurred_at, told_in=text)
        support = replace(
            support, since=draft.since
        )  # a correction is to find anew what it corrects
        kind = Claim if self.graph.get(scope, episode) is not None else Bygone
        return kind(draft=draft, support=support, episode_key=episode), order

    def _back_then(self, clock: ReplayClock, others: Mapping[str, Belief]) -> Believe:
        """The same verb at the times of old, when what came later was not there."""
        born = {one.key: one.created_at for one in others.values()}
        uphold = self.believe.uphold
        relate = replace(uphold.closing.relate, clock=clock)
        uphold = replace(uphold, clock=clock, closing=replace(uphold.closing, relate=relate))
        index = PastIndex(index=self.index, born=born, clock=clock)
        return replace(self.believe, clock=clock, uphold=uphold, index=index)

    def _upkept(
        self, scope: Scope, event: Event, before: Mapping[str, Belief]
    ) -> Callable[[], None]:
        apply = self.upkeep[event.event_type]

        def do() -> None:
            for one in self._renamed(scope, event, before):
                apply(scope, one)

        return do

    def _renamed(self, scope: Scope, event: Event, before: Mapping[str, Belief]) -> Iterator[Event]:
        """What was to be forgotten stays so, whichever belief speaks for it now."""
        key = str(event.payload.get("key"))
        if event.event_type != BELIEF_FORGOTTEN or self.graph.get(scope, key) is not None:
            yield event
            return
        said = {(one.event_id, one.statement) for one in before[key].supports}
        for one in every(self.graph, scope, Kind.BELIEF):
            if isinstance(one, Belief) and said & {(s.event_id, s.statement) for s in one.supports}:
                yield replace(event, payload={**event.payload, "key": one.key})

    def _take_out(self, scope: Scope, before: Mapping[str, Belief]) -> None:
        closed = [one for key in before for one in self.graph.retract(scope, key)]
        for key in before:
            self.graph.remove(scope, key)
        self.index.remove(list(before))
        self.outdate.uphold.closing.relate.redraw(scope, closed)

    def _told(
        self,
        scope: Scope,
        before: Mapping[str, Belief],
        inferences: Sequence[Belief],
        fresh: Sequence[str],
        *,
        heard: int,
    ) -> Rederived:
        nodes = self.graph.get_many(scope, sorted({*before, *fresh})).items()
        now = {key: one for key, one in nodes if isinstance(one, Belief)}
        back = [
            k for k, one in now.items() if k in before and _stands(one) and not _stands(before[k])
        ]
        changed = [
            key
            for key, one in now.items()
            if key in before and key not in back and _content(one) != _content(before[key])
        ]
        return Rederived(
            gone=(*(one for key, one in before.items() if key not in now), *inferences),
            back=tuple(now[key] for key in back),
            fresh=tuple(one for key, one in now.items() if key not in before),
            changed=tuple(now[key] for key in changed),
            heard=heard,
        )


def _supports(beliefs: Collection[Belief], source_key: str) -> Iterator[tuple[Support, Belief]]:
    """What all other episodes said for these beliefs, each statement once."""
    seen: set[tuple[str, str]] = set()
    for belief in beliefs:
        for one in belief.supports:
            if not affected.is_of(one, source_key) and (one.event_id, one.statement) not in seen:
                seen.add((one.event_id, one.statement))
                yield one, belief


def _as_held(belief: Belief, support: Support) -> BeliefDraft:
    """The draft as far as the belief still tells, where nothing else does."""
    return BeliefDraft(
        statement=support.statement,
        type=belief.type,
        importance=belief.importance,
        subject=belief.subject,
        passage_key=support.passage_key,
        since=support.since,
    )


def _named(event: Event) -> set[str]:
    """The keys of the beliefs that an event of upkeep names."""
    told = event.payload
    keys = [told.get(name) for name in ("key", "winner", "newer", "older")]
    keys += [*told.get("losers", ()), *told.get("keys", ())]
    belief = told.get("belief")
    if isinstance(belief, Mapping):
        keys.append(belief.get("key"))
    return {str(key) for key in keys if key is not None}


def _stands(belief: Belief) -> bool:
    return belief.status is BeliefStatus.ACTIVE


def _content(belief: Belief) -> tuple[object, ...]:
    return (
        belief.statement,
        belief.status,
        belief.confidence,
        belief.since,
        belief.until,
        belief.supports,
        belief.superseded_by,
    )
