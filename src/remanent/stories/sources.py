"""Attach: which sources a storyline has, and what follows from it (SPEC 6).

A storyline has the sources that mention its anchor in its time; so whatever was drawn, merged or
read again, and in whatever order, the same mentions make the same story.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remanent.anchors.rules.resolution import local_day
from remanent.clock import Clock
from remanent.core.index_entries import TEAM_SUFFIX
from remanent.core.model.anchor import Anchor
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.registry import Registry
from remanent.stories import rules as rule
from remanent.stories.rules import Mention, StoryRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Attach:
    """Works inside the caller's transaction. Only the caller's own stories are ever touched."""

    graph: Graph
    index: Index
    registry: Registry
    clock: Clock
    rules: StoryRules

    def __call__(self, scope: Scope, source_keys: Iterable[str]) -> None:
        """Put each of these sources into the storylines of those it mentions, and out of all others."""
        for key in sorted(set(source_keys)):
            source = self.graph.get(scope, key)
            if isinstance(source, Source):
                self._settle(scope, source)

    def _settle(self, scope: Scope, source: Source) -> None:
        wanted = self._wanted(scope, source)
        links = self.graph.links(scope, source.key, kinds=(LinkKind.INCLUDES,), outward=False)
        for link in links:
            if link.user_id == scope.user_id and link.src not in wanted:
                self.graph.unlink(scope, link)
                self._recount(scope, link.src)
        for story in wanted.values():
            if self.graph.link(scope, self.link(scope, LinkKind.INCLUDES, story.key, source.key)):
                self._add(scope, story, source)

    def _wanted(self, scope: Scope, source: Source) -> dict[str, Storyline]:
        links = self.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
        anchors = self.graph.get_many(scope, sorted({link.dst for link in links}))
        found: dict[str, Storyline] = {}
        for key, anchor in sorted(anchors.items()):
            if isinstance(anchor, Anchor) and anchor.has_meso:
                stories = self.storylines(scope, key)
                one = rule.attach(
                    source.started_at,
                    stories,
                    lambda story: self._likeness(scope, source, story),
                    self.rules,
                )
                if one is not None:
                    found[one.key] = one
        return found

    def _likeness(self, scope: Scope, source: Source, story: Storyline) -> float:
        vectors = self.index.vectors(scope, [source.key, story.key])
        if len(vectors) < 2:
            return 0.0
        one, other = vectors[source.key], vectors[story.key]
        length = float((one @ one) * (other @ other)) ** 0.5
        return float(one @ other) / length if length else 0.0

    def _add(self, scope: Scope, story: Storyline, source: Source) -> None:
        fresh = rule.with_one_more(story, source)
        if fresh is None:
            fresh = rule.counted(story, self.sources(scope, story.key))
        self.put(scope, story, replace(fresh, is_dirty=True))

    def _recount(self, scope: Scope, key: str) -> None:
        story = self.graph.get(scope, key)
        if not isinstance(story, Storyline):
            return
        sources = self.sources(scope, key)
        if sources:
            self.put(scope, story, replace(rule.counted(story, sources), is_dirty=True))
        else:
            self._dissolve(scope, story)

    def put(self, scope: Scope, before: Story, after: Story) -> None:
        """Write a story that changed; a team that may no longer read it does not find it either."""
        if after == before:
            return
        if after.team_id != before.team_id:
            self.index.remove([f"{before.key}{TEAM_SUFFIX}"])
        self.graph.put(scope, replace(after, updated_at=self.clock.now()))
        if isinstance(after, Storyline) and after != replace(before, is_dirty=after.is_dirty):
            self.regroup(scope, after.key)

    def fill(self, scope: Scope, story: Storyline) -> Storyline:
        """Give a storyline that stands in the graph all mentions of its time, and no others."""
        held = {one.key for one in self.sources(scope, story.key)}
        known = {one.key for one in self.mentioning(scope, story.anchor_key) if story.covers(one.started_at)}  # fmt: skip
        for key in sorted(held - known):
            self.graph.unlink(scope, self.link(scope, LinkKind.INCLUDES, story.key, key))
        for key in sorted(known - held):
            self.graph.link(scope, self.link(scope, LinkKind.INCLUDES, story.key, key))
        if known == held:
            return story
        sources = self.sources(scope, story.key)
        return replace(rule.counted(story, sources), is_dirty=True) if sources else story

    def regroup(self, scope: Scope, story_key: str) -> None:
        """Bring the macro of a storyline up to date: it is to be told anew."""
        for link in self.graph.links(scope, story_key, kinds=(LinkKind.GROUPS,), outward=False):
            macro = self.graph.get(scope, link.src)
            if link.user_id == scope.user_id and isinstance(macro, Macro):
                self._regroup(scope, macro)

    def _regroup(self, scope: Scope, macro: Macro) -> None:
        stories = self.grouped(scope, macro.key)
        if stories:
            self.put(scope, macro, replace(rule.grouped(macro, stories), is_dirty=True))
        else:
            self._drop(scope, macro)

    def _dissolve(self, scope: Scope, story: Storyline) -> None:
        """A storyline without sources is none."""
        links = self.graph.links(scope, story.key, kinds=(LinkKind.GROUPS,), outward=False)
        self._drop(scope, story)
        for link in links:
            macro = self.graph.get(scope, link.src)
            if isinstance(macro, Macro):
                self._regroup(scope, macro)

    def _drop(self, scope: Scope, story: Story) -> None:
        self.graph.remove(scope, story.key)
        self.index.remove([story.key, f"{story.key}{TEAM_SUFFIX}"])
        self.flag(scope, story.anchor_key)

    # -- merging by hand ----------------------------------------------------------------------

    def hand_over(self, scope: Scope, gone: str, kept: str) -> None:
        """The stories of an anchor that was merged into another become the other's, if it has none;
        if it has, theirs take in the sources, and what is left without any dissolves."""
        if not self.storylines(scope, kept):
            stories: list[Story] = [*self.storylines(scope, gone), *self.macros(scope, gone)]
            for story in stories:
                about = LinkKind.ROOTED_IN if isinstance(story, Macro) else LinkKind.ABOUT
                self.graph.unlink(scope, self.link(scope, about, story.key, gone))
                self.graph.link(scope, self.link(scope, about, story.key, kept))
                self.put(scope, story, replace(story, anchor_key=kept, is_dirty=True))
        for key in (gone, kept):
            self.flag(scope, key)

    def flag(self, scope: Scope, anchor_key: str) -> None:
        """Say on the anchor whether there are stories of it."""
        anchor = self.graph.get(scope, anchor_key)
        if isinstance(anchor, Anchor):
            has_meso = bool(self.storylines(scope, anchor_key))
            has_macro = bool(self.macros(scope, anchor_key))
            if (anchor.has_meso, anchor.has_macro) != (has_meso, has_macro):
                self.graph.put(scope, replace(anchor, has_meso=has_meso, has_macro=has_macro))

    # -- what there is ------------------------------------------------------------------------

    def sources(self, scope: Scope, story_key: str) -> list[Source]:
        """The sources of a storyline in order of time."""
        links = self.graph.links(scope, story_key, kinds=(LinkKind.INCLUDES,), outward=True)
        return _in_order(self.graph.get_many(scope, [link.dst for link in links]).values())

    def mentioning(self, scope: Scope, anchor_key: str) -> list[Source]:
        """The sources that mention an anchor in order of time."""
        links = self.graph.links(scope, anchor_key, kinds=(LinkKind.MENTIONS,), outward=False)
        keys = sorted({link.src for link in links})
        return _in_order(self.graph.get_many(scope, keys).values())

    def mentions(self, scope: Scope, sources: Iterable[Source]) -> list[Mention]:
        """The same as the rules count them."""
        user = self.registry.user(scope.user_id)
        zone = "UTC" if user is None else user.timezone
        return [
            Mention(
                key=one.key,
                at=one.started_at,
                day=local_day(one.started_at, zone),
                weight=rule.weight(one.source_type, self.rules),
            )
            for one in sources
        ]

    def storylines(self, scope: Scope, anchor_key: str) -> list[Storyline]:
        """The caller's own storylines of an anchor in order of time."""
        links = self.graph.links(scope, anchor_key, kinds=(LinkKind.ABOUT,), outward=False)
        nodes = self.graph.get_many(scope, [link.src for link in links]).values()
        return _by_time(one for one in nodes if isinstance(one, Storyline))

    def macros(self, scope: Scope, anchor_key: str) -> list[Macro]:
        """The caller's own macros of an anchor: one or none."""
        links = self.graph.links(scope, anchor_key, kinds=(LinkKind.ROOTED_IN,), outward=False)
        nodes = self.graph.get_many(scope, [link.src for link in links])
        return [one for _, one in sorted(nodes.items()) if isinstance(one, Macro)]

    def grouped(self, scope: Scope, macro_key: str) -> list[Storyline]:
        """The storylines of a macro in order of time."""
        links = self.graph.links(scope, macro_key, kinds=(LinkKind.GROUPS,), outward=True)
        nodes = self.graph.get_many(scope, [link.dst for link in links]).values()
        return _by_time(one for one in nodes if isinstance(one, Storyline))

    def link(self, scope: Scope, kind: LinkKind, src: str, dst: str) -> Link:
        """A link of the caller's own."""
        now = self.clock.now()
        return Link(user_id=scope.user_id, kind=kind, src=src, dst=dst, created_at=now)


def _in_order(nodes: Iterable[object]) -> list[Source]:
    sources = (one for one in nodes if isinstance(one, Source))
    return sorted(sources, key=lambda one: (one.started_at, one.key))


def _by_time(stories: Iterable[Storyline]) -> list[Storyline]:
    return sorted(stories, key=lambda one: (one.started_at, one.key))


def keys(nodes: Sequence[Source | Storyline]) -> list[str]:
    """Their keys, as an event has them."""
    return [one.key for one in nodes]
