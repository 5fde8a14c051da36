"""Text of a story, for its owner and for its team (SPEC 6, 12.6).

Asks the mind and embeds, which is slow: do it outside transactions.

What a team is told is written from what that team reads, whatever chapters are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from remanent.core import by_hand, index_entries
from remanent.core.dataclasses import replace
from remanent.core.env import Env, Quota
from remanent.core.index_entries import story_line, team_line
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import Event
from remanent.core.model.mind_types import Chapter, StoryText
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.on_behalf import mind_for_words_of
from remanent.core.ports.index import Entry
from remanent.core.ports.mind import Mind
from remanent.stories import rules as rule
from remanent.stories.sources import put_story

S = TypeVar("S", Storyline, Macro)
FEWEST, MOST, MACRO_MOST = 2, 3, 4  # sentences (SPEC 3)


def storyline(
    env: Env, scope: Scope, story: Storyline, chapters: Sequence[str], team_chapters: Sequence[str]
) -> Storyline:
    """The storyline told from these sources, and to its team from those."""
    named = env.graph.get_many(scope, [*chapters, *team_chapters])
    nodes = {key: one for key, one in named.items() if isinstance(one, Source)}
    own = [nodes[key] for key in chapters if key in nodes]
    theirs = [
        nodes[key]
        for key in team_chapters
        if key in nodes and rule.shared_with(nodes[key]) == story.team_id
    ]
    mind = _mind(env, scope, story, [*chapters, *team_chapters])
    text = _story_text(env, scope, mind, story, story.description, _of_sources(env, scope, own))
    if story.team_id is None:
        return replace(story, description=text, team_description="")
    shared = _story_text(
        env, scope, mind, story, story.team_description, _of_sources(env, scope, theirs)
    )
    return replace(story, description=text, team_description=shared)


def macro(env: Env, scope: Scope, macro: Macro, storylines: Sequence[str]) -> Macro:
    """The macro told from these storylines."""
    nodes = env.graph.get_many(scope, storylines)
    stories = [one for key in storylines if isinstance(one := nodes.get(key), Storyline)]
    stories.sort(key=lambda one: (one.started_at, one.key))
    zone = env.zone_of(scope.user_id)
    own = [_chapter(one, zone) for one in stories if one.description]
    mind = _mind(env, scope, macro, storylines)
    text = _story_text(env, scope, mind, macro, macro.description, own)
    if macro.team_id is None:
        return replace(macro, description=text, team_description="")
    theirs = [
        _chapter(one.seen_by(""), zone)
        for one in stories
        if one.team_id == macro.team_id and one.team_description
    ]
    shared = _story_text(env, scope, mind, macro, macro.team_description, theirs)
    return replace(macro, description=text, team_description=shared)


def put_retold(
    env: Env,
    scope: Scope,
    event: Event,
    quota: Quota | None,
    type_: type[S],
    tell: Callable[[S], S],
    is_news: Callable[[S], bool],
) -> S | None:
    """The story that an event tells anew, as `tell` tells it, out of the quota of a night where it is the first
    time. `is_news` says whether more has come meanwhile."""
    key, name = event.payload["key"], event.payload["name"]
    before = env.graph.get(scope, key)
    if not isinstance(before, type_):
        return None
    told = by_hand.imposed(replace(tell(before), name=name or before.name))
    found_by = entries(env, scope, before, told)
    with env.atomic(durable=quota is not None):
        story = env.graph.get(scope, key)
        if not isinstance(story, type_) or story.team_id != before.team_id:
            return None  # it changed hands meanwhile: another night
        if quota is not None:
            env.ledger.append(event)
            quota.take(1)
        after = replace(
            story,
            name=told.name,
            description=told.description,
            team_description=told.team_description,
            is_dirty=is_news(story),
        )
        put_story(env, scope, story, after)
        env.index.put(found_by)
    return after


def called(anchor: Anchor, team_id: str | None) -> str:
    """What a story calls its anchor: a name that the user gave by hand is not for a team to read."""
    return anchor.name if team_id is None else anchor.inferred("name")


def entries(env: Env, scope: Scope, before: Story | None, after: Story) -> list[Entry]:
    """What it is to be found by from now on, where that has changed."""
    lines = []
    for make in (story_line, team_line):
        line, old = make(after), None if before is None else make(before)
        if line is not None and (
            old is None or (old.text, old.readers) != (line.text, line.readers)
        ):
            lines.append(line)
    return index_entries.entries(env, scope, lines) if lines else []


def local(env: Env, scope: Scope, moment: datetime) -> datetime:
    """The moment on the user's own clock."""
    return moment.astimezone(env.zone_of(scope.user_id))


def _mind(env: Env, scope: Scope, story: Story, chapters: Sequence[str]) -> Mind:
    keys = {story.key, story.anchor_key, *chapters}
    return mind_for_words_of(env.mind, scope, "stories", env.graph, keys)


def _story_text(
    env: Env, scope: Scope, mind: Mind, story: Story, before: str, chapters: Sequence[Chapter]
) -> str:
    if not chapters:
        return ""
    if by_hand.has_word(story, "description") and before == story.description:
        return before
    anchor = env.graph.get(scope, story.anchor_key)
    known = isinstance(anchor, Anchor)
    return mind.tell(
        StoryText(
            name=called(anchor, story.team_id) if isinstance(anchor, Anchor) else story.name,
            kind=anchor.kind if known and anchor is not None else Kind.CONCEPT,
            told=before,
            chapters=tuple(chapters),
            fewest=FEWEST,
            most=MACRO_MOST if isinstance(story, Macro) else MOST,
        )
    )


def _of_sources(env: Env, scope: Scope, sources: Sequence[Source]) -> list[Chapter]:
    zone = env.zone_of(scope.user_id)
    ordered = sorted(sources, key=lambda one: (one.started_at, one.key))
    return [
        Chapter(at=one.started_at.astimezone(zone), text=one.summary or one.title)
        for one in ordered
    ]


def _chapter(story: Storyline, zone: ZoneInfo) -> Chapter:
    return Chapter(
        at=story.started_at.astimezone(zone),
        text=story.description,
        until=story.last_source_at.astimezone(zone),
        source_count=story.source_count,
    )
