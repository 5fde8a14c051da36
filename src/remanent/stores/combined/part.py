"""What a server beside PostgreSQL says of itself: what it keeps, and how it goes along with a block.

A memory on several servers is one memory: PostgreSQL, which every such memory has, keeps the locks,
and each other server is a `Part`, whose `Member` takes part in every block of writes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from remanent.core.dataclasses import dataclass
from remanent.core.model.event import Event
from remanent.core.ports.admin import ErasureStore, HealthStore
from remanent.core.records.admin import Comparison
from remanent.core.records.export import RecordKind
from remanent.stores.sql.admin.export import Rows
from remanent.stores.sql.database import Database

if TYPE_CHECKING:
    from remanent.stores.combined.block import Block

Dimensions = int | Callable[[], int]
Ticket = list[str | int]
"""By what a block is known when it is over: PostgreSQL's number of its transaction, and a user and the last
event that it appended for them; "" and 0 where it appended nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """With what a part is opened. `schema` is the name of the memory, which stands before all that is its
    own on a server that it shares; `block` begins its writes."""

    schema: str
    block: Block
    now: datetime
    embedder_name: str
    dimensions: Dimensions
    busy_timeout_s: float = 60


class Member:
    """One server's share in the block of the thread that calls: it has written nothing for good yet.

    A block ends in four steps: `promise`, `derive`, PostgreSQL's own commit, `settle`. What a crash leaves
    between two of them is mended by whoever writes next for that user, from what the ledger says.
    """

    def begin(self) -> None:
        """A block begins. Nothing need be asked of the server yet."""

    def mark(self) -> Any:
        """Where the block stands, for when an inner one fails."""

    def take_back(self, mark: Any) -> None:
        """Let go of all that was written since."""

    def appended(self) -> Mapping[str, int]:
        """The `seq` of the last event that this block has appended, by user."""
        return {}

    def promise(self) -> None:
        """Write down what the caller is promised, durably and at once: events, raw sources, jobs; and that
        what was `appended` is not applied yet."""

    def derive(self) -> None:
        """Write down what was derived."""

    def finish(self, is_written: Callable[[Ticket], bool]) -> None:
        """Of what a crash left of those whose `unapplied` was asked for: what was to be settled after a
        block that was written is done, and what after one that was not is let go of."""

    def mended(self, user_id: str, seq: int) -> None:
        """What was `unapplied` of that user up to that event goes along with this block."""

    def settle(self) -> None:
        """Everybody has written: let go of the jobs that were done and of what is erased, and of the notes
        that `promise` made or `unapplied` told of, unless another has made a new one since."""

    def end(self) -> None:
        """The block is over, however it ended: forget what was not written down."""

    def unapplied(self, user_id: str | None = None) -> Mapping[str, int]:
        """Up to which event a ledger waits to be applied, by user: the notes of `promise` that nobody
        settled; 0 where only what `settle` does is left. Of one user, or of all."""
        del user_id
        return {}


class LedgerOfAll(Protocol):
    """A ledger as a whole, for exports and rebuilds."""

    def events(self, after: int, limit: int) -> list[Event]:
        """The next events of anybody with a `seq` beyond `after`, in order."""

    def count(self, to: int | None = None) -> int:
        """How many events of anybody there are, or how many up to that `seq`."""

    def last_number(self) -> int:
        """The highest `seq` that an event was ever given; 0 where there is no event."""


class Part(ABC):
    """All that one server keeps of a memory."""

    path: str
    """Where it is, as errors name it: without a password."""
    stores: Mapping[str, Any]
    """What it keeps, by field of `Stores`."""
    member: Member
    erasing: ErasureStore
    health: HealthStore
    """Of what it keeps, and no more: what others keep is 0 or nothing in its `census`."""
    rows: Mapping[RecordKind, Rows] = MappingProxyType({})
    """Of an export, the sorts that lie in no database of SQL's statements."""
    database: Database | None = None
    """Where the shared statements of graph and index find theirs, if it keeps these."""
    ledger_of_all: LedgerOfAll | None = None
    """If it keeps the ledger."""
    wait_for_work: Callable[[float], object] | None = None

    @abstractmethod
    def belongs(self, mark: str) -> str:
        """Note whose the part is, unless that is noted; what is noted then."""

    def with_embedder(self, name: str, dimensions: Dimensions) -> Mapping[str, Any]:
        """Those of its stores, by field, that are others once vectors are of another embedder."""
        del name, dimensions
        return {}

    def compare(self, other: Part, samples: int) -> Comparison:
        """What differs between its graph and that of another such part; see `Shadow.compare`."""
        raise NotImplementedError(f"{self.path} keeps no graph")

    def adopt(self, other: Part) -> None:
        """Put the other's graph and index in the place of its own, in a block; see `Shadow.switch`."""
        raise NotImplementedError(f"{self.path} keeps no graph")

    def drop(self) -> None:
        """Take away all that it has, at once."""
        raise NotImplementedError(f"{self.path} keeps no graph")

    @abstractmethod
    def close(self) -> None:
        """End all connections."""
