"""Stories: the arcs of a user's life, listed; and all that is done with them by night."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from remanent.core.model.anchor import Anchor
from remanent.core.model.event import Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.ports.graph import Graph
from remanent.core.read import Read, every
from remanent.errors import InvalidInput
from remanent.jobs.night_job import NightJob
from remanent.stories.macros import PromoteMacros, RefreshMacros
from remanent.stories.promote import Promote
from remanent.stories.refresh import Refresh
from remanent.stories.sources import Attach

KINDS = (Kind.STORYLINE, Kind.MACRO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stories:
    graph: Graph
    attach: Attach
    promote: Promote
    refresh: Refresh
    promote_macros: PromoteMacros
    refresh_macros: RefreshMacros

    def __call__(
        self,
        scope: Scope,
        read: Read,
        *,
        kind: Kind | None = None,
        anchor: str | None = None,
        state: State | None = None,
    ) -> list[Story]:
        """The stories that the caller may read, those in which something happened last first.

        Without a state: all that are not archived.
        """
        about = None if anchor is None else self._anchor(scope, read, anchor)
        kinds = KINDS if kind is None else (kind,)
        found = [
            one
            for each in kinds
            for one in every(self.graph, scope, each)
            if isinstance(one, (Storyline, Macro))
            and about in (None, one.anchor_key)
            and (one.life.state is not State.ARCHIVED if state is None else one.life.state is state)
        ]
        return sorted(found, key=_newest)

    def apply(self, scope: Scope, event: Event) -> None:
        """Do again what a night did, as the ledger tells it; other events are none of ours."""
        for job in (self.promote, self.refresh, self.promote_macros, self.refresh_macros):
            job.apply(scope, event)

    @property
    def jobs(self) -> Mapping[SleepJob, NightJob]:
        """What is done by night, by name."""
        return {
            SleepJob.PROMOTE: self.promote,
            SleepJob.REFRESH: self.refresh,
            SleepJob.PROMOTE_MACROS: self.promote_macros,
            SleepJob.REFRESH_MACROS: self.refresh_macros,
        }

    def _anchor(self, scope: Scope, read: Read, called: str) -> str:
        """The key of the anchor that is called so, or whose key begins so."""
        name = canonical_name(called)
        named = [
            one.key
            for one in self.graph.names(scope)
            if name and name in {canonical_name(word) for word in (one.name, *one.aliases)}
        ]
        final = {self._final(scope, key) for key in named}
        if len(final) > 1:
            told = ", ".join(sorted(final))
            raise InvalidInput("anchor", f"{called!r} could be any of {told}")
        if final:
            return final.pop()
        key = read.resolve(scope, called)
        if not isinstance(self.graph.get(scope, key), Anchor):
            raise InvalidInput("anchor", f"{called!r} is not a person, concept or entity")
        return self._final(scope, key)

    def _final(self, scope: Scope, key: str) -> str:
        links = self.graph.links(scope, key, kinds=(LinkKind.SAME_AS,), outward=True)
        return self._final(scope, links[0].dst) if links else key


def _newest(story: Story) -> tuple[float, str]:
    last = story.last_source_at if isinstance(story, Storyline) else story.last_event_at
    return (-last.timestamp(), story.key)
