"""Erase: something goes for good, from every store, with all that came of it (SPEC 9).

All of it in one durable transaction, so that it is done whole or not at all; then the files are
written anew, and whoever was killed before that finds it owed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from remanent.core import event_lookup, tombstones
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events, session_events, shadow
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief
from remanent.core.model.event import RESERVED, SESSION_ENDED, SOURCE_ERASED, Event, EventNode
from remanent.core.model.keys import time_ordered
from remanent.core.model.node import Node
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.new_event import new_event
from remanent.core.on_behalf import forget_texts
from remanent.core.ports.records import Select
from remanent.core.read import own, resolve
from remanent.core.records.access import AuditAction, Role
from remanent.core.records.admin import Erasable, Erased, Probe, Stage
from remanent.core.records.export import ERASURES, OWED, Mark
from remanent.erasure import rules as rule
from remanent.erasure import verify
from remanent.erasure.events import erase_events
from remanent.erasure.person import EPISODES, Plan, mentions_of, productions
from remanent.erasure.rules import Needles
from remanent.erasure.source import ErasureTally, erase_source, strike, strike_items, take_back
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownKey
from remanent.ingest.correct import forget_words
from remanent.retrieval import phrasings
from remanent.teams.audit import write_audit

Progress = Callable[[Stage], None]
LARGE_BYTES = 1 << 30  # from here on a file is not written anew for one source unless asked


def erase_key(
    env: Env,
    scope: Scope,
    key: str,
    *,
    dry_run: bool = False,
    compact: bool | None = None,
    progress: Progress | None = None,
) -> Erased:
    """Erase a source, a person, a belief that was only remembered, an artifact, an event, or all of
    a session, with everything that came of it, from every store and for everyone who read it.

    `key` may be the beginning of one, an event's id, or a session's. The file is written anew
    afterwards, unless it is large and `compact` does not ask for it. A dry run tells what would go.
    """
    tell = progress or (lambda _: None)
    tell(Stage(name="looking"))
    plan = _plan(env, scope, key)
    _insist_allowed(env, scope, plan)
    toll = ErasureTally(users={scope.user_id})
    needles, probe = Needles((), ()), Probe()
    if not dry_run:
        env.adapters.discard_shadow(env)
    with env.transaction(dry_run=dry_run):
        carry_out(env, scope, plan, toll, tell)
        if not dry_run:
            needles, probe = probe_rows(env, toll.keys - toll.known, toll, tell)
        erased = unsigned_certificate(env, scope.user_id, plan, toll)
        log_erasure(env, scope.user_id, erased.erasure_id, erased.kind)
    if dry_run:
        return replace(erased, titles=plan.titles, dry_run=True)
    return finish(env, replace(erased, probe=probe), needles, compact=compact, tell=tell)


def probe_rows(
    env: Env, keys: Collection[str], toll: ErasureTally, tell: Progress
) -> tuple[Needles, Probe]:
    """Look for what is gone while all can still be taken back; the files are owed from then on."""
    tell(Stage(name="probing"))
    needles = verify.needles(env, keys, toll.texts)
    probe = verify.rows(env, needles, toll.users)
    _owe_rewrite(env)
    return needles, probe


def carry_out(env: Env, scope: Scope, plan: Plan, toll: ErasureTally, tell: Progress) -> None:
    """All that was planned, inside the caller's transaction."""
    total = len(plan.sources) + len(plan.undone) + 1
    _corrections(env, scope, plan, toll)
    for number, source in enumerate(plan.sources.values(), start=1):
        tell(Stage(name="erasing", done=number, total=total))
        _tombstone(env, source)
        now = env.graph.get(scope, source.key)
        erase_source(env, now if isinstance(now, Source) else source, toll)
    for number, source in enumerate(plan.undone.values(), start=1):
        tell(Stage(name="erasing", done=len(plan.sources) + number, total=total))
        take_back(env, scope, source, toll)
    erase_events(env, scope, list(plan.events.values()), toll)
    for artifact in plan.artifacts:
        _artifact(env, scope, artifact, toll)
    strike_items(env, scope, plan.items, toll)


def unsigned_certificate(env: Env, by: str, plan: Plan, toll: ErasureTally) -> Erased:
    """What went, not signed yet."""
    now = env.clock.now()
    return Erased(
        erasure_id=time_ordered(now, os.urandom(10)),
        kind=plan.kind,
        key=plan.key,
        by=by,
        at=now,
        removed=rule.listed(toll.removed),
        rederived={name: count for name, count in sorted(toll.rederived.items()) if count},
        users=len(toll.users),
    )


def finish(
    env: Env, erased: Erased, needles: Needles, *, compact: bool | None, tell: Progress
) -> Erased:
    """Write the files anew unless they are large, look at their bytes, and sign."""
    phrasings.forget(env)
    forget_texts(env.mind)
    done, size = False, sum(one.files().size for one in env.stores.erasing)
    if compact or (compact is None and size < LARGE_BYTES):
        tell(Stage(name="writing the file anew"))
        done = _rewrite(env)
    probe = verify.files(env, needles, erased.probe) if done else erased.probe
    erased = replace(erased, is_compacted=done, probe=probe)
    return rule.signed(erased, env.secret())


def catch_up(env: Env) -> bool:
    """Write the files anew where an erasure still owes it."""
    return env.records.get(None, Mark, OWED) is not None and _rewrite(env)


def _owe_rewrite(env: Env) -> None:
    """Remember that the files are still to be written anew."""
    with env.atomic(durable=True):
        env.records.put(None, Mark(name=OWED, value="files"))
        count = int(_erasures(env) or 0) + 1
        env.records.put(None, Mark(name=ERASURES, value=str(count)))


def _rewrite(env: Env) -> bool:
    """Write the files anew, and owe it no more; False when another holds them too long."""
    with env.atomic():  # what is erased is gone from every server before its files are looked at
        before = _erasures(env)
    if [one for one in env.stores.erasing if not one.compact()]:  # each is asked
        _owe_rewrite(env)
        return False
    with env.atomic(durable=True):
        if _erasures(env) == before:  # else what came since may still be there
            env.records.delete(None, Select(Mark, {"name": OWED}))
    return True


def _erasures(env: Env) -> str | None:
    mark = env.records.get(None, Mark, ERASURES)
    return None if mark is None else mark.value


# -- what goes --------------------------------------------------------------------------------------


def _plan(env: Env, scope: Scope, key: str) -> Plan:
    session = _session(env, scope, key)
    if session is not None:
        return session
    event = env.ledger.event(scope, key)
    if event is not None:
        return _with_source(env, scope, _of_event(event))
    node = _find_node(env, scope, key)
    if node is None:
        raise UnknownKey(key)
    return _of_node(env, scope, node)


def _find_node(env: Env, scope: Scope, key: str) -> Node | None:
    try:
        return env.graph.get(scope, resolve(env, scope, key))
    except NotFound:
        page = event_lookup.page(env, scope, key)
        own = _contributed_source(env, scope, key) if page is None else None
        if page is None and own is None:
            raise
        return own if page is None else page.node


def _contributed_source(env: Env, scope: Scope, key: str) -> Source | None:
    """What the caller once gave to a team and may not read any more: it is theirs to erase."""
    if scope.narrowed_to is not None or not scope.left or not key:
        return None
    gave = own(env, scope.contributing, Source)
    sources = [one for one in gave if one.key.startswith(key)]
    return sources[0] if len(sources) == 1 else None


def _of_node(env: Env, scope: Scope, node: Node) -> Plan:
    title = title_of(node)
    match node:
        case Source():
            plan = Plan(kind=Erasable.SOURCE, key=node.key, title=title)
            plan.sources[node.key] = node
            return _with_session(env, scope, plan, node)
        case Person():
            return _of_person(env, scope, node)
        case Belief():
            return _of_belief(env, scope, node)
        case Artifact():
            return Plan(kind=Erasable.ARTIFACT, key=node.key, title=title, artifacts=[node])
        case EventNode() if node.user_id != scope.user_id:
            raise Forbidden(f"erase: {node.key!r} is another's, and only they may erase it")
        case EventNode():
            event = env.ledger.event(scope, node.event_id)
            if event is not None:
                return _with_source(env, scope, _of_event(event))
        case _:
            pass
    raise InvalidInput("key", f"{node.key!r} is a {node.kind.value}: it goes with its sources")


def _of_event(event: Event) -> Plan:
    if event.event_type in RESERVED - EPISODES:
        raise InvalidInput(
            "key", f"{event.event_id!r} is a record of our own: erase what it tells of"
        )
    node = shadow(event)
    plan = Plan(kind=Erasable.EVENT, key=node.key, title=node.text[:80])
    plan.events[event.event_id] = event
    return plan


def _of_belief(env: Env, scope: Scope, belief: Belief) -> Plan:
    """What was only ever remembered goes with what was said; sources have to be erased themselves, and
    so has a text that told of more."""
    plan = Plan(kind=Erasable.BELIEF, key=belief.key, title=belief.statement)
    sources = sorted({one.source_key for one in belief.supports if one.source_key})
    if sources or not belief.supports:
        why = f"sources say so: {', '.join(sources)}" if sources else "it was drawn from others"
        raise InvalidInput("key", f"the belief {belief.key!r} cannot be erased by itself, {why}")
    said = {(one.event_id, one.statement) for one in belief.supports}
    ids = {event_id for event_id, _ in said}
    for other in own(env, scope, Belief):
        for one in other.supports:
            if one.event_id in ids and (one.event_id, one.statement) not in said:
                why = f"it was remembered together with others: erase the event {one.event_id!r}"
                raise InvalidInput("key", f"{belief.key!r}: {why}, or forget the belief")
    for support in belief.supports:
        event = env.ledger.event(scope, support.event_id)
        if event is not None:
            plan.events[event.event_id] = event
    return plan


def _of_person(env: Env, scope: Scope, person: Person) -> Plan:
    if person.is_owner:
        raise InvalidInput("key", "that is you: to erase a user is `Memory.erase_user`")
    plan = mentions_of(env, scope, person)
    for source in list(plan.sources.values()):
        _with_session(env, scope, plan, source)
    return plan


# -- sessions that became sources -------------------------------------------------------------------


def _session(env: Env, scope: Scope, key: str) -> Plan | None:
    events = [one for one in session_events(env, scope, key) if one.event_type not in RESERVED]
    if not events:
        return None
    plan = Plan(kind=Erasable.SESSION, key=key, title=key)
    plan.events |= {one.event_id: one for one in events}
    return _with_source(env, scope, plan)


def _with_session(env: Env, scope: Scope, plan: Plan, source: Source) -> Plan:
    """A source that a session became goes with what was said in it."""
    for ended in ledger_events(env, scope, SESSION_ENDED):
        if ended.payload.get("source_key") == source.key:
            up_to = int(ended.payload["up_to_seq"])
            for event in session_events(env, scope, ended.session_id):
                if event.event_type not in RESERVED and event.seq <= up_to:
                    plan.events[event.event_id] = event
    return plan


def _with_source(env: Env, scope: Scope, plan: Plan) -> Plan:
    """What was said in a session goes with the source that this became."""
    sessions = {(one.agent_id, one.session_id) for one in plan.events.values()}
    for ended in ledger_events(env, scope, SESSION_ENDED):
        if (ended.agent_id, ended.session_id) in sessions:
            node = env.graph.get(scope, str(ended.payload["source_key"]))
            if isinstance(node, Source) and node.user_id == scope.user_id:
                plan.sources[node.key] = node
    return plan


# -- who may, and the rest --------------------------------------------------------------------------


def _insist_allowed(env: Env, scope: Scope, plan: Plan) -> None:
    for source in plan.sources.values():
        if source.user_id != scope.user_id and not _owns_team(env, scope, source):
            raise Forbidden(
                f"source: {source.key!r} is for whoever contributed it to erase"
                + (", or the owner of its team" if source.team_id else "")
            )


def _owns_team(env: Env, scope: Scope, source: Source) -> bool:
    return any(
        one.team_id == source.team_id and one.left_at is None and one.role is Role.OWNER
        for one in env.registry.memberships(scope.user_id)
    )


def log_erasure(env: Env, actor: str, subject: str, kind: Erasable) -> None:
    """Note that something was erased, and by whom."""
    write_audit(env, actor, AuditAction.MEMORY_ERASED, subject=subject, kind=kind.value)


def _tombstone(env: Env, source: Source) -> None:
    """That something was erased, so that no import brings it back; of what, nobody can read."""
    secret = env.secret()
    words = (source.key, source.content_hash)
    marks = [tombstones.tombstone_digest(secret, source.user_id, one) for one in words]
    event = new_event(source.user_id, SOURCE_ERASED, {"marks": marks}, now=env.clock.now())
    env.ledger.append(event)


def _artifact(env: Env, scope: Scope, artifact: Artifact, toll: ErasureTally) -> None:
    if not env.graph.remove(scope, artifact.key):
        return
    env.index.remove([artifact.key])
    toll.texts.append(artifact.output)
    toll.keys.add(artifact.key)
    toll.take("graph", "artifact", [artifact.key])
    struck = productions(env, scope, artifact)
    env.ledger.erase(scope, struck)
    toll.take("ledger", "event", struck)
    strike(env, scope, [artifact.key], toll)


def _corrections(env: Env, scope: Scope, plan: Plan, toll: ErasureTally) -> None:
    """What a hand wrote of a person goes first: nothing else keeps them then."""
    ids = [one.event_id for one in plan.corrections]
    if not ids:
        return
    before = env.graph.dates(scope, links=False).kinds
    forget_words(env, scope, set(ids))
    gone = before.keys() - env.graph.dates(scope, links=False).kinds.keys()
    env.ledger.erase(scope, ids)
    strike(env, scope, {*ids, *gone}, toll)
    toll.take("ledger", "event", ids)
    toll.keys |= gone
    toll.take("graph", "correction", count=len(ids))
