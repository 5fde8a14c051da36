"""Foresee: what becomes of a memory if nobody asks for it, and if somebody does today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from remanent.clock import Clock
from remanent.core import lifecycle
from remanent.core.lookup import Lived, Own, confidence_of, is_episodic, kind_of
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.lifecycle_reports import Curve, Point
from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput

MOST_DAYS = 36_500
MOST_POINTS = 366
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresee:
    own: Own
    clock: Clock

    def __call__(self, scope: Scope, key: str, *, days: int = 365) -> Curve:
        """The salience of one memory over the next `days`. Looking ahead is no access."""
        days = _count(days)
        thing, now = self.own(scope, key), self.clock.now()
        today = self._at(thing, thing.life, now)
        touched = lifecycle.accessed(thing.life, now, self.own.rules)
        return Curve(
            key=thing.key,
            kind=kind_of(thing),
            name=self.own.name(scope, thing),
            life=today,
            now=now,
            points=self._points(thing, today, now, days),
            half_life=self._half_life(thing, today),
            archived_at=self._archived_at(thing, today),
            if_accessed=self._points(thing, touched, now, days),
            half_life_if_accessed=self._half_life(thing, touched),
            archived_if_accessed=self._archived_at(thing, touched),
        )

    def _at(self, thing: Lived, life: Lifecycle, moment: datetime) -> Lifecycle:
        return lifecycle.faded(
            life,
            confidence=confidence_of(thing),
            created_at=thing.created_at,
            now=moment,
            episodic=is_episodic(thing),
            rules=self.own.rules_of(thing),
        )

    def _points(self, thing: Lived, life: Lifecycle, now: datetime, days: int) -> tuple[Point, ...]:
        count = min(days, MOST_POINTS - 1)
        moments = [now + _DAY * days * place / count for place in range(count + 1)]
        return tuple(Point(at, self._at(thing, life, at).salience) for at in moments)

    def _half_life(self, thing: Lived, life: Lifecycle) -> float | None:
        rate = lifecycle.decay_rate(life, confidence_of(thing), self.own.rules_of(thing))
        return lifecycle.half_life(rate)

    def _archived_at(self, thing: Lived, life: Lifecycle) -> datetime | None:
        if life.state is State.ARCHIVED:
            return None
        days = lifecycle.archives_after(
            life,
            confidence=confidence_of(thing),
            created_at=thing.created_at,
            episodic=is_episodic(thing),
            rules=self.own.rules_of(thing),
        )
        start = lifecycle.fades_from(life, thing.created_at)
        if days is None or days > (datetime.max.replace(tzinfo=start.tzinfo) - start) / _DAY:
            return None
        return start + days * _DAY


def _count(days: object) -> int:
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        raise InvalidInput("days", f"{days!r} is not a whole number from 1 to {MOST_DAYS:,}")
    return days
