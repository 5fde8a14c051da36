"""Names: what an anchor is called, without the anchor."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """An anchor reduced to what it is called."""

    key: str
    kind: Kind
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    is_owner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """A person as a source named them, whether or not they have a node; names as they were written.

    An alias that is another full name was said outright to be theirs: "Eva Lund, née Berg". `sources`
    tells how many named them just so.
    """

    name: str
    aliases: tuple[str, ...] = ()
    sources: int = 1
