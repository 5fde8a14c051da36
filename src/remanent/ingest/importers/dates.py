"""When something was, as far as files say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

_IN_NAME = re.compile(
    r"(?P<gmt>GMT)?(?<!\d)(?P<year>(?:19|20)\d\d)([-_.]?)(?P<month>0[1-9]|1[0-2])\3"
    r"(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[T _-]+(?:at )?(?P<hour>[01]\d|2[0-3])[-_.:h]?(?P<minute>[0-5]\d)(?:[-_.:]?[0-5]\d)?)?(?!\d)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """Reads dates as a person of `zone` means them; nothing that is imported lies after `now`."""

    zone: tzinfo
    now: datetime

    def first(self, *guesses: datetime | None) -> datetime | None:
        """The first guess that there is and that is not a plan."""
        return next((one for one in guesses if one is not None and one <= self.now), None)

    def iso(self, value: object) -> datetime | None:
        """An ISO date or date and time."""
        try:
            return self.aware(datetime.fromisoformat(str(value).strip()))
        except (ValueError, OverflowError):
            return None

    def seconds(self, value: object) -> datetime | None:
        """Seconds since 1970, as a number or as text."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        try:
            return datetime.fromtimestamp(float(value), UTC)
        except (ValueError, OverflowError, OSError):
            return None

    def in_name(self, name: str) -> datetime | None:
        """A date, and a time after it, in the name of a file: `2026-03-02 standup`, `GMT20260302-140500`."""
        found = _IN_NAME.search(name)
        if found is None:
            return None
        day = f"{found['year']}-{found['month']}-{found['day']}"
        clock = f"{found['hour'] or '00'}:{found['minute'] or '00'}"
        return self.iso(f"{day}T{clock}{'Z' if found['gmt'] else ''}")

    def aware(self, when: datetime) -> datetime:
        """In UTC; without an offset it was said in the user's zone."""
        return (when if when.tzinfo else when.replace(tzinfo=self.zone)).astimezone(UTC)
