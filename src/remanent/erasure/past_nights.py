"""The past of one user as far as nights are concerned: what was read when, and what nights did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from remanent.core.model import event as told
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at
from remanent.core.ports.ledger import Ledger

_NIGHT: Final = timedelta(hours=6)
_DAY: Final = timedelta(days=1)
STORIED: Final = frozenset(
    {
        told.STORYLINE_OPENED,
        told.STORYLINE_CLOSED,
        told.STORYLINE_RETOLD,
        told.MACRO_OPENED,
        told.MACRO_RETOLD,
    }
)
NIGHTLY: Final = STORIED | {told.DESCRIBED, told.NOTES_EXPIRED, told.SOURCES_DISTILLED}


@dataclass(slots=True)
class PastNights:
    """`read` tells where in the ledger each source was read, and when; `nights` are the events of
    nights in order."""

    read: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    nights: list[Event] = field(default_factory=list)

    def seq_of(self, source_key: str | None) -> int:
        """Where it was read; before everything when nobody knows."""
        return 0 if source_key is None else self.read.get(source_key, (0, None))[0]

    def run_of(self, tick: datetime) -> datetime:
        """When the night of that tick was slept, by what it wrote; at the tick itself if it did not."""
        written = (one.recorded_at for one in self.nights if effective_at(one) <= tick + _NIGHT)
        return min((at for at in written if tick <= at <= tick + _DAY), default=tick)

    def was_read(self, source_key: str, seq: int, at: datetime | None) -> bool:
        """Whether it had been read at that place of the ledger, and at that time."""
        place = self.read.get(source_key)
        return place is None or (place[0] < seq and (at is None or place[1] <= at))


def past_of(ledger: Ledger, scope: Scope) -> PastNights:
    """The caller's own."""
    past = PastNights()
    for event in all_events(ledger, scope):
        if event.event_type == told.SOURCE_EXTRACTED:
            past.read[str(event.payload["source_key"])] = (event.seq, event.recorded_at)
        elif event.event_type in NIGHTLY:
            past.nights.append(event)
    return past


def all_events(ledger: Ledger, scope: Scope, after: int = 0) -> Iterator[Event]:
    """The caller's events beyond that place, in order."""
    seq = after
    while page := list(ledger.replay(scope, after=seq)):
        seq = page[-1].seq
        yield from page
