"""Nodes: what all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.lifecycle import Lifecycle


class Kind(StrEnum):
    """Every sort of node, and what is searched like one."""

    PERSON = "person"
    CONCEPT = "concept"
    ENTITY = "entity"
    SOURCE = "source"
    ARTIFACT = "artifact"
    STORYLINE = "storyline"
    MACRO = "macro"
    BELIEF = "belief"
    EVENT = "event"
    SUMMARY = "summary"
    PASSAGE = "passage"
    RELATIONSHIP = "relationship"
    PAST_BELIEF = "past_belief"  # a belief no longer held: found only when asking about the past


INDEX_ONLY = frozenset({Kind.PASSAGE, Kind.RELATIONSHIP, Kind.PAST_BELIEF})  # no nodes of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Something that the user put right by hand: it outranks whatever is inferred (SPEC 12.14).

    `event_id` is that of the event in the ledger, by which it is undone. `was` is the alias, or the
    mark of the note, that goes; `before` what was inferred of a field whose value stands for more.
    `relation` says of which relationship it is: those stand with the anchor that it starts from.
    """

    event_id: str
    field: str
    at: datetime
    value: Any = None
    was: str = ""
    expires_at: datetime | None = None
    before: str = ""
    relation: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A thing with a key and a life, owned by one user; `by_hand` is what they put right in it.

    Embeddings are not fields: they live in the index under the node's key, so that changing the
    embedder touches no node.
    """

    kind: ClassVar[Kind]

    key: str
    user_id: str
    created_at: datetime
    updated_at: datetime
    life: Lifecycle = field(default_factory=Lifecycle)
    by_hand: tuple[Correction, ...] | None = field(default=None, metadata={"sparse": True})

    @property
    def natural(self) -> str | None:
        """What makes this node unique among its user's nodes of its kind, or None."""
        return None

    @property
    def readers(self) -> tuple[str, ...]:
        """Who may read it, as `user:ID` and `team:ID` tokens."""
        return (f"user:{self.user_id}",)

    @property
    def team(self) -> str | None:
        """The team whose leavers lose it, or None."""
        return None

    def inferred(self, name: str) -> str:
        """The value of a field without the user's hand."""
        words = (one.before for one in self.by_hand or () if one.field == name)
        return next(words, None) or str(getattr(self, name))

    def seen_by(self, user_id: str) -> Node:  # noqa: ARG002
        """The node as that user may read it: the same for all, unless a kind says otherwise."""
        return self


def own_and_team(user_id: str, team_id: str | None) -> tuple[str, ...]:
    """The readers of what is its user's, and a team's if it has one."""
    own = f"user:{user_id}"
    return (own,) if team_id is None else (own, f"team:{team_id}")
