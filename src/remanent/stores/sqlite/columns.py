"""Values as columns hold them: times as whole microseconds, structures as JSON text."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from remanent.errors import InvalidInput

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Microseconds from 1970 to `moment`, which has to say its zone."""
    if moment.tzinfo is None:
        raise InvalidInput("time", f"{moment.isoformat()} has no time zone")
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def micros_or_none(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def moment_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def to_json(record: Any, field: str) -> str:
    """The JSON text of plain values, or `InvalidInput` that names `field` when JSON has no such value."""
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(field, f"cannot be kept as JSON: {error}") from error


def from_json(text: str) -> Any:
    return json.loads(text)


def digest_of(values: Any, field: str) -> bytes:
    """A short fingerprint of plain values: equal ones have the same, others another."""
    text = to_json(values, field).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
