"""Wiring of items. Names no adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.clock import Clock
from remanent.items.read import LookUp
from remanent.items.write import Stow

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """What can be done with items."""

    stow: Stow
    look_up: LookUp


def shelved_of(stores: SqliteStores, clock: Clock) -> Shelved:
    """Writing items and finding them."""
    return Shelved(
        stow=Stow(items=stores.items, ledger=stores.ledger, atomic=stores.atomic, clock=clock),
        look_up=LookUp(items=stores.items, atomic=stores.atomic, clock=clock),
    )
