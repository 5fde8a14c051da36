"""Erase a user: all of theirs, everywhere, and their name from what others keep (SPEC 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from remanent.clock import Clock
from remanent.core import tombstones
from remanent.core.dry_run import trial
from remanent.core.index_entries import Findable, source_lines
from remanent.core.model.event import SOURCE_ADDED, USER_REGISTERED, Event
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.ports.audit import Audit
from remanent.core.ports.erasure import Erasing
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.read import every
from remanent.core.records.audit import OPERATOR, Act, Deed
from remanent.core.records.erasure import Erasable, Erased, Probe, Stage
from remanent.erasure.erase import Erase, Plan, Progress
from remanent.erasure.past_nights import all_events
from remanent.erasure.rules.redaction import Needles
from remanent.erasure.source import EraseSource, Toll
from remanent.errors import UnknownUser


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseUser:
    """In one durable transaction, as `Erase`; the files are always written anew."""

    graph: Graph
    index: Index
    ledger: Ledger
    registry: Registry
    audit: Audit
    erasing: Erasing
    findable: Findable
    source: EraseSource
    erase: Erase
    atomic: Atomic
    clock: Clock

    def __call__(
        self, user_id: str, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Erased:
        """Erase the user; `UnknownUser` when there is none of that id."""
        if self.registry.user(user_id) is None:
            raise UnknownUser(user_id)
        tell = progress or (lambda _: None)
        plan, toll = Plan(kind=Erasable.USER, key=user_id), Toll(users={user_id})
        needles, probe = Needles((), ()), Probe()
        if not dry_run:
            self.erase.clear_shadow()
        with trial(self.atomic, dry_run=dry_run):
            scope = replace(self.registry.scope_of(user_id), narrowed_to=None)
            self._shared(scope, plan, toll, tell)
            self._apart(scope, toll)
            toll.texts += self._texts(scope)
            toll.keys |= self.erasing.keys(scope).keys()
            tell(Stage(name="erasing the rest"))
            for table, count in self.erasing.strike_user(scope).items():
                toll.take("file", table, count=count)
            name = self._log(user_id)
            if not dry_run:
                tell(Stage(name="probing"))
                needles = self.erase.look.needles(toll.keys, toll.texts)
                probe = self.erase.look.rows(needles, toll.users)
                self.erasing.owe("files")
        erased = replace(self.erase.told(name, plan, toll), probe=probe)
        if dry_run:
            return replace(erased, titles=plan.titles, dry_run=True)
        return self.erase.finish(erased, needles, compact=True, tell=tell)

    def _shared(self, scope: Scope, plan: Plan, toll: Toll, tell: Progress) -> None:
        """What others have read of theirs goes from the graphs of these as well."""
        own = [
            one
            for one in every(self.graph, scope.contributing, Kind.SOURCE)
            if isinstance(one, Source) and one.user_id == scope.user_id
        ]
        plan.sources |= {one.key: one for one in own}
        shared = [one for one in own if set(self.erasing.readers(one.key)) - {scope.user_id}]
        for number, one in enumerate(shared, start=1):
            tell(Stage(name="erasing", done=number, total=len(shared)))
            self.source(one, toll)

    def _apart(self, scope: Scope, toll: Toll) -> None:
        """Sources of others name them no longer among those who took part."""
        me = scope.user_id
        for owner, key in self.erasing.companions(me):
            theirs = replace(self.registry.scope_of(owner), narrowed_to=None)
            node = self.graph.get(theirs, key)
            if not isinstance(node, Source):
                continue
            left = replace(node, participants=tuple(p for p in node.participants if p != me))
            self.graph.put(theirs, left)
            passages = self.graph.passages(theirs, key)
            if passages or left.summary:
                self.index.put(self.findable.entries(theirs, source_lines(left, passages)))
            toll.take("graph", "participant", count=1)
        for user in self.registry.users():
            if user.user_id != me:
                theirs = replace(self.registry.scope_of(user.user_id), narrowed_to=None)
                for event in all_events(self.ledger, theirs):
                    self._without_name(theirs, event, me)

    def _without_name(self, theirs: Scope, event: Event, me: str) -> None:
        named = event.payload.get("participants", ())
        if event.event_type == SOURCE_ADDED and me in named:
            left = [one for one in named if one != me]
            fresh = replace(event, payload={**event.payload, "participants": left})
            self.ledger.amend(theirs, fresh)

    def _texts(self, scope: Scope) -> list[str]:
        texts: list[str] = []
        for event in all_events(self.ledger, scope):
            if event.event_type == SOURCE_ADDED:
                raw = self.ledger.raw(scope, str(event.payload["source_key"]))
                texts += [] if raw is None else [raw.content]
            elif event.event_type != USER_REGISTERED and "text" in event.payload:
                texts.append(str(event.payload["text"]))
        return texts

    def _log(self, user_id: str) -> str:
        """That it was done, under a name that tells nobody whose."""
        name = tombstones.pseudonym(self.erasing.secret(), user_id)
        self.erasing.rename_in_log(user_id, name)
        self.audit.put_deed(
            Deed(
                seq=0,
                at=self.clock.now(),
                actor=OPERATOR,
                act=Act.MEMORY_ERASED,
                subject=name,
                detail={"kind": Erasable.USER.value},
            )
        )
        return name
