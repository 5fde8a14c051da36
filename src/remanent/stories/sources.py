"""Sources of a storyline: which they are, and what follows from it (SPEC 6).

A storyline has the sources that mention its anchor in its time; so whatever was drawn, merged or
read again, and in whatever order, the same mentions make the same story.

Works inside the caller's transaction. Only the caller's own stories are ever touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.index_entries import TEAM_SUFFIX
from remanent.core.model.anchor import Anchor
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.stories import rules as rule
from remanent.stories.rules import Mention

Knew = Callable[[Source], bool]  # whether a source was known at a time in the past


def attach_source(env: Env, scope: Scope, source_keys: Iterable[str]) -> None:
    """Put each of these sources into the storylines of those it mentions, and out of all others."""
    for key in sorted(set(source_keys)):
        source = env.graph.get(scope, key)
        if isinstance(source, Source):
            _settle(env, scope, source)


def _settle(env: Env, scope: Scope, source: Source) -> None:
    wanted = _storylines_for(env, scope, source)
    links = env.graph.links(scope, source.key, kinds=(LinkKind.INCLUDES,), outward=False)
    for link in links:
        if link.user_id == scope.user_id and link.src not in wanted:
            env.graph.unlink(scope, link)
            _recount(env, scope, link.src)
    for story in wanted.values():
        if env.graph.link(scope, add_link(env, scope, LinkKind.INCLUDES, story.key, source.key)):
            _add(env, scope, story, source)


def _storylines_for(env: Env, scope: Scope, source: Source) -> dict[str, Storyline]:
    links = env.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
    anchors = env.graph.get_many(scope, sorted({link.dst for link in links}))
    by_anchor: dict[str, Storyline] = {}
    for key, anchor in sorted(anchors.items()):
        if isinstance(anchor, Anchor) and anchor.has_meso:
            stories = storylines(env, scope, key)
            one = rule.attach(
                source.started_at,
                stories,
                lambda story: _likeness(env, scope, source, story),
                env.config.story,
            )
            if one is not None:
                by_anchor[one.key] = one
    return by_anchor


def _likeness(env: Env, scope: Scope, source: Source, story: Storyline) -> float:
    vectors = env.index.vectors(scope, [source.key, story.key])
    if len(vectors) < 2:
        return 0.0
    one, other = vectors[source.key], vectors[story.key]
    length = float((one @ one) * (other @ other)) ** 0.5
    return float(one @ other) / length if length else 0.0


def _add(env: Env, scope: Scope, story: Storyline, source: Source) -> None:
    fresh = rule.with_one_more(story, source)
    if fresh is None:
        fresh = rule.with_sources(story, sources_of(env, scope, story.key))
    put_story(env, scope, story, replace(fresh, is_dirty=True))


def _recount(env: Env, scope: Scope, key: str) -> None:
    story = env.graph.get(scope, key)
    if not isinstance(story, Storyline):
        return
    sources = sources_of(env, scope, key)
    if sources:
        put_story(env, scope, story, replace(rule.with_sources(story, sources), is_dirty=True))
    else:
        _dissolve(env, scope, story)


def put_story(env: Env, scope: Scope, before: Story, after: Story) -> None:
    """Write a story that changed; a team that may no longer read it does not find it either."""
    if after == before:
        return
    if after.team_id != before.team_id:
        env.index.remove([f"{before.key}{TEAM_SUFFIX}"])
    env.graph.put(scope, replace(after, updated_at=env.clock.now()))
    if isinstance(after, Storyline) and after != replace(before, is_dirty=after.is_dirty):
        regroup(env, scope, after.key)


def fill_storyline(env: Env, scope: Scope, story: Storyline) -> Storyline:
    """Give a storyline that stands in the graph all mentions of its time, and no others."""
    held = {one.key for one in sources_of(env, scope, story.key)}
    known = {one.key for one in mentioning(env, scope, story.anchor_key) if story.covers(one.started_at)}  # fmt: skip
    for key in sorted(held - known):
        env.graph.unlink(scope, add_link(env, scope, LinkKind.INCLUDES, story.key, key))
    for key in sorted(known - held):
        env.graph.link(scope, add_link(env, scope, LinkKind.INCLUDES, story.key, key))
    if known == held:
        return story
    sources = sources_of(env, scope, story.key)
    return replace(rule.with_sources(story, sources), is_dirty=True) if sources else story


def regroup(env: Env, scope: Scope, story_key: str) -> None:
    """Bring the macro of a storyline up to date: it is to be told anew."""
    for link in env.graph.links(scope, story_key, kinds=(LinkKind.GROUPS,), outward=False):
        macro = env.graph.get(scope, link.src)
        if link.user_id == scope.user_id and isinstance(macro, Macro):
            _regroup(env, scope, macro)


def _regroup(env: Env, scope: Scope, macro: Macro) -> None:
    stories = grouped(env, scope, macro.key)
    if stories:
        put_story(env, scope, macro, replace(rule.grouped(macro, stories), is_dirty=True))
    else:
        _drop(env, scope, macro)


def _dissolve(env: Env, scope: Scope, story: Storyline) -> None:
    """A storyline without sources is none."""
    links = env.graph.links(scope, story.key, kinds=(LinkKind.GROUPS,), outward=False)
    _drop(env, scope, story)
    for link in links:
        macro = env.graph.get(scope, link.src)
        if isinstance(macro, Macro):
            _regroup(env, scope, macro)


def _drop(env: Env, scope: Scope, story: Story) -> None:
    env.graph.remove(scope, story.key)
    env.index.remove([story.key, f"{story.key}{TEAM_SUFFIX}"])
    flag_anchor(env, scope, story.anchor_key)


# -- merging by hand ----------------------------------------------------------------------


def hand_over(env: Env, scope: Scope, gone: str, kept: str) -> None:
    """The stories of an anchor that was merged into another become the other's, if it has none;
    if it has, theirs take in the sources, and what is left without any dissolves."""
    if not storylines(env, scope, kept):
        stories: list[Story] = [*storylines(env, scope, gone), *macros(env, scope, gone)]
        for story in stories:
            about = LinkKind.ROOTED_IN if isinstance(story, Macro) else LinkKind.ABOUT
            env.graph.unlink(scope, add_link(env, scope, about, story.key, gone))
            env.graph.link(scope, add_link(env, scope, about, story.key, kept))
            put_story(env, scope, story, replace(story, anchor_key=kept, is_dirty=True))
    for key in (gone, kept):
        flag_anchor(env, scope, key)


def flag_anchor(env: Env, scope: Scope, anchor_key: str) -> None:
    """Say on the anchor whether there are stories of it."""
    anchor = env.graph.get(scope, anchor_key)
    if isinstance(anchor, Anchor):
        has_meso = bool(storylines(env, scope, anchor_key))
        has_macro = bool(macros(env, scope, anchor_key))
        if (anchor.has_meso, anchor.has_macro) != (has_meso, has_macro):
            env.graph.put(scope, replace(anchor, has_meso=has_meso, has_macro=has_macro))


# -- what there is ------------------------------------------------------------------------


def sources_of(env: Env, scope: Scope, story_key: str, *, knew: Knew | None = None) -> list[Source]:
    """The sources of a storyline in order of time, of those that `knew` says were known."""
    links = env.graph.links(scope, story_key, kinds=(LinkKind.INCLUDES,), outward=True)
    return _in_order(env.graph.get_many(scope, [link.dst for link in links]).values(), knew)


def mentioning(
    env: Env, scope: Scope, anchor_key: str, *, knew: Knew | None = None
) -> list[Source]:
    """The sources that mention an anchor in order of time, of those that `knew` says were known."""
    links = env.graph.links(scope, anchor_key, kinds=(LinkKind.MENTIONS,), outward=False)
    keys = sorted({link.src for link in links})
    return _in_order(env.graph.get_many(scope, keys).values(), knew)


def mentions(env: Env, scope: Scope, sources: Iterable[Source]) -> list[Mention]:
    """The same as the rules count them."""
    zone = env.zone_of(scope.user_id)
    return [
        Mention(
            key=one.key,
            at=one.started_at,
            day=one.started_at.astimezone(zone).date(),
            weight=rule.weight(one.source_type, env.config.story),
        )
        for one in sources
    ]


def storylines(env: Env, scope: Scope, anchor_key: str) -> list[Storyline]:
    """The caller's own storylines of an anchor in order of time."""
    links = env.graph.links(scope, anchor_key, kinds=(LinkKind.ABOUT,), outward=False)
    nodes = env.graph.get_many(scope, [link.src for link in links]).values()
    return _by_time(one for one in nodes if isinstance(one, Storyline))


def macros(env: Env, scope: Scope, anchor_key: str) -> list[Macro]:
    """The caller's own macros of an anchor: one or none."""
    links = env.graph.links(scope, anchor_key, kinds=(LinkKind.ROOTED_IN,), outward=False)
    nodes = env.graph.get_many(scope, [link.src for link in links])
    return [one for _, one in sorted(nodes.items()) if isinstance(one, Macro)]


def grouped(env: Env, scope: Scope, macro_key: str) -> list[Storyline]:
    """The storylines of a macro in order of time."""
    links = env.graph.links(scope, macro_key, kinds=(LinkKind.GROUPS,), outward=True)
    nodes = env.graph.get_many(scope, [link.dst for link in links]).values()
    return _by_time(one for one in nodes if isinstance(one, Storyline))


def add_link(env: Env, scope: Scope, kind: LinkKind, src: str, dst: str) -> Link:
    """A link of the caller's own."""
    now = env.clock.now()
    return Link(scope.user_id, kind, src, dst, now)


def _in_order(nodes: Iterable[object], knew: Knew | None) -> list[Source]:
    sources = [one for one in nodes if isinstance(one, Source) and (knew is None or knew(one))]
    return sorted(sources, key=lambda one: (one.started_at, one.key))


def _by_time(stories: Iterable[Storyline]) -> list[Storyline]:
    return sorted(stories, key=lambda one: (one.started_at, one.key))


def keys(nodes: Sequence[Source | Storyline]) -> list[str]:
    """Their keys, as an event has them."""
    return [one.key for one in nodes]
