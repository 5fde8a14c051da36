"""Memori on a SQLite file of one's own. Its facts come from a service that reads conversations; without it
they are written through the storage driver that the service's answers are written through."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from adapters import Peer, Record


class Adapter(Peer):
    def open(self) -> None:
        from memori import Memori
        from memori.search import search_facts

        path = self.folder / "memori.db"
        self._memori = Memori(
            conn=lambda: sqlite3.connect(path, timeout=60, check_same_thread=False),
            use_rust_core=False,  # that engine embeds for itself, with weights from a model hub
        )
        self._memori.config.storage.build()
        self._driver = self._memori.config.storage.driver
        self._search = search_facts
        self._entities: dict[str, int] = {}

    def _entity(self, user: str) -> int:
        if user not in self._entities:
            self._entities[user] = self._driver.entity.create(user)
        return self._entities[user]

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        texts = [_marked(one) for one in records]
        vectors = [list(self.vectors[one.text]) for one in records]
        self._driver.entity_fact.create(self._entity(user), texts, vectors)

    def search(self, user: str, question: str, limit: int) -> list[str]:
        # As `recall` does it, with the vector given and all facts weighed: by default the newest 1,000.
        found = self._search(
            self._driver.entity_fact,
            self._entity(user),
            list(self.vectors[question]),
            limit,
            1_000_000,
            query_text=question,
        )
        return [one.content.rpartition(" #")[2] for one in found]

    def count(self, user: str) -> int:
        return len(self._driver.entity_fact.get_embeddings(self._entity(user), 1_000_000))

    def delete_all(self, user: str) -> None:
        self._memori.delete_entity_memories(user)

    def close(self) -> None:
        self._memori.close()


def _marked(record: Record) -> str:
    """A fact has no id of ours, and two of the same words are one: the id stands behind the words."""
    return f"{record.text} #{record.id}"
