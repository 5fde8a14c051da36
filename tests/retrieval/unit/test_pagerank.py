"""Ranks agree with an independent implementation; ways are real and shortest."""

from __future__ import annotations

import itertools
import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.ports.graph import Edges, around
from remanent.errors import InvalidInput
from remanent.retrieval.rules import ranking
from remanent.retrieval.rules.ranking import PagerankRules, Walk
from remanent.retrieval.traverse import PageRanks, personalized_pagerank

pytestmark = pytest.mark.quick

Drawn = list[tuple[int, int, float]]
floats = st.floats(0.001, 1.0)


def net(count: int, drawn: Drawn) -> Edges:
    ends = np.array([one[:2] for one in drawn], dtype=np.int64).reshape(-1, 2)
    src, dst = ends[:, 0].copy(), ends[:, 1].copy()
    keys = [f"n{number:04}" for number in range(count)]
    return Edges(
        keys=keys,
        numbers={key: number for number, key in enumerate(keys)},
        src=src,
        dst=dst,
        strength=np.array([one[2] for one in drawn], dtype=np.float64),
        is_link=np.zeros(len(drawn), dtype=np.bool_),
        edge_keys=[f"e{number}" for number in range(len(drawn))],
        words=["knows"] * len(drawn),
        around=around(count, src, dst),
    )


def walk(
    count: int, drawn: Drawn, seeds: list[int], depth: int = 3, damping: float = 0.85
) -> PageRanks:
    edges = net(count, drawn)
    return personalized_pagerank(edges, edges.strength, seeds, max_depth=depth, damping=damping)


def judged(
    count: int, drawn: Drawn, seeds: list[int], depth: int, damping: float
) -> tuple[dict[int, float], dict[int, int]]:
    """The same by networkx: hops, and the stationary vector of its Google matrix."""
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    for src, dst, strength in drawn:
        before = graph.get_edge_data(src, dst, {"weight": 0.0})["weight"]
        graph.add_edge(src, dst, weight=before + strength)
    hops: dict[int, int] = {}
    for seed in seeds:
        reached = nx.single_source_shortest_path_length(graph, seed, cutoff=depth)
        for one, far in reached.items():
            hops[one] = min(far, hops.get(one, far))
    near = graph.subgraph(hops)
    order = sorted(near)
    begin = {seed: float(seeds.count(seed)) for seed in seeds}
    google = nx.google_matrix(
        near, alpha=damping, personalization=begin, nodelist=order, dangling=begin
    )
    # The ranks are what the matrix leaves as it is, and sum to one: solved directly.
    system = np.vstack([google.T - np.eye(len(order)), np.ones(len(order))])
    target = np.append(np.zeros(len(order)), 1.0)
    ranks = np.linalg.lstsq(system, target, rcond=None)[0]
    return dict(zip(order, ranks.tolist(), strict=True)), hops


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Drawn, list[int]]:
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    pairs = st.tuples(node, node, floats).filter(lambda one: one[0] != one[1])
    drawn = draw(st.lists(pairs, max_size=25)) if count > 1 else []
    return count, drawn, draw(st.lists(node, min_size=1, max_size=3, unique=True))


@given(graphs(), st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.85, 0.99]))
def test_ranks_are_those_of_networkx(
    graph: tuple[int, Drawn, list[int]], depth: int, damping: float
) -> None:
    count, drawn, seeds = graph
    done = walk(count, drawn, seeds, depth, damping)
    wanted, hops = judged(count, drawn, seeds, depth, damping)

    assert {one: int(done.distance[one]) for one in hops} == hops
    assert int((done.distance >= 0).sum()) == len(hops)
    for number in range(count):
        assert done.rank[number] == pytest.approx(wanted.get(number, 0.0), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_ranks_of_larger_graphs_are_those_of_networkx(number: int) -> None:
    chance = random.Random(number)
    count = 400
    drawn = [
        (chance.randrange(count), min(int(chance.paretovariate(1.0)), count - 1), chance.random())
        for _ in range(1500)
    ]
    drawn = [one for one in drawn if one[0] != one[1] and one[2] > 0]
    seeds = chance.sample(range(count), 3)
    done = walk(count, drawn, seeds)
    wanted, _ = judged(count, drawn, seeds, 3, 0.85)

    assert max(abs(done.rank[one] - rank) for one, rank in wanted.items()) < 1e-6
    best = sorted(wanted, key=lambda one: (-wanted[one], one))[:50]
    assert done.best(50).tolist() == best


@given(graphs())
def test_ways_lead_from_a_seed_and_are_as_short_as_can_be(
    graph: tuple[int, Drawn, list[int]],
) -> None:
    count, drawn, seeds = graph
    done = walk(count, drawn, seeds)
    for number in done.best(count).tolist():
        way = done.way_to(number)
        assert len(way) == done.distance[number]
        nodes = [next(iter(seeds))] if not way else []
        for edge, to in way:
            ends = {int(done.edges.src[edge]), int(done.edges.dst[edge])}
            assert to in ends
            nodes = nodes or [*(ends - {to})]
            assert nodes[-1] in ends
            nodes.append(to)
        assert number in seeds or nodes[0] in seeds
        assert not way or nodes[-1] == number
        assert [int(done.distance[one]) for one in nodes] == list(range(len(nodes)))


@given(graphs())
def test_ranks_sum_to_one(graph: tuple[int, Drawn, list[int]]) -> None:
    done = walk(*graph)

    assert done.rank.sum() == pytest.approx(1.0)
    assert (done.rank >= 0).all()


def test_a_way_follows_the_rank() -> None:
    """From 0 to 3 by 1 or by 2: the one that hands on more."""
    drawn = [(0, 1, 1.0), (0, 2, 0.1), (1, 3, 0.5), (2, 3, 0.5)]

    assert walk(4, drawn, [0]).way_to(3) == [(0, 1), (2, 3)]


def test_strength_draws() -> None:
    done = walk(3, [(0, 1, 0.9), (0, 2, 0.1)], [0])

    assert done.rank[1] == pytest.approx(9 * done.rank[2])


def test_an_edge_without_strength_is_not_there() -> None:
    done = walk(3, [(0, 1, 1.0), (1, 2, 0.0)], [0])

    assert done.distance.tolist() == [0, 1, -1]
    assert done.rank[2] == 0


def test_ties_are_in_order_of_key() -> None:
    drawn = [(0, other, 0.5) for other in range(1, 9)]

    assert walk(9, drawn, [0]).best(4).tolist() == [0, 1, 2, 3]


def test_depth_ends_the_walk() -> None:
    chain = [(one, one + 1, 1.0) for one in range(9)]

    for depth, seeds in itertools.product((1, 2, 5), ([0], [4])):
        done = walk(10, chain, seeds, depth)
        assert done.distance.max() == depth


# --- rules -----------------------------------------------------------------------------------


@given(floats, floats, st.integers(1, 5))
def test_strength_lies_between_nought_and_one(a: float, b: float, near: int) -> None:
    assert 0 < ranking.strength(a, b, float(near)) <= 1
    assert ranking.strength(a, b, 5.0) == pytest.approx(a * b)


def test_walks_have_defaults() -> None:
    assert ranking.checked() == Walk(max_depth=3, damping=0.85, top_k=20)
    assert ranking.checked(rules=PagerankRules(top_k=7)).top_k == 7
    assert ranking.checked(1, 0, 5) == Walk(max_depth=1, damping=0.0, top_k=5)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"max_depth": 0}, "max_depth"),
        ({"max_depth": 11}, "max_depth"),
        ({"max_depth": 2.0}, "max_depth"),
        ({"max_depth": True}, "max_depth"),
        ({"damping": 1.0}, "damping"),
        ({"damping": -0.1}, "damping"),
        ({"damping": "0.5"}, "damping"),
        ({"damping": float("nan")}, "damping"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 1001}, "top_k"),
    ],
)
def test_what_is_off_is_named(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ranking.checked(**given)

    assert caught.value.field == field
