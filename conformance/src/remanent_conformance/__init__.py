"""The suites that every adapter has to pass, one for each port of the stores.

Subclass a suite in your tests under a name that begins with `Test`, and override its one fixture that
starts with `new_`; it gives a function that makes an empty store each time it is called.
"""

from remanent_conformance.answers import AnswersContract
from remanent_conformance.atomic import AtomicContract
from remanent_conformance.audit import AuditContract
from remanent_conformance.carrying import CarryingContract
from remanent_conformance.cypher import CypherContract
from remanent_conformance.erasing import ErasingContract
from remanent_conformance.graph import GraphContract
from remanent_conformance.index import IndexContract
from remanent_conformance.items import ItemsContract
from remanent_conformance.keyring import KeyringContract
from remanent_conformance.ledger import LedgerContract
from remanent_conformance.queue import QueueContract
from remanent_conformance.registry import RegistryContract
from remanent_conformance.renewal import RenewalContract
from remanent_conformance.replays import ReplaysContract
from remanent_conformance.shadow import ShadowContract
from remanent_conformance.spending import SpendingContract
from remanent_conformance.vitals import VitalsContract
from remanent_conformance.weighing import WeighingContract

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
