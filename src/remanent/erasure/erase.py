"""Erase: something goes for good, from every store, with all that came of it (SPEC 9)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from remanent.clock import Clock
from remanent.core import tombstones
from remanent.core.dry_run import trial
from remanent.core.event_lookup import Recount, shadow
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief
from remanent.core.model.event import RESERVED, SESSION_ENDED, SOURCE_ERASED, Event, EventNode
from remanent.core.model.keys import time_ordered
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.new_event import happening
from remanent.core.ports.audit import Audit
from remanent.core.ports.erasure import Erasing
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.read import Read, every
from remanent.core.records.audit import Act, Deed
from remanent.core.records.erasure import Erasable, Erased, Probe, Stage
from remanent.core.records.team import Role
from remanent.erasure.events import EraseEvents
from remanent.erasure.past_nights import all_events
from remanent.erasure.person import EPISODES, Mentions
from remanent.erasure.rules import redaction as rule
from remanent.erasure.rules.redaction import Needles
from remanent.erasure.source import EraseSource, Toll
from remanent.erasure.verify import Look
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownKey

Progress = Callable[[Stage], None]
LARGE_BYTES = 1 << 30  # from here on a file is not written anew for one source unless asked


@dataclass(slots=True)
class Plan:
    """What goes: the caller's own sources and events, artifacts, and sources of others that are to
    leave no trace in the caller's graph."""

    kind: Erasable
    key: str
    title: str = ""
    sources: dict[str, Source] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    undone: dict[str, Source] = field(default_factory=dict)
    items: list[Event] = field(default_factory=list)

    @property
    def titles(self) -> tuple[str, ...]:
        """What each of it is called, for who has to decide."""
        told = [f"source: {title_of(one)}" for one in self.sources.values()]
        told += [f"event: {shadow(one).text[:80]}" for one in self.events.values()]
        told += [f"artifact: {one.name}" for one in self.artifacts]
        told += list(dict.fromkeys(f"item: {one.payload['key']}" for one in self.items))
        told += [f"taken back, stays with others: {title_of(one)}" for one in self.undone.values()]
        return tuple(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """All of it in one durable transaction, so that it is done whole or not at all; then the files are
    written anew, and whoever was killed before that finds it owed."""

    graph: Graph
    index: Index
    ledger: Ledger
    registry: Registry
    audit: Audit
    erasing: Erasing
    read: Read
    recount: Recount
    mentions: Mentions
    source: EraseSource
    events: EraseEvents
    look: Look
    atomic: Atomic
    clock: Clock
    forget: Sequence[Callable[[], None]]  # what is kept at hand in this process
    clear_shadow: Callable[[], bool]

    def __call__(
        self,
        scope: Scope,
        key: str,
        *,
        dry_run: bool = False,
        compact: bool | None = None,
        progress: Progress | None = None,
    ) -> Erased:
        """Erase what has this key, or begins with it, and is the caller's to erase."""
        tell = progress or _nobody
        tell(Stage(name="looking"))
        plan = self._plan(scope, key)
        self._insist_allowed(scope, plan)
        toll = Toll(users={scope.user_id})
        needles, probe = Needles((), ()), Probe()
        if not dry_run:
            self.clear_shadow()
        with trial(self.atomic, dry_run=dry_run):
            self.carry_out(scope, plan, toll, tell)
            if not dry_run:
                tell(Stage(name="probing"))
                needles = self.look.needles(toll.keys - toll.known, toll.texts)
                probe = self.look.rows(needles, toll.users)
                self.erasing.owe("files")
            erased = self.told(scope.user_id, plan, toll)
            self._log(scope, erased)
        if dry_run:
            return replace(erased, titles=plan.titles, dry_run=True)
        return self.finish(replace(erased, probe=probe), needles, compact=compact, tell=tell)

    def carry_out(self, scope: Scope, plan: Plan, toll: Toll, tell: Progress) -> None:
        """All that was planned, inside the caller's transaction."""
        total = len(plan.sources) + len(plan.undone) + 1
        for number, source in enumerate(plan.sources.values(), start=1):
            tell(Stage(name="erasing", done=number, total=total))
            self._tombstone(source)
            now = self.graph.get(scope, source.key)
            self.source(now if isinstance(now, Source) else source, toll)
        for number, source in enumerate(plan.undone.values(), start=1):
            tell(Stage(name="erasing", done=len(plan.sources) + number, total=total))
            self.mentions.take_back(scope, source, toll)
        self.events(scope, list(plan.events.values()), toll)
        for artifact in plan.artifacts:
            self._artifact(scope, artifact, toll)
        self.source.strike_items(scope, plan.items, toll)

    def told(self, by: str, plan: Plan, toll: Toll) -> Erased:
        """What went, not signed yet."""
        now = self.clock.now()
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
        self, erased: Erased, needles: Needles, *, compact: bool | None, tell: Progress
    ) -> Erased:
        """Write the files anew unless they are large, look at their bytes, and sign."""
        for forget in self.forget:
            forget()
        done = False
        if compact or (compact is None and self.erasing.size() < LARGE_BYTES):
            tell(Stage(name="writing the file anew"))
            done = self.erasing.compact()
        probe = self.look.files(needles, erased.probe) if done else erased.probe
        erased = replace(erased, is_compacted=done, probe=probe)
        return rule.signed(erased, self.erasing.secret())

    def catch_up(self) -> bool:
        """Write the files anew where an erasure still owes it."""
        return self.erasing.owed() is not None and self.erasing.compact()

    # -- what goes --------------------------------------------------------------------------------------

    def _plan(self, scope: Scope, key: str) -> Plan:
        session = self._session(scope, key)
        if session is not None:
            return session
        event = self.ledger.event(scope, key)
        if event is not None:
            return self._with_source(scope, self._of_event(event))
        node = self._known(scope, key)
        if node is None:
            raise UnknownKey(key)
        return self._of_node(scope, node)

    def _known(self, scope: Scope, key: str) -> Node | None:
        try:
            return self.graph.get(scope, self.read.resolve(scope, key))
        except NotFound:
            page = self.recount.page(scope, key)
            own = self._given(scope, key) if page is None else None
            if page is None and own is None:
                raise
            return own if page is None else page.node

    def _given(self, scope: Scope, key: str) -> Source | None:
        """What the caller once gave to a team and may not read any more: it is theirs to erase."""
        if scope.narrowed_to is not None or not scope.left or not key:
            return None
        found = [
            one
            for one in every(self.graph, scope.contributing, Kind.SOURCE)
            if isinstance(one, Source) and one.user_id == scope.user_id and one.key.startswith(key)
        ]
        return found[0] if len(found) == 1 else None

    def _of_node(self, scope: Scope, node: Node) -> Plan:
        title = title_of(node)
        match node:
            case Source():
                plan = Plan(kind=Erasable.SOURCE, key=node.key, title=title)
                plan.sources[node.key] = node
                return self._with_session(scope, plan, node)
            case Person():
                return self._of_person(scope, node)
            case Belief():
                return self._of_belief(scope, node)
            case Artifact():
                return Plan(kind=Erasable.ARTIFACT, key=node.key, title=title, artifacts=[node])
            case EventNode():
                event = self.ledger.event(scope, node.event_id)
                if event is not None:
                    return self._with_source(scope, self._of_event(event))
            case _:
                pass
        raise InvalidInput("key", f"{node.key!r} is a {node.kind.value}: it goes with its sources")

    def _of_event(self, event: Event) -> Plan:
        if event.event_type in RESERVED and not self._is_episode(event):
            raise InvalidInput(
                "key", f"{event.event_id!r} is a record of our own: erase what it tells of"
            )
        node = shadow(event)
        plan = Plan(kind=Erasable.EVENT, key=node.key, title=node.text[:80])
        plan.events[event.event_id] = event
        return plan

    def _is_episode(self, event: Event) -> bool:
        return event.event_type in EPISODES

    def _of_belief(self, scope: Scope, belief: Belief) -> Plan:
        """What was only ever remembered goes with what was said; sources have to be erased themselves."""
        plan = Plan(kind=Erasable.BELIEF, key=belief.key, title=belief.statement)
        sources = sorted({one.source_key for one in belief.supports if one.source_key})
        if sources or not belief.supports:
            why = f"sources say so: {', '.join(sources)}" if sources else "it was drawn from others"
            raise InvalidInput(
                "key", f"the belief {belief.key!r} cannot be erased by itself, {why}"
            )
        for support in belief.supports:
            event = self.ledger.event(scope, support.event_id)
            if event is not None:
                plan.events[event.event_id] = event
        return plan

    def _of_person(self, scope: Scope, person: Person) -> Plan:
        if person.is_owner:
            raise InvalidInput("key", "that is you: to erase a user is `Memory.erase_user`")
        plan = Plan(kind=Erasable.PERSON, key=person.key, title=person.name)
        found = self.mentions(scope, person)
        for source in found.sources:
            (plan.sources if source.user_id == scope.user_id else plan.undone)[source.key] = source
        for event in found.events:
            plan.events[event.event_id] = event
        plan.artifacts += found.artifacts
        plan.items += found.items
        for source in list(plan.sources.values()):
            self._with_session(scope, plan, source)
        return plan

    # -- sessions that became sources -------------------------------------------------------------------

    def _session(self, scope: Scope, key: str) -> Plan | None:
        told = [one for one in self.ledger.session(scope, key) if one.event_type not in RESERVED]
        if not told:
            return None
        plan = Plan(kind=Erasable.SESSION, key=key, title=key)
        plan.events |= {one.event_id: one for one in told}
        return self._with_source(scope, plan)

    def _with_session(self, scope: Scope, plan: Plan, source: Source) -> Plan:
        """A source that a session became goes with what was said in it."""
        for ended in self._ended(scope):
            if ended.payload.get("source_key") == source.key:
                up_to = int(ended.payload["up_to_seq"])
                for one in self.ledger.session(scope, ended.session_id):
                    if one.event_type not in RESERVED and one.seq <= up_to:
                        plan.events[one.event_id] = one
        return plan

    def _with_source(self, scope: Scope, plan: Plan) -> Plan:
        """What was said in a session goes with the source that this became."""
        sessions = {(one.agent_id, one.session_id) for one in plan.events.values()}
        for ended in self._ended(scope):
            if (ended.agent_id, ended.session_id) in sessions:
                node = self.graph.get(scope, str(ended.payload["source_key"]))
                if isinstance(node, Source) and node.user_id == scope.user_id:
                    plan.sources[node.key] = node
        return plan

    def _ended(self, scope: Scope) -> list[Event]:
        return [one for one in all_events(self.ledger, scope) if one.event_type == SESSION_ENDED]

    # -- who may, and the rest --------------------------------------------------------------------------

    def _insist_allowed(self, scope: Scope, plan: Plan) -> None:
        for source in plan.sources.values():
            if source.user_id != scope.user_id and not self._owns_team(scope, source):
                raise Forbidden(
                    f"source: {source.key!r} is for whoever contributed it to erase"
                    + (", or the owner of its team" if source.team_id else "")
                )

    def _owns_team(self, scope: Scope, source: Source) -> bool:
        return any(
            one.team_id == source.team_id and one.left_at is None and one.role is Role.OWNER
            for one in self.registry.memberships(scope.user_id)
        )

    def _log(self, scope: Scope, erased: Erased) -> None:
        self.audit.put_deed(
            Deed(
                seq=0,
                at=erased.at,
                actor=scope.user_id,
                act=Act.MEMORY_ERASED,
                subject=erased.erasure_id,
                detail={"kind": erased.kind.value},
            )
        )

    def _tombstone(self, source: Source) -> None:
        """That something was erased, so that no import brings it back; of what, nobody can read."""
        secret = self.erasing.secret()
        words = (source.key, source.content_hash)
        marks = [tombstones.marked(secret, source.user_id, one) for one in words]
        now = self.clock.now()
        told = happening(source.user_id, SOURCE_ERASED, {"marks": marks}, now=now)
        self.ledger.append(told)

    def _artifact(self, scope: Scope, artifact: Artifact, toll: Toll) -> None:
        if not self.graph.remove(scope, artifact.key):
            return
        self.index.remove([artifact.key])
        toll.texts.append(artifact.output)
        toll.keys.add(artifact.key)
        toll.take("graph", "artifact", [artifact.key])
        struck = self.mentions.productions(scope, artifact)
        self.ledger.erase(scope, struck)
        toll.take("ledger", "event", struck)
        self.source.strike(scope, [artifact.key], toll)


def _nobody(stage: Stage) -> None:
    """Progress that nobody looks at."""
