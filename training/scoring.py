"""Scoring of what was read against the labels: counts per head that add up over sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from training import labels
from training.reading import Read, softmax
from training.tasks import Source, Span

Tally = Counter[str]
OVERLAP = 0.5
"""Share of tokens from which two spans count as one statement (Dice)."""


def dice(a: Span, b: Span) -> float:
    """Give how far two spans are one: twice the shared tokens over all tokens."""
    shared = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return 2 * shared / (a[1] - a[0] + b[1] - b[0])


def gold_mentions(source: Source) -> set[tuple[Span, str]]:
    """Give the labelled mentions as spans with types."""
    found: set[tuple[Span, str]] = set()
    tags = [*source.mentions, 0]
    start = None
    for i, tag in enumerate(tags):
        if start is not None and not (tag > 0 and tag % 2 == 0):
            found.add(((start, i), labels.TYPES[(tags[start] - 1) // 2]))
            start = None
        if tag > 0 and tag % 2 == 1:
            start = i
    return found


def tally(source: Source, got: Read) -> Tally:
    """Count the hits of all heads on one source."""
    out: Tally = Counter()
    _mentions(source, got, out)
    _refs(source, got, out)
    _worth(source, got, out)
    _relations(source, got, out)
    return out


def _mentions(source: Source, got: Read, out: Tally) -> None:
    wanted, found = gold_mentions(source), set(got.mentions)
    for group in ("person", "things", "date"):
        kinds = set(labels.TYPES) - {"person", "date"} if group == "things" else {group}
        _count(
            out, group, {m for m in wanted if m[1] in kinds}, {m for m in found if m[1] in kinds}
        )
    _count(out, "spans", {m[0] for m in wanted}, {m[0] for m in found})


def _count(out: Tally, name: str, wanted: set[Any], found: set[Any]) -> None:
    """Add the counts that precision and recall need."""
    out[f"{name} wanted"] += len(wanted)
    out[f"{name} found"] += len(found)
    out[f"{name} right"] += len(wanted & found)


def alike(a: str, b: str) -> bool:
    """Say whether two keys name one thing: equal, or all words of one among the other's."""
    first, second = set(a.lower().split()), set(b.lower().split())
    return bool(first and second) and (first <= second or second <= first)


def _refs(source: Source, got: Read, out: Tally) -> None:
    """Count references; a target is right by its key or by the words of that key."""
    found = dict(got.refs)
    hit = [(span, key) for span, key in source.links if span in found]
    right = sum(alike(found[span], key) for span, key in hit)
    out["refs wanted"] += len(source.links)
    out["refs found"] += len(got.refs)
    out["refs right"] += right
    out["ref targets wanted"] += len(hit)
    out["ref targets right"] += right


def _worth(source: Source, got: Read, out: Tally) -> None:
    out["keep wanted"] += len(source.facts)
    out["keep found"] += len(got.facts)
    taken: set[int] = set()
    for span, kind, who in source.facts:
        scored = [(dice(span, f[0]), i) for i, f in enumerate(got.facts) if i not in taken]
        best, at = max(scored, default=(0.0, -1))
        if best < OVERLAP:
            continue
        taken.add(at)
        out["keep right"] += 1
        out["kind right"] += got.facts[at][1] == kind
        out["who right"] += alike(got.facts[at][2], who)
    kept = {i for span, *_ in got.facts for i in range(*span)}
    for span, _ in source.dropped:
        out["drop wanted"] += 1
        out["drop kept"] += sum(i in kept for i in range(*span)) > (span[1] - span[0]) / 2


def _relations(source: Source, got: Read, out: Tally) -> None:
    wanted = list({_undirected(a, b, name) for _, a, b, name, _ in source.relations})
    found = list({_undirected(a, b, name) for _, a, b, name, _ in got.relations})
    for title, strict in (("rels", True), ("rel pairs", False)):
        left = list(found)
        for one in wanted:
            hits = [other for other in left if _matches(one, other, strict=strict)]
            if hits:
                left.remove(hits[0])
                out[f"{title} right"] += 1
        out[f"{title} wanted"] += len(wanted)
        out[f"{title} found"] += len(found)


def _matches(wanted: tuple[str, str, str], found: tuple[str, str, str], *, strict: bool) -> bool:
    """Say whether a found relation is the wanted one; not strictly: whether its ends are."""
    forth = alike(wanted[0], found[0]) and alike(wanted[1], found[1])
    back = alike(wanted[0], found[1]) and alike(wanted[1], found[0])
    if not strict:
        return forth or back
    return wanted[2] == found[2] and (forth or (back and wanted[2] in labels.SYMMETRIC))


def _undirected(a: str, b: str, name: str) -> tuple[str, str, str]:
    """Give a relation with its ends in order where its class has no direction."""
    if name in labels.SYMMETRIC and b < a:
        return (b, a, name)
    return (a, b, name)


def measures(total: Tally) -> dict[str, float]:
    """Turn counts into measures in per cent."""
    out: dict[str, float] = {}
    for name in ("person", "things", "date", "spans", "refs", "keep", "rels", "rel pairs"):
        right = total[f"{name} right"]
        precision = right / max(1, total[f"{name} found"])
        recall = right / max(1, total[f"{name} wanted"])
        out[f"{name} P"], out[f"{name} R"] = 100 * precision, 100 * recall
        out[f"{name} F1"] = 200 * precision * recall / max(1e-9, precision + recall)
    out["ref targets"] = 100 * total["ref targets right"] / max(1, total["ref targets wanted"])
    out["kind"] = 100 * total["kind right"] / max(1, total["keep right"])
    out["who"] = 100 * total["who right"] / max(1, total["keep right"])
    out["dropped but kept"] = 100 * total["drop kept"] / max(1, total["drop wanted"])
    return out


# The judge.

_ACT = {"refine": "same", "unrelated": "beside"}


def acts(logits: npt.NDArray[Any], temperature: float, update: float, same: float) -> list[str]:
    """Give what the judge does with each pair: an update or a repetition only when sure."""
    out = []
    for row in softmax(logits / temperature):
        if row[0] >= update:
            out.append("update")
        else:
            out.append("same" if row[1] + row[2] >= same else "beside")
    return out


def judge_measures(wanted: Sequence[str], done: Iterable[str]) -> dict[str, float]:
    """Give the share right of each act, and of wrong updates among what stands beside."""
    hits: Counter[tuple[str, str]] = Counter(
        (_ACT.get(w, w), d) for w, d in zip(wanted, done, strict=True)
    )
    totals: Counter[str] = Counter()
    for (w, _), n in hits.items():
        totals[w] += n
    out = {w: 100 * hits[w, w] / max(1, totals[w]) for w in ("update", "same", "beside")}
    out["wrong updates"] = 100 * hits["beside", "update"] / max(1, totals["beside"])
    out["pairs"] = float(sum(totals.values()))
    return out


def temperature(logits: npt.NDArray[Any], wanted: Sequence[str]) -> float:
    """Give the temperature at which the probabilities fit the labels best."""
    labels_at = np.array([labels.JUDGE.index(w) for w in wanted])
    rows = np.arange(len(wanted))

    def loss(t: float) -> float:
        return float(-np.log(softmax(logits / t)[rows, labels_at].clip(1e-12)).mean())

    return min((float(t) for t in np.arange(0.5, 4.01, 0.1)), key=loss)


def thresholds(
    logits: npt.NDArray[Any], wanted: Sequence[str], heat: float, most_wrong: float = 2.0
) -> tuple[float, float]:
    """Choose the two thresholds: few wrong updates and beside held first, then the rest."""
    best, chosen = -1e9, (0.8, 0.7)
    for update in np.arange(0.3, 0.99, 0.02):
        for same in np.arange(0.3, 0.99, 0.02):
            m = judge_measures(wanted, acts(logits, heat, float(update), float(same)))
            short = max(0.0, 95 - m["beside"]) + 2 * max(0.0, m["wrong updates"] - most_wrong)
            value = min(m["update"], 92) + min(m["same"], 90) - 4 * short + 0.1 * m["beside"]
            if value > best:
                best, chosen = value, (float(update), float(same))
    return chosen
