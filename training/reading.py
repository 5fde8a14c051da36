"""Reading of a source in numpy: from the encoder's states and the heads' weights to labels.

This is what runs where no torch is. It takes the states of one source (tokens by width) and the
arrays of the heads by name, as torch names them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from training import labels
from training.nodes import gap, turn_nodes
from training.tasks import Span, Text

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]
_SIZES = (len(labels.MENTION_TAGS), len(labels.KEEP_TAGS), len(labels.DROP_TAGS))
_BOUNDS = np.cumsum(_SIZES).tolist()


@dataclass(frozen=True)
class Settings:
    """Thresholds of the reading, chosen on dev batches."""

    keep: float = 0.5
    """Least mean probability that a span is worth keeping."""
    relation: float = 0.5
    """Least probability that two nodes are related at all."""
    drop: float = 0.6
    """Mean probability of a reason to drop from which a statement is not kept after all."""


@dataclass
class Read:
    """What was read in a source: spans of tokens with labels."""

    mentions: list[tuple[Span, str]] = field(default_factory=list)
    refs: list[tuple[Span, str]] = field(default_factory=list)
    """Reference and the surface (or speaker) that it means."""
    facts: list[tuple[Span, str, str, float]] = field(default_factory=list)
    """Statement worth keeping: span, kind, subject, probability."""
    drops: list[str] = field(default_factory=list)
    relations: list[tuple[int, str, str, str, float]] = field(default_factory=list)


def softmax(x: Array) -> Array:
    """Give probabilities of logits along the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def gelu(x: Array) -> Array:
    """Give the Gaussian error linear unit, by a fit of the error function good to 2e-7."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    fit = (1.061405429 * t - 1.453152027) * t + 1.421413741
    erf = np.sign(x) * (1 - ((fit * t - 0.284496736) * t + 0.254829592) * t * np.exp(-z * z))
    return np.asarray(0.5 * x * (1 + erf))


def linear(weights: Weights, name: str, x: Array) -> Array:
    """Apply a linear map by name."""
    return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def firsts(text: Text) -> Array:
    """Give for every token the first token of its word, so that a word is read as a whole."""
    out = np.arange(len(text.offsets))
    for i in range(1, len(out)):
        if text.glued[i]:
            out[i] = out[i - 1]
    return out


def spans_of(chances: Array, text: Text) -> list[Span]:
    """Give the spans of tags O, B, I (in this order), inside a turn and of whole words."""
    found: list[Span] = []
    open_at: int | None = None
    best = chances[firsts(text)].argmax(1).tolist()
    for i, tag in enumerate([*best, 0]):
        inside = i < len(text.offsets) and text.offsets[i][0] >= 0
        same = open_at is not None and inside and text.turns[i] == text.turns[open_at]
        if same and (tag == 2 or (tag == 1 and text.glued[i])):
            continue
        if open_at is not None:
            found.append((open_at, i))
            open_at = None
        if inside and tag > 0:
            open_at = i
    return found


def typed_spans(logits: Array, text: Text) -> list[tuple[Span, int, float]]:
    """Give the spans of a head of typed B and I tags, each with its best type and probability."""
    chances = softmax(logits)
    begins, inners = chances[:, 1::2], chances[:, 2::2]
    plain = np.stack([chances[:, 0], begins.sum(1), inners.sum(1)], axis=1)
    return [
        ((start, end), *best_type(chances, (start, end))) for start, end in spans_of(plain, text)
    ]


_EMPTY = frozenset(
    ("of", "the", "a", "an", "s", "in", "on", "at", "to", "and", "my", "our", "his", "her", "-")
)


def mentioned(logits: Array, told: Told) -> list[tuple[Span, str]]:
    """Give the mentions: typed spans without a possessive at their end, joined where split."""
    out: list[tuple[Span, str]] = []
    for (start, stop), at, _ in typed_spans(logits, told.text):
        end = stop
        while end > start and _ends_badly(told, start, end):
            end -= 1
        words = [_word(told, i) for i in range(start, end)]
        if not any(word.isalnum() and word not in _EMPTY for word in words):
            continue
        kind = labels.TYPES[at]
        if out and kind == out[-1][1] == "date" and out[-1][0][1] == start:
            out[-1] = ((out[-1][0][0], end), kind)
        else:
            out.append(((start, end), kind))
    return out


def _ends_badly(told: Told, start: int, end: int) -> bool:
    """Say whether a span ends in punctuation or in the s of a possessive."""
    last, before = _word(told, end - 1), _word(told, end - 2) if end - 2 >= start else ""
    return not any(c.isalnum() for c in last) or (last == "s" and before in {"'", "’"})


def best_type(chances: Array, span: Span) -> tuple[int, float]:
    """Give the likeliest type of a span, and how likely it is a span at all."""
    inside = chances[span[0] : span[1]]
    types = np.log((inside[:, 1::2] + inside[:, 2::2]).clip(1e-9)).mean(0)
    return int(types.argmax()), float(1 - inside[:, 0].mean())


_STOPS = frozenset(".!?…")
_JOINS = frozenset(
    [
        "and",
        "but",
        "so",
        "then",
        "because",
        "who",
        "which",
        "while",
        "though",
        "although",
        "or",
        ",",
        ";",
        ":",
        "–",
        "—",
        "-",
    ]
)


def statements(logits: Array, told: Told, least: float) -> list[tuple[Span, int, float]]:
    """Give the statements worth keeping: runs of likely tokens, cut where a clause begins."""
    chances = softmax(logits)[firsts(told.text)]
    likely, begins = 1 - chances[:, 0], chances[:, 1::2].sum(1)
    words = [_word(told, i) for i in range(len(likely))]
    runs: list[Span] = []
    for i, word in enumerate(words):
        if not word:
            continue
        held = likely[i] >= least or (_bridged(likely, words, i) and word not in _STOPS)
        if not held:
            continue
        cut = begins[i] > 0.5 and (words[i - 1] in _STOPS | _JOINS or word in _JOINS)
        if runs and runs[-1][1] == i and not cut:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    out = []
    for run in runs:
        start, end = _trimmed(words, run)
        if sum(w.isalnum() for w in words[start:end]) >= 2:
            out.append(((start, end), *best_type(chances, (start, end))))
    return out


def _word(told: Told, i: int) -> str:
    """Give the word of a token in lower case, or nothing between turns."""
    if told.text.offsets[i][0] < 0:
        return ""
    start, end = told.text.offsets[i]
    return told.words[told.text.turns[i]][start:end].lower()


def _bridged(likely: Array, words: Sequence[str], i: int) -> bool:
    """Say whether an unlikely token stands between likely ones, nearer than three tokens."""
    back = any(likely[j] >= 0.5 for j in range(max(0, i - 2), i) if words[j])
    ahead = any(likely[j] >= 0.5 for j in range(i + 1, min(len(words), i + 3)) if words[j])
    return back and ahead


def _trimmed(words: Sequence[str], run: Span) -> Span:
    """Give a run without the joints at its ends."""
    start, end = run
    while start < end and words[start] in _STOPS | _JOINS:
        start += 1
    while end > start and words[end - 1] in _STOPS | _JOINS:
        end -= 1
    return start, end


def means(states: Array, spans: Sequence[Span]) -> Array:
    """Give the mean state of each span."""
    return np.stack([states[s:e].mean(0) for s, e in spans])


def bucket(distance: int) -> int:
    """Give the bucket of a distance in tokens; negative is back."""
    size = min(7, int(math.log2(abs(distance) + 1)))
    return size if distance < 0 else 8 + size


def pointed(
    weights: Weights, head: str, states: Array, asked: Span, offered: Sequence[tuple[Span, str]]
) -> str:
    """Give the key that a span most likely means; candidates with one key add up."""
    if not offered:
        return ""
    start = linear(weights, f"{head}_from", means(states, [asked]))
    ends = linear(weights, f"{head}_to", means(states, [span for span, _ in offered]))
    scores = (ends @ start[0]) / math.sqrt(start.shape[1])
    scores = scores + [weights[f"{head}_far"][bucket(s[0] - asked[0])] for s, _ in offered]
    totals: dict[str, float] = {}
    for chance, (_, key) in zip(softmax(scores), offered, strict=True):
        totals[key] = totals.get(key, 0.0) + float(chance)
    return max(totals, key=totals.__getitem__)


def judged(weights: Weights, states: Array) -> Array:
    """Give the logits of the judge on the states of one pair."""
    both = np.concatenate([states[0], states.mean(0)])[None]
    return np.asarray(linear(weights, "judge_out", gelu(linear(weights, "judge_mid", both)))[0])


def needed(weights: Weights, states: Array) -> float:
    """Give the logit that a message calls for memory."""
    return float(linear(weights, "need", states.mean(0)[None])[0, 0])


def surface(words: Sequence[str], text: Text, span: Span) -> str:
    """Give the words of a span as they stand in the text."""
    turn = text.turns[span[0]]
    return words[turn][text.offsets[span[0]][0] : text.offsets[span[1] - 1][1]]


def related(
    weights: Weights, states: Array, nodes: Mapping[str, Sequence[Span]], least: float
) -> list[tuple[str, str, str, float]]:
    """Give the relations between the nodes of a turn, one for each pair of nodes at most."""
    keys = list(nodes)
    if len(keys) < 2:
        return []
    vectors = np.stack([means(states, nodes[key]).mean(0) for key in keys])
    left, right = linear(weights, "rel_a", vectors), linear(weights, "rel_b", vectors)
    ways = [(i, j) for i in range(len(keys)) for j in range(len(keys)) if i != j]
    a, b = left[[i for i, _ in ways]], right[[j for _, j in ways]]
    gaps = means(states, [gap(nodes[keys[i]], nodes[keys[j]]) for i, j in ways])
    between = linear(weights, "rel_between", gaps)
    middle = gelu(linear(weights, "rel_mid", np.concatenate([a, b, a * b, between], axis=1)))
    chances = softmax(linear(weights, "rel_out", middle))
    best: dict[frozenset[int], tuple[str, str, str, float]] = {}
    for (i, j), row in zip(ways, chances, strict=True):
        some, which = float(1 - row[0]), int(row[1:].argmax()) + 1
        pair = frozenset((i, j))
        if some >= least and (pair not in best or some > best[pair][3]):
            best[pair] = (keys[i], keys[j], labels.RELATIONS[which], some)
    return list(best.values())


@dataclass(frozen=True)
class Told:
    """Source as it comes: tokens, words of each turn, speakers, and the owner's name."""

    text: Text
    words: Sequence[str]
    speakers: Sequence[str]
    spans: Sequence[tuple[Span, str]] = ()


def read(weights: Weights, states: Array, told: Told, settings: Settings) -> Read:
    """Read everything in a source that the heads can say."""
    text, out = told.text, Read()
    logits = linear(weights, "tags", states)
    mention, keep, drop, ref = np.split(logits, _BOUNDS, axis=1)
    out.mentions = mentioned(mention, told)
    meaning = spans_of(softmax(ref), text)
    offered = [*told.spans] + [
        (span, surface(told.words, text, span))
        for span, kind in out.mentions
        if kind != "date" and span not in meaning
    ]
    out.refs = [(span, pointed(weights, "ref", states, span, offered)) for span in meaning]
    dropped = 1 - softmax(drop)[:, 0]
    for span, kind, sure in statements(keep, told, settings.keep):
        if dropped[span[0] : span[1]].mean() >= settings.drop:
            continue
        who = pointed(weights, "who", states, span, offered)
        out.facts.append((span, labels.KINDS[kind], who, sure))
    out.drops = [labels.DROP_TAGS[i] for i in drop.argmax(1)]
    for turn in range(len(told.words)):
        nodes = turn_nodes(text, turn, offered, out.refs)
        for a, b, name, sure in related(weights, states, nodes, settings.relation):
            out.relations.append((turn, a, b, name, sure))
    return out
