"""How a memory on several servers is doing: each is asked for what it keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core.dataclasses import replace
from remanent.core.ports.admin import HealthStore
from remanent.core.records.admin import Census, Examination, Health
from remanent.stores.combined.part import Part


class JoinedHealth:
    """PostgreSQL's, with what the others add to it; each counts only what it keeps."""

    def __init__(self, base: HealthStore, parts: Mapping[str, Part]) -> None:
        self._base = base
        self._parts = tuple(parts.values())
        self._index = next((one.health for one in self._parts if "index" in one.stores), base)

    def health(self) -> Health:
        whole, index = self._base.health(), self._index.health()
        others = [one.health.health() for one in self._parts]
        size = sum(one.file_bytes or 0 for one in (whole, *others))
        told = [problem for one in others for problem in one.problems]
        return replace(
            whole,
            problems=(*whole.problems, *told),
            embedder=index.embedder,
            dimensions=index.dimensions,
            file_bytes=size,
        )

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        looked = [one.examine(fits) for one in self._all()]
        return Examination(
            damages=tuple(damage for one in looked for damage in one.damages),
            rows=sum(one.rows for one in looked),
            digests=sum(one.digests for one in looked),
        )

    def schema(self) -> tuple[int, int]:
        return self._base.schema()

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        counts = [one.census(moments) for one in self._all()]
        nodes: dict[str, int] = {}
        for one in counts:
            for kind, count in one.nodes.items():
                nodes[kind] = nodes.get(kind, 0) + count
        newest = [one.newest_event for one in counts if one.newest_event is not None]
        return Census(
            nodes=nodes,
            born_by=tuple(map(sum, zip(*(one.born_by for one in counts), strict=True))),
            pruned=sum(one.pruned for one in counts),
            reflections=sum(one.reflections for one in counts),
            newest_event=max(newest, default=None),
            spent=tuple(spent for one in counts for spent in one.spent),
        )

    def _all(self) -> list[HealthStore]:
        return [self._base, *(one.health for one in self._parts)]
