"""mem0 with `infer=False`: no language model reads what is added. Vectors in Qdrant's local mode."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from adapters import Peer, Record


class Adapter(Peer):
    def open(self) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(self.folder)
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        vectors = self.vectors

        class LookedUp(EmbeddingBase):  # type: ignore[misc]
            def embed(self, text: str, memory_action: Any = None) -> list[float]:  # noqa: ARG002
                if text not in vectors:  # it trims what it is asked
                    text = next(one for one in vectors if one.strip() == text)
                return list(vectors[text])

        width = 384
        nowhere = {"api_key": "none", "openai_base_url": "http://127.0.0.1:9/v1"}
        store = {
            "path": str(self.folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": width,
            "collection_name": "memories",
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": {**nowhere, "embedding_dims": width}},
                "llm": {"provider": "openai", "config": nowhere},
                "history_db_path": str(self.folder / "history.db"),
            }
        )
        self._memory.embedding_model = LookedUp()

    def add(self, user: str, record: Record) -> None:
        self._memory.add(record.text, user_id=user, infer=False, metadata={"ref": record.id})

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        # A list of messages is what it has for many; they share their metadata, so that an id of its
        # own for each, which recall needs, takes a call for each.
        for one in records:
            self.add(user, one)

    def search(self, user: str, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, top_k=limit, filters={"user_id": user}, threshold=0.0)
        return [one["metadata"]["ref"] for one in found["results"]]

    def count(self, user: str) -> int:
        return len(self._memory.get_all(filters={"user_id": user}, top_k=1_000_000)["results"])

    def delete_all(self, user: str) -> None:
        self._memory.delete_all(user_id=user)

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()
