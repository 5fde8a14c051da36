"""Reader in torch: the encoder and the heads that read its states, with their losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from training import labels
from training.encoder import Encoder, pooled
from training.plans import MOST_OFFERED
from training.tasks import IGNORED
from training.teacher import Trunk

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
Tensors = Mapping[str, Tensor]
"""Plan of a batch (`plans.py`), on the device."""
BUCKETS = 16
"""Buckets of the distance between a reference and what it may mean: eight back, eight forth."""


class Reader(nn.Module):
    """Encoder with all heads; each head is a linear map or two, so that numpy can run it."""

    def __init__(self, encoder: Encoder | Trunk) -> None:
        """Add fresh heads to an encoder."""
        super().__init__()
        self.encoder = encoder
        width = encoder.position.shape[1]
        self.tags = nn.Linear(width, sum(SIZES))
        self.ref_from, self.ref_to = nn.Linear(width, POINT), nn.Linear(width, POINT)
        self.who_from, self.who_to = nn.Linear(width, POINT), nn.Linear(width, POINT)
        self.ref_far = nn.Parameter(torch.zeros(BUCKETS))
        self.who_far = nn.Parameter(torch.zeros(BUCKETS))
        self.rel_a, self.rel_b = nn.Linear(width, PAIR), nn.Linear(width, PAIR)
        self.rel_between = nn.Linear(width, PAIR)
        self.rel_mid = nn.Linear(4 * PAIR, MIDDLE)
        self.rel_out = nn.Linear(MIDDLE, len(labels.RELATIONS))
        self.rel_more = nn.Linear(MIDDLE, 3)  # over, attitude, proximity
        self.judge_mid = nn.Linear(2 * width, width)
        self.judge_out = nn.Linear(width, len(labels.JUDGE))
        self.need = nn.Linear(width, 1)

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


def span_means(states: Tensor, at: Tensor) -> Tensor:
    """Give the mean state of each span; a span is named by its row and its bounds."""
    sums = functional.pad(states.float().cumsum(1), (0, 0, 1, 0))
    row, start, end = at.T
    return (sums[row, end] - sums[row, start]) / (end - start)[:, None]


def tag_loss(logits: Tensor, wanted: Tensor) -> Tensor:
    """Give the loss of the four token heads."""
    total = logits.new_zeros(())
    parts = logits.split(SIZES, dim=2)
    for part, target, weight in zip(parts, wanted, TAG_WEIGHTS.values(), strict=True):
        total = total + weight * functional.cross_entropy(
            part.flatten(0, 1), target.flatten(), ignore_index=IGNORED, label_smoothing=0.01
        )
    return total


def point_loss(reader: Reader, states: Tensor, plan: Tensors, kind: str) -> Tensor:
    """Give the loss of a pointing head: any candidate with the right key will do."""
    asked = plan[f"{kind} asked"]
    if not len(asked):
        return states.new_zeros(()).float()
    start, end, far = (
        (reader.ref_from, reader.ref_to, reader.ref_far)
        if kind == "links"
        else (reader.who_from, reader.who_to, reader.who_far)
    )
    owner, column, gaps, right = plan[f"{kind} rest"].T
    ends = end(span_means(states, plan[f"{kind} offered"]))
    scores = (start(span_means(states, asked))[owner] * ends).sum(1) / POINT**0.5
    scores = scores.float() + far[gaps]
    grid = scores.new_full((len(asked), MOST_OFFERED), -1e4).index_put((owner, column), scores)
    good = torch.zeros_like(grid, dtype=torch.bool).index_put((owner, column), right > 0)
    return -grid.log_softmax(1).masked_fill(~good, -1e4).logsumexp(1).mean()


def node_means(states: Tensor, spans: Tensor, owner: Tensor, count: int) -> Tensor:
    """Give the mean state of each node over all its spans."""
    means = span_means(states, spans)
    sums = means.new_zeros(count, means.shape[1]).index_add_(0, owner, means)
    counts = means.new_zeros(count).index_add_(0, owner, means.new_ones(len(owner)))
    return sums / counts[:, None]


def ends_of(states: Tensor, plan: Tensors) -> tuple[Tensor, Tensor, Tensor]:
    """Give the mean states of both ends of pairs, and of what lies between them."""
    count = len(plan["ties"])
    return (
        node_means(states, plan["a"], plan["a of"], count),
        node_means(states, plan["b"], plan["b of"], count),
        span_means(states, plan["between"]),
    )


def relation_loss(classes: Tensor, more: Tensor, ties: Tensor) -> Tensor:
    """Give the loss of the relations of a batch: the class, and the qualities where stated."""
    label, over, *felt = ties.T
    known = label != IGNORED
    weight = torch.where(label > 0, 1.0, 0.5) * known
    losses = functional.cross_entropy(
        classes.float(),
        label,
        reduction="none",
        label_smoothing=REL_SMOOTHING,
        ignore_index=IGNORED,
    )
    total = (losses * weight).sum() / weight.sum().clamp(min=1) * 2
    said = (over >= 0) & known
    wrong = functional.binary_cross_entropy_with_logits(
        more[:, 0].float(), over.clamp(min=0).float(), reduction="none"
    )
    total = total + 0.5 * (wrong * said).sum() / said.sum().clamp(min=1)
    for column, values in enumerate(felt, 1):
        said = (values > 0) & known
        off = (more[:, column].float() - (values - 3)) ** 2
        total = total + 0.1 * (off * said).sum() / said.sum().clamp(min=1)
    return total


Taught = Sequence[tuple[Reader, Tensor]]
"""Teachers with their states of a batch."""


def source_loss(
    reader: Reader, states: Tensor, plan: Tensors, taught: Taught = ()
) -> dict[str, Tensor]:
    """Give all losses of a batch of sources by head, and with teachers that of their word."""
    logits = reader.tags(states).float()
    none = states.new_zeros(()).float()
    out = {
        "tags": tag_loss(logits, plan["tags"]),
        "refs": point_loss(reader, states, plan, "links"),
        "who": point_loss(reader, states, plan, "facts"),
        "relations": none,
        "tags told": tags_told(logits, plan["tags"][0] != IGNORED, taught) if taught else none,
        "relations told": none,
    }
    if len(plan["ties"]):
        parts = torch.cat([states, *(theirs for _, theirs in taught)], 2)
        widths = [states.shape[2], *(theirs.shape[2] for _, theirs in taught)]
        ends = list(zip(*(end.split(widths, 1) for end in ends_of(parts, plan)), strict=True))
        classes, more = reader.pair(*ends[0])
        out["relations"] = relation_loss(classes, more, plan["ties"])
        if taught:
            others = [teacher for teacher, _ in taught]
            out["relations told"] = relations_told(classes, others, ends[1:])
    return out


def tags_told(logits: Tensor, inside: Tensor, taught: Taught) -> Tensor:
    """Give how far the token heads are from the mean word of their teachers."""
    with torch.no_grad():
        said = [teacher.tags(theirs).float().split(SIZES, 2) for teacher, theirs in taught]
    total, counted = logits.new_zeros(()), inside.sum()
    ours = logits.split(SIZES, 2)
    for part, weight, *told in zip(ours, TAG_WEIGHTS.values(), *said, strict=True):
        wanted = torch.stack([one.softmax(2) for one in told]).mean(0)
        lost = -(wanted * part.log_softmax(2)).sum(2)
        total = total + weight * (lost * inside).sum() / counted
    return total


def relations_told(
    classes: Tensor, teachers: Sequence[Reader], ends: Sequence[tuple[Tensor, ...]]
) -> Tensor:
    """Give how far the relations are from the mean word of the teachers; ties count twice."""
    with torch.no_grad():
        told = [t.pair(*found)[0].float() for t, found in zip(teachers, ends, strict=True)]
        wanted = torch.stack([one.softmax(1) for one in told]).mean(0)
        weight = 1.0 - 0.5 * wanted[:, 0]
    losses = functional.cross_entropy(classes.float(), wanted, reduction="none")
    return (losses * weight).sum() / weight.sum() * 2


def partial_loss(logits: Tensor, allowed: Tensor) -> Tensor:
    """Give the loss of tags of which only a set is known to hold the right one."""
    logs = logits.float().log_softmax(-1)
    lost = -logs.masked_fill(~allowed, -1e4).logsumexp(-1)
    known = ~allowed.all(-1)
    return (lost * known).sum() / known.sum().clamp(min=1)
