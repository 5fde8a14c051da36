"""The edges of a graph as arrays: what a walk over all of them needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Neighbours(NamedTuple):
    """What stands around every node: from `starts[n]` up to `starts[n + 1]` its neighbours, and by
    which edge each is reached."""

    starts: Numbers
    neighbours: Numbers
    via: Numbers


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Edges:
    """Nodes and edges by number. An edge may be walked both ways; two nodes may have several.

    `strength` is what `rules.pagerank` makes of a relationship, and the weight of a link. Nobody
    writes to these arrays: who asks next may be given the same ones.
    """

    keys: Sequence[str]
    numbers: Mapping[str, int]  # of the nodes, by key
    src: Numbers
    dst: Numbers
    strength: Floats
    is_link: Flags
    edge_keys: Sequence[str]  # of a relationship its key, of a link ""
    words: Sequence[str]  # of a relationship its type, of a link its kind
    around: Neighbours


def around(count: int, src: Numbers, dst: Numbers) -> Neighbours:
    """What stands around each of `count` nodes, in order of the edges' numbers."""
    here, there = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(here, kind="stable")
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(here, minlength=count), out=starts[1:])
    numbers = np.arange(len(src), dtype=np.int64)
    return Neighbours(starts, there[order], np.concatenate([numbers, numbers])[order])
