"""Nodes and pairs of a source: which spans of a turn can stand in a relation to each other."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from training import labels
from training.tasks import IGNORED, Source, Span, Text

MOST_NODES = 14
MISSED = 0.25
"""Share of the words for somebody that training leaves out, as a reader misses pronouns."""


@dataclass(frozen=True)
class Edge:
    """Ordered pair of nodes in a turn: the spans of both ends, and the label if it is known
    (`IGNORED`: a tie that may be told in another sentence)."""

    turn: int
    a: str
    b: str
    spans_a: tuple[Span, ...]
    spans_b: tuple[Span, ...]
    label: int = 0
    over: int = -1
    attitude: int = 0
    proximity: int = 0


def turn_nodes(
    text: Text,
    turn: int,
    spans: Iterable[tuple[Span, str]],
    links: Iterable[tuple[Span, str]],
) -> dict[str, list[Span]]:
    """Give the nodes of a turn by key: its speaker, its mentions, and what its pronouns mean."""
    found: dict[str, list[Span]] = {}
    for span, key in (*spans, *links):
        if text.turns[span[0]] == turn and span not in found.setdefault(key, []):
            found[key].append(span)
    return dict([(k, v) for k, v in found.items() if v][:MOST_NODES])


def edges(source: Source) -> list[Edge]:
    """Give all ordered pairs of nodes of a source with their labels, for training."""
    out: list[Edge] = []
    for turn in range(len(source.words)):
        nodes = turn_nodes(source.text, turn, source.spans, source.links)
        known = _known(source, turn)
        for a, b in {*known, *((x, y) for x in nodes for y in nodes if x != y)}:
            spans_a = nodes.get(a) or [s for s, key in source.spans if key == a]
            spans_b = nodes.get(b) or [s for s, key in source.spans if key == b]
            if not spans_a or not spans_b:
                continue
            ends = (tuple(spans_a), tuple(spans_b))
            out.append(Edge(turn, a, b, *ends, *known.get((a, b), (0, -1, 0, 0))))
    return sorted(out, key=lambda e: (e.turn, e.a, e.b))


def _known(source: Source, turn: int) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """Give the labels of the relations stated in a turn, both ways if the class has no way."""
    known: dict[tuple[str, str], tuple[int, int, int, int]] = {}
    for at, a, b, name, about in source.relations:
        if at != turn or a == b:
            continue
        label = (
            IGNORED if about.get("elsewhere") else labels.RELATIONS.index(name),
            int(bool(about.get("neg"))),
            int(about.get("att") or 0),
            int(about.get("prox") or 0),
        )
        known[a, b] = label
        if name in labels.SYMMETRIC:
            known.setdefault((b, a), label)
    return known


def thinned(edge: Edge, rng: random.Random) -> Edge:
    """Give a pair as a reader sees it that missed some of the words for its ends."""
    if len(edge.spans_a) == len(edge.spans_b) == 1:
        return edge
    ends = [
        tuple(s for s in spans if rng.random() >= MISSED) for spans in (edge.spans_a, edge.spans_b)
    ]
    return replace(edge, spans_a=ends[0] or edge.spans_a, spans_b=ends[1] or edge.spans_b)


def candidates(source_spans: Sequence[tuple[Span, str]], span: Span) -> list[tuple[Span, str]]:
    """Give what a reference can mean: every candidate but the reference itself."""
    return [(at, key) for at, key in source_spans if at != span]


def gap(a: Sequence[Span], b: Sequence[Span]) -> Span:
    """Give the tokens from one node to the other, both included, where they stand nearest."""
    near = min(((x, y) for x in a for y in b), key=lambda p: abs(p[0][0] - p[1][0]))
    return min(near[0][0], near[1][0]), max(near[0][1], near[1][1])
