"""Heads: linear maps over the reader's states, and the spans, pointers and classes they give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remanent.minds.reader.labels import RELATIONS, TAGS
from remanent.minds.reader.tokens import Span, Window
from remanent.weights.encoder import Floats

Heads = Mapping[str, Floats]
_BOUNDS: Final = np.cumsum(list(TAGS.values()))[:-1].tolist()
_MOST_NODES: Final = 14


def softmax(x: Floats) -> Floats:
    """Probabilities of logits along the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    out: Floats = powers / powers.sum(-1, keepdims=True)
    return out


def _gelu(x: Floats) -> Floats:
    """The Gaussian error linear unit, by a fit of the error function good to 2e-7."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    fit = (1.061405429 * t - 1.453152027) * t + 1.421413741
    erf = np.sign(x) * (1 - ((fit * t - 0.284496736) * t + 0.254829592) * t * np.exp(-z * z))
    return np.asarray(0.5 * x * (1 + erf), np.float32)


def _linear(heads: Heads, name: str, x: Floats) -> Floats:
    out: Floats = x @ heads[f"{name}.weight"].T + heads[f"{name}.bias"]
    return out


def judged(heads: Heads, states: Floats, temperature: float) -> Floats:
    """Probabilities of the judge's labels on the states of one pair."""
    both = np.concatenate([states[0], states.mean(0)])[None]
    logits = _linear(heads, "judge_out", _gelu(_linear(heads, "judge_mid", both)))[0]
    return softmax(logits / np.float32(temperature))


def tagged(heads: Heads, states: Floats, window: Window) -> dict[str, Floats]:
    """Probabilities of the tags of each task, by token; a token has those of the first of its word."""
    parts = np.split(_linear(heads, "tags", states), _BOUNDS, axis=1)
    firsts = np.arange(len(window.glued))
    for i, goes_on in enumerate(window.glued):
        if goes_on:
            firsts[i] = firsts[i - 1]
    return {name: softmax(part)[firsts] for name, part in zip(TAGS, parts, strict=True)}


def spans(chances: Floats, window: Window) -> list[Span]:
    """The spans of tags none, begin, inside (in this order), within a paragraph and of whole words."""
    found: list[Span] = []
    begun: int | None = None
    best = chances.argmax(1).tolist()
    for i, tag in enumerate([*best, 0]):
        inside = i < len(window.offsets) and window.offsets[i][0] >= 0
        same = begun is not None and inside and window.turns[i] == window.turns[begun]
        if same and (tag == 2 or (tag == 1 and window.glued[i])) and not window.is_parted(i):
            continue
        if begun is not None:
            found.append((begun, i))
            begun = None
        if inside and tag > 0:
            begun = i
    return found


def typed_spans(chances: Floats, window: Window) -> list[tuple[Span, int, float]]:
    """The spans of a task whose tags have types, each with its best type and how sure that is."""
    begins, inners = chances[:, 1::2], chances[:, 2::2]
    plain = np.stack([chances[:, 0], begins.sum(1), inners.sum(1)], axis=1)
    return [(span, *best_type(chances, span)) for span in spans(plain, window)]


def best_type(chances: Floats, span: Span) -> tuple[int, float]:
    """The likeliest type of a span, and how likely the tokens have it, on (geometric) average."""
    inside = chances[span[0] : span[1]]
    types = np.log((inside[:, 1::2] + inside[:, 2::2]).clip(1e-9)).mean(0)
    return int(types.argmax()), float(np.exp(types.max()))


def one_of(chances: Floats, span: Span, types: Sequence[int]) -> float:
    """How likely the tokens of a span have one of these types, on (geometric) average."""
    columns = [1 + 2 * one for one in types] + [2 + 2 * one for one in types]
    likely = chances[span[0] : span[1]][:, columns].sum(1)
    return float(np.exp(np.log(likely.clip(1e-9)).mean()))


def means(states: Floats, found: Sequence[Span]) -> Floats:
    """The mean state of each span."""
    sums: Floats = np.array([np.add.reduce(states[start:end], axis=0) for start, end in found])
    sums /= np.array([[end - start] for start, end in found], np.float32)
    return sums


def _distance(tokens: int) -> int:
    """The bucket of a distance in tokens; negative is back."""
    size = min(7, int(math.log2(abs(tokens) + 1)))
    return size if tokens < 0 else 8 + size


def pointed(
    heads: Heads, head: str, states: Floats, asked: Span, offered: Sequence[tuple[Span, str]]
) -> tuple[str, float]:
    """The key that a span most likely means, and how likely; candidates with one key add up."""
    if not offered:
        return "", 0.0
    start = _linear(heads, f"{head}_from", means(states, [asked]))
    ends = _linear(heads, f"{head}_to", means(states, [span for span, _ in offered]))
    near = heads[f"{head}_far"][[_distance(span[0] - asked[0]) for span, _ in offered]]
    scores = (ends @ start[0]) / np.float32(math.sqrt(start.shape[1])) + near
    totals: dict[str, float] = {}
    for chance, (_, key) in zip(softmax(scores), offered, strict=True):
        totals[key] = totals.get(key, 0.0) + float(chance)
    best = max(totals, key=totals.__getitem__)
    return best, totals[best]


def related(
    heads: Heads, states: Floats, nodes: Mapping[str, Sequence[Span]]
) -> list[tuple[str, str, str, float, Floats]]:
    """For each two nodes of a turn the likeliest relation, how likely they have one at all, and
    whether it is over, its attitude and its proximity as the head gives them."""
    keys = list(nodes)[:_MOST_NODES]
    if len(keys) < 2:
        return []
    vectors = np.stack([means(states, nodes[key]).mean(0) for key in keys])
    left, right = _linear(heads, "rel_a", vectors), _linear(heads, "rel_b", vectors)
    ways = [(i, j) for i in range(len(keys)) for j in range(len(keys)) if i != j]
    a, b = left[[i for i, _ in ways]], right[[j for _, j in ways]]
    gaps = means(states, [_gap(nodes[keys[i]], nodes[keys[j]]) for i, j in ways])
    between = _linear(heads, "rel_between", gaps)
    middle = _gelu(_linear(heads, "rel_mid", np.concatenate([a, b, a * b, between], axis=1)))
    chances, more = softmax(_linear(heads, "rel_out", middle)), _linear(heads, "rel_more", middle)
    best: dict[frozenset[int], tuple[str, str, str, float, Floats]] = {}
    for row, (i, j) in enumerate(ways):
        sure, which = float(1 - chances[row, 0]), int(chances[row, 1:].argmax()) + 1
        two = frozenset((i, j))
        if two not in best or sure > best[two][3]:
            best[two] = (keys[i], keys[j], RELATIONS[which], sure, more[row])
    return list(best.values())


def _gap(a: Sequence[Span], b: Sequence[Span]) -> Span:
    """The tokens from one node to the other, both included, where they stand nearest."""
    near = min(((x, y) for x in a for y in b), key=lambda two: abs(two[0][0] - two[1][0]))
    return min(near[0][0], near[1][0]), max(near[0][1], near[1][1])


def rows(numbers: NDArray[np.float32]) -> list[float]:
    """Numbers as Python has them."""
    return [float(one) for one in numbers]
