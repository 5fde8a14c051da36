"""What a night reads before it says who or what something is (SPEC 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from remanent.core.model.anchor import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyRules:
    """The figures of nightly consolidation."""

    only_accessed: float = 0.0  # days: only what was called on within them; 0: everything
    describe_most: int = 1000
    describe_notes: int = 50


def accessed_since(at: datetime, rules: NightlyRules) -> datetime | None:
    """Since when something has to have been called on to be described; None: it does not matter."""
    return at - timedelta(days=rules.only_accessed) if rules.only_accessed > 0 else None


def to_read(notes: Iterable[Note], at: datetime) -> list[Note]:
    """These notes, given oldest first, in the order in which they are to be read: what counts most last.

    What has expired by `at` and is still there was never described: it is read once more, before
    all that holds.
    """
    return sorted(notes, key=lambda one: one.expires_at is None or one.expires_at > at)


def said_by(notes: Iterable[Note], sources: Collection[str]) -> list[Note]:
    """Those that these sources gave, "" standing for no source."""
    return [one for one in notes if (one.source_key or "") in sources]
