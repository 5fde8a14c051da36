"""The suites that every adapter has to pass, one for each port of the stores.

Subclass a suite in your tests under a name that begins with `Test`, and override its one fixture that
starts with `new_`; it gives a function that makes an empty store each time it is called.
"""

from remanent_conformance.atomic import AtomicContract
from remanent_conformance.cypher import CypherContract
from remanent_conformance.erasure import ErasureContract
from remanent_conformance.export import ExportContract
from remanent_conformance.graph import GraphContract
from remanent_conformance.health import HealthContract
from remanent_conformance.index import IndexContract
from remanent_conformance.ledger import LedgerContract
from remanent_conformance.queue import QueueContract
from remanent_conformance.records import RecordsContract
from remanent_conformance.reembedding import ReembeddingContract
from remanent_conformance.registry import RegistryContract
from remanent_conformance.shadow import ShadowContract
from remanent_conformance.weighing import WeighingContract

__all__ = [
    "AtomicContract",
    "CypherContract",
    "ErasureContract",
    "ExportContract",
    "GraphContract",
    "HealthContract",
    "IndexContract",
    "LedgerContract",
    "QueueContract",
    "RecordsContract",
    "ReembeddingContract",
    "RegistryContract",
    "ShadowContract",
    "WeighingContract",
]
