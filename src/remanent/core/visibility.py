"""Visibility: who may read, write and contribute what (SPEC 9, 12.5), and what is private.

A node says who may read it (`readers`) and whose leavers lose it (`team`); a scope says who is
asking. High sensitivity is the node's affair: its readers then name no team. A scope that is narrowed
to a team sees what is of no team and what is that team's, be the caller a member of others or a guest.
A belief is private if a source that it rests on is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from remanent.core.dataclasses import dataclass, field
from remanent.core.model import event as types
from remanent.core.model.belief import Belief, Support
from remanent.core.model.event import Event
from remanent.core.model.node import Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Sensitivity, Source


def is_private(node: Node) -> bool:
    """Whether it is of high sensitivity itself."""
    return isinstance(node, Source | Artifact) and node.sensitivity is Sensitivity.HIGH


def spoken_for_by(supports: Iterable[Support]) -> tuple[str, ...]:
    """The sources in whose words these episodes speak; what was remembered on request has none."""
    return tuple(dict.fromkeys(one.source_key for one in supports if one.source_key is not None))


def rests_on(belief: Belief) -> tuple[str, ...]:
    """Keys of all whose words may stand in a belief: it is private if one of these is."""
    return (*spoken_for_by(belief.supports), *belief.derived_from)


def spread(beliefs: Iterable[Belief], private: Iterable[str]) -> frozenset[str]:
    """The private keys and, of these beliefs, all that rest on one of them, however indirectly."""
    keys = set(private)
    open_ = list(beliefs)
    while fresh := [one for one in open_ if not keys.isdisjoint(rests_on(one))]:
        keys |= {one.key for one in fresh}
        open_ = [one for one in open_ if one.key not in keys]
    return frozenset(keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consents:
    """What a user has said about others' sources: those they declined and those they hide, by key, and
    whose namings are declined by themselves, each with the end of that (None: it goes on)."""

    declined: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    blocked: Mapping[str, datetime | None] = field(default_factory=dict)

    @property
    def blocked_now(self) -> frozenset[str]:
        """Whose namings are declined from now on."""
        return frozenset(one for one, until in self.blocked.items() if until is None)


def consents(events: Iterable[Event]) -> Consents:
    """What a user's events say in the end: the last word about a source or a user counts."""
    declined, hidden = dict[str, bool](), dict[str, bool]()
    blocked: dict[str, datetime | None] = {}
    for event in events:
        about = str(event.payload.get("source_key") or event.payload["user_id"])
        kind = event.event_type
        if kind in (types.SOURCE_ACCEPTED, types.SOURCE_DECLINED):
            declined[about] = kind == types.SOURCE_DECLINED
        elif kind in (types.SOURCE_HIDDEN, types.SOURCE_SHOWN):
            hidden[about] = kind == types.SOURCE_HIDDEN
        elif kind in (types.USER_BLOCKED, types.USER_UNBLOCKED):
            blocked[about] = event.recorded_at if kind == types.USER_UNBLOCKED else None
    return Consents(
        declined=frozenset(key for key, so in declined.items() if so),
        hidden=frozenset(key for key, so in hidden.items() if so),
        blocked=blocked,
    )


def may_contribute(scope: Scope, team_id: str | None) -> bool:
    """Whether the caller may add to that team: members may; what has no team is personal."""
    return team_id is None or team_id in scope.teams
