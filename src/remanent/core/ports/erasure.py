"""Erasing: what no other port may do, for the one verb that takes things away for good."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.erasure import ErasureDates


class ErasureStore(Protocol):
    """Works on all that the stores of one memory keep together, caches and free pages included."""

    def secret(self) -> bytes:
        """What the papers of this memory are signed with; made when first asked for, and the same
        ever after. It is part of no export."""
        ...

    def readers(self, source_key: str) -> list[str]:
        """Ids of the users whose graphs have something that came from this source, in order."""
        ...

    def companions(self, user_id: str) -> list[tuple[str, str]]:
        """Sources of others that name this user among their participants: whose, and the key."""
        ...

    def keys(self, scope: Scope) -> Mapping[str, str]:
        """The keys of all nodes and relationships that the caller owns, with what each is."""
        ...

    def dates(self, scope: Scope) -> ErasureDates:
        """When the caller's nodes, relationships and links came to be, and last changed."""
        ...

    def redate(self, scope: Scope, dates: ErasureDates) -> None:
        """Give those of these that are still there these dates."""
        ...

    def strike_jobs(self, words: Collection[str]) -> int:
        """Take away every job that names one of these, whoever is at it, with what it said of its
        failures; how many."""
        ...

    def strike_bygones(self, scope: Scope, keys: Collection[str]) -> int:
        """Forget where these of the caller's events went; how many of them had gone."""
        ...

    def strike_user(self, scope: Scope) -> Mapping[str, int]:
        """Take away all that is the caller's own in every table, their place in the registry
        included, and their id from what others keep; how many rows of which table."""
        ...

    def rename_in_log(self, user_id: str, name: str) -> int:
        """Call a user by that name in the log of deeds from now on; how many told of them."""
        ...

    def traces(self, words: Sequence[str], *, truth: bool = False) -> Mapping[str, int]:
        """How many places of which table hold one of these words as it stands; with `truth` only of
        what people and agents have given us."""
        ...

    def owe(self, words: str) -> None:
        """Remember that the file is still to be written anew; `settle` forgets it."""
        ...

    def owed(self) -> str | None:
        """What was remembered so, if it was."""
        ...

    def compact(self) -> bool:
        """Write the files anew, so that nothing of what was taken away is in any byte of them, and
        settle what was owed; False when another holds them too long. Not inside a transaction."""
        ...

    def size(self) -> int:
        """How many bytes the files have now; 0 of a memory that has none."""
        ...

    def bytes_with(self, words: Sequence[str]) -> int:
        """In how many places of the files' bytes one of these words stands."""
        ...
