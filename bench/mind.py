"""What the built-in mind makes of strangers' texts: our test batches all together and one by one, then
the sets of others.

A batch was written under a brief of its own by whoever wrote no other; none of the test batches
trained anything, and their texts are counted here, never shown. The mind is asked through its port.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench import extraction
from bench.frame import ROOT, Report, Row, Setting
from remanent.minds.offline import OfflineMind
from training import tasks
from training.mind_figures import Count, count_source, judged_pairs

BATCHES: Path = ROOT / "training" / "data"
AIMS = {
    "people F1": 88,
    "things F1": 72,
    "statements precision": 75,
    "statements recall": 72,
    "relations F1": 50,
    "update": 80,
    "same": 75,
    "beside": 93,
}
CEILINGS = {"kept of what must be dropped": 8, "wrong updates": 3}


def run(setting: Setting) -> Report:
    mind = OfflineMind()
    sources = [
        (batch, row) for kind in ("notes", "talks") for batch, row in tasks.rows(BATCHES, kind, "test")
    ]  # fmt: skip
    pairs = tasks.pairs(BATCHES, "test")
    if setting.quick:
        sources, pairs = sources[::10], pairs[::10]
    whole, by_batch = Count(), dict[str, Count]()
    for batch, row in sources:
        for count in (whole, by_batch.setdefault(batch, Count())):
            count_source(mind, row, count)
    for pair in pairs:
        for count in (whole, by_batch.setdefault(pair.batch, Count())):
            judged_pairs(mind, [pair], count)
    rows = [_with_aim(row) for row in _rows(whole)]
    for batch, count in sorted(by_batch.items()):
        rows += [
            Row(what=f"{batch}: {row.what}", value=row.value, unit=row.unit) for row in _rows(count)
        ]
    if (setting.data / "ner").exists():
        rows += extraction.run(setting).rows
    note = f"{len(sources)} notes and talks and {len(pairs)} pairs in {len(by_batch)} test batches"
    return Report(name="mind", rows=rows, notes=[f"{mind.name}: {note}"])


def _rows(count: Count) -> Sequence[Row]:
    figures: dict[str, float] = {}
    for name in (
        "people",
        "by role",
        "things",
        "statements",
        "with subject",
        "relations",
        "with roles",
    ):
        if count.of[f"{name} wanted"]:
            precision, recall, f1 = count.figures(name)
            figures |= {f"{name} precision": precision, f"{name} recall": recall, f"{name} F1": f1}
    if count.of["drop wanted"]:
        kept = 100 * count.of["drop kept"] / count.of["drop wanted"]
        figures["kept of what must be dropped"] = kept
    for name in ("update", "same", "beside"):
        if total := count.of[f"{name} pairs"]:
            figures[name] = 100 * count.of[f"{name} judged {name}"] / total
    if total := count.of["beside pairs"]:
        figures["wrong updates"] = 100 * count.of["beside judged update"] / total
    return [Row(what=what, value=value, unit="%") for what, value in figures.items()]


def _with_aim(row: Row) -> Row:
    if (least := AIMS.get(row.what)) is not None:
        return Row(
            what=row.what, value=row.value, unit="%", aim=f">= {least}", met=row.value >= least
        )
    if (most := CEILINGS.get(row.what)) is not None:
        return Row(
            what=row.what, value=row.value, unit="%", aim=f"<= {most}", met=row.value <= most
        )
    return row
