"""The suites that every adapter has to pass, one for each port of the stores.

Subclass a suite in your tests under a name that begins with `Test`, and override its one fixture that
starts with `new_`; it gives a function that makes an empty store each time it is called.
"""

from remanent.testing.contracts.answers import AnswersContract
from remanent.testing.contracts.atomic import AtomicContract
from remanent.testing.contracts.audit import AuditContract
from remanent.testing.contracts.carrying import CarryingContract
from remanent.testing.contracts.cypher import CypherContract
from remanent.testing.contracts.erasing import ErasingContract
from remanent.testing.contracts.graph import GraphContract
from remanent.testing.contracts.index import IndexContract
from remanent.testing.contracts.items import ItemsContract
from remanent.testing.contracts.keyring import KeyringContract
from remanent.testing.contracts.ledger import LedgerContract
from remanent.testing.contracts.queue import QueueContract
from remanent.testing.contracts.registry import RegistryContract
from remanent.testing.contracts.renewal import RenewalContract
from remanent.testing.contracts.replays import ReplaysContract
from remanent.testing.contracts.shadow import ShadowContract
from remanent.testing.contracts.spending import SpendingContract
from remanent.testing.contracts.vitals import VitalsContract
from remanent.testing.contracts.weighing import WeighingContract

__all__ = [
    "AnswersContract",
    "AtomicContract",
    "AuditContract",
    "CarryingContract",
    "CypherContract",
    "ErasingContract",
    "GraphContract",
    "IndexContract",
    "ItemsContract",
    "KeyringContract",
    "LedgerContract",
    "QueueContract",
    "RegistryContract",
    "RenewalContract",
    "ReplaysContract",
    "ShadowContract",
    "SpendingContract",
    "VitalsContract",
    "WeighingContract",
]
