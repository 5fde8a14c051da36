"""Erase a source: with all that came of it, for everyone who ever read it (SPEC 9); and items, the records of
programs that tell of what is erased.

Works inside the caller's transaction; whether the caller may is for that one to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events
from remanent.core.index_entries import NOTES_SUFFIX, TEAM_SUFFIX
from remanent.core.model import event as types
from remanent.core.model.belief import Belief, BeliefStatus, ChangeKind
from remanent.core.model.event import Event
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.new_event import effective_at
from remanent.core.ports.records import Select
from remanent.core.records.admin import Removed
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.item import Item, Namespace
from remanent.core.records.spending import Answer
from remanent.core.tombstones import tombstone_digest
from remanent.erasure import rules as rule
from remanent.erasure import undo
from remanent.erasure.model import Rederived, Undone
from remanent.erasure.redo_nights import look, redo_nights
from remanent.errors import UnknownUser
from remanent.ingest.correct import forget_words, hand_alone
from remanent.items.write import remove

_Place = tuple[str, Namespace, str]


def erase_items(env: Env, scope: Scope, puts: Sequence[Event]) -> tuple[int, list[Event]]:
    """What these events put goes: how many records that were, and all events that went. A record
    that is there now goes with its past; of another, only the words that these events had."""
    if not puts:
        return 0, []
    there = {_place(one) for one in puts if _is_there(env, scope, one)}
    for place in there:
        remove(env, scope, *place)
    written = list(ledger_events(env, scope, types.ITEM_PUT))
    ids = {one.event_id for one in puts}
    gone = [one for one in written if one.event_id in ids or _place(one) in there]
    env.ledger.erase(scope, [one.event_id for one in gone])
    places = {_place(one) for one in gone}
    _forget_deletions(env, scope, places - {_place(one) for one in written if one not in gone})
    return len(there), gone


def _is_there(env: Env, scope: Scope, put: Event) -> bool:
    item = env.records.get(scope, Item, *_place(put))
    return item is not None and item.event_id == put.event_id


def _forget_deletions(env: Env, scope: Scope, places: set[_Place]) -> None:
    """That a record was taken away is not told where nothing tells that it was there."""
    for event in list(ledger_events(env, scope, types.ITEM_DELETED)):
        deleted: list[Any] = event.payload["items"]
        left = [
            [path, key]
            for path, key in deleted
            if (str(event.payload["room"]), tuple(path), key) not in places
        ]
        if not left:
            env.ledger.erase(scope, [event.event_id])
        elif len(left) < len(deleted):
            fresh = {**event.payload, "items": left}
            env.ledger.amend(scope, replace(event, payload=fresh))


def _place(put: Event) -> _Place:
    return (str(put.payload["room"]), tuple(put.payload["namespace"]), str(put.payload["key"]))


@dataclass(slots=True)
class ErasureTally:
    """What an erasure has taken so far."""

    removed: list[Removed] = field(default_factory=list)
    rederived: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)  # of all that is gone
    known: set[str] = field(default_factory=set)  # of these, who was known before
    texts: list[str] = field(default_factory=list)  # of what is gone, to look for afterwards
    users: set[str] = field(default_factory=set)

    def take(self, store: str, what: str, keys: Collection[str] = (), count: int = 0) -> None:
        """Write down what went from where."""
        if keys or count:
            self.removed.append(
                Removed(store=store, what=what, count=count or len(keys), keys=tuple(sorted(keys)))
            )


def erase_source(env: Env, source: Source, toll: ErasureTally) -> None:
    """The source, what every reader has of it, and every word of it in the ledger."""
    owner = reader_scope(env, source.user_id, source)
    if owner is None:
        return
    mark = tombstone_digest(env.secret(), source.user_id, source.key)
    env.ledger.change_consents([source.key], mark)  # who hid it hides it if it comes again
    raw = env.ledger.raw(owner, source.key)
    toll.texts += [] if raw is None else [raw.content]
    readers = [
        scope
        for user in sorted({*env.graph.readers(source.key), source.user_id})
        if (scope := reader_scope(env, user, source)) is not None
    ]
    gone = {scope.user_id: _without(env, scope, source, toll) for scope in readers}
    _remove(env, owner, source, toll)
    first = env.ledger.event(owner, source.event_id)
    for scope in readers:
        lost = gone[scope.user_id] | {source.key}
        strike(env, scope, lost, toll, after=0 if first is None else first.seq - 1)
        _unlearn(env, scope, source, toll)
    if env.ledger.erase(owner, (), raws=[source.key]):
        toll.take("ledger", "raw", [source.key])
    toll.take("queue", "job", count=env.queue.strike([source.key]))
    toll.users |= gone.keys()


def take_back(env: Env, scope: Scope, source: Source, toll: ErasureTally) -> None:
    """The same for one reader alone: the source stays, for others, and is not read again here."""
    gone = _without(env, reader_scope(env, scope.user_id, source) or scope, source, toll)
    strike(env, scope, gone, toll)
    env.append(scope, types.SOURCE_UNDONE, {"source_key": source.key})
    _unlearn(env, scope, source, toll)
    toll.users.add(scope.user_id)


def reader_scope(env: Env, user_id: str, source: Source) -> Scope | None:
    """A reader's scope, as it was while they could see the source, and all else that they have read: of
    what a team told that they have left since, nights have made stories, too."""
    try:
        scope = env.registry.scope_of(user_id)
    except UnknownUser:
        return None
    team = frozenset(() if source.team_id is None else (source.team_id,))
    return replace(
        scope,
        teams=scope.teams | scope.left | team,
        left=frozenset(),
        narrowed_to=None,
        hidden=scope.hidden - {source.key},
    )


# -- one reader -----------------------------------------------------------------------------------


def _without(env: Env, scope: Scope, source: Source, toll: ErasureTally) -> set[str]:
    """One reader's graph as if they had never read it; the keys of what it has no more."""
    before = env.graph.dates(scope, links=False).kinds
    looked = look(env, scope, [source.key])
    _artifacts(env, scope, source)
    forget_words(env, scope, hand_alone(env, scope, source.key))
    undone = undo.take_back(env, scope, source)
    redo_nights(env, scope, looked)
    _rename_forgotten(env, scope, undone)
    reword(env, scope, undone.beliefs)
    after = env.graph.dates(scope, links=False).kinds
    gone = {key: kind for key, kind in before.items() if key not in after}
    gone.pop(source.key, None)
    forget_words(env, scope, gone.keys())
    _count_removed(env, gone, undone, toll)
    return set(gone)


def _artifacts(env: Env, scope: Scope, source: Source) -> None:
    """What was made from it."""
    for link in env.graph.links(scope, source.key, kinds=(LinkKind.PRODUCED,), outward=True):
        if env.graph.remove(scope, link.dst):
            env.index.remove([link.dst])


def _rename_forgotten(env: Env, scope: Scope, undone: Undone) -> None:
    """What was to be forgotten stays so: its event names the belief that now has those words."""
    fresh = [one for one in undone.beliefs.fresh if one.status is BeliefStatus.FORGOTTEN]
    for event in ledger_events(env, scope, types.BELIEF_FORGOTTEN) if fresh else ():
        named = _forgotten_by(fresh, event)
        if named is not None and env.graph.get(scope, str(event.payload["key"])) is None:
            env.ledger.amend(scope, replace(event, payload={**event.payload, "key": named}))


def _count_removed(env: Env, gone: Mapping[str, str], undone: Undone, toll: ErasureTally) -> None:
    kinds: dict[str, set[str]] = {}
    for key, kind in gone.items():
        kinds.setdefault(kind, set()).add(key)
    for kind, keys in sorted(kinds.items()):
        toll.take("graph", kind, keys)
    entries = {end for key in gone for end in (key, f"{key}{NOTES_SUFFIX}", f"{key}{TEAM_SUFFIX}")}
    env.index.remove(sorted(entries))
    toll.take("index", "entry", count=len(gone))
    toll.take("graph", "extraction", count=1)
    toll.take("graph", "mention", count=undone.mentions)
    toll.take("graph", "note", count=undone.notes)
    toll.take("graph", "assertion", count=undone.assertions)
    toll.keys |= gone.keys()
    beliefs = undone.beliefs
    toll.rederived.update(
        beliefs=len(beliefs.back) + len(beliefs.fresh) + len(beliefs.changed),
        stories=undone.stories,
    )


# -- the source, and the ledger -------------------------------------------------------------------


def _remove(env: Env, owner: Scope, source: Source, toll: ErasureTally) -> None:
    passages = [one.key for one in env.graph.passages(owner, source.key)]
    env.index.remove([source.key, *passages])
    env.graph.remove(owner, source.key)
    toll.take("graph", Kind.SOURCE.value, [source.key])
    toll.take("graph", "passage", passages)
    toll.take("index", "entry", count=1 + len(passages))
    toll.keys |= {source.key, *passages}


def strike(
    env: Env, scope: Scope, gone: Collection[str], toll: ErasureTally, *, after: int = 0
) -> None:
    """Take every word of these out of the caller's ledger."""
    struck: list[str] = []
    puts: list[Event] = []
    amended = 0
    for event in ledger_events(env, scope):
        if event.seq <= after:  # who was known before may be named there, and was then
            payload = str(event.payload)
            toll.known |= {key for key in gone if key in payload}
            continue
        fresh = rule.without(event, gone)
        if fresh is None and event.event_type == types.ITEM_PUT:
            puts.append(event)
        elif fresh is None:
            struck.append(event.event_id)
        elif fresh is not event:
            amended += env.ledger.amend(scope, fresh)
    env.ledger.erase(scope, struck)
    toll.take("ledger", "event", struck)
    toll.rederived.update(events=amended)
    strike_items(env, scope, puts, toll)


def strike_items(env: Env, scope: Scope, puts: Sequence[Event], toll: ErasureTally) -> None:
    """Take away what these events put on a shelf."""
    count, gone = erase_items(env, scope, puts)
    toll.texts += [rule.item_text(one.payload) for one in gone]
    toll.take("items", "item", count=count)
    toll.take("ledger", "event", [one.event_id for one in gone])


def reword(env: Env, scope: Scope, beliefs: Rederived) -> None:
    """What the user put in other words said, before that, what it now says it did."""
    anew = {one.key: one for one in (*beliefs.back, *beliefs.fresh, *beliefs.changed)}
    for event in list(ledger_events(env, scope, types.BELIEF_RESTATED)) if anew else ():
        belief = anew.get(str(event.payload["key"]))
        if belief is None:
            continue
        before = _said_before(belief, effective_at(event))
        if before is None:
            env.ledger.erase(scope, [event.event_id])
        elif before != event.payload["before"]:
            fresh = {**event.payload, "before": before}
            env.ledger.amend(scope, replace(event, payload=fresh))


def _unlearn(env: Env, scope: Scope, source: Source, toll: ErasureTally) -> None:
    about = Select(Answer, {"source_key": source.key})
    toll.take("answers", "answer", count=env.records.delete(scope, about))
    unlearn_since(env, scope, source.created_at, toll)


def unlearn_since(env: Env, scope: Scope, moment: datetime, toll: ErasureTally) -> None:
    """Answers since then that are about no one source may be about several; and what was replied."""
    since = Select(Answer, {"source_key": None, "answered_at >=": moment})
    toll.take("answers", "answer", count=env.records.delete(scope, since))
    toll.take("replays", "answer", count=env.records.delete(scope, Select(IdempotentRequest)))


def _forgotten_by(beliefs: Iterable[Belief], event: Event) -> str | None:
    at = event.recorded_at
    changed = (one.key for one in beliefs if any(each.recorded_at == at for each in one.changes))
    return next(changed, None)


def _said_before(belief: Belief, at: datetime) -> str | None:
    """What a belief said until it was put in other words at that time; None if it was not."""
    restated = (one for one in belief.changes if one.kind is ChangeKind.RESTATED)
    return next((one.before for one in restated if one.recorded_at == at), None)
