"""Evaluation of the reader: every head on every dev and test batch, as a table.

Usage: ``python -m training.evaluate --carry FOLDER --weights FOLDER`` for exported weights;
``train_reader`` calls :func:`report` with the model it trained. Thresholds and temperature are
chosen on the dev batches alone. Test batches are counted: no text of theirs is ever printed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training import reading, scoring, tasks

Array = npt.NDArray[Any]
Encode = Callable[[Sequence[tuple[list[int], list[int]]]], list[Array]]
"""Encoder of token numbers and kinds into states, for many texts at once."""
HEADS = ("person F1", "things F1", "date F1", "refs F1", "ref targets", "keep P", "keep R",
         "dropped but kept", "kind", "who", "rels P", "rels R", "rels F1")  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What was chosen on the dev batches."""

    temperature: float = 1.0
    update: float = 0.8
    same: float = 0.7
    keep: float = 0.5
    relation: float = 0.5
    drop: float = 0.6


@dataclass
class Sheet:
    """Evaluation of one model over the folder of data."""

    encode: Encode
    weights: Mapping[str, Array]
    folder: Path
    most: int = 100_000
    reads: bool = True
    """Whether the heads that read sources are there to be measured."""

    def __post_init__(self) -> None:
        """Load the tokenizer."""
        self.tok = tasks.tokenizer(self.folder / "tokenizer.json")

    def logits(self, pairs: Sequence[tasks.Pair]) -> Array:
        """Give the judge's logits of pairs."""
        states = self.encode([tasks.pair_tokens(self.tok, p.old, p.new) for p in pairs])
        return np.stack([reading.judged(self.weights, s) for s in states])

    def states(self, sources: Sequence[tasks.Source]) -> list[Array]:
        """Give the states of sources."""
        return self.encode([(s.text.numbers, s.text.cases) for s in sources])

    def tally(
        self, sources: Sequence[tasks.Source], states: Sequence[Array], chosen: Choice
    ) -> dict[str, scoring.Tally]:
        """Count what was read in sources, by batch."""
        settings = reading.Settings(chosen.keep, chosen.relation, chosen.drop)
        out: dict[str, scoring.Tally] = defaultdict(Counter)
        for source, state in zip(sources, states, strict=True):
            heard = [(span, key) for span, key in source.spans if span in said(source)]
            told = reading.Told(source.text, source.words, source.speakers, heard)
            out[source.batch].update(
                scoring.tally(source, reading.read(self.weights, state, told, settings))
            )
        return out

    def chosen(self) -> Choice:
        """Choose temperature and thresholds on the dev batches."""
        pairs = tasks.pairs(self.folder / "data", "dev")[: self.most]
        out = Choice()
        if pairs:
            logits, wanted = self.logits(pairs), [p.label for p in pairs]
            heat = scoring.temperature(logits, wanted)
            out = Choice(heat, *scoring.thresholds(logits, wanted, heat))
        sources = tasks.sources(self.folder / "data", "dev", self.tok)[: self.most]
        if not sources or not self.reads:
            return out
        states = self.states(sources)
        best: dict[str, tuple[float, Choice]] = {}
        for level, drop in product((0.5, 0.6, 0.7, 0.8, 0.9), (0.3, 0.4, 0.5, 0.7)):
            tried = replace(out, keep=level, relation=level, drop=drop)
            m = scoring.measures(total_of(self.tally(sources, states, tried)))
            for head, value in (
                ("keep", m["keep F1"] - 2 * max(0.0, m["dropped but kept"] - 7)),
                ("relation", m["rels F1"]),
            ):
                if head not in best or value > best[head][0]:
                    best[head] = (value, tried)
        kept = best["keep"][1]
        return replace(kept, relation=best["relation"][1].relation)


def total_of(counted: Mapping[str, scoring.Tally]) -> scoring.Tally:
    """Add up the counts of batches."""
    total: scoring.Tally = Counter()
    for one in counted.values():
        total.update(one)
    return total


def said(source: tasks.Source) -> set[tasks.Span]:
    """Give the spans of the speakers' names, which are known without reading."""
    return set(source.text.speakers.values())


def judge_table(sheet: Sheet, chosen: Choice, split: str) -> dict[str, dict[str, float]]:
    """Give the judge's measures of every batch of a split, and of all together."""
    pairs = tasks.pairs(sheet.folder / "data", split)[: sheet.most]
    if not pairs:
        return {}
    logits = sheet.logits(pairs)
    done = scoring.acts(logits, chosen.temperature, chosen.update, chosen.same)
    plain = scoring.acts(logits, 1.0, 0.5, 0.5)
    groups: dict[str, list[int]] = defaultdict(list)
    for i, pair in enumerate(pairs):
        groups[pair.batch].append(i)
        groups[f"ALL {split}"].append(i)
    out = {}
    for name, rows in groups.items():
        wanted = [pairs[i].label for i in rows]
        out[name] = scoring.judge_measures(wanted, [done[i] for i in rows])
    out[f"ALL {split}, plain"] = scoring.judge_measures([p.label for p in pairs], plain)
    return out


def source_table(sheet: Sheet, chosen: Choice, split: str) -> dict[str, dict[str, float]]:
    """Give the measures of every batch of notes and talks of a split, and of all together."""
    sources = tasks.sources(sheet.folder / "data", split, sheet.tok)[: sheet.most]
    if not sources or not sheet.reads:
        return {}
    counted = sheet.tally(sources, sheet.states(sources), chosen)
    rows = {**counted, f"ALL {split}": total_of(counted)}
    return {name: scoring.measures(one) for name, one in rows.items()}


def need_measures(sheet: Sheet, messages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Give precision and recall of the need head if it has to say yes or no to each."""
    told = [tasks.message_tokens(sheet.tok, m["text"], m.get("before", ())) for m in messages]
    found = [reading.needed(sheet.weights, state) > 0 for state in sheet.encode(told)]
    hits = sum(f and m["needs"] for f, m in zip(found, messages, strict=True))
    wanted = sum(m["needs"] for m in messages)
    return {"precision": 100 * hits / max(1, sum(found)), "recall": 100 * hits / max(1, wanted)}


def _print(title: str, table: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> None:
    """Print a table, one row a batch."""
    if table:
        print(f"{title:26}", *(f"{c[:9]:>9}" for c in columns))
        for name, row in table.items():
            print(f"{name[:26]:26}", *(f"{row[c]:9.1f}" for c in columns))


def full(sheet: Sheet) -> dict[str, Any]:
    """Evaluate every head on dev and test, print the tables and give them back."""
    chosen = sheet.chosen()
    out: dict[str, Any] = {"chosen": asdict(chosen)}
    print("chosen on dev:", {k: round(v, 2) for k, v in out["chosen"].items()})
    for split in ("dev", "test"):
        out[f"judge {split}"] = judge_table(sheet, chosen, split)
        _print(
            f"judge, {split}", out[f"judge {split}"],
            ("update", "same", "beside", "wrong updates", "pairs"),
        )  # fmt: skip
        out[f"sources {split}"] = source_table(sheet, chosen, split)
        _print(f"sources, {split}", out[f"sources {split}"], HEADS)
    held = json.loads((sheet.folder / "extra.json").read_text("utf-8"))["need held out"]
    of = {split: tasks.messages(sheet.folder / "data", split) for split in ("dev", "test")}
    for name, messages in {**of, "held out": held}.items():
        out[f"need {name}"] = need_measures(sheet, messages)
        print(
            f"need, {name}:", {k: round(v, 1) for k, v in out[f"need {name}"].items()}, flush=True
        )
    return out


def report(reader: Any, chosen: argparse.Namespace) -> None:
    """Evaluate a reader in torch and write the measures beside its weights."""
    from training.torch_states import arrays, encoder_of

    sheet = Sheet(
        encoder_of(reader.encoder),
        arrays(reader),
        chosen.carry,
        chosen.most,
        reads="sources" in chosen.heads,
    )
    found = full(sheet)
    (chosen.out / f"{chosen.name}.json").write_text(json.dumps(found, indent=1), "utf-8")


def main() -> None:
    """Evaluate exported weights."""
    from training.exported import Exported

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    chosen = parser.parse_args()
    model = Exported(chosen.weights)
    sheet = Sheet(model.states, model.heads, chosen.carry)
    (chosen.weights / "measures.json").write_text(json.dumps(full(sheet), indent=1), "utf-8")


if __name__ == "__main__":
    main()
