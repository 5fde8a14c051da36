"""How long a walk over the graph takes: personalised PageRank, alone and through `traverse`."""

from __future__ import annotations

import random
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.frame import Report, Row, Setting, timed
from remanent import Memory, UserMemory
from remanent.core.ports.graph import Edges, around
from remanent.retrieval.traverse import personalized_pagerank
from remanent_conformance.builders import a_person, a_relationship, a_scope

SIZES = ((1_000, 4_000), (10_000, 40_000))
LARGE = (100_000, 400_000)
TIMES = 9
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def run(setting: Setting) -> Report:
    """Medians. People know others at random, a few of them very many: as in a life."""
    rows: list[Row] = []
    for nodes, edges in SIZES[:1] if setting.quick else SIZES:
        setting.console.print(f"traverse: {nodes:,} nodes, {edges:,} relationships", style="dim")
        rows += _through_the_door(nodes, edges)
    for nodes, edges in (*SIZES,) if setting.quick else (*SIZES, LARGE):
        rows.append(_walk_row(nodes, edges))
    return Report(
        name="traverse",
        rows=rows,
        notes=[
            "three hops from one seed, which here reach nearly all nodes; top 20, each with its way",
            "the walk alone is on arrays that are in memory already",
        ],
    )


def _through_the_door(nodes: int, edges: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        me = memory.user("ada", name="Ada", timezone="UTC")
        seed = _fill(me, nodes, edges)
        began = time.perf_counter()
        hits = me.traverse(seed, touch=False)
        first = 1000 * (time.perf_counter() - began)
        looked = timed(lambda: me.traverse(seed, touch=False), times=TIMES)
        touched = timed(lambda: me.traverse(seed), times=TIMES)
    size = f"{nodes:,} nodes, {edges:,} relationships"
    return [
        Row(what=f"first traverse, edges read from the file: {size}", value=first, unit="ms"),
        Row(what=f"traverse, nothing recorded: {size}", value=looked, unit="ms"),
        Row(what=f"traverse, access recorded each time: {size}", value=touched, unit="ms"),
        Row(what=f"reached: {size}", value=hits.within_reach, unit="nodes"),
    ]


def _fill(me: UserMemory, nodes: int, edges: int) -> str:
    env = me.env
    scope = a_scope("ada")
    people = [a_person(f"Person {number}", user="ada") for number in range(nodes)]
    with env.atomic():
        for one in people:
            env.graph.put(scope, one)
        pairs = _pairs(nodes, edges)
        for number, (src, dst) in enumerate(pairs):
            relationship = a_relationship(
                people[src].key, people[dst].key, type=f"t{number}", user="ada", valid_from=MOMENT
            )
            env.graph.relate(scope, relationship)
    return people[pairs[0][0]].key


def _pairs(nodes: int, edges: int) -> list[tuple[int, int]]:
    chance = random.Random(7)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < edges:
        src, dst = chance.randrange(nodes), min(int(3 * chance.paretovariate(1.0)), nodes - 1)
        if src != dst:
            pairs.append((src, dst))
    return pairs


def _walk_row(nodes: int, edges: int) -> Row:
    ends = np.array(_pairs(nodes, edges), dtype=np.int64)
    src, dst = ends[:, 0].copy(), ends[:, 1].copy()
    keys = [f"{number:08}" for number in range(nodes)]
    net = Edges(
        keys=keys,
        numbers={key: number for number, key in enumerate(keys)},
        src=src,
        dst=dst,
        strength=np.random.default_rng(7).uniform(0.05, 0.6, edges),
        is_link=np.zeros(edges, dtype=np.bool_),
        edge_keys=[""] * edges,
        words=["knows"] * edges,
        around=around(nodes, src, dst),
    )

    def walk() -> None:
        done = personalized_pagerank(net, net.strength, [int(src[0])], max_depth=3, damping=0.85)
        for number in done.best(20).tolist():
            done.way_to(number)

    taken = timed(walk, times=TIMES)
    return Row(what=f"the walk alone: {nodes:,} nodes, {edges:,} edges", value=taken, unit="ms")
