"""`python -m bench.retrieval_ablation`: what each signal of search gains.

The datasets go into memories once; then each memory is asked again and again, every time with one weight
of the settings at nought. Memories are kept in `--keep FOLDER` for the next run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.frame import default_data
from bench.kept_vectors import KeptVectors
from bench.retrieval import LONG_AFTER, PASSAGES, SESSIONS, AskingClock, Teller
from bench.retrieval_measures import Tally
from bench.retrieval_sets import World, worlds
from remanent import Memory
from remanent.config import load_config
from remanent.core.ports.embedder import Embedder
from remanent.embedders.builtin import BuiltinEmbedder
from remanent.retrieval.rules.ranking import RankingRules

SHOWN = {
    ("locomo", "turns"): ("recall@10", "nDCG@10"),
    ("locomo", "sessions"): ("recall@10",),
    ("longmemeval", "sessions"): ("recall@10", "all@5", "newest first"),
    ("beam", "turns"): ("recall@10", "newest first"),
}
NOUGHT: Mapping[str, Mapping[str, float]] = {
    "all signals": {},
    "words of the thing itself": {"lexical": 0.0},
    "words around it": {"around": 0.0},
    "words of its source": {"session": 0.0},
    "its meaning": {"dense": 0.0},
    "meaning of its parts": {"part": 0.0},
    "nearest meaning in its source": {"session_dense": 0.0},
    "each of the things compared": {"compared_share": 0.0},
    "several things asked for": {"several_meaning": 1.0, "several_session": 1.0},
    "how recent it is": {"recent": 0.0},
    "`two weeks ago`": {"period": 0.0},
    "months, days and years named": {"month": 0.0, "day": 0.0, "year": 0.0},
    "names a time": {"timed": 0.0},
    "counts": {"counted": 0.0},
    "says how help is wanted": {"directing": 0.0},
    "asks more than it tells": {"asking": 0.0, "only_asking": 0.0},
    "is short": {"short": 0.0},
    "a program speaks": {"assistant": 0.0, "assistant_asked": 0.0},
    "less of a program's words": {"assistant_share": 1.0},
    "newest first": {"newer_count": 0},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_ablation", description=__doc__)
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of datasets")
    parser.add_argument("--only", default="locomo,longmemeval,beam", help="datasets, by commas")
    parser.add_argument("--cache", type=Path, help="file that keeps vectors for the next run")
    parser.add_argument("--keep", type=Path, required=True, help="folder for the memories")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    embedder: Embedder = BuiltinEmbedder()
    if options.cache is not None:
        embedder = KeptVectors(embedder, options.cache)
    sets = list(worlds(options.data, options.only.split(","), quick=False))
    table = Table(title="without", title_justify="left")
    table.add_column("signal")
    heads = [(where, measure) for where, several in SHOWN.items() for measure in several]
    for (dataset, unit), measure in heads:
        table.add_column(f"{dataset} {unit} {measure}", justify="right")
    for label, change in NOUGHT.items():
        tallies: dict[tuple[str, str], Tally] = {}
        for world in sets:
            rules = replace(RankingRules(), **change)  # type: ignore[arg-type]
            _ask(world, options.keep, embedder, rules, tallies)
        means = {where: tally.mean() for where, tally in tallies.items()}
        figures = [means.get(where, {}).get(measure) for where, measure in heads]
        table.add_row(label, *("" if one is None else f"{one:.1f}" for one in figures))
        Console(stderr=True).print(label, figures)
    Console(width=200).print(table)


def _ask(
    world: World,
    folder: Path,
    embedder: Embedder,
    rules: RankingRules,
    tallies: dict[tuple[str, str], Tally],
) -> None:
    clock = AskingClock()
    config = replace(load_config(folder / f"{world.set}-{world.name}.db"), ranking=rules)
    with Memory.open(config, clock=clock, embedder=embedder) as memory:
        user = memory.user("reader", name="Reader of the talks", timezone="UTC")
        teller = Teller(user, world.sessions, clock)
        teller.add_first(len(world.sessions))
        for one in world.asked:
            clock.moment = one.at or LONG_AFTER
            for unit in _units(world.set):
                kind, limit = ("passage", PASSAGES) if unit == "turns" else ("source", SESSIONS)
                hits = user.search(one.text, limit=limit, kinds=[kind], touch=False)
                ranked = [hit.ref if unit == "turns" else teller.names[hit.key] for hit in hits]
                tally = tallies.setdefault((world.set, unit), Tally())
                wanted = one.turns if unit == "turns" else one.sessions
                if wanted and one.answerable:
                    tally.add(wanted, list(dict.fromkeys(id_ or "" for id_ in ranked)))
                if one.newest is not None:
                    tally.add_pair(one.newest, list(dict.fromkeys(id_ or "" for id_ in ranked)))


def _units(dataset: str) -> Iterator[str]:
    return (unit for name, unit in SHOWN if name == dataset)


if __name__ == "__main__":
    main()
