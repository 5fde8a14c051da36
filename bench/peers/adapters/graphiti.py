"""Graphiti on Kuzu, the one database it has that needs no server. A language model would draw facts from each
episode; without one, every memory is written as a fact between its user and its speaker."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from adapters import Peer, Record

T = TypeVar("T")


class Adapter(Peer):
    def open(self) -> None:
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
        os.environ["OPENAI_API_KEY"] = "none"
        warnings.simplefilter("ignore")
        from graphiti_core import Graphiti
        from graphiti_core.cross_encoder.client import CrossEncoderClient
        from graphiti_core.driver.kuzu_driver import KuzuDriver
        from graphiti_core.embedder.client import EmbedderClient

        vectors = self.vectors

        class LookedUp(EmbedderClient):  # type: ignore[misc]
            async def create(self, input_data: Any) -> list[float]:
                text = input_data if isinstance(input_data, str) else input_data[0]
                if text not in vectors:  # it embeds a fact without its line breaks
                    text = next(one for one in vectors if one.replace("\n", " ") == text)
                return list(vectors[text])

        class Unranked(CrossEncoderClient):  # type: ignore[misc]
            async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:  # noqa: ARG002
                return [(one, 1.0) for one in passages]

        self._loop = asyncio.new_event_loop()  # one for all threads that ask
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        path = self.folder / "graph.kuzu"
        is_new = not path.exists()
        self._driver = KuzuDriver(str(path))
        self._graphiti = Graphiti(
            graph_driver=self._driver, embedder=LookedUp(), cross_encoder=Unranked()
        )
        if is_new:  # Graphiti's own call leaves the full-text index out on Kuzu, and search fails
            self._run(self._driver.graph_ops.build_indices_and_constraints(self._driver))
        self._nodes: dict[tuple[str, str], str] = {}

    def _run(self, one: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(one, self._loop).result()

    async def _node(self, user: str, name: str) -> str:
        from graphiti_core.nodes import EntityNode

        if (user, name) not in self._nodes:
            node = EntityNode(uuid=f"{user}/{name}", name=name, group_id=user)
            node.name_embedding = list(next(iter(self.vectors.values())))
            await node.save(self._driver)
            self._nodes[user, name] = node.uuid
        return self._nodes[user, name]

    async def _add(self, user: str, records: Sequence[Record]) -> None:
        from graphiti_core.edges import EntityEdge

        for one in records:
            edge = EntityEdge(
                uuid=f"{user}/{one.id}",
                group_id=user,
                source_node_uuid=await self._node(user, user),
                target_node_uuid=await self._node(user, one.speaker),
                created_at=datetime.now(UTC),  # noqa: TID251
                name="SAID",
                fact=one.text,
            )
            await edge.generate_embedding(self._graphiti.embedder)
            await edge.save(self._driver)

    def add_many(self, user: str, records: Sequence[Record]) -> None:
        self._run(self._add(user, records))

    def search(self, user: str, question: str, limit: int) -> list[str]:
        found = self._run(self._graphiti.search(question, group_ids=[user], num_results=limit))
        return [one.uuid.partition("/")[2] for one in found]

    def count(self, user: str) -> int:
        asked = "MATCH (e:RelatesToNode_) WHERE e.group_id = $user RETURN count(*) AS n"
        rows, _, _ = self._run(self._driver.execute_query(asked, user=user))
        return int(rows[0]["n"])

    def delete_all(self, user: str) -> None:
        from graphiti_core.nodes import Node

        self._run(Node.delete_by_group_id(self._driver, user))
