"""The ledger: truth. Append-only but for erasure, durable before the caller gets an answer.

`Atomic` is the transaction: all or nothing, for what one store keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from remanent.core.model.event import Event, PendingEvents
from remanent.core.model.scope import Scope
from remanent.core.model.source import RawSource


class Atomic(Protocol):
    def __call__(
        self, whose: Scope | None = None, *, durable: bool = False, patient: bool = True
    ) -> AbstractContextManager[None]:
        """A block whose writes all happen or none; inside another such block it joins that one.

        Nobody else writes meanwhile; whoever says `whose` memory it is, and writes in no other's, lets
        others write in theirs where the store can tell them apart. Who is not `patient` gets `BusyMemory` at once while somebody else writes.

        With `durable` they are on the disk when the block has ended; otherwise a power cut (not a
        killed process) may take back the last few, which a replay restores.
        """


class Positions(Protocol):
    """How far whoever consumes a user's events is, kept in the store that is written as they are consumed."""

    def position(self, scope: Scope, consumer: str, *, to: int | None = None) -> int:
        """Up to which place the consumer has handled the caller's events (0: none); with `to`, up to there from
        now on, but never back."""


class Ledger(Positions, Protocol):
    """Its positions are those of whatever goes with what is appended, and of consumers that users name."""

    def append(self, event: Event, raw: RawSource | None = None) -> tuple[Event, bool]:
        """Store `event` at the end, and with it what came in, of the same user, unless that is there. Gives it
        back with its `seq`, and whether it is new. `Forbidden` if what has the key of `raw` is another's.

        An event id that is there already changes nothing: the stored event comes back with False.
        """

    def raw(self, scope: Scope, key: str) -> RawSource | None:
        """What the caller gave under that key, byte for byte."""

    def event(self, scope: Scope, event_id: str) -> Event | None:
        """The caller's event of that id."""

    def replay(
        self,
        scope: Scope,
        *,
        after: int = 0,
        before: int | None = None,
        types: Sequence[str] = (),
        session: str | None = None,
        parent: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Event]:
        """The caller's events with `seq` beyond `after`, in the order they were appended; where given, only
        those below `before`, of these types, of that session, or that name that one as their parent."""

    def expect(self, scope: Scope, *, types: Sequence[str]) -> None:
        """All the caller's events of these types will be replayed as soon as one other thing has been read:
        where a journey costs more than what is read, they come along with it. No promise is broken by
        not replaying them."""

    def last_seq(self, scope: Scope) -> int:
        """The `seq` of the caller's newest event (0: none). Lag is this minus a consumer's position."""

    def size(self, scope: Scope) -> int:
        """How many characters the payloads of the caller's events have."""

    def waiting(self, scope: Scope, *, after: int, but: Collection[str] = ()) -> PendingEvents:
        """How many of the caller's events have a `seq` beyond `after`, `but` those of these types, and
        when the first of them was recorded."""

    def beside(
        self, scope: Scope, event: Event, *, but: Collection[str] = ()
    ) -> tuple[Event | None, Event | None]:
        """Of what was appended before `event` in the session of the same agent, `but` these types: what
        happened just before it and just after it. At one time, what was appended later is later."""

    def erase(self, scope: Scope, event_ids: Collection[str], *, raws: Collection[str] = ()) -> int:
        """Take these of the caller's events, and what came in under these keys, away for good, as erasure alone
        may; how many there were. No other event moves, and no `seq` is given again."""

    def amend(self, scope: Scope, event: Event) -> bool:
        """Give the caller's event of that id this payload, and leave all else of it; False if there
        is none. Only for taking out the name of something that was erased, and for the trimmer."""

    def change_consents(self, about: Collection[str], to: str | None = None) -> int:
        """Take away what anybody has said about these sources and these users: that they accept, decline,
        hide or block them; how many events that were. With `to`, let what was said about these sources, or
        marks of such, say it of that one."""
