"""Reader in torch: the encoder and the heads that read its states, with their losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training import labels
from training.encoder import WIDTH, Encoder, padded, pooled
from training.nodes import Edge, candidates, gap
from training.tasks import IGNORED, Source, Span

SIZES = (
    len(labels.MENTION_TAGS),
    len(labels.KEEP_TAGS),
    len(labels.DROP_TAGS),
    len(labels.REF_TAGS),
)
TAG_WEIGHTS = {"mentions": 3.0, "keeps": 1.5, "drops": 1.5, "refs": 1.5}
"""Weights of the token heads; most tokens are in no mention, so its loss is small by itself."""
POINT, PAIR, MIDDLE = 96, 128, 192
REL_DROPOUT, REL_SMOOTHING = 0.3, 0.05
"""Relations are learned by heart soonest: 87 % right of what the head said on its own notes, 35 % on dev."""
BUCKETS = 16
"""Buckets of the distance between a reference and what it may mean: eight back, eight forth."""


def bucket(distance: int) -> int:
    """Give the bucket of a distance in tokens; negative is back."""
    size = min(7, int(np.log2(abs(distance) + 1)))
    return size if distance < 0 else 8 + size


class Reader(nn.Module):
    """Encoder with all heads; each head is a linear map or two, so that numpy can run it."""

    def __init__(self, encoder: Encoder) -> None:
        """Add fresh heads to an encoder."""
        super().__init__()
        self.encoder = encoder
        self.tags = nn.Linear(WIDTH, sum(SIZES))
        self.ref_from, self.ref_to = nn.Linear(WIDTH, POINT), nn.Linear(WIDTH, POINT)
        self.who_from, self.who_to = nn.Linear(WIDTH, POINT), nn.Linear(WIDTH, POINT)
        self.ref_far = nn.Parameter(torch.zeros(BUCKETS))
        self.who_far = nn.Parameter(torch.zeros(BUCKETS))
        self.rel_a, self.rel_b = nn.Linear(WIDTH, PAIR), nn.Linear(WIDTH, PAIR)
        self.rel_between = nn.Linear(WIDTH, PAIR)
        self.rel_mid = nn.Linear(4 * PAIR, MIDDLE)
        self.rel_out = nn.Linear(MIDDLE, len(labels.RELATIONS))
        self.rel_more = nn.Linear(MIDDLE, 3)  # over, attitude, proximity
        self.judge_mid = nn.Linear(2 * WIDTH, WIDTH)
        self.judge_out = nn.Linear(WIDTH, len(labels.JUDGE))
        self.need = nn.Linear(WIDTH, 1)

    def judge(self, states: Tensor, mask: Tensor) -> Tensor:
        """Give the judge's logits of a batch of pairs."""
        both = torch.cat([states[:, 0].float(), pooled(states, mask)], 1)
        both = functional.dropout(both, 0.1, self.training)
        middle = functional.gelu(self.judge_mid(both))
        return self.judge_out(functional.dropout(middle, 0.1, self.training))

    def needs(self, states: Tensor, mask: Tensor) -> Tensor:
        """Give the logit that a message calls for memory."""
        return self.need(pooled(states, mask))[:, 0]

    def pair(self, a: Tensor, b: Tensor, between: Tensor) -> tuple[Tensor, Tensor]:
        """Give the logits of the relation of two nodes, and those of its qualities."""
        left, right, middle = self.rel_a(a), self.rel_b(b), self.rel_between(between)
        joined = torch.cat([left, right, left * right, middle], 1)
        joined = functional.dropout(joined, REL_DROPOUT, self.training)
        middle = functional.gelu(self.rel_mid(joined))
        return self.rel_out(middle), self.rel_more(middle)


def span_means(states: Tensor, where: Sequence[tuple[int, Span]]) -> Tensor:
    """Give the mean state of each span; a span is named by its row and its bounds."""
    sums = functional.pad(states.float().cumsum(1), (0, 0, 1, 0))
    at = torch.tensor([(r, s, e) for r, (s, e) in where], device=states.device).T
    return (sums[at[0], at[2]] - sums[at[0], at[1]]) / (at[2] - at[1])[:, None]


def tag_loss(logits: Tensor, sources: Sequence[Source]) -> Tensor:
    """Give the loss of the four token heads."""
    total = logits.new_zeros(())
    parts = logits.split(SIZES, dim=2)
    for part, (name, weight) in zip(parts, TAG_WEIGHTS.items(), strict=True):
        wanted = np.full(part.shape[:2], IGNORED, np.int64)
        for row, source in enumerate(sources):
            values = getattr(source, name)
            wanted[row, : len(values)] = values
        target = torch.from_numpy(wanted).to(logits.device)
        total = total + weight * functional.cross_entropy(
            part.flatten(0, 1), target.flatten(), ignore_index=IGNORED, label_smoothing=0.01
        )
    return total


@dataclass
class Pointing:
    """Batch of questions 'which candidate does this span mean?'."""

    asked: list[tuple[int, Span]]
    offered: list[list[tuple[int, Span]]]
    right: list[list[bool]]


def pointing(sources: Sequence[Source], kind: str) -> Pointing:
    """Collect the references (``links``) or the subjects of statements (``facts``) of a batch."""
    out = Pointing([], [], [])
    for row, source in enumerate(sources):
        asked = [(span, key) for span, *_, key in getattr(source, kind)]
        for span, key in asked:
            offered = candidates(source.spans, span)
            right = [k == key for _, k in offered]
            if any(right):
                out.asked.append((row, span))
                out.offered.append([(row, at) for at, _ in offered])
                out.right.append(right)
    return out


def point_loss(reader: Reader, states: Tensor, held: Pointing, kind: str) -> Tensor:
    """Give the loss of a pointing head: any candidate with the right key will do."""
    if not held.asked:
        return states.new_zeros(()).float()
    start, end, far = (
        (reader.ref_from, reader.ref_to, reader.ref_far)
        if kind == "links"
        else (reader.who_from, reader.who_to, reader.who_far)
    )
    asked = start(span_means(states, held.asked))
    flat = [at for offered in held.offered for at in offered]
    owner = torch.tensor([i for i, o in enumerate(held.offered) for _ in o], device=states.device)
    gaps = [bucket(at[1][0] - held.asked[i][1][0]) for i, o in enumerate(held.offered) for at in o]
    scores = (asked[owner] * end(span_means(states, flat))).sum(1) / POINT**0.5
    scores = scores + far[torch.tensor(gaps, device=states.device)]
    most = max(map(len, held.offered))
    grid = scores.new_full((len(held.asked), most), -1e4)
    column = torch.tensor([j for o in held.offered for j in range(len(o))], device=states.device)
    grid[owner, column] = scores
    good = torch.zeros_like(grid, dtype=torch.bool)
    good[owner, column] = torch.tensor([r for row in held.right for r in row], device=good.device)
    logs = grid.log_softmax(1)
    return -logs.masked_fill(~good, -1e4).logsumexp(1).mean()


def node_means(states: Tensor, groups: Sequence[tuple[int, tuple[Span, ...]]]) -> Tensor:
    """Give the mean state of each node over all its spans."""
    flat = [(row, span) for row, spans in groups for span in spans]
    owner = torch.tensor([i for i, (_, s) in enumerate(groups) for _ in s], device=states.device)
    means = span_means(states, flat)
    sums = means.new_zeros(len(groups), means.shape[1]).index_add_(0, owner, means)
    counts = torch.tensor([len(s) for _, s in groups], device=states.device)
    return sums / counts[:, None]


def relation_loss(reader: Reader, states: Tensor, edges: Sequence[tuple[int, Edge]]) -> Tensor:
    """Give the loss of the relations of a batch: the class, and the qualities where stated."""
    edges = [(row, edge) for row, edge in edges if edge.label != IGNORED]
    if not edges:
        return states.new_zeros(()).float()
    a = node_means(states, [(row, edge.spans_a) for row, edge in edges])
    b = node_means(states, [(row, edge.spans_b) for row, edge in edges])
    between = span_means(states, [(row, gap(edge.spans_a, edge.spans_b)) for row, edge in edges])
    classes, more = reader.pair(a, b, between)
    label = torch.tensor([edge.label for _, edge in edges], device=states.device)
    weight = torch.where(label > 0, 1.0, 0.5)
    losses = functional.cross_entropy(
        classes, label, reduction="none", label_smoothing=REL_SMOOTHING
    )
    total = (losses * weight).sum() / weight.sum() * 2
    for column, values in enumerate(_qualities(edges)):
        known = [i for i, v in enumerate(values) if (v >= 0 if column == 0 else v > 0)]
        if not known:
            continue
        chosen = more[torch.tensor(known, device=more.device), column]
        wanted = torch.tensor([float(values[i]) for i in known], device=more.device)
        if column == 0:
            total = total + 0.5 * functional.binary_cross_entropy_with_logits(chosen, wanted)
        else:
            total = total + 0.1 * functional.mse_loss(chosen, wanted - 3)
    return total


def _qualities(edges: Sequence[tuple[int, Edge]]) -> list[list[int]]:
    """Give whether each relation is over, its attitude and its proximity, column by column."""
    found = [edge for _, edge in edges]
    return [
        [edge.over for edge in found],
        [edge.attitude for edge in found],
        [edge.proximity for edge in found],
    ]


def source_batch(
    sources: Sequence[Source], device: str, *, keep_case: Sequence[bool]
) -> tuple[Tensor, Tensor, Tensor]:
    """Give numbers, mask and kinds of a batch of sources; some lose their capitals."""
    numbers, mask = padded([s.text.numbers for s in sources], device)
    kinds, _ = padded(
        [
            s.text.cases if k else [0] * len(s.text.cases)
            for s, k in zip(sources, keep_case, strict=True)
        ],
        device,
    )
    return numbers, mask, kinds


def source_loss(
    reader: Reader, states: Tensor, sources: Sequence[Source], edges: Sequence[Sequence[Edge]]
) -> dict[str, Tensor]:
    """Give all losses of a batch of sources by head."""
    rows: list[tuple[int, Edge]] = [(r, e) for r, found in enumerate(edges) for e in found]
    return {
        "tags": tag_loss(reader.tags(states).float(), sources),
        "refs": point_loss(reader, states, pointing(sources, "links"), "links"),
        "who": point_loss(reader, states, pointing(sources, "facts"), "facts"),
        "relations": relation_loss(reader, states, rows),
    }


def partial_loss(logits: Tensor, allowed: Tensor) -> Tensor:
    """Give the loss of tags of which only a set is known to hold the right one."""
    logs = logits.float().log_softmax(-1)
    lost = -logs.masked_fill(~allowed, -1e4).logsumexp(-1)
    known = ~allowed.all(-1)
    return (lost * known).sum() / known.sum().clamp(min=1)


def allowed_tags(
    rows: Sequence[dict[str, Any]], offsets: Sequence[Sequence[Span]], length: int
) -> Tensor:
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
    return torch.from_numpy(out)
