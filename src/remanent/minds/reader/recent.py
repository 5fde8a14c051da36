"""What the reader said of recent texts, kept at hand: a source is processed and extracted soon after."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from remanent.core.later import later
from remanent.core.recent import Recent

if TYPE_CHECKING:
    from remanent.minds.reader import reading
    from remanent.minds.reader.reading import ReadSource
else:
    reading = later("remanent.minds.reader.reading")

_Turns: TypeAlias = tuple[tuple[str | None, str], ...]
_Key: TypeAlias = tuple[_Turns, tuple[str, ...]]


class RecentReadings(Recent[_Key, "ReadSource"]):
    """Readings by their words, up to so many characters."""

    def read(self, turns: _Turns, owners: tuple[str, ...]) -> ReadSource:
        """What the reader says of these turns."""
        weight = sum(len(words) for _, words in turns)
        return self.made((turns, owners), lambda: reading.read(turns, owners), weight=weight)
