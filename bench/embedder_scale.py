"""What the raw cosines of an embedder mean, measured: the source of its `scale`.

    python -m bench.embedder_scale --data FOLDER [--embedder MODULE:CLASS]

FOLDER holds `pairs/stsb_dev.csv`, `pairs/sick_train.txt` and `pairs/snli_dev.jsonl`; the statements
people make of their own lives are those of `pairs/tuned.txt` beside this file, so that the pairs held
out by the benchmark `beliefs` stay unused, and the dev batches of `training/data/pairs`. Printed are the quantiles of the cosine for each kind of
pair, the Spearman correlation with STS-B's own scores, the points that follow, and where each kind
of pair lands with these points and with those in the code.
"""

import argparse
import csv
import importlib
import json
import math
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import belief_pairs
from remanent.core.ports.embedder import Embedder

Pairs = list[tuple[str, str]]
Cosines = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]


def own(kind: str) -> Pairs:
    """Our pairs of one class."""
    return [(one.first, one.second) for one in belief_pairs.pairs("tuned") if one.kind == kind]


def across(rng: random.Random) -> Pairs:
    """Our statements of different topics."""
    pairs = belief_pairs.strangers(belief_pairs.pairs("tuned"), 2000, rng)
    return [(one.first, one.second) for one in pairs]


def ordinary(label: str) -> Pairs:
    """Our pairs of ordinary sentences under one label, of the batches that are for dev."""
    data = Path(__file__).parents[1] / "training" / "data"
    found: Pairs = []
    for file in sorted((data / "pairs").glob("*.jsonl")):
        brief = (data / "briefs" / f"{file.stem}.md").read_text("utf-8")
        if "\nsplit: dev" in brief:
            rows = (json.loads(line) for line in file.read_text("utf-8").splitlines())
            found += [(row["old"], row["new"]) for row in rows if row["label"] == label]
    return found


def stsb(data: Path) -> list[tuple[float, str, str]]:
    text = (data / "pairs" / "stsb_dev.csv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return [(float(row[4]), row[5], row[6]) for row in rows]


def sick(data: Path, keep: Callable[[str, float], bool]) -> Pairs:
    with (data / "pairs" / "sick_train.txt").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        (row["sentence_A"], row["sentence_B"])
        for row in rows
        if keep(row["entailment_judgment"].strip(), float(row["relatedness_score"]))
    ]


def snli(data: Path, label: str) -> Pairs:
    text = (data / "pairs" / "snli_dev.jsonl").read_text("utf-8")
    rows = (json.loads(line) for line in text.splitlines())
    return [(row["sentence1"], row["sentence2"]) for row in rows if row["gold_label"] == label]


def strangers(sentences: Iterable[str], rng: random.Random) -> Pairs:
    """Random pairs of sentences from different rows."""
    first = sorted(set(sentences))
    second = first[:]
    rng.shuffle(second)
    return [(one, other) for one, other in zip(first, second, strict=True) if one != other]


def kinds(data: Path, rng: random.Random) -> dict[str, Pairs]:
    scored = stsb(data)
    return {
        "same: STS-B >= 4.5": [(a, b) for score, a, b in scored if score >= 4.5],
        "same: SICK entailment, >= 4.5": sick(data, lambda j, s: j == "ENTAILMENT" and s >= 4.5),
        "same: own paraphrases": own("paraphrase"),
        "same: ordinary": ordinary("same"),
        "change: own": own("change"),
        "change: ordinary updates": ordinary("update"),
        "beside: ordinary": ordinary("beside"),
        "beside: own": own("beside"),
        "change: SICK contradiction": sick(data, lambda j, _: j == "CONTRADICTION"),
        "related: STS-B 2 to 3.5": [(a, b) for score, a, b in scored if 2 <= score <= 3.5],
        "related: SNLI entailment": snli(data, "entailment"),
        "related: SNLI neutral": snli(data, "neutral"),
        "related: SNLI contradiction": snli(data, "contradiction"),
        "unrelated: STS-B across rows": strangers((a for _, a, _ in scored), rng),
        "unrelated: own across topics": across(rng),
    }


def cosines(embedder: Embedder, pairs: Pairs) -> Cosines:
    texts = [text for pair in pairs for text in pair]
    vectors = embedder.embed(texts, kind="statement").astype(np.float64)
    products: Cosines = np.einsum("ij,ij->i", vectors[0::2], vectors[1::2])
    return products


def spearman(first: Cosines, second: Cosines) -> float:
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def ranks(values: Cosines) -> Cosines:
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    middle: Cosines = np.cumsum(count) - (count - 1) / 2
    return middle[group]


def proposed(cosines: dict[str, Cosines]) -> Points:
    """The points, from the quantiles that matter for beliefs.

    The mind is asked from 0.70 up. A change below it would be stored beside what it contradicts, so
    all but one in a hundred of those that differ in a value lie above, and nineteen in twenty of those
    in other words; and where changes lie higher than that, 0.70 still does not ask for more than the
    nearest twentieth of what is unrelated. What lies below 0.40 is not even linked: nine in ten pairs
    that have nothing in common, or what lies just below 0.70. No cosine tells a change from a
    paraphrase; 0.85, from which pairs are taken for likely duplicates, lets two paraphrases in
    three through.
    """
    stranger, same = cosines["unrelated: own across topics"], cosines["same: own paraphrases"]
    low, unrelated, nearest = np.quantile(stranger, [0.05, 0.90, 0.95])
    other_words = np.quantile(cosines["change: ordinary updates"], 0.05)
    threshold = min(nearest, np.quantile(cosines["change: own"], 0.01), other_words)
    alike = np.quantile(same, 1 / 3)
    threshold = math.floor(100 * threshold) / 100  # rounding up would leave changes out
    unrelated = min(unrelated, threshold - 0.01)
    points = ((low, 0.0), (unrelated, 0.4), (threshold, 0.7), (alike, 0.85), (1.0, 1.0))
    return tuple((round(float(raw), 2), similarity) for raw, similarity in points)


def print_quantiles(cosines: dict[str, Cosines]) -> None:
    print(f"{'raw cosine':32}{'pairs':>6}" + "".join(f"{f'{q}%':>7}" for q in QUANTILES))
    for kind, values in cosines.items():
        quantiles = np.quantile(values, [q / 100 for q in QUANTILES])
        print(f"{kind:32}{len(values):6}" + "".join(f"{value:7.3f}" for value in quantiles))


def print_shares(title: str, points: Points, cosines: dict[str, Cosines]) -> None:
    print(f"\n{title}: {points}\n{'share landing in':32}{'<.40':>8}{'.40-.70':>8}", end="")
    print(f"{'.70-.85':>8}{'>.85':>8}")
    raw, similarity = zip(*points, strict=True)
    for kind, values in cosines.items():
        bands = np.digitize(np.interp(values, raw, similarity), [0.40, 0.70, 0.85])
        shares = np.bincount(bands, minlength=4) / len(values)
        print(f"{kind:32}" + "".join(f"{share:8.0%}" for share in shares))


QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = os.environ.get("REMANENT_DATA")
    parser.add_argument("--data", type=Path, default=default, required=default is None)
    parser.add_argument("--sample", type=int, default=1000, help="most pairs of one kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--embedder", default="remanent.embedders.builtin:BuiltinEmbedder")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    module, name = options.embedder.split(":")
    embedder: Embedder = getattr(importlib.import_module(module), name)()
    by_kind = {}
    for kind, pairs in kinds(options.data, rng).items():
        chosen = rng.sample(pairs, min(options.sample, len(pairs)))
        by_kind[kind] = cosines(embedder, chosen)
    scored = stsb(options.data)
    human = np.array([score for score, _, _ in scored])
    correlation = spearman(cosines(embedder, [(a, b) for _, a, b in scored]), human)
    print(f"{embedder.name}: Spearman on {len(scored)} pairs of STS-B dev: {correlation:.4f}\n")
    print_quantiles(by_kind)
    print_shares("proposed", proposed(by_kind), by_kind)
    print_shares("in the code", embedder.scale, by_kind)


if __name__ == "__main__":
    main()
