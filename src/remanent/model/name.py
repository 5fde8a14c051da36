"""Names: what an anchor is called, without the anchor."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """An anchor reduced to what it is called."""

    key: str
    kind: Kind
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    is_owner: bool = False
