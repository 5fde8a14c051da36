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
from remanent.beliefs.truth_maintenance import outdate_beliefs, retract_dependents
from remanent.clock import ReplayClock
from remanent.core import visibility
from remanent.core.env import Apply, Env
from remanent.core.event_lookup import ledger_events
from remanent.core.model import event as types
from remanent.core.model.belief import Authority, Belief, Change, Support
from remanent.core.model.event import Event
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.on_behalf import embedder_for, withheld_from
from remanent.core.read import own
from remanent.erasure import rules
from remanent.erasure.model import Rederived
from remanent.erasure.rejoin_beliefs import Moment, index_as_of, rejoin_links
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


@dataclass(slots=True)
class _Past:
    """The ledger as far as it concerns beliefs: where each episode stands, and what upkeep did."""

    episodes: dict[str, int] = field(default_factory=dict)  # source key or event id
    upkeep: list[Event] = field(default_factory=list)


def rederive_beliefs(
    env: Env, scope: Scope, source_key: str, *, redrawn: Collection[str] = ()
) -> Rederived:
    """Believe as if this source had never been read, or what has this id as an event had never
    been remembered. `redrawn` are the relationships that are
    no longer what they were."""
    held = {one.key: one for one in own(env, scope, Belief)}
    seeds = rules.rest_on(held.values(), source_key) | _by_edges(env, scope, held, redrawn)
    if not seeds:
        outdate_beliefs(env, scope, redrawn)
        return Rederived()
    keys = rules.affected_beliefs(held, seeds, lambda one: _alike(env, scope, one))
    before = {key: held.pop(key) for key in sorted(keys)}
    links = [link for key in before for link in env.graph.links(scope, key)]
    past = _past(env, scope, before)
    steps, fresh = _again(env, scope, source_key, before, held, past)
    _take_out(env, scope, before)
    for step in sorted(steps):
        step.do()
    outdate_beliefs(env, scope, redrawn)
    born_of = partial(_born, env, scope, past)
    gone = rejoin_links(env, scope, before, held, links, born_of)
    return _rederived(env, scope, before, gone, fresh)


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


def _again(
    env: Env,
    scope: Scope,
    source_key: str,
    before: Mapping[str, Belief],
    others: Mapping[str, Belief],
    past: _Past,
) -> tuple[list[_Step], list[str]]:
    """The steps, and the keys of the beliefs that they lead to, which grow as they are taken."""
    fresh, clock = list[str](), ReplayClock(env.clock.now())
    reached: Moment = (env.clock.now(), 0, 0)
    born = {one.key: _born(env, scope, past, one) for one in others.values()}
    # The same memory at the times of old, when what came later was not there.
    then = env.at(clock, index=index_as_of(env.index, born, lambda: reached))
    steps: list[_Step] = []

    def claimed(moment: Moment, claim: Claim) -> Callable[[], None]:
        def do() -> None:
            nonlocal reached
            reached = moment
            clock.show(moment[0])
            fresh.append(believe(then, scope, claim).belief.key)

        return do

    def ended(at: datetime, key: str) -> Callable[[], None]:
        def do() -> None:
            clock.show(at)
            outdate_beliefs(env.at(clock), scope, [key], exactly=True)

        return do

    for number, (support, belief) in enumerate(_supports(before.values(), source_key)):
        at, place, order, claim = _dated_claim(env, scope, support, belief, before, past)
        steps.append(
            _Step(at, place, order * _SUPPORTS + number, claimed((at, place, order), claim))
        )
    steps += _ends(env, scope, source_key, before, past, ended)
    for event in past.upkeep:
        do = _maintenance_step(env, scope, event, before)
        steps.append(_Step(event.recorded_at, event.seq, 0, do))
    return steps, fresh


def _ends(
    env: Env,
    scope: Scope,
    source_key: str,
    before: Mapping[str, Belief],
    past: _Past,
    ended: Callable[[datetime, str], Callable[[], None]],
) -> Iterator[_Step]:
    """What relationships had ended, each in its place."""
    source = env.graph.get(scope, source_key)
    is_anothers = isinstance(source, Source) and source.user_id != scope.user_id
    for belief in before.values():
        for change in rules.outdated_by(belief):
            at, key = change.recorded_at, change.by or ""
            do = ended(at, key)
            if is_anothers and belief.authority is not Authority.OTHER:
                do = partial(_end_again, env, scope, belief, change)
            yield _Step(at, _outdated_after(env, scope, past, belief, key), _LAST, do)


def _end_again(env: Env, scope: Scope, belief: Belief, change: Change) -> None:
    """End or weaken a belief of the user's own as it was: by their own words alone, in which what somebody
    else takes back had no part."""
    one = env.graph.get(scope, belief.key)
    if isinstance(one, Belief):
        now, words = change.recorded_at, change.reason.removeprefix(rule.OUTDATED).lstrip(": ")
        until, rules_ = belief.until or now, env.config.belief
        over = rule.outdated(one, change.by or "", words, until=until, now=now, rules=rules_)
        env.graph.put(scope, over)
        retract_dependents(env, scope, [] if rules.is_active(over) else [over], at=now)


def _dated_claim(
    env: Env,
    scope: Scope,
    support: Support,
    belief: Belief,
    before: Mapping[str, Belief],
    past: _Past,
) -> tuple[datetime, int, int, Claim]:
    """When an episode spoke, its place in the ledger, which of its words, and what it claims."""
    episode = rules.episode_of(scope.user_id, support)
    event = env.ledger.event(scope, support.event_id)
    at = rules.heard_at(before.values(), episode, support.statement) or (
        belief.created_at if event is None else event.recorded_at
    )
    place = past.episodes.get(support.source_key or support.event_id, 0)
    claim, order = _claim(env, scope, support, belief, event)
    return at, place, order, claim


def _outdated_after(env: Env, scope: Scope, past: _Past, belief: Belief, key: str) -> int:
    """The place in the ledger after which a relationship outdated it: it had been said, and the first
    that tells of the end had been read. What else came in that moment came before or after that."""
    one = env.graph.relationship(scope, key)
    if one is None:
        return _LAST
    until = belief.until or one.valid_to  # as it was known then, or is now
    told = env.graph.assertions(scope, one.src, one.kind, one.relationship_type)
    ends = [past.episodes.get(each.source_key, _LAST) for each in told if each.at == until]
    said = [past.episodes.get(each.source_key or each.event_id, 0) for each in belief.supports]
    return max(min(ends, default=_LAST), *said)


def _past(env: Env, scope: Scope, before: Mapping[str, Belief]) -> _Past:
    past = _Past()
    for event in ledger_events(env, scope):
        if event.event_type == types.SOURCE_EXTRACTED:
            past.episodes[str(event.payload["source_key"])] = event.seq
        elif event.event_type == types.REMEMBERED:
            past.episodes[event.event_id] = event.seq
        elif event.event_type in _UPKEEP and not before.keys().isdisjoint(_belief_keys(event)):
            past.upkeep.append(event)
    return past


def _claim(
    env: Env, scope: Scope, support: Support, belief: Belief, event: Event | None
) -> tuple[Claim, int]:
    """What the episode asked to be believed, and which of its statements that was."""
    episode = rules.episode_of(scope.user_id, support)
    draft, order = _as_held(belief, support), 0
    told = None if event is None or support.source_key is not None else instruction_in(event)
    if support.source_key is not None:
        extraction = env.graph.extraction(scope, support.source_key)
        for place, known in enumerate(() if extraction is None else extraction.beliefs):
            if known.statement == support.statement:
                draft, order = known, place
                break
    elif told is not None:
        draft = told[0]
    elif event is not None and event.event_type == types.REMEMBERED:
        drafts = [one.draft for one in claims_of(env, scope, event)]
        for place, known in enumerate(drafts):
            if len(drafts) == 1 or known.statement == support.statement:
                draft, order = known, place
    support = replace(support, since=draft.since)  # a correction is to find anew what it corrects
    kind = Claim if env.graph.get(scope, episode) is not None else ForgottenClaim
    instructs = None if told is None else told[1]
    return kind(draft=draft, support=support, episode_key=episode, instructs=instructs), order


def _born(env: Env, scope: Scope, past: _Past, belief: Belief) -> Moment:
    """When a belief came; of those that one moment brought, which came first."""
    if not belief.supports:
        return belief.created_at, 0, 0
    places = (past.episodes.get(one.source_key or one.event_id, 0) for one in belief.supports)
    place, first = min(zip(places, belief.supports, strict=True), key=lambda one: one[0])
    extraction = env.graph.extraction(scope, first.source_key) if first.source_key else None
    said = [] if extraction is None else [one.statement for one in extraction.beliefs]
    return belief.created_at, place, said.index(first.statement) if first.statement in said else 0


def _maintenance_step(
    env: Env, scope: Scope, event: Event, before: Mapping[str, Belief]
) -> Callable[[], None]:
    apply = _UPKEEP[event.event_type]

    def do() -> None:
        for one in _renamed(env, scope, event, before):
            apply(env, scope, one)

    return do


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
