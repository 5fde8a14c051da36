"""Plan: one batch of operations, what has to be embedded for it, and its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)
from remanent.core.ports.index import Vector
from remanent.core.records.item import FoundItem, Put
from remanent.core.records.item import Item as Kept
from remanent.items.api import ItemStore
from remanent.items.read import ItemQuery
from remanent.items.rules import NamespaceQuery, check_filter
from remanent.surfaces.compat.langgraph.sight import Sight


class Plan:
    """Reads come first and see what was there before the batch; then all puts happen, or none.

    Of several puts to one place the last one counts. The texts that need a vector stand in `texts` and
    `questions`; with those vectors `results` does the work. Nothing is written before.
    """

    def __init__(
        self, shelf: ItemStore, sight: Sight, ops: Iterable[Op], *, omit_expired: bool
    ) -> None:
        self._shelf = shelf
        self._sight = sight
        self._omit_expired = omit_expired
        self._ops = list(ops)
        for op in self._ops:
            _check(op)
        last = {(tuple(op.namespace), str(op.key)): op for op in self._ops if isinstance(op, PutOp)}
        self._puts = [_put(op) for op in last.values()]
        self._put_texts = [self._texts(one) for one in self._puts]
        self._unseen = self._not_seen_yet()
        self.questions = list(
            dict.fromkeys(op.query for op in self._ops if isinstance(op, SearchOp) and op.query)
        )
        wanted = [*self._put_texts, *(texts for _, texts in self._unseen)]
        self.texts = list(dict.fromkeys(t for texts in wanted if texts for t in texts.values()))

    def results(self, vectors: Sequence[Vector]) -> list[Result]:
        """Do it all; the result of each operation in its place."""
        made = dict(zip(self.texts, vectors[: len(self.texts)], strict=True))
        asked = dict(zip(self.questions, vectors[len(self.texts) :], strict=True))
        lens = self._sight.lens
        self._shelf.see(
            lens,
            [(item, {p: made[t] for p, t in texts.items()}) for item, texts in self._unseen],
        )
        results = [self._read(op, asked) for op in self._ops]
        if self._puts:
            seen = [
                None if texts is None else {p: made[t] for p, t in texts.items()}
                for texts in self._put_texts
            ]
            self._shelf.put(self._puts, lens=lens, vectors=seen)
        return results

    def _texts(self, put: Put) -> dict[str, str] | None:
        """What of a put is to be embedded at once; None if nothing ever is."""
        if put.value is None or put.paths == ():
            return None
        return self._sight.texts(put.value, put.paths)

    def _not_seen_yet(self) -> list[tuple[Kept, dict[str, str]]]:
        """Items that a search by meaning has to look at, and that came in by another lens."""
        prefixes = {
            tuple(op.namespace_prefix) for op in self._ops if isinstance(op, SearchOp) and op.query
        }
        found = {
            item.event_id: item
            for prefix in sorted(prefixes)
            for item in self._shelf.unseen(self._sight.lens, prefix)
        }
        return [(one, self._sight.texts(one.value, one.paths)) for one in found.values()]

    def _read(self, op: Op, asked: dict[str, Vector]) -> Result:
        if isinstance(op, GetOp):
            kept = self._shelf.get(
                tuple(op.namespace),
                str(op.key),
                omit_expired=self._omit_expired,
                prolong=op.refresh_ttl,
            )
            return None if kept is None else _item(kept)
        if isinstance(op, SearchOp):
            return self._search(op, asked)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _search(self, op: SearchOp, asked: dict[str, Vector]) -> list[SearchItem]:
        found = self._shelf.search(
            ItemQuery(
                prefix=tuple(op.namespace_prefix),
                filter=op.filter,
                limit=op.limit,
                offset=op.offset,
                lens=self._sight.lens,
                vector=asked[op.query] if op.query else None,
                measure=self._sight.measure,
                omit_expired=self._omit_expired,
                prolong=op.refresh_ttl,
            )
        )
        return [_search_item(one) for one in found]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        places = NamespaceQuery(
            prefixes=[tuple(c.path) for c in conditions if c.match_type == "prefix"],
            suffixes=[tuple(c.path) for c in conditions if c.match_type == "suffix"],
            max_depth=op.max_depth,
        )
        found = self._shelf.namespaces(places, omit_expired=self._omit_expired)
        return found[op.offset : op.offset + op.limit]


def _check(op: Op) -> None:
    if not isinstance(op, GetOp | SearchOp | PutOp | ListNamespacesOp):
        raise ValueError(f"Unknown operation type: {type(op)}")  # noqa: TRY004 - as their stores do
    validate_op_namespace(op)
    if isinstance(op, SearchOp):
        check_filter(op.filter)
    if isinstance(op, ListNamespacesOp):
        for condition in op.match_conditions or ():
            if condition.match_type not in ("prefix", "suffix"):
                raise ValueError(f"Unsupported match type: {condition.match_type}")


def _put(op: PutOp) -> Put:
    paths = () if op.index is False else None if op.index is None else tuple(op.index)
    return Put(
        namespace=tuple(op.namespace),
        key=str(op.key),
        value=op.value,
        paths=paths,
        ttl_minutes=op.ttl,
    )


def _item(kept: Kept) -> Item:
    return Item(
        value=dict(kept.value),
        key=kept.key,
        namespace=kept.namespace,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
    )


def _search_item(found: FoundItem) -> SearchItem:
    kept = found.item
    return SearchItem(
        namespace=kept.namespace,
        key=kept.key,
        value=dict(kept.value),
        created_at=kept.created_at,
        updated_at=kept.updated_at,
        score=found.score,
    )
