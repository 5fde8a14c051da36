"""Rederive: what is believed when one source is left out, and all else is heard again (SPEC 5).

A belief is not the sum of what was said: the second statement meets the first, replaces it or adds to
it. So nothing is subtracted. Every belief whose fate may have hung on the source is taken out, and
what all other episodes said of it is settled again, in the order and at the times it was.

Works inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from remanent.anchors import relationships
from remanent.beliefs import contradictions, forget, jsonl, merge, prune, restate, subjects
from remanent.beliefs.believe import believe
from remanent.beliefs.remember import claims_of
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.statement import Claim, instruction_in
from remanent.beliefs.truth_maintenance import (
    outdate_beliefs,
    relationship_told,
    retract_dependents,
)
from remanent.clock import ReplayClock
from remanent.core import visibility
from remanent.core.env import Apply, Env
from remanent.core.event_lookup import ledger_events
from remanent.core.model import event as types
from remanent.core.model.belief import Authority, Belief, Change, Support
from remanent.core.model.event import Event
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion, Link
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.on_behalf import embedder_for, withheld_from
from remanent.core.read import own
from remanent.erasure import rules
from remanent.erasure.model import Rederived
from remanent.erasure.rejoin_beliefs import Moment, graph_as_of, index_as_of, rejoin_links
from remanent.lifecycle import pin

# How events of upkeep are done again.
_UPKEEP: Final[Mapping[str, Apply]] = {
    types.BELIEF_FORGOTTEN: forget.apply,
    types.BELIEFS_MERGED: merge.apply,
    types.BELIEFS_PRUNED: prune.apply,
    types.SUBJECT_ASSIGNED: subjects.apply,
    types.BELIEF_RESTATED: restate.apply,
    types.MEMORY_PINNED: pin.apply,
    types.BELIEF_IMPORTED: jsonl.apply,
    types.CONTRADICTION_SETTLED: contradictions.apply,
}

_LOOKED_AT = 64  # beliefs most like one that was taken out
_SUPPORTS = 1 << 32  # more than there can be
_LAST = 1 << 62  # after everything else of the same moment


class ForgottenClaim(Claim):
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


def rederive_beliefs(
    env: Env,
    scope: Scope,
    source_key: str,
    *,
    redrawn: Collection[str] = (),
    imported: str | None = None,
) -> Rederived:
    """Believe as if this source had never been read, or what has this id as an event had never been
    remembered, or the belief `imported` by it. `redrawn` are the relationships that are no longer what they were."""
    held = {one.key: one for one in own(env, scope, Belief)}
    # Nothing that somebody else takes back ends what the user holds true by their own words.
    mine = [one for one in held.values() if one.authority is not Authority.OTHER]
    mine = mine if _is_anothers(env, scope, source_key) else []
    stay = {one.key for one in mine if rules.is_active(one)}
    seeds = rules.rest_on(held.values(), source_key) | _by_edges(env, scope, held, redrawn)
    seeds |= held.keys() & {imported}
    if not seeds:
        outdate_beliefs(env, scope, redrawn, but=stay)
        return Rederived()
    keys = rules.affected_beliefs(held, seeds, lambda one: _alike(env, scope, one))
    before = {key: held.pop(key) for key in sorted(keys)}
    links = [link for key in before for link in env.graph.links(scope, key)]
    replay = _Replay(env, scope, source_key, before, redrawn)
    steps = replay.steps(held, but=imported)
    _take_out(env, scope, before)
    for step in sorted(steps):
        step.do()
    outdate_beliefs(env, scope, redrawn, but=stay)
    gone = rejoin_links(env, scope, before, held, links, replay.born)
    return _rederived(env, scope, before, gone, replay.fresh)


def _is_anothers(env: Env, scope: Scope, source_key: str) -> bool:
    source = env.graph.get(scope, source_key)
    return isinstance(source, Source) and source.user_id != scope.user_id


# -- what it has to do with ---------------------------------------------------------------


def _by_edges(
    env: Env, scope: Scope, held: Mapping[str, Belief], redrawn: Collection[str]
) -> set[str]:
    """Beliefs that ended, or doubted, in the name of a relationship that is another now."""
    changed = set(redrawn)
    return {
        one.key
        for one in held.values()
        for change in rules.outdated_by(one)
        if change.by in changed or env.graph.relationship(scope, change.by or "") is None
    }


def _alike(env: Env, scope: Scope, belief: Belief) -> list[str]:
    """What it was weighed against, or would have been: in its own words and all those behind it."""
    if withheld_from(env.embedder, scope, env.graph, visibility.rests_on(belief)):
        return []  # it was never given to the embedder, nor weighed against anything
    statements = dict.fromkeys([belief.statement, *(one.statement for one in belief.supports)])
    keys: dict[str, None] = {}
    hand, kinds = embedder_for(env.embedder, scope, "undo"), (Kind.BELIEF, Kind.PAST_BELIEF)
    for vector in hand.embed(list(statements), kind="statement"):
        for match in env.index.near(scope, vector, kinds=kinds, limit=_LOOKED_AT):
            alike = rule.similarity(match.score, env.embedder.scale)
            if alike >= env.config.belief.grey_from:
                keys[match.key] = None
    return list(keys)


# -- what is done again -------------------------------------------------------------------


class _Replay:
    """What all but one source or episode said of the beliefs that were there `before`, and what upkeep did to
    them. `fresh` are the keys of the beliefs that the steps lead to: it grows as they are taken."""

    def __init__(
        self,
        env: Env,
        scope: Scope,
        source_key: str,
        before: Mapping[str, Belief],
        redrawn: Collection[str],
    ) -> None:
        self.env, self.scope, self.source_key, self.before = env, scope, source_key, before
        self.redrawn = redrawn
        self.fresh: list[str] = []
        self._places: dict[str, int] = {}  # of episodes in the ledger, by source key or event id
        self._upkeep: list[Event] = []
        self._clock = ReplayClock(env.clock.now())
        self._reached: Moment = (env.clock.now(), 0, 0)
        for event in ledger_events(env, scope):
            if event.event_type == types.SOURCE_EXTRACTED:
                self._places[str(event.payload["source_key"])] = event.seq
            elif event.event_type == types.REMEMBERED:
                self._places[event.event_id] = event.seq
            elif event.event_type in _UPKEEP and event.event_id != source_key:
                self._upkeep += [] if before.keys().isdisjoint(_belief_keys(event)) else [event]

    def _place(self, support: Support) -> int:
        return self._places.get(support.source_key or support.event_id, 0)

    def steps(self, others: Mapping[str, Belief], *, but: str | None = None) -> list[_Step]:
        """All that is to be done once more, but for what came with one belief."""
        born = {one.key: self.born(one) for one in others.values()}
        # The same memory at the times of old, when what came later was not there.
        then = self.env.at(
            self._clock,
            index=index_as_of(self.env.index, born, lambda: self._reached),
            graph=graph_as_of(self.env, self._is_known),
        )
        steps = list(self._ends())
        again = [one for one in self.before.values() if one.key != but]
        for number, (support, belief) in enumerate(_supports(again, self.source_key)):
            at, claim, order = self._dated_claim(support, belief)
            moment = (at, self._place(support), order)
            do = partial(self._claim_again, then, moment, claim)
            steps.append(_Step(at, moment[1], order * _SUPPORTS + number, do))
        for event in self._upkeep:
            do = partial(self._maintain_again, then, event)
            steps.append(_Step(event.recorded_at, event.seq, 0, do))
        return steps

    def _claim_again(self, then: Env, moment: Moment, claim: Claim) -> None:
        self._reached = moment
        self._clock.show(moment[0])
        self.fresh.append(believe(then, self.scope, claim).belief.key)

    def _maintain_again(self, then: Env, event: Event) -> None:
        self._reached = (event.recorded_at, event.seq, 0)
        self._clock.show(event.recorded_at)
        for one in _renamed(self.env, self.scope, event, self.before):
            _UPKEEP[event.event_type](then, self.scope, one)

    def _is_known(self, told: Assertion) -> bool:
        """Whether its source had been read by the moment that is reached; a belief says so when it comes."""
        return self._places.get(told.source_key, 0) <= self._reached[1]

    def _ends(self) -> Iterator[_Step]:
        """What relationships had ended, each in its place."""
        is_anothers = _is_anothers(self.env, self.scope, self.source_key)
        for belief in self.before.values():
            for change in rules.outdated_by(belief):
                is_mine = belief.authority is not Authority.OTHER
                do = partial(self._outdate_again, change)
                if (is_anothers and is_mine) or change.by not in self.redrawn:
                    do = partial(self._end_again, belief, change)
                place = self._outdated_after(belief, change.by or "")
                yield _Step(change.recorded_at, place, _LAST, do)

    def _outdate_again(self, change: Change) -> None:
        self._clock.show(change.recorded_at)
        outdate_beliefs(self.env.at(self._clock), self.scope, [change.by or ""], exactly=True)

    def _end_again(self, belief: Belief, change: Change) -> None:
        """End or weaken a belief as it was: by a relationship in which what is taken back had no part, or one
        of the user's own by their own words alone, in which what somebody else takes back had none."""
        one = self.env.graph.get(self.scope, belief.key)
        if isinstance(one, Belief) and rules.is_active(one):
            now, words = change.recorded_at, change.reason.removeprefix(rule.OUTDATED).lstrip(": ")
            until, rules_, by = belief.until or now, self.env.config.belief, change.by or ""
            if self.env.graph.relationship(self.scope, by) is None:  # another tells of it now
                by = relationship_told(self.env, self.scope, one, self.redrawn) or one.key
            over = rule.outdated(one, by, words, until=until, now=now, rules=rules_)
            self.env.graph.put(self.scope, over)
            ended = [] if rules.is_active(over) else [over]
            retract_dependents(self.env, self.scope, ended, at=now)

    def _outdated_after(self, belief: Belief, key: str) -> int:
        """The place in the ledger after which a relationship outdated it: it had been said, and the first
        that tells of the end had been read. What else came in that moment came before or after that."""
        graph, one = self.env.graph, self.env.graph.relationship(self.scope, key)
        if one is None:
            return _LAST
        until = belief.until or one.valid_to  # as it was known then, or is now
        told = graph.assertions(self.scope, one.src, one.kind, one.relationship_type)
        ends = [self._places.get(each.source_key, _LAST) for each in told if each.at == until]
        return max(min(ends, default=_LAST), *map(self._place, belief.supports))

    def _dated_claim(self, support: Support, belief: Belief) -> tuple[datetime, Claim, int]:
        """When an episode spoke, what it asked to be believed, and which of its statements that was."""
        episode = rules.episode_of(self.scope.user_id, support)
        event = self.env.ledger.event(self.scope, support.event_id)
        at = rules.heard_at(self.before.values(), episode, support.statement)
        told = instruction_in(event) if event is not None and support.source_key is None else None
        draft, order = (told[0], 0) if told else self._draft(support, event, belief)
        claim = Claim if self.env.graph.get(self.scope, episode) is not None else ForgottenClaim
        made = claim(
            draft=draft,
            support=replace(support, since=draft.since),  # a correction finds anew what it corrects
            episode_key=episode,
            instructs=told[1] if told else None,
        )
        return at or (belief.created_at if event is None else event.recorded_at), made, order

    def _draft(
        self, support: Support, event: Event | None, belief: Belief
    ) -> tuple[BeliefDraft, int]:
        drafts = self._drafts(support, event)
        alone = support.source_key is None and len(drafts) == 1
        for place, known in enumerate(drafts):
            if alone or known.statement == support.statement:
                return known, place
        return _as_held(belief, support), 0

    def _drafts(self, support: Support, event: Event | None = None) -> Sequence[BeliefDraft]:
        """All that the episode asked to be believed."""
        if support.source_key is not None:
            extraction = self.env.graph.extraction(self.scope, support.source_key)
            return () if extraction is None else extraction.beliefs
        if event is not None and event.event_type == types.REMEMBERED:
            return [one.draft for one in claims_of(self.env, self.scope, event)]
        return ()

    def born(self, belief: Belief) -> Moment:
        """When a belief came; of those that one moment brought, which came first."""
        if not belief.supports:
            return belief.created_at, 0, 0
        first = min(belief.supports, key=self._place)
        said = [one.statement for one in self._drafts(first)]
        order = said.index(first.statement) if first.statement in said else 0
        return belief.created_at, self._place(first), order


def _renamed(env: Env, scope: Scope, event: Event, before: Mapping[str, Belief]) -> Iterator[Event]:
    """What was to be forgotten stays so, whichever belief speaks for it now."""
    key = str(event.payload.get("key"))
    if event.event_type != types.BELIEF_FORGOTTEN or env.graph.get(scope, key) is not None:
        yield event
        return
    supports = {(one.event_id, one.statement) for one in before[key].supports}
    for belief in list(own(env, scope, Belief)):
        if supports & {(one.event_id, one.statement) for one in belief.supports}:
            yield replace(event, payload={**event.payload, "key": belief.key})


def _take_out(env: Env, scope: Scope, before: Mapping[str, Belief]) -> None:
    closed = [one for key in before for one in env.graph.retract(scope, key)]
    for key in before:
        env.graph.remove(scope, key)
    env.index.remove(list(before))
    relationships.rederive_relationships(env, scope, closed)


def _rederived(
    env: Env,
    scope: Scope,
    before: Mapping[str, Belief],
    inferences: Sequence[Belief],
    fresh: Sequence[str],
) -> Rederived:
    nodes = env.graph.get_many(scope, sorted({*before, *fresh})).items()
    now = {key: one for key, one in nodes if isinstance(one, Belief)}
    back = [
        k
        for k, one in now.items()
        if k in before and rules.is_active(one) and not rules.is_active(before[k])
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
        heard=len(fresh),
    )


def _supports(beliefs: Collection[Belief], source_key: str) -> Iterator[tuple[Support, Belief]]:
    """What all other episodes said for these beliefs, each statement once."""
    seen: set[tuple[str, str]] = set()
    for belief in beliefs:
        for support in belief.supports:
            if (
                not rules.is_of(support, source_key)
                and (support.event_id, support.statement) not in seen
            ):
                seen.add((support.event_id, support.statement))
                yield support, belief


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


def _belief_keys(event: Event) -> set[str]:
    """The keys of the beliefs that an event of upkeep names."""
    payload = event.payload
    keys = [payload.get(name) for name in ("key", "winner", "newer", "older")]
    keys += [*payload.get("losers", ()), *payload.get("keys", ())]
    belief = payload.get("belief")
    if isinstance(belief, Mapping):
        keys.append(belief.get("key"))
    return {str(key) for key in keys if key is not None}


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
