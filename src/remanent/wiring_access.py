"""Wiring of teams, keys and the audit log. Names no adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.clock import Clock
from remanent.config import Config
from remanent.teams.audit import Witness
from remanent.teams.audit_log import Deeds
from remanent.teams.invitations import Invite
from remanent.teams.keys import Keys
from remanent.teams.members import Belong
from remanent.teams.permissions import Admit
from remanent.teams.teams import Teams

if TYPE_CHECKING:
    from remanent.stores.sqlite import SqliteStores


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who belongs where, who gets in, and what is written down about it."""

    teams: Teams
    invite: Invite
    belong: Belong
    keys: Keys
    deeds: Deeds
    witness: Witness


def access_of(config: Config, stores: SqliteStores, clock: Clock) -> Access:
    """The verbs about teams and keys, all with one witness."""
    registry, atomic = stores.registry, stores.atomic
    witness = Witness(audit=stores.audit, clock=clock)
    admit = Admit(registry=registry)
    teams = Teams(registry=registry, admit=admit, witness=witness, atomic=atomic, clock=clock)
    invite = Invite(
        registry=registry,
        admit=admit,
        witness=witness,
        atomic=atomic,
        clock=clock,
        rules=config.teams,
    )
    belong = Belong(
        registry=registry,
        admit=admit,
        invite=invite,
        teams=teams,
        witness=witness,
        atomic=atomic,
        clock=clock,
    )
    keys = Keys(
        keyring=stores.keyring, registry=registry, witness=witness, atomic=atomic, clock=clock
    )
    return Access(
        teams=teams,
        invite=invite,
        belong=belong,
        keys=keys,
        deeds=Deeds(admit=admit, witness=witness),
        witness=witness,
    )
