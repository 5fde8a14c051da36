"""What raw cosines of the built-in embedder mean, measured; the source of `GraniteEmbedder.scale`.

    python bench/embedder_scale.py --data FOLDER

FOLDER holds `pairs/stsb_dev.csv`, `pairs/sick_train.txt` and `pairs/snli_dev.jsonl`. Printed are the
quantiles of the cosine for each kind of pair, the Spearman correlation with STS-B's own scores, the
points that follow, and where each kind of pair lands with these points and with those in the code.
"""

import argparse
import csv
import json
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remanent.embedders.builtin import GraniteEmbedder

Pairs = list[tuple[str, str]]
Cosines = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

# The same statement with another value: what a belief's contradiction looks like.
CHANGES = """
I live in {Oslo|Bergen}
I live in {Berlin|a small village near Lyon}
We moved to {Austin|Denver} last year
My sister works at {Google|Meta}
My brother works as {a nurse|a taxi driver}
I work at {a bank|a hospital}
I am {a teacher|a software engineer}
My boss is called {Karen|Michael}
My dog's name is {Rex|Bella}
I have {two|three} children
I have {one cat|four cats}
I am {34|35} years old
My rent is {900|1,250} euros a month
I earn {50,000|72,000} dollars a year
I weigh {82|76} kilos
I run {5|10} kilometres every morning
My flight leaves at {7:15|9:40} am
The meeting is on {Monday|Thursday}
The deadline is {March 3|April 17}
My birthday is on {May 12|June 2}
The wedding is on {14 August|21 September}
We meet at {3 pm|5 pm}
I was born in {1987|1991}
My favourite colour is {blue|green}
My favourite food is {sushi|pizza}
My favourite film is {Alien|Casablanca}
I prefer {tea|coffee}
I prefer {trains|planes} for long trips
I {love|hate} jazz
I {like|don't like} spicy food
I {eat|no longer eat} meat
I {smoke|quit smoking}
I {drink|do not drink} alcohol
I am {single|married}
I am {dating Anna|engaged to Julia}
My husband is {from Spain|from Portugal}
I drive a {Toyota|Tesla}
I use {an iPhone|an Android phone}
I write my code in {Python|Rust}
My laptop runs {Windows|Linux}
I study {biology|law} at university
I go to the gym {twice|four times} a week
I wake up at {6|8} in the morning
I am allergic to {peanuts|cats}
I speak {French|Italian} at home
My doctor is {Dr. Patel|Dr. Nguyen}
Our team has {8|12} people
The project is {on schedule|delayed by two weeks}
The project uses {PostgreSQL|MongoDB}
The release is planned for {Friday|next month}
The budget is {20,000|35,000} dollars
My daughter goes to {Lincoln|Roosevelt} High School
My son plays {football|the violin}
My mother lives {with us|in a nursing home}
My parents are {married|divorced}
I take my coffee {black|with milk}
I want to learn {Spanish|Japanese}
I am planning a trip to {Iceland|Morocco}
I am reading {Dune|Middlemarch}
I sleep {five|eight} hours a night
"""

# The same statement in other words, as a person talks of themselves.
REWORDINGS = """
I live in Oslo | My home is in Oslo
My sister works at Google | My sister is a Google employee
I am a vegetarian | I don't eat meat
I work as a nurse | My job is nursing
I have two children | I've got two kids
My dog's name is Rex | Our dog is called Rex
I prefer tea | I would rather drink tea
My favourite food is sushi | Sushi is what I like to eat most
I was born in 1987 | My year of birth is 1987
I am allergic to peanuts | I have a peanut allergy
I drive a Toyota | My car is a Toyota
I quit smoking | I gave up cigarettes
I am married | I have a spouse
I hate jazz | I can't stand jazz
I run 5 kilometres every morning | Every morning I go for a 5 km run
My rent is 900 euros a month | I pay 900 euros in rent each month
I wake up at 6 in the morning | I get up at 6 am
I am learning Spanish | I'm taking Spanish lessons
My birthday is on May 12 | I was born on the 12th of May
The meeting is on Monday | We have the meeting scheduled for Monday
The project is delayed | The project is behind schedule
I am planning a trip to Iceland | I want to travel to Iceland
My mother lives with us | Mum stays in our house
I go to the gym twice a week | Two times a week I work out at the gym
I am afraid of flying | Flying scares me
My laptop runs Linux | I use Linux on my laptop
I play the piano | I'm a piano player
My brother is a teacher | My brother teaches at a school
I don't drink alcohol | I never drink
We adopted a cat | We now have a cat from the shelter
I enjoy hiking at weekends | On weekends I like to go hiking
I write my code in Python | Python is the language I program in
My boss is called Karen | Karen is my manager
I studied biology at university | I have a degree in biology
I moved to Denver last year | Last year I relocated to Denver
I sleep badly | I have trouble sleeping
"""


def changes() -> Pairs:
    pairs = []
    for line in CHANGES.strip().splitlines():
        before, rest = line.split("{")
        values, after = rest.split("}")
        old, new = values.split("|")
        pairs.append((f"{before}{old}{after}", f"{before}{new}{after}"))
    return pairs


def rewordings() -> Pairs:
    lines = (line.split(" | ") for line in REWORDINGS.strip().splitlines())
    return [(first, second) for first, second in lines]


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
        "same: own rewordings": rewordings(),
        "change: own templates": changes(),
        "change: SICK contradiction": sick(data, lambda j, _: j == "CONTRADICTION"),
        "related: STS-B 2 to 3.5": [(a, b) for score, a, b in scored if 2 <= score <= 3.5],
        "related: SNLI entailment": snli(data, "entailment"),
        "related: SNLI neutral": snli(data, "neutral"),
        "related: SNLI contradiction": snli(data, "contradiction"),
        "unrelated: STS-B across rows": strangers((a for _, a, _ in scored), rng),
        "unrelated: own across rows": strangers(
            (a for a, _ in changes() + rewordings()), random.Random(1)
        ),
    }


def cosines(embedder: GraniteEmbedder, pairs: Pairs) -> Cosines:
    vectors = embedder.embed([text for pair in pairs for text in pair]).astype(np.float64)
    products: Cosines = np.einsum("ij,ij->i", vectors[0::2], vectors[1::2])
    return products


def spearman(first: Cosines, second: Cosines) -> float:
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def ranks(values: Cosines) -> Cosines:
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    middle: Cosines = np.cumsum(count) - (count - 1) / 2
    return middle[group]


def proposed(found: dict[str, Cosines]) -> Points:
    """The points, from the quantiles that matter for beliefs.

    Taking a change for a repetition loses it, so 0.85 lies above nearly all changes. A change below
    0.70 would be stored beside what it contradicts, so 0.70 lies below nearly all of them. What lies
    below 0.40 is not even linked: nearly all pairs of statements that have nothing in common.
    """
    change = found["change: own templates"]
    stranger = found["unrelated: own across rows"]
    low, unrelated = np.quantile(stranger, [0.05, 0.90])
    topic, same = np.quantile(change, [0.05, 0.95])
    points = ((low, 0.0), (unrelated, 0.4), (topic, 0.7), (same, 0.85), (1.0, 1.0))
    return tuple((round(float(raw), 2), similarity) for raw, similarity in points)


def print_quantiles(found: dict[str, Cosines]) -> None:
    print(f"{'raw cosine':32}{'pairs':>6}" + "".join(f"{f'{q}%':>7}" for q in QUANTILES))
    for kind, values in found.items():
        quantiles = np.quantile(values, [q / 100 for q in QUANTILES])
        print(f"{kind:32}{len(values):6}" + "".join(f"{value:7.3f}" for value in quantiles))


def print_shares(title: str, points: Points, found: dict[str, Cosines]) -> None:
    print(f"\n{title}: {points}\n{'share landing in':32}{'<.40':>8}{'.40-.70':>8}", end="")
    print(f"{'.70-.85':>8}{'>.85':>8}")
    raw, similarity = zip(*points, strict=True)
    for kind, values in found.items():
        bands = np.digitize(np.interp(values, raw, similarity), [0.40, 0.70, 0.85])
        shares = np.bincount(bands, minlength=4) / len(values)
        print(f"{kind:32}" + "".join(f"{share:8.0%}" for share in shares))


QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = os.environ.get("REMANENT_DATA")
    parser.add_argument("--data", type=Path, default=default, required=default is None)
    parser.add_argument("--sample", type=int, default=400, help="most pairs of one kind")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    embedder = GraniteEmbedder()
    found = {}
    for kind, pairs in kinds(options.data, rng).items():
        chosen = rng.sample(pairs, min(options.sample, len(pairs)))
        found[kind] = cosines(embedder, chosen)
    scored = stsb(options.data)
    human = np.array([score for score, _, _ in scored])
    correlation = spearman(cosines(embedder, [(a, b) for _, a, b in scored]), human)
    print(f"{embedder.name}: Spearman on {len(scored)} pairs of STS-B dev: {correlation:.4f}\n")
    print_quantiles(found)
    print_shares("proposed", proposed(found), found)
    print_shares("in the code", embedder.scale, found)


if __name__ == "__main__":
    main()
