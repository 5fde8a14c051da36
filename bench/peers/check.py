"""`python -m bench.peers.check [--write]`: are we as quick as we were, beside what cannot get slower?

CPU of ours over that of the two floors, which no change of ours touches: a slower or busier machine slows both.
Every system runs several rounds in turn; of each round the ratios are taken, for what slows one system of it slows
the others too, and the middle one of all rounds counts. A ratio more than a tenth above the one kept in
`bench/peers.json` fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.peers.compare import KEPT, kept
from bench.peers.environments import FLOORS, OURS
from bench.peers.measure import MadeUp, fill, searched, single_adds
from bench.peers.process import Process

SIZE, SINGLES, QUESTIONS = 2_000, 600, 400  # a floor answers in a tenth of a millisecond
ROUNDS, MOST_ROUNDS = 5, 15
TOLERANCE = 1.10
FTS5, NUMPY = FLOORS
Figures = dict[str, float]
LINES: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "search, CPU, over FTS5 and numpy together": ("search", FLOORS, "search"),
    "add one, CPU, over FTS5": ("add", (FTS5,), "add"),
    "until it can be found, CPU, over adding with FTS5": ("findable", (FTS5,), "add"),
    "add in batches, CPU, over FTS5 and numpy together": ("fill", FLOORS, "fill"),
    "first answer of a new process, CPU, over numpy": ("first", (NUMPY,), "first"),
    "memory, over numpy": ("resident", (NUMPY,), "resident"),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers.check", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep what is found")
    options = parser.parse_args()
    known = kept()
    rounds: list[Figures] = []
    while len(rounds) < MOST_ROUNDS:
        rounds.append(ratios({name: one_round(name) for name in (OURS, *FLOORS)}))
        print(f"round {len(rounds)}", file=sys.stderr, flush=True)
        enough = len(rounds) >= ROUNDS and len(rounds) % 2
        if enough and (options.write or all(good for good, _ in verdicts(known, middle(rounds)))):
            break
    if options.write:
        known = kept()  # another run may have kept something in the meantime
        known["check"] = {name: round(ratio, 3) for name, ratio in middle(rounds).items()}
        KEPT.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    found = list(verdicts(known, middle(rounds)))
    print("\n".join(line for _, line in found))
    raise SystemExit(not all(good for good, _ in found))


def one_round(name: str) -> Figures:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place, data = Path(folder) / "memory", MadeUp()
        process = Process(name, place)
        add = single_adds(process, data, SINGLES)["add"]
        filled = fill(process, data, SIZE, 600)
        found = searched(process, data, QUESTIONS)
        process.close()
        process = Process(name, place)
        process.ask("search", **data.asked(1))
        first = process.cpu_ms()
        process.close()
    return {
        "add": add["cpu_ms"],
        "findable": add["findable_cpu_ms"],
        "fill": filled["fill_cpu_ms"],
        "search": found["cpu_ms"],
        "resident": found["resident_mb"],
        "first": first,
    }


def middle(rounds: Sequence[Figures]) -> Figures:
    """The median of each ratio."""
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def ratios(found: Mapping[str, Figures]) -> Figures:
    """Ours over that of the floors, of one round."""
    return {
        line: found[OURS][mine] / sum(found[floor][theirs] for floor in floors)
        for line, (mine, floors, theirs) in LINES.items()
    }


def verdicts(
    known: Mapping[str, Mapping[str, float]], found: Figures
) -> Iterator[tuple[bool, str]]:
    """Whether each ratio is good enough, and a line that says so."""
    before = known.get("check", {})
    for name, ratio in found.items():
        if name not in before:
            yield (
                True,
                f"new   {name}: {ratio:.2f}, nothing kept to hold it against (--write keeps it)",
            )
            continue
        change = 100 * (ratio / before[name] - 1)
        good = ratio <= TOLERANCE * before[name]
        word = "ok   " if good else "SLOWER"
        yield good, f"{word} {name}: {ratio:.2f}, kept {before[name]:.2f} ({change:+.0f} %)"


if __name__ == "__main__":
    main()
