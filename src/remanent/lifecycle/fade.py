"""Fade: the night's decay of all that nobody asked for, and the archiving of what is left over (SPEC 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from remanent.core import read
from remanent.core.env import Env, Night
from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.lifecycle_reports import Faded
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, JobOutcome
from remanent.core.model.source import Source
from remanent.core.read import Lived, kind_of
from remanent.lifecycle import archive
from remanent.lifecycle import rules as worth
from remanent.lifecycle.rules import SourceValue
from remanent.lifecycle.value import surplus

_BATCH: Final = 500  # sources archived in one event and one transaction
_MOST_TOLD: Final = 100
_FADING: Final = 0.8  # of the progress; the rest is for what a limit puts away


def fade_memories(night: Night) -> JobOutcome:
    """Let everything fade up to `at`, once a night, then put away the sources that are over the
    user's limit.

    Fading itself is lifecycle, and goes into no ledger; what a limit puts away was decided, and
    does.
    """
    env, scope, at = night.env, night.scope, night.at
    faded = _faded(night)
    night.changes += _archived(env, scope, faded.first)
    over = surplus(env, scope, at)
    for start in range(0, len(over), _BATCH):
        batch = over[start : start + _BATCH]
        archive.put_away(env, scope, [source.key for source in batch], at, _limit(env))
        night.tell(_FADING + (1.0 - _FADING) * (start + len(batch)) / len(over))
    night.changes += _put_away(env, scope, over[: _MOST_TOLD - len(night.changes)])
    night.tell(1.0)
    archived = sum(faded.archived.values()) + len(over) + _retire(night)
    night.counts += Counter(faded=faded.faded, archived=archived)
    return night.outcome


def _retire(night: Night) -> int:
    """Archive what the user gave to teams that keep their sources for so many days only; how many."""
    env, scope, done = night.env, night.scope.contributing, 0
    teams = [one for one in map(env.registry.team, sorted(scope.teams)) if one is not None]
    days = {one.team_id: one.retention_days for one in teams}
    if not any(days.values()):
        return 0
    own = [
        one
        for one in read.every(env.graph, scope, Source)
        if one.user_id == scope.user_id
        and one.life.state is not State.ARCHIVED
        and one.life.ttl_policy is not TtlPolicy.KEEP_FOREVER
    ]
    for team, most in days.items():
        last = night.at - timedelta(days=most) if most else None
        old = [one for one in own if one.team_id == team and last and one.started_at < last]
        why = f"the team {team} keeps sources for {most} days"
        for start in range(0, len(old), _BATCH):
            keys = [one.key for one in old[start : start + _BATCH]]
            archive.put_away(env, scope, keys, night.at, why)
        room = max(0, _MOST_TOLD - len(night.changes))
        night.changes += [
            Change(what="archived", key=one.key, name=read.name(env, scope, one), why=why)
            for one in old[:room]
        ]
        done += len(old)
    return done


def _faded(night: Night) -> Faded:
    """What a night is too late for, the next makes up for: decay counts from the last one."""
    env, once = night.env, night.quota(1)
    if not once.left:
        return Faded()
    faded = env.graph.fade(
        night.scope,
        night.at,
        env.config.lifecycle,
        most=_MOST_TOLD,
        share=lambda part: night.tell(_FADING * part),
    )
    once.take(1)
    return faded


def _archived(env: Env, scope: Scope, keys: Sequence[str]) -> Iterator[Change]:
    for key in keys:
        thing = read.at(env, scope, key)
        if thing is not None:
            name = read.name(env, scope, thing)
            yield Change(what="archived", key=key, name=name, why=_why_faded(thing))


def _put_away(env: Env, scope: Scope, over: Sequence[SourceValue]) -> Iterator[Change]:
    for source in over:
        thing = read.at(env, scope, source.key)
        name = source.key[:8] if thing is None else read.name(env, scope, thing)
        why = f"over the limit of sources: {worth.why(source)}"
        yield Change(what="archived", key=source.key, name=name, why=why)


def _limit(env: Env) -> str:
    rules = env.config.lifecycle
    limits = [f"at most {rules.keep_sources:,} sources"] if rules.keep_sources else []
    if rules.keep_share < 1.0:
        limits.append(f"at most {rules.keep_share:.0%} of them")
    return f"worth least: {' and '.join(limits)} may stay"


def _why_faded(thing: Lived) -> str:
    """`a source not asked for since 3 March 2026; salience 0.008`."""
    life = thing.life
    accessed_at = life.last_accessed_at
    since = (
        f"never asked for since it came on {_day(thing.created_at)}"
        if accessed_at is None
        else f"not asked for since {_day(accessed_at)}"
    )
    kind = kind_of(thing).value
    what = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} {since}"
    if life.ttl_policy is TtlPolicy.EPHEMERAL:
        return f"{what}, and meant for a while only"
    return f"{what}; salience {life.salience:.3f}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
