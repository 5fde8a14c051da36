"""One small file for each system: how a memory is opened, added to, searched and emptied there.

These files run in the virtual environment of their system, which holds nothing of ours: they import the
standard library and that system alone. `ours` is the exception.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Record(NamedTuple):
    """What is to be remembered: its id, who said it, the words, and the conversation it is of, with
    the moment that began behind an `@`."""

    id: str
    speaker: str
    words: str
    talk: str

    @property
    def text(self) -> str:
        return f"{self.speaker}: {self.words}"


class Peer:
    """What every adapter does. Vectors are looked up: `vectors` has one for every text of a request."""

    def __init__(self, folder: Path, vectors: Mapping[str, array[float]], *, words: bool) -> None:
        self.folder = folder
        self.vectors = vectors
        self.words = words  # made-up vectors; otherwise those of our built-in embedder

    def open(self) -> None:
        raise NotImplementedError

    def add(self, user: str, record: Record) -> None:
        """Remember one thing. It must be there when this returns."""
        self.add_many(user, [record])

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        """The quickest way it has to remember many things of one user."""
        raise NotImplementedError

    def settle(self) -> None:
        """Do what is left to do until everything added can be found. Nothing, for most."""

    def search(self, user: str, question: str, limit: int) -> list[str]:
        """Ids, best first."""
        raise NotImplementedError

    def count(self, user: str) -> int:
        raise NotImplementedError

    def delete_all(self, user: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the files, as a program that ends would."""
