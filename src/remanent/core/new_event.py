"""New events: an event as verbs append it, with an id of its own unless the caller has one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from remanent.core.model.event import Event
from remanent.core.model.keys import time_ordered


def effective_at(event: Event) -> datetime:
    """The moment that what the event tells of bears in the graph: the tick of a night, or when it was recorded."""
    at = event.payload.get("at")
    return event.recorded_at if at is None else datetime.fromisoformat(str(at))


def new_event(
    user_id: str,
    event_type: str,
    payload: Mapping[str, Any],
    *,
    now: datetime,
    occurred_at: datetime | None = None,
    event_id: str | None = None,
    **more: Any,
) -> Event:
    """What happened at `occurred_at` (default: now), recorded now; `more` as `Event` has it."""
    return Event(
        event_id=event_id or time_ordered(now, os.urandom(10)),
        user_id=user_id,
        event_type=event_type,
        payload=payload,
        occurred_at=occurred_at or now,
        recorded_at=now,
        **more,
    )
