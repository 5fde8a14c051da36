"""Look up: items by their key, their place, what they hold and what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from remanent.core.checks import whole
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.ports.records import Select
from remanent.core.records.item import FoundItem, Item, ItemVector, Namespace
from remanent.errors import EmbedderError
from remanent.items import rules as rule
from remanent.items.rules import NamespaceQuery

MEASURES = ("cosine", "l2", "inner_product")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """What is looked for: at or below `prefix`, with what the filter wants, nearest to `vector` as
    `lens` sees things; without a vector the newest first. Reading may make items live on."""

    prefix: Namespace = ()
    filter: Mapping[str, Any] | None = None
    limit: int = 10
    offset: int = 0
    lens: str = ""
    vector: Vector | None = None
    measure: str = "cosine"
    omit_expired: bool = False
    prolong: bool = False


def get(
    env: Env,
    scope: Scope,
    room: str,
    namespace: Namespace,
    key: str,
    *,
    omit_expired: bool = False,
    prolong: bool = False,
) -> Item | None:
    """The item there, if there is one and it may be seen still."""
    now = env.clock.now()
    item = env.records.get(scope, Item, room, namespace, key)
    if item is None or (omit_expired and item.expires_at and item.expires_at <= now):
        return None
    if prolong:
        _prolong(env, scope, [item], now)
    return item


def search(env: Env, scope: Scope, room: str, query: ItemQuery) -> list[FoundItem]:
    """What fits, best first: by nearness where that is asked, or the newest first."""
    for field in ("limit", "offset"):
        whole(field, getattr(query, field), 0)
    rule.check_filter(query.filter)
    now = env.clock.now()
    alive_at = now if query.omit_expired else None
    if query.vector is not None:
        hits = _near(env, scope, room, query, alive_at)
    elif query.filter:
        every = env.records.find(scope, _within(room, query.prefix, alive_at))
        fit = [FoundItem(item=one) for one in every if rule.fits(one.value, query.filter)]
        hits = fit[query.offset : query.offset + query.limit]
    else:
        page = _within(room, query.prefix, alive_at, query.limit, query.offset)
        newest = env.records.find(scope, page)
        hits = [FoundItem(item=one) for one in newest]
    if query.prolong:
        _prolong(env, scope, [one.item for one in hits], now)
    return hits


def _prolong(env: Env, scope: Scope, items: Sequence[Item], now: datetime) -> None:
    """Let these live for all their minutes again; what has no end has none."""
    ending = [one for one in items if one.ttl_minutes is not None]
    if ending:
        with env.atomic():
            for one in ending:
                end = now + timedelta(minutes=one.ttl_minutes or 0)
                this = Select(Item, {"event_id": one.event_id})
                env.records.change(scope, this, expires_at=end)


def _within(
    room: str,
    prefix: Namespace = (),
    alive_at: datetime | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> Select[Item]:
    """Items at or below `prefix`, newest first; with `alive_at` those that have not expired by then."""
    where: dict[str, Any] = {"room": room, "namespace below": prefix}
    if alive_at is not None:
        where["expires_at >?"] = alive_at
    return Select(Item, where, ("-updated_at", "-row"), limit, offset)


def namespaces(
    env: Env, scope: Scope, room: str, places: NamespaceQuery, *, omit_expired: bool = False
) -> list[Namespace]:
    """The namespaces that are wanted and hold something, in order."""
    alive_at = env.clock.now() if omit_expired else None
    return places.of(env.records.values(scope, _within(room, (), alive_at), "namespace"))


def without_vectors(
    env: Env, scope: Scope, room: str, lens: str, prefix: Namespace = ()
) -> list[Item]:
    """Items that may be found by meaning and that this lens has not seen yet: they were put without it."""
    every = env.records.find(scope, _within(room, prefix))
    seen = _vectors(env, scope, lens, every)
    return [one for one in every if one.paths != () and one.event_id not in seen]


def _vectors(env: Env, scope: Scope, lens: str, items: Sequence[Item]) -> dict[str, list[Vector]]:
    """By `event_id`, the vectors of each of these items that a lens has seen."""
    wanted = {"event_id": [one.event_id for one in items], "lens": lens}
    vectors: dict[str, list[Vector]] = {}
    for one in env.records.find(scope, Select(ItemVector, wanted)):
        of_item = vectors.setdefault(one.event_id, [])
        if one.vector:
            of_item.append(np.frombuffer(one.vector, dtype="<f4"))
    return vectors


def _near(
    env: Env, scope: Scope, room: str, query: ItemQuery, alive_at: datetime | None
) -> list[FoundItem]:
    """Those that have a vector: the nearest of each one's vectors counts. What has none comes after
    them, with no score."""
    every = env.records.find(scope, _within(room, query.prefix, alive_at))
    wanted = [one for one in every if rule.fits(one.value, query.filter)]
    seen = _vectors(env, scope, query.lens, wanted)
    fit = [one for one in wanted if seen.get(one.event_id)]
    owners = [number for number, one in enumerate(fit) for _ in seen[one.event_id]]
    rows = [vector for one in fit for vector in seen[one.event_id]]
    best = [float("-inf")] * len(fit)
    for number, score in zip(owners, _nearness(query, rows), strict=True):
        best[number] = max(best[number], score)
    order = sorted(range(len(fit)), key=lambda one: -best[one])
    hits = [FoundItem(item=fit[one], score=best[one]) for one in order]
    hits += [FoundItem(item=one) for one in wanted if not seen.get(one.event_id)]
    return hits[query.offset : query.offset + query.limit]


def _nearness(query: ItemQuery, rows: Sequence[Vector]) -> list[float]:
    """Larger is nearer, by whichever measure."""
    if not rows or query.vector is None:
        return []
    if any(len(row) != len(query.vector) for row in rows):
        raise EmbedderError("the question's vector is of another length than those of the items")
    table, one = np.stack(rows).astype(np.float64), np.asarray(query.vector, dtype=np.float64)
    if query.measure == "l2":
        return [-float(x) for x in np.linalg.norm(table - one, axis=1)]
    scores = table @ one
    if query.measure == "cosine":
        length = np.linalg.norm(table, axis=1) * np.linalg.norm(one)
        scores = np.divide(scores, length, out=np.zeros_like(scores), where=length > 0)
    return [float(x) for x in scores]
