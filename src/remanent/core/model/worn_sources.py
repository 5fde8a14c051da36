"""Sources that may become notes: what a store is asked, and what it tells of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WornSourceQuery:
    """Which sources are asked for: begun and recorded by `before`, not called on since `untouched`,
    and either worn (less salience than `salience_below`; or less than `accessed_below` though called
    on `accessed_from` times) or come to be old enough after `since`."""

    before: datetime
    since: datetime
    untouched: datetime
    salience_below: float
    accessed_from: int
    accessed_below: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WornSource:
    """One such source and the anchors it mentions; `is_worn` is false for one that is only old."""

    key: str
    at: datetime
    salience: float
    access_count: int
    is_worn: bool
    anchors: frozenset[str]
