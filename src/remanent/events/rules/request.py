"""Which events agents may record: every field checked before anything is written (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from remanent.core import checks
from remanent.core.checks import IntakeRules
from remanent.core.dataclasses import dataclass
from remanent.core.decode import json_object
from remanent.core.model.event import RESERVED, SESSION_ENDED
from remanent.errors import InvalidInput

FIELDS: Final = (
    "event_type", "payload", "agent_id", "session_id", "parent_event_id", "occurred_at", "event_id",
    "importance_hint", "team_id",
)  # fmt: skip
_GIVEN_BY_US: Final = frozenset({"seq", "recorded_at", "user_id"})
_LONGEST_TYPE: Final = 200
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """An event that passed, but for the id that it gets where it has none."""

    event_type: str
    payload: Mapping[str, Any]
    occurred_at: datetime
    event_id: str | None
    agent_id: str
    session_id: str
    parent_event_id: str | None
    importance_hint: int | None
    team_id: str | None


def checked(
    given: object, *, now: datetime, rules: IntakeRules, longest: int, where: str = ""
) -> EventDraft:
    """The event that `given` describes, or `InvalidInput` naming the first field that is wrong."""
    fields = _fields(given, where)
    event_id = _identifier(fields, "event_id", where)
    parent = _identifier(fields, "parent_event_id", where)
    if parent is not None and parent == event_id:
        raise InvalidInput(f"{where}parent_event_id", "an event cannot have caused itself")
    payload = fields.get("payload", {})
    return EventDraft(
        event_type=_type(fields.get("event_type"), where),
        payload=json_object(
            f"{where}payload", payload, longest, deepest=_DEEPEST, check=checks.plain
        ),
        occurred_at=_moment(fields.get("occurred_at"), f"{where}occurred_at", now, rules),
        event_id=event_id,
        agent_id=_identifier(fields, "agent_id", where) or "",
        session_id=_identifier(fields, "session_id", where) or "",
        parent_event_id=parent,
        importance_hint=_hint(fields.get("importance_hint"), f"{where}importance_hint"),
        team_id=_identifier(fields, "team_id", where),
    )


def _fields(given: object, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput(where.rstrip(".") or "event", f"must be a record of fields, not {kind}")
    fields = {str(name): value for name, value in given.items()}
    if "team" in fields and fields.get("team_id") is None:
        fields["team_id"] = fields.pop("team")  # as other verbs call it
    for name in fields:
        if name in _GIVEN_BY_US:
            raise InvalidInput(f"{where}{name}", "is given by the ledger")
        if name not in FIELDS:
            raise InvalidInput(f"{where}{name}", f"is no field; known are: {', '.join(FIELDS)}")
    return fields


def _type(value: object, where: str) -> str:
    field = f"{where}event_type"
    if value is None:
        raise InvalidInput(field, "is missing; say what happened, like tool.called")
    name = checks.identifier(field, value)
    if len(name) > _LONGEST_TYPE:
        raise InvalidInput(field, f"has {len(name)} characters; at most {_LONGEST_TYPE} are taken")
    if name == SESSION_ENDED:
        raise InvalidInput(field, f"{name!r} is written by end_session")
    if name in RESERVED:
        raise InvalidInput(field, f"{name!r} is a type of Remanent's own; choose another")
    return name


def _identifier(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    value = fields.get(name)
    return None if value is None or value == "" else checks.identifier(f"{where}{name}", value)


def _hint(value: object, field: str) -> int | None:
    return None if value is None else checks.whole(field, value, 1, 10)


def _moment(value: object, field: str, now: datetime, rules: IntakeRules) -> datetime:
    if value is None:
        return now
    return checks.moment(field, checks.from_iso(field, value), now, rules)
