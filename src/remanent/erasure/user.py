"""Erase a user: all of theirs, everywhere, and their name from what others keep (SPEC 9).

In one durable transaction, as `Erase`; the files are always written anew.
"""

from __future__ import annotations

from remanent.core import event_lookup, index_entries, tombstones
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events
from remanent.core.index_entries import source_lines
from remanent.core.model.event import SOURCE_ADDED, USER_REGISTERED, Event
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.read import own
from remanent.core.records.access import OPERATOR
from remanent.core.records.admin import Erasable, Erased, Probe, Stage
from remanent.erasure import erase
from remanent.erasure.erase import Progress
from remanent.erasure.person import Plan
from remanent.erasure.rules import Needles
from remanent.erasure.source import ErasureTally, erase_source


def erase_user(
    env: Env, user_id: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Erased:
    """Erase the user; `UnknownUser` when there is none of that id."""
    env.registry.known(user_id)
    tell = progress or (lambda _: None)
    plan, toll = Plan(kind=Erasable.USER, key=user_id), ErasureTally(users={user_id})
    needles, probe = Needles((), ()), Probe()
    if not dry_run:
        env.adapters.discard_shadow(env)
    with env.transaction(dry_run=dry_run):
        scope = replace(env.registry.scope_of(user_id), narrowed_to=None)
        _shared(env, scope, plan, toll, tell)
        _remove_participant(env, scope, toll)
        toll.texts += _texts(env, scope)
        toll.keys |= env.graph.dates(scope, links=False).kinds.keys()
        tell(Stage(name="erasing the rest"))
        # Under a name that tells nobody whose it was.
        name = tombstones.pseudonym(env.secret(), user_id)
        for store in env.stores.erasing:
            for table, count in store.strike_user(scope, name).items():
                toll.take("file", table, count=count)
        erase.log_erasure(env, OPERATOR, name, Erasable.USER)
        if not dry_run:
            needles, probe = erase.probe_rows(env, toll.keys, toll, tell)
    erased = replace(erase.unsigned_certificate(env, name, plan, toll), probe=probe)
    if dry_run:
        return replace(erased, titles=plan.titles, dry_run=True)
    return erase.finish(env, erased, needles, compact=True, tell=tell)


def _shared(env: Env, scope: Scope, plan: Plan, toll: ErasureTally, tell: Progress) -> None:
    """What others have read of theirs goes from the graphs of these as well."""
    gave = list(own(env, scope.contributing, Source))
    plan.sources |= {one.key: one for one in gave}
    about = {scope.user_id, *plan.sources, *event_lookup.tombstones(env, scope)}
    toll.take("ledger", "consent", count=env.ledger.change_consents(about))
    shared = [one for one in gave if set(env.graph.readers(one.key)) - {scope.user_id}]
    for number, source in enumerate(shared, start=1):
        tell(Stage(name="erasing", done=number, total=len(shared)))
        erase_source(env, source, toll)


def _remove_participant(env: Env, scope: Scope, toll: ErasureTally) -> None:
    """Sources of others name them no longer among those who took part."""
    me = scope.user_id
    for user in env.registry.users():
        if user.user_id != me:
            theirs = replace(env.registry.scope_of(user.user_id), narrowed_to=None)
            for event in ledger_events(env, theirs, SOURCE_ADDED):
                if me in event.payload.get("participants", ()):
                    is_there = _without_name(env, theirs, event, me)
                    toll.take("graph", "participant", count=int(is_there))


def _without_name(env: Env, theirs: Scope, event: Event, me: str) -> bool:
    lists = {
        name: [one for one in event.payload[name] if one != me]
        for name in ("participants", "accepted")
        if name in event.payload
    }
    env.ledger.amend(theirs, replace(event, payload={**event.payload, **lists}))
    node = env.graph.get(theirs, str(event.payload["source_key"]))
    if isinstance(node, Source):
        left = replace(
            node,
            participants=tuple(p for p in node.participants if p != me),
            accepted=node.accepted and tuple(p for p in node.accepted if p != me),
        )
        env.graph.put(theirs, left)
        passages = env.graph.passages(theirs, node.key)
        if passages or left.summary:
            env.index.put(index_entries.entries(env, theirs, source_lines(left, passages)))
    return isinstance(node, Source)


def _texts(env: Env, scope: Scope) -> list[str]:
    texts: list[str] = []
    for event in ledger_events(env, scope):
        if event.event_type == SOURCE_ADDED:
            raw = env.ledger.raw(scope, str(event.payload["source_key"]))
            texts += [] if raw is None else [raw.content]
        elif event.event_type != USER_REGISTERED and "text" in event.payload:
            texts.append(str(event.payload["text"]))
    return texts
