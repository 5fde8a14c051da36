"""Labels: what mem0's programs say about memories besides their words, kept as items.

Under `told` by the source or episode that they came in with, so that they hold for all that is
learned from it; under `said` by the memory, where a program changed them later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from remanent.core.model.belief import Belief
from remanent.core.records.item import LABELS, Put
from remanent.items.read import ItemQuery
from remanent.items.rules import checked
from remanent.memory import UserMemory

ROOM: Final = LABELS  # where erasing looks for it
TOLD: Final = ("told",)
SAID: Final = ("said",)
_ALL: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of one user's memories."""

    told: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    changed: Mapping[str, datetime] = field(default_factory=dict)

    def of(self, belief: Belief) -> dict[str, Any]:
        """Those of a belief: of its newest episode that has some, but for what was said of it since."""
        found: dict[str, Any] = {}
        for support in sorted(belief.supports, key=lambda one: (one.at, one.event_id)):
            found |= self.told.get(support.source_key or support.event_id, {})
        return {**found, **self.said.get(belief.key, {})}


def labels_of(user: UserMemory) -> Labels:
    """What was said about this user's memories."""
    found = [one.item for one in user.shelf(ROOM).search(ItemQuery(limit=_ALL))]
    return Labels(
        told={one.key: one.value for one in found if one.namespace == TOLD},
        said={one.key: one.value for one in found if one.namespace == SAID},
        changed={one.key: one.updated_at for one in found if one.namespace == SAID},
    )


def check(labels: Mapping[str, Any]) -> None:
    """Refuse labels that cannot be kept, before what they are about is."""
    checked(Put(namespace=SAID, key="any", value=labels, paths=()))


def tell(user: UserMemory, episode: str, labels: Mapping[str, Any]) -> None:
    """Keep what was said about all that comes of an episode; nothing, if nothing was."""
    if labels:
        user.shelf(ROOM).put([Put(namespace=TOLD, key=episode, value=labels, paths=())])


def say(user: UserMemory, key: str, labels: Mapping[str, Any]) -> None:
    """Change what is said about one memory; what is not named stays."""
    shelf = user.shelf(ROOM)
    known = shelf.get(SAID, key)
    whole = {**({} if known is None else known.value), **labels}
    shelf.put([Put(namespace=SAID, key=key, value=whole, paths=())])
