"""Plans of batches: all that a loss needs beside the states, as arrays, made ahead by processes.

To list which span means which, and which nodes stand in a pair, takes 10 to 15 ms of a core for 32
sources. Processes of their own make the lists, and the trainer only sends arrays on to the device.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from training import labels
from training.nodes import Edge, candidates, gap
from training.tasks import IGNORED, Source, Span

Array = npt.NDArray[Any]
Plan = dict[str, Array]
TAGS = ("mentions", "keeps", "drops", "refs")
MOST_OFFERED = 256
"""Candidates that a question has at most; a fixed width spares the GPU a question."""
AHEAD = 6
"""Plans that a process makes before it waits."""


class Ahead:
    """Plans of batches from processes of their own, taken in turn so that a seed says all."""

    def __init__(
        self, made: Callable[[random.Random], Callable[[], Plan]], seed: int, workers: int
    ) -> None:
        """Start the processes; each has a seed of its own."""
        context = multiprocessing.get_context("fork")
        gc.freeze()  # what is shared stays shared
        queues = [context.Queue(AHEAD) for _ in range(workers)]
        for number, queue in enumerate(queues):
            drawn = made(random.Random(1000 * seed + number))
            context.Process(target=_fill, args=(queue, drawn), daemon=True).start()
        self.turns = itertools.cycle(queues)

    def __call__(self, device: str) -> dict[str, torch.Tensor]:
        """Give the next plan, on the device."""
        plan = next(self.turns).get()
        return {k: torch.from_numpy(v).to(device, non_blocking=True) for k, v in plan.items()}


def _fill(queue: Any, drawn: Callable[[], Plan]) -> None:
    torch.set_num_threads(1)
    while True:
        queue.put(drawn())


def grid(rows: Iterable[Sequence[int]], fill: int = 0) -> Array:
    """Give rows of numbers as one array, padded to a multiple of eight."""
    held = list(rows)
    length = -(-max(map(len, held)) // 8) * 8
    out = np.full((len(held), length), fill, np.int64)
    for row, values in enumerate(held):
        out[row, : len(values)] = values
    return out


def texts(rows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Plan:
    """Give token numbers, mask and kinds of texts."""
    numbers = grid(ids for ids, _ in rows)
    lengths = np.array([len(ids) for ids, _ in rows])
    mask = (np.arange(numbers.shape[1]) < lengths[:, None]).astype(np.float32)
    return {"numbers": numbers, "mask": mask, "kinds": grid(kinds for _, kinds in rows)}


def planned(
    sources: Sequence[Source], edges: Sequence[Sequence[Edge]], cased: Sequence[bool]
) -> Plan:
    """Give the plan of a batch of sources."""
    rows = [
        (s.text.numbers, s.text.cases if keep else [0] * len(s.text.cases))
        for s, keep in zip(sources, cased, strict=True)
    ]
    out = texts(rows)
    out["tags"] = np.stack([grid([getattr(s, n) for s in sources], IGNORED) for n in TAGS])
    for kind in ("links", "facts"):
        out |= {f"{kind} {k}": v for k, v in pointing(sources, kind).items()}
    return out | paired([(row, edge) for row, found in enumerate(edges) for edge in found])


def places(spans: Iterable[tuple[int, Span]]) -> Array:
    """Give spans as rows of an array: the row of the batch, start and end."""
    return np.array([(row, *span) for row, span in spans], np.int64).reshape(-1, 3)


FAR = [min(7, int(np.log2(distance + 1))) for distance in range(1024)]


def bucket(distance: int) -> int:
    """Give the bucket of a distance in tokens; negative is back."""
    return FAR[-distance] if distance < 0 else 8 + FAR[distance]


def pointing(sources: Sequence[Source], kind: str) -> Plan:
    """Give the questions 'which candidate does this span mean?' of a batch: of the references
    (``links``) or of the subjects of statements (``facts``)."""
    asked: list[tuple[int, Span]] = []
    offered: list[tuple[int, Span]] = []
    rest: list[tuple[int, int, int, bool]] = []  # question, column, bucket, right
    for row, source in enumerate(sources):
        for span, *_, key in getattr(source, kind):
            found = candidates(source.spans, span)[:MOST_OFFERED]
            if not any(k == key for _, k in found):
                continue
            for column, (at, k) in enumerate(found):
                offered.append((row, at))
                rest.append((len(asked), column, bucket(at[0] - span[0]), k == key))
            asked.append((row, span))
    return {
        "asked": places(asked),
        "offered": places(offered),
        "rest": np.array(rest, np.int64).reshape(-1, 4),
    }


def paired(edges: Sequence[tuple[int, Edge]]) -> Plan:
    """Give the pairs of nodes of a batch: the spans of both ends, what lies between, the labels."""
    out = {}
    for name, ends in (("a", [e.spans_a for _, e in edges]), ("b", [e.spans_b for _, e in edges])):
        rows = [row for row, _ in edges]
        flat = [(row, span) for row, spans in zip(rows, ends, strict=True) for span in spans]
        out[name] = places(flat)
        out[f"{name} of"] = np.repeat(np.arange(len(ends)), [len(spans) for spans in ends])
    out["between"] = places((row, gap(e.spans_a, e.spans_b)) for row, e in edges)
    said = [(e.label, e.over, e.attitude, e.proximity) for _, e in edges]
    out["ties"] = np.array(said, np.int64).reshape(-1, 4)
    return out


def allowed_tags(
    rows: Sequence[dict[str, Any]], offsets: Sequence[Sequence[Span]], length: int
) -> Array:
    """Give which mention tags each token of an open set may have.

    A set knows its own types only, and names only: a lower-case word without a tag may be
    anything, since roles ("my boss") are mentions for us and were none for its authors.
    """
    tags = labels.MENTION_TAGS
    out = np.ones((len(rows), length, len(tags)), bool)
    for r, row in enumerate(rows):
        open_tags = np.array([t == "O" or t[2:] not in row["covers"] for t in tags])
        only_dates = row["covers"] == ["date"]
        for i, (start, end) in enumerate(offsets[r], 1):
            if i < length and (only_dates or not row["text"][start:end].islower()):
                out[r, i] = open_tags
        for start, end, kind in row["spans"]:
            inside = [i for i, (s, e) in enumerate(offsets[r], 1) if s < end and e > start]
            for i in inside:
                if i < length:
                    tag = f"{'B' if i == inside[0] else 'I'}-{kind}"
                    out[r, i] = [t == tag for t in tags] if kind else True
    return out
