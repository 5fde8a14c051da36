"""`python -m bench.retrieval_fit`: fit the weights of search anew.

Questions go to `search` as in the benchmark; the signals of the best hits are what is fitted on. For each
question the evidence should win: softmax over the hits, the same weight for every dataset, a little pull
towards what the weights are now. It prints a factor for each signal, by which its weight in the settings
would be multiplied, and the measures as they are, with the factors, and with factors that were fitted
without the memory that is asked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.frame import default_data
from bench.kept_vectors import KeptVectors
from bench.retrieval import LONG_AFTER, AskingClock, Teller
from bench.retrieval_measures import measured
from bench.retrieval_sets import Asked, World, worlds
from remanent import Memory
from remanent.core.ports.embedder import Embedder
from remanent.embedders.builtin import BuiltinEmbedder

HITS = 400
STEPS, RATE, PULL = 300, 0.05, 0.02
SHOWN = {
    "locomo": ("recall@10", "nDCG@10"),
    "beam": ("recall@10",),
    "longmemeval": ("recall@10", "all@5"),
}
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question: the signals of its hits, the id each leads to, and the ids that were wanted."""

    set: str
    world: str
    signals: Numbers
    ids: Sequence[str]
    right: NDArray[np.bool_]
    wanted: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_fit", description=__doc__)
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of datasets")
    parser.add_argument("--only", default="locomo,beam,longmemeval", help="datasets, by commas")
    parser.add_argument("--cache", type=Path, help="file that keeps vectors for the next run")
    options = parser.parse_args()
    embedder: Embedder = BuiltinEmbedder()
    if options.cache is not None:
        embedder = KeptVectors(embedder, options.cache)
    rows: list[tuple[World, Asked, list[Mapping[str, float]], list[str]]] = []
    for world in worlds(options.data, options.only.split(","), quick=False):
        rows += [(world, *found) for found in _cases(world, embedder)]
    names = sorted({name for _, _, signals, _ in rows for one in signals for name in one})
    cases = [_case(world, asked, signals, ids, names) for world, asked, signals, ids in rows]
    _report(names, [case for case in cases if case is not None])


def _cases(
    world: World, embedder: Embedder
) -> list[tuple[Asked, list[Mapping[str, float]], list[str]]]:
    clock = AskingClock()
    cases = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "m.db", clock=clock, embedder=embedder) as memory,
    ):
        user = memory.user("reader", name="Reader of the talks", timezone="UTC")
        teller = Teller(user, world.sessions, clock)
        teller.add_first(len(world.sessions))
        for question in track(world.asked, description=f"{world.set} {world.name}"):
            clock.moment = question.at or LONG_AFTER
            hits = user.search(question.text, limit=HITS, kinds=["passage"], touch=False)
            by_session = world.set == "longmemeval"
            ids = [
                teller.names[hit.source_key or ""] if by_session else hit.ref or "" for hit in hits
            ]
            cases.append((question, [hit.signals for hit in hits], ids))
    return cases


def _case(
    world: World,
    question: Asked,
    signals: Sequence[Mapping[str, float]],
    ids: Sequence[str],
    names: Sequence[str],
) -> Case | None:
    wanted = question.sessions if world.set == "longmemeval" else question.turns
    if not wanted or not question.answerable:
        return None
    return Case(
        set=world.set,
        world=world.name,
        signals=np.array([[one.get(name, 0.0) for name in names] for one in signals]),
        ids=ids,
        right=np.array([name in wanted for name in ids]),
        wanted=wanted,
    )


# --- fitting -----------------------------------------------------------------------------------


def fitted(cases: Sequence[Case], count: int) -> Numbers:
    """A factor for each signal."""
    usable = [case for case in cases if case.right.any()]
    sizes = {name: sum(case.set == name for case in usable) for name in {c.set for c in usable}}
    sharpness = 10.0  # a score of 1 is about ten steps of evidence
    factors, speed, power = np.ones(count), np.zeros(count), np.zeros(count)
    for step in range(1, STEPS + 1):
        slope = PULL * (factors - 1)
        for case in usable:
            slope += _slope(case, factors, sharpness) / sizes[case.set] / len(sizes)
        speed = 0.9 * speed + 0.1 * slope
        power = 0.99 * power + 0.01 * slope**2
        rate = RATE if step < 2 * STEPS // 3 else RATE / 4
        factors -= rate * (speed / (1 - 0.9**step)) / (np.sqrt(power / (1 - 0.99**step)) + 1e-8)
    return factors


def _slope(case: Case, factors: Numbers, sharpness: float) -> Numbers:
    scores = sharpness * (case.signals @ factors)
    odds = np.exp(scores - scores.max())
    mean: Numbers = (odds / odds.sum()) @ case.signals - case.signals[case.right].mean(axis=0)
    return sharpness * mean


def _report(names: Sequence[str], cases: Sequence[Case]) -> None:
    console = Console()
    factors = fitted(cases, len(names))
    table = Table(title="factors", title_justify="left")
    for head in ("signal", "on all"):
        table.add_column(head)
    for name, factor in zip(names, factors, strict=True):
        table.add_row(name, f"{factor:.2f}")
    console.print(table)
    alone = np.ones(len(names))
    _show(console, "as they are", cases, lambda _: alone)
    _show(console, "fitted on all", cases, lambda _: factors)
    held = {
        where: fitted([case for case in cases if (case.set, case.world) != where], len(names))
        for where in {(case.set, case.world) for case in cases if case.set != "longmemeval"}
    }
    others = [case for case in cases if case.set != "longmemeval"]
    _show(console, "on all but the memory asked", others, lambda case: held[case.set, case.world])


def _show(
    console: Console, label: str, cases: Sequence[Case], factors: Callable[[Case], Numbers]
) -> None:
    parts = [label]
    for dataset, measures in SHOWN.items():
        shown = []
        for case in cases:
            if case.set == dataset:
                order = np.argsort(-(case.signals @ factors(case)), kind="stable")
                ranked = list(dict.fromkeys(case.ids[place] for place in order))
                shown.append(measured(case.wanted, ranked))
        for measure in measures if shown else ():
            mean = 100 * float(np.mean([one[measure] for one in shown]))
            parts.append(f"{dataset} {measure} {mean:.1f}")
    console.print(" | ".join(parts), soft_wrap=True)


if __name__ == "__main__":
    main()
