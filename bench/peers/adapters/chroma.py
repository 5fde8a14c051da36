"""Chroma's persistent client: a collection for each user, vectors given with the texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters import Peer, Record


class Adapter(Peer):
    def open(self) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(
            str(self.folder / "chroma"), settings=Settings(anonymized_telemetry=False)
        )
        self._most = self._client.get_max_batch_size()
        self._collections: dict[str, Any] = {}

    def _of(self, user: str) -> Any:
        if user not in self._collections:
            self._collections[user] = self._client.get_or_create_collection(
                f"user-{user}", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
        return self._collections[user]

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        for start in range(0, len(records), self._most):
            part = records[start : start + self._most]
            self._of(user).add(
                ids=[one.id for one in part],
                documents=[one.text for one in part],
                embeddings=[list(self.vectors[one.text]) for one in part],
            )

    def search(self, user: str, question: str, limit: int) -> list[str]:
        asked = [list(self.vectors[question])]
        found = self._of(user).query(query_embeddings=asked, n_results=limit)
        return list(found["ids"][0])

    def count(self, user: str) -> int:
        return int(self._of(user).count())

    def delete_all(self, user: str) -> None:
        self._client.delete_collection(f"user-{user}")
        self._collections.pop(user, None)
