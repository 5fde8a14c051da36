"""Items: records that a program keeps by namespace and key; no part of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from remanent.core.dataclasses import dataclass

Namespace = tuple[str, ...]
LABELS: Final = "mem0"  # a room of what is said about sources and beliefs, under their keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One record. `room` is whose program it is of, `event_id` the event that wrote it.

    It is found by the texts at its `paths`; None leaves that to who looks, and () hides it.
    `expires_at` moves on by `ttl_minutes` when it is read, if the reader wishes so.
    """

    user_id: str
    room: str
    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    event_id: str
    created_at: datetime
    updated_at: datetime
    paths: tuple[str, ...] | None = None
    ttl_minutes: float | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVector:
    """How a lens sees the text at one path of an item, as 32-bit floats; empty: it has no text."""

    user_id: str
    event_id: str
    lens: str
    path: str
    vector: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A wish: keep this value there, or with None keep nothing there any more."""

    namespace: Namespace
    key: str
    value: Mapping[str, Any] | None
    paths: tuple[str, ...] | None = None
    ttl_minutes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundItem:
    """An item and how near it is to what was asked; None where it was not asked by meaning."""

    item: Item
    score: float | None = None
