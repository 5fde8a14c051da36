"""One batch of operations: what has to be embedded for it, by whom, and its results."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from langgraph.store import base

from remanent.core.ports.index import Vector
from remanent.core.records.item import Item, Put
from remanent.items.api import ItemStore
from remanent.items.read import MEASURES, ItemQuery
from remanent.items.rules import NamespaceQuery, check_filter, words

Paths = tuple[str, ...] | None
WHOLE = "$"


class Sight:
    """How a store sees what its items mean: by the memory's own embedder, where it was given none.

    All words of a value are one text then.
    """

    measure = "cosine"

    def __init__(self, items: ItemStore) -> None:
        self._items = items
        self.embeddings: base.Embeddings | None = None

    @property
    def lens(self) -> str:
        """The name under which its vectors are stored: another embedder is another lens."""
        return self._items.own_lens

    def texts(self, value: Mapping[str, Any], paths: Paths) -> dict[str, str]:
        """The texts to be turned into vectors, by where they stand; `paths` may say where."""
        if paths is None or paths == (WHOLE,):
            text = words(value)
            return {WHOLE: text} if text else {}
        return _at_paths(value, paths)

    def embed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """A vector for each text, and then one for each question."""
        return [*self._items.embed(texts), *self._items.embed(questions, kind="question")]

    async def aembed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """The same without holding up the event loop."""
        return await asyncio.to_thread(self.embed, texts, questions)


class GivenSight(Sight):
    """An embedder that came with an index configuration, as LangGraph's own stores take one."""

    def __init__(self, config: base.IndexConfig) -> None:
        given = cast("dict[str, Any]", config)
        if "dims" not in given or given.get("embed") is None:
            raise ValueError("index: an index configuration needs `dims` and `embed`")
        self.embeddings = self._embedder = base.ensure_embeddings(given["embed"])
        self.measure = str(given.get("distance_type") or "cosine")
        if self.measure not in MEASURES:
            raise ValueError(f"index: distance_type is one of {', '.join(MEASURES)}")
        self._dims = int(given["dims"])
        self._fields = tuple(given.get("fields") or given.get("text_fields") or (WHOLE,))
        self._lens = f"given:{_name(given['embed'])}:{self._dims}:{'|'.join(self._fields)}"

    @property
    def lens(self) -> str:
        return self._lens

    def texts(self, value: Mapping[str, Any], paths: Paths) -> dict[str, str]:
        """Those at the paths of the put, or of the configuration."""
        return _at_paths(value, self._fields if paths is None else paths)

    def embed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """A vector for each text, and then one for each question."""
        documents = self._embedder.embed_documents(list(texts)) if texts else []
        return self._vectors([*documents, *map(self._embedder.embed_query, questions)])

    async def aembed(self, texts: Sequence[str], questions: Sequence[str]) -> list[Vector]:
        """The same by the embedder's own coroutines."""
        documents = await self._embedder.aembed_documents(list(texts)) if texts else []
        queries = await asyncio.gather(*map(self._embedder.aembed_query, questions))
        return self._vectors([*documents, *queries])

    def _vectors(self, made: Sequence[Sequence[float]]) -> list[Vector]:
        for vector in made:
            if len(vector) != self._dims:
                raise ValueError(
                    f"index: the embedder gives {len(vector)} numbers, and `dims` is {self._dims}"
                )
        return [np.asarray(one, dtype=np.float32) for one in made]


def _at_paths(value: Mapping[str, Any], paths: Sequence[str]) -> dict[str, str]:
    by_path: dict[str, str] = {}
    for path in paths:
        texts = [text for text in base.get_text_at_path(value, path) if text]
        for number, text in enumerate(texts):
            by_path[path if len(texts) == 1 else f"{path}.{number}"] = text
    return by_path


def _name(embed: object) -> str:
    """What tells embedders apart: a name or a model where they have one, else what they are."""
    if isinstance(embed, str):
        return embed
    for name in ("model", "model_name", "__qualname__"):
        if isinstance(label := getattr(embed, name, None), str):
            return label
    return type(embed).__qualname__


class Batch:
    """Reads come first and see what was there before the batch; then all puts happen, or none.

    Of several puts to one place the last one counts. The texts that need a vector stand in `texts` and
    `questions`; with those vectors `results` does the work. Nothing is written before.
    """

    def __init__(
        self, items: ItemStore, sight: Sight, ops: Iterable[base.Op], *, omit_expired: bool
    ) -> None:
        self._items = items
        self._sight = sight
        self._omit_expired = omit_expired
        self._ops = list(ops)
        for op in self._ops:
            _check(op)
        puts = [op for op in self._ops if isinstance(op, base.PutOp)]
        last = {(tuple(op.namespace), str(op.key)): op for op in puts}
        self._puts = [_put(op) for op in last.values()]
        self._put_texts = [self._texts(one) for one in self._puts]
        asked = [op for op in self._ops if isinstance(op, base.SearchOp) and op.query]
        self._unseen = self._not_seen_yet({tuple(op.namespace_prefix) for op in asked})
        self.questions = list(dict.fromkeys(op.query for op in asked if op.query))
        wanted = [*self._put_texts, *(texts for _, texts in self._unseen)]
        self.texts = list(dict.fromkeys(t for texts in wanted if texts for t in texts.values()))

    def results(self, vectors: Sequence[Vector]) -> list[base.Result]:
        """Do it all; the result of each operation in its place."""
        made = dict(zip(self.texts, vectors[: len(self.texts)], strict=True))
        queries = dict(zip(self.questions, vectors[len(self.texts) :], strict=True))
        lens = self._sight.lens
        self._items.see(
            lens, [(item, {p: made[t] for p, t in texts.items()}) for item, texts in self._unseen]
        )
        results = [self._read(op, queries) for op in self._ops]
        if self._puts:
            seen = [
                None if texts is None else {p: made[t] for p, t in texts.items()}
                for texts in self._put_texts
            ]
            self._items.put(self._puts, lens=lens, vectors=seen)
        return results

    def _texts(self, put: Put) -> dict[str, str] | None:
        """What of a put is to be embedded at once; None if nothing ever is."""
        if put.value is None or put.paths == ():
            return None
        return self._sight.texts(put.value, put.paths)

    def _not_seen_yet(self, prefixes: set[tuple[str, ...]]) -> list[tuple[Item, dict[str, str]]]:
        """Items that a search by meaning has to look at, and that came in by another lens."""
        unseen = {
            item.event_id: item
            for prefix in sorted(prefixes)
            for item in self._items.unseen(self._sight.lens, prefix)
        }
        return [(one, self._sight.texts(one.value, one.paths)) for one in unseen.values()]

    def _read(self, op: base.Op, questions: dict[str, Vector]) -> base.Result:
        if isinstance(op, base.GetOp):
            stored = self._items.get(
                tuple(op.namespace),
                str(op.key),
                omit_expired=self._omit_expired,
                prolong=op.refresh_ttl,
            )
            return None if stored is None else base.Item(**_fields(stored))
        if isinstance(op, base.SearchOp):
            return self._search(op, questions)
        if isinstance(op, base.ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _search(self, op: base.SearchOp, questions: dict[str, Vector]) -> list[base.SearchItem]:
        hits = self._items.search(
            ItemQuery(
                prefix=tuple(op.namespace_prefix),
                filter=op.filter,
                limit=op.limit,
                offset=op.offset,
                lens=self._sight.lens,
                vector=questions[op.query] if op.query else None,
                measure=self._sight.measure,
                omit_expired=self._omit_expired,
                prolong=op.refresh_ttl,
            )
        )
        return [base.SearchItem(**_fields(one.item), score=one.score) for one in hits]

    def _namespaces(self, op: base.ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        places = NamespaceQuery(
            prefixes=[tuple(c.path) for c in conditions if c.match_type == "prefix"],
            suffixes=[tuple(c.path) for c in conditions if c.match_type == "suffix"],
            max_depth=op.max_depth,
        )
        namespaces = self._items.namespaces(places, omit_expired=self._omit_expired)
        return namespaces[op.offset : op.offset + op.limit]


def _check(op: base.Op) -> None:
    if not isinstance(op, base.GetOp | base.SearchOp | base.PutOp | base.ListNamespacesOp):
        raise ValueError(f"Unknown operation type: {type(op)}")  # noqa: TRY004 - as their stores do
    base.validate_op_namespace(op)
    if isinstance(op, base.SearchOp):
        check_filter(op.filter)
    if isinstance(op, base.ListNamespacesOp):
        for condition in op.match_conditions or ():
            if condition.match_type not in ("prefix", "suffix"):
                raise ValueError(f"Unsupported match type: {condition.match_type}")


def _put(op: base.PutOp) -> Put:
    paths = () if op.index is False else None if op.index is None else tuple(op.index)
    return Put(
        namespace=tuple(op.namespace),
        key=str(op.key),
        value=op.value,
        paths=paths,
        ttl_minutes=op.ttl,
    )


def _fields(stored: Item) -> dict[str, Any]:
    """What their items have of ours."""
    names = ("namespace", "key", "created_at", "updated_at")
    return {"value": dict(stored.value), **{name: getattr(stored, name) for name in names}}
