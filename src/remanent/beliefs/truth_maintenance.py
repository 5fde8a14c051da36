"""Truth maintenance: a belief about a relationship and the edge itself end together (SPEC 12.8).

From beliefs to edges: what took the place of a belief is the assertion that closes the edge; drawing a source
again does not open it. From edges to beliefs: these end in the name of the edge, not of another belief, and so
close no edge in turn. `retract_dependents` is called in the transaction in which beliefs ended, after they were put.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from remanent.anchors import relationships
from remanent.anchors.owner import owner_key
from remanent.anchors.rules import timeline
from remanent.beliefs.redact_summaries import redact_summaries
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import edge_match, truth
from remanent.beliefs.rules.edge_match import Edge, End, Statement
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.index_entries import belief_entry
from remanent.core.model.anchor import Anchor, Name, Person
from remanent.core.model.belief import OWNER, Authority, Belief, BeliefStatus
from remanent.core.model.event import EventNode
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph

WORDINGS = 20  # the newest notes of a relationship, to compare a statement's words with


def close_edges(env: Env, scope: Scope, ended: Sequence[Belief]) -> set[str]:
    """Close the open relationships that these contradicted beliefs told of; their keys."""
    closed: set[str] = set()
    for belief in ended:
        by = _contradicted_by(env, scope, belief)
        if by is None or belief.until is None:
            continue
        for assertion in _told_of(env, scope, belief):
            edge = edge_of(scope, env.graph, assertion)
            if (
                edge is not None
                and assertion.valid_from < belief.until
                and _may_close(env, scope, by, assertion)
                and edge_match.closes(statement_of(belief), statement_of(by), edge)
            ):
                closed |= relationships.close(env, scope, assertion, by, at=belief.until)
    return closed


def _may_close(env: Env, scope: Scope, by: Belief, one: Relationship) -> bool:
    """What somebody else contributed ends nothing of the user's own: neither how they stand to anybody nor
    what a source of theirs says of others."""
    if by.authority is not Authority.OTHER:
        return True
    if owner_key(scope.user_id) in (one.src, one.dst):
        return False
    told = env.graph.assertions(scope, one.src, one.kind, one.relationship_type, dst=one.dst)
    others = [each for each in _by_others(env, scope, one) if each.dst == one.dst]
    return len(others) == len(told)


def _by_others(env: Env, scope: Scope, one: Relationship) -> list[Assertion]:
    """What others assert of its node, kind and type, and what one believes by their word alone; nearly
    always nothing."""
    told = env.graph.assertions(
        scope, one.src, one.kind, one.relationship_type, but_own_sources=True
    )
    said = env.graph.get_many(scope, sorted({each.source_key for each in told}))
    own = {
        key
        for key, node in said.items()
        if isinstance(node, Belief)
        and node.user_id == scope.user_id
        and node.authority is not Authority.OTHER
    }
    return [each for each in told if each.source_key not in own]


def _contradicted_by(env: Env, scope: Scope, belief: Belief) -> Belief | None:
    """What was asserted against it; a duplicate or a fading one was not wrong."""
    if belief.status is not BeliefStatus.INVALIDATED or belief.superseded_by is None:
        return None
    by = env.graph.get(scope, belief.superseded_by)
    if not isinstance(by, Belief) or truth.was_merged(belief, by):
        return None
    return None if by.authority is Authority.INFERENCE else by


def _told_of(env: Env, scope: Scope, belief: Belief) -> list[Relationship]:
    """Open relationships between whom the belief is about and whoever else it names."""
    words = set(canonical_name(belief.statement).split("-"))
    words |= set(canonical_name(belief.subject).split("-"))
    named = env.graph.names(scope, words=words)
    about = {one.key for one in named if _is_about(belief, one)}
    others = {
        one.key for one in named if edge_match.is_named(belief.statement, (one.name, *one.aliases))
    } | {owner_key(scope.user_id)}
    if belief.subject == OWNER:
        about.add(owner_key(scope.user_id))
    beliefs = {
        one.key: one
        for key in about
        for other in others - {key}
        for one in env.graph.relationships(scope, key, other=other)
    }
    return [beliefs[key] for key in sorted(beliefs)]


def edge_of(scope: Scope, graph: Graph, one: Relationship) -> Edge | None:
    """The relationship with what its ends are called and the words it was drawn from."""
    ends = graph.get_many(scope, [one.src, one.dst])
    src, dst = ends.get(one.src), ends.get(one.dst)
    if not isinstance(src, Anchor) or not isinstance(dst, Anchor):
        return None
    notes = graph.notes(scope, one.key, limit=WORDINGS)
    return Edge(
        relationship_type=one.relationship_type,
        src=_end(src),
        dst=_end(dst),
        wordings=tuple(note.content for note in notes),
    )


def statement_of(belief: Belief) -> Statement:
    return Statement(text=belief.statement, subject=belief.subject)


def _end(anchor: Anchor) -> End:
    names = (anchor.name, *anchor.aliases)
    if isinstance(anchor, Person) and anchor.is_owner:  # there is but one: a first name will do
        return End(names=(*names, anchor.name.split()[0]), is_owner=True)
    return End(names=names)


def _is_about(belief: Belief, name: Name) -> bool:
    subject = canonical_name(belief.subject)
    return any(canonical_name(one) == subject for one in (name.name, *name.aliases))


def retract_dependents(
    env: Env, scope: Scope, ended: Sequence[Belief], *, at: datetime | None = None
) -> list[Belief]:
    """Fall or doubt for what was inferred from them, closed edges for what they told, the end of what
    else tells of these edges, and no place among what is held true; the inferences that changed, which
    bear the moment `at` (default: now). Twice changes nothing more."""
    changed = _inferences(env, scope, [one.key for one in ended], at or env.clock.now())
    fallen = [one for one in changed if one.status is not BeliefStatus.ACTIVE]
    _out_of_mind(env, scope, [*ended, *fallen])
    # At once: whoever else speaks of such an edge next has no part in what ends with it.
    outdate_beliefs(env, scope, close_edges(env, scope, ended), exactly=True)
    return changed


def _out_of_mind(env: Env, scope: Scope, ended: Sequence[Belief]) -> None:
    """What was invalidated or pruned is found only in the past; what was forgotten, nowhere."""
    gone = [one for one in ended if one.status is BeliefStatus.FORGOTTEN]
    past = [one for one in ended if one.status in (BeliefStatus.INVALIDATED, BeliefStatus.PRUNED)]
    vectors = env.index.vectors(scope, [one.key for one in past])
    env.index.put([belief_entry(one, vectors.get(one.key)) for one in past])
    keys = [key for one in gone for key in _episodes(env, scope, one)]
    env.index.remove([*(one.key for one in gone), *keys])
    for one in gone:
        redact_summaries(env, scope, one)


def _episodes(env: Env, scope: Scope, belief: Belief) -> list[str]:
    """Remembered episodes that speak for a forgotten belief: their words are out of mind with it. What
    else they told is found as what is believed."""
    links = env.graph.links(scope, belief.key, kinds=(LinkKind.SUPPORTS,), outward=False)
    episodes = env.graph.get_many(scope, sorted({link.src for link in links}))
    return [key for key, node in sorted(episodes.items()) if isinstance(node, EventNode)]


def _inferences(env: Env, scope: Scope, keys: Sequence[str], now: datetime) -> list[Belief]:
    """Truth maintenance: carry out what `rules.truth` decides about all that is affected."""
    inferred = _inferred(env, scope, keys)
    if not inferred:
        return []
    beliefs = _grounds(env, scope, [*keys, *inferred])
    changed = []
    for decided in truth.consequences(beliefs, env.config.belief):
        cause = beliefs.get(decided.by)
        because = "" if cause is None else cause.statement
        belief = truth.carried_out(beliefs[decided.key], decided, now, because)
        env.graph.put(scope, belief)
        changed.append(belief)
    return changed


def _inferred(env: Env, scope: Scope, keys: Iterable[str]) -> list[str]:
    """The beliefs drawn from these, however indirectly."""
    pending, inferred = list(keys), dict[str, None]()
    while pending:
        links = env.graph.links(scope, pending.pop(), kinds=(LinkKind.DERIVED_FROM,), outward=False)
        fresh = [link.src for link in links if link.src not in inferred]
        inferred |= dict.fromkeys(fresh)
        pending += fresh
    return list(inferred)


def _grounds(env: Env, scope: Scope, keys: Iterable[str]) -> dict[str, Belief]:
    """These and all that they rest on, down to what was asserted."""
    grounds: dict[str, Belief] = {}
    pending, seen = set(keys), set[str]()
    while pending:
        nodes = env.graph.get_many(scope, sorted(pending)).values()
        fresh = {one.key: one for one in nodes if isinstance(one, Belief)}
        grounds |= fresh
        seen |= pending
        below = {key for one in fresh.values() for key in one.derived_from}
        below |= {one.superseded_by for one in fresh.values() if one.superseded_by is not None}
        pending = below - seen
    return grounds


LOOKED_AT = 200  # beliefs that share a word with the far end's name


def outdate_beliefs(
    env: Env,
    scope: Scope,
    keys: Collection[str],
    *,
    exactly: bool = False,
    but: Collection[str] = (),
) -> list[Belief]:
    """End, or weaken once, the beliefs that tell of those of these relationships that are over, and unless
    it is to be `exactly` these of those that others had ended before, `but` for some that stay; the beliefs
    that changed."""
    changed: list[Belief] = []
    with env.atomic():
        for key in sorted({*keys, *(() if exactly else _ended_by_others(env, scope, keys))}):
            one = env.graph.relationship(scope, key)
            if one is not None:
                changed += _outdated(env, scope, one, but)
    return changed


def _ended_by_others(env: Env, scope: Scope, keys: Collection[str]) -> Iterator[str]:
    """Relationships in whose place these came, where others speak of them as well: what one says oneself
    may be what ends them for one's own beliefs, though others' words had done so in the graph."""
    for one in env.graph.relationships_by_key(scope, sorted(keys)).values():
        if not _by_others(env, scope, one):
            continue
        told = env.graph.assertions(scope, one.src, one.kind, one.relationship_type)
        if any(each.single for each in told):
            for each in env.graph.relationships(
                scope, one.src, relationship_type=one.relationship_type, history=True
            ):
                if each.src == one.src and each.kind is one.kind:
                    yield each.key


def _outdated(env: Env, scope: Scope, one: Relationship, but: Collection[str]) -> list[Belief]:
    type_ = one.relationship_type
    again = env.graph.relationships(scope, one.src, other=one.dst, relationship_type=type_)
    ended = None if again else one.valid_to
    others = {each.source_key for each in _by_others(env, scope, one)}
    if ended is None and not others:
        return []
    told = env.graph.assertions(scope, one.src, one.kind, type_)
    # What others say of it neither ends a belief of the user's own nor keeps it up.
    own = [each for each in told if each.source_key not in others]
    ended_by_own = _ended_by(env, scope, one, own) if others else ended
    by_all, by_own = _end_of(one, ended, told), _end_of(one, ended_by_own, own)
    edge = edge_of(scope, env.graph, one) if by_all or by_own else None
    if edge is None:
        return []
    changed = list[Belief]()
    for belief in _beliefs_expressing(env, scope, edge):
        end = by_all if belief.authority is Authority.OTHER else by_own
        if end is None or belief.since >= end.at or belief.key in but:
            continue
        if all(support.at < end.said_at for support in rule.weighty(belief)):
            now, rules = env.clock.now(), env.config.belief
            over = rule.outdated(belief, one.key, end.words, until=end.at, now=now, rules=rules)
            if over is not belief:
                env.graph.put(scope, over)
                changed.append(over)
    fallen = [belief for belief in changed if belief.status is not BeliefStatus.ACTIVE]
    return [*changed, *retract_dependents(env, scope, fallen)]


def relationship_told(env: Env, scope: Scope, belief: Belief, keys: Collection[str]) -> str | None:
    """Which of these relationships a belief tells of."""
    for one in env.graph.relationships_by_key(scope, sorted(keys)).values():
        edge = edge_of(scope, env.graph, one)
        if edge is not None and edge_match.expresses(statement_of(belief), edge):
            return one.key
    return None


def _beliefs_expressing(env: Env, scope: Scope, edge: Edge) -> list[Belief]:
    far = edge.src if edge.dst.is_owner else edge.dst
    matches = env.index.match(scope, " ".join(far.names), kinds=(Kind.BELIEF,), limit=LOOKED_AT)
    nodes = env.graph.get_many(scope, [match.key for match in matches])
    return [
        node
        for _, node in sorted(nodes.items())
        if isinstance(node, Belief)
        and node.status is BeliefStatus.ACTIVE
        and node.supports
        and edge_match.expresses(statement_of(node), edge)
    ]


@dataclass(frozen=True, slots=True)
class _End:
    """When a relationship was over, the words by which it ended, and when they were said."""

    at: datetime
    words: str
    said_at: datetime


def _end_of(
    one: Relationship, ended: datetime | None, assertions: Sequence[Assertion]
) -> _End | None:
    if ended is None:
        return None
    by_hand = [each.at for each in one.by_hand or () if each.field == "until"]
    if by_hand:
        return _End(ended, one.description, by_hand[-1])
    by = next((each for each in assertions if each.at == ended), None)
    if by is None:
        return _End(ended, "", ended)
    return _End(ended, by.description, timeline.utterance_times(assertions)[timeline.voice(by)])


def _ended_by(
    env: Env, scope: Scope, one: Relationship, assertions: Sequence[Assertion]
) -> datetime | None:
    """When it ended by these assertions and the user's hand alone, unless by them it holds, or holds again."""
    spans = [
        each for each in relationships.history(env, scope, one, assertions) if each.dst == one.dst
    ]
    if not spans or spans[-1].valid_to is None:
        return None
    return next((each for each in spans if each.valid_from == one.valid_from), spans[-1]).valid_to
