"""LangGraph's SqliteStore with an index of vectors (sqlite-vec): a namespace for each user."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from adapters import Peer, Record


class Adapter(Peer):
    def open(self) -> None:
        import pysqlite3  # many builds of Python cannot load extensions into their own sqlite3

        sys.modules["sqlite3"] = pysqlite3
        from langgraph.store.sqlite import SqliteStore

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [list(self.vectors[text]) for text in texts]

        self._context = SqliteStore.from_conn_string(
            str(self.folder / "store.db"),
            index={"dims": 384, "embed": embed, "text_fields": ["text"]},
        )
        self._store = self._context.__enter__()
        self._store.setup()

    def add(self, user: str, record: Record) -> None:
        self._store.put(("memories", user), record.id, {"text": record.text})

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        from langgraph.store.base import PutOp

        self._store.batch(
            [PutOp(("memories", user), one.id, {"text": one.text}) for one in records]
        )

    def search(self, user: str, question: str, limit: int) -> list[str]:
        found = self._store.search(("memories", user), query=question, limit=limit)
        return [one.key for one in found]

    def count(self, user: str) -> int:
        return len(self._store.search(("memories", user), limit=1_000_000))

    def delete_all(self, user: str) -> None:
        while found := self._store.search(("memories", user), limit=1000):
            for one in found:  # it has no other way to empty a namespace
                self._store.delete(one.namespace, one.key)

    def close(self) -> None:
        self._context.__exit__(None, None, None)
