"""Stories: when sources around an anchor become an arc, when it ends, and who is told what of it.

SPEC 6, 12.1 and 12.6. An arc is what a night by night count would have made of the mentions of an
anchor, whenever they were heard of: importing a year gives the arcs that living it would have given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TypeVar

from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.lifecycle import State
from remanent.core.model.source import Sensitivity, Source, SourceType
from remanent.core.model.story import Macro, Story, Storyline

OPEN_STATES = (State.ACTIVE, State.CORE)
_DAY = timedelta(days=1)
T = TypeVar("T", Storyline, Macro)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRules:
    """The figures of SPEC 6 and 12.1."""

    sources_from: float = 5.0
    days_from: int = 3
    first_mention_days: float = 3.0  # the first mention is longer ago than this
    active_from_days: int = 2  # mentions on so many days count as access; 0: only access does
    promote_most: int = 100  # a night
    close_days: float = 30.0  # without a source
    attach_days: float = 90.0  # an open storyline takes no source that comes later than this
    attach_newest: int = 3
    attach_within_days: float = 30.0  # where several could take it
    attach_cosine: float = 0.7
    refresh_days: float = 90.0
    refresh_most: int = 100
    first_sources: int = 20  # of which it is told when it begins: the newest, and the first one
    refresh_sources: int = 10  # and later
    macro_storylines: int = 2
    macro_days: float = 30.0
    macros_most: int = 50
    use_weights: int = 0  # 1: sources count by the weights of their type
    slack_thread_weight: float = 0.25
    email_weight: float = 0.5


_DEFAULTS = StoryRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One source that mentions an anchor: when, on which day of the user's calendar, how much it counts."""

    key: str
    at: datetime
    day: date
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """Mentions that make one story, in order of time, and when it ended."""

    mentions: tuple[Mention, ...]
    closed_at: datetime | None = None


# --- promotion -------------------------------------------------------------------------------


def weight(type_: SourceType, rules: StoryRules = _DEFAULTS) -> float:
    """How much a source of that type counts."""
    if not rules.use_weights:
        return 1.0
    weights = {
        SourceType.SLACK_THREAD: rules.slack_thread_weight,
        SourceType.EMAIL: rules.email_weight,
    }
    return weights.get(type_, 1.0)


def is_called_on(anchor: Anchor, rules: StoryRules = _DEFAULTS) -> bool:
    """Whether it is active or core, or was spoken of on days enough to count as such (ADR 18).

    The owner is in everything: a story of theirs would be all there is.
    """
    if isinstance(anchor, Person) and anchor.is_owner:
        return False
    if anchor.life.state in OPEN_STATES:
        return True
    spoken_of = 0 < rules.active_from_days <= anchor.distinct_source_days
    return anchor.life.state is State.CANDIDATE and spoken_of


def is_ripe(mentions: Sequence[Mention], rules: StoryRules = _DEFAULTS) -> bool:
    """Whether these are sources enough, on days enough."""
    count = sum(one.weight for one in mentions)
    days = {one.day for one in mentions}
    return bool(mentions) and count >= rules.sources_from and len(days) >= rules.days_from


def promotable(
    anchor: Anchor, mentions: Sequence[Mention], at: datetime, rules: StoryRules = _DEFAULTS
) -> bool:
    """Whether an anchor without an open storyline gets one at `at`; `mentions` are those since the
    last one closed, in order of time."""
    if not is_called_on(anchor, rules) or not is_ripe(mentions, rules):
        return False
    return at - mentions[0].at > rules.first_mention_days * _DAY


def is_old_enough(anchor: Anchor, at: datetime, rules: StoryRules = _DEFAULTS) -> bool:
    """The same of the first mention that the anchor tells of."""
    first = anchor.first_mentioned_at
    return first is not None and at - first > rules.first_mention_days * _DAY


def arc_of(mentions: Sequence[Mention], at: datetime, rules: StoryRules = _DEFAULTS) -> Arc | None:
    """The first arc of these mentions, in order of time: all up to the first silence after they had
    become ripe; None when they have not."""
    heard = [one for one in mentions if one.at <= at]
    weight, days = 0.0, set[date]()
    silence = rules.close_days * _DAY
    for number, source in enumerate(heard):
        weight += source.weight
        days.add(source.day)
        if weight < rules.sources_from or len(days) < rules.days_from:
            continue
        until = heard[number + 1].at if number + 1 < len(heard) else at
        if until - source.at >= silence:
            return Arc(mentions=tuple(heard[: number + 1]), closed_at=source.at + silence)
    return Arc(mentions=tuple(heard)) if is_ripe(heard, rules) else None


def closes(story: Storyline, at: datetime, rules: StoryRules = _DEFAULTS) -> bool:
    """Whether an open storyline ends: no source for too long, or archived."""
    if story.life.state is State.ARCHIVED:
        return True
    return at - story.last_source_at >= rules.close_days * _DAY


def ends_at(
    story: Storyline, mentions: Sequence[Mention], at: datetime, rules: StoryRules = _DEFAULTS
) -> datetime | None:
    """When a storyline of these mentions ended, as seen at `at`; None: it has not."""
    arc = arc_of(mentions, at, rules)
    if arc is not None and arc.closed_at is not None:
        return arc.closed_at
    if story.life.state is State.ARCHIVED:
        return at
    last = max((one.at for one in mentions if one.at <= at), default=story.last_source_at)
    return last + rules.close_days * _DAY if at - last >= rules.close_days * _DAY else None


def name_of(anchor_name: str, ordinal: int, started: datetime) -> str:
    """What a storyline is called; a later arc says since when."""
    if ordinal == 1:
        return f"{anchor_name} – storyline"
    return f"{anchor_name} – storyline (from {started:%B %Y})"


def macro_name(anchor_name: str) -> str:
    """What a macro is called."""
    return f"{anchor_name} – macro"


# --- attachment ------------------------------------------------------------------------------


def attach(
    at: datetime,
    storylines: Iterable[Storyline],
    likeness: Callable[[Storyline], float],
    rules: StoryRules = _DEFAULTS,
) -> Storyline | None:
    """The storyline of the anchor that a source of that time belongs to, however late it came.

    Of several, the one that is most like it, where it is near in time and like it at all.
    """
    able = [one for one in storylines if one.covers(at) and _takes(one, at, rules)]
    able.sort(key=lambda one: (one.last_source_at, one.key), reverse=True)
    newest = able[: rules.attach_newest]
    if len(newest) < 2:
        return newest[0] if newest else None
    near = [one for one in newest if _distance(one, at) <= rules.attach_within_days * _DAY]
    like = [(likeness(one), one.last_source_at, one.key, one) for one in near]
    good = [one for one in like if one[0] > rules.attach_cosine]
    return max(good, key=lambda one: one[:3])[3] if good else None


def _takes(story: Storyline, at: datetime, rules: StoryRules) -> bool:
    return not story.is_open or at - story.last_source_at <= rules.attach_days * _DAY


def _distance(story: Storyline, at: datetime) -> timedelta:
    return max(at - story.last_source_at, story.started_at - at, timedelta(0))


# --- counters, and what a team is told ----------------------------------------------------------


def shared_with(source: Source) -> str | None:
    """The team that reads the source; nobody but its people reads what is highly sensitive."""
    return None if source.sensitivity is Sensitivity.HIGH else source.team_id


def teams_of(sources: Iterable[Source]) -> dict[str, int]:
    """How many of these sources each team reads."""
    counts = Counter(team for one in sources if (team := shared_with(one)) is not None)
    return dict(sorted(counts.items()))


def team_of(teams: Mapping[str, int], source_count: int) -> str | None:
    """The team that more than half of the sources are from."""
    return next((team for team, count in teams.items() if 2 * count > source_count), None)


def with_sources(story: Storyline, sources: Sequence[Source]) -> Storyline:
    """The storyline of just these sources; there is at least one."""
    teams = teams_of(sources)
    team = team_of(teams, len(sources))
    theirs = [one.started_at for one in sources if team is not None and shared_with(one) == team]
    times = [one.started_at for one in sources]
    return _of_team(
        replace(
            story,
            source_count=len(sources),
            started_at=min(times),
            last_source_at=max(times),
            teams=teams,
            team_source_count=len(theirs),
            team_started_at=min(theirs, default=None),
            team_last_source_at=max(theirs, default=None),
        ),
        team,
    )


def with_one_more(story: Storyline, source: Source) -> Storyline | None:
    """The storyline with a further source, where that changes nothing for any team; None elsewhere."""
    if shared_with(source) is not None or story.team_id is not None or not story.source_count:
        return None
    return replace(
        story,
        source_count=story.source_count + 1,
        started_at=min(story.started_at, source.started_at),
        last_source_at=max(story.last_source_at, source.started_at),
    )


def grouped(macro: Macro, storylines: Sequence[Storyline]) -> Macro:
    """The macro of just these storylines; there is at least one."""
    teams: Counter[str] = Counter()
    for one in storylines:
        teams.update(one.teams)
    total = sum(one.source_count for one in storylines)
    team = team_of(teams, total)
    theirs = [one for one in storylines if team is not None and one.team_id == team]
    starts = [one.team_started_at for one in theirs if one.team_started_at is not None]
    ends = [one.team_last_source_at for one in theirs if one.team_last_source_at is not None]
    return _of_team(
        replace(
            macro,
            storyline_count=len(storylines),
            total_source_count=total,
            started_at=min(one.started_at for one in storylines),
            last_event_at=max(one.last_source_at for one in storylines),
            teams=dict(sorted(teams.items())),
            team_storyline_count=len(theirs),
            team_source_count=sum(one.team_source_count for one in theirs),
            team_started_at=min(starts, default=None),
            team_last_event_at=max(ends, default=None),
        ),
        team,
    )


def _of_team(story: T, team: str | None) -> T:
    """Another team must not read what was told to the one before."""
    if team == story.team_id:
        return story
    return replace(story, team_id=team, team_description="")


# --- telling ---------------------------------------------------------------------------------


def chapters(
    sources: Iterable[Source], rules: StoryRules = _DEFAULTS, *, begins: bool = False
) -> list[Source]:
    """What a storyline is told from when it `begins` or later: its first source and the newest, in
    order of time."""
    known = sorted(sources, key=lambda one: (one.started_at, one.key))
    readable = [one for one in known if one.summary or one.title]
    most = rules.first_sources if begins else rules.refresh_sources
    newest = readable[-most:] if most else []
    return newest if len(newest) == len(readable) else [readable[0], *newest]


def is_due(story: Story, at: datetime, rules: StoryRules = _DEFAULTS) -> bool:
    """Whether it is to be told anew: something came to it, and it is neither archived nor too old."""
    if not story.is_dirty or story.life.state not in OPEN_STATES:
        return False
    if isinstance(story, Macro):
        return True
    return at - story.last_source_at <= rules.refresh_days * _DAY


def text_as_of(story: Story, as_of: datetime | None, known_at: datetime | None) -> str:
    """What was told of it by then: nothing, where the text tells of later or was written later."""
    last = story.last_source_at if isinstance(story, Storyline) else story.last_event_at
    if (as_of is not None and last > as_of) or (
        known_at is not None and story.updated_at > known_at
    ):
        return ""
    return story.description


def groups_into_macro(
    anchor: Anchor, storylines: int, at: datetime, rules: StoryRules = _DEFAULTS
) -> bool:
    """Whether an anchor with so many storylines, active or core, gets a macro."""
    if anchor.first_mentioned_at is None or storylines < rules.macro_storylines:
        return False
    return at - anchor.first_mentioned_at > rules.macro_days * _DAY
