"""What the verbs of correcting take and tell, apart from how it is done."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from remanent.core.dataclasses import KW_ONLY, dataclass
from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRequest:
    """What is to be put right, as the caller gave it."""

    field: str
    value: Any = None
    was: str | None = None
    lifetime: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What a correction did; its id, by which it is undone, is "" where it changed nothing."""

    key: str
    kind: Kind
    name: str
    correction_id: str = ""
    changed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingCorrection:
    """Something put right by hand that stands, and what it was put right in."""

    correction_id: str
    key: str
    kind: Kind
    name: str
    field: str
    value: Any
    at: datetime
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Bond:
    """A relationship as the user tells of it."""

    src: str
    dst: str
    type: str
    _: KW_ONLY
    description: str | None = None
    attitude: int | None = None
    proximity: int | None = None
    confidence: float | None = None
    since: datetime | None = None
    until: datetime | None = None
